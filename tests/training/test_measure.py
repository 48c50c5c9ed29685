"""The measurement continues after a stop, asks a fair sample, and compares in pairs."""

import json

import pytest

from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from training import measure, questions


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """The ids that were asked, by a scripted model that answers 'hello' at once."""
    ids = []

    def ask(row, variant):
        ids.append(row["id"])
        model = ScriptedModel(["Thought: a greeting.\nFinal Answer: Hello!"])
        return Agent(model, questions.tools_for(row)).run(row["question"])

    monkeypatch.setattr(measure, "ask", ask)
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    return ids


def entry(number, solved, kind="chain", unseen=False):
    return {"id": f"q-{number}", "kind": kind, "unseen": unseen, "solved": solved}


def results(*solved):
    return {f"q-{n}": entry(n, one) for n, one in enumerate(solved)}


def test_a_limit_asks_the_first_questions_and_a_later_call_only_the_rest(asked, capsys):
    first = measure.measure("dev300", "base, zero-shot", limit=10)
    rows = questions.load("dev300")
    assert asked == [row["id"] for row in rows[:10]]
    # only a question without a tool is solved by a greeting
    assert [e["solved"] for e in first] == [row["kind"] == "no tool" for row in rows[:10]]
    assert "10 of 10 asked" in capsys.readouterr().out
    again = measure.measure("dev300", "base, zero-shot", limit=12)
    assert asked == [row["id"] for row in rows[:12]]
    assert again[:10] == first and len(again) == 12
    assert measure.measure("dev300", "base, zero-shot", limit=5) == first[:5]
    assert len(asked) == 12


def test_a_line_that_was_cut_off_is_asked_again(asked, tmp_path):
    whole = measure.measure("dev300", "base, zero-shot", limit=3)
    [path] = tmp_path.iterdir()
    path.write_text(path.read_text()[:-20])
    assert measure.measure("dev300", "base, zero-shot", limit=3) == whole
    assert asked[3:] == asked[2:3]
    assert [json.loads(line) for line in path.read_text().splitlines()] == whole


@pytest.mark.parametrize(
    "wins, losses, chance",
    # two-sided binomial probabilities, counted by hand: 2 * (1 + 12 + 66) / 4096 for 10 to 2
    [(0, 0, 1), (3, 3, 1), (5, 0, 2 / 32), (10, 2, 158 / 4096), (2, 10, 158 / 4096)],
)
def test_the_sign_test_counts_how_often_chance_does_it(wins, losses, chance):
    assert measure.sign_test(wins, losses) == pytest.approx(chance)


def test_two_results_are_compared_question_by_question():
    new = results(True, True, False, True) | {"q-9": entry(9, True, "sum", unseen=True)}
    old = results(False, True, True, False) | {"q-8": entry(8, True)}
    lines = [line.split() for line in measure.compare(new, old).splitlines()]
    assert ["all", "2", "1", "1", "0", "75%", "50%"] in lines
    assert ["chain", "2", "1", "1", "0", "75%", "50%"] in lines
    assert not any(line[0] == "sum" for line in lines)  # in one of the files only
    assert lines[-1] == "sign test, 4 pairs: 2 to 1, p = 1.000: cannot tell".split()


def test_six_wins_without_a_loss_are_better_and_the_reverse_is_worse():
    new, old = results(*[True] * 6), results(*[False] * 6)
    assert measure.compare(new, old).endswith("6 to 0, p = 0.031: better")
    assert measure.compare(old, new).endswith("0 to 6, p = 0.031: worse")


def test_results_of_different_sets_are_not_compared():
    with pytest.raises(ValueError, match="share no question"):
        measure.compare(results(True), {"dev-01": entry(1, True)})


def test_the_help_names_the_three_sets(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["measure", "--help"])
    with pytest.raises(SystemExit):
        measure.main()
    assert "{dev,dev300,test}" in capsys.readouterr().out
