"""Background load, at set levels or without a limit, by the tools that the field uses for it."""

from busmark.load.part import (
    KINDS,
    TOOLS,
    Kind,
    Load,
    LoadPart,
    LoadSite,
    amount_text,
    here,
    lack,
    missing_tool,
    parse,
    question,
)
from busmark.load.running import NotRunning, Running, start

__all__ = [
    "KINDS",
    "TOOLS",
    "Kind",
    "Load",
    "LoadPart",
    "LoadSite",
    "NotRunning",
    "Running",
    "amount_text",
    "here",
    "lack",
    "missing_tool",
    "parse",
    "question",
    "start",
]
