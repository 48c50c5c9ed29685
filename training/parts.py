"""Parts: one call with all the words that are needed to talk about it, and the tools they need."""

import json
from dataclasses import dataclass

from react_lab.registry import Tool
from react_lab.toolkit import STOP_WORDS
from training import pools

OPENERS = set(
    "What How Which Who Whose Where When From In On To With By Until After For The A An Is Are Does Do Did At Under "
    "Compute Calculate Please Take Turn Find Raise Multiply Add Sum Double Half Average Each Three There We One It "
    "Members Late New You Guests Lost Between Up Pensioners Keys Bookings Complaints Membership Quiet Caravans To".split()
)
HOLDERS = {
    "PERSON": pools.person,
    "PLACE": pools.place,
    "PRODUCT": pools.product,
    "CODE": pools.code,
    "WORD": lambda rng: pools.place(rng).lower(),
    "TEAM": lambda rng: f"{pools.place(rng)} {rng.choice(('United', 'Rovers', 'Eagles', 'City'))}",
    "LANGUAGE": lambda rng: rng.choice(pools.LANGUAGES),
    "DAY": lambda rng: rng.choice(pools.DAYS),
    "MONTH": lambda rng: rng.choice(pools.MONTHS),
    "SUBJECT": lambda rng: rng.choice(pools.SUBJECTS),
    "JOB": lambda rng: rng.choice(pools.JOBS),
    "YEAR": lambda rng: str(rng.randint(1950, 2020)),
    "SMALL": lambda rng: str(rng.randint(2, 9)),
}


@dataclass
class Part:
    """One thing to find out with one call, and all the words that are needed to talk about it."""

    question: str  # "How high is Mount Kel"
    noun: str  # "the height of Mount Kel"
    tool: str
    arguments: dict
    seen: str  # what the tool answers
    value: str  # "812 m", as the answer says it
    says: str  # "the height of Mount Kel is 812 m"
    entity: str = ""
    number: str = ""  # "812" when it can be computed with
    unit: str = ""
    more: str = ""  # the comparative: "higher"
    thought: str = ""
    field: str = ""  # which field of a natural tool


@dataclass
class Kit:
    """A tool of an episode, and the function that draws Parts about it."""

    tool: Tool
    draw: object  # (rng, entity or None) -> Part
    kind: str
    holds: str = ""  # what kind of name its value is: PERSON, PLACE or nothing
    takes: str = ""  # what kind of thing it is asked about
    source: object = None  # what else it draws: a NaturalTool, or how a search shows its passages


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Upper case at the start, a full stop at the end."""
    text = text.strip()
    text = text[0].upper() + text[1:] if text else text
    return text if text.endswith((".", "!", "?")) else text + "."


def lowered(text: str) -> str:
    """Lower case at the start, unless a name stands there."""
    return text[0].lower() + text[1:] if text.split()[0].strip(",.?:") in OPENERS else text


def keywords(question: str) -> str:
    """The words of a question that a full-text search can use."""
    words = "".join(c for c in question.lower() if c.isalnum() or c in " -").split()
    return " ".join([w for w in words if w not in STOP_WORDS and len(w) > 1][:5])


def call_key(arguments: dict) -> str:
    return json.dumps(arguments, sort_keys=True)


def make_tool(rng, name: str, description: str, parameters: list[str], example: dict, abouts: dict | None = None) -> Tool:
    """A tool. abouts: what each parameter is, told in half of the prompts."""
    told = abouts if abouts and rng.random() < 0.5 else {}
    schema = {
        "type": "object",
        "properties": {p: {"type": "string"} | ({"description": told[p]} if told.get(p) else {}) for p in parameters},
        "required": parameters,
    }
    return Tool(name, description, schema, None, example if rng.random() < 0.85 else None)
