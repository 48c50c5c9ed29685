"""Parser: turn the text of a model into exactly one Move.

>>> parse('Thought: a sum.\\nAction: calculator\\nAction Input: {"expression": "2+2"}',
...       {"calculator": ["expression"]})
Action(thought='a sum.', tool='calculator', arguments={'expression': '2+2'}, repairs=())

Three steps: `fields` splits the reply at its labels, `read_call` (in call_forms.py) reads what
stands behind an Action, and `parse` decides which of several actions and answers is the move.
"""

from react_lab.parser.call_forms import read_input, tool_name
from react_lab.parser.fields import Field, before_observation, believed, fields
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
