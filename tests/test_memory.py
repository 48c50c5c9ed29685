"""Memory: what a second question knows of the first one, and notes that outlive the program."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import pytest

from react_lab.context import KeepRounds
from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.memory import Earlier, Notes, Recall, note_of, nothing, summary, whole
from react_lab.models import Reply, ScriptedModel
from react_lab.toolkit import lab_tools

LOOK = 'Thought: I look.\nAction: get_weather\nAction Input: {"city": "Athens"}'
ATHENS = "Thought: I know.\nFinal Answer: 30 °C in Athens."
FIRST, SECOND = "How warm is it in Athens?", "And in Chicago?"


def in_words(messages):
    return [(one["role"], one["content"]) for one in messages]


@pytest.fixture
def first():
    return Agent(ScriptedModel([LOOK, ATHENS]), lab_tools()).run(FIRST)


def sent_second(memory) -> list:
    """What the model is sent for the second question, without the system prompt."""
    sent = []

    def model(messages, tools=None):
        sent.append(messages)
        return Reply("Final Answer: 20 °C.")

    Agent(model, lab_tools(), fit=Earlier(memory)).run(SECOND)
    return in_words(sent[0])[1:]


def test_with_nothing_the_second_question_stands_alone(first):
    assert sent_second(nothing([first])) == [("user", "Question: And in Chicago?")]


def test_a_summary_is_the_question_and_the_reply_that_answered_it(first):
    assert sent_second(summary([first])) == [
        ("user", "Question: How warm is it in Athens?"),
        ("assistant", ATHENS),
        ("user", "Question: And in Chicago?"),
    ]


def test_the_whole_history_holds_each_round_as_well(first):
    roles, words = zip(*sent_second(whole([first])), strict=True)
    assert roles == ("user", "assistant", "user", "assistant", "user")
    assert words[1] == LOOK
    assert words[2].startswith("Observation: Athens: 30 °C, clear")
    assert words[3:] == (ATHENS, "Question: And in Chicago?")


def test_the_third_question_finds_each_earlier_one_once(first):
    agent = Agent(lambda messages: Reply("Final Answer: 20 °C."), lab_tools())
    second = replace(agent, fit=Earlier(whole([first]))).run(SECOND)
    asked = [one["content"] for one in whole([first, second]) if one["role"] == "user"]
    assert [text.partition(": ")[2][:20] for text in asked if text.startswith("Question")] == [
        "How warm is it in At",
        "And in Chicago?",
    ]
    assert len(summary([first, second])) == 4


def test_a_run_that_found_no_answer_is_not_remembered(first):
    lost = Agent(lambda messages: Reply("Hm."), lab_tools(), max_steps=2).run("?")
    assert lost.answer is None
    assert whole([lost, first]) == whole([first])
    assert summary([lost]) == []


def test_an_answer_given_at_the_limit_is_remembered(first):
    agent = Agent(ScriptedModel([LOOK, ATHENS]), lab_tools(), max_steps=1)
    assert in_words(summary([agent.run(FIRST)])) == in_words(summary([first]))


def test_native_calls_of_two_runs_have_different_ids():
    """An API refuses a history in which two calls have the same id."""
    call = {"id": "", "function": {"name": "calculator", "arguments": '{"expression": "6*7"}'}}

    def model(messages, tools=None):
        done = messages[-1]["role"] == "tool"
        return Reply("It is 42.") if done else Reply("", tool_calls=(call,))

    agent = Agent(model, lab_tools(), protocol=native_step)
    history = whole([agent.run("6*7?"), agent.run("7*6?")])
    calls = [one["id"] for message in history for one in message.get("tool_calls", ())]
    assert calls == [one["tool_call_id"] for one in history if one["role"] == "tool"]
    assert len(set(calls)) == 2 and {len(one) for one in calls} == {9}
    third = replace(agent, fit=Earlier(history)).run("8*8?").steps[-1].sent
    assert third[-1]["tool_call_id"] not in calls


def test_memory_goes_together_with_a_policy_for_the_new_run(first):
    earlier, keep = Earlier(whole([first])), KeepRounds(n=1, cut=1)
    model = ScriptedModel([LOOK, LOOK, ATHENS])
    agent = Agent(model, lab_tools(), fit=lambda sent: earlier(keep(sent)))
    sent = agent.run(SECOND).steps[-1].sent
    assert sent[1:5] == tuple(whole([first]))
    assert [one["content"][:13] for one in sent[5:]] == [
        "Question: And",
        "Thought: I lo",
        "O ... [summar",
        "Thought: I lo",
        "Observation: ",
    ]


# On disk ----------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path):
    return Notes(tmp_path / "notes.sqlite")


def test_notes_are_shown_in_their_order_and_each_is_kept_once(notes):
    assert notes.all() == {}
    texts = (" Ada likes tea. ", "Bo is in Rome.", "Ada likes tea.")
    assert [notes.add(text) for text in texts] == [1, 2, 1]
    assert notes.all() == {1: "Ada likes tea.", 2: "Bo is in Rome."}


@pytest.mark.parametrize(
    "text", ['it\'s "quoted"; DROP TABLE notes;--', "a\0b", "🐝 東京", "two\nlines", "x" * 10**6]
)
def test_a_note_is_kept_as_it_is_whatever_it_says(notes, text):
    number = notes.add(text)
    assert notes.all() == {number: text}


def test_of_half_an_emoji_a_question_mark_is_kept(notes):
    number = notes.add("bees \ud83d")
    assert notes.all() == {number: "bees ?"}


def test_notes_survive_a_restart(notes):
    code = (
        "import sys; from react_lab.memory import Notes; print(Notes(sys.argv[1]).add(sys.argv[2]))"
    )
    for text, number in (("Ada likes tea.", "1"), ("Où est Bo ? 在罗马", "2")):
        other = subprocess.run(
            [sys.executable, "-c", code, notes.path, text], capture_output=True, encoding="utf-8"
        )
        assert other.stdout.strip() == number, other.stderr
    assert list(notes.all().values()) == ["Ada likes tea.", "Où est Bo ? 在罗马"]


def test_a_question_finds_the_notes_that_share_its_words(notes):
    for text in ("Ada likes tea.", "Bo is in Rome.", "Ada is in Lima. Her tea is cold."):
        notes.add(text)
    assert notes.find("Where is Bo?") == ["Bo is in Rome."]
    assert set(notes.find("What of Ada and her tea?", n=5)) == {
        "Ada likes tea.",
        "Ada is in Lima. Her tea is cold.",
    }
    assert len(notes.find("What of Ada?", n=1)) == 1
    assert notes.find("Whose cat?") == []


def test_what_is_deleted_is_gone_from_the_file(notes):
    secret = notes.add("The door code is Quokka.")
    notes.add("Ada likes tea.")
    assert b"Quokka" in notes.path.read_bytes()
    notes.delete(secret)
    assert notes.all() == {2: "Ada likes tea."}
    assert b"Quokka" not in notes.path.read_bytes()
    assert [path.name for path in notes.path.parent.iterdir()] == ["notes.sqlite"]


def test_the_number_of_a_deleted_note_is_not_given_again(notes):
    notes.delete(notes.add("Ada likes tea."))
    assert notes.add("Bo is in Rome.") == 2


def test_what_cannot_be_done_says_so(notes):
    with pytest.raises(KeyError, match="There is no note 7; all"):
        notes.delete(7)
    with pytest.raises(ValueError, match="The note is empty"):
        notes.add(" \n")
    with pytest.raises(ValueError, match="give the name of a file"):
        Notes(":memory:")
    with pytest.raises(ValueError, match="give the name of a file"):
        Notes("")


def test_a_full_disk_is_told_and_loses_no_note(notes, little_room):
    notes.add("Ada likes tea.")
    little_room(notes.path.stat().st_size)
    with pytest.raises(OSError, match="notes.sqlite cannot be used: .* Nothing was changed"):
        notes.add("x" * 10_000)
    little_room(10**9)
    assert notes.all() == {1: "Ada likes tea."}
    assert notes.add("Bo is in Rome.") == 2


@pytest.mark.parametrize("name", ["no folder/notes.sqlite", ".", "letter.txt"])
def test_a_file_that_cannot_hold_notes_is_named(tmp_path, name):
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 100)
    with pytest.raises(OSError, match="cannot be used: .* Check the free space, the folder"):
        Notes(tmp_path / name).add("Ada likes tea.")
    assert (tmp_path / "letter.txt").read_text() == "Dear Ada, " * 100


def add_many(path, who):
    """Add thirty notes, as a notebook of its own."""
    for number in range(30):
        Notes(path).add(f"{who} {number}")


def test_two_notebooks_at_once_lose_no_note(notes):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as two:
        list(two.map(add_many, [notes.path] * 2, ["Ada", "Bo"]))
    expected = {f"{who} {number}" for who in ("Ada", "Bo") for number in range(30)}
    assert set(notes.all().values()) == expected and len(notes.all()) == 60


# From one session to the next ----------------------------------------------------------------

SESSION = """
import sys
from react_lab import Agent, Reply, lab_tools
from react_lab.memory import Notes, Recall, note_of

def model(messages, tools=None):
    # it knows only what it is sent
    sent = "\\n".join(str(one["content"]) for one in messages)
    question = messages[1]["content"].partition("\\n")[0]
    if "My customer number" in question:
        return Reply("Final Answer: Noted: 4711.")
    return Reply("Final Answer: It is 4711." if "4711" in sent else "Final Answer: I do not know.")

path, question, recall = sys.argv[1:]
notes = Notes(path)
run = Agent(model, lab_tools(), fit=Recall(notes) if recall == "yes" else None).run(question)
notes.add(note_of(run)) if recall == "keep" else None
print(run.answer)
"""


def session(path, question: str, recall: str) -> str:
    """What a program of its own answers, as after a restart of the kernel."""
    command = [sys.executable, "-c", SESSION, str(path), question, recall]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_second_session_answers_from_a_note_of_the_first_and_fails_without_it(tmp_path):
    path = tmp_path / "notes.sqlite"
    assert session(path, "My customer number is 4711.", "keep") == "Noted: 4711."
    assert session(path, "What is my customer number?", "yes") == "It is 4711."
    assert session(path, "What is my customer number?", "no") == "I do not know."


def test_notes_come_after_the_question_in_every_round(tmp_path):
    notes = Notes(tmp_path / "notes.sqlite")
    notes.add("The parcel weighs 3 kg.")
    notes.add("We meet on Friday.")
    agent = Agent(ScriptedModel([LOOK, ATHENS]), lab_tools(), fit=Recall(notes, n=1))
    run = agent.run("How heavy is the parcel?")
    for step in run.steps:
        assert step.sent[1]["content"] == (
            "Question: How heavy is the parcel?\nNotes from earlier questions:\n"
            "- The parcel weighs 3 kg."
        )
    other = replace(agent, model=ScriptedModel([ATHENS])).run("Who is she?")
    assert other.steps[0].sent[1]["content"] == "Question: Who is she?"


def test_a_run_without_an_answer_is_no_note(first):
    assert note_of(first) == "How warm is it in Athens? 30 °C in Athens."
    lost = Agent(lambda messages: Reply("Hm."), lab_tools(), max_steps=1).run("?")
    with pytest.raises(ValueError, match="has no answer"):
        note_of(lost)
    with pytest.raises(ValueError, match="at least 1"):
        Recall(Notes("x"), n=0)
