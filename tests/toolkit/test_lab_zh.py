"""The lab's tools in Chinese: same numbers as in English, and no English sentence."""

import re
from datetime import UTC, datetime

import pytest

from react_lab.toolkit import lab_tools
from react_lab.toolkit.calculator import calculator
from react_lab.toolkit.cities import IN_CHINESE, WEATHER, ZONES
from react_lab.toolkit.handbook import passages

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TOOLS = lab_tools(NOON, language="zh")
ENGLISH = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?(?: [A-Za-z]+){2,}")  # three words in a row


def asked(tool: str, text: str):
    (name,) = TOOLS[tool].parameters["properties"]
    return TOOLS.call(tool, {name: text})


def test_names_parameters_and_descriptions_are_chinese():
    assert [tool.name for tool in TOOLS] == ["计算器", "查时间", "查天气", "查手册"]
    for tool in TOOLS:
        assert not re.search("[A-Za-z]{2}", tool.name + tool.description)
        assert list(tool.example) == list(tool.parameters["properties"])
        assert TOOLS.call(tool.name, tool.example).error is None
    with pytest.raises(ValueError, match="no language 'fr'"):
        lab_tools(language="fr")


def test_an_api_gets_names_that_it_takes():
    functions = [schema["function"] for schema in TOOLS.schemas()]
    assert [one["name"] for one in functions] == [
        "calculator", "get_current_time", "get_weather", "search_docs"
    ]  # fmt: skip
    assert functions[2]["description"] == "查天气：查某个城市的天气：气温、降雨和风。"
    two = lab_tools(language="zh")
    two.register(lambda: "1", name="甲", description="一")
    two.register(two["查天气"].function, name="乙", description="二")
    names = two.api_names()
    assert len(set(names.values())) == 6
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in names.values())


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("365*24", "8760"),
        ("３６５×２４", "8760"),
        ("（３＋５）＊２", "16"),
        ("１，２３４＋１", "1235"),
        ("三百六十五乘以二十四", "8760"),
        ("一万二千除以四", "3000"),
        ("十五减去三", "12"),
        ("百分之十五", "0.15"),
        ("1.2万*2", "24000"),
    ],
)
def test_the_calculator_reads_wide_digits_and_numbers_in_words(text, result):
    assert asked("计算器", text).text == result


@pytest.mark.parametrize("expression", [
    "", "1/0", "2*", "eval(1)", "x", "1e999", "9**9**9", "sqrt(-1)", "pi(2)", "sqrt", "2(3)",
    "(1)(2)",
    "1,5", "[1]", "1"*501, "1\n2", "$1+€2", "0x1F", "max(1,234)", "10%+1", "2 $ 3", "200/10% of 50",
    "100+10%", "(" * 300 + "1" + ")" * 300, "'a'", "(-8)**0.5", "1 < 2",
])  # fmt: skip
def test_every_error_of_the_calculator_is_chinese(expression):
    with pytest.raises(ValueError) as english:
        calculator(expression)
    seen = asked("计算器", expression)
    text = seen.text.removeprefix("ValueError: ")
    assert seen.error == "tool error"
    assert re.search("[\u4e00-\u9fff]{3}", text) and text != "无法计算这个算式。", english.value
    assert not ENGLISH.search(text)


@pytest.mark.parametrize("name", IN_CHINESE)
def test_every_city_is_known_in_chinese(name):
    """Names and countries are checked against an atlas by hand; here each one is looked up."""
    names, lands = (part.split("|") for part in IN_CHINESE[name])
    zone = ZONES[name][1]
    for city in names:
        bare = city.removesuffix("市")
        for text in (city, f"{bare}市", f"{lands[0]}{city}", f"{city}，{lands[0]}", f" {bare} "):
            seen = asked("查时间", text)
            assert seen.error is None and zone in seen.text, text
            assert seen.text.startswith(names[0])
    assert asked("查时间", f"{names[0]}，{'德国' if lands[0] != '德国' else '法国'}").error


def test_there_is_a_chinese_name_for_every_city_and_no_name_twice():
    assert IN_CHINESE.keys() == ZONES.keys()
    every = [name for names, _ in IN_CHINESE.values() for name in names.split("|")]
    assert len(every) == len(set(every))


def test_the_english_tools_read_chinese_cities_too():
    english = lab_tools(NOON)
    for city in ("北京", "北京市", "中国北京", "北京，中国"):
        assert "Beijing: 28 °C" in english.call("get_weather", {"city": city}).text
    assert english.call("get_weather", {"city": "北京路"}).error


@pytest.mark.parametrize("name", WEATHER)
def test_the_weather_has_the_same_numbers_in_both_languages(name):
    chinese = asked("查天气", IN_CHINESE[name][0].split("|")[0]).text
    english = lab_tools(NOON).call("get_weather", {"city": name}).text
    numbers = [re.findall(r"\d+", text) for text in (chinese, english)]
    assert numbers[0] == numbers[1]
    assert not ENGLISH.search(chinese)


def test_the_clock_says_the_same_in_both_languages():
    assert asked("查时间", "北京").text == (
        "北京：2026-06-01 星期一 20:00:00，时区 Asia/Shanghai（UTC+08:00），"
        "Unix 时间 1780315200，来自课程固定的时钟。"
    )
    assert "本机的时钟" in lab_tools(language="zh").call("查时间", {"城市": "利马"}).text
    assert "没有“火星”的天气" in asked("查天气", "火星").text
    assert "不知道“火星”的时区" in asked("查时间", "火星").text


# The handbook ------------------------------------------------------------------------------

PAIRS = list(zip(
    [one for one in passages() if one[0] != "zh.md"], passages("zh"), strict=True
))  # fmt: skip
WORDS = {"one": 1, "once": 1, "twice": 2, "first": 1, "second": 2, "fourth": 4, "half": 0.5}


@pytest.mark.parametrize("pair", PAIRS, ids=[pair[0][1] for pair in PAIRS])
def test_each_section_of_the_handbook_has_the_same_numbers(pair):
    (_, _, english), (_, _, chinese) = pair
    numbers = [sorted(re.findall(r"\d+(?:[.:]\d+)?", text)) for text in (english, chinese)]
    extra = list(numbers[1])
    for number in numbers[0]:
        assert number in extra, (english, chinese)
        extra.remove(number)
    assert extra in ([], ["1"], ["10", "4"], ["3"]), "months are numbers in Chinese"
    assert not re.search("[A-Za-z]", chinese)


@pytest.mark.parametrize(
    ("question", "section", "fact"),
    [
        ("退款期限是多少天？", "退款期限", "30天"),
        ("员工每年有几天年假", "年假", "28天"),
        ("寄到德国的运费", "寄往德国", "5.50欧元"),
        ("密码要多少个字符？", "密码规定", "14个字符"),
        ("手动工具的保修期", "手动工具保修", "120个月"),
        ("毛地黄厅有多少座位", "毛地黄厅", "40个座位"),
        ("叉车限速", "叉车", "每小时8公里"),
        ("出差餐费最多报销多少", "餐费", "32欧元"),
        ("免运费", "免运费", "75欧元"),
    ],
)
def test_the_best_passage_comes_first(question, section, fact):
    first = asked("查手册", question).text.splitlines()[0]
    assert f"> {section}]" in first and fact in first


def test_nothing_found_is_said_in_chinese():
    assert asked("查手册", "大象").text == "没有找到关于“大象”的段落。请换个词再查。"
