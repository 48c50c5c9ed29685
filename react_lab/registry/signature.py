"""Signature: what a function takes, as JSON Schema; and a value put into a parameter's type.

>>> def price(item: str, count: int = 1): ...
>>> schema(price)["required"]
['item']
>>> convert("3", parameters_of(price)["count"])
3
"""

import functools
import json
import re
from collections.abc import Callable, Iterator
from inspect import Parameter, formatannotation, getdoc, signature
from typing import Annotated, get_origin


def parameters_of(function: Callable) -> dict[str, Parameter]:
    """The parameters that a caller can give by name, by name, with their type hints resolved.

    Raises ValueError for what is no function, for a hint that is not defined, and for a function
    that cannot be called by names alone.
    """
    if not callable(function):
        raise ValueError(f"{function!r} is no function; give the rest by name: example=...")
    named = getattr(function, "__name__", "the function")
    try:
        parameters = signature(function, eval_str=True).parameters
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
            found[name] = parameter
    return found


def schema(function: Callable) -> dict:
    """Return the JSON Schema of a function's parameters. `*args` and `**kwargs` are left out.

    The description of a parameter comes from pydantic's `Field(description=...)`, else from
    `Annotated[str, "..."]`, else from the section "Args" of the docstring.

    Raises:
        ValueError: as `parameters_of` raises it, and for a type that JSON cannot express.
    """
    from pydantic import TypeAdapter

    properties, required, definitions = {}, [], {}
    documented = documented_parameters(function)
    for name, parameter in parameters_of(function).items():
        try:
            entry = TypeAdapter(_hint(parameter, str)).json_schema()
        except Exception as error:  # pydantic has many, and hints may bring their own
            reason = str(error).splitlines()[0]
            raise ValueError(f"{parameter} has a type that JSON lacks: {reason}") from None
        if about := entry.get("description") or _annotated(parameter) or documented.get(name):
            entry["description"] = " ".join(about.split())
        if parameter.default is parameter.empty:
            required.append(name)
        elif (default := _plain_default(parameter)) is not None:
            entry["default"] = default
        definitions |= entry.pop("$defs", {})
        properties[name] = entry
    found = {"type": "object", "properties": properties, "required": required}
    return found | ({"$defs": definitions} if definitions else {})


# The section of a docstring that describes the parameters, and one entry in it.
_ARGS = re.compile(
    r"^(?:Args|Arguments|Parameters|参数)[:：][ \t]*\n((?:[ \t]+\S.*(?:\n|\Z)|\n)+)", re.M
)
_ENTRY = re.compile(r"\*{0,2}(\w+)[ \t]*(?:\([^)]*\)[ \t]*)?[:：][ \t]*(.*)", re.S)


def documented_parameters(function: Callable) -> dict[str, str]:
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


def described(function: Callable) -> str:
    """Return the docstring on one line, without the section about the parameters."""
    return " ".join(_ARGS.sub("", _doc_of(function)).split())


def _doc_of(function: Callable) -> str:
    named = function.func if isinstance(function, functools.partial) else function
    return getdoc(named) or ""


def _annotated(parameter: Parameter) -> str:
    """Return the text in `Annotated[type, "text"]`, "" if there is none."""
    if get_origin(parameter.annotation) is not Annotated:
        return ""
    texts = [one for one in parameter.annotation.__metadata__ if isinstance(one, str)]
    return texts[0] if texts else ""


def convert(value: object, parameter: Parameter) -> object:
    """A value in its parameter's type. Raises ValueError that says to a model what is wrong."""
    hint = _hint(parameter)
    if hint is None:
        return value
    adapter, problem = _adapter(hint), None
    for reading in _readings(value):
        try:
            if isinstance(reading, bool) and hint in (int, float):
                raise ValueError("true and false are no numbers")
            return adapter.validate_python(reading)
        except Exception as error:  # a dataclass may raise anything while it is made
            problem = error
    kind = hint.__name__ if isinstance(hint, type) else formatannotation(hint)
    raise ValueError(f"{parameter.name} must be {kind}: {_reason(problem)}.")


def _adapter(hint: object):
    """What checks values of a type: kept for plain classes, since each call asks again."""
    from pydantic import TypeAdapter

    return _kept(hint) if isinstance(hint, type) else TypeAdapter(hint)


@functools.lru_cache(maxsize=100)
def _kept(hint: type):
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def _hint(parameter: Parameter, otherwise: object = None) -> object:
    """A parameter's type: as it is written, else that of its default."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    kind = type(parameter.default)
    return kind if kind in (bool, int, float, str, list, dict) else otherwise


def _plain_default(parameter: Parameter) -> object:
    """A default as JSON, or None where it has no such form."""
    from pydantic_core import to_jsonable_python

    try:
        return to_jsonable_python(parameter.default, inf_nan_mode="null")
    except ValueError:
        return None


def _readings(value: object) -> Iterator[object]:
    """The value as it is; for a type that refuses that, what a model may have meant by it."""
    yield value
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)  # a bare number where a text is asked for
    elif isinstance(value, str):
        try:
            decoded = json.loads(value)  # a list or an object, written as text
        except (ValueError, RecursionError):
            return
        yield decoded


def _reason(problem: Exception) -> str:
    """What a type has against a value: the first point, with its place inside the value."""
    from pydantic import ValidationError

    if not isinstance(problem, ValidationError):
        return str(problem)
    first = problem.errors()[0]
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
