"""Cities: the tools for the time and the weather in a city."""

import math
import unicodedata
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones


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
