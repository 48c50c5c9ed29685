"""Registry: turn functions into tools, check their arguments, run them."""

from react_lab.registry.registry import Observation, Registry, Tool, bind

__all__ = [
    "Observation",
    "Registry",
    "Tool",
    "bind",
]
