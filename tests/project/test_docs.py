"""The pages for teachers say what the notebooks, the package and the Makefile say."""

import ast
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from react_lab import loop, stops
from react_lab.prompt import MESSAGES, WARNINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def rows(text):
    """The rows of all tables of a page, each as the list of its cells."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def sources(name):
    """The source of each cell of a notebook."""
    path = ROOT / "notebooks" / f"{name}.ipynb"
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]


# Glossary ------------------------------------------------------------------------------------

TERMS = [row for row in rows(page("glossary.md")) if row[0] not in ("term", "---")]


def test_the_glossary_defines_each_term_once_and_in_order():
    names = [term.casefold() for term, _, _ in TERMS]
    assert names == sorted(set(names))
    assert all(meaning.endswith(".") for _, _, meaning in TERMS)


@pytest.mark.parametrize("term, name, meaning", TERMS, ids=lambda cell: cell[:30])
def test_the_notebook_that_the_glossary_names_holds_the_word(term, name, meaning):
    words = " ".join(" ".join(sources(name)).split()).casefold()
    assert re.search(rf"(?<![a-z]){re.escape(term.casefold())}s?(?![a-z])", words)


# Plans ---------------------------------------------------------------------------------------


def plans():
    """(week, part, minutes) of each row of the two plans; the week of the workshop is 0."""
    for cells in rows(page("teaching.md")):
        if len(cells) == 3 and cells[1].isdigit():
            yield 0, cells[0], int(cells[1])
        elif len(cells) == 3 and cells[2].isdigit():
            yield int(cells[0]), cells[1], int(cells[2])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_plan_gives_each_notebook_the_minutes_that_it_states(path):
    stated = re.search(r"\*\*Time:\*\* (\w+) minutes", sources(path.stem)[0])[1]
    minutes = 5 if stated == "five" else int(stated)
    if path.stem == "13_exercises":
        found = [n for week, part, n in plans() if week and part.startswith("exercise")]
        assert sum(found) == minutes
    else:
        assert {n for _, part, n in plans() if part == f"notebook {path.stem[:2]}"} <= {minutes}


def test_a_plan_gives_each_exercise_the_minutes_that_it_states():
    source = json.loads((ROOT / "react_lab" / "data" / "exercises.ipynb").read_text("utf-8"))
    prose = "\n".join("".join(cell["source"]) for cell in source["cells"])
    stated = re.findall(r"\*\*Minutes:\*\* (\d+)", prose)
    assert len(stated) == 6
    for number, minutes in enumerate(map(int, stated), 1):
        assert {n for _, part, n in plans() if part == f"exercise {number}"} == {minutes}


def test_the_weeks_hold_every_notebook_and_exercise_once():
    parts = [part for week, part, _ in plans() if week and part != "together"]
    wanted = [f"notebook {n:02}" for n in range(12)] + [f"exercise {n}" for n in range(1, 7)]
    assert sorted(parts) == sorted(wanted)


@pytest.mark.parametrize("week", range(5))
def test_the_minutes_of_a_plan_add_up(week):
    parts = [(part, minutes) for number, part, minutes in plans() if number == week]
    *before, (last, together) = parts
    assert last == "together" and sum(minutes for _, minutes in before) == together
    assert week or together == 180


# Without a network ---------------------------------------------------------------------------


def test_the_wheelhouse_is_installed_from_where_it_is_made():
    """It holds the pins and what builds the lab, and pip finds both there without a network."""
    made = subprocess.run(
        ["make", "-n", "wheelhouse"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    folder = re.search(r"--wheel-dir (\S+)", made)[1]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert f"--wheel-dir {folder} -r requirements.txt\n" in made
    assert f'--wheel-dir {folder} "{" ".join(build)}"' in made
    lines = [line for line in page("teaching.md").splitlines() if "--no-index" in line]
    assert lines[0].endswith(f"--find-links {folder} --no-deps -r requirements.txt")
    assert lines[1].endswith(f"--find-links {folder} --no-deps -e .")  # it can have no hash
    assert f"`{folder}`" in page("teaching.md")
    assert f"PIP_NO_INDEX=1 PIP_FIND_LINKS={folder} make lab\n" in page("teaching.md")


# Cheat sheet ---------------------------------------------------------------------------------

SHEET = page("cheat_sheet.md")


def test_the_loop_of_the_sheet_is_that_of_notebook_05():
    code = re.search(r"```python\n(.*?)```", SHEET, re.S)[1]
    cell = next(text for text in sources("05_loop") if "def loop_v2(" in text)
    found = [node for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef)]
    assert ast.dump(ast.parse(code).body[0]) == ast.dump(found[0])


def test_the_sheet_names_every_stop_reason_and_every_stop_rule_with_its_default():
    code = Path(stops.__file__).read_text(encoding="utf-8")
    reasons = set(re.findall(r'return "([a-z ]+)" if', code)) | set(loop.NO_LAST_WORD)
    table = SHEET.partition("## Stop reasons")[2].partition("##")[0]
    assert reasons == {row[0].strip("`") for row in rows(table) if row[0].startswith("`")} - {
        "run.stop"
    }
    for brake in stops.STOPS:
        limit = getattr(brake, "n", getattr(brake, "seconds", None))
        assert f"`{type(brake).__name__}({limit})`" in table


def test_the_sheet_holds_every_message_word_for_word():
    table = SHEET.partition("## Messages to the model")[2].partition("##")[0]
    shown = [row[1] for row in rows(table)[2:]]
    assert sorted(shown) == sorted([*MESSAGES["en"].values(), WARNINGS["en"]["not_run"]])


def test_the_sheet_fits_on_two_pages():
    lines = [len(line) // 95 + 1 for line in SHEET.splitlines()]
    assert sum(lines) <= 2 * 56


# Behaviour -----------------------------------------------------------------------------------

BEHAVIOUR = page("behaviour.md")


def test_each_of_the_ten_answers_names_tests_that_are_there():
    table = BEHAVIOUR.partition("## Ten questions")[2].partition("\n## ")[0]
    named = [re.findall(r"`(test_\w+)`", row[2]) for row in rows(table)[2:]]
    there = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) == 10 and all(named)
    assert [n for tests in named for n in tests if f"def {n}(" not in there] == []
