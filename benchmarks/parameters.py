"""Parameters: how often the embedded model fills in a call of one, two, four and six parameters.

    python -m benchmarks.parameters

A common claim is that four to six parameters are too many. Twenty bookings are asked for, each in
four sizes: the question names exactly the values that the tool of this size takes. A call is
right if the first step calls the tool with every value as it was given.
"""

import random

from react_lab.evaluation import share, verdict
from react_lab.loop import Agent, step
from react_lab.models import EmbeddedModel
from react_lab.parser import Action
from react_lab.registry import Registry
from react_lab.trace import Run

SIZES = (1, 2, 4, 6)
PARTS = {  # each parameter, its words in the question, and values to draw from
    "restaurant": ("at {}", ["Luigi", "Tandem", "Osteria", "Kranich", "Belmond", "Fennel"]),
    "people": ("for {} people", ["2", "3", "4", "5", "6", "8", "9", "12"]),
    "day": ("on {}", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]),
    "time": ("at {}", ["17:30", "18:00", "18:45", "19:15", "20:00", "20:30"]),
    "place": ("on the {}", ["terrace", "balcony", "gallery", "first floor"]),
    "name": ("under the name {}", ["Adler", "Novak", "Ferrara", "Lindqvist", "Okafor", "Brandt"]),
}
N = 20


def tools_of(size: int) -> Registry:
    """Return a registry with the booking tool of one size."""
    names = list(PARTS)[:size]
    properties = {name: {"type": "string"} for name in names}
    tools = Registry()
    tools.register(
        lambda **given: "Booked.",
        name="book_table",
        description="Book a table in a restaurant. Use it when a table is asked for.",
        parameters={"type": "object", "properties": properties, "required": names},
        example=dict(zip(names, ("Orchid", "7", "Sunday", "12:15", "roof", "Vega"))),
    )
    return tools


def bookings(seed: int = 3) -> list[dict[str, str]]:
    """Return twenty bookings, drawn with a seed."""
    dice = random.Random(seed)
    return [{name: dice.choice(values) for name, (_, values) in PARTS.items()} for _ in range(N)]


def question_of(booking: dict[str, str], size: int) -> str:
    """Return the question that names the first `size` values of a booking."""
    words = [PARTS[name][0].format(booking[name]) for name in list(PARTS)[:size]]
    return f"Book a table {' '.join(words)}."


def is_right(booking: dict[str, str], size: int, agent: Agent) -> bool:
    """Return whether the first step makes the call as it was asked for."""
    move = step(Run(question_of(booking, size)), agent).steps[0].move
    wanted = {name: booking[name].lower() for name in list(PARTS)[:size]}
    if not isinstance(move, Action) or move.tool != "book_table":
        return False
    return {name: str(value).lower() for name, value in move.arguments.items()} == wanted


def main() -> None:
    model, found = EmbeddedModel(max_tokens=120), {}
    for size in SIZES:
        agent = Agent(model, tools_of(size))
        found[size] = [is_right(booking, size, agent) for booking in bookings()]
        print(f"{size} parameters: right {share(found[size])}", flush=True)
    for size in SIZES[1:]:
        print(f"{size} against 1: {verdict(found[size], found[1])}")


if __name__ == "__main__":
    main()
