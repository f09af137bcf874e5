"""Text and sheet names that a spreadsheet takes, whatever a user has called things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from string import ascii_lowercase

LONGEST_NAME = 31
FORBIDDEN = re.compile(r"[\[\]:*?/\\'\x00-\x1f]")
"""An apostrophe is allowed inside a name, but has to be doubled in every link."""

RESERVED = "history"
"""Excel keeps this name for itself."""

LONGEST_TEXT = 32_767
"""Characters of a cell."""

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document may hold."""

CUT = " \N{HORIZONTAL ELLIPSIS} (cut)"


def clean(text: str) -> str:
    """Text for a cell: what XML does not allow becomes a replacement character, what is too long
    is cut and says so."""
    text = NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    # Excel counts UTF-16 units.
    units = len(text.encode("utf-16-le")) // 2
    if units <= LONGEST_TEXT:
        return text
    kept = text.encode("utf-16-le")[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore")
    return kept + CUT


def squeezed(text: str, room: int) -> str:
    """The text in this many characters: its longest words lose their ends, so that what sets it
    apart from others is still there."""
    words = [word for word in text.split() if word != "\N{MIDDLE DOT}"]
    while len(" ".join(words)) > room and (longest := max(words, key=len))[1:]:
        words[words.index(longest)] = longest[:-1]
    return " ".join(words)[:room].strip()


def told_apart(things: Sequence[tuple[str, ...]], room: int) -> list[str]:
    """Names of things that are described in parts: the first part, then as few others as set them
    apart, each name once. Those that no part sets apart get a letter."""
    columns = [*zip(*things, strict=True)]
    varying = [place for place, parts in enumerate(columns) if place and len(set(parts)) > 1]
    choices = [(0, *some) for n in range(len(varying) + 1) for some in combinations(varying, n)]
    most = len(set(things))
    told = next(
        (c for c in choices if len({tuple(parts[at] for at in c) for parts in things}) == most),
        (0, *varying),
    )
    names: list[str] = []
    for parts in things:
        name = squeezed(" ".join(parts[at] for at in told), room)
        letters = iter(ascii_lowercase)
        plain = name
        while name.casefold() in map(str.casefold, names) and (letter := next(letters, "")):
            name = f"{squeezed(plain, room - 2)} {letter}"
        names.append(name)
    return names


class SheetNames:
    """Gives every sheet its own name; Excel does not distinguish upper from lower case."""

    def __init__(self) -> None:
        self._taken: set[str] = {RESERVED}

    def give(self, wanted: str) -> str:
        """`wanted` as far as Excel allows, with a number where it is taken."""
        plain = " ".join(FORBIDDEN.sub(" ", clean(wanted)).split()) or "Sheet"
        name = _fits(plain, "")
        number = 2
        while name.casefold() in self._taken:
            name = _fits(plain, f" ({number})")
            number += 1
        self._taken.add(name.casefold())
        return name


def _fits(plain: str, ending: str) -> str:
    """At most 31 UTF-16 units, the ending whole."""
    room = 2 * (LONGEST_NAME - len(ending))
    start = plain.encode("utf-16-le")[:room].decode("utf-16-le", "ignore")
    return start.strip(" ([,\N{MIDDLE DOT}") + ending if len(start) < len(plain) else start + ending
