"""`busmark type`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from busmark import files
from busmark.cli.output import echo
from busmark.errors import UserError, refused


@click.group(
    name="type",
    epilog="Example: busmark type build sensors.idl --type sensors::PointCloud "
    "--value cloud.json --out types/cloud",
)
def command() -> None:
    """Measure with your own type, from its IDL."""


@command.command(
    epilog="Example: busmark type build sensors.idl --type sensors::PointCloud "
    "--value cloud.json --out types/cloud"
)
@click.argument("idl", type=click.Path(path_type=Path))
@click.option(
    "--type", "name", required=True, metavar="NAME", help="Type name with its modules: a::b::C."
)
@click.option(
    "--value", required=True, type=click.Path(path_type=Path), help="A value of the type, as JSON."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder for the output."
)
@click.option(
    "--adapter", "only", multiple=True, metavar="NAME", help="Only this adapter. Can be repeated."
)
def build(idl: Path, name: str, value: Path, out: Path, only: tuple[str, ...]) -> None:
    """Compile the type of the file IDL into the DDS adapters.

    The folder receives a library for each adapter that supports such a type, the value as CDR, and
    a scenario that compares the type with the same bytes as octets. The first build takes minutes.
    """
    from busmark.plugins.own_types import compare, libraries
    from busmark.plugins.own_types.source import UserType
    from busmark.plugins.own_types.tools import idl_compiler, python_generator
    from busmark.plugins.own_types.value import serialise

    user = UserType.from_file(idl, name)
    names = _adapters(only)
    python_generator()  # before anything that takes time
    with refused("cannot be a folder", out, "Name another with --out."):
        out.mkdir(parents=True, exist_ok=True)
    idlc = idl_compiler((out / "build" / "idlc.txt").absolute())
    cdr = out / "value.cdr"
    size = serialise(user, value, cdr, idlc, (out / "build" / "python").absolute())
    echo(f"{user.name}: {size} bytes of CDR in {cdr}")
    made = []
    for result in libraries.build(user, cdr, names, idlc, out):
        echo(f"{result.name}: {result.library or f'none: {result.reason}'}")
        made += [result.library] if result.library else []
    if not made:
        sys.exit(2)
    file = out / "scenario.toml"
    files.write(file, compare.scenario(user, made, cdr, size))
    echo(f"\nNow type: busmark run {file}")


def _adapters(only: tuple[str, ...]) -> list[str]:
    """Return those asked for, or every DDS adapter."""
    from busmark.plugins.own_types.libraries import candidates

    for name in only:
        if name not in candidates():
            raise UserError(f"{name!r} is no DDS adapter; there are {', '.join(candidates())}")
    return list(only) or candidates()
