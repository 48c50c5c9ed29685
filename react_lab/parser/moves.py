"""Moves: the three kinds of reply, an Action, a FinalAnswer or Malformed.

>>> Action("a calculation", "calculator", {"expression": "2+2"}).tool
'calculator'
"""

from dataclasses import dataclass
from typing import Any

# Repairs that the loop acts on; the other repairs are only shown.
LEFT_UNRUN = "an action was left unrun"
BARE_INPUT = "bare input read"


@dataclass(frozen=True)
class Action:
    """The model wants a tool to run.

    Args:
        thought: The text before the call.
        tool: The name as the registry spells it, or as written if it is not registered.
        arguments: Values by parameter name. They are not checked yet.
        repairs: What the parser had to correct or drop.
    """

    thought: str
    tool: str
    arguments: dict[str, Any]
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class FinalAnswer:
    """The model has finished.

    Args:
        thought: The text before the answer.
        answer: The text for the person who asked.
        repairs: What the parser had to correct or drop.
    """

    thought: str
    answer: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Malformed:
    """The text contains no usable action and no usable answer.

    Args:
        thought: The text that could be read.
        reason: What is wrong, in words that help the model correct it.
        repairs: What the parser had to correct or drop.
    """

    thought: str
    reason: str
    repairs: tuple[str, ...] = ()


Move = Action | FinalAnswer | Malformed
