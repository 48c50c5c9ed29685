"""The lab's four tools: pure computation, a clock, a remote service (played), local data.

Tools stay plain: text in, text out, and a ValueError with the mend in it when the input is bad.
The registry turns that error into an observation, so no tool needs to care about the loop.
"""

import ast
import math
import operator
import random
import re
import sqlite3
import threading
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache, wraps
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

from react_lab import words
from react_lab.registry import Registry, Tool

# ---------------------------------------------------------------- calculator

LONGEST = 500  # characters of an expression
LARGEST = 10**1000  # a result has at most 1000 digits: more is no use to a model


def calculator(expression: str) -> str:
    """Work out an arithmetic expression and return the number as text.

    It understands + - * / // % ** and brackets, the names in FUNCTIONS and CONSTANTS, and what
    models like to write: ^ for powers (2^3^2 is 2^9), × ÷ − x, 1,234, $5, `2+3`, a last "=".
    10% is 10/100 (15% of 80 is 12); between two numbers % is the remainder; 100 + 10% is
    refused, because it could be 110 or 100.1, and so is 0x10 (16, or 0 times 10). round() rounds
    halves away from zero; log() is the natural logarithm, log(8, 2) the one to base 2; angles are
    in radians.

    Fractions are exact (0.1+0.2 is 0.3); a root or a logarithm is a float, shown with 12 digits.
    Raises ValueError for everything else: what could mean two things, unknown words and signs,
    division by zero, results above 1000 digits. Nothing is evaluated but numbers, and the size
    of a power is known before it is computed.
    """
    text = _plain(expression)
    try:
        return _shown(_value(ast.parse(text, mode="eval").body, text))
    except SyntaxError:
        raise ValueError(
            "The expression cannot be read: look for a missing operator or bracket. "
            "Write * for times: 2*(3+4)."
        ) from None
    except ZeroDivisionError:
        raise ValueError("Division by zero has no result.") from None
    except OverflowError:
        raise ValueError("The result is too large to be computed here.") from None
    except (RecursionError, MemoryError):
        raise ValueError("The expression is nested too deeply; work it out in parts.") from None


def _bounded(number):
    """A Fraction or a float of bounded size. Whatever was computed goes through here."""
    if isinstance(number, complex):
        raise ValueError("A root of a negative number has no real result.")
    if isinstance(number, float):
        if not math.isfinite(number):
            raise OverflowError
        return number
    number = Fraction(number)
    if abs(number) >= LARGEST:
        raise OverflowError
    return number if number.denominator < LARGEST else float(number)


def _power(base, exponent):
    """base ** exponent: exact where the exact result is small enough, else a float."""
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        widest = max(abs(base.numerator), base.denominator)
        if widest == 1 or abs(exponent) * math.log10(widest) <= 1001:
            return base**exponent
    return float(base) ** float(exponent)  # raises OverflowError where the result is huge


def _round(number, places=0):
    if places != int(places) or abs(places) > 15:
        raise ValueError
    scale = Fraction(10) ** int(places)
    rounded = math.floor(abs(Fraction(number)) * scale + Fraction(1, 2)) / scale
    return rounded if number >= 0 else -rounded


def _factorial(number):
    if number > 450:
        raise OverflowError
    if number != int(number):
        raise ValueError
    return math.factorial(int(number))


FUNCTIONS = {
    "sqrt": math.sqrt,
    "abs": abs,
    "round": _round,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": lambda *numbers: min(numbers),
    "max": lambda *numbers: max(numbers),
    "pow": _power,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sin": lambda angle: round(math.sin(angle), 15),  # sin(pi) is 0, not 1.2e-16
    "cos": lambda angle: round(math.cos(angle), 15),
    "tan": lambda angle: round(math.tan(angle), 15),
    "factorial": _factorial,
}
CONSTANTS = {"pi": math.pi, "e": math.e}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
KNOWN = f"numbers, + - * / // % ** ( ), {', '.join([*FUNCTIONS, *CONSTANTS])}"


def _value(node, text):
    """The number of one node of the syntax tree of `text`. Only what is listed here has one."""
    match node:
        case ast.Constant(value=int() | float() as number):
            if number == 0 or number == math.inf:  # as a Fraction, 1e-999999999 would never end
                return _bounded(number)
            # from the digits as written, so that 0.1 is one tenth
            return _bounded(Fraction(text[node.col_offset : node.end_col_offset]))
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            return _bounded(OPERATORS[type(op)](_value(left, text), _value(right, text)))
        case ast.UnaryOp(op, operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(operand, text))
        case ast.Name(id=name) if name.lower() in CONSTANTS:
            return CONSTANTS[name.lower()]
        case ast.Name(id=name):
            raise ValueError(f"{name} needs its numbers in brackets: {name}(...).")
        case ast.Call(ast.Name(id=name), arguments, []) if name.lower() in FUNCTIONS:
            numbers = [_value(argument, text) for argument in arguments]
            try:
                return _bounded(FUNCTIONS[name.lower()](*numbers))
            except (TypeError, ValueError):
                inside = ", ".join(map(_shown, numbers))
                raise ValueError(f"{name}({inside}) is not defined.") from None
        case ast.Call(func=ast.Constant() | ast.BinOp() | ast.Name()):
            raise ValueError("Write * between a number and a bracket: 2*(3+4).")
        case ast.Tuple():
            raise ValueError("A comma cannot be read here: write 3.5 for a decimal, 1234 or 1,234.")
    raise ValueError(f"{type(node).__name__} is not allowed. Allowed: {KNOWN}.")


def _shown(number) -> str:
    """The number as text: whole numbers in full, others with 12 digits (15 from 10**10 on)."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    number = float(number)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}" if abs(number) >= 1e10 else f"{number:.12g}"


SIGNS = str.maketrans("×·∕÷−–（）＋－＊／％", "**//--()+-*/%") | {ord("π"): "pi"}
GROUPED = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
BASED = re.compile(r"(?<![\w.])0[xXoObB][\da-fA-F]\w*")  # 0x1F; but 10x2 and 0 x 10 are products
PERCENT = re.compile(r"(?<![\w.])(\d+\.?\d*|\.\d+)\s*%(?:\s*(of)\b|(?=\s*(?:[*/^),]|$)))")


def _plain(expression: str) -> str:
    """The expression in Python's signs. ValueError for what has no reading, or more than one."""
    text = expression.strip().strip("`").strip().translate(SIGNS)
    text = text.removesuffix("=").rstrip()
    if not text:
        raise ValueError("The expression is empty. Write one, such as (3+5)*2.")
    if len(text) > LONGEST:
        raise ValueError(f"More than {LONGEST} characters are too long; work it out in parts.")
    if "\n" in text:
        raise ValueError("Write one expression on one line, and call again for the next one.")
    if len(set(re.findall("[$€£¥]", text))) > 1:
        raise ValueError("Two currencies cannot be mixed. Write numbers without currency signs.")
    text = re.sub(r"[$€£¥](?=\s*\d)|\bmath\.", "", text)
    if based := BASED.search(text):
        raise ValueError(f"{based[0]!r} looks like a number in another base. Write it in decimal.")
    text = re.sub(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])", "*", text)
    if re.search(r"\d,\d{3}(?!\d)", text) and any(name in text.lower() for name in FUNCTIONS):
        raise ValueError("1,234 in a function can be one number or two: write 1234, or 1, 234.")
    text = GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    text = PERCENT.sub(_percent, text).replace("^", "**")
    if re.search(r"%\s*[-+]", text):
        raise ValueError("% before + or - has two readings: write 10/100 for per cent.")
    for word in re.findall(r"\d[\d_.]*(?:[eE][-+]?\d+)?|([A-Za-z_]\w*)", text):
        if word and word.lower() not in FUNCTIONS | CONSTANTS:
            raise ValueError(f"The word {word!r} is not known. Allowed: {KNOWN}.")
    if strange := re.search(r"[^\w\s+\-*/%().,]", text, re.ASCII):
        raise ValueError(f"The sign {strange[0]!r} is not known. Allowed: {KNOWN}.")
    return text


def _percent(match: re.Match) -> str:
    """10% as (10/100), "10% of" as (10/100)*; refuse where a person could mean something else."""
    number, of = match.groups()
    before = match.string[: match.start()].rstrip()
    if of and before.endswith(("/", "%", "^", "**")):
        raise ValueError("Put brackets around 'per cent of': 200 / (10% of 50).")
    if not of and re.search(r"[\w)]\s*[-+]$", before):
        following = match.string[match.end() :].lstrip()
        if not following.startswith(("*", "/")):
            raise ValueError(
                "Adding or subtracting a percentage has two readings: write 100 * 1.10 to add 10% "
                "of 100, or 100 + 0.10."
            )
    return f"({number}/100)" + ("*" if of else "")


# -------------------------------------------------------------------- cities


def _city(city: str, table: dict) -> str | None:
    """The table's name of a city as a model writes it ("oslo ", "Oslo, Norway"), or None.

    What follows a comma must be the table's country, so that Paris, Texas is not Paris.
    """
    name, _, country = (_folded(part) for part in city.partition(","))
    name = ALSO.get(name, name)
    for known, (countries, *_) in table.items():
        if name == _folded(known) and (not country or country in _folded(countries).split("|")):
            return known
    return None


def _folded(text: str) -> str:
    """Without case, accents, dots and spare spaces: "São  Paulo" is "sao paulo"."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o"))
    plain = "".join(c for c in letters if c != "." and not unicodedata.combining(c))
    return " ".join(plain.split())


ALSO = {  # folded spellings beside the table's own
    "new york city": "new york", "nyc": "new york", "la": "los angeles", "bombay": "mumbai",
    "calcutta": "kolkata", "saigon": "ho chi minh city", "kiev": "kyiv", "peking": "beijing",
    "北京": "beijing", "上海": "shanghai", "杭州": "hangzhou", "香港": "hong kong",
    "东京": "tokyo", "首尔": "seoul", "新加坡": "singapore", "伦敦": "london", "巴黎": "paris",
    "柏林": "berlin", "奥斯陆": "oslo", "利马": "lima", "纽约": "new york", "悉尼": "sydney",
}  # fmt: skip
USA = "United States|USA|US|America"
UK = "United Kingdom|UK|England|Great Britain"
ZONES = {
    "Oslo": ("Norway", "Europe/Oslo"),
    "Stockholm": ("Sweden", "Europe/Stockholm"),
    "Copenhagen": ("Denmark", "Europe/Copenhagen"),
    "Helsinki": ("Finland", "Europe/Helsinki"),
    "Reykjavik": ("Iceland", "Atlantic/Reykjavik"),
    "London": (UK, "Europe/London"),
    "Dublin": ("Ireland", "Europe/Dublin"),
    "Lisbon": ("Portugal", "Europe/Lisbon"),
    "Madrid": ("Spain", "Europe/Madrid"),
    "Barcelona": ("Spain", "Europe/Madrid"),
    "Paris": ("France", "Europe/Paris"),
    "Brussels": ("Belgium", "Europe/Brussels"),
    "Amsterdam": ("Netherlands|The Netherlands", "Europe/Amsterdam"),
    "Berlin": ("Germany", "Europe/Berlin"),
    "Munich": ("Germany", "Europe/Berlin"),
    "Zurich": ("Switzerland", "Europe/Zurich"),
    "Vienna": ("Austria", "Europe/Vienna"),
    "Prague": ("Czechia|Czech Republic", "Europe/Prague"),
    "Warsaw": ("Poland", "Europe/Warsaw"),
    "Budapest": ("Hungary", "Europe/Budapest"),
    "Rome": ("Italy", "Europe/Rome"),
    "Athens": ("Greece", "Europe/Athens"),
    "Kyiv": ("Ukraine", "Europe/Kyiv"),
    "Istanbul": ("Turkey|Turkiye", "Europe/Istanbul"),
    "Moscow": ("Russia", "Europe/Moscow"),
    "Cairo": ("Egypt", "Africa/Cairo"),
    "Casablanca": ("Morocco", "Africa/Casablanca"),
    "Accra": ("Ghana", "Africa/Accra"),
    "Lagos": ("Nigeria", "Africa/Lagos"),
    "Nairobi": ("Kenya", "Africa/Nairobi"),
    "Addis Ababa": ("Ethiopia", "Africa/Addis_Ababa"),
    "Johannesburg": ("South Africa", "Africa/Johannesburg"),
    "Cape Town": ("South Africa", "Africa/Johannesburg"),
    "Tehran": ("Iran", "Asia/Tehran"),
    "Dubai": ("United Arab Emirates|UAE", "Asia/Dubai"),
    "Riyadh": ("Saudi Arabia", "Asia/Riyadh"),
    "Karachi": ("Pakistan", "Asia/Karachi"),
    "Mumbai": ("India", "Asia/Kolkata"),
    "Delhi": ("India", "Asia/Kolkata"),
    "Kolkata": ("India", "Asia/Kolkata"),
    "Kathmandu": ("Nepal", "Asia/Kathmandu"),
    "Dhaka": ("Bangladesh", "Asia/Dhaka"),
    "Bangkok": ("Thailand", "Asia/Bangkok"),
    "Hanoi": ("Vietnam", "Asia/Ho_Chi_Minh"),
    "Ho Chi Minh City": ("Vietnam", "Asia/Ho_Chi_Minh"),
    "Jakarta": ("Indonesia", "Asia/Jakarta"),
    "Singapore": ("Singapore", "Asia/Singapore"),
    "Manila": ("Philippines", "Asia/Manila"),
    "Hong Kong": ("China|Hong Kong", "Asia/Hong_Kong"),
    "Beijing": ("China", "Asia/Shanghai"),
    "Shanghai": ("China", "Asia/Shanghai"),
    "Hangzhou": ("China", "Asia/Shanghai"),
    "Seoul": ("South Korea|Korea", "Asia/Seoul"),
    "Tokyo": ("Japan", "Asia/Tokyo"),
    "Osaka": ("Japan", "Asia/Tokyo"),
    "Sydney": ("Australia", "Australia/Sydney"),
    "Melbourne": ("Australia", "Australia/Melbourne"),
    "Perth": ("Australia", "Australia/Perth"),
    "Auckland": ("New Zealand", "Pacific/Auckland"),
    "Honolulu": (USA + "|Hawaii|HI", "Pacific/Honolulu"),
    "San Francisco": (USA + "|California|CA", "America/Los_Angeles"),
    "Los Angeles": (USA + "|California|CA", "America/Los_Angeles"),
    "Seattle": (USA + "|Washington|WA", "America/Los_Angeles"),
    "Denver": (USA + "|Colorado|CO", "America/Denver"),
    "Chicago": (USA + "|Illinois|IL", "America/Chicago"),
    "New York": (USA + "|New York|NY", "America/New_York"),
    "Boston": (USA + "|Massachusetts|MA", "America/New_York"),
    "Vancouver": ("Canada|British Columbia|BC", "America/Vancouver"),
    "Toronto": ("Canada|Ontario|ON", "America/Toronto"),
    "Mexico City": ("Mexico", "America/Mexico_City"),
    "Havana": ("Cuba", "America/Havana"),
    "Bogota": ("Colombia", "America/Bogota"),
    "Lima": ("Peru", "America/Lima"),
    "Santiago": ("Chile", "America/Santiago"),
    "Buenos Aires": ("Argentina", "America/Argentina/Buenos_Aires"),
    "Sao Paulo": ("Brazil", "America/Sao_Paulo"),
}


def get_current_time(city: str, now: datetime | None = None) -> str:
    """The date and time in a city, with its zone, the clock it was read from and the Unix time.

    city: one of ZONES, or the name of a time zone such as Europe/Oslo. now: a moment with a
    time zone, which fixes the clock for a lesson; without it this computer's clock is read.
    Raises ValueError for a city that is not known: a clock that answers for any city lies.
    """
    if now is not None and now.utcoffset() is None:
        raise ValueError("now has no time zone; give one: datetime(2026, 6, 1, 12, tzinfo=UTC).")
    name = _city(city, ZONES)
    zone = ZONES[name][1] if name else _zone_names().get(city.strip().casefold())
    if zone is None:
        raise ValueError(
            f"The time zone of {city!r} is not known. Write a big city in English, such as Lima, "
            "or a zone name, such as Europe/Oslo."
        )
    clock = "this computer's clock" if now is None else "a clock fixed for the lesson"
    here = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone))
    offset = f"{here:%z}"
    return (
        f"{name or zone}: {here:%H:%M:%S} on {WEEKDAYS[here.weekday()]} {here:%Y-%m-%d}, "
        f"{zone} (UTC{offset[:3]}:{offset[3:5]}), Unix time {math.floor(here.timestamp())}, "
        f"read from {clock}."
    )


# strftime would write the weekday in the computer's language
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@cache
def _zone_names() -> dict[str, str]:
    """Zone names by their lower-case form. "localtime" is left out: it is no place."""
    return {zone.casefold(): zone for zone in available_timezones() if "/" in zone or zone == "UTC"}


# ------------------------------------------------------------------- weather

WEATHER_DATE = "2026-06-01"
WEATHER = {  # country, °C, sky, rain in mm, wind in m/s: made up for this lab
    "Oslo": ("Norway", 16, "light rain", 4, 5),
    "Stockholm": ("Sweden", 18, "cloudy", 0, 6),
    "Copenhagen": ("Denmark", 17, "windy", 1, 11),
    "Helsinki": ("Finland", 14, "rain", 9, 7),
    "Reykjavik": ("Iceland", 9, "rain", 12, 13),
    "London": (UK, 19, "cloudy", 2, 4),
    "Paris": ("France", 22, "sunny", 0, 3),
    "Berlin": ("Germany", 21, "thunderstorm", 15, 8),
    "Vienna": ("Austria", 23, "sunny", 0, 2),
    "Madrid": ("Spain", 29, "sunny", 0, 3),
    "Lisbon": ("Portugal", 25, "sunny", 0, 7),
    "Rome": ("Italy", 27, "clear", 0, 2),
    "Athens": ("Greece", 30, "clear", 0, 4),
    "Cairo": ("Egypt", 36, "sunny", 0, 5),
    "Nairobi": ("Kenya", 20, "cloudy", 3, 3),
    "Mumbai": ("India", 33, "heavy rain", 41, 9),
    "Singapore": ("Singapore", 31, "thunderstorm", 22, 2),
    "Beijing": ("China", 28, "hazy", 0, 1),
    "Shanghai": ("China", 26, "light rain", 6, 4),
    "Hangzhou": ("China", 24, "drizzle", 5, 2),
    "Seoul": ("South Korea|Korea", 23, "clear", 0, 3),
    "Tokyo": ("Japan", 24, "rain", 13, 6),
    "Sydney": ("Australia", 15, "sunny", 0, 8),
    "Lima": ("Peru", 18, "foggy", 0, 3),
    "Mexico City": ("Mexico", 22, "light rain", 7, 2),
    "New York": (USA + "|New York|NY", 25, "cloudy", 0, 5),
    "Chicago": (USA + "|Illinois|IL", 20, "windy", 0, 14),
}


def get_weather(city: str) -> str:
    """Temperature, sky, rain and wind of a city on 2026-06-01. The figures are made up.

    They stand in WEATHER and play a remote service, so that a lesson runs the same everywhere.
    Raises ValueError for a city that is not in the table.
    """
    name = _city(city, WEATHER)
    if name is None:
        raise ValueError(
            f"There is no weather for {city!r}. Write the English name of one big city, such as "
            "Oslo. If the spelling was right, say that its weather is not known."
        )
    _, degrees, sky, rain, wind = WEATHER[name]
    return (
        f"{name}: {degrees} °C, {sky}, rain {rain} mm, wind {wind} m/s "
        f"(made-up lab figures for {WEATHER_DATE})."
    )


# ------------------------------------------------------------------ handbook

STOP_WORDS = words.STOP_WORDS | {"company", "handbook", "rule", "rules", "tillybrook"}
_lock = threading.Lock()


def passages() -> list[tuple[str, str, str]]:
    """Every section of the handbook as (file name, section, text of one line)."""
    found = []
    folder = resources.files("react_lab") / "data" / "handbook"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".md"):
            for section in file.read_text(encoding="utf-8").split("\n## ")[1:]:
                heading, _, body = section.partition("\n")
                found.append((file.name, heading.strip(), " ".join(body.split())))
    return found


def search_docs(query: str) -> str:
    """Find the best passages for some keywords in the handbook of an invented company.

    Returns one or two lines "[file.md > Section] text", the best first, or a sentence that
    nothing was found. The second passage is left out when it fits much worse than the first.
    Ranking: BM25 of SQLite FTS5 over any of the words, stemmed; a word in the heading counts
    double. Chinese is searched as overlapping pairs of characters.
    """
    rows = []
    if match := words.any_of(query, STOP_WORDS):
        with _lock:
            rows = _index().execute(
                "SELECT passage, bm25(sections, 2.0, 1.0) AS score FROM sections "
                "WHERE sections MATCH ? ORDER BY score LIMIT 2",
                (match,),
            ).fetchall()  # fmt: skip
    if not rows:
        return f"No passage found for {query.strip()[:60]!r}. Try other words."
    best = rows[0][1]  # scores are negative: the lower, the better
    return "\n".join(passage for passage, score in rows if score <= 0.6 * best)


@cache
def _index() -> sqlite3.Connection:
    """The handbook as a full-text index in memory, built at the first search."""
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE sections USING fts5"
        "(heading, body, passage UNINDEXED, tokenize='porter unicode61')"
    )
    for file, heading, body in passages():
        fields = (" ".join(words.words(text)) for text in (heading, body))
        row = *fields, f"[{file} > {heading}] {body}"
        index.execute("INSERT INTO sections VALUES (?, ?, ?)", row)
    return index


# ------------------------------------------------------------------ registry


def lab_tools(now: datetime | None = None) -> Registry:
    """A registry of the four tools, with the short descriptions that the model reads.

    now: a moment with a time zone that fixes the clock, or None for this computer's clock.
    Raises ValueError for a moment without a zone.
    """
    get_current_time("Oslo", now)  # a clock without a zone fails here, not in the middle of a run

    def clock(city: str) -> str:
        return get_current_time(city, now)

    clock.__name__, clock.__doc__ = get_current_time.__name__, get_current_time.__doc__
    registry = Registry()
    registry.register(
        calculator,
        description="Evaluate an arithmetic expression. Use it for any calculation.",
        example={"expression": "(3+5)*2"},
    )
    registry.register(
        clock,
        description="Current date and time in a city. Use it for time, date or weekday.",
        example={"city": "Lima"},
    )
    registry.register(
        get_weather,
        description="Weather in a city: temperature, rain and wind.",
        example={"city": "Oslo"},
    )
    registry.register(
        search_docs,
        description="Find passages in the company handbook by keywords. "
        "Use it for rules and facts of the company.",
        example={"query": "free shipping"},
    )
    return registry


def flaky(tool: Tool, rate: float, seed: int) -> Tool:
    """The tool, but a share of its calls fails on purpose before anything is done.

    rate: from 0 (never) to 1 (always). seed: the same seed fails the same calls, counted from
    the first one. Such a call raises RuntimeError, which the program does not try again: the
    model has to. Raises ValueError for another rate.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is {rate}; give a share of the calls, from 0 to 1.")
    dice = random.Random(seed)

    @wraps(tool.function)
    def function(**arguments):
        if dice.random() < rate:
            raise RuntimeError("the service is busy, try again")
        return tool.function(**arguments)

    return replace(tool, function=function)
