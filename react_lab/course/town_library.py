"""The library of Elmsworth, a town that does not exist: the tools of notebook 02 and its cases.

>>> tools = library_tools()
>>> tools
Registry(catalogue, desk, house, programme)
>>> tools.call("house", {"room": "the long attic", "hours": "2"}).text
'Long Attic, 2 hours: 16 euros (price list)'
>>> len(library_tools(more=21)), len(choice_cases())
(25, 20)
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from react_lab.ranking import STOP_WORDS, words
from react_lab.registry import Registry, Tool

SHELVES = {
    "The Amber Road": {"Harbour": 14, "Millgate": 5, "Castle Hill": 29},
    "Winter Bees": {"Harbour": 3, "Millgate": 31, "Castle Hill": 8},
    "Nine Lanterns": {"Harbour": 22, "Millgate": 12},
    "The Glass Orchard": {"Millgate": 19, "Castle Hill": 17},
}
FEES = {"book": 0.30, "magazine": 0.20, "film": 0.50, "game": 0.75, "map": 0.40}  # euros a day
ROOMS = {"Piano Room": 12, "Reading Hall": 25, "Bell Studio": 15, "Long Attic": 8}  # euros an hour
SEATS = {
    "Story Hour": {"Tuesday": 6, "Thursday": 11},
    "Chess Night": {"Friday": 4},
    "Kite Workshop": {"Saturday": 0},
    "Poetry Evening": {"Monday": 9},
}

# Name, description and example of tools that are only there to be chosen from.
MORE = """\
account | Lists what a member has at home. | member=M-204, kind=film
binding | Price of binding a thesis. | pages=120, cover=linen
cards | Yearly price of a library card for an age group. | age=adult, months=12
copies | Counts the copies of a book that nobody has borrowed. | title=Tall Ships, branch=Riverside
lockers | Free lockers in a branch by size. | branch=Riverside, size=large
openings | Opening hours of a branch on a day of the week. | branch=Riverside, day=Sunday
printers | Price of printing pages. | pages=10, colour=black
queue | Weeks of waiting for a book that is reserved. | title=Tall Ships, branch=Riverside
authors | Lists the books of an author. | author=Ada Quill, language=English
buses | Time at which the library bus stops in a village. | village=Thornby, day=Sunday
courses | Teacher and fee of a language course. | language=Danish, level=B1
exhibitions | What is shown in the foyer, and until when. | branch=Riverside, month=May
gifts | Whether the library takes an old thing as a gift. | thing=atlas, state=good
laptops | Laptops that can be borrowed in a branch. | branch=Riverside, system=Linux
lost | Things that were found and are kept in a branch. | thing=umbrella, branch=Riverside
parking | Price of parking beside a branch by the hour. | branch=Riverside, hours=2
periodicals | Latest issue of a newspaper or journal. | name=The Anchor, branch=Riverside
reviews | What readers say about a book. | title=Tall Ships, stars=5
staff | Who is on duty in a branch. | branch=Riverside, day=Sunday
translations | Languages into which a book was translated. | title=Tall Ships, format=paper
wifi | Name and speed of the wireless network. | branch=Riverside, floor=1
"""


def pick(text: str, names: Iterable[str]) -> str:
    """Return the name that a text means, whatever its case and punctuation.

    Raises:
        ValueError: The text shares no word with any of the names; the message lists them.
    """
    asked, known = set(words(text)) - STOP_WORDS, list(names)
    best = max(known, key=lambda name: len(asked & set(words(name))))
    if not asked & set(words(best)):
        raise ValueError(f"There is no {text!r}. There is: {', '.join(known)}.")
    return best


# The descriptions are what the model reads, word for word as in the recordings.


def catalogue(title: str, branch: str) -> str:
    """Finds the shelf of a book in a branch. Use it when someone asks where a book is."""
    title = pick(title, SHELVES)
    branch = pick(branch, SHELVES[title])
    return f"{title}, {branch}: shelf {SHELVES[title][branch]} (catalogue)"


def desk(item: str, days: int) -> str:
    """Works out the fee for an item that comes back late. Use it when something is overdue."""
    item = pick(item, FEES)
    return f"{item}, {days} days late: {FEES[item] * days:.2f} euros (fee table)"


def house(room: str, hours: int) -> str:
    """Works out what a room costs for some hours. Use it when someone wants to rent a room."""
    room = pick(room, ROOMS)
    return f"{room}, {hours} hours: {ROOMS[room] * hours} euros (price list)"


def programme(event: str, day: str) -> str:
    """Counts the free seats at an event on a day. Use it when someone wants to come."""
    event = pick(event, SEATS)
    day = pick(day, SEATS[event])
    return f"{event}, {day}: {SEATS[event][day]} free seats (booking list)"


def library_tools(more: int = 0) -> Registry:
    """Return the four tools of the library, each with an example of its arguments.

    Args:
        more: How many of 21 other tools to add. They return nothing useful and only make the
            choice harder. With any of them, all tools are in alphabetical order.
    """
    tools = Registry()
    tools.register(catalogue, example={"title": "Tall Ships", "branch": "Riverside"})
    tools.register(desk, example={"item": "record", "days": 2})
    tools.register(house, example={"room": "Workshop", "hours": 7})
    tools.register(programme, example={"event": "Quiz", "day": "Sunday"})
    if not more:
        return tools
    others = [_other(line) for line in MORE.splitlines()[:more]]
    return Registry(tuple(sorted([*tools, *others], key=lambda tool: tool.name)))


def _other(line: str) -> Tool:
    """The tool in one line of MORE."""
    name, description, pairs = line.split(" | ")
    example = dict(pair.split("=") for pair in pairs.split(", "))
    properties = {key: {"type": "string"} for key in example}
    parameters = {"type": "object", "properties": properties, "required": list(example)}

    def function(**given: str) -> str:
        return f"{name}: nothing is known."

    return Tool(name, description, parameters, function, example)


@dataclass(frozen=True)
class Case:
    """A question to the library, the call that answers it, and what that call returns."""

    question: str
    tool: str
    arguments: dict[str, Any]
    result: str


def choice_cases() -> list[Case]:
    """Return 20 questions, five for each of the four tools."""
    table = resources.files("react_lab") / "data" / "choice_cases.jsonl"
    return [Case(**json.loads(line)) for line in table.read_text("utf-8").splitlines()]
