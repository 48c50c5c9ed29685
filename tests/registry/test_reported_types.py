# ruff: noqa: UP045 (typing.Optional is one of the spellings that people use)
"""Types: what public reports found wrong in tools and their parameters, and siblings of it.

The rows come from data/report_cases.jsonl; the siblings were written before the fix.
"""

import dataclasses
import json
import re
import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from helpers.reports import report, reports
from react_lab.registry import Registry

NAMES = {"Field": Field, "Optional": Optional, "Literal": Literal, "Annotated": Annotated}
NAMES |= {"dataclasses": dataclasses, "typing": typing, "datetime": datetime, "date": date}
NAMES |= {"timedelta": timedelta}


def tool_of(source: str) -> Registry:
    """A registry with the last function that a source defines."""
    names = dict(NAMES)
    exec(source, names)
    registry = Registry()
    registry.register(list(names.values())[-1])
    return registry


def taking(hint: object) -> Registry:
    """A registry with one tool, `take`, that shows the value of this type that it was given."""

    def take(value) -> str:
        """Take a value."""
        return repr(value)

    take.__annotations__["value"] = hint
    registry = Registry()
    registry.register(take)
    return registry


# A pydantic Field as a default -----------------------------------------------------------------


@pytest.mark.parametrize("row", reports("field-"))
def test_a_reported_field_default_is_read(row):
    source, arguments = row["input"]["tool"], row["input"]["arguments"]
    if row["expect"] == "refused when it is registered":
        with pytest.raises(ValueError, match="dataclasses.field"):
            tool_of(source)
        return
    registry = tool_of(source)
    seen = registry.call(next(iter(registry)).name, arguments)
    if row["expect"].startswith("bad arguments: "):
        assert seen.error == "bad arguments"
        assert seen.text.startswith(row["expect"].removeprefix("bad arguments: "))
    else:
        assert (seen.text, seen.error) == (row["expect"], None)


@pytest.mark.parametrize(
    "source, arguments, result",
    [
        ("def f(n: int = Field(5, ge=1, le=9)): return n", {}, "5"),
        ("def f(n: int = Field(5, ge=1, le=9)): return n", {"n": "7"}, "7"),
        ("def f(n: int = Field(5, ge=1, le=9)): return n", {"n": 12}, None),
        ("def f(n: int = Field(ge=1)): return n", {}, None),
        ("def f(n: int = Field(...)): return n", {}, None),
        ("def f(n: int = Field(gt=0)): return n", {"n": 0}, None),
        ("def f(t: list = Field(default_factory=list)): return repr(t)", {}, "[]"),
        ("def f(t: Annotated[list, Field(default_factory=list)]): return repr(t)", {}, "[]"),
        ("def f(n: Annotated[int, Field(ge=1)] = Field(3)): return n", {}, "3"),
        ("def f(n: Annotated[int, Field(ge=1)] = Field(3)): return n", {"n": 0}, None),
        ("def f(n: Annotated[int, Field(default=4)] = 6): return n", {}, "6"),
        ("def f(s: str = Field('a', max_length=3)): return s", {"s": "abcd"}, None),
        ("def f(s: str = Field('a', pattern='^[a-c]$')): return s", {"s": "x"}, None),
        ("def f(n: Optional[int] = Field(None)): return repr(n)", {"n": None}, "None"),
        ("def f(n: int = Field(2)): return n", {"n": None}, "2"),
        ("def f(a: str, n: int = Field(2)): return f'{a}{n}'", {"a": "x"}, "x2"),
    ],
)
def test_a_field_default_works_like_any_other(source, arguments, result):
    seen = tool_of(source.replace("):", "):\n  'Use it.'\n ", 1)).call("f", arguments)
    if result is None:
        assert seen.error == "bad arguments", seen
    else:
        assert (seen.text, seen.error) == (result, None)


def test_a_field_default_is_in_the_schema():
    source = (
        "def f(n: int = Field(5, ge=1, description='How many'), m: int = Field(le=3)):\n 'Use.'"
    )
    schema = tool_of(source)["f"].parameters
    assert schema["required"] == ["m"]
    assert schema["properties"]["n"] == {
        "type": "integer",
        "minimum": 1,
        "description": "How many",
        "default": 5,
    }
    assert schema["properties"]["m"]["maximum"] == 3


def test_each_call_gets_a_default_of_its_own():
    registry = tool_of(
        "def f(t: list = Field(default_factory=list), u: list = Field([])):\n"
        "  'Use it.'\n  t.append(1); u.append(2); return f'{t}{u}'"
    )
    assert [registry.call("f", {}).text for _ in range(2)] == ["[1][2]", "[1][2]"]


# true and false, dates, numbers ----------------------------------------------------------------


def value_of(row: dict) -> object:
    given = row["input"]
    return json.loads(given["json"]) if "json" in given else given["value"]


@pytest.mark.parametrize("row", reports("bool-", "date-", "number-text-"))
def test_a_reported_value_of_another_type_is_refused(row):
    seen = taking(eval(row["input"]["hint"], dict(NAMES))).call("take", {"value": value_of(row)})
    assert seen.error == "bad arguments" and "bad arguments" in row["expect"]
    assert seen.text.startswith("value must be ")


class Level(IntEnum):
    LOW = 0
    HIGH = 1


class Room(BaseModel):
    floor: int
    free: bool = True


@dataclass
class Trip:
    day: date
    nights: int = 1


class Stay(TypedDict):
    nights: int


class Place(NamedTuple):
    x: float
    y: float


@pytest.mark.parametrize(
    "hint, value",
    [
        (Optional[float], False),
        (Annotated[int, Field(ge=0)], True),
        (list[int], [3, True]),
        (dict[str, float], {"a": True}),
        (Literal[0, 1], True),
        (Optional[Literal[1, 2]], True),
        (tuple[int, str], [True, "a"]),
        (set[int], [True]),
        (Decimal, True),
        (Level, True),
        (Room, {"floor": True}),
        (Trip, {"day": "2026-06-01", "nights": True}),
        (Stay, {"nights": False}),
        (Place, [1.5, True]),
        (list[dict[str, int]], [{"a": 1}, {"a": True}]),
        (int | float, True),
        (int | None, "true"),
    ],
)
def test_true_and_false_are_never_numbers(hint, value):
    seen = taking(hint).call("take", {"value": value})
    assert seen.error == "bad arguments", seen
    assert seen.text.startswith("value must be ")


@pytest.mark.parametrize(
    "hint, value, result",
    [
        (bool, True, "True"),
        (Optional[bool], False, "False"),
        (bool | int, True, "True"),
        (Literal[True, 2], True, "True"),
        (list[bool], [True, False], "[True, False]"),
        (Room, {"floor": 2, "free": False}, "Room(floor=2, free=False)"),
        (dict[str, Any], {"a": True}, "{'a': True}"),
        (Any, True, "True"),
        (list, [1, True], "[1, True]"),
        (dict, {"a": 0}, "{'a': 0}"),
    ],
)
def test_true_and_false_stay_what_they_are(hint, value, result):
    assert taking(hint).call("take", {"value": value}).text == result


@pytest.mark.parametrize(
    "hint, value",
    [
        (datetime, "1767225600"),
        (datetime, 0),
        (datetime, 1767225600.5),
        (datetime, "2026.5"),
        (date, 20260601),
        (date, "20260601"),
        (date, "2026"),
        (Optional[date], "2026"),
        (list[date], ["2026-06-01", 2026]),
        (Annotated[datetime, Field(description="when")], "2026"),
        (time, 1030),
        (time, "1030"),
        (timedelta, 90),
        (Optional[timedelta], "-90"),
        (Trip, {"day": "2026"}),
        (dict[str, date], {"from": 2026}),
        (datetime | None, " 2026 "),
    ],
)
def test_a_bare_number_is_not_a_date(hint, value):
    seen = taking(hint).call("take", {"value": value})
    assert seen.error == "bad arguments", seen
    assert seen.text.startswith("value must be ")


@pytest.mark.parametrize(
    "hint, value, result",
    [
        (datetime, "2026-06-01T10:30:00", datetime(2026, 6, 1, 10, 30)),
        (datetime, "2026-06-01", datetime(2026, 6, 1)),
        (date, "2026-06-01", date(2026, 6, 1)),
        (time, "10:30", time(10, 30)),
        (timedelta, "PT90S", timedelta(seconds=90)),
        (timedelta, "0:01:30", timedelta(seconds=90)),
        (int | date, 2026, 2026),
        (str | date, "2026", "2026"),
    ],
)
def test_a_written_date_is_read(hint, value, result):
    assert taking(hint).call("take", {"value": value}).text == repr(result)


@pytest.mark.parametrize(
    "hint, value, result",
    [(str, 17, "'17'"), (Optional[str], 2, "'2'"), (str, -3, "'-3'"), (str | float, 1.5, "1.5")],
)
def test_a_whole_number_keeps_its_digits_as_text(hint, value, result):
    assert taking(hint).call("take", {"value": value}).text == result


@pytest.mark.parametrize("hint", [str, Optional[str], Annotated[str, "a version"], list[str]])
@pytest.mark.parametrize("value", ["3.10", "1.50", "0.30", "1e5", "100.0"])
def test_a_decimal_number_for_a_text_must_be_in_quotes(hint, value):
    number = json.loads(f"[{value}]" if hint == list[str] else value)
    seen = taking(hint).call("take", {"value": number})
    assert seen.error == "bad arguments"


def test_the_message_says_to_put_a_decimal_number_in_quotes():
    seen = taking(str).call("take", {"value": 3.1})
    assert seen.text == 'value must be str: put the number in quotes, as "3.1".'


# What a message shows of a type ----------------------------------------------------------------


def test_the_message_shows_no_inside_of_a_hint():
    row = report("annotated-message")
    hint = Annotated[int, Field(ge=1, le=7, description="Forecast length")]
    seen = taking(hint).call("take", {"value": row["input"]["value"]})
    assert seen.text == "value must be int: Input should be less than or equal to 7."
    begin, end = row["expect"].split(": ... ")
    assert seen.text.startswith(begin.replace("days", "value")) and seen.text.endswith(f"{end}.")


@pytest.mark.parametrize(
    "hint, shown",
    [
        (Annotated[int, Field(ge=9)], "int"),
        (Annotated[list[int], Field(max_length=0)], "list[int]"),
        (list[Annotated[int, Field(ge=9)]], "list[int]"),
        (Optional[Annotated[int, Field(ge=9)]], "Optional[int]"),
        (Annotated[int, Field(ge=9)] | None, "Optional[int]"),
        (Annotated[Annotated[int, "a"], Field(ge=9)], "int"),
        (dict[str, Annotated[int, Field(ge=9)]], "dict[str, int]"),
        (Annotated[Literal["a"], "letter"], "Literal['a']"),
        (tuple[Annotated[int, Field(ge=9)], str], "tuple[int, str]"),
        (Annotated[date, "a day"], "date"),
    ],
)
def test_the_message_shows_the_type_as_a_person_writes_it(hint, shown):
    text = taking(hint).call("take", {"value": [1]}).text
    assert text.startswith((f"value must be {shown}: ", f"value must be {shown} | None: ")), text


def test_a_text_in_annotated_is_the_description():
    row = report("annotated-text")
    entry = taking(Annotated[str, "the city"])["take"].parameters["properties"]["value"]
    assert entry["description"] == row["expect"]["description"]


def test_a_class_inside_a_function_is_named_with_what_to_do():
    """With `from __future__ import annotations` a hint is text and cannot name a local class."""
    row = report("future-local")
    source = (
        "from __future__ import annotations\n"
        "def outer():\n  class L: pass\n  def loc(x: L):\n    'Use.'\n  return loc\n"
    )
    names: dict = {}
    exec(source, names)
    with pytest.raises(ValueError, match="Move L to the top of the module"):
        Registry().register(names["outer"]())
    assert "to the top of the module" in row["expect"]


# Schemas and names that the API takes ----------------------------------------------------------


def arrays(schema: object) -> Iterator[dict]:
    """Every schema of an array inside a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from arrays(one)
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield schema
        for one in schema.values():
            yield from arrays(one)


@pytest.mark.parametrize(
    "hint, items",
    [
        (tuple[float, float], {"type": "number"}),
        (tuple[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (tuple[int, ...], {"type": "integer"}),
        (tuple, {}),
        (list, {}),
        (list[tuple[int, int]], None),
        (Optional[tuple[str, str]], {"type": "string"}),
        (dict[str, tuple[int, int]], {"type": "integer"}),
        (tuple[()], {}),
        (Place, {"type": "number"}),
        (set[int], {"type": "integer"}),
    ],
)
def test_every_array_says_what_its_items_are(hint, items):
    """OpenAI refuses a request with an array without `items`."""
    found = list(arrays(taking(hint)["take"].parameters))
    assert found and all("items" in one for one in found)
    if items is not None:
        assert found[0]["items"] == items


@pytest.mark.parametrize("name", ["a" * 65, "天" * 65, "a.b", "a b", "", "2nd?", "a\n"])
def test_a_tool_name_that_cannot_be_sent_is_refused(name):
    with pytest.raises(ValueError, match="name="):
        Registry().register(lambda: 1, name=name or "?", description="Use it.")


@pytest.mark.parametrize("name", ["天气", "größe", "погода", "get_météo", "ａｂ", "天" * 64])
def test_a_tool_is_sent_under_a_name_that_every_api_takes(name):
    registry = Registry()
    registry.register(lambda: 1, name=name, description="Use it.")
    [sent] = [one["function"]["name"] for one in registry.schemas()]
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", sent)


@pytest.mark.parametrize("name", ["a", "a" * 64, "get-weather", "_x", "GetWeather"])
def test_a_tool_name_that_every_api_takes_is_taken(name):
    registry = Registry()
    registry.register(lambda: 1, name=name, description="Use it.")
    assert registry.call(name, {}).text == "1"


def test_a_long_parameter_name_is_refused():
    names: dict = {}
    exec(f"def f({'p' * 65}: int): 'Use it.'", names)
    with pytest.raises(ValueError, match="64"):
        Registry().register(names["f"])


@pytest.mark.parametrize(
    "parameter, sent",
    [
        ("größe", "grosse"),
        ("città", "citta"),
        ("城市", "parameter_1"),
        ("дата", "parameter_1"),
        ("naïve", "naive"),
    ],
)
def test_a_parameter_is_sent_under_a_name_that_every_api_takes(parameter, sent):
    names: dict = {}
    exec(f"def f({parameter}: str, other: int = 1):\n 'Use it.'\n return {parameter}", names)
    registry = Registry()
    registry.register(names["f"])
    schema = registry.schemas()[0]["function"]["parameters"]
    assert list(schema["properties"]) == [sent, "other"]
    assert schema["required"] == [sent]
    assert parameter in schema["properties"][sent]["description"]
    assert registry.parameters() == {"f": [parameter, "other"]}
    assert registry.call("f", {sent: "x"}).text == "x"
    assert registry.call("f", {parameter: "y"}).text == "y"


def test_two_parameters_are_not_sent_under_one_name():
    registry = Registry()

    @registry.register
    def f(grosse: int, größe: int, 高: int, 宽: int) -> str:
        """Use it."""
        return f"{grosse} {größe} {高} {宽}"

    sent = list(registry.schemas()[0]["function"]["parameters"]["properties"])
    assert len(set(sent)) == 4 and sent[0] == "grosse"
    assert registry.call("f", dict(zip(sent, [1, 2, 3, 4]))).text == "1 2 3 4"


# Generators ------------------------------------------------------------------------------------


def generated(values: list, value: object) -> Registry:
    registry = Registry()

    @registry.register
    def give() -> Iterator[object]:
        """Give it."""
        yield from values
        return value

    return registry


@pytest.mark.parametrize(
    "values, value, text",
    [
        ([], "all", "all"),
        ([1, 2], "sum 3", "1\n2\nsum 3"),
        (["a"], None, "a"),
        ([], None, "The tool returned an empty list."),
        ([1], {"total": 1}, '1\n{"total": 1}'),
        ([], 0, "0"),
        ([None], 5, "null\n5"),
        ([1], [2, 3], "1\n[2, 3]"),
        ([[1]], "end", "[1]\nend"),
        ([1.5], Decimal("2.5"), "1.5\n2.5"),
    ],
)
def test_what_a_generator_returns_comes_last(values, value, text):
    assert generated(values, value).call("give", {}).text == text


def test_a_generator_that_is_not_read_to_its_end_says_so():
    seen = Registry(limit=100_000)
    seen.register(generated(list(range(1001)), "end")["give"].function)
    assert seen.call("give", {}).text.endswith("\n999\n[only the first 1000 items]")


@pytest.mark.parametrize(
    "hint, value, result",
    [
        (Iterable[int], [1, "2"], "[1, 2]"),
        (Optional[Iterable[int]], [1], "[1]"),
        (Iterable, ["a"], "['a']"),
        (typing.Iterable[str], ["a"], "['a']"),
        (Sequence[int], [1], "[1]"),
        (Iterable[int], ["a"], None),
    ],
)
def test_what_can_be_iterated_is_a_list(hint, value, result):
    """pydantic makes an iterator of it, which can be read once and not copied."""
    seen = taking(hint).call("take", {"value": value})
    assert (seen.error, result) == ("bad arguments", None) or seen.text == result


@pytest.mark.parametrize("keys", [(1, "1"), (None, "None"), (True, "true", "True"), (1.0, "1.0")])
def test_no_entry_of_a_result_is_lost_because_its_key_is_no_text(keys):
    registry = Registry()
    registry.register(lambda: {key: f"at {key!r}" for key in keys}, name="give", description="X.")
    text = registry.call("give", {}).text
    assert all(f"at {key!r}" in text.replace('\\"', '"') for key in keys), text


class Shade(Enum):
    RED = "red"


def test_an_enumeration_still_takes_its_values():
    assert taking(Shade).call("take", {"value": "red"}).text == "<Shade.RED: 'red'>"
    assert taking(Level).call("take", {"value": 1}).text == "<Level.HIGH: 1>"
