"""Registry: turn functions into tools, check their arguments, run them."""

from react_lab.registry.registry import Observation, Registry, Tool, bind
from react_lab.registry.results import head, head_and_tail

__all__ = [
    "Observation",
    "Registry",
    "Tool",
    "bind",
    "head",
    "head_and_tail",
]
