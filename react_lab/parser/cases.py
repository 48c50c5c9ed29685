"""Cases: replies of models as data, and how the parser reads them.

>>> read("Final Answer: 4", {"calculator": ["expression"]})
{'type': 'final', 'answer': '4'}
>>> case = parser_cases()[0]
>>> case["id"], right(case)
('clean-json-weather', True)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from react_lab.parser.moves import Action, FinalAnswer, Move
from react_lab.parser.parse import parse

Parser = Callable[[str, dict[str, list[str]]], Move]
PARSER_CASES = Path(__file__).parents[1] / "data" / "parser_cases.jsonl"


def parser_cases() -> list[dict[str, Any]]:
    """Return the table of model outputs.

    Each row has id, kind, text, tools, expect, why and source. `accept` holds further results
    that are equally right. `ambiguous` marks rows on which good engineers could differ.
    """
    return [json.loads(line) for line in PARSER_CASES.read_text("utf-8").splitlines()]


def as_result(move: Move) -> dict[str, Any]:
    """Return a move as the table writes it, without thought, reason and repairs.

    Returns:
        {"type": "action", "name", "args"}, {"type": "final", "answer"} or {"type": "invalid"}.
    """
    if isinstance(move, Action):
        return {"type": "action", "name": move.tool, "args": move.arguments}
    if isinstance(move, FinalAnswer):
        return {"type": "final", "answer": move.answer}
    return {"type": "invalid"}


def read(text: str, tools: dict[str, list[str]]) -> dict[str, Any]:
    """Parse a text and return `as_result`. tools: the parameter names of each tool."""
    return as_result(parse(text, tools))


def outcome(parser: Parser, case: dict[str, Any]) -> str:
    """Judge a parser on a case: "right", "wrong action", "false final" or "missed".

    A result is right if the case expects or accepts it. It is missed if the text has a call or an
    answer that the parser cannot read.
    """
    found = as_result(parser(case["text"], case["tools"]))
    wanted = [json.dumps(one, sort_keys=True) for one in [case["expect"], *case.get("accept", [])]]
    if json.dumps(found, sort_keys=True) in wanted:  # as JSON, where True is not 1
        return "right"
    return {"action": "wrong action", "final": "false final", "invalid": "missed"}[found["type"]]


def right(case: dict[str, Any]) -> bool:
    """Return whether the lab's parser reads a case correctly."""
    return outcome(parse, case) == "right"
