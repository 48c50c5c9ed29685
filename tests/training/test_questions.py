"""The questions can be answered with the values they call right, and `solved` is strict."""

import re

import pytest

from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.toolkit import WEATHER, ZONES, passages
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

PARTS = {"dev": 60, "dev300": 300, "test": 60}
PART = {row["id"]: part for part in PARTS for row in load(part)}
ROWS = {row["id"]: row for part in PARTS for row in load(part)}
KINDS = {  # in the 300; the old sets have a fifth of each
    "one tool": 75, "two parts": 66, "chain": 39, "documents": 30, "nothing found": 24,
    "no tool": 24, "sum": 21, "tool error": 21,
}  # fmt: skip


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


@pytest.mark.parametrize("part, unseen", [("dev", 15), ("dev300", 150), ("test", 15)])
def test_a_set_has_its_size_and_its_share_of_tools_never_trained_on(part, unseen):
    rows = load(part)
    assert len(rows) == PARTS[part]
    assert sum(row["unseen"] for row in rows) == unseen
    names = {function.__name__ for function in UNSEEN[part]}
    for row in rows:
        assert row["unseen"] == any(call["tool"] in names for call in row["calls"]), row["id"]
    assert {c["tool"] for row in rows for c in row["calls"]} >= names, "a tool without a question"


def test_the_sets_share_no_template_and_no_unseen_tool():
    assert len(ROWS) == sum(PARTS.values())
    names = set().union(*map(entities, PARTS))
    shapes = [shape(row["question"], names) for row in ROWS.values()]
    assert len(set(shapes)) == len(shapes), "two questions have one template"
    tools = [function.__name__ for part in PARTS for function in UNSEEN[part]]
    assert len(set(tools)) == len(tools)


def test_the_sets_share_no_name():
    """The 300 meet the old sets only in the lab's own cities and in its handbook."""
    assert not entities("dev") & entities("test")
    lab = "\n".join([*ZONES, *WEATHER, *(" ".join(passage) for passage in passages())]).lower()
    shared = entities("dev300") & (entities("dev") | entities("test"))
    assert [name for name in shared if not re.search(rf"\b{name}\b", lab)] == []


@pytest.mark.parametrize("first", [60, 100, 150, 200, 300])
def test_the_first_questions_of_the_300_are_a_fair_sample(first):
    rows = load("dev300")[:first]
    assert abs(sum(row["unseen"] for row in rows) - first / 2) <= 1
    for kind, of_300 in KINDS.items():
        assert abs(sum(row["kind"] == kind for row in rows) - first * of_300 / 300) <= 2, kind


def test_the_300_hold_the_questions_that_the_lab_suggests():
    """Those of notebook 00, and the one at which the old adapter failed in public."""
    asked = {row["question"] for row in load("dev300")}
    assert asked >= {
        "What is 17% of 2340, and is Oslo colder than Madrid?",
        "What time is it in Lima, and what is the weather in Paris?",
        "Is it raining in Helsinki?",
        "Which city is warmer, Oslo or Cairo?",
        "How much is 15% of 2,480?",
        "What does the handbook say about dogs?",
    }


def test_a_row_is_complete(row):
    assert row["question"].strip() and 1 <= len(row["tools"]) <= 12
    assert len(set(row["tools"])) == len(row["tools"])
    assert set(row["tools"]) >= {call["tool"] for call in row["calls"]}
    assert len(row["calls"]) <= 4
    assert bool(row["calls"]) == (row["kind"] != "no tool")
    # something must be asked of the answer
    assert row["right"] or row["kind"] in ("no tool", "nothing found", "tool error")


def test_tools_of_another_set_are_never_offered(row):
    others = [UNSEEN[part] for part in PARTS if part != PART[row["id"]]]
    assert not {function.__name__ for other in others for function in other} & set(row["tools"])


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


ADDED = {  # numbers of a calculation that are in words in a question, or need a thought
    "dev300-006": {"1.05"}, "dev300-018": {"16", "40", "60"}, "dev300-029": {"49"},
    "dev300-030": {"0.85"}, "dev300-045": {"21", "7.5"}, "dev300-051": {"3"},
    "dev300-053": {"4"}, "dev300-064": {"0.75", "1.25"}, "dev300-071": {"0.65"},
    "dev300-074": {"3"}, "dev300-079": {"60", "3600"}, "dev300-088": {"0.88"},
    "dev300-106": {"1.15"}, "dev300-141": {"38.5"}, "dev300-154": {"2", "7"},
    "dev300-180": {"0.7"}, "dev300-182": {"3"},
    "dev300-208": {"1000"}, "dev300-222": {"8", "9", "30", "60"}, "dev300-227": {"4"},
    "dev300-264": {"2"},
    "dev300-265": {"3.5"}, "dev300-270": {"1.04"}, "dev300-282": {"3"}, "dev300-291": {"0"},
}  # fmt: skip


@pytest.fixture(params=[row["id"] for row in load("dev300")])
def one_of_300(request):
    return ROWS[request.param]


def test_an_answer_without_one_of_the_parts_does_not_solve_it(one_of_300):
    row, seen = one_of_300, [o.text for o in observe(one_of_300)]
    tools = [call["tool"] for call in row["calls"]]
    said = [alternatives(right)[0] for right in row["right"]]
    assert solved(row, Outcome(True, ", ".join(said) or "It is not known.", seen, tools))
    for left_out in said:
        rest = ", ".join(one for one in said if one != left_out) or "I looked it up."
        assert not solved(row, Outcome(True, rest, seen, tools)), rest


def test_an_answer_with_a_rival_or_the_wrong_winner_does_not_solve_it(one_of_300):
    row, seen = one_of_300, [o.text for o in observe(one_of_300)]
    tools = [call["tool"] for call in row["calls"]]
    said = [alternatives(right)[0] for right in row["right"]]
    wrong = row["rival"] + [", ".join([*said, rival]) for rival in row["rival"]]
    if "pick" in row:
        wrong += [f"{other} is {row['pick']['words'][0]}." for other in row["pick"]["others"]]
    if row["kind"] == "no tool":
        assert not solved(row, Outcome(True, "Here it is.", ["3"], ["calculator"]))
    elif not row["right"]:
        wrong += ["It is in the second drawer.", "It is 7."]
    for answer in wrong:
        assert not solved(row, Outcome(True, answer, seen, tools)), answer


def test_what_is_calculated_comes_from_the_question_or_an_observation(one_of_300):
    row, known = one_of_300, values(one_of_300["question"])
    for call, seen in zip(row["calls"], observe(row), strict=True):
        if call["tool"] == "calculator":
            spaced = re.sub(r"([-+*/%()])", r" \1 ", call["arguments"]["expression"])
            strange = {str(v) for v in values(spaced) if v not in known}
            assert strange <= {"100"} | ADDED.get(row["id"], set()), row["question"]
            # nothing that was seen before the calculation is the right value by accident
            rights = [value for right in row["right"] for value in alternatives(right)]
            found = set(values(seen.text)) & {v for right in rights for v in values(right)}
            assert seen.error or not found & set(known) or row.get("flaky"), row["question"]
        known = known + values(seen.text)


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
