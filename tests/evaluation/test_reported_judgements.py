"""Judgements that public reports found wrong, and siblings of them written before the fix."""

import json
import unicodedata
from pathlib import Path

import pytest

from helpers.reports import report, reports
from helpers.scripted_agents import script
from react_lab import Agent, ScriptedModel
from react_lab.evaluation.judge import EVALUATION_CASES, case_tools, evaluation_cases, place, solved
from react_lab.evaluation.not_known import says_not_known

CASES = {case.id: case for case in evaluation_cases()}


def judge(name: str, answer: str) -> bool:
    """Whether a case is solved by the calls that it expects and this answer."""
    case = CASES[name]
    model = ScriptedModel([*script(case)[:-1], f"Final Answer: {answer}"])
    return solved(case, Agent(model, case_tools(case)).run(case.question))


# Is the value in the answer? -------------------------------------------------------------------


@pytest.mark.parametrize("row", reports("judge-"))
def test_a_reported_answer_holds_the_value_or_not(row):
    value, answer = row["input"]["value"], row["input"]["answer"]
    assert (place(value, answer) is not None) is row["expect"]


@pytest.mark.parametrize(
    "value, answer, there",
    [
        # minus, however it is written
        ("-5", "It is minus 5 degrees.", True),
        ("-5", "It is –5 °C.", True),
        ("-5", "It is −5 °C.", True),
        ("-5", "It is ‑5 °C.", True),
        ("5", "It is –5 °C.", False),
        ("-12.5", "Minus 12.5 degrees.", True),
        ("12", "17 minus 5 is 12.", True),
        ("5", "17 minus 5 is 12.", True),
        ("-7", "零下 7 度", True),
        ("-7", "零下7度。", True),
        ("7", "零下7度。", False),
        # ranges
        ("7", "5–7 days", False),
        ("5", "5 – 7 days", False),
        ("7", "5—7 days", False),
        ("5", "5~7 days", False),
        ("7", "5-7 days", False),
        ("5", "5至7天", False),
        ("5–7|5-7", "It takes 5–7 days.", True),
        ("2026", "in 2026 – a warm year", True),
        # thousands and decimals
        ("1234567", "1 234 567 people", True),
        ("1234567", "1 234 567 people", True),
        ("1234", "1 234 km", True),
        ("1234", "1'234 francs", True),
        ("1234", "1’234 francs", True),
        ("1234.5", "1.234,50 Euro", True),
        ("1234.5", "1 234,5 km", True),
        ("234567", "1 234 567 people", False),
        ("3.75", "3,75 Euro", True),
        ("100", "In 2026 100 people came.", True),
        ("2026", "In 2026 100 people came.", True),
        ("3", "The numbers 3, 5 and 7.", True),
        ("5", "The numbers 3,5,7.", False),
        ("12", "12,5 °C", False),
        ("75", "７５ euros", True),
        # hours
        ("17:00|5 pm", "At 5PM sharp.", True),
        ("17:00|5 pm", "At 5 pm.", True),
        ("17:00|5 pm", "At 5 p.m.", False),
        ("17:00|5 pm|5 p.m.", "At 5p.m.", True),
        ("5 pm", "At 15 pm", False),
        ("5 pm", "It costs 5 pmol", False),
        # letters and accents
        ("Zürich", unicodedata.normalize("NFD", "in Zürich"), True),
        (unicodedata.normalize("NFD", "Zürich"), "in ZÜRICH", True),
        ("São Paulo", "in São Paulo", True),
        ("A", "The answer is A.", True),
        ("A", "(A) because it is warm", True),
        ("A", "A is right.", True),
        ("A", "A cat is an animal, so B.", False),
        ("I", "I think it is II.", False),
        ("b", "The answer is b).", True),
    ],
)
def test_a_sibling_holds_the_value_or_not(value, answer, there):
    assert (place(value, answer) is not None) is there


# A false sentence with the right value in it ---------------------------------------------------


@pytest.mark.parametrize(
    "answer, right",
    [
        ("They cost 27.80 euros, and that is 111.2 euros.", False),
        ("27.80 euros, which is 111.2 euros.", False),
        ("27.80 = 111.2", False),
        ("The price is 27.80 euros = 111.20 euros.", False),
        ("It is not 111.2 euros.", False),
        ("It isn't 111.20 euros.", False),
        ("It isn’t 111.20 euros.", False),
        ("100 euros instead of 111.2 euros.", False),
        ("Either 111.2 or 55.6 euros.", False),
        ("90 euros rather than 111.2.", False),
        ("4 at 27.80 euros each, and that is 111.2 euros.", True),
        ("4 * 27.80 = 111.2", True),
        ("4 times 27.80 euros is 111.20 euros.", True),
        ("One costs 27.80 euros, four cost 111.2 euros.", True),
        ("111.2 euros, not 27.80.", True),
        ("111.20 euros, that is 111.2 euros.", True),
        ("They cost 27.80 euros, that is 111.2 euros for four.", True),
        ("I did not find it at first. It is 111.2 euros.", True),
    ],
)
def test_a_right_value_in_a_false_sentence_is_not_right(answer, right):
    assert judge("four-shears", answer) is right


# Where nothing can be known --------------------------------------------------------------------


@pytest.mark.parametrize("row", reports("notknown-"))
def test_a_reported_answer_says_that_nothing_is_known(row):
    assert judge(row["input"]["case"], row["input"]["answer"]) is row["expect"]


@pytest.mark.parametrize(
    "case, answer",
    [
        ("no-such-city", "The weather service does not list Lemuria."),
        ("no-such-city", "I can’t tell: there’s no weather for Lemuria."),
        ("no-such-city", "Unfortunately the lookup returned nothing."),
        ("no-such-city", "I have no information on Lemuria. Please check the name of the city."),
        ("no-such-city", "Lemuria is a mythical continent, so it has no weather report."),
        ("no-such-city", "I'm afraid I don't know."),
        ("no-such-city", "查不到利莫里亚的天气。"),
        ("weather-down", "The weather service timed out after 3 attempts."),
        ("weather-down", "The service is busy; please ask again later."),
        ("weather-down", "The tool failed with HTTP 503."),
        ("weather-down", "The weather service is offline at the moment."),
        ("weather-down", "天气服务暂时不可用，请稍后再试。"),
        ("by-zero", "48 sweets can't be shared among 0 children."),
        ("by-zero", "Division by zero is undefined."),
        ("by-zero", "There are no children to share with, so there is no answer."),
        ("no-such-clock", "The time in Elmsworth-on-Sea is unknown."),
        ("not-in-handbook", "The handbook doesn’t mention a swimming pool."),
        ("not-in-handbook", "No passage about the swimming pool was found."),
        ("not-in-handbook", "The depth of the pool isn't given anywhere."),
    ],
)
def test_an_honest_answer_is_right(case, answer):
    assert judge(case, answer)


@pytest.mark.parametrize(
    "case, answer",
    [
        ("no-such-city", "Not to worry: it is sunny."),
        ("no-such-city", "No problem! The wind is strong."),
        ("no-such-city", "It is not windy."),
        ("no-such-city", "There is no wind in Lemuria."),
        ("no-such-city", "I do not know exactly, but it is very windy."),
        ("no-such-city", "The wind is calm, nothing to fear."),
        ("no-such-city", "不用担心，风很小。"),
        ("weather-down", "No rain has fallen so far."),
        ("weather-down", "It did not rain in Paris."),
        ("weather-down", "The service is busy, but it rained 3 mm."),
        ("weather-down", "None, it stayed dry."),
        ("by-zero", "Each child gets 8 sweets."),
        ("by-zero", "No sweets for anybody."),
        ("no-such-clock", "It is noon there."),
        ("no-such-clock", "It is not yet evening in Elmsworth-on-Sea."),
        ("not-in-handbook", "The pool is not deep."),
        ("not-in-handbook", "It is shallow; no diving."),
    ],
)
def test_an_invented_answer_is_not(case, answer):
    assert not judge(case, answer)


def test_a_repeated_message_of_the_tool_is_enough():
    assert says_not_known("There is no weather for Lemuria.", "There is no weather for Lemuria.")
    assert not says_not_known("There is no wind.", "There is no weather for Lemuria.")


# The file of cases -----------------------------------------------------------------------------

GOOD = EVALUATION_CASES.read_text("utf-8").splitlines()[:2]


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    return path


def note(mark: str) -> str:
    """A case whose question holds a sign that some programs take for the end of a line."""
    case = json.loads(GOOD[0])
    return json.dumps({**case, "question": f"One.{mark}Two."}, ensure_ascii=False)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + "\n".join(GOOD),
        "\n".join(GOOD) + "\n\n",
        "\n\n" + "\n  \n".join(GOOD),
        "\r\n".join(GOOD) + "\r\n",
        note("\u2028") + "\n" + GOOD[1],
        note("\u2029") + "\n" + GOOD[1],
        note("\u0085") + "\n" + GOOD[1],
    ],
)
def test_a_file_from_another_editor_is_read(tmp_path, content):
    cases = evaluation_cases(written(tmp_path, content.encode()))
    assert [case.id for case in cases] == [json.loads(line)["id"] for line in GOOD]


def test_the_reported_file_with_a_next_line_sign_is_read(tmp_path):
    assert report("cases-nel")["expect"].startswith("read")
    [case] = evaluation_cases(written(tmp_path, note("\u0085").encode()))
    assert case.question == "One.\u0085Two."


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_file_that_windows_wrote_is_read(tmp_path, encoding):
    assert report("cases-utf16")["expect"].startswith("read")  # PowerShell's > writes UTF-16
    assert len(evaluation_cases(written(tmp_path, "\r\n".join(GOOD).encode(encoding)))) == 2


EXTRA = json.dumps({**json.loads(GOOD[0]), "note": "from the manual"})
LESS = json.dumps({key: value for key, value in json.loads(GOOD[0]).items() if key != "right"})


@pytest.mark.parametrize(
    "content, words",
    [
        (f"{GOOD[0]}\n{{not json", r"cases\.jsonl, line 2: .*not JSON"),
        (f"{GOOD[0]}\n\n[1]", r"cases\.jsonl, line 3: .*not an object"),
        (EXTRA, r"cases\.jsonl, line 1: .*'note'.*known keys: id, kind"),
        (LESS, r"cases\.jsonl, line 1: .*missing: right"),
        (GOOD[0].replace('"savings"', '"../x"'), r"cases\.jsonl, line 1: .*cannot name a file"),
        ("", r"cases\.jsonl contains no case"),
        (b"\xc4\xff\xfe", r"cases\.jsonl is not UTF-8"),
        (GOOD[0].replace('["3163.30|3163.3"]', "3163"), r"line 1: .*right is 3163"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path, content, words):
    assert report("cases-extra")["expect"].endswith("an error that names file and line")
    path = written(tmp_path, content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=words):
        evaluation_cases(path)
