"""Background load, at set levels or without a limit, by the tools that the field uses for it."""

from busmark.load.level import KINDS, Kind, Load, amount_text, parse
from busmark.load.part import Part, Site, here
from busmark.load.running import NotRunning, Running, start
from busmark.load.tools import TOOLS, lack, missing_tool, question

__all__ = [
    "KINDS", "TOOLS", "Kind", "Load", "NotRunning", "Part", "Running", "Site", "amount_text",
    "here", "lack", "missing_tool", "parse", "question", "start",
]  # fmt: skip
