'''Registry: turn a function into a tool, find it by name, check its arguments, run it.

>>> registry = Registry()
>>> @registry.register
... def double(number: int) -> int:
...     """Double a whole number. Use it when a number has to be doubled."""
...     return 2 * number
>>> registry.call("double", {"number": 21}).text
'42'
>>> registry.call("triple", {"number": 21}).error
'unknown tool'
'''

import difflib
import inspect
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tool:
    """A function that a model may call.

    name: one word. description: a manual for the model: what it does, when to use it.
    parameters: a JSON Schema of type "object". function: called with keyword arguments.
    example: arguments of one typical call, or None.
    """

    name: str
    description: str
    parameters: dict
    function: Callable = field(repr=False, compare=False)
    example: dict | None = None


@dataclass(frozen=True)
class Observation:
    """What one call gave.

    text: what the tool returned, or what went wrong. error: None, or its kind
    ("unknown tool", "bad arguments", "tool error"). seconds: how long the tool ran.
    truncated: how many characters were cut from the end of text, 0 for none.
    notice: what the program adds for the model (a cut, a repeat), kept apart from the result.
    """

    text: str
    error: str | None = None
    seconds: float = 0.0
    truncated: int = 0
    notice: str = ""


class Registry:
    """The tools of one agent, by name. Only what stands in here can ever run.

    limit: a result longer than this many characters is cut.
    """

    def __init__(self, tools: tuple[Tool, ...] = (), limit: int = 1500):
        if limit < 1:
            raise ValueError(f"limit is {limit}; give a number of characters to keep: 1500.")
        self.limit = limit
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Take a tool in. Raises ValueError for a name that is taken or no plain word."""
        if not tool.name.replace("-", "_").isidentifier():
            raise ValueError(f"{tool.name!r} is no name; use letters, digits and underscores.")
        if tool.name in self._tools:
            raise ValueError(f"{tool.name!r} is registered already; choose another name.")
        if not tool.description.strip():
            raise ValueError(
                f"Tool {tool.name!r} has no description, so no model can know when to use it. "
                "Write a docstring or pass description=..."
            )
        if tool.parameters and tool.parameters.get("type") != "object":
            raise ValueError(
                f"The parameters of {tool.name!r} are no JSON Schema of an object; write "
                '{"type": "object", "properties": {...}, "required": [...]} or leave them out.'
            )
        known = tool.parameters.get("properties", {})
        if strange := [n for n in tool.example or () if n not in known]:
            raise ValueError(f"The example of {tool.name!r} has unknown parameters: {strange}.")
        self._tools[tool.name] = tool

    def register(
        self,
        function: Callable | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: dict | None = None,
        example: dict | None = None,
    ) -> Callable:
        """Decorate a function to make it a tool: `@registry.register`, with or without arguments.

        What is not given is read from the function: its name, its docstring and, as JSON
        Schema, its signature. Returns the function unchanged. Raises ValueError as `add` does.
        """
        if function is None:
            return lambda f: self.register(
                f, name=name, description=description, parameters=parameters, example=example
            )
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise ValueError("A tool is a plain function that returns its result; this one is not.")
        read = schema(function)  # always: a hint that cannot be used is said here, not in a run
        self.add(
            Tool(
                name=name or function.__name__,
                description=" ".join((description or inspect.getdoc(function) or "").split()),
                parameters=read if parameters is None else parameters,
                function=function,
                example=example,
            )
        )
        return function

    def call(self, name: str, arguments: dict) -> Observation:
        """Run one tool and return what came of it. The model's mistakes never raise.

        name: the tool to run; nothing but a registered name runs. arguments: by name.
        """
        if name not in self._tools:
            return Observation(f"There is no tool named {name!r}.", error="unknown tool")
        tool = self._tools[name]
        try:
            arguments = bind(tool, arguments)
        except ValueError as mistake:
            return Observation(str(mistake)[: self.limit], error="bad arguments")
        begin = time.perf_counter()
        try:
            text, error = as_text(tool.function(**arguments)), None
        except (Exception, SystemExit) as fault:
            text, error = f"{type(fault).__name__}: {_message(fault)}", "tool error"
        seconds = time.perf_counter() - begin
        cut = max(0, len(text) - self.limit)
        return Observation(text[: self.limit], error, seconds, cut)

    def nearest(self, name: str) -> list[str]:
        """All registered names, those spelled most like `name` first."""

        def likeness(known: str) -> float:
            return difflib.SequenceMatcher(None, name.lower(), known.lower()).ratio()

        return sorted(self._tools, key=likeness, reverse=True)

    def parameters(self) -> dict[str, list[str]]:
        """The parameter names of each tool: what the parser needs to know."""
        return {t.name: list(t.parameters.get("properties", {})) for t in self}

    def schemas(self) -> list[dict]:
        """The tools as the chat API's `tools` list."""
        keys = ("name", "description", "parameters")
        return [{"type": "function", "function": {k: getattr(t, k) for k in keys}} for t in self]

    def subset(self, names: list[str] | tuple[str, ...]) -> "Registry":
        """A registry of only these tools, in this order. Raises KeyError for an unknown name."""
        return Registry(tuple(self[name] for name in names), self.limit)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"Registry({', '.join(self._tools)})"


def schema(function: Callable) -> dict:
    """The JSON Schema of a function's parameters, read from its signature."""
    from pydantic import TypeAdapter
    from pydantic_core import to_jsonable_python

    properties, required, definitions = {}, [], {}
    for parameter in _parameters(function):
        hint = str if parameter.annotation is parameter.empty else parameter.annotation
        entry = TypeAdapter(hint).json_schema()
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            entry["default"] = to_jsonable_python(parameter.default)
        definitions |= entry.pop("$defs", {})
        properties[parameter.name] = entry
    found = {"type": "object", "properties": properties, "required": required}
    return found | ({"$defs": definitions} if definitions else {})


def bind(tool: Tool, arguments: dict) -> dict:
    """Check arguments against the tool before it runs, and convert them to its types.

    Returns keyword arguments. Raises ValueError that names what is missing, unknown or of the
    wrong type. Doing this first means that a TypeError from inside the tool stays the tool's.
    """
    known = tool.parameters.get("properties", {})
    missing = [name for name in tool.parameters.get("required", []) if name not in arguments]
    unknown = [name for name in arguments if name not in known]
    if missing or unknown:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"unknown: {', '.join(map(str, unknown))}"] if unknown else []
        takes = ", ".join(known) or "no input, write {}"
        raise ValueError(f"{'; '.join(parts)}. {tool.name} takes: {takes}.")
    hints = {p.name: p.annotation for p in _parameters(tool.function)}
    return {name: _convert(name, value, hints.get(name)) for name, value in arguments.items()}


def as_text(value: object) -> str:
    """A tool's result as the text a model reads: lists as lines, dictionaries as JSON."""
    if value is None:
        return "Done. The tool returned nothing."
    if isinstance(value, str):
        return value if value.strip() else "The tool returned an empty text."
    if isinstance(value, list | tuple):
        return "\n".join(as_text(item) for item in value) or "The tool returned an empty list."
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _message(fault: BaseException) -> str:
    """What an exception says; nothing if it cannot even say that."""
    try:
        return str(fault)
    except Exception:
        return ""


def _parameters(function: Callable) -> list[inspect.Parameter]:
    """The function's parameters with their type hints resolved."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _convert(name: str, value: object, hint: object) -> object:
    """One argument in its parameter's type, or a ValueError for the model."""
    if hint in (None, inspect.Parameter.empty):
        return value
    from pydantic import TypeAdapter, ValidationError

    if hint is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)  # a bare number where a text is asked for has one reading
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        kind = getattr(hint, "__name__", str(hint))
        raise ValueError(f"{name} must be {kind}: {error.errors()[0]['msg']}.") from None
