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

import copy
import difflib
import functools
import inspect
import re
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from react_lab.chinese import is_chinese
from react_lab.ranking import ranked
from react_lab.registry.results import SHORTEN, as_text, sendable
from react_lab.registry.signature import (
    convert,
    default_of,
    described,
    in_field,
    parameters_of,
    schema,
    sent_names,
)
from react_lab.registry.threads import awaited, give_up, in_thread

if TYPE_CHECKING:
    from concurrent.futures import Future

LARGEST_KEPT = 1_000_000  # characters of a cut result that the trace keeps
_API_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Tool:
    """A function that a model may call.

    Args:
        name: one word.
        description: a manual for the model: what the tool does, when to use it.
        parameters: a JSON Schema of type "object".
        function: called with keyword arguments.
        example: arguments of one typical call, or None.
        effect: "read", or "write" for a tool that changes something.
        seconds: how long one call may take, including all its tries; None for no limit. With a
            limit the function runs in its own thread.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    function: Callable[..., Any] = field(repr=False, compare=False)
    example: dict[str, Any] | None = None
    effect: str = "read"
    seconds: float | None = None

    @functools.cached_property
    def takes(self) -> dict[str, inspect.Parameter]:
        """The parameters of the function by name, as `parameters_of` reads them."""
        return parameters_of(self.function)


@dataclass(frozen=True)
class Observation:
    """The result of one call.

    Attributes:
        text: what the tool returned, or what went wrong.
        error: None, or the kind of error ("unknown tool", "bad arguments", "tool error").
        seconds: how long the tool ran.
        truncated: how many characters are missing from text, 0 for none.
        notice: what the program adds for the model (a cut, a repeat), apart from the result.
        tries: how often the program ran the tool for this observation.
        whole: the whole result if text is cut, up to a million characters; for the trace only.
    """

    text: str
    error: str | None = None
    seconds: float = 0.0
    truncated: int = 0
    notice: str = ""
    tries: int = 1
    whole: str = field(default="", repr=False)

    @property
    def full_text(self) -> str:
        """The observation as the model reads it: the result, then what the program adds."""
        return "\n".join(filter(None, (self.text, self.notice)))


class Registry:
    """The tools of one agent, by name. No other function can run.

    Args:
        tools: the tools to start with.
        limit: a result longer than this many characters is cut.
        retries: how often the program runs a read tool again after a time-out or a lost
            connection (`is_passing`). The model does not notice: it sees one observation, of the
            last try. A write tool is never run again.
        shorten: how a long result is cut, (text, limit) -> text: `head`, or `head_and_tail` of
            react_lab.registry, which keeps totals.
    """

    def __init__(
        self,
        tools: tuple[Tool, ...] = (),
        limit: int = 1500,
        retries: int = 2,
        shorten: Callable[[str, int], str] | None = None,
    ):
        if limit < 1:
            raise ValueError(f"limit is {limit}; give a number of characters to keep: 1500.")
        if retries < 0:
            raise ValueError(f"retries is {retries}; give 0 to run a tool only once.")
        self.limit, self.retries, self.shorten = limit, retries, shorten or SHORTEN
        self._tools: dict[str, Tool] = {}
        self._known: dict[Hashable, Any] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Add a tool.

        Raises:
            ValueError: the tool cannot work; the message says what to write instead.
        """
        if not tool.name.replace("-", "_").isidentifier() or len(tool.name) > 64:
            raise ValueError(
                f"{tool.name[:80]!r} is not a valid tool name. Use up to 64 letters, digits, _ and "
                "-, for example name='get_weather'."
            )
        if tool.name in self._tools:
            raise ValueError(f"{tool.name!r} is registered already; choose another name.")
        if not tool.description.strip():
            raise ValueError(
                f"Tool {tool.name!r} has no description, so no model can know when to use it. "
                "Write a docstring or pass description=..."
            )
        if tool.parameters and tool.parameters.get("type") != "object":
            raise ValueError(
                f"The parameters of {tool.name!r} are not a JSON Schema of an object; write "
                '{"type": "object", "properties": {...}, "required": [...]} or leave them out.'
            )
        known = tool.parameters.get("properties", {})
        if strange := [n for n in tool.example or () if n not in known]:
            raise ValueError(f"The example of {tool.name!r} has unknown parameters: {strange}.")
        if tool.effect not in ("read", "write"):
            raise ValueError(f'effect is {tool.effect!r}; write "read" or "write".')
        if tool.seconds is not None and not 0 < tool.seconds <= threading.TIMEOUT_MAX:
            raise ValueError(f"seconds is {tool.seconds}; give a time limit above 0, or None.")
        self._tools[tool.name] = tool
        self._known = {}

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, and cache it under `key` until a tool is added.

        The loop describes its tools to the model in every round. Do not change the result.
        """
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def register(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: dict[str, Any] | None = None,
        example: dict[str, Any] | None = None,
        effect: str = "read",
        seconds: float | None = None,
    ) -> Callable[..., Any]:
        """Make a function a tool: `@registry.register`, with or without arguments.

        Args:
            function: the function; it may be async or a generator.
            name: what the model calls it, None for the function's own name.
            description: when to use it, None for the docstring without its section "Args".
            parameters: a text for each parameter, {name: text}; or a whole JSON Schema in place
                of the one that the signature gives. Texts can also come from
                `Annotated[str, "text"]`, pydantic's `Field` or the docstring's section "Args".
            example: arguments of one typical call.
            effect: "read", or "write" for a tool that changes something.
            seconds: how long one call may take, None for no limit.

        Returns:
            The function unchanged.

        Raises:
            ValueError: as `add` raises it, and for a signature that a model cannot fill.
        """
        given: dict[str, Any] = dict(
            name=name, description=description, parameters=parameters, example=example
        )
        given |= dict(effect=effect, seconds=seconds)
        if function is None:
            return lambda f: self.register(f, **given)
        named = function.func if isinstance(function, functools.partial) else function
        read = schema(function)  # always: a hint that cannot be used is reported here, not in a run
        given["name"] = name or getattr(named, "__name__", "")
        given["description"] = " ".join((description or described(function)).split())
        given["parameters"] = _with_texts(read, parameters, given["name"])
        self.add(Tool(function=function, **given))
        return function

    def call(self, name: str, arguments: dict[str, Any]) -> Observation:
        """Run one tool and return its result. The model's mistakes never raise.

        Any exception of the tool except KeyboardInterrupt becomes the observation.

        Args:
            name: the tool to run; only registered names run.
            arguments: values by parameter name.
        """
        if name not in self._tools:
            return Observation(f"There is no tool named {name!r}.", error="unknown tool")
        tool = self._tools[name]
        try:
            arguments = bind(tool, arguments)
        except ValueError as mistake:
            return Observation(str(mistake)[: self.limit], error="bad arguments")
        waiting: list[Future[Any]] = []
        begin = time.perf_counter()
        try:
            work = functools.partial(_tried, tool, arguments, self.retries, waiting)
            text, error, tries = in_thread(work, tool.seconds) if tool.seconds else work()
        except TimeoutError:
            give_up(waiting)
            text = f"TimeoutError: {name} ran out of time ({tool.seconds:g} s)."
            error, tries = "tool error", 1
        seconds = time.perf_counter() - begin
        text = sendable(text)
        if (missing := len(text) - self.limit) <= 0:
            return Observation(text, error, seconds, tries=tries)
        kept, whole = self.shorten(text, self.limit), text[:LARGEST_KEPT]
        return Observation(kept, error, seconds, missing, tries=tries, whole=whole)

    def nearest(self, name: str) -> list[str]:
        """Return all registered names, the most similar to `name` first."""

        def likeness(known: str) -> float:
            return difflib.SequenceMatcher(None, name.lower(), known.lower()).ratio()

        return sorted(self._tools, key=likeness, reverse=True)

    def parameters(self) -> dict[str, list[str]]:
        """Return the parameter names of each tool, which the parser needs."""
        found: dict[str, list[str]] = self.once(
            "parameters", lambda: {t.name: list(t.parameters.get("properties", {})) for t in self}
        )
        return found

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tools as the chat API's `tools` list.

        APIs accept only names of ASCII letters, digits, - and _. A tool with another name, such as
        查天气, is sent under its `api_names` name, and its description begins with its own name.
        Parameters are renamed too (`sent_names`). `bind` takes both names of a parameter.
        """
        found, names = [], self.api_names()
        for tool in self:
            sent, text = names[tool.name], tool.description
            if sent != tool.name:
                text = f"{tool.name}：{text}" if is_chinese(text) else f"{tool.name}: {text}"
            parameters = _sendable(tool.parameters)
            function = {"name": sent, "description": text, "parameters": parameters}
            found.append({"type": "function", "function": function})
        return found

    def text_schemas(self) -> list[dict[str, Any]]:
        """Return the tools in the form of `schemas`, but with their own names.

        The text format and its grammar use these names.
        """
        keys = ("name", "description", "parameters")
        return [{"type": "function", "function": {k: getattr(t, k) for k in keys}} for t in self]

    def api_names(self) -> dict[str, str]:
        """Return for each tool the name under which an API knows it.

        It is the tool's own name if an API accepts it, else the function's name, else a name made
        of a checksum. No name occurs twice.
        """
        names = {tool.name: tool.name for tool in self if _API_NAME.fullmatch(tool.name)}
        for tool in self:
            given = getattr(tool.function, "__name__", "")
            if tool.name not in names:
                free = _API_NAME.fullmatch(given) and given not in names.values()
                made = f"tool_{zlib.crc32(tool.name.encode()):08x}"
                names[tool.name] = given if free else made
        return names

    def subset(self, names: list[str] | tuple[str, ...]) -> "Registry":
        """Return a registry of only these tools, in order. Raises KeyError for an unknown name."""
        tools = tuple(self[name] for name in names)
        return Registry(tools, self.limit, self.retries, self.shorten)

    def select(self, question: str, count: int) -> "Registry":
        """Return a registry of the `count` tools whose words fit a question best, best first.

        The question is compared with name and description (see `ranking.ranked`). Tools that
        share no word with it fill up the rest in their own order.

        Raises:
            ValueError: count is below 1.
        """
        if count < 1:
            raise ValueError(f"count is {count}; give how many tools to keep: 4.")
        tools = list(self)
        # getWeather as get Weather; get_weather is two words anyway
        names = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", tool.name) for tool in tools]
        texts = [f"{name} {t.description}" for name, t in zip(names, tools, strict=True)]
        order = dict.fromkeys([*ranked(question, texts), *range(len(tools))])
        return self.subset([tools[place].name for place in order][:count])

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


def _with_texts(read: dict[str, Any], given: dict[str, Any] | None, name: str) -> dict[str, Any]:
    """Return the parameters of a tool: a given JSON Schema, or what was read plus given texts."""
    if not given:
        return read if given is None else given
    texts = all(isinstance(text, str) for text in given.values())
    if not texts or given.get("type") == "object":
        return given
    known = read["properties"]
    if strange := [one for one in given if one not in known]:
        takes = ", ".join(known) or "no parameters"
        raise ValueError(f"{name!r} has no parameter {strange[0]!r}. It takes: {takes}.")
    about = {one: {"description": " ".join(text.split())} for one, text in given.items()}
    return {**read, "properties": {one: known[one] | about.get(one, {}) for one in known}}


def _sendable(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a tool under the names that an API accepts."""
    known: dict[str, dict[str, Any]] = parameters.get("properties", {})
    names = sent_names(list(known))
    if all(sent == name for sent, name in names.items()):
        return parameters

    def entry(sent: str, name: str) -> dict[str, Any]:
        if sent == name:
            return known[name]
        about = filter(None, (name, known[name].get("description")))
        return {**known[name], "description": ": ".join(about)}

    required = [sent for sent, name in names.items() if name in parameters.get("required", [])]
    properties = {sent: entry(sent, name) for sent, name in names.items()}
    return {**parameters, "properties": properties, "required": required}


def bind(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Check arguments against the tool before it runs, and convert them to its types.

    Because of this check, a TypeError during the call is known to come from inside the tool.

    Args:
        tool: the tool that is to run.
        arguments: by the parameters' own names, or by those of `Registry.schemas`.

    Returns:
        Keyword arguments. A null for a parameter that has a default and takes no null is left
        out. A default in a pydantic `Field` is filled in.

    Raises:
        ValueError: names what is missing, unknown or of the wrong type.
    """
    if not isinstance(arguments, dict):
        raise ValueError("The input must be a JSON object with the parameter names.")
    known = tool.parameters.get("properties", {})
    own = sent_names(list(known))
    # NFKC as in Python's own names: an ö of one character or of two is the same
    plain = {n if n in known else unicodedata.normalize("NFKC", str(n)): n for n in arguments}
    named = {own.get(n, n): given for n, given in plain.items()}
    missing = [name for name in tool.parameters.get("required", []) if name not in named]
    unknown = [name for name in named if name not in known]
    if missing or unknown:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"unknown: {', '.join(unknown)}"] if unknown else []
        takes = ", ".join(known) or "no input, write {}"
        raise ValueError(f"{'; '.join(parts)}. {tool.name} takes: {takes}.")
    found, parameters = {}, tool.takes
    for name, given in named.items():
        if (parameter := parameters.get(name)) is None:  # a **kwargs with its own schema
            found[name] = arguments[given]
            continue
        try:
            found[name] = convert(arguments[given], parameter)
        except ValueError:
            if arguments[given] is not None or default_of(parameter) is parameter.empty:
                raise
    absent = (name for name in parameters if name not in found)
    filled = {name: parameters[name] for name in absent if in_field(parameters[name])}
    return found | {name: default_of(parameter) for name, parameter in filled.items()}


def _tried(
    tool: Tool, arguments: dict[str, Any], retries: int, waiting: "list[Future[Any]]"
) -> tuple[str, str | None, int]:
    """Return (text, error, tries) of one call, run again as far as `retries` allows it.

    Args:
        tool: the tool to run.
        arguments: by name, as `bind` returns them.
        retries: how often a read tool is run again.
        waiting: a list to which the calls of an async tool are added, for `give_up`.
    """
    tries, aside = 0, False

    def work() -> str:
        # a copy, so that a tool that changes its arguments does not change the trace
        return as_text(awaited(tool.function(**copy.deepcopy(arguments)), waiting))

    while True:
        tries += 1
        try:
            return in_thread(work) if aside else work(), None, tries
        except KeyboardInterrupt:
            raise
        except BaseException as fault:  # SystemExit and asyncio's CancelledError too
            if tool.effect == "read" and not aside and _wants_a_loop(fault):
                tries, aside = tries - 1, True  # in a notebook a loop runs in this thread
                continue
            again = tool.effect == "read" and is_passing(fault)
            if not again or tries > retries:
                return f"{type(fault).__name__}: {_message(fault)}", "tool error", tries


# Temporary errors of HTTP clients: module and names of their base classes. They are recognised
# by name, because a tool may use any of these clients or none.
PASSING = {
    "requests.exceptions": {"ConnectionError", "Timeout", "ChunkedEncodingError"},
    "urllib3.exceptions": {"TimeoutError", "ProtocolError", "NewConnectionError"},
    "httpx": {"TimeoutException", "NetworkError", "RemoteProtocolError"},
    "openai": {"APIConnectionError"},
}


def is_passing(fault: BaseException) -> bool:
    """Return whether an error is a time-out or a lost connection, so that a second try may succeed.

    Python's own TimeoutError and ConnectionError count, and the same errors of urllib, requests,
    httpx and openai. A response with an error code (404, 500) does not count, nor does a refused
    certificate.

    >>> is_passing(TimeoutError()), is_passing(ValueError())
    (True, False)
    """
    if isinstance(fault, TimeoutError | ConnectionError):
        return True
    names = {(kind.__module__, kind.__name__) for kind in type(fault).__mro__}
    if ("urllib.error", "URLError") in names and ("urllib.error", "HTTPError") not in names:
        reason = getattr(fault, "reason", None)
        return isinstance(reason, OSError) and type(reason).__module__ != "ssl"
    if ("requests.exceptions", "SSLError") in names:
        return False
    return any(name in PASSING.get(module, ()) for module, name in names)


def _wants_a_loop(fault: BaseException) -> bool:
    """Return whether a tool failed because it calls asyncio.run where a loop is running."""
    return isinstance(fault, RuntimeError) and bool(
        re.search(
            r"asyncio\.run\(\) cannot|(?:event|another) loop is (?:already )?running",
            _message(fault),
        )
    )


def _message(fault: BaseException) -> str:
    """Return the message of an exception, even if its `str()` fails."""
    try:
        return str(fault).strip() or "no message"
    except Exception:
        return "no message"
