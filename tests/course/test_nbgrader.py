"""The exercises in the real nbgrader: a release, three submissions, their scores and feedback.

nbgrader is no part of the lab. It is installed into an environment of its own, which git ignores,
and runs the notebooks with the lab's Python. Its commands are read from deploy/nbgrader/README.md.
"""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from html import unescape
from pathlib import Path

import pytest

from helpers import submissions
from react_lab.course import exercise_notebook

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "nbgrader"
PAGE = (DEPLOY / "README.md").read_text("utf-8")
CODE = "".join(re.findall("^```\n(.*?)^```", PAGE, re.M | re.S))
COMMANDS = [line.split() for line in CODE.splitlines() if line.startswith("nbgrader ")]
LEARNERS = ROOT / "notebooks" / "13_exercises.ipynb"
VENV = ROOT / ".venv-nbgrader" / f"python{sys.version_info.major}.{sys.version_info.minor}"
PACKAGES, SCRIPTS = (
    Path(sysconfig.get_path(name, vars={"base": str(VENV)})) for name in ("purelib", "scripts")
)
KERNEL = VENV / "share" / "jupyter" / "kernels" / "python3" / "kernel.json"
(PIN,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["nbgrader"]

FAILED = """nbgrader could not be installed; pip's own words are above. With a network:
    {}
Or run the tests that do not need it: make test"""

POINTS = {
    **{"time_tool": 1, "repeat_detection": 2, "search_api": 3},
    **{"parser_fault": 3, "context_policy": 4, "approval": 2},
}
GRADES = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    submissions = book.assignment_submissions("exercises")
    grades = {one.student.id: one.notebooks[0].grades for one in submissions}
    print(json.dumps({student: {one.name: (one.score, one.max_score) for one in found}
                      for student, found in grades.items()}))
"""

NEVER = "def repeat_detection(*given):\n    while True:\n        pass\n"

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def nbgrader():
    """The folder of nbgrader's commands; the first call installs it, which needs the network."""
    online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    python, info = SCRIPTS / "python", PACKAGES / f"{PIN.replace('==', '-')}.dist-info"
    pinned = info.is_dir()
    kernel = pinned and KERNEL.exists() and json.loads(KERNEL.read_text())["argv"][0]
    steps = (
        (python.exists(), sys.executable, "-m venv", str(VENV)),
        (pinned, str(python), "-m pip install -q", PIN),
        (kernel == sys.executable, sys.executable, "-m ipykernel install --prefix", str(VENV)),
    )
    for done, program, does, what in steps:
        command = [program, *does.split(), what]
        if not done and subprocess.run(command, env=online).returncode:
            pytest.fail(FAILED.format(" ".join(command)))
    return SCRIPTS


@pytest.fixture(scope="module")
def course(nbgrader, tmp_path_factory):
    """The folder of a course after all the commands, with what three learners handed in."""
    folder = tmp_path_factory.mktemp("a course")
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")  # nobody's settings
    environment = os.environ | dict.fromkeys(places, str(folder / ".own"))
    environment["PATH"] = f"{nbgrader}{os.pathsep}{os.environ['PATH']}"  # as activated

    def run(program, *words):
        command = [nbgrader / program, *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shutil.copy(DEPLOY / "nbgrader_config.py", folder)
    put(exercise_notebook.instructors(), folder / "source" / "exercises")
    run(*COMMANDS[0])
    for learner, notebook in handed_in(read(folder / "release" / "exercises")).items():
        put(notebook, folder / "submitted" / learner / "exercises")
    for command in COMMANDS[1:]:
        run(*command)
    (folder / "grades.json").write_text(run("python", "-c", GRADES))
    return folder


def put(notebook, folder):
    folder.mkdir(parents=True)
    (folder / LEARNERS.name).write_text(json.dumps(notebook), encoding="utf-8")


def read(folder):
    return json.loads((folder / LEARNERS.name).read_text("utf-8"))


def handed_in(released):
    """By learner: what is handed in.

    The right one is a working copy of the lab's own notebook, and warns about something:
    nbgrader gives no point for a cell with anything on stderr.
    """
    solved = {name: exercise_notebook.solution(name) for name in POINTS}
    note = '\n    __import__("warnings").warn("both are added")\n    return '
    noted = {"time_tool": solved["time_tool"].replace("\n    return ", note)}
    limit = "from react_lab.course import checking\n\nchecking.SECONDS = {}\n\n\n"  # else a minute
    wrong = {
        "time_tool": source(submissions.clock_that_lies, "time_tool"),
        "repeat_detection": limit.format(3) + NEVER,
        "search_api": limit.format(60) + solved["search_api"],
        "context_policy": source(submissions.policy_that_forgets, "context_policy"),
    }
    return {
        "right": filled(read(LEARNERS.parent), solved | noted),
        "wrong": filled(released, solved | wrong),
        "empty": released,
    }


def source(work, name):
    """The text of a function of submissions.py, without its decorator and under another name."""
    text = inspect.getsource(work).partition("\n")[2]
    return text.replace(f"def {work.__name__}(", f"def {name}(", 1)


def filled(notebook, cells):
    """A copy of a notebook with other sources, by the names that nbgrader has for the cells."""
    notebook = json.loads(json.dumps(notebook))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = cells.get(name, cell["source"])
    return notebook


def test_what_is_released_is_the_learners_notebook(course):
    def cells(notebook):
        return [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]

    assert cells(read(course / "release" / "exercises")) == cells(read(LEARNERS.parent))


def test_each_submission_gets_its_points(course):
    """By hand: 1 + 2 + 3 + 3 + 4 + 2 = 15; without the clock (1), the policy (4) and the function
    that never returns (2) it is 8."""
    found = json.loads((course / "grades.json").read_text())
    most = {f"{name}-check": points for name, points in POINTS.items()}
    assert {name: most for name in found} == {
        learner: {name: of for name, (_, of) in grades.items()} for learner, grades in found.items()
    }
    scores = {
        learner: {name: score for name, (score, _) in grades.items()}
        for learner, grades in found.items()
    }
    assert scores == {
        "right": most,
        "wrong": most
        | {"time_tool-check": 0, "repeat_detection-check": 0, "context_policy-check": 0},
        "empty": dict.fromkeys(most, 0),
    }
    assert [sum(scores[name].values()) for name in ("right", "wrong", "empty")] == [15, 8, 0]


@pytest.mark.parametrize(
    "learner, words",
    [
        ("right", "(Score: 15.0 / 15.0)"),
        ("wrong", "(Score: 8.0 / 15.0)"),
        ("wrong", "your function did not return"),
        ("wrong", "a clock that answers for any city lies"),
        ("wrong", "lost: What is the number of the mill, and what is that of the ferry?"),
        ("empty", "(Score: 0.0 / 15.0)"),
        ("empty", "not started"),
    ],
)
def test_the_feedback_says_the_score_and_what_was_wrong(course, learner, words):
    page = course / "feedback" / learner / "exercises" / "13_exercises.html"
    assert words in unescape(re.sub(r"<[^>]*>", "", page.read_text("utf-8")))


def test_the_page_for_teachers_has_the_three_commands_and_the_version():
    steps = ("generate_assignment", "autograde", "generate_feedback")
    assert COMMANDS[:3] == [["nbgrader", step, "exercises"] for step in steps]
    assert f"pip install {PIN}\n" in PAGE
    assert f"There are {sum(POINTS.values())} points in all" in " ".join(PAGE.split())
