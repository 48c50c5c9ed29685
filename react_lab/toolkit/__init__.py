"""The lab's four tools: pure computation, a clock, a remote service (played), local data.

Tools stay plain: text in, text out, and a ValueError with the mend in it when the input is bad.
The registry turns that error into an observation, so no tool needs to care about the loop.
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
