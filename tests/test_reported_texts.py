"""Keys and texts: nothing of a key is left readable, and any text can be shown and saved."""

import io
import json
import math
import sys
from urllib.parse import quote

import pytest

from helpers.fake_endpoint import serve
from react_lab import Action, Agent, ChatModel, FinalAnswer, ModelError, Registry, Reply, Run, show
from react_lab import keys as lab_keys
from react_lab.function_calling import native_step
from react_lab.loop import notice
from react_lab.registry import Observation
from react_lab.registry.results import both_ends, head
from react_lab.trace import Step, load, save
from react_lab.views import text
from react_lab.views.pages import page
from react_lab.views.run_html import page as run_page
from react_lab.views.text import markdown

KEY = "lab-key-0123456789abcdef"


@pytest.fixture(params=["environment", "argument"])
def model(request, monkeypatch):
    """A ChatModel whose key comes from one of two places, and a server that repeats the key."""
    monkeypatch.setattr(lab_keys, "_known", set())
    call = {"name": "tell", "arguments": json.dumps({"word": f"it is {KEY}"})}
    calls = [{"id": "call00001", "type": "function", "function": call}]
    replies = [
        {"json": {"choices": [{"message": {"content": f"My key is {KEY}", "tool_calls": calls}}]}},
        {"json": {"choices": [{"message": {"content": f"The key is {KEY}."}}]}},
        {"status": 401, "json": {"error": {"message": f"Wrong key {KEY}"}}},
    ]
    with serve({"replies": replies, "then": "repeat"}) as endpoint:
        if request.param == "environment":
            monkeypatch.setenv("SOME_API_KEY", KEY)
            yield ChatModel("m", endpoint.url, "another-key-77")
        else:
            yield ChatModel("m", endpoint.url, KEY, options={"user": KEY})


def told(model) -> Run:
    """A run in which question, reply, arguments, result and error all hold the key."""
    tools = Registry()

    @tools.register
    def tell(word: str) -> str:
        """Tell a word."""
        return f"{word}, {KEY}, {quote(KEY)}"

    return Agent(model, tools, protocol=native_step).run(f"Is {KEY} right?")


def test_a_key_is_in_no_view_no_file_and_no_repr(model, tmp_path):
    run = told(model)
    assert run.finished and "***" in run.answer
    save(run, tmp_path / "run.jsonl")
    shown = {
        "repr": repr(run),
        "model": repr(model),
        "show": show(run),
        "html": show(run)._repr_html_(),
        "text": text.show(run),
        "step": text.show_step(run.steps[0], 1),
        "page": text.show_page(run, 1),
        "stepper": page(run, 1, frozenset()),
        "saved": run_page(run),
        "markdown": markdown(run),
        "file": (tmp_path / "run.jsonl").read_text("utf-8"),
    }
    assert {name for name, value in shown.items() if KEY in value} == set()


def test_a_key_is_not_sent_back_to_the_model(model):
    run = told(model)
    assert KEY not in json.dumps([step.sent for step in run.steps])


def test_a_key_is_in_no_error(model):
    told(model)
    with pytest.raises(ModelError) as caught:
        model([{"role": "user", "content": "?"}])
    assert KEY not in str(caught.value) and "***" in str(caught.value)


def test_a_key_in_a_view_of_a_run_of_ones_own(model):
    """Runs that no loop has made: a script of a learner, or a file."""
    seen = Observation(f"Found {KEY}.")
    steps = (
        Step(
            ({"role": "user", "content": KEY},),
            Reply(KEY),
            Action(KEY, "tell", {"word": KEY}),
            seen,
        ),
        Step((), Reply(KEY), FinalAnswer(KEY, KEY)),
    )
    run = Run("?", steps, "answered", KEY)
    views = [show(run), text.show(run), text.show_page(run, 1), markdown(run), run_page(run)]
    views += [page(run, 1, frozenset()), show(run)._repr_html_()]
    assert [one for one in views if KEY in one] == []


@pytest.mark.parametrize("word", ["none", "x", "", "EMPTY", "ollama"])
def test_a_short_word_is_no_secret(word, monkeypatch):
    monkeypatch.setattr(lab_keys, "_known", set())
    monkeypatch.setenv("LLM_API_KEY", word)
    ChatModel("m", "http://127.0.0.1:9/v1", word)
    assert lab_keys.masked("There is none, x or ollama. EMPTY") == (
        "There is none, x or ollama. EMPTY"
    )


# Texts that not every place can hold -----------------------------------------------------------

HALF = "half \ud83d and \udc00 emoji"


def odd_run() -> Run:
    given = {"word": HALF, "n": math.nan, "far": [math.inf, -math.inf], "ok": 1.5}
    steps = (
        Step(
            ({"role": "user", "content": HALF},),
            Reply(HALF),
            Action(HALF, "say", given),
            Observation(HALF),
        ),  # fmt: skip
        Step((), Reply(HALF), FinalAnswer("", HALF)),
    )
    return Run(HALF, steps, "answered", HALF)


@pytest.mark.parametrize(
    "view",
    [
        show,
        text.show,
        markdown,
        run_page,
        lambda run: text.show_page(run, 1),
        lambda run: page(run, 1, frozenset()),
        lambda run: show(run)._repr_html_(),
        lambda run: text.show_step(run.steps[0], 1),
        lambda run: text.show_end(run),
        lambda run: str(show(run)),
    ],
)
def test_every_view_is_a_text_that_can_be_written(view):
    assert view(odd_run()).encode("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "latin-1", "utf-8"])
def test_a_run_is_shown_on_any_console(encoding, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    run = Run(
        "Is it warm? 天气 → 20 °C 🍵",
        (Step((), Reply("x"), FinalAnswer("", "答案 €")),),
        "answered",
    )
    print(show(run))
    sys.stdout.flush()
    assert b"20" in raw.getvalue() and b"Finished after 1 step" in raw.getvalue()


def test_a_run_is_saved_as_strict_json_in_utf_8(tmp_path):
    save(odd_run(), tmp_path / "run.jsonl")
    raw = (tmp_path / "run.jsonl").read_bytes()

    def refuse(name: str) -> None:
        raise ValueError(f"JSON has no {name}")

    for line in raw.decode("utf-8").splitlines():
        json.loads(line, parse_constant=refuse)
    found = load(tmp_path / "run.jsonl")
    assert found.question == HALF and found.answer == HALF  # nothing is lost
    assert found.steps[0].move.arguments["far"] == ["Infinity", "-Infinity"]
    assert found.steps[0].move.arguments["ok"] == 1.5


@pytest.mark.parametrize("value", [math.nan, math.inf, HALF, [HALF, math.nan], {HALF: math.nan}])
def test_what_a_tool_returns_can_be_sent(value):
    tools = Registry()
    tools.register(lambda: value, name="give", description="Give it.")
    assert tools.call("give", {}).text.encode("utf-8")


# Long results ----------------------------------------------------------------------------------

LONG = "\n".join(f"line {number}" for number in range(1000)) + "\ntotal: 499500"


@pytest.mark.parametrize("limit", [200, 500, 1500])
def test_head_and_tail_are_kept_and_what_is_missing_is_counted(limit):
    kept = both_ends(LONG, limit)
    before, words, after = kept.partition("\n[")
    number, _, after = after.partition(" characters left out. Ask for less to see them.]\n")
    assert LONG.startswith(before) and LONG.endswith(after) and after.endswith("total: 499500")
    assert int(number) == len(LONG) - len(before) - len(after)
    assert len(before) + len(after) == limit and len(before) > len(after) > 0


@pytest.mark.parametrize("size", [0, 1, 199, 200])
def test_a_short_result_is_left_alone(size):
    assert both_ends("x" * size, 200) == "x" * size


def long_tools(**settings) -> Registry:
    tools = Registry(**settings)
    tools.register(lambda: LONG, name="give", description="Give it.")
    return tools


@pytest.mark.parametrize("shorten", [head, both_ends])
def test_a_cut_result_stays_whole_in_the_trace(shorten, tmp_path):
    seen = long_tools(limit=200, shorten=shorten).call("give", {})
    assert seen.whole == LONG and seen.truncated == len(LONG) - 200
    run = Run("?", (Step((), Reply("x"), Action("", "give", {}), seen),))
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl").steps[0].observation.whole == LONG


def test_a_cut_in_the_middle_says_so_only_once():
    tools = long_tools(limit=200, shorten=both_ends)
    agent = Agent(lambda messages: Reply("x"), tools)
    seen = tools.call("give", {})
    assert notice(Action("", "give", {}), seen, Run("?"), agent) == ""
    tools = long_tools(limit=200, shorten=head)
    agent = Agent(lambda messages: Reply("x"), tools)
    assert notice(Action("", "give", {}), tools.call("give", {}), Run("?"), agent) != ""


def test_a_whole_result_has_no_copy():
    tools = Registry()
    tools.register(lambda: "short", name="give", description="Give it.")
    assert tools.call("give", {}).whole == ""


class Table:
    """As a DataFrame of pandas, as far as the registry looks at it."""

    def __init__(self, rows: int):
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def head(self, rows: int) -> "Table":
        return Table(min(rows, self.rows))

    def to_string(self) -> str:
        return "\n".join(f"{number} tea" for number in range(self.rows))


@pytest.mark.parametrize("rows", [21, 500, 5000])
def test_a_long_table_says_first_how_many_rows_it_has(rows):
    tools = Registry(limit=100)
    tools.register(lambda: Table(rows), name="give", description="Give it.")
    assert tools.call("give", {}).text.startswith(f"[{rows} rows]\n0 tea\n")


def test_a_table_at_a_glance_does_not():
    tools = Registry()
    tools.register(lambda: Table(3), name="give", description="Give it.")
    assert tools.call("give", {}).text == "0 tea\n1 tea\n2 tea"


@pytest.mark.parametrize("count, named", [(1000, 8), (13, 8), (12, 12), (4, 4)])
def test_of_many_tools_only_the_nearest_are_named(count, named):
    tools = Registry()
    for number in range(count):
        tools.register(lambda: 1, name=f"get_thing_{number}", description="Get it.")
    model = iter(["Action: get_thing_00\nAction Input: {}", "Final Answer: 4"])
    run = Agent(lambda messages: Reply(next(model)), tools).run("?")
    seen = run.steps[0].observation.text
    assert seen.count("get_thing_") == named + 1 and "get_thing_0" in seen
    assert len(seen) < 500
