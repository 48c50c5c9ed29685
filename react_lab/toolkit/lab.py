"""Lab: the registry of the four tools, and a tool that fails on purpose."""

import random
from dataclasses import replace
from datetime import datetime
from functools import wraps

from react_lab.registry.registry import Registry, Tool
from react_lab.toolkit.calculator import calculator
from react_lab.toolkit.cities import get_current_time, get_weather
from react_lab.toolkit.handbook import search_docs


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
