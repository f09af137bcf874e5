"""Plot data of the build farm of ROS 2: figures of performance_test without names and units."""

from __future__ import annotations

import re

from busmark.errors import UserError
from busmark.importers.text import SourceText

_NAME = re.compile(r"[\w-]+_[\w-]+", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*([eE][-+]?\d+)?|nan|inf)", re.ASCII)


def recognise(text: str) -> bool:
    """By one name, again and again in line 1, and as many numbers in line 2."""
    lines = text[:100_000].split()
    if len(lines) != 2:
        return False
    names, numbers = (line.split(",") for line in lines)
    alike = len(set(names)) == 1 and _NAME.fullmatch(names[0])
    return bool(alike) and len(names) == len(numbers) and all(map(_NUMBER.fullmatch, numbers))


def refusal(source: SourceText) -> UserError:
    """Why it is not imported."""
    return UserError(
        "plot data of the ROS 2 build farm, which carry neither units nor names of statistics",
        where=f"{source.name}, line 1",
        remedy="Import the log of performance_test that they were made of (its option --logfile).",
    )
