"""Engine: llama.cpp in a process of its own, and the procedure by which it is asked.

The engine keeps what it has computed for the last prompt. Reused and recomputed numbers differ in
their last bits, and now and then a different word follows. So a prompt is always computed in the
same pieces, whatever was asked before: first the system message, then everything up to the place
where the first reply begins, then up to the second reply, and so on. Each piece is one request, and
a piece is reused only if the engine has computed exactly this piece after exactly these earlier
ones. The same request then always gives the same text.
"""

import atexit
import http.client
import json
import os
import platform
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from react_lab.models import weights
from react_lab.models.progress import Progress, report
from react_lab.models.reply import Message, ModelError, Reply

ENGINE_VERSION = "2026.10.11549"  # a recording names it: another engine may give other texts
# Whether prompts are computed in pieces as described above. If not, the engine reuses the last
# prompt only where the next one extends it with its reply, and computes anything else as a whole.
SHARED_START = os.environ.get("REACT_LAB_SHARED_START", "") == "1"
CONTEXT = 8192  # tokens, prompt and reply together
# The engine's chat template adds this to messages without a system message.
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
REPLY = "<|im_start|>assistant\n"  # the model continues after this
OTHERS = (0, 1)  # two tokens: asking for the one that does not come next drops what came next


def identity(adapter: bool = True) -> dict[str, str | None]:
    """What decides the text of a reply besides the request: engine, weights, adapter, procedure.

    The adapter counts as None when it is not used: at scale 0 the texts are those of the base.
    """
    return {
        "engine": ENGINE_VERSION,
        "weights": weights.WEIGHTS_SHA256,
        "adapter": weights.adapter_sha256() if adapter else None,
    } | ({"start": "shared"} if SHARED_START else {})


def engine_problem() -> str | None:
    """Why the engine cannot run here, in one sentence; None if nothing was found."""
    cpu = Path("/proc/cpuinfo")
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if x86 and cpu.is_file() and " avx2 " not in cpu.read_text("utf-8"):
        return "This processor has no AVX2, which the engine needs."
    try:
        import xllamacpp  # noqa: F401
    except ImportError as error:
        return f"The engine (xllamacpp) cannot be loaded: {error}."
    return None


def pieces(messages: Sequence[Message]) -> list[str]:
    """The prompt for these messages, cut where the system message ends and where replies begin."""
    found, current = [], ""
    if not messages or messages[0]["role"] != "system":
        messages = [{"role": "system", "content": SYSTEM}, *messages]
    for number, message in enumerate(messages):
        head = f"<|im_start|>{message['role']}\n"
        body = f"{message['content']}<|im_end|>\n"
        if message["role"] == "assistant":
            found.append(current + head)
            current = body
        else:
            current += head + body
        if number == 0:
            found.append(current)
            current = ""
    return [*found, current + REPLY]


def threads() -> int:
    """How many threads the engine uses.

    The variable REACT_LAB_THREADS decides. Without it: one on a machine with up to two cores,
    where a second one slows down as soon as anything else runs, otherwise half the physical
    cores, at most four. A test compares the texts of one and two threads; on some processors
    the probabilities differ in their last bits.
    """
    if wanted := os.environ.get("REACT_LAB_THREADS"):
        if not wanted.isdecimal() or int(wanted) < 1:
            raise ModelError(
                f"REACT_LAB_THREADS is {wanted!r}. Set it to a whole number from 1, such as 2, "
                "or unset it."
            )
        return int(wanted)
    usable = usable_cores()
    return 1 if usable <= 2 else max(1, min(4, min(usable, _physical_cores()) // 2))


def usable_cores() -> int:
    """The cores that this process may use: those of the machine, or what a container allows."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    with suppress(
        OSError, ValueError
    ):  # cgroup 2: "200000 100000" are two cores, "max" is no limit
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("utf-8").split()
        cores = min(cores, max(1, int(quota) // int(period)))
    return cores


def _physical_cores() -> int:
    """The cores of the machine, without the second threads of each."""
    try:
        import psutil  # comes with ipykernel

        found = psutil.cpu_count(logical=False)
    except ImportError:
        found = None
    return found or max(1, (os.cpu_count() or 1) // 2)


@dataclass(frozen=True)
class Served:
    """The last request of an engine: its messages, its reply, and whether it used the adapter."""

    messages: list[Message]
    text: str
    adapter: bool

    def extended_by(self, messages: list[Message], adapter: bool) -> bool:
        """Whether `messages` are these, then this reply as an assistant message, then more."""
        count = len(self.messages)
        return (
            self.adapter == adapter
            and len(messages) > count + 1
            and messages[:count] == self.messages
            and messages[count]["role"] == "assistant"
            and str(messages[count]["content"]).strip() == self.text.strip()
        )


class Engine:
    """A running llama.cpp server, and what it has computed.

    Attributes:
        adapter: The checksum of the adapter that it has loaded, or None.
        address: Where it listens, such as http://127.0.0.1:12345.
    """

    def __init__(self) -> None:
        """Start the process and wait until it answers, which takes about a second.

        Raises:
            ModelError: The weights, the adapter or the engine cannot be used. The message says
                what to do.
        """
        count = threads()
        path = weights.weights_path()
        weights.check_weights(path)
        self.adapter = weights.adapter_sha256() if weights.adapter_path().is_file() else None
        if self.adapter:
            weights.check_adapter(weights.adapter_path())
        self._key = secrets.token_hex(16)  # so that no web page or other user can use the port
        settings: dict[str, object] = {
            "weights": str(path),
            "adapter": str(weights.adapter_path()) if self.adapter else None,
            "key": self._key,
            "context": CONTEXT,
            "threads": count,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("engine_process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,  # the Ctrl-C of a terminal goes to a whole group
            # Two threads that wait for each other must not keep a busy machine's cores.
            env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"},
        )
        self.address = self._first_answer(settings)
        self._tokens: dict[str, list[int]] = {}
        self._computed: list[list[int]] = []  # the pieces that it holds, in their order
        self._adapted = False  # whether with the adapter
        self.last: Served | None = None

    def _first_answer(self, settings: dict[str, object]) -> str:
        """Send the settings to the process and return the address of its server."""
        assert self._process.stdin and self._process.stdout
        answer = {}
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(settings) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        if "address" not in answer:
            self.stop()
            cause = answer.get("error", f"its process ended with code {self._process.returncode}")
            problem = engine_problem() or f"The engine did not start ({cause})."
            raise ModelError(f"{problem} What to do: python -m react_lab doctor")
        return str(answer["address"])

    def stop(self) -> None:
        """End the process and free its port."""
        assert self._process.stdin and self._process.stdout
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def ask(self, messages: list[Message], *, adapter: bool, cache: str, **options: Any) -> Reply:
        """Return the model's reply to these messages. The options are those of EmbeddedModel.

        Raises:
            ModelError: The prompt is too long, the grammar cannot be read, or the engine ended.
        """
        begin = time.perf_counter()
        last, self.last = self.last, None  # an error or an interrupt leaves nothing to build on
        known, self._computed = self._computed, []
        prompt = [self.tokenize(text) for text in pieces(messages)]
        total = sum(map(len, prompt))
        if total >= CONTEXT:
            raise ModelError(
                f"The messages are too long for {CONTEXT} tokens: they have {total}. Send fewer."
            )
        if cache == "auto" and SHARED_START:
            same = _common(known, prompt[:-1]) if self._adapted == adapter else 0
            cached = sum(map(len, prompt[:same]))
            report(Progress("reading", total - cached))
            self._compute(prompt, same, adapter)
            reply = self._write(prompt, adapter, cached=True, **options)
            reply = replace(reply, tokens_cached=cached)
            self._computed, self._adapted = prompt, adapter
        else:
            report(Progress("reading", total))
            reused = builds_on(last, messages, adapter, cache)
            reply = self._write(prompt, adapter, cached=reused, **options)
        self.last = Served([dict(message) for message in messages], reply.text, adapter)
        return replace(reply, seconds=time.perf_counter() - begin)

    def _compute(self, prompt: list[list[int]], same: int, adapter: bool) -> None:
        """Make the engine hold all pieces but the last; it holds the first `same` of them."""
        if same:  # drop what came after them: the last reply, or pieces of another prompt
            other = next(token for token in OTHERS if token != prompt[same][0])
            self._read([*sum(prompt[:same], []), other], adapter, cached=True)
        for count in range(same + 1, len(prompt)):
            self._read(sum(prompt[:count], []), adapter, cached=count > 1)

    def _read(self, tokens: list[int], adapter: bool, cached: bool) -> None:
        """Let the engine compute a prompt without writing anything."""
        body = {"prompt": tokens, "n_predict": 0, "cache_prompt": cached}
        self._request("/completion", body | self._use(adapter))

    def _write(
        self,
        prompt: list[list[int]],
        adapter: bool,
        cached: bool,
        *,
        max_tokens: int,
        temperature: float,
        stop: tuple[str, ...],
        grammar: str | None,
    ) -> Reply:
        """Let the engine continue a prompt, and report each part of the reply as it comes."""
        body = {
            "prompt": sum(prompt, []),
            "n_predict": max_tokens,
            "temperature": temperature,
            "cache_prompt": cached,
            "stop": list(stop),
            "stream": True,
        }
        if grammar:
            body["grammar"] = grammar
        text, last = "", {}
        for last in self._events("/completion", body | self._use(adapter)):
            if piece := last.get("content"):
                text += piece
                report(Progress("writing", last.get("tokens_predicted", 0), text))
        return Reply(
            text=text,
            finish_reason="length" if last["stop_type"] == "limit" else "stop",
            tokens_in=last["tokens_evaluated"],
            tokens_out=last["tokens_predicted"],
            tokens_cached=last["timings"]["cache_n"],
        )

    def _use(self, adapter: bool) -> dict[str, object]:
        """The part of a request that switches the adapter on or off."""
        return {"lora": [{"id": 0, "scale": float(adapter)}]} if self.adapter else {}

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a text; names of special tokens in it count as these tokens."""
        if text not in self._tokens:
            if len(self._tokens) >= 500:
                self._tokens.clear()
            self._tokens[text] = self._request("/tokenize", {"content": text})["tokens"]
        return self._tokens[text]

    def _request(self, path: str, body: dict[str, object]) -> Any:
        """Send a request and return the whole answer."""
        whole = b"".join(self._lines(path, body))
        with self._lost():
            return json.loads(whole)

    def _events(self, path: str, body: dict[str, object]) -> Iterator[dict[str, Any]]:
        """Send a request and yield the parts of its answer as they come.

        The engine drops a request whose loop is left early.
        """
        event: dict[str, Any] = {}
        for line in self._lines(path, body):
            if not line.strip():
                continue
            with self._lost():
                event = json.loads(line.partition(b": ")[2])
            if not line.startswith(b"data: ") or "error" in event:
                raise ModelError(advice(str(event)))
            yield event
        with self._lost():
            if not event.get("stop"):
                raise http.client.IncompleteRead(b"")

    def _lines(self, path: str, body: dict[str, object]) -> Iterator[bytes]:
        """Send a request and yield the lines of its answer.

        Raises:
            ModelError: The engine refused the request, or its process ended.
        """
        address = urlsplit(self.address)
        connection = http.client.HTTPConnection(address.hostname or "", address.port)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            with self._lost():
                connection.request("POST", path, json.dumps(body), headers)
                answer = connection.getresponse()
                refused = answer.read() if answer.status != 200 else None
            if refused is not None:
                raise ModelError(advice(refused.decode("utf-8", "replace")))
            while True:
                with self._lost():
                    line = answer.readline()
                if not line:
                    return
                yield line
        finally:
            connection.close()

    @contextmanager
    def _lost(self) -> Iterator[None]:
        """Turn a broken connection into a ModelError; the next request starts another engine."""
        try:
            yield
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            stop_engine()
            raise ModelError(
                f"The engine ended during the request ({type(error).__name__}). "
                "Ask again: another one starts."
            ) from None


def builds_on(last: Served | None, messages: list[Message], adapter: bool, cache: str) -> bool:
    """Whether a request with these messages, after `last`, reuses what was computed for it."""
    if cache == "auto":
        return last is not None and last.extended_by(messages, adapter)
    return cache == "on"


def _common(known: list[list[int]], prompt: list[list[int]]) -> int:
    """How many pieces two prompts have in common at their start."""
    pairs = zip(known, prompt, strict=False)
    same = (place for place, (one, other) in enumerate(pairs) if one != other)
    return next(same, min(len(known), len(prompt)))


def advice(cause: str) -> str:
    """Put what to do before what the engine said."""
    if "context size" in cause:
        return f"The messages are too long for {CONTEXT} tokens. Send fewer. ({cause})"
    if "grammar" in cause:
        return f"The engine cannot read this grammar. Correct it. ({cause})"
    return f"{cause} What to do: python -m react_lab doctor"


# The engine of this process ---------------------------------------------------------------

LOCK = threading.RLock()  # held while the engine works; requests never overlap
_guard = threading.Lock()  # held for a moment, to look at the next line and change it
_starting: Future[Engine] | None = None


def start_engine() -> None:
    """Start the engine in the background, unless it runs or is starting.

    What keeps it from starting is raised by the first request.
    """
    global _starting
    with _guard:
        if _starting is None:
            _starting = Future()
            threading.Thread(target=_start, args=(_starting,), daemon=True).start()


def _start(future: Future[Engine]) -> None:
    try:
        future.set_result(Engine())
    except BaseException as error:
        future.set_exception(error)


def running_engine(adapter: bool = False) -> Engine:
    """Return the engine of this process, started at first use. The caller holds LOCK.

    Args:
        adapter: Whether the lab's adapter is needed; if another one is loaded, the engine is
            started again.
    """
    if adapter:
        weights.check_adapter(weights.adapter_path())
    engine = _started()
    if adapter and engine.adapter != weights.adapter_sha256():
        stop_engine()
        engine = _started()
    return engine


def _started() -> Engine:
    """Wait for the engine. A start that failed is tried again by the next request."""
    global _starting
    start_engine()
    future = _starting
    assert future
    if not future.done():
        report(Progress("starting"))
    try:
        return future.result()
    except Exception:
        _starting = None
        raise


@atexit.register
def stop_engine() -> None:
    """Stop the engine and free its port. The next request starts another one."""
    global _starting
    with _guard:
        future, _starting = _starting, None
    if future is not None:
        future.add_done_callback(_stop)


def _stop(started: Future[Engine]) -> None:
    if not started.exception():
        started.result().stop()


def last_served() -> Served | None:
    """What the engine served last; None before the first request and after an error."""
    future = _starting
    return future.result().last if future and future.done() and not future.exception() else None


def shared_tokens(before: list[Message], messages: list[Message]) -> int:
    """How many tokens of a prompt the engine can reuse after another prompt."""
    with LOCK:
        one, other = ([running_engine().tokenize(t) for t in pieces(m)] for m in (before, messages))
    return sum(map(len, other[: _common(one, other[:-1])]))
