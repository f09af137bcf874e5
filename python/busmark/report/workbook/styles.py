"""Formats of cells: numbers with their units, headings, notes."""

from __future__ import annotations

from typing import Literal

import xlsxwriter
from xlsxwriter.format import Format

Kind = Literal["text", "wrapped", "count", "bytes", "us", "mbit", "rate", "share", "plain", "s"]
"""What stands in a column."""

NUMBERS: dict[Kind, str] = {
    "count": "#,##0",
    "bytes": '#,##0" B"',
    "us": '[<10]0.000" µs";[<1000]0.0" µs";#,##0" µs"',
    "mbit": '[<10]0.000" Mbit/s";[<1000]0.0" Mbit/s";#,##0" Mbit/s"',
    "rate": '[<10]0.00" /s";#,##0" /s"',
    "share": "[=0]0 %;0.0000 %",
    "plain": "0.00",
    "s": '0.000" s"',
}
"""Significant digits as reports show them; the cell holds the value in full."""

BLUE, PALE, GREY = "#0072B2", "#DCE9F3", "#6B6B6B"

STATUS = {"ok": None, "partial": "#8C7A00", "failed": "#D55E00", "error": "#D55E00",
          "warning": "#8C7A00"}  # fmt: skip
"""Colours of words that call for attention."""


class Styles:
    """The formats of one workbook, each made once."""

    def __init__(self, workbook: xlsxwriter.Workbook) -> None:
        self._workbook = workbook
        self._made: dict[str, Format] = {}

    def cell(self, kind: Kind, *, floor: bool = False, colour: str | None = None) -> Format:
        """A cell of a table. A row of the floor is grey."""
        look: dict[str, object] = {"valign": "top", "bottom": 4, "bottom_color": "#D0D0D0"}
        if kind in NUMBERS:
            look |= {"num_format": NUMBERS[kind], "align": "right"}
        else:
            look |= {"indent": 1, "text_wrap": kind == "wrapped"}
        if floor or colour:
            look["font_color"] = colour or GREY
        return self._make(f"{kind} {floor} {colour}", look)

    @property
    def title(self) -> Format:
        """Title of a sheet."""
        return self._make("title", {"bold": True, "font_size": 15, "font_color": BLUE})

    @property
    def heading(self) -> Format:
        """Heading of a part of a sheet."""
        return self._make("heading", {"bold": True, "font_size": 12, "font_color": BLUE})

    @property
    def group(self) -> Format:
        """Over several columns."""
        return self._make(
            "group", {"bold": True, "align": "center", "bg_color": BLUE, "font_color": "white",
                      "left": 1, "left_color": "white", "valign": "vcenter"}
        )  # fmt: skip

    @property
    def head(self) -> Format:
        """Head of a column."""
        return self._make(
            "head", {"bold": True, "text_wrap": True, "valign": "vcenter", "align": "center",
                     "bg_color": PALE, "bottom": 1, "bottom_color": BLUE}
        )  # fmt: skip

    @property
    def note(self) -> Format:
        """Small print."""
        return self._make("note", {"font_color": GREY, "italic": True})

    @property
    def paragraph(self) -> Format:
        """Sentences."""
        return self._make("paragraph", {"text_wrap": True, "valign": "top"})

    @property
    def code(self) -> Format:
        """A line of a file."""
        return self._make("code", {"font_name": "Courier New", "font_size": 9})

    @property
    def link(self) -> Format:
        """To another sheet."""
        return self._make("link", {"font_color": BLUE, "underline": 1, "valign": "top"})

    def _make(self, key: str, look: dict[str, object]) -> Format:
        if key not in self._made:
            self._made[key] = self._workbook.add_format(look)
        return self._made[key]
