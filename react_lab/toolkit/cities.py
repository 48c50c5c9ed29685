"""Cities: the tools for the time and the weather in a city."""

import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from react_lab.chinese import HAN, half_width


def _city(city: str, table: Mapping[str, tuple[Any, ...]]) -> str | None:
    """Return the table's name of a city as a model writes it, or None if it is not in the table.

    It reads "oslo ", "Oslo, Norway", 奥斯陆, 北京市 and 法国巴黎. What follows a comma must be the
    table's country, so that Paris, Texas is not Paris.
    """
    if re.search(f"[{HAN}]", city):
        found = _in_chinese(city)
        return found if found in table else None
    name, _, country = (_folded(part) for part in city.partition(","))
    name = ALSO.get(name, name)
    for known, (countries, *_) in table.items():
        if name == _folded(known) and (not country or country in _folded(countries).split("|")):
            return known
    return None


def _in_chinese(city: str) -> str | None:
    """Return the English name of a city in Chinese, with or without 市 and its country."""
    parts = re.split(r"[\s,，、()（）]+", half_width(city).strip(" ,，、()（）。"))
    for known, (names, countries) in IN_CHINESE.items():
        lands = countries.split("|")
        for name in names.split("|"):
            spellings = {name, name.removesuffix("市"), name.removesuffix("市") + "市"}
            spellings |= {land + one for land in lands for one in spellings}
            others = [part for part in parts if part not in spellings]
            if len(others) < len(parts) and all(part in lands for part in others):
                return known
    return None


def _folded(text: str) -> str:
    """Remove case, accents, dots and extra spaces: "São  Paulo" becomes "sao paulo"."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o"))
    plain = "".join(c for c in letters if c != "." and not unicodedata.combining(c))
    return " ".join(plain.split())


ALSO = {  # folded spellings beside the table's own
    "new york city": "new york", "nyc": "new york", "la": "los angeles", "bombay": "mumbai",
    "calcutta": "kolkata", "saigon": "ho chi minh city", "kiev": "kyiv", "peking": "beijing",
}  # fmt: skip
# Each city's Chinese names, the one we write first, and those of its country.
IN_CHINESE = {
    "Oslo": ("奥斯陆", "挪威"),
    "Stockholm": ("斯德哥尔摩", "瑞典"),
    "Copenhagen": ("哥本哈根", "丹麦"),
    "Helsinki": ("赫尔辛基", "芬兰"),
    "Reykjavik": ("雷克雅未克", "冰岛"),
    "London": ("伦敦", "英国"),
    "Dublin": ("都柏林", "爱尔兰"),
    "Lisbon": ("里斯本", "葡萄牙"),
    "Madrid": ("马德里", "西班牙"),
    "Barcelona": ("巴塞罗那", "西班牙"),
    "Paris": ("巴黎", "法国"),
    "Brussels": ("布鲁塞尔", "比利时"),
    "Amsterdam": ("阿姆斯特丹", "荷兰"),
    "Berlin": ("柏林", "德国"),
    "Munich": ("慕尼黑", "德国"),
    "Zurich": ("苏黎世", "瑞士"),
    "Vienna": ("维也纳", "奥地利"),
    "Prague": ("布拉格", "捷克"),
    "Warsaw": ("华沙", "波兰"),
    "Budapest": ("布达佩斯", "匈牙利"),
    "Rome": ("罗马", "意大利"),
    "Athens": ("雅典", "希腊"),
    "Kyiv": ("基辅", "乌克兰"),
    "Istanbul": ("伊斯坦布尔", "土耳其"),
    "Moscow": ("莫斯科", "俄罗斯|俄国"),
    "Cairo": ("开罗", "埃及"),
    "Casablanca": ("卡萨布兰卡", "摩洛哥"),
    "Accra": ("阿克拉", "加纳"),
    "Lagos": ("拉各斯", "尼日利亚"),
    "Nairobi": ("内罗毕", "肯尼亚"),
    "Addis Ababa": ("亚的斯亚贝巴", "埃塞俄比亚"),
    "Johannesburg": ("约翰内斯堡", "南非"),
    "Cape Town": ("开普敦", "南非"),
    "Tehran": ("德黑兰", "伊朗"),
    "Dubai": ("迪拜", "阿联酋"),
    "Riyadh": ("利雅得", "沙特阿拉伯|沙特"),
    "Karachi": ("卡拉奇", "巴基斯坦"),
    "Mumbai": ("孟买", "印度"),
    "Delhi": ("德里|新德里", "印度"),
    "Kolkata": ("加尔各答", "印度"),
    "Kathmandu": ("加德满都", "尼泊尔"),
    "Dhaka": ("达卡", "孟加拉国|孟加拉"),
    "Bangkok": ("曼谷", "泰国"),
    "Hanoi": ("河内", "越南"),
    "Ho Chi Minh City": ("胡志明市|西贡", "越南"),
    "Jakarta": ("雅加达", "印度尼西亚|印尼"),
    "Singapore": ("新加坡", "新加坡"),
    "Manila": ("马尼拉", "菲律宾"),
    "Hong Kong": ("香港", "中国"),
    "Beijing": ("北京", "中国"),
    "Shanghai": ("上海", "中国"),
    "Hangzhou": ("杭州", "中国"),
    "Seoul": ("首尔|汉城", "韩国"),
    "Tokyo": ("东京", "日本"),
    "Osaka": ("大阪", "日本"),
    "Sydney": ("悉尼", "澳大利亚|澳洲"),
    "Melbourne": ("墨尔本", "澳大利亚|澳洲"),
    "Perth": ("珀斯", "澳大利亚|澳洲"),
    "Auckland": ("奥克兰", "新西兰"),
    "Honolulu": ("檀香山|火奴鲁鲁", "美国"),
    "San Francisco": ("旧金山|三藩市", "美国"),
    "Los Angeles": ("洛杉矶", "美国"),
    "Seattle": ("西雅图", "美国"),
    "Denver": ("丹佛", "美国"),
    "Chicago": ("芝加哥", "美国"),
    "New York": ("纽约", "美国"),
    "Boston": ("波士顿", "美国"),
    "Vancouver": ("温哥华", "加拿大"),
    "Toronto": ("多伦多", "加拿大"),
    "Mexico City": ("墨西哥城", "墨西哥"),
    "Havana": ("哈瓦那", "古巴"),
    "Bogota": ("波哥大", "哥伦比亚"),
    "Lima": ("利马", "秘鲁"),
    "Santiago": ("圣地亚哥", "智利"),
    "Buenos Aires": ("布宜诺斯艾利斯", "阿根廷"),
    "Sao Paulo": ("圣保罗", "巴西"),
}
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
    check_clock(now)
    name, zone = zone_of(city)
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


def check_clock(now: datetime | None) -> None:
    """Check a moment that fixes the clock.

    Raises:
        ValueError: it has no time zone.
    """
    if now is not None and now.utcoffset() is None:
        raise ValueError("now has no time zone; give one: datetime(2026, 6, 1, 12, tzinfo=UTC).")


def zone_of(city: str) -> tuple[str | None, str | None]:
    """Return the table's name of a city and its time zone; None for each that is not known."""
    name = _city(city, ZONES)
    return name, ZONES[name][1] if name else _zone_names().get(city.strip().casefold())


def weather_of(city: str) -> tuple[str, tuple[Any, ...]] | None:
    """Return the table's name of a city and its row in WEATHER, or None."""
    name = _city(city, WEATHER)
    return None if name is None else (name, WEATHER[name])


# because strftime writes the weekday in the computer's language
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@cache
def _zone_names() -> dict[str, str]:
    """Return zone names by their lower-case form, without "localtime", which is not a place."""
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
