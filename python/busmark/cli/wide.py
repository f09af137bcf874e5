"""`--wide`: tables at full width, whatever the terminal's. `--no-pager`: all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

WIDE, AT_ONCE = "busmark.wide", "busmark.at-once"
"""Where a run of the program keeps them: consoles are made in many places."""


def _kept(key: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def keep(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta[key] = True

    return keep


def _is_set(key: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(key))


def wide(command: Any) -> Any:
    """Give a command the options of what it prints."""
    command = click.option(
        "--no-pager", is_flag=True, expose_value=False, callback=_kept(AT_ONCE),
        help="Print all at once, also what is longer than the terminal.",
    )(command)  # fmt: skip
    return click.option(
        "--wide", is_flag=True, expose_value=False, callback=_kept(WIDE),
        help="Print whole tables, wider than the terminal if need be, as into a pipe.",
    )(command)  # fmt: skip


def is_wide() -> bool:
    """Return whether the command that runs was given `--wide`."""
    return _is_set(WIDE)


def is_paged() -> bool:
    """Return whether what it prints may go through a pager."""
    return not _is_set(AT_ONCE)
