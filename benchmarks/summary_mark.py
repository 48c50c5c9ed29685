"""Summary mark: does it matter whether the mark of a shortened result comes first or last?

    python -m benchmarks.summary_mark

Twenty questions ask for the temperature in two cities. The first result is shortened, the second
is whole, and the embedded model makes its next move. A move is right if it answers with both.
"""

from react_lab.context import SUMMARY, join, split
from react_lab.evaluation import share, verdict
from react_lab.evaluation.values import place
from react_lab.loop import Agent, step
from react_lab.models import EmbeddedModel, Reply
from react_lab.parser import Action, FinalAnswer
from react_lab.registry import Observation
from react_lab.toolkit import WEATHER, get_weather, lab_tools
from react_lab.trace import Run, Step

CUT = 25


def shorten(first: bool):
    """Return a policy that shortens all but the last round, with the mark first or last."""

    def fit(messages: list[dict]) -> list[dict]:
        head, rounds = split(messages)
        old = []
        for spoken, result in rounds[:-1]:
            label, _, text = result["content"].partition(" ")
            kept = f"{SUMMARY} {text[:CUT]}" if first else f"{text[:CUT]} ... {SUMMARY}"
            old.append([spoken, {**result, "content": f"{label} {kept}"}])
        return join(head, old + rounds[-1:])

    return fit


def looked(city: str) -> Step:
    """Return a step that looked up a city's weather."""
    thought = f"Thought: I need the weather in {city}."
    text = f'{thought}\nAction: get_weather\nAction Input: {{"city": "{city}"}}'
    return Step(
        (), Reply(text), Action("", "get_weather", {"city": city}), Observation(get_weather(city))
    )


def is_right(pair: tuple[str, str], agent: Agent) -> bool:
    """Return whether the next move answers with both temperatures."""
    run = Run(f"How warm is it in {pair[0]} and in {pair[1]}?", tuple(map(looked, pair)))
    move = step(run, agent).steps[-1].move
    degrees = [str(WEATHER[city][1]) for city in pair]
    return isinstance(move, FinalAnswer) and all(
        place(one, move.answer) is not None for one in degrees
    )


def main() -> None:
    cities = list(WEATHER)[:21]
    pairs, model, found = list(zip(cities, cities[1:])), EmbeddedModel(max_tokens=120), {}
    for name, first in (("last", False), ("first", True)):
        agent = Agent(model, lab_tools(), fit=shorten(first))
        found[name] = [is_right(pair, agent) for pair in pairs]
        print(f"mark {name}: right {share(found[name])}", flush=True)
    print(f"first against last: {verdict(found['first'], found['last'])}")


if __name__ == "__main__":
    main()
