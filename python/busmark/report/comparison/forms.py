"""The files that a comparison is written to: one form each, loaded when it is asked for."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from busmark.compare import Comparison


@dataclass(frozen=True)
class Form:
    """One form, an option of its name. `writer` names a function of the comparison that gives the
    text."""

    name: str
    writer: str
    meaning: str
    """For the command's help."""
    of_criteria: bool = False
    """It tells of criteria only, and is nothing without one."""
    has_all: bool = False
    """`--all` is for it, too: the function has a parameter `every`."""

    def text(self, found: Comparison, *, every: bool) -> str:
        """The whole file."""
        options = {"every": every} if self.has_all else {}
        return str(pkgutil.resolve_name(self.writer)(found, **options))


FORMS = (
    Form("markdown", "busmark.report.comparison.markdown:markdown", "Write Markdown to this file.",
         has_all=True),
    Form("junit", "busmark.report.comparison.junit:junit",
         "Write the criteria as JUnit XML to this file.", of_criteria=True),
    Form("html", "busmark.report.html.comparison:render", "Write a page to this file."),
)  # fmt: skip
"""In the order of the help."""


def write(found: Comparison, files: Mapping[str, Path], *, every: bool) -> None:
    """Writes the forms that have a file."""
    from busmark.store.atomic import write_text

    # All are made before the first is written.
    asked = [form for form in FORMS if form.name in files]
    texts = [(files[form.name], form.text(found, every=every)) for form in asked]
    for path, text in texts:
        write_text(path, text)
