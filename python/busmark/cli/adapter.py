"""`busmark adapter`: check an adapter, or begin a new one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click

from busmark import files
from busmark.cli.options import ADAPTER
from busmark.cli.output import echo
from busmark.errors import UserError, refused

TEMPLATE = "memory_adapter.c"
"""The example that a new adapter begins with."""
MAKEFILE = """\
libbusmark_{name}.so: {name}_adapter.c
\t$(CC) -std=c11 -shared -fPIC -O2 -Wall -Wextra -I abi $< -o $@ -lpthread

check: libbusmark_{name}.so
\tbusmark adapter check ./$<
"""


@click.group(name="adapter", epilog="Example: busmark adapter check udp")
def command() -> None:
    """Check an adapter against the contract (abi/busmark_adapter.h), or begin a new one."""


@command.command(epilog="Example: busmark adapter new mine && make -C mine check")
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder, which must not exist; default: NAME.",
)
def new(name: str, out: Path | None) -> None:
    """Write an adapter in C called NAME, to begin with.

    It is whole: source, headers and a Makefile. Its middleware is a queue within the process. It
    passes the conformance suite: put your middleware in its place, step by step, and check after
    each. See docs/writing-an-adapter.md.
    """
    import shutil

    from busmark.adapters.installed import contract

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name):
        raise UserError(
            f"{name!r} is not a name for an adapter",
            where="NAME",
            remedy="Write a small letter, then small letters, digits and _, such as my_bus.",
        )
    folder = out or Path(name)
    if folder.exists():
        raise UserError("is already there", where=str(folder), remedy="Name another with --out.")
    abi = contract()
    text = (abi / "examples" / TEMPLATE).read_text(encoding="utf-8")
    # Without the example's own introduction.
    text = (
        text[text.index("#define") :]
        .replace('"memory"', f'"{name}"')
        .replace('"Memory of one process (example)"', f'"{name}"')
    )
    head = (
        f"/* {name}_adapter.c: a Busmark adapter. `make check` builds it and runs the suite. */\n"
    )
    with refused("cannot be made", folder, "Name another with --out."):
        folder.mkdir(parents=True)
        shutil.copytree(abi, folder / "abi", ignore=shutil.ignore_patterns("examples"))
        files.create(folder / f"{name}_adapter.c", head + text)
        files.create(folder / "Makefile", MAKEFILE.format(name=name))
    echo(f"{folder}: {name}_adapter.c, Makefile, abi/")
    echo(f"Build and check it: make -C {folder} check")
    # With a slash, for a word without one is the name of an adapter.
    library = f"{'' if folder.is_absolute() else './'}{folder}/libbusmark_{name}.so"
    echo(f"Measure with it:    busmark latency {library} --placement same")


@command.command(epilog="Example: busmark adapter check ./libbusmark_mine.so")
@click.argument("name", type=ADAPTER)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--transport", help="Transport to check; default: the adapter's first.")
@click.option("--profile", type=click.Choice(["default", "tuned"]), help="Profile of the adapter.")
@click.option(
    "--only",
    multiple=True,
    metavar="TEXT",
    help="Tests of a clause (C22), or with TEXT in their name as it is printed; may be repeated.",
)
@click.option(
    "--body",
    metavar="FILE",
    type=click.Path(),
    help="A value as CDR, for a library with your own type.",
)
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
    """Run the conformance suite over an adapter.

    NAME is one of `busmark adapters`, or the path of a library. Every clause of the contract has a
    test, which runs in a separate process. Exit code 1 if one fails, dies or hangs, or if none
    passes; 2 for a usage error, or if the library cannot be loaded or its middleware is missing.
    """
    from busmark.adapters import checker, environment, resolve
    from busmark.processes import end_orphans, end_part, marked, signal_name
    from busmark.temporary import CHECK_PREFIX, run_directory

    if body:
        with refused("cannot be read", f"--body {body}", "Name a file with the value as CDR."):
            files.content(Path(body))
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
