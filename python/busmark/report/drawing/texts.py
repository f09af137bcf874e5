"""Texts of a result, made fit to be drawn."""

from __future__ import annotations

from busmark.analysis.words.text import THIN


def one_line(text: str, longest: int = 60) -> str:
    """On one line, without characters that cannot be shown, and not endless."""
    line = "".join(c if c.isprintable() or c == THIN else " " for c in text)
    line = " ".join(part for part in line.split(" ") if part)
    return line if len(line) <= longest else line[: longest - 1] + "…"
