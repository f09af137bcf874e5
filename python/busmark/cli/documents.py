"""Documents of commands: printed, page by page where the terminal is too short, and written."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.options import is_paged
from busmark.cli.output import say_file, unread
from busmark.present.formats import Views, of_kind

if TYPE_CHECKING:
    from rich.console import Console

    from busmark.present.document import Document
    from busmark.present.formats import Format

NUMBER = re.compile(r"[-+−]?\d[\d,]*(\.\d+)?|—")
""" "1,024", "+0.5"; or absent."""


@dataclass(frozen=True)
class FileOptions:
    """Options of a command about files."""

    kind: str
    forms: str
    folder: Path | None
    named: Mapping[str, Path]
    """Files by form."""

    @classmethod
    def from_options(cls, kind: str, options: dict[str, Any]) -> FileOptions:
        """Take the options that `written` adds out of a command's options.

        Raises:
            UserError: a file cannot be written there, or a form does not exist.
        """
        from busmark import files
        from busmark.errors import UserError, refused
        from busmark.present.formats import chosen

        named = {form.name: options.pop(form.name) for form in _with_option(kind)}
        made = cls(
            kind,
            options.pop("forms") or "",
            options.pop("folder"),
            {name: path for name, path in named.items() if path},
        )
        for name, path in made.named.items():
            with refused("cannot be written", f"--{name} {path}", "Name another file."):
                files.writable(path)
        if made.forms:
            chosen(made.forms, kind)
        elif made.folder is not None:
            raise UserError(
                "is the folder of --to, which is not there",
                where="--folder",
                remedy="Add --to html, or leave it out.",
            )
        return made

    def __bool__(self) -> bool:
        return bool(self.forms or self.named)

    def write(self, views: Views) -> None:
        """Write them, and print where they are."""
        from busmark.cli.output import Forms
        from busmark.errors import UserError
        from busmark.present import formats

        where = str(self.folder or self.kind)
        try:
            formats.write_files(views, self.named)
            for path in self.named.values():
                say_file(path, err=True)
            if self.forms:
                folder = self.folder or Path(self.kind.replace(" ", "-"))
                asked = formats.chosen(self.forms, self.kind)
                for files in formats.write(views, asked, folder, Forms()).values():
                    for file in files:
                        say_file(file, err=True)
        except OSError as error:
            where = str(error.filename or where)
            raise UserError(f"cannot be written ({error.strerror or error})", where=where) from None


def _with_option(kind: str) -> list[Format]:
    return [form for form in of_kind(kind) if form.option]


def written(kind: str) -> Callable[[Any], Any]:
    """Give a command the options of files that documents of a kind can be written to."""

    def with_options(command: Any) -> Any:
        names = ", ".join(form.name for form in of_kind(kind))
        command = click.option(
            "--folder",
            type=click.Path(path_type=Path, file_okay=False),
            help=f"Folder for --to; default: {kind.replace(' ', '-')}.",
        )(command)
        command = click.option(
            "--to",
            "forms",
            metavar="FORM,...",
            help=f"Write these forms, each a file or a folder: {names}.",
        )(command)
        for form in reversed(_with_option(kind)):
            path = click.Path(path_type=Path, dir_okay=False)
            command = click.option(f"--{form.name}", type=path, help=form.option)(command)
        return command

    return with_options


def show(*documents: Document, last: str = "", pager: bool = True) -> None:
    """Print documents, one after the other, and a line below them; `pager`: by the pager of the
    user's where a terminal is shorter."""
    from busmark.present.document import Text
    from busmark.present.sinks import terminal

    def show_all(console: Console) -> None:
        for number, document in enumerate(documents):
            if number:
                console.print()
            terminal.show(document, console)
        if last:
            console.print()
            terminal.show_text(Text("line", {"line": last}), console)

    paged(show_all, pager=pager)


def paged(printed: Callable[[Any], object], *, pager: bool = True) -> None:
    """Print on a console; where a terminal is shorter, by the pager of the user's."""
    with unread():
        _paged(printed, pager=pager)


def _paged(printed: Callable[[Any], object], *, pager: bool) -> None:
    from busmark.cli.console import Console

    console = Console()
    if not sys.stdout.isatty():
        with console.capture() as captured:
            printed(console)
        # A table fills its columns with blanks, which a file or a pipe has no use for.
        for line in captured.get().removesuffix("\n").split("\n"):
            sys.stdout.write(f"{line.rstrip()}\n")
        sys.stdout.flush()
        return
    wanted = pager and is_paged() and os.environ.get("PAGER") != "" and sys.stdin.isatty()
    if not wanted or os.environ.get("TERM", "dumb") == "dumb":
        printed(console)
        return
    with console.capture() as captured:
        printed(console)
    text = captured.get()
    if text.count("\n") < shutil.get_terminal_size().lines:
        # Nothing but what the console has made of it.
        click.echo(text, nl=False, color=True)
    else:
        # Where the pager shows colours only if it is asked to.
        os.environ.setdefault("LESS", "-RS" if console.room > console.width else "-R")
        click.echo_via_pager(text, color=True)


def show_rows(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows of text as a table; columns of numbers end at their right."""
    from busmark.present.document import Cell, Column, Kind, Row, Section, Table
    from busmark.present.sinks.terminal import show_section

    kept = list(rows)
    columns = []
    for place, head in enumerate(heads):
        cells = [row[place] for row in kept]
        numbers = place and all(map(NUMBER.fullmatch, cells))
        kind: Kind = "number" if numbers else "text" if place else "label"
        columns.append(Column(head, [Cell(cell) for cell in cells], kind))
    section = Section(title, [Table(columns, [Row() for _ in kept])])
    paged(partial(show_section, section), pager=False)
