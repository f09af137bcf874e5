"""Damaged files of other tools: imported, and shown where that succeeds."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from random import Random

from rich.console import Console
from tools.mutations import values
from tools.mutations.material import IMPORTS, PUBLISHED

from busmark.compare.campaign import summarise
from busmark.errors import UserError
from busmark.plugins.imports.read import import_results
from busmark.present.blocks import report as blocks
from busmark.present.blocks.report import whole
from busmark.present.sinks import terminal
from busmark.present.sinks.page import page

TERMINAL_OF, PAGE_OF = 4, 100
"""One in this many is shown, and drawn as a page; every one is imported and analysed."""


HEAD, TAIL = 30, 12
"""Lines that are kept of a long file."""


class Imports:
    """Files of every known format."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        every = (*sorted(IMPORTS.iterdir()), *sorted(PUBLISHED.iterdir()))
        self.files = [path for path in every if path.suffix in (".txt", ".csv", ".json")]
        self.texts = [self._short(path) for path in self.files]

    def _short(self, path: Path) -> str:
        """Return the text of a file, without its middle if it is long and can be read without it as
        well: thousands of rows that are alike hide what is damaged, and take their time."""
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        if len(lines) <= HEAD + TAIL:
            return text
        short, place, out = "".join(lines[:HEAD] + lines[-TAIL:]), self.folder / path.name, "short"
        place.write_text(short, encoding="utf-8")
        try:
            read = import_results([place], self.folder / out)
        except UserError:
            return text
        finally:
            shutil.rmtree(self.folder / out, ignore_errors=True)
        return short if len(read.cases) else text

    def file(self, number: int, rng: Random) -> None:
        """Damage a file, import it, and show some of the results."""
        which = rng.randrange(len(self.files))
        path, out = self.folder / self.files[which].name, self.folder / "out"
        changed = values.text(self.texts[which], rng)
        path.write_text(changed, encoding="utf-8", errors="surrogatepass")
        shutil.rmtree(out, ignore_errors=True)
        result = import_results([path], out)
        if result.damage:
            raise AssertionError(f"an import that does not read itself: {result.damage[0]}")
        campaign = summarise(result, with_series=number % PAGE_OF == 1)
        if number % TERMINAL_OF == 0:
            terminal.show(blocks.document(campaign), Console(file=io.StringIO(), width=120))
        if number % PAGE_OF == 1:
            page(whole(campaign)).encode()
