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
@click.option("--transport", help="Transport to check; default: the adapter's first.")
@click.option("--profile", type=click.Choice(["default", "tuned"]), help="Profile of the adapter.")
@click.option(
    "--only",
    multiple=True,
    metavar="TEXT",
    help="Tests of a clause (C22), or with TEXT in their name as it is printed; may be repeated.",
)
@click.option("--body", metavar="FILE", help="A value as CDR, for a library with your own type.")
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

    Every clause of the contract has a test, which runs in a separate process. Exit code 1 if one
    fails, dies or hangs, or if none passes; 2 for a usage error, or if the library cannot be loaded
    or its middleware is missing.
    """
    from busmark.adapters import checker, environment, resolve
    from busmark.control.rundir import CHECK_PREFIX, run_directory
    from busmark.processes import end_orphans, end_part, marked, signal_name

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
    end_orphans()
    # The suite's own folder is in ours, which the next command removes if this one is killed.
    with run_directory(CHECK_PREFIX) as folder:
        variables = {**environment(), **marked("round"), "TMPDIR": str(folder)}
        try:
            code = subprocess.run(arguments, check=False, env=variables).returncode
        finally:
            end_part("round")
    if code < 0:
        raise UserError(f"the conformance suite was ended by {signal_name(-code)}", where=name)
    sys.exit(code)
