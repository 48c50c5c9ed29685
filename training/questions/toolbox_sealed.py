"""The tools of the test questions that the training never sees: small real data behind."""

_DECKS = {
    "Skua": {"lower": (118, 37), "upper": (64, 5)},
    "Fulmar": {"lower": (92, 0), "upper": (51, 28)},
    "Razorbill": {"lower": (140, 86), "upper": (75, 13)},
}
_STARS = {  # apparent magnitude, distance in light years
    "Sirius": ("-1.46", "8.6"),
    "Canopus": ("-0.74", "310"),
    "Vega": ("0.03", "25"),
    "Aldebaran": ("0.86", "65"),
    "Deneb": ("1.25", "2600"),
}
_CENTRES = {"Millgate": (9, "10:20"), "St Anne's": (4, "13:50"), "Portway": (0, None)}
_FLOUR = {"rye loaf": 480, "focaccia": 350, "brioche": 275, "pitta": 65}
_LIGHTHOUSES = {
    "Fastnet": (54, 1904),
    "Bell Rock": (35, 1811),
    "Eddystone": (49, 1882),
    "Skerryvore": (48, 1844),
}
_GLAZES = {"celadon": (1260, 11), "tenmoku": (1285, 13), "majolica": (1040, 8)}
_LIFTS = {
    "Marmot": (12, 1740, "open"),
    "Edelweiss": (3, 2215, "open"),
    "Glacier": (25, 3080, "open"),
    "Larch": (0, 1390, "closed"),
}


def _find(table: dict, key: str, what: str):
    for name, row in table.items():
        if name.lower() == str(key).strip().lower():
            return name, row
    raise ValueError(f"No {what} called {key!r} is known.")


def deck_space(ship: str, deck: str) -> str:
    """Car spaces on the lower or upper deck of a ferry: how many there are, how many are free."""
    name, decks = _find(_DECKS, ship, "ship")
    deck, (spaces, free) = _find(decks, deck, "deck")
    return f"{name}, {deck} deck: {spaces} car spaces, {free} free"


def star_facts(star: str) -> str:
    """Brightness (magnitude) of a star in the night sky and its distance in light years."""
    name, (magnitude, distance) = _find(_STARS, star, "star")
    return f"{name}: magnitude {magnitude}, distance {distance} light years"


def letter_count(word: str, letter: str) -> str:
    """Counts how many times a letter occurs in a word."""
    return f"'{letter}' occurs {word.lower().count(letter.lower())} times in '{word}'"


def donor_slots(centre: str) -> str:
    """Free appointments for giving blood at a donor centre today, and the time of the next one."""
    name, (free, first) = _find(_CENTRES, centre, "donor centre")
    return f"{name}: {free} free appointments" + (f", next at {first}" if first else " today")


def flour_for(bread: str, pieces: int) -> str:
    """Grams of flour for baking a number of pieces of a bread."""
    name, grams = _find(_FLOUR, bread, "bread")
    return f"{pieces} x {name}: {grams * int(pieces)} g of flour"


def t3(name: str) -> str:
    """Height of a lighthouse in metres and the year in which it was first lit."""
    name, (height, year) = _find(_LIGHTHOUSES, name, "lighthouse")
    return f"{name}: {height} m high, lit since {year}"


def kiln_plan(glaze: str) -> str:
    """Firing temperature of a pottery glaze and the hours it stays in the kiln."""
    name, (degrees, hours) = _find(_GLAZES, glaze, "glaze")
    return f"{name}: fire at {degrees} °C for {hours} hours"


def lift_status(lift: str) -> str:
    """Ski lift: open or closed, waiting minutes at its foot, height of its top in metres."""
    name, (minutes, metres, state) = _find(_LIFTS, lift, "lift")
    return f"{name}: {state}, wait {minutes} minutes, top at {metres} m"


#: function -> an example of its arguments, not used by any question
TOOLS = {
    deck_space: {"ship": "Gannet", "deck": "upper"},
    star_facts: {"star": "Polaris"},
    letter_count: {"word": "pepper", "letter": "p"},
    donor_slots: {"centre": "Hillside"},
    flour_for: {"bread": "bagel", "pieces": 12},
    t3: {"name": "Longstone"},
    kiln_plan: {"glaze": "shino"},
    lift_status: {"lift": "Chamois"},
}
