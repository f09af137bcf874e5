"""`--wide`: tables at full width, whatever the terminal's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

KEY = "busmark.wide"
"""Where a run of the program keeps it: consoles are made in many places."""


def _keep(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta[KEY] = True


wide: Callable[[Any], Any] = click.option(
    "--wide", is_flag=True, expose_value=False, callback=_keep,
    help="Print whole tables, wider than the terminal if need be, as into a pipe.",
)  # fmt: skip


def is_wide() -> bool:
    """Whether the command that runs was given it."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(KEY))
