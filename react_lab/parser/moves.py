"""Moves: the three things that a reply can be."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """The model wants a tool to run. arguments: by parameter name, not checked yet."""

    thought: str
    tool: str
    arguments: dict
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class FinalAnswer:
    """The model has finished. answer: the text for the person who asked."""

    thought: str
    answer: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Malformed:
    """The text is neither. reason: what is wrong, in words that help the model mend it."""

    thought: str
    reason: str
    repairs: tuple[str, ...] = ()


Move = Action | FinalAnswer | Malformed
