"""The rows of data/report_cases.jsonl: inputs from public reports, with the right value."""

import json
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "data" / "report_cases.jsonl"
REPORTS = {row["id"]: row for row in map(json.loads, FILE.read_text("utf-8").splitlines())}


def report(name: str) -> dict:
    """The row with this id. Raises KeyError if there is none."""
    return REPORTS[name]


def reports(*starts: str) -> list:
    """The rows whose ids start with one of these words, as parameters of a test."""
    found = [row for name, row in REPORTS.items() if name.startswith(starts)]
    return [pytest.param(row, id=row["id"]) for row in found]
