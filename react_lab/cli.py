"""The commands: python -m react_lab ask, start or doctor."""

import argparse
import sys
from pathlib import Path


def ask(question: str) -> int:
    """Print a run as it happens; 0 only if the model finished it."""
    from react_lab.connect import connect, describe
    from react_lab.loop import Agent
    from react_lab.models import ModelError
    from react_lab.toolkit import lab_tools
    from react_lab.views import text

    try:
        model = connect()
    except ModelError as error:
        print(error)
        return 1
    print(f"Model: {describe(model)}\nQuestion: {question}", flush=True)
    shown = 0
    for run in Agent(model, lab_tools()).stream(question):
        if len(run.steps) > shown:
            shown += 1
            latest = run.steps[-1]
            print(f"\n{text.show_step(latest, shown)}\n  {text.show_cost(latest)}", flush=True)
    print("\n" + text.show_end(run))
    return 0 if run.finished else 1


def start(arguments: list[str]) -> int:
    """Make or keep the working copy and open JupyterLab: [FOLDER] [options of JupyterLab]."""
    from react_lab.course import start as lab

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
        new = lab.copy(folder, lab.NOTEBOOKS)
    except OSError as error:
        print(f"{error}\nName a folder of your own: python -m react_lab start FOLDER")
        return 1
    print(f"Your notebooks are in {folder} ({len(new)} new). Stop the lab with Ctrl-C.", flush=True)
    return lab.open_lab(folder, options)


def doctor() -> int:
    """Print what was looked at, with a fix for what is wrong; 1 if something is."""
    from react_lab.course import doctor as lab

    findings = lab.check()
    print(lab.report(findings))
    return 0 if all(found.ok for found in findings) else 1


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m react_lab", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask", help="ask the model a question and watch it work")
    asking.add_argument("question")
    usage = "python -m react_lab start [FOLDER] [options of JupyterLab]"
    commands.add_parser("start", help="open your copy of the notebooks", usage=usage)
    commands.add_parser("doctor", help="look for what is missing and say how to mend it")
    known, rest = parser.parse_known_args(arguments)
    if known.command == "start":
        return start(rest)
    if rest:
        parser.error(f"cannot read {' '.join(rest)!r}; put a question in quotes")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not in a notebook
            stream.reconfigure(errors="replace")  # a narrow terminal must not end a run
    return ask(known.question) if known.command == "ask" else doctor()
