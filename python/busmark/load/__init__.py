"""Background load at a set level, by the tools that the field uses for it."""

from busmark.load.level import KINDS, Load, parse
from busmark.load.running import TOOLS, Running, missing_tool, start

__all__ = ["KINDS", "TOOLS", "Load", "Running", "missing_tool", "parse", "start"]
