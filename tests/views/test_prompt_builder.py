"""The prompt builder: tokens per rule, what was left out, the model's reply, and the text twin."""

import re
import threading

from react_lab.models.progress import Progress, report
from react_lab.views.prompt_builder import PromptBuilder, lines, prompt_html

RULES = {"json": "Write <JSON>.", "one step": "Write one Action."}


def build(chosen):
    return "\n".join(["Rules:", *(RULES[name] for name in chosen)])


def words(text):
    return len(text.split())


def builder(**more):
    return PromptBuilder(RULES, build, words, **more)


def test_each_rule_has_its_tokens_and_the_prompt_has_all():
    view = builder()
    assert view.sizes == {"json": 2, "one step": 3}
    assert [box.description for box in view.boxes.values()] == [
        "Write <JSON>. (2 tokens)",
        "Write one Action. (3 tokens)",
    ]
    assert "<b>6 tokens</b>" in view.status.value


def test_what_is_left_out_is_struck_out_where_it_was():
    view = builder()
    view.boxes["json"].value = False
    assert view.prompt == "Rules:\nWrite one Action."
    assert "4 tokens, 2 fewer than with all" in view.status.value
    assert '<s class="out">− Write &lt;JSON&gt;.</s>Write one Action.' in view.panel.value


def test_a_line_that_only_changes_is_shown_in_both_forms():
    assert lines("a\nb\nc", "a\nB\nc") == [("a", True), ("b", False), ("B", True), ("c", True)]
    assert "<s" not in prompt_html("a\nb", "a\nb")


def test_of_a_long_prompt_what_no_choice_changes_is_folded():
    def long(chosen):
        return "\n".join([*(f"tool {n}" for n in range(40)), *(RULES[name] for name in chosen)])

    view = PromptBuilder(RULES, long, words)
    view.boxes["json"].value = False
    folded, _, rest = view.panel.value.partition("</details>")
    assert "40 lines that no choice changes" in folded and "tool 39" in folded
    assert "tool" not in rest and "− Write &lt;JSON&gt;." in rest
    assert "<details" not in builder().panel.value


def test_the_text_twin():
    view = builder(ask=lambda prompt: f"Thought: {words(prompt)} words.")
    view.boxes["json"].value = False
    assert view.text == (
        "[ ] Write <JSON>. (2 tokens)\n[x] Write one Action. (3 tokens)\n\n"
        "4 tokens, 2 fewer than with all\n\nRules:\nWrite one Action."
    )
    view.button.click()
    view.wait()
    assert view.text.endswith("\n\nReply:\nThought: 4 words.".removeprefix("\n"))


def test_the_model_is_asked_with_the_prompt_as_it_is_and_a_change_drops_its_reply():
    view = builder(ask=lambda prompt: f"Final Answer: {prompt.count('Write')}")
    view.button.click()
    assert view.wait() == "Final Answer: 2"
    assert re.search(r"final answer</span> <code>2</code>", view.answer.value)
    view.boxes["one step"].value = False
    assert view.reply == "" and "code>2<" not in view.answer.value


def test_its_words_come_one_by_one_and_a_second_click_meanwhile_does_nothing():
    said, go = threading.Event(), threading.Event()

    def slow(prompt):
        report(Progress("reading", 70))
        said.set()
        assert go.wait(20)
        return "Thought: done."

    view = builder(ask=slow)
    view.button.click()
    assert said.wait(20)
    assert "reading the prompt (70 tokens)" in view.answer.value
    view.button.click()
    view.boxes["json"].value = False
    go.set()
    assert view.wait() == "" and "has changed meanwhile" in view.answer.value


def test_an_error_is_shown():
    def broken(prompt):
        raise KeyError("model")

    view = builder(ask=broken)
    view.button.click()
    view.wait()
    assert "KeyError: &#x27;model&#x27;" in view.answer.value and not view.busy
