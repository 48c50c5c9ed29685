"""The adapter that ships: the one on the card, for the prompt of today, and it works."""

import hashlib
import json
import os

import pytest

from react_lab.loop import Agent
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.recording import ask_again
from react_lab.models.weights import DATA
from react_lab.parser import Malformed
from training import questions
from training.card import prompt_sha256

CARD = json.loads((DATA / "adapter.json").read_text(encoding="utf-8"))


def test_the_adapter_is_the_one_on_its_card_and_small():
    adapter = (DATA / "react.gguf").read_bytes()
    assert hashlib.sha256(adapter).hexdigest() == CARD["sha256"]
    assert len(adapter) <= 6_000_000


def test_the_prompt_is_the_one_the_adapter_was_trained_on():
    assert prompt_sha256() == CARD["prompt_sha256"], (
        "The English prompt or messages changed since the adapter was trained: retrain "
        "(training/README.md) or revert."
    )


def test_the_card_for_people_names_the_same_training():
    card = (DATA / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert CARD["sha256"] in card and CARD["prompt_sha256"] in card
    assert f"{CARD['episodes']:,} episodes" in card and f"{CARD['tokens']:,} tokens" in card


FIXED = [  # question, what the answer must hold: from the tables and the handbook
    ("How many days do customers have to ask for a refund, and how many hours is that?", ["720"]),
    ("What is 365*24?", ["8760"]),
    ("What is the weather in Tokyo?", ["24"]),
    ("What time is it in Kathmandu?", ["14:25"]),  # 08:40 UTC and 5:45 hours
    ("Which city is warmer, Tokyo or Lima?", ["Tokyo"]),
]


def test_the_live_model_solves_at_least_three_fixed_questions():
    row = {"tools": ["calculator", "get_current_time", "get_weather", "search_docs"]}
    solved, replies = 0, []
    for question, right in FIXED:
        run = Agent(EmbeddedModel(), questions.tools_for(row)).run(question)
        solved += run.finished and all(questions.says(run.answer, value) for value in right)
        replies += run.steps
    assert solved >= 3
    unreadable = [step for step in replies if isinstance(step.move, Malformed)]
    assert len(unreadable) <= 1


@pytest.mark.more
def test_the_live_model_says_again_what_was_recorded(seed):
    """REACT_LAB_AGAIN is how many recorded entries are asked again."""
    count = int(os.environ.get("REACT_LAB_AGAIN", "8"))
    again = ask_again(count, seed)
    assert len(again) == count
    assert [a.start for a in again if a.live != a.recorded] == []
