"""Arguments and options that name a result: its directory, or `@last`, `@last~1`, `@NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from busmark.cli.output import echo
from busmark.store import named
from busmark.store.manifest import MANIFEST
from busmark.store.named import LAST, SIGN, newest_two

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # older versions of click have no parameters of the type
    ParamType = click.ParamType


class Directory(ParamType):
    """The directory of an existing result."""

    name = "directory"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        """Return the directory; print it if the name alone does not identify it."""
        if isinstance(value, Path):
            return value
        found = named.resolve(value)
        if value not in (str(found), SIGN + found.name):
            _tell(f"{value} is {found}", ctx)
        return found

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete names after the sign, and directories otherwise."""
        if not incomplete.startswith(SIGN):
            return [CompletionItem(incomplete, type="dir")]
        known = named.stored()
        last = [LAST, f"{LAST}~1"][: sum(each.here for each in known)]
        wanted = dict.fromkeys([*last, *(each.name for each in known)])
        return [
            CompletionItem(SIGN + n)
            for n in wanted
            if n.isprintable() and (SIGN + n).startswith(incomplete)
        ]


class CasePlace(Directory):
    """DIRECTORY[#CASE], as a text; #CASE alone is of the newest result here, or of the one that is
    the working directory."""

    name = "directory[#case]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text with the directory in place of its name."""
        text = str(value)
        if text.startswith("#") and not Path(text).is_dir():
            text = ("." if Path(MANIFEST).is_file() else SIGN + LAST) + text
        if not text.startswith(SIGN):
            return text
        name, sign, case = text.partition("#")
        return f"{super().convert(name, param, ctx)}{sign}{case}"


class Target(Directory):
    """The directory of a new result: `@NAME` is a name for it. With `--resume`, which has to be an
    eager option, the directory of the existing result."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        """Return the directory, which need not exist."""
        if isinstance(value, Path):
            return value
        if ctx and ctx.params.get("resume"):
            return super().convert(value, param, ctx)
        return named.target(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete existing results if one is resumed, and directories otherwise."""
        if ctx.params.get("resume"):
            return super().shell_complete(ctx, param, incomplete)
        return [CompletionItem(incomplete, type="dir")]


def or_newest(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
    """Return an argument's value, as callback: without one the newest result here, which is
    printed."""
    if value or ctx.resilient_parsing:
        return value
    found = named.newest()
    _tell(f"{found}: the newest result of this folder", ctx)
    return found if value is None else (str(found),)


def unnamed(by: list[str]) -> tuple[str, ...]:
    """Return the results to compare if none is named; print which they are."""
    if by:
        found = named.newest()
        echo(f"{found}: the newest result of this folder", err=True)
        return (str(found),)
    before, after = newest_two()
    echo(f"{after}: the newest result of this folder, against {before}", err=True)
    return str(before), str(after)


def note(directory: Path) -> None:
    """Register a result, so that its name works from any folder; print why if that fails."""
    if trouble := named.note(directory):
        echo(f"`busmark list` will not find this result from other folders: {trouble}", err=True)


def _tell(text: str, ctx: click.Context | None) -> None:
    """Print on standard error, but not while a shell completes a word."""
    if ctx is None or not ctx.resilient_parsing:
        echo(text, err=True)
