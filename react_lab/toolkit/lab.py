"""Lab: the registry of the four tools, and a tool that fails on purpose."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Any

from react_lab.chinese import is_chinese
from react_lab.registry.registry import Registry, Tool
from react_lab.toolkit import cities, lab_zh
from react_lab.toolkit.calculator import calculator
from react_lab.toolkit.cities import check_clock
from react_lab.toolkit.handbook import search_docs

# What the model reads about each tool: name, description, and an input to imitate.
WORDS = {
    "en": {
        "calculator": (
            "calculator",
            "Evaluate an arithmetic expression. Use it for any calculation.",
            {"expression": "(3+5)*2"},
        ),
        "clock": (
            "get_current_time",
            "Current date and time in a city. Use it for time, date or weekday.",
            {"city": "Lima"},
        ),
        "weather": (
            "get_weather",
            "Weather in a city: temperature, rain and wind.",
            {"city": "Oslo"},
        ),
        "docs": (
            "search_docs",
            "Find passages in the company handbook by keywords. "
            "Use it for rules and facts of the company.",
            {"query": "free shipping"},
        ),
    },
    "zh": {
        "calculator": (
            "计算器",
            "计算一个算式。所有计算都用它。",
            {"算式": "(3+5)*2"},
        ),
        "clock": (
            "查时间",
            "查某个城市现在的日期和时间。问时间、日期或星期几时用它。",
            {"城市": "利马"},
        ),
        "weather": (
            "查天气",
            "查某个城市的天气：气温、降雨和风。",
            {"城市": "奥斯陆"},
        ),
        "docs": (
            "查手册",
            "按关键词查公司手册里的段落。问公司的规定和事实时用它。",
            {"关键词": "免运费"},
        ),
    },
}


def lab_tools(now: datetime | None = None, language: str = "en") -> Registry:
    """Return a registry of the four tools, with the short descriptions that the model reads.

    In Chinese, names, parameters, descriptions, results and errors are Chinese.

    Args:
        now: a moment with a time zone that fixes the clock, or None for this computer's clock.
        language: "en" or "zh".

    Raises:
        ValueError: now has no time zone, or the language is unknown.
    """
    if language not in WORDS:
        raise ValueError(f"There is no language {language!r}; give one of: {', '.join(WORDS)}.")
    functions = _chinese(now) if language == "zh" else _english(now)
    registry = Registry()
    for kind, (name, description, example) in WORDS[language].items():
        registry.register(functions[kind], name=name, description=description, example=example)
    return registry


def _english(now: datetime | None) -> dict[str, Callable[..., str]]:
    check_clock(now)  # a clock without a zone fails here, not in the middle of a run

    def get_current_time(city: str) -> str:
        return cities.get_current_time(city, now)

    get_current_time.__doc__ = cities.get_current_time.__doc__
    clock, weather = get_current_time, cities.get_weather
    return {"calculator": calculator, "clock": clock, "weather": weather, "docs": search_docs}


def _chinese(now: datetime | None) -> dict[str, Callable[..., str]]:
    check_clock(now)

    def get_current_time(城市: str) -> str:
        return lab_zh.get_current_time(城市, now)

    clock, weather, docs = get_current_time, lab_zh.get_weather, lab_zh.search_docs
    return {"calculator": lab_zh.calculator, "clock": clock, "weather": weather, "docs": docs}


def flaky(tool: Tool, rate: float, seed: int) -> Tool:
    """Return the tool, but with a share of its calls failing on purpose before anything is done.

    Such a call raises RuntimeError, which the program does not try again: the model has to.

    Args:
        tool: any tool. One with a Chinese name fails in Chinese.
        rate: from 0 (never) to 1 (always).
        seed: with the same seed the same calls fail, counted from the first call.

    Raises:
        ValueError: rate is below 0 or above 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is {rate}; give a share of the calls, from 0 to 1.")
    dice = random.Random(seed)
    says = "服务正忙，请再试一次" if is_chinese(tool.name) else "the service is busy, try again"

    @wraps(tool.function)
    def function(**arguments: Any) -> Any:
        if dice.random() < rate:
            raise RuntimeError(says)
        return tool.function(**arguments)

    return replace(tool, function=function)
