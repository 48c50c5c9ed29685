"""The tools of the development questions that the training never sees: small real data behind."""

_TIDES = {
    "Whitby": ("05:12", "5.1", "11:24", "1.3"),
    "Saint-Malo": ("07:48", "11.6", "14:21", "2.2"),
    "Cuxhaven": ("03:37", "3.4", "10:02", "0.6"),
    "Bar Harbor": ("06:55", "3.9", "13:08", "0.2"),
}
_BOOKS = {
    "Moby-Dick": ("K4", 2),
    "Middlemarch": ("K9", 0),
    "The Moonstone": ("M11", 3),
    "Silent Spring": ("N27", 1),
}
_HIVES = {"Clover": (41.6, 39.9), "Bramble": (37.2, 38.4), "Thistle": (44.8, 40.3)}
_EXHIBITS = {
    "sedan chair": ("Room 6", "1.60"),
    "narwhal tusk": ("Room 19", "2.35"),
    "weaver's loom": ("Room 12", "1.90"),
    "pocket sundial": ("Room 3", "0.06"),
}
_YARN = {
    "mittens": {"small": 50, "medium": 70, "large": 90},
    "bobble hat": {"small": 65, "medium": 80, "large": 95},
    "cardigan": {"small": 420, "medium": 510, "large": 640},
}
_SEEDS = {"parsnip": (21, 12), "radish": (5, 8), "basil": (9, 20), "leek": (16, 10)}
_OPENINGS = {
    "A10": "English Opening",
    "B01": "Scandinavian Defence",
    "B12": "Caro-Kann Defence",
    "C00": "French Defence",
    "C50": "Italian Game",
    "E60": "King's Indian Defence",
}
_BUSES = {
    "7": ["Old Mill", "Fish Market", "Town Hall", "Elm Park"],
    "15": ["Station", "Town Hall", "Hospital", "Quarry", "Larch Hill", "Airfield"],
    "22": ["Elm Park", "Swimming Pool", "Quarry"],
}


def _find(table: dict, key: str, what: str):
    for name, row in table.items():
        if name.lower() == str(key).strip().lower():
            return name, row
    raise ValueError(f"No {what} called {key!r} is known.")


def tide_times(harbour: str) -> str:
    """High and low water at a harbour today, with the height in metres."""
    name, (high, high_m, low, low_m) = _find(_TIDES, harbour, "harbour")
    return f"{name}: high water {high} ({high_m} m), low water {low} ({low_m} m)"


def find_shelf(title: str) -> str:
    """The shelf on which a book stands in the town library, and how many copies are in."""
    name, (shelf, copies) = _find(_BOOKS, title, "book")
    return f"{name}: shelf {shelf}, copies in: {copies}"


def hive_weight(hive: str) -> str:
    """Weight of a beehive in kilograms, this morning and a week ago. Needs the hive's name."""
    name, (now, before) = _find(_HIVES, hive, "hive")
    return f"Hive {name}: {now} kg this morning, {before} kg a week ago"


def museum_room(exhibit: str) -> str:
    """Room of the museum in which an exhibit is shown, and its length in metres."""
    name, (room, metres) = _find(_EXHIBITS, exhibit, "exhibit")
    return f"{name}: {room}, {metres} m long"


def yarn_needed(garment: str, size: str) -> str:
    """Grams of yarn for knitting a garment in size small, medium or large."""
    name, sizes = _find(_YARN, garment, "garment")
    size, grams = _find(sizes, size, "size")
    return f"{name}, {size}: {grams} g of yarn"


def seed_days(plant: str) -> str:
    """Days until the seeds of a plant sprout, and the soil temperature they need."""
    name, (days, degrees) = _find(_SEEDS, plant, "plant")
    return f"{name}: sprouts after {days} days at {degrees} °C"


def q7(code: str) -> str:
    """Name of the chess opening that belongs to an ECO code."""
    name, opening = _find(_OPENINGS, code, "code")
    return f"{name}: {opening}"


def bus_line(line: str) -> str:
    """The stops of a town bus in order, from first to last. Needs the line's number."""
    name, stops = _find(_BUSES, line, "line")
    return f"Line {name}, {len(stops)} stops: {', '.join(stops)}"


#: function -> an example of its arguments, not used by any question
TOOLS = {
    tide_times: {"harbour": "Bar Harbor"},
    find_shelf: {"title": "Emma"},
    hive_weight: {"hive": "Heather"},
    museum_room: {"exhibit": "stuffed bear"},
    yarn_needed: {"garment": "scarf", "size": "large"},
    seed_days: {"plant": "tomato"},
    q7: {"code": "D06"},
    bus_line: {"line": "31"},
}
