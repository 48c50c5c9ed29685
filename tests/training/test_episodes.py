"""Episodes: played by the real loop, true to what was observed, apart from the questions."""

import itertools
import re

import pytest

from react_lab.parser import Action, FinalAnswer, parse
from training import episodes
from training.questions import entities, load, shape


@pytest.fixture(scope="module")
def drawn():
    return list(itertools.islice(episodes.groups(7), 800))


def texts(drawn):
    """(the question, all messages) of each episode in the text format with thoughts."""
    for group in drawn:
        if "Thought: what you need next" in group["system"]:
            for messages in group["episodes"]:
                yield messages[0]["content"].removeprefix("Question: "), messages


def test_the_same_seed_draws_the_same_episodes():
    first, second = (list(itertools.islice(episodes.groups(3), 3)) for _ in range(2))
    assert first == second
    assert first != list(itertools.islice(episodes.groups(4), 3))


def test_every_trained_reply_parses_into_the_move_it_was_written_as(drawn):
    for group in drawn:
        if "<tools>" in group["system"]:
            continue
        tools = dict.fromkeys(re.findall(r"^- (\S+): ", group["system"], re.M), ["input"])
        for messages in group["episodes"]:
            trained = [m["content"] for m in messages if m.get("train")]
            moves = [parse(text, tools) for text in trained]
            assert all(isinstance(move, Action) and move.tool in tools for move in moves[:-1])
            assert isinstance(moves[-1], FinalAnswer)
            assert all(move.repairs == () for move in moves)


def test_an_answer_says_only_what_was_asked_or_observed(drawn):
    checked = 0
    for question, messages in texts(drawn):
        seen = [m["content"] for m in messages if m["content"].startswith("Observation: ")]
        if not seen:
            continue
        known = set(re.findall(r"\d+", "\n".join([question, *seen])))
        answer = parse(messages[-1]["content"], {}).answer
        said = set(re.findall(r"\d+", answer)) - {"0", "2"}  # "by zero", "after two years"
        assert said <= known, (question, seen, answer)
        checked += 1
    assert checked > 500


@pytest.mark.parametrize("part", ["dev", "dev300", "test"])
def test_no_name_or_template_of_the_questions_is_trained(drawn, part):
    names = entities(part)
    asked = {question for question, _ in texts(drawn)}
    everything = "\n".join(asked).lower()
    shared = [n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", everything)]
    assert shared == []
    trained = {shape(question) for question in asked}
    assert trained & {shape(row["question"], names) for row in load(part)} == set()


def test_no_unseen_tool_is_trained(drawn):
    tools = {name for group in drawn for name in re.findall(r"^- (\S+): ", group["system"], re.M)}
    assert len(tools) > 600, "the model should read descriptions, not remember names"
    assert tools & (entities("dev") | entities("dev300") | entities("test")) == set()


def test_what_is_trained_covers_what_a_run_can_meet(drawn):
    told = "\n".join(m["content"] for _, messages in texts(drawn) for m in messages)
    for sign in (
        "I could not read your reply", "There is no tool named", "Wrong input.", "Error: ",
        "You already called", "[cut: ", "This was the last step.", "A person did not allow",
    ):  # fmt: skip
        assert sign in told, sign
    counts = {len(re.findall(r"^- (\S+): ", group["system"], re.M)) for group in drawn}
    assert {1, 2, 3, 4, 5, 6, 7, 8} <= counts
    assert any("<tools>" in group["system"] for group in drawn)
    assert any("Thought: what you need next" not in group["system"] for group in drawn)
    assert any("Example:" in group["system"] for group in drawn)
