"""Words: what a text is made of, and which text fits a question."""

import pytest

from react_lab.ranking import any_of, ranked, words

TEXTS = ["The lake is deep.", "Rivers run to the lake.", "A lake, a lake, a lake!", "Hills"]


def test_words_are_letters_and_digits_in_lower_case():
    assert words("Get_Weather(city='Köln'), 2x!") == ["get", "weather", "city", "köln", "2x"]


def test_chinese_is_pairs_of_characters():
    assert words("退款期 and 雨") == ["退款", "款期", "and", "雨"]


@pytest.mark.parametrize(
    "question, query",
    [
        ("How deep is the lake?", '"deep" OR "lake"'),
        ("Who are you?", '"who" OR "are" OR "you"'),  # nothing but stop words: better than nothing
        ("lake LAKE lake", '"lake"'),
        ("?!", ""),
    ],
)
def test_a_question_asks_for_any_of_its_keywords(question, query):
    assert any_of(question) == query


def test_the_best_fit_comes_first_and_what_does_not_fit_is_left_out():
    assert ranked("How deep is a lake?", TEXTS)[0] == 0
    assert ranked("lake", TEXTS)[0] == 2
    assert sorted(ranked("lake", TEXTS)) == [0, 1, 2]
    assert ranked("Does one river run?", TEXTS) == [1]  # stemmed: Rivers
    assert ranked("sea", TEXTS) == ranked("", TEXTS) == ranked("lake", []) == []


def test_texts_that_fit_equally_well_keep_their_order():
    assert ranked("hill", ["a hill", "a hill", "no", "a hill"]) == [0, 1, 3]


def test_a_rare_word_tells_more_than_a_common_one():
    texts = ["price of bread", "price of milk", "price of tea", "age of milk", "price of fish"]
    assert ranked("price age", texts)[0] == 3
