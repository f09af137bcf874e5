"""Background load at a set level, by the tools that the field uses for it."""

from busmark.load.level import KINDS, Load, parse
from busmark.load.running import Running, start

__all__ = ["KINDS", "Load", "Running", "parse", "start"]
