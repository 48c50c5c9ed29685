"""react_lab: build a ReAct agent by hand.

>>> from react_lab import Agent, Registry, ScriptedModel
>>> model = ScriptedModel(["Thought: I know this.\\nFinal Answer: 4"])
>>> Agent(model, Registry()).run("What is 2+2?").answer
'4'

These names are loaded at their first use, so that `import react_lab` takes no time.
"""

import importlib

# From a public name to the module that defines it.
_HOME = {
    "Action": "parser.moves",
    "Agent": "loop",
    "ChatModel": "models.chat",
    "EmbeddedModel": "models.embedded",
    "FinalAnswer": "parser.moves",
    "Malformed": "parser.moves",
    "ModelError": "models.reply",
    "Observation": "registry.registry",
    "Registry": "registry.registry",
    "Reply": "models.reply",
    "Run": "trace",
    "ScriptedModel": "models.scripted",
    "Step": "trace",
    "StepLimit": "stops",
    "Tool": "registry.registry",
    "compare": "views.comparison",
    "connect": "models.settings",
    "evaluate": "evaluation.evaluation",
    "hybrid_step": "function_calling",
    "keep": "trace",
    "lab_tools": "toolkit.lab",
    "load": "trace",
    "microscope": "views.microscope",
    "native_step": "function_calling",
    "parse": "parser.parse",
    "save": "trace",
    "save_page": "views.shown",
    "show": "views.shown",
    "step": "loop",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
