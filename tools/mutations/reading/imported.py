"""A file of another tool: recognised, and read into runs and cases that can be stored."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tools.mutations import values
from tools.mutations.imports import Imports

from busmark.plugins.imports import assemble
from busmark.plugins.imports.possible import possible
from busmark.plugins.imports.read import Collected, _combined, _read
from busmark.plugins.imports.text import SourceText

LONGEST = 4000
"""Characters: a file of thousands of equal rows takes its time and hides what is damaged."""


class Imported:
    """Short files of every known format."""

    def __init__(self, folder: Path) -> None:
        whole = Imports(folder)
        texts = zip((path.name for path in whole.files), whole.texts, strict=True)
        self.known = [(name, text) for name, text in texts if len(text) <= LONGEST]

    def input(self, number: int, rng: Random) -> None:
        """One of them."""
        name, text = self.known[number % len(self.known)]
        content = values.text(text, rng).encode(errors="surrogatepass")
        found = Collected()
        _read(found, SourceText(name, content))
        runs, _text = assemble.without_repeats(_combined(found))
        possible(assemble.cases(runs))
