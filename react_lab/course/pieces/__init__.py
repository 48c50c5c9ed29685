"""Pieces: what the learner writes in the chapters, one module for each notebook.

A piece is an Exercise with a solution. The rest of its notebook runs on the learner's version,
or on the solution while theirs is missing: `mine = course.mine("split_reply", split_reply)`.
"""

from react_lab.course.checking import Exercise
from react_lab.course.pieces import calls, loop, parser, safety, tools

PIECES: tuple[Exercise, ...] = (
    *tools.PIECES,
    *parser.PIECES,
    *loop.PIECES,
    *calls.PIECES,
    *safety.PIECES,
)
