"""Build the lab's environment in .venv; do nothing when it is up to date.

    python bootstrap.py

The Makefile calls this before everything else. The file is written so that an
old Python can read it too, because only then can it say that it is too old.
"""

import contextlib
import glob
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(HERE, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
STAMP = os.path.join(VENV, "react_lab.stamp")
UNFINISHED = "unfinished"
LOCK = os.path.join(HERE, ".venv.lock")
TICK = 5  # seconds between two lines of progress

TOO_OLD = """This is Python %d.%d; the lab needs Python 3.11, 3.12 or 3.13.
Install one of them, then name it:  make lab PYTHON=python3.12
(without make:  python3.12 bootstrap.py)"""

NO_VENV = """This Python (%s) cannot make an environment: its venv module is incomplete.
On Debian or Ubuntu:  apt install python%d.%d-venv
Elsewhere install Python from its own installer, then call this again."""

BAD_NAME = """The name of this folder contains "%s", so Python cannot build the environment in it:
  %s
Give the folder another name, then call this again."""

PIP_FAILED = """
The packages could not be installed; pip's own words are above.
Without a network: connect once and call this again. What was downloaded is kept,
and from then on the lab needs no network.
With one: look for "No space left", or set the proxy that pip needs."""


def problem():
    """Say why this Python cannot build the environment, or return None."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return TOO_OLD % sys.version_info[:2]
    bad = [mark for mark in (os.pathsep, "$", "{", "}") if mark in HERE]
    if bad:  # venv refuses the first; setuptools takes the others for a variable's name
        return BAD_NAME % (bad[0], HERE)
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return NO_VENV % ((sys.executable,) + sys.version_info[:2])
    return None


def wanted_stamp():
    """Return one hash of the pins, the package's metadata and the path of the folder."""
    digest = hashlib.sha256(HERE.encode("utf-8", "surrogateescape"))
    for name in ("requirements.txt", "pyproject.toml"):
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def read_stamp():
    """Return what the last call left in the stamp file, or an empty text."""
    try:
        with open(STAMP) as file:
            return file.read().strip()
    except IOError:
        return ""


def write_stamp(text):
    with open(STAMP, "w") as file:
        file.write(text + "\n")


def runs(*arguments):
    """Return whether the environment's Python exists and runs these arguments."""
    try:
        with open(os.devnull, "w") as nothing:
            command = [PYTHON] + list(arguments)
            return subprocess.call(command, stdout=nothing, stderr=nothing) == 0
    except OSError:
        return False


def usable():
    """Return whether .venv is complete enough for pip to install into it."""
    version = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))"
    return read_stamp() != UNFINISHED and runs("-c", version) and runs("-m", "pip", "--version")


@contextlib.contextmanager
def alone():
    """Wait until no other process builds here. The system releases the lock of a killed process."""
    with open(LOCK, "a+") as file:
        if os.name == "nt":
            import msvcrt

            def lock(wait):
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)

        else:
            import fcntl

            def lock(wait):
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))

        try:
            lock(wait=False)
        except (IOError, OSError):
            print("Another call is building the environment. Waiting for it ...")
            sys.stdout.flush()
            while True:
                try:
                    lock(wait=True)
                    break
                except (IOError, OSError):  # Windows gives up after ten seconds
                    continue
        yield


def installed():
    """Count the packages that are in the environment."""
    patterns = ("lib/python*/site-packages/*.dist-info", "Lib/site-packages/*.dist-info")
    return sum(len(glob.glob(os.path.join(glob.escape(VENV), place))) for place in patterns)


def watched(command, total):
    """Run pip, print regularly how many packages are installed, and return its exit code.

    pip prints nothing while it unpacks the downloads, which takes minutes on a slow disk.
    """
    process, before = subprocess.Popen(command, cwd=HERE), installed()
    while True:
        try:
            return process.wait(TICK)
        except subprocess.TimeoutExpired:
            if installed() != before:
                before = installed()
                print("%d of %d packages are installed ..." % (min(before, total), total))
                sys.stdout.flush()
        except BaseException:
            process.terminate()
            process.wait()
            raise


def build():
    """Make .venv if necessary and install the pins; return an exit code."""
    if not usable():
        print("Building the environment in .venv with Python %d.%d ..." % sys.version_info[:2])
        sys.stdout.flush()
        if os.path.isdir(VENV):
            shutil.rmtree(VENV)
        if subprocess.call([sys.executable, "-m", "venv", VENV]) != 0:
            print(NO_VENV % ((sys.executable,) + sys.version_info[:2]))
            return 1
    before = read_stamp()
    # If this process is killed, the stamp stays "unfinished", and the next call starts again.
    write_stamp(UNFINISHED)
    print("Installing the packages: about 220 MB to download, 700 MB on disk, only once ...")
    sys.stdout.flush()
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check"]
    install = ["install", "--no-deps"]
    if not sys.stdout.isatty():
        install += ["--progress-bar", "off"]  # in a log each update would be a line
    with open(os.path.join(HERE, "requirements.txt")) as file:
        total = sum(1 for line in file if "==" in line)
    code = watched(pip + install + ["-r", "requirements.txt"], total)
    if code == 0:  # a separate call: the pins have hashes, and a folder cannot have one
        code = watched(pip + install + ["-e", "."], total)
    if code != 0:
        write_stamp(before)
        print(PIP_FAILED)
        return code
    write_stamp(wanted_stamp())
    return 0


def main():
    if read_stamp() == wanted_stamp() and runs("--version"):
        return 0
    said = problem()
    if said:
        print(said)
        return 1
    with alone():
        if read_stamp() == wanted_stamp() and runs("--version"):  # the other call has done it
            return 0
        return build()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped half way. Call this again: it starts afresh and keeps the downloads.")
