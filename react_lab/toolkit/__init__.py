"""The lab's four tools: a calculator, a clock, a simulated weather service, a document search.

A tool takes and returns text. For a bad input it raises a ValueError that says how to correct it.
The registry turns that error into an observation, so a tool does not need to know the loop.
"""

from react_lab.toolkit.calculator import calculator
from react_lab.toolkit.cities import WEATHER, WEATHER_DATE, ZONES, get_current_time, get_weather
from react_lab.toolkit.handbook import STOP_WORDS, passages, search_docs
from react_lab.toolkit.lab import flaky, lab_tools

__all__ = [
    "STOP_WORDS",
    "WEATHER",
    "WEATHER_DATE",
    "ZONES",
    "calculator",
    "flaky",
    "get_current_time",
    "get_weather",
    "lab_tools",
    "passages",
    "search_docs",
]
