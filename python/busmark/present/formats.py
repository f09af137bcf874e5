"""The forms in which documents leave: a row each, with the sink that writes it, loaded when it is
asked for; and which documents have it."""

from __future__ import annotations

import importlib.util
import pkgutil
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from busmark import files
from busmark.errors import UserError
from busmark.launcher import pip_install

if TYPE_CHECKING:
    # Whoever asks which forms there are need not wait for the analysis.
    from busmark.present.document import Document

EXTRAS = {
    "notebook": ("ipykernel", "nbclient", "nbformat"),
    "print": ("vl-convert-python",),
}
"""Packages that only some forms need, by the extra of `pyproject.toml` that installs them."""

MODULES = {"vl-convert-python": "vl_convert"}
"""Modules of packages that are imported by another name."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""Programs that print a page, the first of them that is installed."""

View = Literal["page", "text", "sheets", "cells", "charts", "tables", "samples", "ci"]
"""Part of a document that a form needs: the charts in full, the tables in full, …"""


@dataclass(frozen=True)
class Format:
    """One form.

    `sink` names a function of a document. With `file`, it returns what that file has, in whose
    name {} is the kind of the document; else it writes into a folder, which exists, and returns its
    files, the one to open first in front.
    """

    name: str
    sink: str
    view: View
    meaning: str
    """Meaning, for the command's help."""
    file: str = ""
    extra: str = ""
    """Name in `EXTRAS` of the packages that it needs."""
    programs: tuple[str, ...] = ()
    """Programs of which it needs one."""
    is_drawn: bool = False
    """Whether it has the same pictures as others of its kind, which are drawn once for all."""
    of: tuple[str, ...] = ()
    """Kinds of documents that have it; empty: all."""
    option: str = ""
    """Help of the option of its name, which names a file, where a command has it."""

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        needed = EXTRAS.get(self.extra, ())
        return [name for name in needed if not importlib.util.find_spec(MODULES.get(name, name))]


CI = ("report", "comparison")
"""Documents with requirements or criteria, and with figures that CI follows."""

SINKS = "busmark.present.sinks"
FORMATS = {
    f.name: f
    for f in (
        Format("html", f"{SINKS}.page:page", "page", "one page, readable offline; the default",
               "{}.html", option="Write a page to this file."),
        Format("png", f"{SINKS}.print:write", "charts", "a picture for each chart, 300 dpi",
               extra="print", is_drawn=True),
        Format("svg", f"{SINKS}.print:write", "charts", "the same, as vectors", extra="print",
               is_drawn=True),
        Format("pdf", f"{SINKS}.print:write", "charts",
               "the same, for LaTeX: a file for each chart, not the report", extra="print",
               is_drawn=True),
        Format("report-pdf", f"{SINKS}.pdf:pdf", "page",
               "the page as one PDF, printed by Chromium", "{}.pdf", programs=BROWSERS),
        Format("xlsx", f"{SINKS}.workbook:write", "sheets", "a workbook with native charts"),
        Format("notebook", f"{SINKS}.notebook:write", "cells", "a Jupyter notebook that was run",
               extra="notebook"),
        Format("csv", f"{SINKS}.tables:csv", "tables", "the tables, a file each"),
        Format("parquet", f"{SINKS}.tables:parquet", "tables", "the same as Parquet"),
        Format("json", f"{SINKS}.tables:json", "tables", "the same as JSON"),
        Format("csv-samples", f"{SINKS}.tables:csv", "samples", "raw samples, one file per case",
               of=("report",)),
        Format("markdown", f"{SINKS}.markdown:markdown", "text",
               "answers and tables, for a job's summary", "{}.md",
               option="Write the tables as Markdown to this file."),
        Format("junit", f"{SINKS}.ci:junit", "ci", "requirements or criteria as JUnit XML",
               "requirements.xml", of=CI, option="Write the criteria as JUnit XML to this file."),
        Format("github", f"{SINKS}.ci:github", "ci",
               "figures for github-action-benchmark, a file for each direction", of=CI),
        Format("bencher", f"{SINKS}.ci:bencher", "ci", "figures for Bencher",
               "bencher.json", of=CI),
        Format("gnuplot", f"{SINKS}.gnuplot:write", "charts",
               "data files and scripts that plot them"),
    )
}  # fmt: skip
"""Forms by name, in the order of the help."""


@dataclass(frozen=True)
class Views:
    """Something to present, as the document for each form: `own` by what the form needs of it,
    `whole` for all others. Each is made once, whatever the number of forms that show it."""

    whole: Callable[[], Document]
    own: Mapping[View, Callable[[], Document]] = field(default_factory=dict)
    others: Sequence[Document] = ()
    """Documents of other kinds that accompany it as pages and Markdown."""
    _made: dict[View | None, Document] = field(default_factory=dict, init=False)
    """Documents that have been made, by their view; None: the whole."""

    def _document(self, view: View) -> Document:
        key = view if view in self.own else None
        if key not in self._made:
            self._made[key] = self.own.get(view, self.whole)()
        return self._made[key]

    def documents(self, form: Format) -> list[Document]:
        """Return what a form is to write.

        Raises:
            UserError: it is of charts, and there are none.
        """
        found = [self._document(form.view)]
        if form.view == "charts" and form.view not in self.own:
            found = [found[0].drawn()]
            if not found[0].sections:
                raise UserError(
                    f"no chart in this document ({found[0].kind})",
                    where=f"--to {form.name}",
                    remedy="Leave the form out; html, xlsx and csv have its tables.",
                )
        if form.view in ("page", "text"):
            found += self.others
        return found


def of_kind(kind: str) -> list[Format]:
    """Return the forms that documents of this kind have."""
    return [form for form in FORMATS.values() if not form.of or kind in form.of]


def chosen(names: str, kind: str = "report") -> list[Format]:
    """Return the forms named in a list such as "html,csv", each once.

    Raises:
        UserError: one of them does not exist for a document of this kind, or needs a package that
            is not installed.
    """
    known = {form.name: form for form in of_kind(kind)}
    asked = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise UserError(
            f"no form of {kind} {', '.join(map(repr, unknown)) or repr(names)}",
            where="--to",
            remedy=f"There are {', '.join(known)}.",
        )
    forms = [known[name] for name in asked]
    _must_be_installed([form for form in forms if form.missing])
    for form in forms:
        if form.programs and not any(map(shutil.which, form.programs)):
            raise UserError(
                f"{form.name} cannot be written without a browser: none of "
                f"{', '.join(form.programs)} is in PATH",
                where="--to",
                remedy="Install Chromium, on Debian and Ubuntu: sudo apt install chromium",
            )
    return forms


def must_draw(forms: Sequence[Format], option: str, *, alone: bool) -> None:
    """Raise `UserError` where none of them draws charts for print, or where not all do although
    they must be `alone`."""
    drawing = [form for form in forms if form.view == "charts"]
    if drawing and not (alone and len(drawing) < len(forms)):
        return
    able = ", ".join(form.name for form in FORMATS.values() if form.view == "charts")
    raise UserError(
        "concerns charts for print only",
        where=option,
        remedy=f"{'Name only' if alone else 'Add one of'} {able} with --to, or leave the option "
        "out.",
    )


def _must_be_installed(without: list[Format]) -> None:
    """Raise `UserError` where there are forms whose packages are not."""
    if not without:
        return
    from busmark.model.text import joined

    absent = dict.fromkeys(name for form in without for name in form.missing)
    extras = ",".join(dict.fromkeys(form.extra for form in without))
    raise UserError(
        f"{joined([form.name for form in without])} cannot be written without "
        f"{joined(list(absent))}",
        where="--to",
        remedy=pip_install(f"'busmark[{extras}]'"),
    )


class ProgressListener(Protocol):
    """Listens to the progress of writing."""

    def begins(self, names: Sequence[str]) -> object:
        """Take the names of the forms that are written next, together."""

    def drawn(self, count: int) -> object:
        """Take the number of pictures drawn so far."""

    def ends(self, names: Sequence[str], files: int) -> object:
        """Take the names of the forms that are written, and the number of files of each."""


def write(
    views: Views, formats: Iterable[Format], folder: Path, listener: ProgressListener | None = None
) -> dict[str, list[Path]]:
    """Write the forms into `folder`, which is made, and return the files by form."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = list(formats)
    written: dict[str, list[Path]] = {}
    for form in asked:
        if form.name in written:
            continue
        names = [one.name for one in asked if one.is_drawn] if form.is_drawn else [form.name]
        if listener:
            listener.begins(names)
        sink = pkgutil.resolve_name(form.sink)
        documents = views.documents(form)
        if form.is_drawn:
            written |= sink(documents[0], folder, names, listener.drawn if listener else None)
        elif form.file:
            written[form.name] = [_file(sink(each), each, form, folder) for each in documents]
        else:
            written[form.name] = sink(documents[0], folder)
        if listener:
            listener.ends(names, len(written[form.name]))
    return {form.name: written[form.name] for form in asked}


def _file(content: str | bytes, document: Document, form: Format, folder: Path) -> Path:
    path = folder / form.file.format(document.stem)
    files.write(path, content)
    return path


def write_files(views: Views, named: Mapping[str, Path]) -> None:
    """Write each form into the file that the user has named. All are made before the first is
    written."""
    texts = [
        (path, pkgutil.resolve_name(FORMATS[name].sink)(views.documents(FORMATS[name])[0]))
        for name, path in named.items()
    ]
    for path, text in texts:
        files.write(path, text, typed=True)
