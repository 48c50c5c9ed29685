"""Packages that a test needs and the lab does not: each beside it, in a folder that git ignores."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"

NOT_INSTALLED = """{} could not be installed; pip's own words are above. With a network:
    {}
Or run the tests that do not need it: make test"""


def beside(group: str, *options: str) -> Path:
    """The folder with the one pin of a dependency group, which the first call installs.

    options: more words for pip. Raises RuntimeError that says what to do if pip cannot.
    """
    (pin,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"][group]
    folder = ROOT / f".venv-{group}" / PYTHON
    if not (folder / f"{pin.replace('==', '-')}.dist-info").is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder)]
        install += [*options, pin]
        online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # tests are offline
        if subprocess.run(install, env=online).returncode:
            raise RuntimeError(NOT_INSTALLED.format(pin, " ".join(install)))
    return folder
