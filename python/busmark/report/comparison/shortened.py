"""Text within a limit: what does not fit is left out, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.analysis.words.text import count, joined
from busmark.report.markup import details, escaped

LIMIT = 65_536
"""Characters of a comment on GitHub. Bytes are counted here, which are at least as many."""

RESERVED = 2_000
"""Bytes kept for the line that says what was left out."""

MOST_NAMED, LONGEST_NAME = 8, 80
"""Parts that this line names, and characters of a name."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text."""

    name: str
    """Name of its units, in the line that says what was left out: "rows of …"."""
    units: list[str]
    """Each is there as a whole, or not at all; from the end they go first."""
    between: str = "\n"
    before: str = ""
    """Such as the head of a table: there where a unit is."""
    after: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.before}{self.between.join(self.units)}{self.after}" if self.units else ""


def folded(summary: str, part: Part) -> Part:
    """The part behind a click."""
    before, after = details(summary, "\0").split("\0")
    return Part(part.name, part.units, part.between, before + part.before, part.after + after)


def shortened(
    parts: Sequence[Part], limit: int = LIMIT, whole: str = "`--html` and `--json` have everything."
) -> str:
    """The parts, a blank line between them, in their order: those in front have the room first.
    `whole` says where everything is."""
    room = limit - RESERVED
    texts: list[str] = []
    gone: list[tuple[int, Part]] = []
    for part in parts:
        own = Part(part.name, _that_fit(part, room), part.between, part.before, part.after)
        if own.units:
            texts.append(own.text)
            room -= _size(own.text) + 2
        if missing := len(part.units) - len(own.units):
            gone.append((missing, part))
    return "\n\n".join([*texts, *([_left_out(gone, limit, whole)] if gone else [])]) + "\n"


def _that_fit(part: Part, room: int) -> list[str]:
    room -= _size(part.before) + _size(part.after) + 2
    found: list[str] = []
    for unit in part.units:
        room -= _size(unit) + (_size(part.between) if found else 0)
        if room < 0:
            break
        found.append(unit)
    return found


def _size(text: str) -> int:
    return len(text.encode())


def _left_out(gone: Sequence[tuple[int, Part]], limit: int, whole: str) -> str:
    """ "Left out to stay below 65 536 characters: 120 of 300 rows of …; …"."""
    named = [
        f"{count(missing)} of {count(len(part.units))} {_short(part.name)}"
        for missing, part in gone[:MOST_NAMED]
    ]
    if more := len(gone) - MOST_NAMED if len(gone) > MOST_NAMED else 0:
        named.append(f"parts of {count(more)} more sections")
    told = f"Left out to stay below {count(limit)} characters: {joined(named)}."
    return f"**{escaped(told)}** {whole}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
