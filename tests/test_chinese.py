"""Chinese: numbers in words, wide signs, and whether a text is Chinese."""

import pytest

from react_lab.chinese import arabic, half_width, is_chinese


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("二十八天", "28天"),
        ("十二", "12"),
        ("二十", "20"),
        ("一百零五", "105"),
        ("三百五", "350"),
        ("三千五百三十欧元", "3530欧元"),
        ("两万", "20000"),
        ("一百零五万三千", "1053000"),
        ("一亿二千万", "120000000"),
        ("二〇二六年", "2026年"),
        ("三点五度", "3.5度"),
        ("负二度", "-2度"),
        ("百分之十五", "15%"),
        ("1.2万人", "12000人"),
        ("3亿", "300000000"),
        ("两天", "2天"),
        ("１２．５％", "12.5%"),
        # what looks like a number and is none
        ("我们一起去", "我们一起去"),
        ("星期一和周三", "星期一和周三"),
        ("第一名", "第一名"),
        ("万一下雨", "万一下雨"),
        ("千万不要", "千万不要"),
        ("十分高兴", "十分高兴"),
        ("统一", "统一"),
        ("50% of 8 is 4.", "50% of 8 is 4."),
    ],
)
def test_numbers_in_words_become_digits(text, wanted):
    assert arabic(text) == wanted
    assert arabic(wanted) == wanted


def test_in_a_formula_every_numeral_is_a_number():
    assert arabic("十五减三", formula=True) == "15减3"
    assert arabic("十五减三") == "15减三"


def test_wide_signs_become_ascii_and_punctuation_of_a_text_stays():
    assert half_width("（１２，ａ）　！") == "(12,a) !"
    assert arabic("是１２，不是（１３）。") == "是12，不是（13）。"


@pytest.mark.parametrize(
    ("text", "chinese"),
    [("北京今天 28 °C", True), ("The weather in 北京 is fine", False), ("", False), ("42", False)],
)
def test_a_text_is_chinese_when_most_of_its_words_are(text, chinese):
    assert is_chinese(text) == chinese
