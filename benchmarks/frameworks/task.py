"""What the three agents have in common: the task, the settings, and how a run is shown."""

import os
import re
from datetime import UTC, datetime
from importlib import metadata

from packaging.requirements import Requirement

from react_lab.prompt import native_system
from react_lab.toolkit import lab_tools

QUESTION = "What are the first multiples of 12?"
SYSTEM = native_system()
TOOLS = list(lab_tools(datetime(2026, 6, 1, 12, 0, tzinfo=UTC)))
ROUNDS = 8  # replies of the model at most


def settings() -> tuple[str, str, str]:
    """(address, key, model) from LLM_BASE_URL, LLM_API_KEY and LLM_MODEL.

    Raises SystemExit when there is no address: these scripts need an endpoint.
    """
    if not (address := os.environ.get("LLM_BASE_URL")):
        raise SystemExit("Set LLM_BASE_URL to an OpenAI-compatible endpoint, ending in /v1.")
    names = {"LLM_API_KEY": "none", "LLM_MODEL": "benchmark"}
    return (address, *(os.environ.get(name) or default for name, default in names.items()))


def show(calls: list[tuple[str, dict, str]], answer: str | None, replies: int, end: str) -> None:
    """Print a run. calls: (tool, arguments, result) each. end: why it stopped, "" if answered."""
    print("Question:", QUESTION)
    for tool, arguments, result in calls:
        print(f"Call:     {tool} {arguments} -> {result}")
    print("Answer:  ", answer)
    print("Replies: ", replies)
    if end:
        print("Stopped: ", end.splitlines()[0])


def show_packages(*roots: str) -> None:
    """Print the version of each package, and how many packages they need all together."""
    print("Made with", ", ".join(f"{name} {metadata.version(bare(name))}" for name in roots))
    print("Packages:", len(needed(roots)))


def needed(names: tuple[str, ...] | list[str]) -> set[str]:
    """The names of these packages and of all that they need on this machine, by their metadata."""
    found, waiting = set(), [Requirement(name) for name in names]
    while waiting:
        one = waiting.pop()
        here = (bare(one.name), *sorted(one.extras))
        if here in found:
            continue
        found.add(here)
        for text in metadata.requires(one.name) or ():
            inner = Requirement(text)
            extras = [{"extra": extra} for extra in ("", *one.extras)]
            if inner.marker is None or any(inner.marker.evaluate(extra) for extra in extras):
                waiting.append(inner)
    return {name for name, *_ in found}


def bare(name: str) -> str:
    """A package's name without extras, spelled as the index does: a_b[c] is a-b."""
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower()
