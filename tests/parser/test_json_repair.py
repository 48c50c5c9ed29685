"""Repairs: damaged JSON with one reading is read, any other is refused."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab.parser.json_repair import Unreadable, read_keywords, read_value

unhurried = settings(deadline=None)  # a busy machine is no fault of the reader
# Not "a:" and a line break, which JSON writes as a:\\n: that may be a Windows path.
text = st.text("abc'\"\\\n\t/ é中“”{}[],:#/1", max_size=8).filter(
    lambda text: not re.search(r":[\n\t]", text)
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
value = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@unhurried
@given(value, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_is_read_as_json(expected, escaped, indent):
    text = json.dumps(expected, ensure_ascii=escaped, indent=indent)
    assert read_value(text + " {}")[:2] == (expected, len(text))
    assert read_value(text)[2] == ()


@unhurried
@given(value)
def test_a_python_literal_is_read_as_python_reads_it(expected):
    assert read_value(repr(expected))[0] == expected


@pytest.mark.parametrize(
    "text, expected, mended",
    [
        ("{'a': 'it\\'s'}", {"a": "it's"}, "Python literal read"),
        ('{"a": (1, None)}', {"a": [1, None]}, "Python literal read"),
        ('{"a": """x "y" z"""}', {"a": 'x "y" z'}, None),
        ('{"a": 1_000}', {"a": 1000}, "Python literal read"),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, "trailing comma dropped"),
        ('{"a": 1 /* one */, // two\n"b": 2 # three\n}', {"a": 1, "b": 2}, "comment dropped"),
        ('{"a": "b /* c */ // d # e",}', {"a": "b /* c */ // d # e"}, "trailing comma dropped"),
        ('{"a": "\\d\\_"}', {"a": "\\d\\_"}, "unknown escape kept"),
        ("{a_1: 2}", {"a_1": 2}, "bare key read"),
        ("{“a”：“b”，“c”: 1}", {"a": "b", "c": 1}, "typographic quotes read"),
        ('｛"a"：1｝', {"a": 1}, "full-width punctuation read"),
        ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}, "doubled braces read"),
    ],
)
def test_damage_with_one_reading_is_mended(text, expected, mended):
    found, end, repairs = read_value(text)
    assert (found, end) == (expected, len(text))
    assert mended is None or mended in repairs


@pytest.mark.parametrize(
    "text",
    ['{"a" "b"}', '{"a": 1 "b": 2}', '{"a": b}', '{"a": "b "c" d"}', "{'a': 'what's new'}"]
    + ['{"a": 1,, "b": 2}', '{"a": 007}', '{"a": 2+2}', "{a}", "{1: 2}", '{"a"= 1}', "[1 2]"]
    + ['{"a": ' * 200 + "1" + "}" * 200],
)
def test_what_would_have_to_be_guessed_is_refused(text):
    with pytest.raises(Unreadable) as caught:
        read_value(text)
    assert not caught.value.cut


@pytest.mark.parametrize(
    "text, so_far",
    [
        ('{"a": "b"', {"a": "b"}),
        ('{"a": "b",', {"a": "b"}),
        ('{"a": [1]', {"a": [1]}),
        ('{"a": true', {"a": True}),
        ('{"a": 12', None),  # it may go on
        ('{"a": "b', None),
        ('{"a": ["b"', None),
        ('{"a": {"b": 1', None),
        ('{"a":', None),
        ('{"a', None),
        ("{", None),
    ],
)
def test_cut_off_json_says_what_is_certain(text, so_far):
    with pytest.raises(Unreadable) as caught:
        read_value(text)
    assert caught.value.cut
    assert caught.value.so_far == so_far


def test_keywords_are_read_to_the_end_or_not_at_all():
    assert read_keywords("city='Oslo', days=2,")[0] == {"city": "Oslo", "days": 2}
    for text in ("city=Oslo", "city='Oslo' days=2", "city='Oslo", "city==1", "city"):
        with pytest.raises(Unreadable):
            read_keywords(text)
