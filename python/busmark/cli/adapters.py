"""`busmark adapters`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from busmark.adapters import Adapter


@click.command(
    epilog="Examples: busmark adapters; busmark adapters cyclonedds; "
    "busmark adapters --table udp tcp; busmark adapters --check null"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--table", is_flag=True, help="Print who supports what, property by property.")
@click.option(
    "--check",
    "checking",
    is_flag=True,
    help="Run the conformance suite first (minutes for each adapter) and say in the table what it "
    "proved. Reports show it from then on. Exit code 1 if something failed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all capabilities, or the table.")
def command(names: tuple[str, ...], table: bool, checking: bool, as_json: bool) -> None:
    """List the adapters here and why one cannot be used; with NAME, everything about it.

    A NAME is one of the list, or the path of a library.
    """
    from busmark.adapters import available, compliance, resolve

    found = list(resolve(list(names)).values()) if names else available()
    failed = _check([a for a in found if a.usable]) if checking else []
    if table or checking:
        whole = compliance({a.name: a.stored() for a in found if a.capabilities is not None})
        if as_json:
            click.echo(json.dumps(whole.as_json(), indent=2))
        else:
            _draw_table(whole)
        sys.exit(1 if failed else 0)
    if as_json:
        click.echo(json.dumps([_as_json(adapter) for adapter in found], indent=2))
        return
    _draw_list(found, in_full=bool(names))


def _as_json(adapter: Adapter) -> dict[str, Any]:
    known = {"name": adapter.name, "usable": adapter.usable, "reason": adapter.reason}
    return {**known, **adapter.stored()}


def _check(adapters: Sequence[Adapter]) -> list[str]:
    """Runs the suite over each, one after the other; those that failed, or could not be checked."""
    from busmark.adapters import check
    from busmark.errors import UserError

    failed = []
    for number, adapter in enumerate(adapters, 1):
        click.echo(f"checking {adapter.name} ({number} of {len(adapters)}) … ", err=True, nl=False)
        try:
            report = check(adapter.path)
        except UserError as error:
            click.echo(f"could not: {error}", err=True)
            failed.append(adapter.name)
            continue
        counts = ", ".join(f"{report[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        click.echo(counts, err=True)
        if report["failed"]:
            failed.append(adapter.name)
            for test, (outcome, detail) in report["results"].items():
                if outcome == "failed":
                    click.echo(f"  FAILED {test}: {detail}", err=True)
    return failed


def _draw_table(whole: Any) -> None:
    from rich.console import Console

    from busmark.cli.adapter_tables import draw_compliance

    draw_compliance(whole, Console())


def _draw_list(found: Sequence[Adapter], in_full: bool) -> None:
    from rich.console import Console

    from busmark.cli.adapter_tables import draw_adapter, draw_families

    console = Console()
    if not in_full:
        draw_families(found, console)
    for adapter in found if in_full else []:
        draw_adapter(adapter, console)
