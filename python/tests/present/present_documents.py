"""Documents as sinks show them."""

from __future__ import annotations

import html
import io
import re

from busmark.present.document import Cell, Document, Table
from busmark.present.sinks.terminal import show
from busmark.present.width import RoomyConsole


def printed(document: Document, width: int | None, *, wide: bool = False) -> str:
    """Return the document as a terminal of this width shows it; None: as a pipe gets it."""
    out = io.StringIO()
    console = RoomyConsole(file=out, width=width or 80, force_terminal=width is not None,
                           color_system=None, wide=wide)  # fmt: skip
    show(document, console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def page_text(page: str) -> str:
    """Return what a page has in its contents, a line for each row, heading and paragraph."""
    main = page.partition("<main")[2].partition("</main>")[0].partition(">")[2]
    lines = re.sub(r"</(tr|h2|h3|p|caption|summary)>", "\n", main)
    words = html.unescape(re.sub(r"<[^>]*>", " ", lines))
    return "".join(f"{' '.join(line.split())}\n" for line in words.splitlines() if line.strip())


def column(table: Table, title: str) -> list[Cell]:
    """Return the cells below a heading."""
    return list(next(each.cells for each in table.columns if each.title == title))
