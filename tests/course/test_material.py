"""The course shows what it promises: faults that everybody makes, and questions still open.

A row names an item, a notebook, and texts. One stored output of that notebook must hold all of
them: what a cell says about a fault is not enough, a cell has to run into it. Rows of open
questions name every view, so that no view is left out.
"""

import json
import runpy
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEDGER = runpy.run_path(str(ROOT / "docs" / "claims.py"))

FAULTS = [
    # 1. Cleaning deletes every **, so that a power becomes another number. Right: labels only.
    (1, "04", ["""parse_a   'calculator {"expression": "210"}'\n   the lab"""]),
    (1, "04", ["""the lab   'calculator {"expression": "2**10"}'"""]),
    # 2. The answer behind a forged Observation is believed. Right: cut, then run the first call.
    (2, "04", [f"parse_{one}   'Final Answer: It is 41.'" for one in "abcd"]),
    (2, "01", ["Repaired:     invented Observation dropped\n  Observation:  Rome: 27 °C"]),
    # 3. An input that runs to the end swallows the Observation; cut-off JSON runs as raw text.
    (3, "04", [r"Oslo\\nObservation: 4 °C", r"""'get_weather {"city": "{\\"city\\": \\"Os"}'"""]),
    # 4. A pattern that needs a line end; JSON over several lines is cut.
    (4, "04", ["parse_b   'Final Answer: Thought: x"]),
    (4, "04", ["parse_b   'Final Answer: Thought: x", "parse_d   'get_weather {}'"]),
    # 5. Any "Final Answer:" wins, even inside a thought.
    (5, "04", [f"parse_{one}   'Final Answer: yet" for one in "bc"]),
    # 6. What cannot be read is returned as the answer.
    (6, "04", [r"parse_b   'Final Answer: ### Action: get_weather"]),
    # 7. The first closing brace ends the input, {} is passed, and the tool raises.
    (7, "04", ["parse_c   'get_weather {}'"]),
    # 8. \w+ cuts a name at its hyphen; \s* crosses a line end.
    (8, "04", ["""parse_c   'get {"city": "Oslo"}'""", """parse_a   'Action Input: Oslo"""]),
    # 9. The model's own words never enter the history.
    (9, "05", ["in degrees Fahrenheit?\nuser: Observation: Berlin", "\nuser: Observation: 69.8"]),
    (9, "05", ["Claim: a history without the model's own words costs solved questions"]),
    # 10. The call is not guarded: 1/0 ends the program.
    (10, "05", ["ValueError: Division by zero has no result."]),
    # 11. The prompt gives no parameter names, yet its example knows one.
    (11, "03", ['search_docs       the prompt lacks "query"', "weather       the prompt lacks no"]),
    # 12. An exact key: one question mark more, and nothing is found.
    (12, "02", ["KeyError: 'Long Attic?'"]),
    # 13. A TypeError inside runs the tool twice; wrong names become lies.
    (13, "02", ["""Lent: ['Winter Bees', '{"title": "Winter Bees"}']"""]),
    (13, "02", ["""{"town": "Millgate"}: open until 18:00 today"""]),
    # 14. eval; a filter lets a power through that hangs; literal_eval cannot multiply.
    (14, "02", ["Passes the filter: True", "literal_eval: malformed node", "365*24        8760"]),
    (14, "10", ["2. no end after 3 seconds", "3. ValueError: malformed node or string"]),
    (14, "10", ["open('diary.txt').read()\n   eval:       I am afraid of wasps."]),
    # 15. Limits in the text only; "limit reached" as an answer; warnings without end; polling.
    (15, "05", ["a rule in the prompt:", "a brake in the code:"]),
    (15, "05", ["69.8 degrees Fahrenheit.\nThe limit was reached."]),
    (15, "05", ["Only warned: 10 warnings in 12 rounds."]),
    (15, "05", ["asking for news  3                2                3"]),
    # 16. Three cities are no circle, and three searches with other words are none.
    (16, "05", ["four cities      3  ", "four searches    3  "]),
    (16, "05", ["four cities      -", "four searches    -", "the same again   4"]),
    # 17. The native loop without system prompt, repeat check or look at finish_reason.
    (17, "06", ["it sends first       \"['user']\"", "always one call      raises RuntimeError"]),
    (17, "06", ["nothing              ''", "half an answer       'It is 16 °C, and the wind'"]),
    # 18. A clock that answers for any city.
    (18, "02", ["It is 12:00 in Lima.\nIt is 12:00 in Atlantis."]),
    # 19. Nine lines with four faults.
    (19, "01", ["1 Question: Which weekday is it", "9 Final Answer: The Unix time % 7 is 2."]),
    (19, "01", ["2 Thought: The Unix time is 1736922622", "8 Thought: No data was made up"]),
    (19, "01", ["line 6: yes, a fault.", "Found 1 of 4. Ask of each line:"]),
    (19, "01", ["1736922622 % 7 = 1"]),
    # 20. A tool that is registered and not listed.
    (20, "02", ["house  the prompt lacks - house:"]),
    (20, "07", ["Tools that the prompt does not name: ['plan']"]),
]  # fmt: skip

OPEN = [
    ("role of the Observation", "05", ["--- as_own_words", "\nsystem: Observation: Berlin"]),
    ("role of the Observation", "05", ["Observation in the system role", "forged, assistant role"]),
    ("role of the Observation", "03", ["messages with roles: stop:", "one growing text: stop:"]),
    ("call and answer together", "90", ["last_counts  ", "answer_counts  "]),
    ("call and answer together", "90", ["last_counts+cut ", "answer_counts+cut "]),
    ("unreadable reply", "90", ["1. to the model: Observation: I", "2. to the model: I could not"]),
    ("unreadable reply", "90", ["Claim: to return an unreadable reply does more harm than to say"]),
    ("unreadable JSON", "90", ["raw_text  ", "empty_object  ", "refuse  ", "read_input  "]),
    ("shape of the input", "90", ["Figure: wrong: flat ", ", nested ", ", a|b "]),
    ("shape of the input", "04", ["{'city': 'Oslo'}  bare input read"]),
    ("patterns, JSON or native", "90", ["strict JSON 13/26", "repaired JSON 25/26"]),
    ("patterns, JSON or native", "90", ["text  ", "native  ", "hybrid  ", "text + grammar  "]),
    ("patterns, JSON or native", "06", ['{"response_format": {"type": "json_schema"']),
    ("repeats", "05", ["three_of_a_name  two_in_a_row     three_in_all"]),
    ("repeats", "05", ["3 get_weather | You already called", "repeats | Not finished: repeats."]),
    ("where errors are caught", "02", ["KeyError: 'Long Attic?'"]),
    ("where errors are caught", "02", ["still raised: house_careful() missing 1 required"]),
    ("where errors are caught", "02", ["TypeError: house() missing 1 required"]),
    ("how many rounds", "05", ["Solved by step limit", "limit 1: ", "limit 8: "]),
    ("temperature", "03", ["  0.0: ", "  0.3: ", "with {} is sent: {'model': 'your-model', 'mess"]),
    ("at the limit", "05", ["a message:  ", "the current state:", "a last answer:"]),
    ("old rounds", "08", ["--- RuleSummary", "--- Conclusions"]),
    ("old rounds", "08", ["\nkeep  ", "\nlist  ", "\nconclude ", "| right "]),
    ("not sure", "03", ["Rule: Look up what you do not know for certain."]),
    ("not sure", "03", ["Rule: If no tool can help, say so", "Final Answer: I could not find"]),
    ("size of tools", "90", ["Claim: splitting a wide tool gains 20 points"]),
    ("size of tools", "90", ["record 4701\nshelf 31\nshelf 5"]),
    ("whom to suspect first", "07", ["the switches: {", "'weights': 1"]),
]  # fmt: skip

SUSPECTS = [  # in the order of what a look costs
    "--- ended with: ",
    "Tools that the prompt does not name:",
    "By hand, the same words: True",
    "This reply is read as: ",
]


@cache
def outputs(number: str) -> list[str]:
    """What each cell of a notebook has shown, as text; an error with its name."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    return [
        "\n".join(map(as_text, cell.get("outputs", ())))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]


def as_text(output: dict) -> str:
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


@pytest.mark.parametrize("item, notebook, texts", FAULTS + OPEN)
def test_a_stored_output_shows_it(item, notebook, texts):
    shows = [all(text in shown for text in texts) for shown in outputs(notebook)]
    assert any(shows), f"no cell of notebook {notebook} has an output with {texts}"


def test_no_fault_and_no_open_question_is_left_out():
    assert {number for number, *_ in FAULTS} == set(range(1, 21))
    assert len({question for question, *_ in OPEN}) == 15


def test_suspects_are_looked_at_in_the_order_of_their_cost():
    shown = outputs("07")
    places = [next(n for n, text in enumerate(shown) if sign in text) for sign in SUSPECTS]
    assert places == sorted(places) and len(set(places)) == len(SUSPECTS)


def test_each_of_the_fifteen_common_claims_was_measured_where_the_ledger_says():
    assert len(LEDGER["COMMON"]) == 15
    for claim, where in LEDGER["COMMON"].items():
        printed = LEDGER["claims"](ROOT / "notebooks" / f"{where}.ipynb")
        assert any(one.claim.startswith(claim) for one in printed), claim


def test_the_second_exercise_asks_for_the_same_call_with_the_same_result():
    """An exercise has no output until it is solved, so its task is read."""
    (path,) = (ROOT / "notebooks").glob("13_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    (task,) = ["".join(cell["source"]) for cell in cells if "## 2. " in "".join(cell["source"])]
    for words in ("three times in a row", "same tool **and** the same input", "polling"):
        assert words in task
