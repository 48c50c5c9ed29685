"""Context: what each policy sends, and what no policy may lose."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab.context import (
    SUMMARISE,
    Conclusions,
    InBlocks,
    KeepRounds,
    ModelSummary,
    RepeatRules,
    RuleSummary,
    TokenBudget,
    join,
    lines,
    split,
)
from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models import ModelError, Reply
from react_lab.prompt import system_prompt
from react_lab.registry import Registry, head_and_tail
from react_lab.toolkit import lab_tools

# Messages, written by hand ----------------------------------------------------------------

SYSTEM = {"role": "system", "content": "You answer questions by using tools."}
QUESTION = {"role": "user", "content": "Question: Where is it warmer?"}
OSLO = {"role": "assistant", "content": 'Thought: one.\nAction: get_weather\nAction Input: "Oslo"'}
ROME = {"role": "assistant", "content": 'Thought: two.\nAction: get_weather\nAction Input: "Rome"'}
SUM = {"role": "assistant", "content": "Thought: less.\nAction: calculator\nAction Input: 27-16"}
SEEN_OSLO = {"role": "user", "content": "Observation: Oslo: 16 °C, light rain, wind 5 m/s."}
SEEN_ROME = {"role": "user", "content": "Observation: Rome: 27 °C, clear, wind 2 m/s."}
SEEN_SUM = {"role": "user", "content": "Observation: 11"}
TEXT = [SYSTEM, QUESTION, OSLO, SEEN_OSLO, ROME, SEEN_ROME, SUM, SEEN_SUM]


def native_call(number: int, name: str, given: str) -> dict:
    function = {"name": name, "arguments": given}
    return {"id": f"call{number:05}", "type": "function", "function": function}


def native_result(number: int, text: str) -> dict:
    return {"role": "tool", "tool_call_id": f"call{number:05}", "content": text}


BOTH = [
    native_call(1, "get_weather", '{"city": "Oslo"}'),
    native_call(2, "now", '{"city": "Rome"}'),
]
THIRD = [native_call(3, "calculator", '{"expression": "27-16"}')]
NATIVE = [
    SYSTEM,
    {"role": "user", "content": "Where is it warmer?"},
    {"role": "assistant", "content": None, "tool_calls": BOTH},
    native_result(1, "Oslo: 16 °C, light rain, wind 5 m/s."),
    native_result(2, "Rome: 14:00, Monday."),
    {"role": "assistant", "content": "I subtract.", "tool_calls": THIRD},
    native_result(3, "11"),
]


def test_a_round_is_what_the_model_said_and_what_it_got():
    head, rounds = split(TEXT)
    assert head == [SYSTEM, QUESTION]
    assert rounds == [[OSLO, SEEN_OSLO], [ROME, SEEN_ROME], [SUM, SEEN_SUM]]
    assert join(head, rounds) == TEXT
    head, rounds = split(NATIVE)
    assert [len(one) for one in (head, *rounds)] == [2, 3, 2]


def test_the_last_rounds_stay_whole_and_older_results_are_cut_and_marked():
    long = {"role": "user", "content": "Observation: " + "x" * 300}
    sent = KeepRounds(n=2)([SYSTEM, QUESTION, OSLO, long, ROME, long, SUM, long])
    cut = {"role": "user", "content": "Observation: " + "x" * 187 + " ... [summary of history]"}
    assert sent == [SYSTEM, QUESTION, OSLO, cut, ROME, long, SUM, long]


def test_a_result_that_a_cut_would_not_make_shorter_stays_as_it_is():
    assert KeepRounds(n=1)(TEXT) == TEXT


def test_old_results_of_native_calls_are_cut_and_keep_their_id():
    sent = KeepRounds(n=1, cut=4)(NATIVE)
    assert sent[3] == native_result(1, "Oslo ... [summary of history]")
    assert [*sent[:3], *sent[5:]] == [*NATIVE[:3], *NATIVE[5:]]


def test_a_summary_by_rule_is_tool_and_result_without_thoughts():
    told = (
        "Question: Where is it warmer?\n[summary of history]\n"
        "- get_weather: Oslo: 16 °C\n- get_weather: Rome: 27 °C"
    )
    assert RuleSummary(n=1, cut=11)(TEXT) == [
        SYSTEM,
        {"role": "user", "content": told},
        SUM,
        SEEN_SUM,
    ]


def test_a_summary_by_rule_names_each_of_several_native_calls():
    sent = RuleSummary(n=1, cut=11)(NATIVE)
    assert sent[1]["content"].splitlines()[2:] == [
        "- get_weather: Oslo: 16 °C",
        "- now: Rome: 14:00",
    ]
    assert sent[2:] == NATIVE[5:]


def test_a_reply_that_called_nothing_stands_in_the_summary_too():
    lost = [{"role": "assistant", "content": "Hm."}, {"role": "user", "content": "观察：看不懂"}]
    sent = RuleSummary(n=1)([SYSTEM, QUESTION, *lost, OSLO, SEEN_OSLO])
    assert sent[1]["content"].endswith("\n- reply: 看不懂")


def test_a_conclusion_stands_behind_each_result_and_later_instead_of_it():
    sent = Conclusions(n=1, conclude=lambda text: text[:11])(TEXT)
    assert [one["content"] for one in sent if one["role"] == "user"] == [
        "Question: Where is it warmer?",
        "Conclusion: Oslo: 16 °C",
        "Conclusion: Rome: 27 °C",
        "Observation: 11\nConclusion: 11",
    ]
    assert [one for one in sent if one["role"] == "assistant"] == [OSLO, ROME, SUM]


def test_a_conclusion_is_the_first_line_unless_you_say_otherwise():
    two = {"role": "user", "content": "Observation: First.\nSecond."}
    sent = Conclusions(n=1)([SYSTEM, QUESTION, OSLO, two, SUM, SEEN_SUM])
    assert sent[3]["content"] == "Conclusion: First."


def test_a_model_sums_up_once_and_its_cost_is_kept():
    asked = []

    def cheap(messages):
        asked.append(messages)
        return Reply("Oslo has 16 °C.", tokens_in=70, tokens_out=6)

    policy = ModelSummary(cheap, n=2)
    sent = policy(TEXT)
    assert policy(TEXT) == sent
    question = "Question: Where is it warmer?\n[summary of history]\nOslo has 16 °C."
    assert sent == [SYSTEM, {"role": "user", "content": question}, *TEXT[4:]]
    words = f"{SUMMARISE}\n\n{OSLO['content']}\n{SEEN_OSLO['content']}"
    assert asked == [[{"role": "user", "content": words}]]
    assert [reply.tokens_in for reply in policy.replies.values()] == [70]


def test_a_model_sums_up_native_calls_with_their_inputs():
    asked = []
    ModelSummary(lambda messages: asked.append(messages) or Reply("Fine."), n=1)(NATIVE)
    assert '{\\"city\\": \\"Oslo\\"}' in asked[0][0]["content"]


@pytest.mark.parametrize("says", ["", ModelError("The server is down.")], ids=["nothing", "down"])
def test_a_model_that_cannot_sum_up_does_not_end_the_run(says):
    def cheap(messages):
        if isinstance(says, ModelError):
            raise says
        return Reply(says)

    assert ModelSummary(cheap, n=1)(TEXT) == RuleSummary(n=1)(TEXT)


def test_rules_are_repeated_every_n_rounds_and_stay_where_they_were_said():
    policy = RepeatRules("Use Celsius.", every=2, role="user")
    sent = policy(TEXT)
    assert sent[5]["content"] == SEEN_ROME["content"] + "\nRemember: Use Celsius."
    assert [*sent[:5], *sent[6:]] == [*TEXT[:5], *TEXT[6:]]
    assert policy(TEXT[:6])[-1] == sent[5], "in the latest message when it was sent"


def test_rules_stand_in_the_last_result_of_native_calls():
    sent = RepeatRules("Use Celsius.", every=1, role="user")(NATIVE)
    assert [one["content"].count("Remember: ") for one in sent if one["role"] == "tool"] == [
        0,
        1,
        1,
    ]


@pytest.mark.parametrize("budget, rounds", [(51, 3), (50, 2), (35, 2), (34, 1), (20, 1), (1, 1)])
def test_over_the_budget_the_oldest_rounds_go_first(budget, rounds):
    """Counted in words: the head has 11, and the rounds 16, 15 and 9."""
    words = [len(one["content"].split()) for one in TEXT]
    assert words == [6, 5, 7, 9, 7, 8, 7, 2]
    kept = [*TEXT[:2], *TEXT[-2 * rounds :]]
    assert TokenBudget(budget, lambda text: len(text.split()))(TEXT) == kept


def test_in_blocks_the_messages_only_grow_until_the_next_block():
    policy = InBlocks(RuleSummary(n=1), n=2)
    first, second, third = (policy(TEXT[: 2 + 2 * rounds]) for rounds in (1, 2, 3))
    assert first == TEXT[:4]
    assert second == RuleSummary(n=1)(TEXT[:6])
    assert third == [*second, SUM, SEEN_SUM]


# What no policy may do --------------------------------------------------------------------


def count(text: str) -> int:
    return len(text) // 4 + 1


def sum_up(messages):
    return Reply(f"Summed up {len(messages[0]['content'])} characters.")


POLICIES = [
    KeepRounds(n=2, cut=30),
    RuleSummary(n=2),
    Conclusions(),
    ModelSummary(sum_up, n=2),
    RepeatRules("Use Celsius.", every=2, role="user"),
    TokenBudget(120, count),
    InBlocks(KeepRounds(n=1, cut=30), n=3),
    InBlocks(RuleSummary(n=1), n=2),
]
each_policy = pytest.mark.parametrize("policy", POLICIES, ids=repr)

words = st.text("ab °:\n观察", max_size=120)
text_round = st.tuples(words, words).map(
    lambda pair: [
        {"role": "assistant", "content": f"Thought: {pair[0]}\nAction: look\nAction Input: {{}}"},
        {"role": "user", "content": f"Observation: {pair[1]}"},
    ]
)
native_round = st.lists(words, min_size=1, max_size=3)
text_history = st.lists(text_round, max_size=9).map(
    lambda rounds: [SYSTEM, QUESTION, *(one for past in rounds for one in past)]
)


@st.composite
def native_history(draw):
    messages, number = [SYSTEM, QUESTION], 0
    for results in draw(st.lists(native_round, max_size=9)):
        numbers = range(number, number + len(results))
        calls = [native_call(one, "look", "{}") for one in numbers]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [native_result(one, text) for one, text in zip(numbers, results, strict=True)]
        number += len(results)
    return messages


histories = text_history | native_history()


@each_policy
@settings(deadline=None, max_examples=60)
@given(messages=histories)
def test_system_question_and_last_round_are_always_sent(policy, messages):
    head, rounds = split(messages)
    sent = policy(messages)
    assert sent[0] == SYSTEM
    assert sent[1]["role"] == "user" and sent[1]["content"].startswith(QUESTION["content"])
    if rounds:
        last = split(sent)[1][-1]
        assert last[0] == rounds[-1][0]
        for before, after in zip(rounds[-1][1:], last[1:], strict=True):
            assert after["content"].startswith(before["content"])


@each_policy
@settings(deadline=None, max_examples=60)
@given(messages=histories)
def test_a_call_is_never_parted_from_its_result(policy, messages):
    """Each round that is sent is a whole one: same call, same results in number and order."""
    whole = [shape(past) for past in split(messages)[1]]
    kept = [shape(past) for past in split(policy(messages))[1]]
    assert kept == whole[len(whole) - len(kept) :]


def shape(past):
    """What a server checks of a round: the roles, and which id answers which call."""
    calls = [call["id"] for call in past[0].get("tool_calls") or ()]
    return past[0]["content"], calls, [(one["role"], one.get("tool_call_id")) for one in past[1:]]


@each_policy
@settings(deadline=None, max_examples=60)
@given(messages=histories)
def test_the_record_is_never_changed(policy, messages):
    before = copy.deepcopy(messages)
    policy(messages)
    assert messages == before


@settings(deadline=None)
@given(messages=histories, budget=st.integers(1, 400))
def test_a_budget_is_kept_whenever_it_can_be_and_no_round_goes_without_need(messages, budget):
    def size(messages):
        """The words, and of each call its name and arguments, as an endpoint reads them."""
        calls = [[c["function"] for c in one.get("tool_calls") or ()] for one in messages]
        texts = [
            json.dumps(c) if c else one["content"] for c, one in zip(calls, messages, strict=True)
        ]
        return sum(map(count, texts))

    head, rounds = split(messages)
    sent = TokenBudget(budget, count)(messages)
    kept = split(sent)[1]
    if size(join(head, rounds[-1:])) <= budget:
        assert size(sent) <= budget
    if len(kept) < len(rounds):
        assert size(join(head, rounds[-len(kept) - 1 :])) > budget


@pytest.mark.parametrize(
    "policy",
    [
        KeepRounds(2, 30),
        RuleSummary(2),
        ModelSummary(sum_up, 2),
        RepeatRules("x", 2, "user"),
        POLICIES[5],
    ],
    ids=repr,
)
@settings(deadline=None, max_examples=60)
@given(messages=histories)
def test_what_was_made_shorter_once_is_not_made_shorter_again(policy, messages):
    once = policy(messages)
    assert policy(once) == once


@settings(deadline=None, max_examples=60)
@given(messages=text_history)
def test_between_two_blocks_the_start_of_the_prompt_does_not_change(messages):
    head, rounds = split(messages)
    policy = InBlocks(KeepRounds(n=1, cut=30), n=3)
    for n in range(len(rounds)):
        before, after = (policy(join(head, rounds[:k])) for k in (n, n + 1))
        assert after[: len(before)] == before or (n + 1) % 3 == 0


# In an agent ------------------------------------------------------------------------------

CALLS = [{"expression": "6*7"}, {"expression": "42*2"}, {"expression": "84*2"}]


def counting(native: bool):
    """A model that makes the three calls and then answers, however little it is sent."""
    replies = iter(
        Reply("", tool_calls=({"id": "", "function": {"name": "calculator", "arguments": text}},))
        if native
        else Reply(f"Action: calculator\nAction Input: {text}")
        for text in map(json.dumps, CALLS)
    )
    return lambda messages, tools=None: next(replies, Reply("Final Answer: 168"))


@each_policy
@pytest.mark.parametrize("native", [False, True], ids=["text", "native"])
def test_an_agent_runs_with_each_policy_and_keeps_the_whole_record(policy, native):
    form = {"protocol": native_step} if native else {}
    run = Agent(counting(native), lab_tools(), fit=policy, **form).run("6*7, twice doubled?")
    assert (run.finished, run.answer.removeprefix("Final Answer: ")) == (True, "168")
    assert [one.observation.text for one in run.steps[:3]] == ["42", "84", "168"]


# As it stands in a notebook ---------------------------------------------------------------


def test_a_policy_prints_as_it_was_written():
    assert str(KeepRounds()) == "KeepRounds(n=4, cut=200)"
    assert str(InBlocks(RuleSummary(), n=8)) == "InBlocks(fit=RuleSummary(n=4, cut=100), n=8)"
    assert str(TokenBudget(500, count)) == "TokenBudget(budget=500)"
    assert str(Conclusions()) == "Conclusions(n=1)"


@pytest.mark.parametrize(
    "make",
    [
        lambda: KeepRounds(n=0),
        lambda: KeepRounds(cut=0),
        lambda: RuleSummary(n=-1),
        lambda: Conclusions(n=0),
        lambda: ModelSummary(sum_up, n=0),
        lambda: RepeatRules("x", every=0),
        lambda: TokenBudget(0, count),
        lambda: InBlocks(KeepRounds(), n=0),
    ],
)
def test_a_number_below_one_is_refused_at_once(make):
    with pytest.raises(ValueError, match="give at least 1"):
        make()


# What a cut keeps -------------------------------------------------------------------------

TABLE = "\n".join(["article,sold", *(f"article {n},{n}" for n in range(400)), "total,79800"])


def table_of(policy) -> str:
    long = {"role": "user", "content": "Observation: " + TABLE}
    sent = policy([SYSTEM, QUESTION, OSLO, long, ROME, SEEN_ROME])
    return "\n".join(one["content"] for one in sent)


def test_a_cut_can_keep_the_totals_and_the_number_of_rows():
    assert "79800" not in table_of(KeepRounds(n=1)) + table_of(RuleSummary(n=1))
    kept = table_of(KeepRounds(n=1, shorten=head_and_tail))
    assert "article,sold" in kept and "total,79800" in kept and "402 lines" in kept
    assert len(kept) < 500
    assert "total,79800" in table_of(RuleSummary(n=1, cut=120, shorten=head_and_tail))


def test_a_line_of_a_summary_may_end_with_the_space_at_which_it_was_cut():
    assert lines([[OSLO, SEEN_OSLO]], 6) == ["- get_weather: Oslo: "]


def test_a_registry_can_keep_them_too():
    tools = Registry(limit=200, shorten=head_and_tail)
    tools.register(lambda: TABLE, name="table", description="A table.")
    seen = tools.subset(["table"]).call("table", {})
    assert seen.text.endswith("total,79800") and len(seen.text) <= 200
    assert seen.truncated == len(TABLE) - 200


# Rules as a system message, and in Chinese ------------------------------------------------


def test_rules_are_a_system_message_of_their_own():
    policy = RepeatRules("Use Celsius.", every=2)
    own = {"role": "system", "content": "Remember: Use Celsius."}
    assert policy(TEXT) == [*TEXT[:6], own, *TEXT[6:]]
    assert policy(policy(TEXT)) == policy(TEXT)
    assert KeepRounds(n=1, cut=5)(policy(TEXT))[6] == own, "no other policy cuts them"
    with pytest.raises(ValueError, match='give "user" or "system"'):
        RepeatRules("x", role="assistant")


def test_without_a_text_the_labs_own_rules_are_repeated():
    sent = RepeatRules(every=1, role="user")(TEXT)
    assert sent[3]["content"].endswith(
        "Remember: Write one Action, then stop. Action Input is valid JSON on one line, without a "
        "code fence. Never write an Observation yourself. Look up what you do not know for "
        "certain. Answer as soon as you know every part of the answer. If no tool is needed, give "
        "the Final Answer at once. After an error change the input and try once more. If no tool "
        "can help, say so in the Final Answer."
    )


def chinese_history(rounds: int) -> list[dict]:
    messages = [
        {"role": "system", "content": system_prompt(lab_tools(), "zh")},
        {"role": "user", "content": "问题：哪里更暖和？"},
    ]
    for n in range(rounds):
        call = f'思考：第{n}步。\n行动：查天气\n行动输入：{{"城市": "北京"}}'
        messages.append({"role": "assistant", "content": call})
        messages.append({"role": "user", "content": "观察：北京：28 °C，有霾。" + "晴" * 400})
    return messages


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (KeepRounds(n=1), "[历史摘要]"),
        (RuleSummary(n=1), "[历史摘要]\n- 查天气：北京：28 °C，有霾。"),
        (Conclusions(n=1), "结论：北京：28 °C，有霾。"),
        (RepeatRules("用摄氏度。", every=2), "请记住：用摄氏度。"),
        (RepeatRules(every=2), "请记住：每次只写一个行动，然后停下。行动输入是"),
        (InBlocks(RuleSummary(n=1), n=2), "[历史摘要]"),
    ],
    ids=repr,
)
def test_in_a_chinese_run_a_policy_writes_chinese(policy, wanted):
    history = chinese_history(3)
    sent = policy(history)
    added = "\n".join(one["content"] for one in sent[1:])
    assert wanted in added
    for english in ("summary", "Conclusion", "Remember", "history"):
        assert english not in added


def test_a_chinese_summary_is_asked_for_in_chinese():
    asked = []

    def cheap(messages):
        asked.append(messages[0]["content"])
        return Reply("北京 28 度。")

    sent = ModelSummary(cheap, n=1)(chinese_history(2))
    assert asked[0].startswith("请用最多三句话总结")
    assert sent[1]["content"].endswith("[历史摘要]\n北京 28 度。")


def test_a_summary_reads_each_old_round_once(monkeypatch):
    """It is asked in every round, with all rounds so far."""
    from react_lab import context

    read, fields = [], context.fields
    monkeypatch.setattr(context, "fields", lambda text: read.append(text) or fields(text))
    context.action_in.cache_clear()
    rounds = [
        {"role": "assistant", "content": f"Action: calculator\nAction Input: 6*{number}"}
        for number in range(20)
    ]
    for count in range(1, 21):
        told = [one for spoken in rounds[:count] for one in (spoken, SEEN_SUM)]
        RuleSummary(n=1)([SYSTEM, QUESTION, *told])
    assert len(read) == 19  # all but the last, which is never old
