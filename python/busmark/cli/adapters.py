"""`busmark adapters`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import ADAPTER, wide
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.adapters import Adapter


@click.command(
    epilog="Examples: busmark adapters; busmark adapters cyclonedds; "
    "busmark adapters --table udp tcp; busmark adapters --check null"
)
@click.argument("names", nargs=-1, metavar="[NAME]...", type=ADAPTER)
@click.option("--long", is_flag=True, help="List licences and what a sample costs, too.")
@click.option("--table", is_flag=True, help="Print who supports what, property by property.")
@click.option(
    "--check",
    "checking",
    is_flag=True,
    help="Run the conformance suite first (minutes per adapter) and show in the table what it "
    "proved. Later reports show it, too. Exit code 1 if something failed.",
)
@written("adapters")
@wide
@click.option("--json", "as_json", is_flag=True, help="Print all capabilities, or the table.")
def command(
    names: tuple[str, ...], long: bool, table: bool, checking: bool, as_json: bool, **options: Any
) -> None:
    """List the installed adapters, and why one cannot be used; with NAME, everything about it.

    A NAME is one from the list, or the path of a library.
    """
    from busmark.adapters import available, compliance, resolve
    from busmark.present.blocks.adapters import KIND, all_in_full, in_full, listing, supports
    from busmark.present.document import Document, Section
    from busmark.present.formats import Views

    files = FileOptions.from_options(KIND, options)
    found = list(resolve(list(names)).values()) if names else available()
    failed = _check([a for a in found if a.usable]) if checking else []
    if table or checking:
        whole = compliance({a.name: a.stored() for a in found if a.capabilities is not None})
        made = Document("Who supports what", [], [Section("", supports(whole))], kind=KIND)
        if files:
            files.write(Views(lambda: made))
        if as_json:
            echo(json.dumps(whole.as_json(), indent=2))
        else:
            show(made)
        sys.exit(1 if failed else 0)
    if files:
        files.write(Views(lambda: all_in_full(found) if names else listing(found, long=long)))
    if as_json:
        rows = [
            {
                "name": one.name,
                "usable": one.usable,
                "reason": one.reason,
                **one.stored(),
            }
            for one in found
        ]
        echo(json.dumps(rows, indent=2))
    else:
        show(*map(in_full, found) if names else [listing(found, long=long)])


def _check(adapters: Sequence[Adapter]) -> list[str]:
    """Run the suite over each adapter in turn; return those that failed or could not be checked."""
    from busmark.adapters import check
    from busmark.errors import UserError
    from busmark.processes import end_orphans
    from busmark.temporary import CHECK_PREFIX, run_directory

    failed = []
    end_orphans()
    for number, adapter in enumerate(adapters, 1):
        echo(f"checking {adapter.name} ({number} of {len(adapters)}) … ", err=True, nl=False)
        try:
            # In a folder that the next command removes if this one is killed.
            with run_directory(CHECK_PREFIX) as folder:
                report = check(adapter.path, folder)
        except UserError as error:
            echo(f"could not: {error}", err=True)
            failed.append(adapter.name)
            continue
        counts = ", ".join(f"{report[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        echo(counts, err=True)
        if report["failed"]:
            failed.append(adapter.name)
            for test, (outcome, detail) in report["results"].items():
                if outcome == "failed":
                    echo(f"  FAILED {test}: {detail}", err=True)
    return failed
