"""Whole: hand-written episodes of several steps, with their own tools and drawn figures.

A row of `phrases/episodes_*.jsonl` holds a question, its tools and every step. Slots such as {a}
are drawn, {=a*40/100} is worked out by the calculator. `script` checks what can be checked by
program: every number of the answer was asked or observed.
"""

import json
import random
import re
from dataclasses import dataclass

from react_lab.registry import Tool
from react_lab.toolkit import calculator
from training.natural import HERE, drawn
from training.scenarios import Script

NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Episode:
    """One row with its figures drawn."""

    script: Script
    tools: tuple[Tool, ...]


def rows() -> list[dict]:
    """All rows of all files of whole episodes."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(HERE.glob("episodes_*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines() if line.strip()]


def put(value, values: dict):
    """A text, or every text inside a value, with its slots filled and terms worked out."""
    if isinstance(value, dict):
        return {put(key, values): put(entry, values) for key, entry in value.items()}
    if isinstance(value, list):
        return [put(entry, values) for entry in value]
    if not isinstance(value, str):
        return value

    def term(match: re.Match) -> str:
        text = re.sub(r"[A-Za-z_]\w*", lambda name: values.get(name[0], name[0]), match[1])
        return calculator(text)

    text = re.sub(r"\{=([^{}]+)\}", term, value)
    for slot, drawn_value in values.items():
        text = text.replace("{" + slot + "}", drawn_value)
    return text


def tool_of(entry: dict, example: dict | None) -> Tool:
    """A tool as a row lists it."""
    properties = {}
    for name, about in (entry.get("parameters") or {}).items():
        properties[name] = {"type": "string"} | ({"description": about} if about else {})
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(entry["name"], entry["description"], schema, None, example)


def episode(rng: random.Random, row: dict, plan: bool = True) -> Episode | None:
    """A row with its figures drawn, or None where they do not work out."""
    values = {slot: drawn(rng, str(form)) for slot, form in row.get("draws", {}).items()}
    try:
        filled = {key: put(row[key], values) for key in ("question", "steps", "final", "answer", "tools")}
    except ValueError:
        return None
    script = Script(filled["question"])
    for number, step in enumerate(filled["steps"]):
        thought = step["thought"]
        if not plan:
            thought = f"{'Now' if number else 'I need'} {step['need']}."
        result = step["result"]
        if step.get("error") or result.startswith("Error: "):
            result = RuntimeError(result.removeprefix("Error: "))
        script.call(thought, step["tool"], step["input"], result)
    script.answer(filled["final"] if plan else "I know the answer.", filled["answer"])
    known = " ".join([filled["question"], *(str(step["result"]) for step in filled["steps"])])
    seen = set(NUMBER.findall(known.replace(",", ""))) | {"1", "2", "3"}
    said = NUMBER.findall(filled["answer"].replace(",", ""))
    if not all(number in seen for number in said) or "{" in filled["answer"] + filled["question"]:
        return None
    used = {step["tool"] for step in filled["steps"]}
    if not used <= {tool["name"] for tool in filled["tools"]}:
        return None
    tools = tuple(tool_of(entry, None) for entry in filled["tools"])
    return Episode(script, tools)


def works(row: dict) -> bool:
    """Whether a row works out in one of 20 draws."""
    return any(episode(random.Random(seed), row) for seed in range(20))


ROWS = rows()
