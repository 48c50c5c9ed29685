"""The questions can be answered with the values they call right, and `solved` is strict."""

import pytest

from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from training.questions import (
    UNSEEN,
    Outcome,
    call_figures,
    entities,
    load,
    outcome,
    says,
    shape,
    solved,
    tools_for,
    values,
)

ROWS = {row["id"]: row for part in ("dev", "test") for row in load(part)}


@pytest.fixture(params=ROWS)
def row(request):
    return ROWS[request.param]


def observe(row):
    """What the expected calls of a question really give, in order."""
    tools = tools_for(row)
    return [tools.call(call["tool"], call["arguments"]) for call in row["calls"]]


def alternatives(right):
    return [right] if isinstance(right, str) else right


# -- the sets


@pytest.mark.parametrize("part", ["dev", "test"])
def test_sixty_questions_a_quarter_of_them_with_tools_never_trained_on(part):
    rows = load(part)
    assert len(rows) == 60
    assert sum(row["unseen"] for row in rows) == 15
    names = {function.__name__ for function in UNSEEN[part]}
    for row in rows:
        assert row["unseen"] == any(call["tool"] in names for call in row["calls"]), row["id"]
    assert {c["tool"] for row in rows for c in row["calls"]} >= names, "a tool without a question"


def test_the_two_sets_share_nothing():
    assert len(ROWS) == 120
    assert not entities("dev") & entities("test")
    names = entities("dev") | entities("test")
    shapes = [{shape(row["question"], names) for row in load(part)} for part in ("dev", "test")]
    assert not shapes[0] & shapes[1]
    assert len(shapes[0]) == len(shapes[1]) == 60, "two questions of one set have one template"


def test_a_row_is_complete(row):
    assert row["question"].strip() and 1 <= len(row["tools"]) <= 12
    assert len(set(row["tools"])) == len(row["tools"])
    assert set(row["tools"]) >= {call["tool"] for call in row["calls"]}
    assert len(row["calls"]) <= 4
    assert bool(row["calls"]) == (row["kind"] != "no tool")
    # something must be asked of the answer
    assert row["right"] or row["kind"] in ("no tool", "nothing found", "tool error")


def test_tools_of_the_other_set_are_never_offered(row):
    other = "test" if row["id"].startswith("dev") else "dev"
    assert not {function.__name__ for function in UNSEEN[other]} & set(row["tools"])


# -- answerable


def test_the_expected_calls_give_the_right_values(row):
    seen = observe(row)
    text = "\n".join(o.text for o in seen)
    assert not any(o.error in ("unknown tool", "bad arguments") for o in seen)
    if row.get("flaky"):
        assert seen[0].error == "tool error" and not seen[-1].error
    elif row["kind"] not in ("nothing found", "tool error"):
        assert not any(o.error for o in seen), text
    wanted = text + ("\n" + row["question"] if "pick" in row else "")
    for right in row["right"]:
        assert any(says(wanted, value) for value in alternatives(right)), (right, text)
    for call, observation in zip(row["calls"], seen, strict=True):
        assert all(says(observation.text, value) for value in call.get("gives", []))
    assert all(says(text, value) for value in row.get("pick", {}).get("of", []))


def test_a_rival_is_never_right(row):
    rights = [value for right in row["right"] for value in alternatives(right)]
    assert not [v for v in rights for rival in row["rival"] if says(v, rival) or says(rival, v)]


def test_the_expected_calls_and_an_answer_of_right_values_solve_a_question(row):
    """Not all wording is tried here: the right values in a row, and the winner alone."""
    answer = ", ".join(alternatives(right)[0] for right in row["right"]) or "It is not known."
    tools = [call["tool"] for call in row["calls"]]
    run = Outcome(True, answer, [o.text for o in observe(row)], tools)
    assert solved(row, run)
    assert not solved(row, Outcome(False, run.answer, run.observations, run.tools))
    if row["kind"] != "no tool":
        assert not solved(row, Outcome(True, "It is 918273.", run.observations, tools))
        assert not solved(row, Outcome(True, answer, [], []))
    made = [(call["tool"], call["arguments"]) for call in row["calls"]]
    assert call_figures(row, made) == (True, True)


def test_the_clock_of_the_questions_stands_still():
    clock = tools_for({"tools": ["get_current_time"]})
    assert "08:40:00 on Tuesday 2026-05-19" in clock.call("get_current_time", {"city": "UTC"}).text


def test_a_real_run_is_judged():
    """The loop's own Run goes through `outcome`; what the program says is no observation."""
    row = {"kind": "one tool", "question": "What is 6*7?", "right": ["42"], "rival": []}
    replies = [
        "I do not know.",
        'Thought: I calculate.\nAction: calculator\nAction Input: {"expression": "6*7"}',
        "Thought: I now know the answer.\nFinal Answer: It is 42.",
    ]
    agent = Agent(ScriptedModel(replies), tools_for({"tools": ["calculator"]}))
    seen = outcome(agent.run(row["question"]))
    assert seen == Outcome(True, "It is 42.", ["42"], ["calculator"])
    assert solved(row, seen)


def test_calls_are_judged_by_what_they_give():
    call = {"tool": "calculator", "arguments": {"expression": "7**2"}}
    row = {"tools": ["calculator", "get_weather"], "calls": [call]}
    assert call_figures(row, [("calculator", {"expression": "7*7"})]) == (True, True)
    assert call_figures(row, [("calculator", {"expression": "7+7"})]) == (True, False)
    assert call_figures(row, [("get_weather", {"city": "Rome"})]) == (False, False)
    assert call_figures(row, []) == (False, False)


# -- solved, on rows written by hand

JARS = {"kind": "one tool", "question": "What is 365*24?", "right": ["8760"], "rival": ["8320"]}
WARM = {
    "kind": "two parts",
    "question": "Which is warmer, Turin or Cork?",
    "right": ["Turin"],
    "rival": [],
    "pick": {"words": ["warmer"], "this": "Turin", "others": ["Cork"], "of": ["24", "12"]},
}
BOTH = {
    "kind": "two parts",
    "question": "How warm are Turin and Cork?",
    "right": ["24", "12"],
    "rival": [],
    "pairs": [["Turin", "24"], ["Cork", "12"]],
}
LOST = {"kind": "nothing found", "question": "Who owns the boat?", "right": [], "rival": []}
CHAT = {"kind": "no tool", "question": "Hello!", "right": [], "rival": []}
CITIES = ["Turin: 24 °C", "Cork: 12 °C"]


def judge(row, answer, observations, tools=("some_tool",), finished=True):
    return solved(row, Outcome(finished, answer, list(observations), list(tools)))


def test_a_right_answer_from_an_observation_is_solved():
    assert judge(JARS, "365*24 is 8,760.", ["8760"])
    assert judge(JARS, "The result is 8760.0 hours", ["8760"])


@pytest.mark.parametrize(
    "answer, observations",
    [
        ("It is a lot.", ["8760"]),  # the value is missing
        ("It is 8760, not 8320.", ["8760"]),  # a rival value
        ("It is 8760, or 99 weeks.", ["8760"]),  # 99 stands nowhere
        ("It is 8760.", []),  # from memory
        ("It is 8760.", ["87600"]),  # seen only as part of another number
        ("It is -8760.", ["8760"]),  # a sign of its own
        (None, ["8760"]),
        ("", ["8760"]),
    ],
)
def test_anything_less_is_not(answer, observations):
    assert not judge(JARS, answer, observations)


def test_an_unfinished_run_is_not_solved():
    assert not judge(JARS, "365*24 is 8,760.", ["8760"], finished=False)


def test_a_question_without_tools_is_solved_without_tools():
    assert judge(CHAT, "Hello! How can I help?", [], tools=[])
    assert not judge(CHAT, "Hello!", ["3"], tools=["calculator"])


@pytest.mark.parametrize(
    "answer",
    [
        "Turin.",
        "Turin is warmer than Cork: 24 °C against 12.",
        "Cork has 12 °C and Turin 24 °C, so Turin is warmer.",
    ],
)
def test_a_comparison_names_the_right_one(answer):
    assert judge(WARM, answer, CITIES)
    assert not judge(WARM, answer, CITIES[:1])  # compared without looking at both


@pytest.mark.parametrize("answer", ["Cork.", "Cork is warmer than Turin.", "Neither is."])
def test_a_comparison_does_not_name_the_wrong_one(answer):
    assert not judge(WARM, answer, CITIES)


def test_two_values_must_not_be_swapped():
    assert judge(BOTH, "Turin has 24 °C, Cork 12 °C.", CITIES)
    assert judge(BOTH, "It is 12 °C in Cork and 24 °C in Turin.", CITIES)
    assert judge(BOTH, "24 and 12 degrees.", CITIES)
    assert not judge(BOTH, "Turin has 12 °C, Cork 24 °C.", CITIES)


@pytest.mark.parametrize(
    "answer",
    [
        "I could not find who owns the boat.",
        "It is not known.",
        "The handbook doesn't say that.",
        "No boat called Elsa is known.",
        "The handbook has no owner of the boat.",
        "No information found.",
    ],
)
def test_nothing_found_is_said_openly(answer):
    assert judge(LOST, answer, ["No passage found."])


def test_nothing_found_is_not_made_up_for():
    assert not judge(LOST, "Ms Novak owns the boat.", ["No passage found."])
    assert not judge(LOST, "The boat is not new, Ms Novak owns it.", ["No passage found."])


# -- values


@pytest.mark.parametrize(
    "text, wanted, there",
    [
        ("8,760 hours", "8760", True),
        ("12.0 °C", "12", True),
        ("1300", "30", False),
        ("it is −3°C", "-3", True),
        ("minus 3 degrees", "-3", True),
        ("it is 3°C", "-3", False),
        ("5-3", "-3", False),
        ("$18.25", "18.25", True),
        ("45%", "45", True),
        ("at 09:05", "9:05", True),
        ("at 14:05", "14", False),
        ("shelf k4.", "K4", True),
        ("shelf K44", "K4", False),
        ("K4", "4", False),
        ("the  Room 6", "room 6", True),
    ],
)
def test_a_value_is_found_as_a_whole(text, wanted, there):
    assert says(text, wanted) is there


def test_a_text_has_no_other_values_than_its_numbers_and_times():
    assert [str(v) for v in values("2 boxes, 1,250.5 g, at 07:30")] == ["2", "1250.5", "7:30"]
