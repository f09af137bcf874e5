"""Text of the user's in Markdown and HTML, in which nothing of it is markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|$~&"})
SPACE = re.compile("[^\\S\N{NARROW NO-BREAK SPACE}]+")
"""But for the one that groups thousands."""


def escaped(words: str) -> str:
    """Plain text in Markdown, on one line."""
    return _one_line(words).translate(SPECIAL)


def in_html(words: str) -> str:
    """Plain text in HTML, on one line: in Markdown a blank one would end the HTML."""
    return html.escape(_one_line(words))


def row(cells: Iterable[str]) -> str:
    """A row of a table in Markdown, of plain text."""
    return f"| {' | '.join(map(escaped, cells))} |"


def details(summary: str, body: str) -> str:
    """Markdown that is read after a click."""
    return f"<details><summary>{in_html(summary)}</summary>\n\n{body}\n\n</details>"


def _one_line(words: str) -> str:
    return SPACE.sub(" ", words).strip()
