"""Cases: what models wrote, as data, and how the parser reads it, in the same form.

>>> read("Final Answer: 4", {"calculator": ["expression"]})
{'type': 'final', 'answer': '4'}
>>> case = parser_cases()[0]
>>> case["id"], right(case)
('clean-json-weather', True)
"""

import json
from pathlib import Path

from react_lab.parser import Action, FinalAnswer, parse

PARSER_CASES = Path(__file__).parent / "data" / "parser_cases.jsonl"


def parser_cases() -> list[dict]:
    """The table of model outputs. Each has id, kind, text, tools, expect, why, source.

    `accept` holds further results that are as right. `ambiguous`: good engineers could differ.
    """
    return [json.loads(line) for line in PARSER_CASES.read_text("utf-8").splitlines()]


def read(text: str, tools: dict[str, list[str]]) -> dict:
    """How the parser reads a text. tools: the parameter names of each tool.

    Returns {"type": "action", "name", "args"}, {"type": "final", "answer"} or
    {"type": "invalid"}.
    """
    move = parse(text, tools)
    if isinstance(move, Action):
        return {"type": "action", "name": move.tool, "args": move.arguments}
    if isinstance(move, FinalAnswer):
        return {"type": "final", "answer": move.answer}
    return {"type": "invalid"}


def right(case: dict) -> bool:
    """Whether the parser gives what the case expects, or one of the results it accepts."""
    found = json.dumps(read(case["text"], case["tools"]), sort_keys=True)
    expected = [case["expect"], *case.get("accept", [])]
    return found in [json.dumps(one, sort_keys=True) for one in expected]
