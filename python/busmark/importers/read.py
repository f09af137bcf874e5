"""From files to a result directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from busmark.errors import UserError
from busmark.importers import assemble, settings
from busmark.importers.model import Imported, Run
from busmark.importers.registry import importer, recognised, the_one
from busmark.importers.text import SourceText
from busmark.importers.write import write
from busmark.store import Result, Source, SourceFile

TOO_LARGE = 2 << 30
"""Octets; no tool writes a file as large, and all of it is held in memory."""


@dataclass(slots=True)
class Collected:
    """All files that were read, before they become cases."""

    imported: list[Imported] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    files: list[SourceFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def import_results(
    paths: Sequence[Path],
    out: Path,
    *,
    form: str | None = None,
    added: Sequence[str] = (),
    command: str = "busmark import",
) -> Result:
    """Reads `paths`, files or folders of files, and writes the result directory `out`, which must
    not exist or be empty. `form` is one of the registry's names; None: recognised by content.
    `added` are parameters as KEY=VALUE.

    Raises:
        UserError: a file cannot be read, is of no known format, or is not as that format is; or
            `out` cannot be written. Nothing is left behind then.
    """
    extra = settings.given(added)
    found = _collect(paths, form)
    runs = _combined(found)
    runs, told = assemble.without_repeats(runs)
    for run in runs:
        run.params = settings.apply(extra, run.params, run.file)
        run.params.setdefault("placement", "unstated")
    cases = assemble.cases(runs)
    _rename(found, extra)
    source = Source(files=found.files, left_out=found.left_out, repeated=told)
    return write(out, cases, found.imported, source, command)


def _collect(paths: Sequence[Path], form: str | None) -> Collected:
    found = Collected()
    for path in paths:
        if path.is_dir():
            _read_folder(found, path, form)
        else:
            _read(found, _load(path, str(path)), form)
    if not found.runs:
        raise UserError("no file to import", where=", ".join(map(str, paths)))
    return found


def _load(path: Path, name: str) -> SourceText:
    if path.is_file() and path.stat().st_size > TOO_LARGE:
        raise UserError("larger than 2 GiB: no result of a tool that can be read", where=name)
    return SourceText.load(path, name)


def _read_folder(found: Collected, folder: Path, form: str | None) -> None:
    """All files in it, by name. Files of no known format are left out, with a notice; a file
    that is of one and damaged is an error, as by itself."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    before = len(found.files)
    for path in files:
        name = str(path)
        try:
            source = _load(path, name)
        except UserError as error:
            found.left_out.append(f"{name}: {error.message}")
            continue
        if form is None and not recognised(source.text):
            found.left_out.append(f"{name}: of no known format")
            continue
        _read(found, source, form)
    if len(found.files) == before:
        raise UserError(
            f"none of its {len(files)} files is of a known format" if files else "an empty folder",
            where=str(folder),
            remedy="`busmark import --help` lists what can be read.",
        )


def _read(found: Collected, source: SourceText, form: str | None) -> None:
    if any(file.sha256 == source.sha256 for file in found.files):
        found.left_out.append(f"{source.name}: the same file again")
        return
    reader = importer(form) if form else the_one(source)
    imported = reader.read(source)
    for run in imported.runs:
        run.file, run.form = source.name, imported.form
    found.imported.append(imported)
    found.runs += imported.runs
    found.left_out += imported.left_out
    found.files.append(
        SourceFile(
            name=source.name,
            sha256=source.sha256,
            size_bytes=source.size_bytes,
            tool=imported.tool,
            version=imported.version,
            form=imported.form,
        )
    )


def _combined(found: Collected) -> list[Run]:
    """Samples join the summaries that they belong to, where a format has both in files of their
    own."""
    runs = found.runs
    for name in ("perftest", "fastdds"):
        runs = import_module(f"busmark.importers.{name}").combine(runs)
    return runs


def _rename(found: Collected, extra: dict[str, object]) -> None:
    """The name that the user gives to the adapter holds for its title too."""
    name = extra.get("adapter")
    for imported in found.imported if name else ():
        titles, versions = list(imported.titles.values()), list(imported.versions.values())
        imported.titles = {str(name): titles[0] if titles else str(name)}
        imported.versions = {str(name): versions[0]} if versions else {}
