"""Signature: write a function's parameters as JSON Schema, and convert values to their types.

>>> def price(item: str, count: int = 1): ...
>>> schema(price)["required"]
['item']
>>> convert("3", parameters_of(price)["count"])
3
"""

import copy
import dataclasses
import functools
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import date, time, timedelta
from enum import Enum
from inspect import Parameter, formatannotation, getdoc, signature
from numbers import Number
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def parameters_of(function: Callable[..., object]) -> dict[str, Parameter]:
    """Return the parameters that a caller can give by name, with their type hints resolved.

    A default that is a pydantic `Field(...)` becomes part of the hint, as in
    `Annotated[int, Field(ge=1)]`; `default_of` reads it from there.

    Raises:
        ValueError: `function` is not callable, has a hint that is not defined, or cannot be
            called by names alone.
    """
    if not callable(function):
        raise ValueError(f"{function!r} is not a function; give the rest by name: example=...")
    named = getattr(function, "__name__", "the function")
    try:
        parameters = signature(function, eval_str=True).parameters
    except NameError as error:
        raise ValueError(
            f"The signature of {named} cannot be read: {error}. "
            f"Move {error.name} to the top of the module."
        ) from None
    except Exception as error:  # a hint may be any text
        raise ValueError(f"The signature of {named} cannot be read: {error}.") from None
    if next(iter(parameters), None) in ("self", "cls"):
        raise ValueError(f"{named} is a method without its object; register object.{named}.")
    fixed = function.keywords if isinstance(function, functools.partial) else ()
    found = {}
    for name, parameter in parameters.items():
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ValueError(f"{named} takes {name} by position only; wrap it in a function.")
        starred = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if not starred and name not in fixed:
            found[name] = _without_field(parameter, named)
    return found


def _without_field(parameter: Parameter, named: str) -> Parameter:
    """Return the parameter with a `Field(...)` default moved into its hint."""
    from pydantic.fields import FieldInfo

    default = parameter.default
    if isinstance(default, dataclasses.Field):
        raise ValueError(
            f"{named} has dataclasses.field(...) as the default of {parameter.name}, which works "
            "in a dataclass only. Write pydantic's Field(default_factory=list), or a plain value."
        )
    if not isinstance(default, FieldInfo):
        return parameter
    inner = Any if parameter.annotation is parameter.empty else parameter.annotation
    return parameter.replace(annotation=Annotated[inner, default], default=parameter.empty)


def default_of(parameter: Parameter) -> object:
    """Return a parameter's default, `Parameter.empty` if it has none.

    A default in a pydantic `Field` counts; each call gets its own copy of it.
    """
    from pydantic.fields import FieldInfo

    if parameter.default is not parameter.empty:
        return parameter.default
    for field in reversed(_metadata(parameter)):
        if isinstance(field, FieldInfo) and not field.is_required():
            return copy.deepcopy(field.get_default(call_default_factory=True))
    return parameter.empty


def in_field(parameter: Parameter) -> bool:
    """Return whether the default is in a `Field`, so that Python itself does not fill it in."""
    return parameter.default is parameter.empty and default_of(parameter) is not parameter.empty


def _metadata(parameter: Parameter) -> tuple[object, ...]:
    """Return what `Annotated[...]` adds to a parameter's type."""
    return getattr(parameter.annotation, "__metadata__", ())


def schema(function: Callable[..., object]) -> dict[str, Any]:
    """Return the JSON Schema of a function's parameters. `*args` and `**kwargs` are left out.

    The description of a parameter comes from pydantic's `Field(description=...)`, else from
    `Annotated[str, "..."]`, else from the section "Args" of the docstring.

    Raises:
        ValueError: as `parameters_of` raises it, and for a type that JSON cannot express.
    """
    from pydantic import TypeAdapter

    properties: dict[str, Any] = {}
    required: list[str] = []
    definitions: dict[str, Any] = {}
    documented = documented_parameters(function)
    for name, parameter in parameters_of(function).items():
        if len(name) > LONGEST_NAME:
            raise ValueError(
                f"The parameter {name} has {len(name)} letters; no API accepts more than "
                f"{LONGEST_NAME}. Give it a shorter name."
            )
        try:
            entry = TypeAdapter(_hint(parameter, str)).json_schema()
        except Exception as error:  # pydantic has many, and hints may bring their own
            reason = str(error).splitlines()[0]
            raise ValueError(f"{parameter} has a type that JSON lacks: {reason}") from None
        if about := entry.get("description") or _annotated(parameter) or documented.get(name):
            entry["description"] = " ".join(about.split())
        entry.pop("default", None)
        if (default := default_of(parameter)) is parameter.empty:
            required.append(name)
        elif (plain := _plain_default(default)) is not None:
            entry["default"] = plain
        definitions |= entry.pop("$defs", {})
        properties[name] = entry
    found = {"type": "object", "properties": properties, "required": required}
    _name_items(found := found | ({"$defs": definitions} if definitions else {}))
    return found


LONGEST_NAME = 64  # characters; OpenAI's and Anthropic's APIs refuse longer ones


def _name_items(schema: object) -> None:
    """Give each array inside a schema its `items`, without which some APIs refuse a request.

    A tuple lists a type for each place; its `items` allow any of these types at every place.
    """
    if not isinstance(schema, dict | list):
        return
    for one in schema.values() if isinstance(schema, dict) else schema:
        _name_items(one)
    if isinstance(schema, dict) and schema.get("type") == "array" and "items" not in schema:
        places = [
            {key: value for key, value in place.items() if key != "title"}
            for place in schema.get("prefixItems", [])
        ]
        kinds = [kind for n, kind in enumerate(places) if kind not in places[:n]]
        schema["items"] = {"anyOf": kinds} if len(kinds) > 1 else dict(*kinds)


def sent_names(names: Sequence[str]) -> dict[str, str]:
    """Return names of parameters that an API accepts: {name that is sent: own name}.

    Python allows letters of any script in a name, some APIs only a to z.

    >>> sent_names(["größe", "城市", "unit"])
    {'grosse': 'größe', 'parameter_2': '城市', 'unit': 'unit'}
    """
    found = {name: name for name in names if _SENT.fullmatch(name)}
    for place, name in enumerate(names, 1):
        if name not in found:
            letters = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore")
            short = letters.decode()
            usable = _SENT.fullmatch(short) and len(short) >= len(name) and short not in found
            found[short if usable else f"parameter_{place}"] = name
    return {sent: name for name in names for sent in found if found[sent] == name}


_SENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")


# The section of a docstring that describes the parameters, and one entry in it.
_ARGS = re.compile(
    r"^(?:Args|Arguments|Parameters|参数)[:：][ \t]*\n((?:[ \t]+\S.*(?:\n|\Z)|\n)+)", re.M
)
_ENTRY = re.compile(r"\*{0,2}(\w+)[ \t]*(?:\([^)]*\)[ \t]*)?[:：][ \t]*(.*)", re.S)


def documented_parameters(function: Callable[..., object]) -> dict[str, str]:
    """Return what the docstring's section "Args" says about each parameter (Google style).

    >>> def price(item: str):
    ...     '''Look a price up.
    ...
    ...     Args:
    ...         item: name of the article,
    ...             in English
    ...     '''
    >>> documented_parameters(price)
    {'item': 'name of the article, in English'}
    """
    if not (section := _ARGS.search(_doc_of(function))):
        return {}
    lines = [line for line in section[1].splitlines() if line.strip()]
    depth = min(len(line) - len(line.lstrip()) for line in lines)
    entries: list[str] = []
    for line in lines:
        if entries and len(line) - len(line.lstrip()) > depth:
            entries[-1] += "\n" + line
        else:
            entries.append(line.strip())
    found = [match for entry in entries if (match := _ENTRY.fullmatch(entry))]
    return {match[1]: " ".join(match[2].split()) for match in found if match[2].strip()}


def described(function: Callable[..., object]) -> str:
    """Return the docstring on one line, without the section about the parameters."""
    return " ".join(_ARGS.sub("", _doc_of(function)).split())


def _doc_of(function: Callable[..., object]) -> str:
    named = function.func if isinstance(function, functools.partial) else function
    return getdoc(named) or ""


def _annotated(parameter: Parameter) -> str:
    """Return the text in `Annotated[type, "text"]`, "" if there is none."""
    texts = [one for one in _metadata(parameter) if isinstance(one, str)]
    return texts[0] if texts else ""


def convert(value: object, parameter: Parameter) -> object:
    """Return a value in its parameter's type.

    true and false are not numbers, and a bare number is not a date, at any depth of the type.

    Raises:
        ValueError: the value does not fit; the message tells the model what is wrong.
    """
    hint = _hint(parameter)
    if hint is None:
        return value
    adapter = _adapter(hint)
    problem: Exception | None = None
    for reading in _readings(value):
        try:
            found = adapter.validate_python(reading)
            if isinstance(found, Iterator):  # of an Iterable[int]: read lazily, and only once
                found = list(found)
            if reason := _mistaken(reading, found):
                raise ValueError(reason)
            return found
        except Exception as error:  # a dataclass may raise anything while it is made
            problem = error
    if isinstance(value, float) and _takes_text(adapter):
        problem = ValueError(f'put the number in quotes, as "{value}"')
    raise ValueError(f"{parameter.name} must be {_written(hint)}: {_reason(problem)}.")


def _mistaken(given: object, found: object) -> str:
    """Return why a converted value is not what was given, "" if it is.

    pydantic takes true for 1 and a number for seconds since 1970.
    """
    if isinstance(found, Enum):
        found = found.value
    if isinstance(given, bool) and isinstance(found, Number) and not isinstance(found, bool):
        return "true and false are not numbers"
    bare = isinstance(given, int | float) or isinstance(given, str) and _BARE.fullmatch(given)
    if bare and isinstance(found, date | time | timedelta):
        example = {timedelta: "PT90S", time: "10:30"}.get(type(found), "2026-06-01")
        return f"a bare number is not clear, write it as {example}"
    if isinstance(given, Mapping):
        inside = found if isinstance(found, Mapping) else getattr(found, "__dict__", {})
        pairs = [(one, inside[name]) for name, one in given.items() if name in inside]
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if isinstance(found, Set):  # in another order
            numbers = any(isinstance(one, bool) for one in given)
            lost = numbers and not any(isinstance(one, bool) for one in found)
            return "true and false are not numbers" if lost else ""
        pairs = list(zip(given, found)) if isinstance(found, Sequence) else []
    else:
        pairs = []
    return next(filter(None, (_mistaken(*pair) for pair in pairs)), "")


_BARE = re.compile(r"\s*[-+]?\d+(?:\.\d*)?\s*")  # a number written as text


def _takes_text(adapter: "TypeAdapter[Any]") -> bool:
    """Return whether a type accepts any text unchanged."""
    try:
        return bool(adapter.validate_python("1.5") == "1.5")
    except Exception:
        return False


def _written(hint: object) -> str:
    """Return a type as a person writes it, without what `Annotated` adds."""
    hint = _bare(hint)
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return formatannotation(hint)


def _bare(hint: Any) -> Any:
    """Return a type without what `Annotated` adds, at any depth."""
    if get_origin(hint) is Annotated:
        return _bare(hint.__origin__)
    if not (inner := get_args(hint)) or not (origin := get_origin(hint)):
        return hint
    bare = tuple(_bare(one) for one in inner)
    if bare == inner:
        return hint
    return Union[bare] if origin in (Union, UnionType) else origin[bare]  # noqa: UP007


def _adapter(hint: Any) -> "TypeAdapter[Any]":
    """Return the validator of a type. For plain classes it is cached, as every call needs it."""
    from pydantic import TypeAdapter

    return _kept(hint) if isinstance(hint, type) else TypeAdapter(hint)


@functools.lru_cache(maxsize=100)
def _kept(hint: type) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def _hint(parameter: Parameter, otherwise: object = None) -> Any:
    """Return a parameter's type hint, or the type of its default if it has no hint."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    kind = type(parameter.default)
    return kind if kind in (bool, int, float, str, list, dict) else otherwise


def _plain_default(default: object) -> object:
    """Return a default as JSON, or None if JSON cannot express it."""
    from pydantic_core import to_jsonable_python

    try:
        return to_jsonable_python(default, inf_nan_mode="null")
    except ValueError:
        return None


def _readings(value: object) -> Iterator[object]:
    """Yield the value, then what a model may have meant by it if the type refuses it.

    A whole number can be a text. A decimal number cannot: 3.10 was read as 3.1 already.
    """
    yield value
    if isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, str):
        try:
            decoded = json.loads(value)  # a list or an object, written as text
        except (ValueError, RecursionError):
            return
        yield decoded


def _reason(problem: Exception | None) -> str:
    """Return why a type refuses a value: the first point, with its place inside the value."""
    from pydantic import ValidationError

    if not isinstance(problem, ValidationError):
        return str(problem)
    first = problem.errors()[0]
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
