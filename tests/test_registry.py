"""Registry: from a function to a tool, and from a call to an Observation."""

import json
from datetime import date
from enum import Enum
from typing import Literal

import pytest

from react_lab.registry import Registry, Tool


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


@pytest.mark.parametrize("fault", [ValueError("no such city"), TypeError("inside"), SystemExit(3)])
def test_whatever_a_tool_raises_becomes_text(fault):
    registry = Registry()

    @registry.register
    def broken() -> str:
        """Always fails."""
        raise fault

    seen = registry.call("broken", {})
    assert seen.error == "tool error"
    assert seen.text == f"{type(fault).__name__}: {fault}"


def test_an_interrupt_is_the_persons_and_passes_through():
    registry = Registry()

    @registry.register
    def slow() -> str:
        """Takes long."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        registry.call("slow", {})


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
    ],
)
def test_results_become_readable_text(value, text):
    registry = Registry()
    registry.register(lambda: value, name="give", description="Gives it.")
    assert registry.call("give", {}).text == text


def test_the_authors_mistakes_are_exceptions_that_say_what_to_write():
    registry = shop()
    with pytest.raises(ValueError, match="already; choose another name"):
        registry.register(lambda: 1, name="price", description="Again.")
    with pytest.raises(ValueError, match="Write a docstring"):
        registry.register(lambda: 1, name="silent")
    with pytest.raises(ValueError, match="use letters, digits and underscores"):
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


def test_schemas_have_the_shape_of_the_chat_api():
    [price, clock] = shop().schemas()
    assert price["type"] == "function"
    assert set(price["function"]) == {"name", "description", "parameters"}
    assert clock["function"]["parameters"] == {"type": "object", "properties": {}, "required": []}
    assert shop().parameters() == {"price": ["item", "count"], "clock": []}


def test_what_could_never_work_is_said_at_registration():
    registry = Registry()
    with pytest.raises(NameError):

        @registry.register
        def unknown_hint(x: "Nope") -> str:  # noqa: F821
            """Has a hint that does not exist."""

    with pytest.raises(ValueError, match="a plain function"):

        @registry.register
        async def later() -> str:
            """Comes later."""

    with pytest.raises(ValueError, match="no JSON Schema of an object"):
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

    assert registry.call("broken", {}).text == "Mute: "
