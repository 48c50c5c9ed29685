"""What a person does around a run: go on when the server is back, read a view, repair the lab."""

import builtins
import sys

import pytest

from react_lab import Agent, ModelError, Registry, Reply, Run
from react_lab.course import doctor
from react_lab.views.prompt_builder import PromptBuilder
from react_lab.views.quiz import quiz
from react_lab.views.widgets import stepper


def breaking(*faults: bool):
    """A model that answers, or for True cannot be reached."""
    script = iter(faults)

    def model(messages, tools=None) -> Reply:
        if next(script):
            raise ModelError("No reply from the server.", "no connection")
        return Reply("Final Answer: 4")

    return model


@pytest.mark.parametrize("control", ["next", "end"])
def test_the_stepper_asks_again_after_the_server_is_back(control):
    agent = Agent(breaking(True, False), Registry())
    view = stepper("What is 2+2?", go_on=agent.stream)
    getattr(view, control).click()
    assert view.wait().stop == "model error"
    getattr(view, control).click()
    assert view.wait().answer == "4"


def test_a_run_that_is_over_is_not_asked_again():
    agent = Agent(breaking(False), Registry())
    view = stepper("What is 2+2?", go_on=agent.stream)
    for _ in range(3):
        view.end.click()
        view.wait()
    assert view.run.answer == "4" and len(view.run.steps) == 1


def prompt() -> PromptBuilder:
    return PromptBuilder({"a": "A"}, " ".join, len)


VIEWS = {
    "stepper": lambda: stepper(Run("What is <2+2>?")),
    "prompt builder": prompt,
    "quiz": lambda: quiz("05_loop"),
}


@pytest.mark.parametrize("name", ["stepper", "prompt builder", "quiz"])
def test_a_view_without_a_front_end_has_html(name):
    bundle = VIEWS[name]()._repr_mimebundle_()
    assert bundle["text/html"].startswith("<") and bundle["text/plain"]
    assert "<2+2>" not in bundle["text/html"]


@pytest.mark.parametrize("name", ["stepper", "prompt builder", "quiz"])
def test_a_missing_package_is_named_with_the_command(name, monkeypatch):
    real = builtins.__import__

    def without(module: str, *rest: object):
        if module.startswith("ipywidgets"):
            raise ImportError(module)
        return real(module, *rest)

    monkeypatch.delitem(sys.modules, "ipywidgets", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="%pip install ipywidgets") as caught:
        VIEWS[name]()
    assert f"{sys.executable} -m pip install ipywidgets" in str(caught.value)


@pytest.mark.parametrize(
    "text, fix",
    [
        doctor.engine_trouble(1, "No module named 'react_lab.nothing'"),
        doctor.engine_trouble(-11, ""),
        doctor.engine_trouble(1, "something else"),
    ],
)
def test_the_doctor_names_the_interpreter_and_the_line_for_a_cell(text, fix):
    assert text and sys.executable in fix and "-m pip install" in fix and "%pip install" in fix
