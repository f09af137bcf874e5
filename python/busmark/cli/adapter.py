"""`busmark adapter check`."""

from __future__ import annotations

import subprocess
import sys

import click

from busmark.errors import UserError


@click.group(name="adapter", epilog="Example: busmark adapter check udp")
def command() -> None:
    """Check an adapter against the contract (abi/busmark_adapter.h)."""


@command.command(epilog="Example: busmark adapter check ./libbusmark_mine.so")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check(name: str, as_json: bool) -> None:
    """Run the conformance suite over the adapter NAME, or over the library at a path.

    Every clause of the contract has a test; exit code 1 if one fails.
    """
    from busmark.adapters import checker, environment, resolve

    adapter = resolve([name])[name]
    if not adapter.path.is_file():
        raise UserError(str(adapter.reason))
    arguments = [str(checker()), str(adapter.path)] + (["--json"] if as_json else [])
    code = subprocess.run(arguments, check=False, env=environment()).returncode
    sys.exit(code if code in (0, 1) else 2)
