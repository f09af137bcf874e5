"""The forms in which results leave: one function each, loaded when it is asked for."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from busmark.errors import UserError

if TYPE_CHECKING:
    # Whoever asks which forms there are need not wait for the analysis.
    from busmark.compare.campaign import Campaign
    from busmark.store import Result

EXTRAS = {
    "notebook": ("ipykernel", "nbclient", "nbformat"),
    "print": ("vl-convert-python",),
}
"""Packages that only some forms need, by the extra of `pyproject.toml` that installs them."""

MODULES = {"vl-convert-python": "vl_convert"}
"""What is imported of a package, where that has another name."""


@dataclass(frozen=True)
class Format:
    """One form. `writer` names a function of `(result, campaign, folder) -> list[Path]`: it writes
    into the folder, which exists, and gives its files, the one to open first in front."""

    name: str
    writer: str
    meaning: str
    """For the command's help."""
    extra: str = ""
    """One of `EXTRAS`."""
    is_drawn: bool = False
    """Whether it has the same figures as others of its kind, which are drawn once for all."""
    can_be_plain: bool = False
    """Whether its charts can be without the findings that concern them."""

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        needed = EXTRAS.get(self.extra, ())
        return [name for name in needed if not importlib.util.find_spec(MODULES.get(name, name))]


FIGURES = "busmark.present.sinks.print:write_sheets"
"""Writes several forms whose figures are the same."""

FORMATS = {
    f.name: f
    for f in (
        Format("html", "busmark.present.pages:write", "one page, readable offline; the default"),
        Format("png", "busmark.present.sinks.print:png", "a figure for each chart, 300 dpi",
               "print", is_drawn=True, can_be_plain=True),
        Format("svg", "busmark.present.sinks.print:svg", "the same, as vectors", "print",
               is_drawn=True, can_be_plain=True),
        Format("pdf", "busmark.present.sinks.print:pdf", "the same, for LaTeX", "print",
               is_drawn=True, can_be_plain=True),
        Format("xlsx", "busmark.present.blocks.campaign:workbook", "a workbook with native charts"),
        Format("notebook", "busmark.present.blocks.campaign:notebook",
               "a Jupyter notebook that was run", "notebook"),
        Format("csv", "busmark.present.sinks.tables:csv",
               "tables of cases, estimates, rounds and findings"),
        Format("parquet", "busmark.present.sinks.tables:parquet", "the same as Parquet"),
        Format("json", "busmark.present.sinks.tables:json", "the same as JSON"),
        Format("csv-samples", "busmark.present.sinks.tables:csv_samples",
               "raw samples, one file per case"),
        Format("markdown", "busmark.present.blocks.campaign:markdown",
               "requirements, answers and tables, for a job's summary"),
        Format("junit", "busmark.present.sinks.junit:write", "requirements as JUnit XML"),
        Format("github", "busmark.present.sinks.github:write",
               "figures for github-action-benchmark, a file for each direction"),
        Format("bencher", "busmark.present.sinks.bencher:write", "figures for Bencher"),
        Format("gnuplot", "busmark.present.sinks.gnuplot:write",
               "data files and scripts that plot them", can_be_plain=True),
    )
}  # fmt: skip
"""By name, in the order of the help."""


def chosen(names: str) -> list[Format]:
    """The forms named in a list such as "html,csv", each once.

    Raises:
        UserError: one of them does not exist, or needs a package that is not installed.
    """
    asked = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    unknown = [name for name in asked if name not in FORMATS]
    if unknown or not asked:
        raise UserError(
            f"no form of report {', '.join(map(repr, unknown)) or repr(names)}",
            where="--to",
            remedy=f"There are {', '.join(FORMATS)}.",
        )
    forms = [FORMATS[name] for name in asked]
    _must_be_installed([form for form in forms if form.missing])
    return forms


def must_draw(forms: Sequence[Format], option: str, *, alone: bool) -> None:
    """Raises `UserError` where none of them draws charts for print, or where not all do although
    they must be `alone`."""
    drawing = [form for form in forms if form.can_be_plain]
    if drawing and not (alone and len(drawing) < len(forms)):
        return
    able = ", ".join(form.name for form in FORMATS.values() if form.can_be_plain)
    raise UserError(
        "concerns charts for print only",
        where=option,
        remedy=f"{'Name only' if alone else 'Add one of'} {able} with --to, or leave the option "
        "out.",
    )


def _must_be_installed(without: list[Format]) -> None:
    """Raises `UserError` where there are forms whose packages are not."""
    if not without:
        return
    from busmark.model.text import joined

    absent = dict.fromkeys(name for form in without for name in form.missing)
    extras = ",".join(dict.fromkeys(form.extra for form in without))
    raise UserError(
        f"{joined([form.name for form in without])} cannot be written without "
        f"{joined(list(absent))}",
        where="--to",
        remedy=f"Type: {sys.executable} -m pip install 'busmark[{extras}]'",
    )


class Listener(Protocol):
    """Follows how the forms come along."""

    def begins(self, names: Sequence[str]) -> object:
        """These are written next, together."""

    def drawn(self, count: int) -> object:
        """So many figures are there by now."""

    def ends(self, names: Sequence[str], files: int) -> object:
        """They are written, in this many files each."""


class Silent:
    """Says nothing."""

    def begins(self, names: Sequence[str]) -> None:
        """Nothing."""

    def drawn(self, count: int) -> None:
        """Nothing."""

    def ends(self, names: Sequence[str], files: int) -> None:
        """Nothing."""


def write(
    result: Result, campaign: Campaign, formats: Iterable[Format], folder: Path,
    listener: Listener | None = None, *, plain: bool = False,
) -> dict[str, list[Path]]:  # fmt: skip
    """Write the reports into `folder`, which is made, and return the files by form.

    Args:
        plain: forms that can be are written without findings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    told = listener or Silent()
    asked = list(formats)
    clean = campaign.model_copy(update={"findings": []}) if plain else campaign
    drawn = [form for form in asked if form.is_drawn]
    written: dict[str, list[Path]] = {}
    for form in asked:
        if form.name in written:
            continue
        together = [one.name for one in drawn] if form.is_drawn else [form.name]
        told.begins(together)
        if form.is_drawn:
            figures = pkgutil.resolve_name(FIGURES)
            written |= figures(clean, folder, together, told.drawn)
        else:
            shown = clean if form.can_be_plain else campaign
            written[form.name] = pkgutil.resolve_name(form.writer)(result, shown, folder)
        told.ends(together, len(written[form.name]))
    return {form.name: written[form.name] for form in asked}
