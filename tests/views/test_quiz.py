"""Quizzes: the widget, its twins for where no kernel runs, and rules for every quiz."""

import re
from collections import Counter
from html import unescape

import pytest

from react_lab.views import quiz as room
from react_lab.views.quiz import Choice, Question, Quiz, quiz, read

TWO = (
    Question(
        "Which room runs a `tool`?",
        (
            Choice("The parser", False, "It reads <words> only."),
            Choice("The registry", True, "It calls `f(**a_b)`, once."),
        ),
    ),
    Question(
        "What costs $1 * 2_000?",
        (Choice("A token", True, "By the price list."), Choice("A tool", False, "It is ours.")),
    ),
)
QUIZZES = {name: read(name) for name in room.names()}
EVERY = [
    pytest.param(one, id=f"{name}-{number}")
    for name, questions in QUIZZES.items()
    for number, one in enumerate(questions, 1)
]


def words(widget) -> str:
    """What a person reads of an HTML widget."""
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", widget.value, flags=re.S))


# The widget --------------------------------------------------------------------------------


def test_a_check_says_in_words_whether_the_choice_is_right_and_why():
    asked = Quiz(TWO)
    asked.choices[0].value = 0
    asked.checks[0].click()
    assert words(asked.results[0]) == "✗ Not yet. (a) It reads <words> only."
    asked.choices[0].value = 1
    asked.checks[0].click()
    assert words(asked.results[0]) == "✓ Right. (b) It calls f(**a_b), once."
    assert words(asked.results[1]) == "", "the other question was not checked"


def test_nothing_is_chosen_before_a_person_chooses():
    asked = Quiz(TWO)
    asked.checks[1].click()
    assert words(asked.results[1]) == "Choose an answer first."


def test_every_choice_has_its_letter_and_every_check_its_question():
    asked = Quiz(TWO)
    assert [label for label, _ in asked.choices[0].options] == [
        "(a) The parser",
        "(b) The registry",
    ]
    assert [check.tooltip for check in asked.checks] == ["Check question 1", "Check question 2"]


def test_a_result_is_read_out_and_markup_in_it_is_shown():
    asked = Quiz(TWO)
    asked.choices[0].value = 0
    asked.checks[0].click()
    html = asked.results[0].value
    assert 'role="status"' in html and "&lt;words&gt;" in html and "<words>" not in html


def test_code_is_set_as_code():
    assert "<code>f(**a_b)</code>" in room.html("It calls `f(**a_b)`.")


# Where no kernel runs ----------------------------------------------------------------------


def test_as_plain_text_all_questions_come_first_and_then_the_reason_for_every_choice():
    text = Quiz(TWO)._repr_mimebundle_()["text/plain"]
    assert text == (
        "1. Which room runs a `tool`?\n"
        "   (a) The parser\n"
        "   (b) The registry\n"
        "\n"
        "2. What costs $1 * 2_000?\n"
        "   (a) A token\n"
        "   (b) A tool\n"
        "\n"
        "Answers\n"
        "\n"
        "1. (a) Not yet. It reads <words> only.\n"
        "   (b) Right. It calls `f(**a_b)`, once.\n"
        "\n"
        "2. (a) Right. By the price list.\n"
        "   (b) Not yet. It is ours."
    )


def test_as_markdown_the_answers_are_folded_and_only_code_has_a_meaning():
    text = Quiz(TWO)._repr_mimebundle_()["text/markdown"]
    first, second = text.split("\n\n**2. ")
    assert first == (
        "**1. Which room runs a `tool`?**\n"
        "\n"
        "* (a) The parser\n"
        "* (b) The registry\n"
        "\n"
        "<details><summary>Answer</summary>\n"
        "\n"
        "* (a) Not yet. It reads \\<words\\> only.\n"
        "* (b) Right. It calls `f(**a_b)`, once.\n"
        "\n"
        "</details>"
    )
    assert second.startswith("What costs \\$1 \\* 2\\_000?**")


def test_a_kernel_shows_the_widget():
    assert "application/vnd.jupyter.widget-view+json" in Quiz(TWO)._repr_mimebundle_()


def test_an_unknown_quiz_names_those_that_exist():
    with pytest.raises(ValueError, match=r"no quiz '05'; give one of: .*\b05_loop\b"):
        quiz("05")


# Rules for every quiz ----------------------------------------------------------------------


@pytest.mark.parametrize("one", EVERY)
def test_one_choice_of_three_or_four_is_right_and_each_has_a_reason(one):
    assert len(one.choices) in (3, 4)
    assert sum(choice.right is True for choice in one.choices) == 1
    texts = [one.question, *(part for c in one.choices for part in (c.text, c.why))]
    assert all(text.strip() == text != "" for text in texts)
    assert len({choice.text for choice in one.choices}) == len(one.choices)
    assert not [t for t in texts if t.count("`") % 2 or "\n" in t], "code begins and ends"


@pytest.mark.parametrize("one", EVERY)
def test_a_reason_leaves_the_verdict_to_the_program(one):
    said = ("yes", "no", "right", "wrong", "correct", "not yet")
    assert not [
        c.why for c in one.choices if c.why.lower().startswith(tuple(f"{w}." for w in said))
    ]


@pytest.mark.parametrize("name", QUIZZES)
def test_within_a_quiz_the_right_letter_varies(name):
    assert len({letter(one) for one in QUIZZES[name]}) > 1


def letter(one: Question) -> str:
    return "abcd"[[choice.right for choice in one.choices].index(True)]


def test_no_letter_is_a_good_guess():
    asked = [one for questions in QUIZZES.values() for one in questions]
    right = Counter(letter(one) for one in asked)
    assert len(asked) >= 12
    assert all(0.2 <= right[one] / len(asked) <= 0.45 for one in "abc"), right


def test_the_longest_choice_is_no_good_guess():
    asked = [one for questions in QUIZZES.values() for one in questions]
    longest = [
        all(len(right.text) > len(other.text) for other in one.choices if other is not right)
        for one in asked
        for right in one.choices
        if right.right
    ]
    assert sum(longest) <= 0.42 * len(asked)
