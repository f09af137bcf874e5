"""What `busmark report` says on standard error while it writes: a line for each form.

On a terminal the line counts figures while they are drawn; in a pipe it comes when the form is
written.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from busmark.cli.output import echo


class FormsTold:
    """Listens to `busmark.present.formats.write`."""

    def __init__(self) -> None:
        self._moves = sys.stderr.isatty()
        self._names = ""

    def begins(self, names: Sequence[str]) -> None:
        """The line's beginning."""
        self._names = ", ".join(names)
        self._show("…")

    def drawn(self, count: int) -> None:
        """The same line, with the number of figures."""
        self._show(_plural(count, "figure"))

    def ends(self, names: Sequence[str], files: int) -> None:
        """The line as it stays."""
        each = " each" if len(names) > 1 else ""
        told = f"{self._names}: {_plural(files, 'file')}{each}"
        if self._moves:
            sys.stderr.write("\r\x1b[K")
        echo(told, err=True)

    def _show(self, told: str) -> None:
        if self._moves:
            sys.stderr.write(f"\r\x1b[K{self._names}: {told}")
            sys.stderr.flush()


def _plural(count: int, noun: str) -> str:
    # Whoever asks for help need not wait for the analysis.
    from busmark.model.text import plural

    return plural(count, noun)
