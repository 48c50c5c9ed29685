"""Parser: turn the text of a model into exactly one Move.

>>> parse('Thought: a calculation.\\nAction: calculator\\nAction Input: {"expression": "2+2"}',
...       {"calculator": ["expression"]})
Action(thought='a calculation.', tool='calculator', arguments={'expression': '2+2'}, repairs=())

The modules in reading order: moves (what a reply can be), labels, wrapping (what is around a
reply), fields (the reply split at its labels), inputs and calls (a tool's name and arguments),
call_forms (native calls that were written as text), parse (which call or answer is the move) and
plain (a reply that needs no labels). json_repair, backslashes and markup help with inputs.
"""

from react_lab.parser.calls import tool_name
from react_lab.parser.fields import Field, before_observation, believed, fields
from react_lab.parser.inputs import read_input
from react_lab.parser.labels import LABELS
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.parser.parse import choose, parse

__all__ = [
    "LABELS",
    "Action",
    "Field",
    "FinalAnswer",
    "Malformed",
    "Move",
    "before_observation",
    "believed",
    "choose",
    "fields",
    "parse",
    "read_input",
    "tool_name",
]
