"""The house rules: who may import whom, what is loaded when, what a stored file may hold."""

import ast
import doctest
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "react_lab"
MODULES = sorted(PACKAGE.rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))

# Each room and the rooms below it. A room not named here may not exist; a new one gets a line.
MAY_IMPORT = {
    "chinese": "",
    "files": "",
    "keys": "",
    "tracking": "",
    "ranking": "",
    "registry/results": "chinese keys",
    "registry/signature": "",
    "registry/threads": "registry/results",
    "registry/registry": "chinese ranking registry/results registry/signature registry/threads",
    "parser/moves": "",
    "parser/labels": "",
    "parser/wrapping": "",
    "parser/backslashes": "",
    "parser/markup": "parser/json_repair",
    "parser/json_repair": "parser/backslashes",
    "parser/inputs": "parser/backslashes parser/json_repair parser/markup parser/moves",
    "parser/calls": "parser/inputs parser/json_repair",
    "parser/call_forms": "parser/calls parser/inputs parser/json_repair parser/markup",
    "parser/fields": "parser/call_forms parser/inputs parser/json_repair parser/labels "
    "parser/wrapping",
    "parser/parse": "parser/call_forms parser/calls parser/fields parser/inputs parser/moves "
    "parser/wrapping",
    "parser/plain": "parser/call_forms parser/calls parser/fields parser/moves parser/parse "
    "parser/wrapping",
    "parser/cases": "parser/moves parser/parse",
    "prompt": "registry/registry parser/labels",
    "models/reply": "",
    "models/notes_zh": "",
    "models/scripted": "models/reply",
    "models/endpoint": "keys",
    "models/api_errors": "",
    "models/payload": "models/api_errors",
    "models/chat": "keys models/api_errors models/endpoint models/payload models/reply",
    "models/grammar": "parser/labels",
    "models/native_text": "registry/registry parser/call_forms prompt models/reply",
    "models/progress": "",
    "models/weights": "models/reply",
    "models/engine_process": "",
    "models/engine": "models/progress models/reply models/weights",
    "models/embedded": "models/engine models/native_text models/reply",
    "models/recording": "files models/embedded models/engine models/native_text models/reply "
    "models/weights tracking",
    "models/settings": "models/chat models/embedded models/endpoint models/engine "
    "models/recording models/reply",
    "trace": "files keys registry/registry parser/moves models/endpoint models/reply",
    "stops": "models/reply parser/fields parser/moves ranking registry/registry trace",
    "debug": "parser/moves prompt trace",
    "loop": "context debug keys registry/registry registry/results parser/fields parser/moves "
    "parser/parse prompt models/notes_zh models/reply stops trace",
    "function_calling": "registry/registry registry/results parser/backslashes parser/calls "
    "parser/fields parser/inputs parser/json_repair parser/markup parser/moves parser/plain "
    "prompt models/reply "
    "trace loop",
    "toolkit/calculator": "",
    "toolkit/cities": "chinese",
    "toolkit/handbook": "ranking",
    "toolkit/lab_zh": "chinese toolkit/calculator toolkit/cities toolkit/handbook",
    "toolkit/lab": "chinese registry/registry toolkit/calculator toolkit/cities toolkit/handbook "
    "toolkit/lab_zh",
    "services/model_server": "models/embedded models/endpoint models/engine models/reply",
    "services/search_server": "ranking toolkit/handbook",
    "context": "chinese models/reply parser/fields parser/labels prompt registry/results",
    "memory": "context models/reply parser/fields prompt ranking registry/results trace",
    "patterns": "chinese loop models/reply parser/fields parser/moves parser/parse prompt "
    "registry/registry registry/results trace",
    "evaluation/claim": "",
    "evaluation/stress": "loop",
    "evaluation/intervals": "",
    "evaluation/not_known": "",
    "evaluation/values": "chinese",
    "evaluation/judge": "chinese evaluation/not_known evaluation/values parser/moves "
    "registry/registry toolkit/lab trace",
    "evaluation/evaluation": "evaluation/intervals evaluation/judge loop models/reply trace "
    "tracking",
    "views/words": "chinese trace",
    "views/text": "prompt parser/fields parser/moves registry/results trace views/words",
    "views/pages": "parser/fields parser/moves prompt registry/results trace views/text "
    "views/words",
    "views/plots": "models/reply parser/moves registry/results trace views/pages views/text",
    "views/report": "evaluation/evaluation evaluation/intervals parser/moves registry/results "
    "views/pages "
    "views/plots views/text",
    "views/quiz": "files views/pages",
    "views/marked": "parser/fields views/pages views/words",
    "views/run_html": "parser/fields parser/moves prompt registry/registry registry/results "
    "trace views/marked views/pages views/text views/words",
    "views/shown": "files registry/results trace views/run_html views/text",
    "views/comparison": "registry/results trace views/pages views/run_html views/text",
    "views/microscope": "loop models/progress registry/results trace views/pages "
    "views/run_html views/text views/words",
    "views/prompt_builder": "models/progress registry/results views/pages views/run_html",
    "views/grid": "views/pages",
    "views/widgets": "registry/results trace views/text views/pages views/words",
    "cli": "*",
    "__main__": "*",
    "__init__": "",
    "registry/__init__": "registry/registry registry/results",
    "parser/__init__": "parser/calls parser/fields parser/inputs parser/labels parser/moves "
    "parser/parse",
    "models/__init__": "",
    "toolkit/__init__": "toolkit/calculator toolkit/cities toolkit/handbook toolkit/lab",
    "services/__init__": "",
    "evaluation/__init__": "evaluation/claim evaluation/evaluation evaluation/intervals "
    "evaluation/stress evaluation/judge tracking",
    "views/__init__": "",
}
COMMANDS = {"cli", "__main__", "services/model_server", "services/search_server"}
HEAVY = ("openai", "pydantic", "matplotlib", "ipywidgets", "xllamacpp", "numpy", "jupyterlab")


def room(path):
    """react_lab/views/text.py -> views/text"""
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def imported(path):
    """The rooms that a module imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: write imports from react_lab, not from a dot"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "react_lab":
                longest = "/".join(parts[1:])
                while longest and not (PACKAGE / f"{longest}.py").exists():
                    if (PACKAGE / longest / "__init__.py").exists():
                        longest += "/__init__"
                        break
                    longest = "/".join(longest.split("/")[:-1])
                yield longest or "__init__"


@pytest.mark.parametrize("path", MODULES, ids=room)
def test_imports_only_point_downwards(path):
    found = set(imported(path))
    if room(path).startswith("course/"):
        # exercise 3 is checked against the search service
        assert not found & (COMMANDS - {"services/search_server"})
        return
    allowed = MAY_IMPORT[room(path)]
    assert allowed == "*" or found <= set(allowed.split())


def test_the_package_imports_nothing_from_beside_it():
    outside = re.compile(r"^\s*(from|import) (training|benchmarks|tests|deploy)\b", re.M)
    assert not [room(path) for path in MODULES if outside.search(path.read_text("utf-8"))]


def test_nothing_heavy_is_loaded_at_import():
    """All rooms in one fresh Python: the big packages come at first use."""
    rooms = [room(path).replace("/", ".") for path in MODULES if path.stem != "__main__"]
    names = ", ".join(f"react_lab.{name}" for name in rooms)
    code = f"import sys, {names}; print([m for m in {HEAVY} if m in sys.modules])"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.stdout == "[]\n", child.stderr


@pytest.mark.parametrize("path", MODULES, ids=room)
def test_the_examples_in_docstrings_run(path):
    if path.stem != "__main__":
        name = f"react_lab.{room(path)}".replace("/", ".").removesuffix(".__init__")
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_core_prints_nothing():
    may = COMMANDS | {"debug"}
    loud = [p for p in MODULES if room(p) not in may and "print(" in code_only(p)]
    assert loud == []


def code_only(path):
    """The code of a module without its docstrings and comments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant("")
    return ast.unparse(tree)


@pytest.mark.parametrize("path", MODULES, ids=room)
def test_public_names_are_documented(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    undocumented = [path.name] if tree.body and not ast.get_docstring(tree) else []
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else []
        for thing in [node, *inside]:
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            if isinstance(thing, kinds) and not thing.name.startswith("_"):
                if not ast.get_docstring(thing) and not node.name.startswith("_"):
                    undocumented.append(thing.name)
    assert undocumented == []


# What stands in files and outputs --------------------------------------------------------

MACHINE_PATH = re.compile(r"(?<![\w.:/])/(work|tmp|root|home|Users|opt)/|\b[A-Z]:\\+Users\b")
HOST = re.compile(r"py(pi|thonhosted)\.org|ana(conda)\.org|np(mjs)\.org|deb\.debian|/simp(l)e/")
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
KEY = re.compile(r"\b(sk-|hf_|ghp_|AKIA)[A-Za-z0-9_-]{16,}")


@pytest.mark.parametrize(
    "pattern, text",
    [
        (MACHINE_PATH, "File /home/" + "ada/lab.py"),
        (MACHINE_PATH, "C:" + r"\\Users\\ada"),
        (HOST, "from files.python" + "hosted.org"),
        (PORT, "http://127.0.0.1:" + "8888/v1"),
        (ADDRESS, "<object at 0x" + "7f3a12bc>"),
        (KEY, "sk" + "-proj-abcdefghijklmnop"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern, text):
    assert pattern.search(text)


def tracked_files():
    """Every file under version control; in a bare copy, every file."""
    if (ROOT / ".git").exists():
        git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
        found = [ROOT / name for name in git.stdout.split("\0") if name]
    else:
        found = [path for top in ROOT.glob("[!.]*") for path in [top, *top.rglob("*")]]
    assert len(found) > 20
    return [path for path in found if path.is_file()]


def tracked():
    """Every text file of them, as (name, text)."""
    for path in tracked_files():
        if b"\0" not in path.read_bytes()[:4096]:
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8", errors="replace")


def test_no_file_holds_a_key_or_the_host_of_a_registry():
    assert [name for name, text in tracked() if KEY.search(text) or HOST.search(text)] == []


def test_no_shipped_file_holds_a_path_of_a_machine():
    shipped = ("react_lab/", "notebooks/", "README", "CONTRIBUTING", "training/")
    found = [n for n, text in tracked() if n.startswith(shipped) and MACHINE_PATH.search(text)]
    assert found == []


def test_no_path_is_longer_than_80_characters():
    """Windows allows 260 for a whole path, and the folder above is the user's."""
    names = [path.relative_to(ROOT).as_posix() for path in tracked_files()]
    assert [name for name in names if len(name) > 80] == []


def test_a_fresh_clone_with_its_history_stays_below_25_megabytes():
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True).stdout

    if not (ROOT / ".git").exists() or git("rev-parse", "--is-shallow-repository") != b"false\n":
        pytest.skip("the whole history is not here")
    sent = len(git("bundle", "create", "-", "HEAD"))
    unpacked = sum(path.stat().st_size for path in tracked_files())
    assert sent > 100_000
    assert sent + unpacked < 25_000_000


# Links ---------------------------------------------------------------------------------------

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"""\]\(\s*<?([^)>\s]+)|\b(?:href|src)=["']([^"']+)|^\[[^]]+\]:\s*(\S+)""", re.M)


def prose(path):
    """The Markdown of a page or a notebook."""
    if path.suffix == ".ipynb":
        return "\n\n".join(source(cell) for cell in cells(path, "markdown"))
    return path.read_text(encoding="utf-8")


def links(text):
    """The targets of all links and pictures, those on the web left out."""
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", text))
    found = ["".join(parts) for parts in LINK.findall(text)]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(text):
    """The headings as GitHub names them in a page, and as Jupyter does."""
    found = re.findall(r"^#{1,6} +(.*?)\s*$", FENCE.sub("", text), re.M)
    slugs = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in found}
    return slugs | {heading.replace(" ", "-") for heading in found}


def lost(path):
    """The links of a page that lead nowhere inside the repository."""
    for link in links(prose(path)):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        there = target == path or (target.is_relative_to(ROOT) and target.exists())
        if not there or (anchor and anchor not in anchors(prose(target))):
            yield link


PAGES = [path for path in tracked_files() if path.suffix in (".md", ".ipynb")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere_in_the_repository(path):
    assert list(lost(path)) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    text = "[a](docs/none.md) ![b](docs/run.svg) `[c](d)` [e](https://f) <a href='#what-a-step'>"
    assert links(text) == ["docs/none.md", "docs/run.svg", "#what-a-step"]
    assert "quick-start" in anchors(prose(ROOT / "README.md"))
    (tmp_path / "page.md").write_text("# A b\n[a](#a-b) [b](#A-b) [c](#b) [d](none) [e](../)")
    assert list(lost(tmp_path / "page.md")) == ["#b", "none", "../"]


# Notebooks ---------------------------------------------------------------------------------

TAGS = re.compile(r"raises-exception|nbval-ignore-output|same-as:react_lab\.[\w.]+")
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def notebook(path):
    return json.loads(path.read_text(encoding="utf-8"))


def cells(path, kind):
    return [cell for cell in notebook(path)["cells"] if cell["cell_type"] == kind]


def source(cell):
    return "".join(cell["source"])


@each_notebook
def test_a_notebook_was_run_from_top_to_bottom(path):
    """nbval does not compare a cell that was never run: it would pass in silence."""
    counts = [cell["execution_count"] for cell in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1))


@each_notebook
def test_a_notebook_names_the_kernel_that_everybody_has(path):
    metadata = notebook(path)["metadata"]
    assert metadata["kernelspec"]["name"] == "python3"
    assert "widgets" not in metadata


@each_notebook
def test_a_notebook_uses_only_the_known_tags(path):
    for cell in notebook(path)["cells"]:
        for tag in cell["metadata"].get("tags", []):
            assert TAGS.fullmatch(tag), tag
        assert not re.search(r"#\s*(NBVAL_|PYTEST_VALIDATE)", source(cell)), "use a tag"


@each_notebook
def test_an_ignored_output_is_the_only_one_and_says_why(path):
    """A cell whose output is not compared checks it itself, and a comment gives the reason."""
    tags = [(cell["metadata"].get("tags", []), source(cell)) for cell in cells(path, "code")]
    ignored = [text for names, text in tags if "nbval-ignore-output" in names]
    assert len(ignored) <= 1
    for text in ignored:
        assert re.search(r"^\s*assert ", text, re.M) and re.search(r"#\s*\w", text)


@each_notebook
def test_a_cell_fits_on_a_screen(path):
    assert max(len(source(cell).splitlines()) for cell in cells(path, "code")) <= 25


@each_notebook
def test_only_a_cell_that_says_so_ends_in_an_error(path):
    for cell in cells(path, "code"):
        failed = any(output["output_type"] == "error" for output in cell["outputs"])
        assert failed == ("raises-exception" in cell["metadata"].get("tags", []))


@each_notebook
def test_headings_come_in_order(path):
    """One title, and no level left out on the way down."""
    text = FENCE.sub("", prose(path))
    levels = [len(mark) for mark in re.findall(r"^(#{1,6}) ", text, flags=re.M)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below - above <= 1 for above, below in zip(levels, levels[1:], strict=False))


@each_notebook
def test_every_picture_can_be_heard(path):
    """Alt text on each picture, in the prose and in the outputs."""
    for cell in cells(path, "markdown"):
        assert not re.search(r"!\[\s*\]\(", source(cell))
        for image in re.findall(r"<img\b[^>]*>", source(cell)):
            assert re.search(r'\balt="[^"]+"', image)
    for cell in cells(path, "code"):
        for output in cell["outputs"]:
            for kind in output.get("data", {}):
                if kind in ("image/png", "image/jpeg"):
                    assert output["metadata"].get(kind, {}).get("alt")


@each_notebook
def test_a_stored_output_tells_nothing_of_the_machine(path):
    for cell in cells(path, "code"):
        stored = re.sub(r"\\u001b\[[\d;]*m", " ", json.dumps(cell["outputs"]))  # without colours
        for pattern in (MACHINE_PATH, HOST, PORT, ADDRESS, KEY):
            assert not pattern.search(stored), pattern.search(stored)
