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
@click.option("--transport", help="Another transport than the adapter's first.")
@click.option("--profile", type=click.Choice(["default", "tuned"]), help="Of the adapter.")
@click.option("--only", multiple=True, metavar="TEXT", help="Tests whose name contains this.")
@click.option("--body", metavar="FILE", help="A value as CDR, for a library with a type of yours.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An adapter option.")
def check(
    name: str,
    as_json: bool,
    transport: str | None,
    profile: str | None,
    only: tuple[str, ...],
    body: str | None,
    settings: tuple[str, ...],
) -> None:
    """Run the conformance suite over the adapter NAME, or over the library at a path.

    Every clause of the contract has a test; exit code 1 if one fails.
    """
    from busmark.adapters import checker, environment, resolve

    adapter = resolve([name])[name]
    if not adapter.path.is_file():
        raise UserError(str(adapter.reason))
    arguments = [str(checker()), str(adapter.path), *(["--json"] if as_json else [])]
    for flag, value in (("--transport", transport), ("--profile", profile), ("--body", body)):
        arguments += [flag, value] if value else []
    for text in only:
        arguments += ["--only", text]
    for setting in settings:
        arguments += ["--set", setting]
    code = subprocess.run(arguments, check=False, env=environment()).returncode
    sys.exit(code if code in (0, 1) else 2)
