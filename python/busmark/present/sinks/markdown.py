"""A document as Markdown, for a job's summary or a comment on a pull request.

What is folded is read after a click. What does not fit into a comment of GitHub is left out, and
counted in the last line.
"""

from __future__ import annotations

from collections.abc import Sequence

from busmark.model.text import count, joined
from busmark.present.document import Document
from busmark.present.markup import MarkupPiece, escaped, parts_of

WHOLE = "`--html FILE` or `--to html`, and `--json` have everything."

LIMIT = 65_536
"""Characters of a comment on GitHub. Bytes are counted here, which are at least as many."""

RESERVED = 2_000
"""Bytes kept for the line that says what was left out."""

MOST_NAMED, LONGEST_NAME = 8, 80
"""Parts that this line names, and characters of a name."""


def markdown(document: Document) -> str:
    """Return the text, at most as long as a comment may be."""
    lines = [f"*{escaped(line)}*" for line in document.lines]
    parts = [MarkupPiece("the title", [f"## {escaped(document.title)}", *lines], "\n\n")]
    parts += [part for section in document.sections for part in parts_of(section)]
    return shortened(parts)


def shortened(parts: Sequence[MarkupPiece]) -> str:
    """Return the parts, a blank line between them, in their order: those in front have the room
    first."""
    room = LIMIT - RESERVED
    texts: list[str] = []
    gone: list[tuple[int, MarkupPiece]] = []
    for part in parts:
        own = MarkupPiece(part.name, _that_fit(part, room), part.between, part.before, part.after)
        if own.units:
            texts.append(own.text)
            room -= _size(own.text) + 2
        if missing := len(part.units) - len(own.units):
            gone.append((missing, part))
    return "\n\n".join([*texts, *([_left_out(gone)] if gone else [])]) + "\n"


def _that_fit(part: MarkupPiece, room: int) -> list[str]:
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


def _left_out(gone: Sequence[tuple[int, MarkupPiece]]) -> str:
    """Return "Left out to stay below 65 536 characters: 120 of 300 rows of …; …"."""
    named = [
        f"{count(missing)} of {count(len(part.units))} {_short(part.name)}"
        for missing, part in gone[:MOST_NAMED]
    ]
    if more := len(gone) - MOST_NAMED if len(gone) > MOST_NAMED else 0:
        named.append(f"parts of {count(more)} more sections")
    text = f"Left out to stay below {count(LIMIT)} characters: {joined(named)}."
    return f"**{escaped(text)}** {WHOLE}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
