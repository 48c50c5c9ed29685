"""The lab's four tools in Chinese: names, descriptions, results and errors.

They do the same as the English ones and read the same tables. `lab_tools(language="zh")` returns
them.

>>> calculator("（３＋５）×２")
'16'
>>> get_weather("北京市")
'北京：28 °C，有霾，降雨 0 毫米，风速 1 米/秒（实验室虚构的数据，2026-06-01）。'
"""

import math
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from react_lab.chinese import arabic
from react_lab.toolkit.calculator import KNOWN
from react_lab.toolkit.calculator import calculator as calculated
from react_lab.toolkit.cities import (
    IN_CHINESE,
    WEATHER_DATE,
    check_clock,
    weather_of,
    zone_of,
)
from react_lab.toolkit.handbook import best_passages

DAYS = "一二三四五六日"
SKIES = {
    "light rain": "小雨",
    "cloudy": "多云",
    "windy": "大风",
    "rain": "有雨",
    "sunny": "晴",
    "thunderstorm": "雷暴",
    "clear": "晴朗",
    "heavy rain": "大雨",
    "hazy": "有霾",
    "drizzle": "毛毛雨",
    "foggy": "有雾",
}
# What models write in words, as the calculator's signs; longer ones first.
SPOKEN = {"乘以": "*", "除以": "/", "加上": "+", "减去": "-", "乘": "*", "加": "+", "减": "-"}
ALLOWED = f"可以用：数字、{KNOWN.removeprefix('numbers, ')}。"
# The calculator's errors: how the English one begins, with its values, and the Chinese one.
ERRORS = (
    (
        "The expression cannot be read",
        "无法读懂这个算式：请检查是否缺少运算符或括号。乘号写成 *：2*(3+4)。",
    ),
    ("Division by zero", "除以零没有结果。"),
    ("The result is too large", "结果太大，这里无法计算。"),
    ("The expression is nested too deeply", "算式的括号层数太多，请分步计算。"),
    ("A root of a negative number", "负数的平方根没有实数结果。"),
    (r"(\w+) needs its numbers in brackets", r"\1 的数字要写在括号里：\1(...)。"),
    (r"(\w+\(.*\)) is not defined", r"\1 没有定义。"),
    ("Write \\* between a number and a bracket", "数字和括号之间要写 *：2*(3+4)。"),
    ("A comma cannot be read here", "这里不能用逗号：小数写成 3.5，整数写成 1234 或 1,234。"),
    (r"\w+ is not allowed", f"这种写法不能用。{ALLOWED}"),
    ("The expression is empty", "算式是空的。请写一个算式，例如 (3+5)*2。"),
    (r"More than (\d+) characters", r"算式超过 \1 个字符，请分步计算。"),
    ("Write one expression on one line", "一行只写一个算式，下一个算式请再次调用。"),
    ("Two currencies", "不能混用两种货币。请只写数字，不写货币符号。"),
    (r"'(.*)' looks like a number in another base", r"“\1”像是其他进制的数。请写成十进制。"),
    ("1,234 in a function", "函数里的 1,234 可能是一个数，也可能是两个数：请写 1234 或 1, 234。"),
    ("% before", "% 后面接 + 或 - 有两种读法：百分之十请写成 10/100。"),
    ("The word '(.*?)' is not known", rf"不认识“\1”。{ALLOWED}"),
    ("The sign '(.*?)' is not known", rf"不认识符号“\1”。{ALLOWED}"),
    ("Put brackets around", "请给“百分之几的”加上括号：200 / (50*10/100)。"),
    (
        "Adding or subtracting a percentage",
        "加减百分数有两种读法：加 100 的 10% 写成 100 * 1.10，否则写 100 + 0.10。",
    ),
)  # fmt: skip


def calculator(算式: str) -> str:
    """计算一个算式，返回结果。

    It reads what the English one reads, and also full-width signs, numbers in words (三百五十)
    and the operators 加, 减, 乘以 and 除以. Raises ValueError, in Chinese, as the English one does.
    """
    text = arabic(算式, formula=True)
    for words, sign in SPOKEN.items():
        text = text.replace(words, sign)
    try:
        return calculated(text)
    except ValueError as error:
        raise ValueError(in_chinese(str(error))) from None


def in_chinese(error: str) -> str:
    """Return an error of the calculator in Chinese; an unknown one says only that it failed."""
    for pattern, words in ERRORS:
        if match := re.match(pattern, error):
            return match.expand(words)
    return "无法计算这个算式。"


def get_current_time(城市: str, now: datetime | None = None) -> str:
    """某个城市的日期和时间，并说明时区、时钟和 Unix 时间。

    Raises ValueError for a city that is not known, and for a `now` without a time zone.
    """
    check_clock(now)
    name, zone = zone_of(城市)
    if zone is None:
        raise ValueError(
            f"不知道“{城市.strip()}”的时区。请写一个大城市的中文名，例如利马，"
            "或时区名称，例如 Europe/Oslo。"
        )
    here = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone))
    offset, clock = f"{here:%z}", "本机的时钟" if now is None else "课程固定的时钟"
    return (
        f"{called(name) if name else zone}：{here:%Y-%m-%d} 星期{DAYS[here.weekday()]} "
        f"{here:%H:%M:%S}，时区 {zone}（UTC{offset[:3]}:{offset[3:5]}），"
        f"Unix 时间 {math.floor(here.timestamp())}，来自{clock}。"
    )


def get_weather(城市: str) -> str:
    """某个城市 2026-06-01 的气温、天空、降雨和风。数据是虚构的。

    Raises ValueError for a city that is not in the table.
    """
    if (found := weather_of(城市)) is None:
        raise ValueError(
            f"没有“{城市.strip()}”的天气。请写一个大城市的中文名，例如奥斯陆。"
            "如果名称没有写错，请回答不知道它的天气。"
        )
    name, (_, degrees, sky, rain, wind) = found
    return (
        f"{called(name)}：{degrees} °C，{SKIES[sky]}，降雨 {rain} 毫米，风速 {wind} 米/秒"
        f"（实验室虚构的数据，{WEATHER_DATE}）。"
    )


def search_docs(关键词: str) -> str:
    """按关键词在虚构公司的手册里查找最合适的段落。

    Returns one or two lines, or a sentence that nothing was found.
    """
    found = best_passages(关键词, "zh")
    return found or f"没有找到关于“{关键词.strip()[:60]}”的段落。请换个词再查。"


def called(name: str) -> str:
    """Return a city's Chinese name."""
    return IN_CHINESE[name][0].split("|")[0]
