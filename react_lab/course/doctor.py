"""Doctor: look at everything the lab needs, and name a fix for what is wrong.

>>> print(report([Finding("python", True, "3.11.7"), Finding("folder", False, "full", "empty it")]))
ok     python      3.11.7
WRONG  folder      full
       fix: empty it
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from react_lab.models import engine as model_engine
from react_lab.models import settings
from react_lab.models import weights as files
from react_lab.models.reply import ModelError

# The interpreter that runs this: another `python` of the terminal may be a different one.
PYTHON = f'"{sys.executable}"' if " " in sys.executable else sys.executable
PINS, LAB = "install --no-deps -r requirements.txt", "install --no-deps -e ."
REINSTALL = (
    f"in the lab's folder: {PYTHON} -m pip {PINS}, then {PYTHON} -m pip {LAB} "
    f"(in a notebook: %pip {PINS}, then %pip {LAB})"
)
ENDPOINT = "use an endpoint instead: set LLM_BASE_URL and LLM_MODEL"

# Run in its own process, because it must not start the engine of this one.
ENGINE = """
import sys
from react_lab.models import EmbeddedModel, ModelError
try:
    EmbeddedModel(adapter=False, max_tokens=2)([{"role": "user", "content": "Hello"}])
except ModelError as error:
    sys.exit(str(error))
"""


@dataclass(frozen=True)
class Finding:
    """One check. text: what was seen. fix: what to do if it is not ok."""

    name: str
    ok: bool
    text: str
    fix: str = ""


def check() -> list[Finding]:
    """Check everything, which takes about three seconds. Nothing is changed or fetched."""
    checks = (python, kernel, packages, weights, adapter, engine, folder, endpoint)
    return [look() for look in checks]


def report(findings: Iterable[Finding]) -> str:
    """Return one line for each finding, and its fix below each wrong one."""
    lines = []
    for finding in findings:
        lines.append(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.name:<10}  {finding.text}")
        if not finding.ok:
            lines.append(f"       fix: {finding.fix}")
    return "\n".join(lines)


def summary(findings: Iterable[Finding] | None = None) -> str:
    """Return "Everything is ready." on every healthy machine, otherwise only what is wrong."""
    wrong = [found for found in (check() if findings is None else findings) if not found.ok]
    return report(wrong) or "Everything is ready."


def python() -> Finding:
    """Compare the interpreter's version with the range that the package names."""
    from packaging.specifiers import SpecifierSet

    version = platform.python_version()
    try:
        wanted = importlib.metadata.metadata("react-lab")["Requires-Python"]
    except importlib.metadata.PackageNotFoundError:
        return Finding("python", False, f"{version}, without react_lab installed", REINSTALL)
    ok = SpecifierSet(wanted).contains(version, prereleases=True)
    return Finding("python", ok, version, f"install a Python {wanted}, then: make lab")


def kernel() -> Finding:
    """Check that the kernel that notebooks name, python3, is this interpreter."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    fix = f"{PYTHON} -m ipykernel install --sys-prefix"
    try:
        command = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        return Finding("kernel", False, "there is no kernel named python3", fix)
    except RuntimeError as error:  # in a container, a user without a name
        return Finding("kernel", False, str(error), "set HOME to a folder that you can write to")
    # Jupyter reads these names as "the Python that I run on".
    if command in ("python", "python3", f"python3.{sys.version_info.minor}"):
        command = sys.executable
    ok = Path(command).parent == Path(sys.executable).parent
    text = "python3 is this Python" if ok else f"python3 starts another Python: {command}"
    return Finding("kernel", ok, text, fix)


def packages() -> Finding:
    """Compare the installed versions with the ranges in pyproject.toml."""
    from packaging.requirements import Requirement

    wrong, seen = [], []
    try:
        lines = importlib.metadata.requires("react-lab") or []
    except importlib.metadata.PackageNotFoundError:
        return Finding("packages", False, "react_lab is not installed", REINSTALL)
    for wanted in map(Requirement, lines):
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            version = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{wanted.name} is missing")
            continue
        seen.append(f"{wanted.name} {version}")
        if not wanted.specifier.contains(version, prereleases=True):
            wrong.append(f"{wanted.name} is {version}, not {wanted.specifier}")
    return Finding("packages", not wrong, ", ".join(wrong or seen), REINSTALL)


def weights() -> Finding:
    """Check that the base weights are there, and are the pinned ones."""
    path = files.find_weights()
    if path is None:
        text = "not here yet; they are fetched (93 MB) at the first question"
        return Finding("weights", False, text, files.REPAIR)
    try:
        files.check_weights(path)
    except files.WeightsError as error:
        text, _, fix = str(error).partition(" Repair them with: ")
        return Finding("weights", False, text, fix)
    return Finding("weights", True, f"{path.name}, checksum right")


def adapter() -> Finding:
    """Check that the lab's adapter is there, and is the one that its card describes."""
    path, wanted = files.adapter_path(), files.adapter_sha256()
    fix = "in the lab's folder: git checkout -- react_lab/data"
    if not path.is_file():
        if wanted is None:
            return Finding("adapter", True, "this version has none; the base model answers")
        return Finding("adapter", False, f"{path.name} is missing", fix)
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        return Finding("adapter", False, f"{path.name} is damaged", fix)
    return Finding("adapter", True, f"{path.name}, checksum right")


def engine() -> Finding:
    """Start the engine in a child process and let it write two tokens."""
    try:
        child = subprocess.run(
            [sys.executable, "-c", ENGINE], capture_output=True, text=True, timeout=120
        )
    except subprocess.TimeoutExpired:
        text = "it gave no answer in two minutes"
        return Finding("engine", False, text, f"close other programs, or {ENDPOINT}")
    if child.returncode == 0:
        version = importlib.metadata.version("xllamacpp")
        text = f"xllamacpp {version} answers"
        if version != model_engine.ENGINE_VERSION:
            text += f"; its words may differ from the stored ones ({model_engine.ENGINE_VERSION})"
        return Finding("engine", True, text)
    died = re.search(r"its process ended with code (-?\d+)", child.stderr)
    code = int(died[1]) if died else child.returncode
    return Finding("engine", False, *engine_trouble(code, child.stderr))


def engine_trouble(code: int, stderr: str) -> tuple[str, str]:
    """Return what a failed engine means and how to fix it: (text, fix).

    Args:
        code: the child's exit code, negative for a signal, as subprocess gives it.
        stderr: what the child wrote to stderr.
    """
    said = (stderr.strip().splitlines() or [f"it ended with code {code}"])[-1]
    if code in (-signal.SIGILL, 0xC000001D) or "AVX2" in said:  # 0xC000001D: the same on Windows
        text = "this processor has no AVX2, which the engine needs"
        return text, f"use another machine, or {ENDPOINT}"
    if code < 0:
        text = f"the engine crashed ({signal.Signals(-code).name})"
        again = "install --force-reinstall --no-deps xllamacpp"
        return text, f"{PYTHON} -m pip {again} (in a notebook: %pip {again}), or {ENDPOINT}"
    if "libgomp" in said:
        text = "the system library libgomp.so.1 is missing"
        return text, "apt-get install libgomp1 (Fedora: dnf install libgomp)"
    if "No module named" in said:
        if importlib.util.find_spec("xllamacpp") is None:
            return "xllamacpp is not installed", f"{REINSTALL} (no wheel here: {ENDPOINT})"
    text, _, fix = said.partition(" Repair them with: ")
    return text, fix or REINSTALL


def folder() -> Finding:
    """Check that files can be written in the current folder."""
    try:
        with tempfile.TemporaryFile(dir=Path.cwd()) as file:
            file.write(b"written by the doctor")
    except OSError as error:
        fix = f"work in a folder of your own: {PYTHON} -m react_lab start FOLDER"
        return Finding("folder", False, f"cannot write here: {error.strerror}", fix)
    return Finding("folder", True, "can be written to")


def endpoint() -> Finding:
    """Report which of the three settings are set, also by `.env`. Never show their values."""
    try:
        found = settings.settings()
    except ModelError as error:
        return Finding("endpoint", False, ".env cannot be read", str(error))
    text = ", ".join(f"{name} {'set' if name in found else 'not set'}" for name in settings.NAMES)
    if any(name.startswith("OPENAI_") and value for name, value in os.environ.items()):
        text += "; OPENAI_* is set but not used, so that nothing is sent by accident"
    if found:
        try:
            settings.check(found)
        except ModelError as error:
            return Finding("endpoint", False, text, str(error))
    return Finding("endpoint", True, text)
