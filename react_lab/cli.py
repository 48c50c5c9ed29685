"""The commands: python -m react_lab ask, start, evaluate, doctor, serve or searchd."""

import argparse
import json
import sys
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any


def ask(question: str) -> int:
    """Print a run as it happens; 0 only if the model finished it."""
    from react_lab.loop import Agent
    from react_lab.models.progress import watch
    from react_lab.models.settings import describe
    from react_lab.toolkit.lab import lab_tools
    from react_lab.views import text

    if (model := _connected()) is None:
        return 1
    print(f"Model: {describe(model)}\nQuestion: {question}", flush=True)
    shown = 0
    with watch(_follow):
        for run in Agent(model, lab_tools()).stream(question):
            if len(run.steps) > shown:
                shown += 1
                latest = run.steps[-1]
                _follow("")
                print(f"\n{text.show_step(latest, shown)}\n  {text.show_cost(latest)}", flush=True)
    _follow("")
    print("\n" + text.show_end(run))
    return 0 if run.finished else 1


def _follow(progress: object) -> None:
    """Show in a terminal what the model is doing, on one line that is overwritten."""
    if sys.stderr.isatty():
        line = " ".join(str(progress).split())[-70:]
        sys.stderr.write(f"\r{' ' * 70}\r{line}")
        sys.stderr.flush()


def _connected() -> Any:
    """Return the model that the settings name, or None after printing why there is none."""
    from react_lab.models.reply import ModelError
    from react_lab.models.settings import connect

    try:
        return connect()
    except ModelError as error:
        print(error)
        return None


def start(arguments: list[str], fresh: str | None = None) -> int:
    """Make or renew the working copy and open JupyterLab: [FOLDER] [options of JupyterLab].

    Args:
        arguments: the folder, and options of JupyterLab.
        fresh: the number of a notebook to replace by a clean copy, such as "05".
    """
    from react_lab.course import start as lab
    from react_lab.course.working_copies import copy

    named = bool(arguments) and not arguments[0].startswith("-")
    folder = Path(arguments[0] if named else "my_lab").resolve()
    options = arguments[1:] if named else arguments
    if not (lab.NOTEBOOKS / lab.FIRST).is_file():
        print("The notebooks are not beside the package. Start the lab from a clone of it.")
        return 1
    if port := lab.busy_port(options):
        print(f"Port {port} is taken, perhaps by a lab that is still open. Name another one,")
        print("or none: then a free one is found.")
        return 1
    try:
        done = copy(folder, lab.NOTEBOOKS, fresh)
        places = lab.environment(folder)
        config = Path(places["JUPYTER_CONFIG_DIR"])
        lab.no_news(config)
        lab.course_look(config)
        lab.trust(done.new + done.renewed, Path(places["JUPYTER_DATA_DIR"]))
    except (OSError, ValueError) as error:
        print(error)
        if isinstance(error, OSError):
            print("Name a folder of your own: python -m react_lab start FOLDER")
        return 1
    print(f"Your notebooks are in {folder}: {done}\nStop the lab with Ctrl-C.", flush=True)
    return lab.open_lab(folder, options)


def evaluate(folder: Path, baseline: Path | None) -> int:
    """Run the cases, print the report and write it into the folder, beside the traces.

    Args:
        folder: where the traces and the report go.
        baseline: a passed.json of an earlier run.

    Returns:
        1 if the agent got worse than the baseline, a case was not reached, or the report could
        not be written. 2 if the baseline cannot be read, or the folder has runs of another model
        or prompt; the folder is then unchanged.
    """
    from react_lab.evaluation.evaluation import regression
    from react_lab.evaluation.judge import evaluation_cases
    from react_lab.models.settings import describe
    from react_lab.views import report

    try:
        before = json.loads(baseline.read_text("utf-8")) if baseline else {}
        before = {str(name): passed is True for name, passed in dict(before).items()}
    except (OSError, ValueError, TypeError) as error:
        print(f"{baseline} is not a baseline: {error}\nGive a passed.json of an earlier run.")
        return 2
    if (model := _connected()) is None:
        return 1
    print(f"Model: {describe(model)}\nFolder: {folder}", flush=True)
    cases = evaluation_cases()
    try:
        _one_model(folder, describe(model))
        results = _results(cases, model, folder / "traces")
    except ValueError as error:
        print(f"\n{error}")
        return 2
    print(f"\n\n{report.as_text(results, len(cases))}")
    written = _write_report(results, len(cases), folder)
    found = regression(results, before)
    if baseline:
        print(f"\n{report.changes(found)}")
    whole = len(results) == len(cases) and not found.missing
    return 0 if whole and written and found.verdict != "worse" else 1


def _results(cases: list[Any], model: Any, folder: Path) -> list[Any]:
    """Return the results of the cases that were reached. `evaluate` shows the progress."""
    from react_lab.evaluation.evaluation import evaluate, lab_agent

    found = []
    try:
        for result in evaluate(cases, partial(lab_agent, model), folder=folder):
            found.append(result)
    except KeyboardInterrupt:
        print("\nInterrupted. Give the same --folder to continue.", end="")
    except OSError as error:
        print(f"\n{error}", end="")
    return found


def _one_model(folder: Path, name: str) -> None:
    """Note a model in its folder. Raises ValueError if another one is noted there."""
    from react_lab.files import write

    path = folder / "model.txt"
    with suppress(OSError):  # writing the traces reports what is wrong with the folder
        if not path.exists():
            write(path, f"{name}\n".encode(errors="replace"))
        if (noted := path.read_text("utf-8").strip()) != name:
            raise ValueError(f"{folder} holds runs of {noted}; name another folder for {name}.")


def _write_report(results: list[Any], of: int, folder: Path) -> bool:
    """Write the report and the passed cases into the folder. Return whether all were written."""
    from react_lab.files import write
    from react_lab.views import report

    passed = {result.case.id: result.passed for result in results}
    files = {
        "report.txt": report.as_text(results, of),
        "report.html": report.as_html(results, of),
        "passed.json": json.dumps(passed, indent=1),
    }
    try:
        for name, content in files.items():
            write(folder / name, f"{content}\n".encode(errors="replace"))
    except OSError as error:
        print(f"\nThe report could not be written: {error}")
        return False
    return True


def doctor() -> int:
    """Print each check and a fix for each fault. Return 1 if there is a fault, else 0."""
    from react_lab.course import doctor as lab

    findings = lab.check()
    print(lab.report(findings))
    return 0 if all(found.ok for found in findings) else 1


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the commands and their options."""
    parser = argparse.ArgumentParser(prog="python -m react_lab", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask", help="ask the model a question and watch it work")
    asking.add_argument("question")
    usage = "python -m react_lab start [FOLDER] [--fresh 05] [options of JupyterLab]"
    about = "open your copy of the notebooks"
    starting = commands.add_parser("start", help=about, usage=usage, allow_abbrev=False)
    starting.add_argument("--fresh", help="make a clean copy; yours is renamed")
    evaluating = commands.add_parser("evaluate", help="run the 48 cases and report")
    evaluating.add_argument("--folder", type=Path, help="for traces and report; again to continue")
    evaluating.add_argument("--baseline", type=Path, help="passed.json of an earlier run")
    commands.add_parser("doctor", help="look for what is missing and print how to fix it")
    serving = commands.add_parser("serve", help="serve the embedded model to a classroom")
    serving.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for the whole network")
    serving.add_argument("--port", type=int, default=8000, help="8000 unless given")
    serving.add_argument("--slots", type=int, default=4, help="how many requests to serve at once")
    searching = commands.add_parser("searchd", help="run the search service of exercise 3")
    searching.add_argument("--port", type=int, default=0, help="the default is any free port")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    known, rest = parser.parse_known_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not in a notebook
            stream.reconfigure(errors="replace")  # a narrow terminal must not end a run
    if known.command == "start":
        return start(rest, known.fresh)
    if rest:
        parser.error(f"cannot read {' '.join(rest)!r}; put a question in quotes")
    if known.command == "ask" and not known.question.strip():
        parser.error('the question is empty; put one in quotes: ask "Is it raining in Oslo?"')
    if known.command == "evaluate":
        folder = known.folder or Path("runs", f"{datetime.now():%Y-%m-%d_%H%M%S}")
        return evaluate(folder, known.baseline)
    if known.command == "searchd":
        from react_lab.services import search_server

        return search_server.run(known.port)
    if known.command == "serve":
        from react_lab.services import model_server

        return model_server.run(known.host, known.port, known.slots)
    return ask(known.question) if known.command == "ask" else doctor()
