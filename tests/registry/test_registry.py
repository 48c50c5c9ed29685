"""Registry: from a function to a tool, and from a call to an Observation."""

import asyncio
import json
import math
import sqlite3
import threading
from asyncio import CancelledError
from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import wraps
from io import StringIO
from itertools import count
from typing import Annotated, Literal, Optional

import pytest
from pydantic import Field

from react_lab.registry import Registry, Tool


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Size:
    """What a tool may take or return."""

    wide: int
    high: int = 1

    def __post_init__(self):
        if self.wide == 13:
            raise KeyError(13)
        if self.wide < 1:
            raise ValueError("wide must be above 0")


def nested(levels: int) -> list:
    """A list in a list in a list."""
    found = []
    for _ in range(levels):
        found = [found]
    return found


def shop() -> Registry:
    registry = Registry()

    @registry.register(example={"item": "kettle"})
    def price(item: str, count: int = 1) -> str:
        """Price of an item.
        Use it for costs."""
        return f"{count} {item}: {3 * count} euros"

    @registry.register(name="clock", description="The time.")
    def now() -> str:
        return "12:00"

    return registry


def test_a_tool_is_read_from_the_signature_and_the_docstring():
    tool = shop()["price"]
    assert tool.description == "Price of an item. Use it for costs."
    assert tool.parameters == {
        "type": "object",
        "properties": {"item": {"type": "string"}, "count": {"type": "integer", "default": 1}},
        "required": ["item"],
    }
    assert tool.example == {"item": "kettle"}


def test_name_description_and_parameters_can_be_given():
    registry = Registry()
    schema = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    registry.register(lambda x: x, name="same", description="Gives x back.", parameters=schema)
    assert registry["same"].parameters == schema
    assert registry.call("same", {"x": 2.5}).text == "2.5"


def test_enumerations_become_json_schema():
    registry = Registry()

    @registry.register
    def paint(colour: Literal["red", "blue"]) -> str:
        """Paint the wall."""
        return colour

    assert registry["paint"].parameters["properties"]["colour"]["enum"] == ["red", "blue"]
    assert registry.call("paint", {"colour": "pink"}).error == "bad arguments"


def test_a_call_runs_the_function_with_converted_arguments():
    seen = shop().call("price", {"item": "kettle", "count": "2"})
    assert (seen.text, seen.error, seen.truncated) == ("2 kettle: 6 euros", None, 0)
    assert shop().call("clock", {}).text == "12:00"


def test_a_number_where_text_is_asked_for_has_one_reading():
    assert shop().call("price", {"item": 17}).text == "1 17: 3 euros"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, ["missing: item", "price takes: item, count"]),
        ({"item": "pot", "colour": "red"}, ["unknown: colour"]),
        ({"item": "pot", "count": "many"}, ["count must be int"]),
    ],
)
def test_wrong_arguments_never_reach_the_function(arguments, words):
    seen = shop().call("price", arguments)
    assert seen.error == "bad arguments"
    assert all(word in seen.text for word in words), seen.text


def test_only_registered_names_run():
    seen = shop().call("os.system", {"command": "ls"})
    assert (seen.error, seen.text) == ("unknown tool", "There is no tool named 'os.system'.")


def failing(fault: BaseException, times: int = 100, limit: int = 1500, **settings) -> Registry:
    """A registry with one tool, "ask", that raises `fault` in its first calls, then says 7."""
    registry, calls = Registry(limit=limit), []

    def ask() -> int:
        calls.append(1)
        if len(calls) <= times:
            raise fault
        return 7

    registry.register(ask, description="Asks.", **settings)
    return registry


@pytest.mark.parametrize("seconds", [None, 20])
@pytest.mark.parametrize(
    "fault",
    [
        ValueError("no such city"),
        TypeError("inside"),
        SystemExit(3),
        StopIteration("odd"),
        GeneratorExit("odd"),
        CancelledError("odd"),
        ExceptionGroup("two", [ValueError(), TypeError()]),
    ],
)
def test_whatever_a_tool_raises_becomes_text(fault, seconds):
    seen = failing(fault, seconds=seconds).call("ask", {})
    assert (seen.error, seen.tries) == ("tool error", 1)
    assert seen.text == f"{type(fault).__name__}: {fault}"


@pytest.mark.parametrize("seconds", [None, 20])
def test_an_interrupt_is_the_persons_and_passes_through(seconds):
    with pytest.raises(KeyboardInterrupt):
        failing(KeyboardInterrupt(), seconds=seconds).call("ask", {})


def test_a_long_complaint_is_cut_as_a_long_result_is():
    seen = failing(ValueError("x" * 100), limit=20).call("ask", {})
    assert (seen.text, seen.truncated) == ("ValueError: " + 8 * "x", 92)


# Who tries again ---------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [None, 20])
@pytest.mark.parametrize("fault", [TimeoutError("slow"), ConnectionRefusedError("closed")])
def test_a_read_tool_is_run_again_twice_and_the_model_sees_one_observation(fault, seconds):
    seen = failing(fault, times=2, seconds=seconds).call("ask", {})
    assert (seen.text, seen.error, seen.tries) == ("7", None, 3)
    seen = failing(fault, times=3, seconds=seconds).call("ask", {})
    assert (seen.text, seen.error) == (f"{type(fault).__name__}: {fault}", "tool error")
    assert seen.tries == 3


def test_a_write_tool_is_never_run_again():
    seen = failing(TimeoutError("slow"), times=1, effect="write").call("ask", {})
    assert (seen.text, seen.tries) == ("TimeoutError: slow", 1)


def test_no_other_fault_is_tried_again():
    seen = failing(OSError("disk"), times=1).call("ask", {})
    assert (seen.text, seen.tries) == ("OSError: disk", 1)


def test_a_registry_can_leave_every_fault_to_the_model():
    tools = Registry(tuple(failing(TimeoutError("slow"), times=1)), retries=0).subset(["ask"])
    assert tools.call("ask", {}).text == "TimeoutError: slow"
    assert tools.call("ask", {}).text == "7"


def test_every_try_gets_the_arguments_as_the_model_gave_them():
    registry = Registry()

    @registry.register
    def pop(items: list) -> str:
        """Takes the last item."""
        last = items.pop()
        if last == "b" and items:
            raise TimeoutError
        return last

    arguments = {"items": ["a", "b"]}
    assert registry.call("pop", arguments).tries == 3
    assert arguments == {"items": ["a", "b"]}


# Time, threads, event loops, prints --------------------------------------------------------


def test_a_tool_that_never_comes_back_is_given_up():
    registry, gate = Registry(), threading.Event()
    registry.register(gate.wait, name="wait", description="Waits.", parameters={}, seconds=0.05)
    seen = registry.call("wait", {})
    gate.set()
    assert (seen.error, seen.text) == ("tool error", "TimeoutError: wait ran out of time (0.05 s).")
    assert seen.tries == 1


def test_the_limit_covers_the_reading_of_a_generator_too():
    registry, gate = Registry(), threading.Event()

    @registry.register(seconds=0.05)
    def lines():
        """Stops half way."""
        yield "one"
        gate.wait()

    seen = registry.call("lines", {})
    gate.set()
    assert "ran out of time" in seen.text


def test_only_a_tool_with_a_limit_leaves_the_thread():
    registry, colour = Registry(), ContextVar("colour", default="none")

    def where() -> str:
        return f"{threading.current_thread() is threading.main_thread()} {colour.get()}"

    registry.register(where, name="here", description="Where?")
    registry.register(where, name="there", description="Where?", seconds=20)
    colour.set("red")  # such as the cell to which a print belongs
    assert registry.call("here", {}).text == "True red"
    assert registry.call("there", {}).text == "False red"


def test_a_print_goes_to_the_person_not_to_the_model(capsys):
    registry = Registry()

    @registry.register
    def log(text: str) -> None:
        """Prints a line."""
        print(text)

    assert registry.call("log", {"text": "tea"}).text == "Done. The tool returned nothing."
    assert capsys.readouterr().out == "tea\n"


def waiting() -> Registry:
    """A registry of tools that have to be awaited."""
    registry = Registry()

    @registry.register
    async def double(x: int) -> int:
        """Doubles, slowly."""
        await asyncio.sleep(0)
        return 2 * x

    @registry.register
    async def fail() -> int:
        """Fails, slowly."""
        await asyncio.sleep(0)
        raise ValueError("too late")

    @registry.register
    async def tick():
        """Ticks for ever."""
        for number in count():
            yield number

    @registry.register(seconds=0.05)
    async def hang():
        """Never ends."""
        await asyncio.Event().wait()

    return registry


def look_at_waiting():
    registry = waiting()
    assert registry.call("double", {"x": 21}).text == "42"
    assert registry.call("fail", {}).text == "ValueError: too late"
    assert registry.call("tick", {}).text.startswith("0\n1\n2\n")
    assert registry.call("hang", {}).text == "TimeoutError: hang ran out of time (0.05 s)."


def test_a_coroutine_is_waited_for():
    look_at_waiting()


def test_a_coroutine_is_waited_for_inside_a_running_event_loop():
    """As in a notebook cell."""

    async def cell():
        look_at_waiting()

    asyncio.run(cell())


# What comes back ---------------------------------------------------------------------------


def test_a_long_result_is_cut_and_says_how_much_is_missing():
    registry = Registry(limit=10)
    registry.register(lambda: "abcdefghijklm", name="long", description="Long text.")
    seen = registry.call("long", {})
    assert (seen.text, seen.truncated) == ("abcdefghij", 3)


@pytest.mark.parametrize(
    "value, text",
    [
        (None, "Done. The tool returned nothing."),
        ("", "The tool returned an empty text."),
        ([], "The tool returned an empty list."),
        (["a", 2], "a\n2"),
        ({"stadt": "Köln"}, '{"stadt": "Köln"}'),
        (0, "0"),
        (True, "true"),
        ([["a", 1], ["b", None]], '["a", 1]\n["b", null]'),
        (["", " "], "The tool returned an empty text."),
        ({"b", "c", "a"}, "a\nb\nc"),
        (deque([1, 2]), "1\n2"),
        (range(3), "0\n1\n2"),
        ({}.keys(), "The tool returned an empty list."),
        (map(str.upper, ["a", "b"]), "A\nB"),
        (StringIO("one\ntwo"), "one\n\ntwo"),
        ((n for n in range(3)), "0\n1\n2"),
        (Decimal("0.10"), "0.10"),
        (Fraction(1, 3), "1/3"),
        (date(2026, 6, 1), "2026-06-01"),
        (Colour.RED, "red"),
        (Size(2, 3), '{"wide": 2, "high": 3}'),
        ([Size(2, 3)], '{"wide": 2, "high": 3}'),
        (b"plain", "plain"),
        (bytearray(b"\x00\xff"), "2 bytes that are no text"),
        (float("inf"), "inf"),
        ({"big": 10**5000}, '{"big": "a whole number of 16610 bits"}'),
        ({("k", 1): [{}]}, """{"['k', 1]": [{}]}"""),
        ("half \ud83d", "half ?"),
        (object(), "<object object>"),
        (nested(5000), "[" * 19 + '"..."' + "]" * 19),
    ],
    ids=lambda value: type(value).__name__,
)
def test_results_become_readable_text(value, text):
    registry = Registry()
    registry.register(lambda: value, name="give", description="Gives it.")
    assert registry.call("give", {}).text == text


def test_what_may_never_end_is_read_up_to_a_bound_and_says_so():
    registry = Registry(limit=100_000)
    registry.register(count, name="numbers", description="Counts for ever.")
    assert registry.call("numbers", {}).text.endswith("\n999\n[only the first 1000 items]")


def test_rows_of_a_database_are_read_with_their_names():
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.row_factory = sqlite3.Row
    registry = Registry()
    registry.register(lambda: base.execute("SELECT 7 AS id"), name="query", description="Asks.")
    assert registry.call("query", {}).text == '{"id": 7}'


def test_numbers_and_arrays_of_numpy_are_plain():
    np = pytest.importorskip("numpy")
    registry, values = Registry(), iter([np.float64(2.5), np.longdouble(2.5), np.array(3)])
    registry.register(lambda: next(values), name="give", description="Gives it.")
    assert [registry.call("give", {}).text for _ in range(3)] == ["2.5", "2.5", "3"]
    day = np.datetime64("2031-05-04T12:30", "ns")
    values = iter([np.array([[1, 2], [3, 4]]), day, np.array([]), np.zeros(10**6)])
    texts = [registry.call("give", {}).text for _ in range(4)]
    assert texts[0] == "[1, 2]\n[3, 4]"
    assert texts[1].startswith("2031-05-04T12:30:00")
    assert texts[2] == "The tool returned an empty list."
    assert texts[3] == "[0. 0. 0. ... 0. 0. 0.]"


class Table:
    """Stands in for pandas.DataFrame, which is not installed: the methods that are used."""

    def __init__(self, rows: int):
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def head(self, rows: int) -> "Table":
        return Table(min(rows, self.rows))

    def to_string(self) -> str:
        return "\n".join(["   n", *(f"{row}  {row}" for row in range(self.rows))])


def test_a_table_stays_a_table_and_a_long_one_says_so():
    registry, tables = Registry(limit=100_000), iter([Table(2), Table(3000)])
    registry.register(lambda: next(tables), name="give", description="Gives it.")
    assert registry.call("give", {}).text == "   n\n0  0\n1  1"
    assert registry.call("give", {}).text.endswith("\n999  999\n[only the first 1000 rows of 3000]")


def test_an_object_that_cannot_speak_is_named():
    class Mute:
        def __str__(self):
            raise RuntimeError

    registry = Registry()
    registry.register(Mute, name="make", description="Makes one.")
    assert registry.call("make", {}).text == "a Mute that cannot be shown"


def test_a_value_within_itself_is_shown_once():
    ring, twice = ["a"], {"x": 1}
    ring.append(ring)
    registry, values = Registry(), iter([[ring], [twice, twice]])
    registry.register(lambda: next(values), name="give", description="Gives it.")
    assert registry.call("give", {}).text == '["a", "..."]'
    assert registry.call("give", {}).text == '{"x": 1}\n{"x": 1}'


# What a tool takes -------------------------------------------------------------------------


@pytest.fixture
def order() -> Registry:
    """A tool with every kind of parameter, which shows what it was called with."""

    def order(
        what: Literal["tea", "coffee"] = "tea",
        colour: Colour | None = None,
        size: Size = Size(1),  # noqa: B008
        days: list[date] | None = None,
        label: Optional[str] = "none",  # noqa: UP045
        pieces: int = 1,
        weight: float = None,
        per=2,
        gift: bool = False,
        note=None,
        end=object(),  # noqa: B008
        most: float = float("inf"),
    ) -> str:
        """Takes an order."""

    registry = Registry()
    registry.register(wraps(order)(lambda **given: repr(given)))
    return registry


def test_defaults_stand_in_the_schema_where_json_has_them(order):
    schema = order["order"].parameters
    assert schema["required"] == []
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    defaults = {k: v["default"] for k, v in schema["properties"].items() if "default" in v}
    assert defaults == {
        "what": "tea",
        "size": {"wide": 1, "high": 1},
        "label": "none",
        "pieces": 1,
        "per": 2,
        "gift": False,
    }
    assert schema["properties"]["per"]["type"] == "integer"


@pytest.mark.parametrize(
    "arguments, got",
    [
        ({}, {}),
        ({"what": "coffee", "gift": "true"}, {"what": "coffee", "gift": True}),
        ({"colour": "red"}, {"colour": Colour.RED}),
        ({"size": {"wide": "2"}}, {"size": Size(2)}),
        ({"size": '{"wide": 2, "high": 3}'}, {"size": Size(2, 3)}),
        ({"days": ["2026-06-01"]}, {"days": [date(2026, 6, 1)]}),
        ({"days": '["2026-06-01"]'}, {"days": [date(2026, 6, 1)]}),
        ({"label": 7}, {"label": "7"}),
        ({"label": "[1]"}, {"label": "[1]"}),
        ({"per": "3", "note": "as it is"}, {"per": 3, "note": "as it is"}),
        # null for what has a default and takes no null means: not given
        ({"pieces": None, "weight": None, "label": None}, {"label": None}),
    ],
)
def test_arguments_arrive_in_the_type_that_the_parameter_has(order, arguments, got):
    assert order.call("order", arguments).text == repr(got)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"what": "milk"}, "what must be Literal['tea', 'coffee']: Input should be 'tea'"),
        ({"colour": "pink"}, "Input should be 'red'"),
        ({"size": {"high": 3}}, "size must be Size: wide: Field required."),
        ({"size": '{"high": 3}'}, "size must be Size: wide: Field required."),
        ({"size": {"wide": -1}}, "size must be Size: Value error, wide must be above 0."),
        ({"size": {"wide": 13}}, "size must be Size: 13"),
        ({"pieces": True}, "pieces must be int: true and false are not numbers."),
        ({"pieces": "true"}, "pieces must be int: "),
        ({"gift": "perhaps"}, "gift must be bool: "),
        ({"days": "2026-06-01"}, "days must be list[datetime.date] | None: "),
        ({"label": ["a"]}, "label must be Optional[str]: "),
        (["tea"], "The input must be a JSON object with the parameter names."),
        (None, "The input must be a JSON object with the parameter names."),
    ],
)
def test_what_does_not_fit_is_said_by_name_and_place(order, arguments, says):
    seen = order.call("order", arguments)
    assert seen.error == "bad arguments"
    assert says in seen.text


def test_anything_that_can_be_called_by_name_can_be_a_tool():
    class Counter:
        """Counts up."""

        def __call__(self, by: int = 1) -> int:
            return 10 + by

    registry = Registry()
    registry.register(Counter(), name="count_up")
    assert registry["count_up"].description == "Counts up."
    assert registry.call("count_up", {"by": 2}).text == "12"
    with pytest.raises(ValueError, match="not a valid tool name"):
        registry.register(Counter())


def test_the_authors_mistakes_are_exceptions_that_say_what_to_write():
    registry = shop()
    with pytest.raises(ValueError, match="already; choose another name"):
        registry.register(lambda: 1, name="price", description="Again.")
    with pytest.raises(ValueError, match="Write a docstring"):
        registry.register(lambda: 1, name="silent")
    with pytest.raises(ValueError, match="letters, digits, _ and -"):
        registry.add(Tool("two words", "Says.", {}, print))
    with pytest.raises(ValueError, match="a number of characters"):
        Registry(limit=0)


def test_the_nearest_name_comes_first():
    registry = Registry()
    for name in ("search_docs", "get_weather", "calculator"):
        registry.register(lambda: 1, name=name, description="Does it.")
    assert registry.nearest("getweather")[0] == "get_weather"
    assert registry.nearest("Calculate")[0] == "calculator"


def test_a_subset_keeps_the_order_asked_for():
    assert [tool.name for tool in shop().subset(["clock", "price"])] == ["clock", "price"]
    with pytest.raises(KeyError):
        shop().subset(["nothing"])


def hall() -> Registry:
    """The tools of a town hall: enough of them that a question needs only some."""
    registry = Registry()
    for name, description in {
        "waste": "Days on which a bin is emptied in a street.",
        "parking": "Costs of a parking space, by the hour.",
        "getPool": "Opening hours and water temperature.",
        "road_works": "Which streets are closed, and how long.",
        "calculator": "Evaluate an arithmetic expression. Use it for any calculation.",
    }.items():
        registry.register(lambda: 1, name=name, description=description)
    return registry


@pytest.mark.parametrize(
    "question, best",
    [
        ("What does it cost to park for two hours?", "parking"),  # cost, park: Costs, parking
        ("When will the bins in Mill Lane be emptied?", "waste"),
        ("Is the pool warm enough?", "getPool"),  # a name in camel case is two words
        ("Are there works on the road to Hill End?", "road_works"),
        ('Is "street" NEAR(closed, 2) OR - *?', "road_works"),  # a question, not a query
        ("Calculate an expression, please.", "calculator"),
    ],
)
def test_tools_are_selected_by_the_words_of_the_question(question, best):
    assert [tool.name for tool in hall().select(question, 1)] == [best]


def test_a_selection_is_the_best_first_and_then_the_rest_in_order():
    def chosen(question: str, count: int) -> list[str]:
        return [tool.name for tool in hall().select(question, count)]

    everything = ["waste", "parking", "getPool", "road_works", "calculator"]
    assert chosen("How warm is the pool?", 3) == ["getPool", "waste", "parking"]
    assert chosen("Tell me a joke!", 9) == chosen("?", 9) == chosen("", 9) == everything
    # one description has "water"; "streets" stands in another one, and "street" in a third
    assert chosen("water", 2) == ["getPool", "waste"]
    assert set(chosen("street", 2)) == set(chosen("STREETS", 2)) == {"waste", "road_works"}


def test_a_selection_leaves_the_registry_as_it_was():
    registry = Registry(tuple(hall()), limit=7, retries=0)
    few = registry.select("parking", 2)
    assert (few.limit, few.retries, len(few), len(registry)) == (7, 0, 2, 5)
    assert few["parking"] is registry["parking"]
    assert few.call("calculator", {}).error == "unknown tool"
    assert len(Registry().select("anything", 4)) == 0
    with pytest.raises(ValueError, match="give how many tools to keep"):
        registry.select("parking", 0)


def test_tools_are_selected_in_chinese_too():
    registry = Registry()
    registry.register(lambda: 1, name="weather", description="查询城市的天气。")
    registry.register(lambda: 1, name="refund", description="查询退款期限。")
    assert [tool.name for tool in registry.select("退款要几天？", 1)] == ["refund"]


def test_schemas_have_the_shape_of_the_chat_api():
    [price, clock] = shop().schemas()
    assert price["type"] == "function"
    assert set(price["function"]) == {"name", "description", "parameters"}
    assert clock["function"]["parameters"] == {"type": "object", "properties": {}, "required": []}
    assert shop().parameters() == {"price": ["item", "count"], "clock": []}


def test_what_could_never_work_is_said_at_registration():
    registry = Registry()
    with pytest.raises(ValueError, match="cannot be read: name 'Nope' is not defined"):

        @registry.register
        def unknown_hint(x: "Nope") -> str:  # noqa: F821
            """Has a hint that does not exist."""

    with pytest.raises(ValueError, match="other: .*Registry.* a type that JSON lacks"):

        @registry.register
        def merge(other: Registry) -> str:
            """Takes what no JSON can hold."""

    class Cart:
        def total(self, currency: str) -> str:
            """What it costs."""

    with pytest.raises(ValueError, match="without its object; register object.total"):
        registry.register(Cart.total)
    with pytest.raises(ValueError, match="takes x by position only; wrap it"):
        registry.register(math.sqrt)
    with pytest.raises(ValueError, match="{'x': 1} is not a function; give the rest by name"):
        registry.register({"x": 1})
    with pytest.raises(ValueError, match="write .read. or .write."):
        registry.register(print, description="x", effect="delete")
    with pytest.raises(ValueError, match="a time limit above 0"):
        registry.register(print, description="x", seconds=0)
    with pytest.raises(ValueError, match="retries is -1"):
        Registry(retries=-1)
    with pytest.raises(ValueError, match="not a JSON Schema of an object"):
        registry.register(print, description="x", name="p", parameters={"city": {"type": "string"}})
    with pytest.raises(ValueError, match="unknown parameters: .'first'"):
        registry.register(lambda a: a, name="add", description="Adds.", example={"first": 1})
    assert len(registry) == 0


def test_every_schema_can_be_sent():
    class Colour(Enum):
        RED = "red"

    registry = Registry()

    @registry.register
    def paint(colour: Colour | None = None, when: date = date(2026, 1, 1)) -> str:
        """Paint it."""
        return f"{colour} {when}"

    schema = registry["paint"].parameters
    assert json.loads(json.dumps(registry.schemas())) == registry.schemas()
    assert schema["properties"]["when"]["default"] == "2026-01-01"
    assert schema["$defs"]["Colour"]["enum"] == ["red"]
    assert registry.call("paint", {"colour": "red"}).text == "Colour.RED 2026-01-01"


def test_an_exception_that_cannot_speak_is_an_observation_too():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    registry = Registry()

    @registry.register
    def broken() -> str:
        """Fails."""
        raise Mute

    assert registry.call("broken", {}).text == "Mute: no message"


# What a parameter means --------------------------------------------------------------------

CITY = {"type": "string", "description": "English name of the city"}


def described_by_hand(registry: Registry) -> None:
    @registry.register(parameters={"city": "English name of the city"})
    def weather(city: str, days: int = 1) -> str:
        """Weather in a city."""


def described_by_annotation(registry: Registry) -> None:
    @registry.register
    def weather(city: Annotated[str, "English name of the city"], days: int = 1) -> str:
        """Weather in a city."""


def described_by_field(registry: Registry) -> None:
    @registry.register
    def weather(
        city: Annotated[str, Field(description="English name of the city")], days: int = 1
    ) -> str:
        """Weather in a city."""


def described_by_docstring(registry: Registry) -> None:
    @registry.register
    def weather(city: str, days: int = 1) -> str:
        """Weather in a city.

        Args:
            city (str): English name
                of the city
        """


@pytest.mark.parametrize(
    "describe",
    [described_by_hand, described_by_annotation, described_by_field, described_by_docstring],
)
def test_a_parameters_meaning_is_read_from_four_places(describe):
    registry = Registry()
    describe(registry)
    tool = registry["weather"]
    assert tool.description == "Weather in a city."
    assert tool.parameters["properties"] == {
        "city": CITY,
        "days": {"type": "integer", "default": 1},
    }
    assert tool.parameters["required"] == ["city"]
    assert registry.schemas()[0]["function"]["parameters"]["properties"]["city"] == CITY
    assert registry.call("weather", {"city": 5}).error is None, "it is still converted"


def test_a_text_by_hand_wins_and_a_whole_schema_is_taken_whole():
    def weather(city: Annotated[str, "a name"], kind: str = "rain"):
        """Weather.

        Args:
            city: a place
            kind: rain or wind

        Returns:
            One line.
        """

    registry = Registry()
    registry.register(weather, parameters={"city": "by hand"})
    about = {n: p["description"] for n, p in registry["weather"].parameters["properties"].items()}
    assert about == {"city": "by hand", "kind": "rain or wind"}
    assert registry["weather"].description == "Weather. Returns: One line."
    whole = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    registry.register(weather, name="other", parameters=whole)
    assert registry["other"].parameters == whole
    with pytest.raises(ValueError, match="no parameter 'town'. It takes: city, kind"):
        registry.register(weather, name="third", parameters={"town": "a name"})


def test_a_parameter_may_be_named_type():
    registry = Registry()
    registry.register(lambda type: type, name="kind", description="A kind.",
                      parameters={"type": "which kind"})  # fmt: skip
    assert registry["kind"].parameters["properties"]["type"]["description"] == "which kind"
