"""The forms in which results leave: one package or module each, loaded when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.errors import UserError
from busmark.store import Result


@dataclass(frozen=True)
class Format:
    """One form. `module` has `write(result, campaign, folder) -> list[Path]`: it writes into the
    folder, which exists, and gives its files, the one to open first in front."""

    name: str
    module: str
    meaning: str
    """For the command's help."""


FORMATS = {
    f.name: f
    for f in (
        Format("html", "busmark.report.html", "one page, readable offline; the default"),
        Format("png", "busmark.report.figures.png", "a figure for each chart, 300 dpi"),
        Format("svg", "busmark.report.figures.svg", "the same, as vectors"),
        Format("pdf", "busmark.report.figures.pdf", "the same, for LaTeX"),
        Format("xlsx", "busmark.report.workbook", "a workbook with native charts"),
        Format("notebook", "busmark.report.notebook", "a Jupyter notebook that was run"),
        Format("csv", "busmark.report.csv_tables", "tables of estimates, rounds and findings"),
        Format("csv-samples", "busmark.report.csv_samples", "raw samples, one file per case"),
        Format("gnuplot", "busmark.report.gnuplot", "data files and scripts that plot them"),
    )
}
"""By name, in the order in which they are told."""


def chosen(names: str) -> list[Format]:
    """The forms named in a list such as "html,csv", each once.

    Raises:
        UserError: one of them does not exist.
    """
    asked = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    unknown = [name for name in asked if name not in FORMATS]
    if unknown or not asked:
        raise UserError(
            f"no form of report {', '.join(map(repr, unknown)) or repr(names)}",
            where="--to",
            remedy=f"There are {', '.join(FORMATS)}.",
        )
    return [FORMATS[name] for name in asked]


def write(
    result: Result, campaign: Campaign, formats: Iterable[Format], folder: Path
) -> dict[str, list[Path]]:
    """The reports into `folder`, which is made; the files by form."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        form.name: importlib.import_module(form.module).write(result, campaign, folder)
        for form in formats
    }
