"""The lab's tools. Expected values were worked out by hand or are facts of the world."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from react_lab import toolkit
from react_lab.registry import Registry
from react_lab.toolkit import (
    calculator,
    flaky,
    get_current_time,
    get_weather,
    lab_tools,
    passages,
    search_docs,
)

# ---------------------------------------------------------------- calculator


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("365*24", "8760"),
        ("(3+5)*2", "16"),
        ("2 + + 3", "5"),
        ("7 // 2", "3"),
        ("10/4", "2.5"),
        ("12/4", "3"),
        # exact, where a float would be a little off
        ("0.1+0.2", "0.3"),
        ("1-0.9-0.1", "0"),
        ("1/3*3", "1"),
        ("2**53 + 1", "9007199254740993"),
        ("12345678901234567.5 - 12345678901234567", "0.5"),
        ("123456789012.34 + 1", "123456789013.34"),
        # powers: the caret binds like ** and groups to the right
        ("2^10", "1024"),
        ("2^8", "256"),
        ("2^3^2", "512"),
        ("0.466*10^3", "466"),
        ("-2^2", "-4"),
        ("-2**2", "-4"),
        ("(-2)^2", "4"),
        ("2^-1", "0.5"),
        # a guard against huge results must not refuse these
        ("2**100", "1267650600228229401496703205376"),
        ("2**128", "340282366920938463463374607431768211456"),
        ("10000**100", "1" + 400 * "0"),
        ("0.5**10000", "0"),
        ("0**1000000", "0"),
        ("1**10**9", "1"),
        ("factorial(20)", "2432902008176640000"),
        # signs that models write
        ("6 × 7", "42"),
        ("8 ÷ 2", "4"),
        ("5 − 3", "2"),
        ("5 – 3", "2"),
        ("2 · 3", "6"),
        ("12 ∕ 4", "3"),
        ("3 x 4", "12"),
        ("3x4x5", "60"),
        ("0 x 10", "0"),
        ("1.0x10^3", "1000"),
        ("20x10", "200"),
        ("1e5x2", "200000"),
        ("（1+2）×3", "9"),
        ("12*12=", "144"),
        ("`2+3`", "5"),
        ("```\n2+3\n```", "5"),
        ("$1,200 * 2", "2400"),
        ("€3 + 4", "7"),
        ("1,234,567.5 * 2", "2469135"),
        ("math.sqrt(16)", "4"),
        # per cent after a number, remainder between two
        ("12%", "0.12"),
        ("200 * 15%", "30"),
        ("15% of 80", "12"),
        ("50% of 20% of 80", "8"),
        ("100 - 10% of 100", "90"),
        ("5 % 3", "2"),
        ("5%3", "2"),
        ("17 % 5 + 1", "3"),
        ("5%290", "5"),
        # functions
        ("round(2.567, 2)", "2.57"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2.675, 2)", "2.68"),
        ("max(1, 2, 3)", "3"),
        ("min(4, 2.5)", "2.5"),
        ("abs(-3) + floor(2.7) + ceil(2.1)", "8"),
        ("sqrt(2)**2", "2"),
        ("log(8, 2) + log10(1000) + exp(0)", "7"),
        ("sin(pi)", "0"),
        ("pow(2, 10)", "1024"),
    ],
)
def test_a_result_is_exact(expression, result):
    assert calculator(expression) == result


@pytest.mark.parametrize(
    ("expression", "result", "relative"),
    [
        ("1.05**360", 42476396.4, 1e-9),
        ("(1 + 0.05/12)**360", 4.46774, 1e-5),
        ("2**-70", 8.47e-22, 0.01),
        ("2**0.5", 1.41421356, 1e-8),
        ("π", 3.14159265, 1e-8),
        ("e", 2.71828183, 1e-8),
        ("2/3", 0.666666666667, 1e-11),
    ],
)
def test_a_long_decimal_is_shown_with_twelve_digits(expression, result, relative):
    text = calculator(expression)
    assert float(text) == pytest.approx(result, rel=relative)
    assert len(text.partition("e-")[0].replace(".", "").lstrip("0")) <= 12


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        # too large, told before it is computed
        ("(((9**64)**64)**64)**64", "too large"),
        ("((((9**64)**64)**64)**64)**64", "too large"),
        ("(10**4000)*(10**4000)*(10**4000)*(10**4000)*(10**4000)", "too large"),
        ("9**9**9", "too large"),
        ("2**10000000", "too large"),
        ("2**20000", "too large"),
        ("10**4299 + 1", "too large"),
        ("0.5**-10000", "too large"),
        ("1e999", "too large"),
        ("exp(700)*exp(700)", "too large"),
        ("factorial(1000000)", "too large"),
        ("factorial(factorial(9))", "too large"),
        ("factorial(10**9)", "too large"),
        ("+".join(["1"] * 1000), "work it out in parts"),
        # not defined
        ("1/0", "zero"),
        ("1/(2-2)", "zero"),
        ("5 % 0", "zero"),
        ("7 // 0", "zero"),
        ("2 // 0", "zero"),
        ("0**-1", "zero"),
        ("0/0", "zero"),
        ("1/0.0", "zero"),
        ("factorial(-1)", "not defined"),
        ("factorial(2.5)", "not defined"),
        ("sqrt(-1)", "not defined"),
        ("(-8)**(1/3)", "negative"),
        ("pow(2, 10**9, 7)", "not defined"),
        ("max()", "not defined"),
        # two readings
        ("100 + 10%", "two readings"),
        ("100 - 10%", "two readings"),
        ("10% + 5", "two readings"),
        ("200 / 10% of 50", "brackets"),
        ("3,5 + 1", "comma"),
        ("0,125 * 8", "comma"),
        ("1.234,5", "comma"),
        ("1,23,456", "comma"),
        ("max(1,200, 3)", "1234"),
        ("0x10", "'0x10' looks like a number in another base"),
        ("0X1e5", "another base"),
        ("5*0x1F", "'0x1F'"),
        ("$0x10", "another base"),
        ("(0xff + 1)", "'0xff'"),
        ("0b101", "'0b101'"),
        ("0o17", "'0o17'"),
        ("$5 + €3", "currencies"),
        ("2(3+4)", "Write \\*"),
        ("(1+2)(3+4)", "Write \\*"),
        ("2pi", "Write \\*"),
        ("50%%", "cannot be read"),
        # not read to the end
        ("5 3", "cannot be read"),
        ("2 000 000(3)", "cannot be read"),
        ("5%3)", "cannot be read"),
        ("(2+3", "cannot be read"),
        ("2+", "cannot be read"),
        ("3 = 3", "'='"),
        ("2+3; 4", "';'"),
        ("2+3 # sum", "'sum'"),
        ("2+3\n4+5", "one line"),
        ("", "empty"),
        ("   ", "empty"),
        # words and signs are named
        ("3x", "'x'"),
        ("5kg*2", "'kg'"),
        ("12am", "'am'"),
        ("1j", "'j'"),
        ("5L", "'L'"),
        ("1e5e5", "'e5'"),
        ("2x1F", "'F'"),
        ("2e", "missing operator"),
        ("2sqrt(4)", "missing operator"),
        ("x = 5", "'x'"),
        ("ans * 2", "'ans'"),
        ("del max", "'del'"),
        ("import math", "'import'"),
        ("What is 2+3?", "'What'"),
        ("12 apples * 3", "'apples'"),
        ("Round off 29077.702 to the nearest integer", "'off'"),
        ("age**0.23", "'age'"),
        ("LCM(2, 5)", "'LCM'"),
        ("max", "brackets"),
        ("5!", "'!'"),
        ("√16", "'√'"),
        ("2² + 1", "'²'"),
        ("10³", "'³'"),
        ("½ + 1", "'½'"),
        ("2½", "'½'"),
        ("x² + 1", "x²"),
        ("①+②", "'①'"),
        # nothing but numbers is evaluated
        ("().__class__.__bases__[0].__subclasses__()", "'__class__'"),
        ("(1).__class__", "'__class__'"),
        ("''.join(['a'])", "'join'"),
        ("(lambda: 1)()", "'lambda'"),
        ("[x for x in (1,2)]", "'x'"),
        ("(y := 3) + y", "'y'"),
        ("f'{1+1}'", "'f'"),
        ("1 if 1 else 2", "'if'"),
        ("__import__('os').getcwd()", "'__import__'"),
        ("open('x').read()", "'open'"),
        ("exec('1')", "'exec'"),
        ("globals()", "'globals'"),
        ("ｅｖａｌ('1')", "'ｅ'"),
        ("𝓮𝔁𝓮𝓬('1')", "'𝓮'"),
        ("sqrt(open)", "'open'"),
        ("signal.raise_signal(9) or 2", "'signal'"),
        ("max(*[1,2])", "'\\['"),
        ("max(*(1,2))", "not allowed"),
        ("print(1, file=2)", "'print'"),
        ("sum([1,2,3])", "'sum'"),
        ("True", "'True'"),
        ("1\x00", "not known"),
    ],
)
def test_what_has_no_single_result_is_refused_with_a_reason(expression, says):
    with pytest.raises(ValueError, match=says):
        calculator(expression)


@pytest.mark.parametrize("expression", ["(" * 240 + "1" + ")" * 240, "2**" * 160 + "2"])
def test_deep_nesting_is_a_plain_error(expression):
    with pytest.raises(ValueError, match=r"\.$"):
        calculator(expression)


def test_a_result_has_at_most_a_thousand_digits():
    assert calculator("10**999") == "1" + 999 * "0"
    with pytest.raises(ValueError, match="too large"):
        calculator("10**1000")


# --------------------------------------------------------------------- clock

SUMMER = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)  # a Monday
WINTER = datetime(2026, 12, 31, 20, 0, tzinfo=UTC)


def test_the_clock_names_city_date_weekday_zone_offset_unix_time_and_itself():
    # `date -u -d @1780315200` says Mon Jun 1 12:00:00 UTC 2026
    assert get_current_time("Lima", SUMMER) == (
        "Lima: 07:00:00 on Monday 2026-06-01, America/Lima (UTC-05:00), Unix time 1780315200, "
        "read from a clock fixed for the lesson."
    )


@pytest.mark.parametrize(
    ("city", "now", "local"),
    [
        ("Kolkata", SUMMER, "17:30:00 on Monday 2026-06-01, Asia/Kolkata (UTC+05:30)"),
        ("Kathmandu", SUMMER, "17:45:00 on Monday 2026-06-01, Asia/Kathmandu (UTC+05:45)"),
        ("Oslo", SUMMER, "14:00:00 on Monday 2026-06-01, Europe/Oslo (UTC+02:00)"),
        ("Oslo", WINTER, "21:00:00 on Thursday 2026-12-31, Europe/Oslo (UTC+01:00)"),
        ("Tokyo", WINTER, "05:00:00 on Friday 2027-01-01, Asia/Tokyo (UTC+09:00)"),
        ("  new YORK , USA", SUMMER, "08:00:00 on Monday 2026-06-01, America/New_York (UTC-04:00)"),
        ("São Paulo", SUMMER, "09:00:00 on Monday 2026-06-01, America/Sao_Paulo (UTC-03:00)"),
        ("北京", SUMMER, "20:00:00 on Monday 2026-06-01, Asia/Shanghai (UTC+08:00)"),
        ("Pacific/Chatham", WINTER, "09:45:00 on Friday 2027-01-01, Pacific/Chatham (UTC+13:45)"),
        ("europe/oslo", SUMMER, "14:00:00 on Monday 2026-06-01, Europe/Oslo (UTC+02:00)"),
    ],
)
def test_the_time_is_the_citys_own(city, now, local):
    assert f": {local}," in get_current_time(city, now)


@pytest.mark.parametrize(
    "city", ["Atlantis", "", "Paris, Texas", "localtime", "Europe", "../../etc/passwd"]
)
def test_a_clock_does_not_answer_for_an_unknown_city(city):
    with pytest.raises(ValueError, match="such as Europe/Oslo"):
        get_current_time(city, SUMMER)


def test_without_a_fixed_moment_the_computers_clock_is_read():
    before = datetime.now(UTC).timestamp()
    text = get_current_time("Oslo")
    assert "this computer's clock" in text
    told = int(text.split("Unix time ")[1].split(",")[0])
    assert int(before) <= told <= datetime.now(UTC).timestamp()


def test_every_city_of_the_table_has_a_zone_that_exists():
    for city in toolkit.ZONES:
        assert get_current_time(city, SUMMER).startswith(f"{city}: ")


# ------------------------------------------------------------------- weather


@pytest.mark.parametrize("city", ["Oslo", " oslo ", "OSLO", "Oslo, Norway", "奥斯陆"])
def test_weather_says_that_it_is_made_up_and_for_which_date(city):
    assert get_weather(city) == (
        "Oslo: 16 °C, light rain, rain 4 mm, wind 5 m/s (made-up lab figures for 2026-06-01)."
    )


@pytest.mark.parametrize("city", ["Atlantis", "", "Paris, Texas"])
def test_weather_of_an_unknown_city_is_refused(city):
    with pytest.raises(ValueError, match="English name of one big city"):
        get_weather(city)


def test_the_clock_knows_every_city_of_the_weather():
    assert set(toolkit.WEATHER) <= set(toolkit.ZONES)


# ------------------------------------------------------------------ handbook


@pytest.mark.parametrize(
    ("query", "section", "fact"),
    [
        (
            "How many days do customers have to ask for a refund, and how many hours is that?",
            "[returns.md > Refund window]",
            "30 days",
        ),
        ("refund", "[returns.md > Refund window]", "30 days"),
        ("vacation days", "[working-time.md > Vacation days]", "28"),
        ("How much does shipping to Norway cost?", "[shipping.md > Shipping to Norway]", "17.40"),
        ("warranty of electric tools", "[warranty.md > Warranty for electric tools]", "36 months"),
        ("price of the Heron spade", "[products.md > Heron spade]", "34.90 euros"),
        ("When does the shop open on Saturday?", "[contact.md > Opening hours]", "10:00"),
        ("room with 40 seats", "[rooms.md > Room Foxglove]", "40 seats"),
        ("password length", "[it.md > Passwords]", "14 characters"),
        ("hotel limit", "[expenses.md > Hotel limit]", "110 euros"),
        ("school discount", "[loyalty.md > School discount]", "15 per cent"),
        ("lifting heavy loads", "[safety.md > Lifting]", "25 kg"),
        # stemmed: "shipped" finds "shipping"
        ("shipped to Japan", "[shipping.md > Shipping to Japan]", "26.00"),
        # Chinese, a word of two characters inside a longer run included
        ("退款期限是多少天？", "[zh.md > 退款期限]", "30天"),
        ("年假", "[zh.md > 年假]", "28天"),
        ("寄到德国的运费", "[zh.md > 德国运费]", "5.50欧元"),
        ("密码", "[zh.md > 密码规定]", "14个字符"),
        # signs that mean something to the search engine mean nothing here
        ('"refund" AND NOT *', "[returns.md > Refund window]", "30 days"),
        ("heading:refund?", "[returns.md > Refund window]", "30 days"),
        ("NEAR(refund, window) OR", "[returns.md > Refund window]", "30 days"),
        ("refund'); DROP TABLE sections; --", "[returns.md > Refund window]", "30 days"),
    ],
)
def test_the_best_passage_comes_first(query, section, fact):
    best = search_docs(query).splitlines()[0]
    assert best.startswith(section)
    assert fact in best


@pytest.mark.parametrize("query", ["unicorn saddles", "独角兽", "", "*", "(", '"', "x" * 5000])
def test_nothing_found_is_said_in_plain_text(query):
    text = search_docs(query)
    assert text.startswith("No passage found for ")
    assert text.endswith("Try other words.")
    assert len(text) < 120


def test_passages_are_short_and_found_by_their_own_heading():
    assert len({file for file, _, _ in passages()}) == 12
    for file, heading, body in passages():
        passage = f"[{file} > {heading}] {body}"
        assert len(passage) <= 300
        assert search_docs(heading).splitlines()[0] == passage


def test_stock_tokenizers_do_not_find_a_chinese_word():
    """Why the handbook is indexed in pairs: to unicode61 a whole run is one word."""
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
    plain.execute("INSERT INTO t VALUES ('顾客收到货物后30天内可以申请退款')")
    assert plain.execute("SELECT count(*) FROM t WHERE t MATCH '\"退款\"'").fetchone() == (0,)
    assert "申请退款" in search_docs("申请退款")


def test_search_works_from_several_threads():
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(search_docs, ["vacation days"] * 40))
    assert len(results) == 1
    assert "28 vacation days" in results.pop()


# ------------------------------------------------------------------ registry


def test_lab_tools_are_four_and_their_examples_run():
    tools = lab_tools(now=SUMMER)
    assert tools.parameters() == {
        "calculator": ["expression"],
        "get_current_time": ["city"],
        "get_weather": ["city"],
        "search_docs": ["query"],
    }
    seen = {tool.name: tools.call(tool.name, tool.example) for tool in tools}
    assert all(observation.error is None for observation in seen.values())
    assert seen["calculator"].text == "16"
    assert seen["get_current_time"].text.startswith("Lima: 07:00:00 on Monday 2026-06-01")
    assert "16 °C" in seen["get_weather"].text
    assert "75 euros" in seen["search_docs"].text


def test_a_tools_error_becomes_an_observation():
    observation = lab_tools().call("calculator", {"expression": "1/0"})
    assert observation.error is not None
    assert "Division by zero" in observation.text


def test_a_fixed_clock_needs_a_time_zone():
    with pytest.raises(ValueError, match="tzinfo=UTC"):
        lab_tools(now=datetime(2026, 6, 1))


# ----------------------------------------------------------------- on purpose


def failures(seed: int, rate: float = 0.3, calls: int = 40) -> list[bool]:
    """Which of some calls of a flaky tool fail."""
    tools = Registry((flaky(lab_tools()["get_weather"], rate, seed),))
    seen = [tools.call("get_weather", {"city": "Oslo"}) for _ in range(calls)]
    assert {o.text for o in seen if o.error} <= {"RuntimeError: the service is busy, try again"}
    assert all("16 °C" in o.text for o in seen if not o.error)
    return [o.error == "tool error" for o in seen]


def test_the_same_seed_fails_the_same_calls():
    assert failures(seed=5) == failures(seed=5)
    assert failures(seed=5) != failures(seed=6)
    assert 2 <= sum(failures(seed=5)) <= 22


def test_a_rate_of_0_never_fails_and_one_of_1_always():
    assert not any(failures(seed=1, rate=0))
    assert all(failures(seed=1, rate=1))
    with pytest.raises(ValueError, match="from 0 to 1"):
        flaky(lab_tools()["get_weather"], 20, 1)


def test_a_flaky_tool_looks_like_the_tool():
    tool = lab_tools()["calculator"]
    assert flaky(tool, 0.2, 1) == tool
    seen = Registry((flaky(tool, 0, 1),)).call("calculator", {"number": 1})
    assert seen.text.startswith("missing: expression; unknown: number")


def test_the_program_leaves_such_a_failure_to_the_model():
    """Tried again by the program, a failure on purpose would teach nothing."""
    assert (
        Registry((flaky(lab_tools()["calculator"], 1, 1),))
        .call("calculator", {"expression": "1+1"})
        .tries
        == 1
    )
