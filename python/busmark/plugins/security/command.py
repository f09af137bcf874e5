"""`busmark security`."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from busmark.cli.output import echo

DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
PASSPHRASE = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File whose first line is the passphrase of the private keys (not of CURVE's).",
)


@click.group(epilog="Example: busmark security init keys && busmark security check keys")
def command() -> None:
    """Make, explain and check the documents of secured runs: DDS Security, TLS, CURVE."""


@command.command("init", epilog="Example: busmark security init keys --domain 0-9 --days 90")
@DIRECTORY
@click.option(
    "--participant",
    "participants",
    multiple=True,
    metavar="NAME",
    help="Name of a participant; may be repeated. Default: the ends of a run, such as "
    "active and passive.",
)
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="N|N-M",
    help="DDS domain or range of domains; may be repeated. Default: 0.",
)
@click.option(
    "--algorithm",
    type=click.Choice(["ecdsa-p256", "rsa-2048"]),
    default="ecdsa-p256",
    show_default=True,
    help="Algorithm of keys and signatures.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=365,
    show_default=True,
    metavar="N",
    help="For how many days all is valid.",
)
@click.option(
    "--publish",
    multiple=True,
    metavar="TOPIC",
    help="Topic, or pattern, that all may publish; may be repeated. Default: busmark*.",
)
@click.option(
    "--subscribe",
    multiple=True,
    metavar="TOPIC",
    help="Topic, or pattern, that all may subscribe to; may be repeated. Default: busmark*.",
)
@PASSPHRASE
def init_command(
    directory: Path, domains: tuple[str, ...], passphrase_file: Path | None, **options: Any
) -> None:
    """Make the directory DIR with all that secured participants need.

    Two certificate authorities, an identity for each participant, governance and permissions signed
    by the authority, and keys of CURVE. An existing DIR is refused. Not for production: the
    authorities' private keys are in the directory, too.
    """
    from busmark.plugins.security.description import DocumentRequest
    from busmark.plugins.security.directory import create
    from busmark.plugins.security.domains import Domains
    from busmark.plugins.security.profiles import DDS
    from busmark.plugins.security.reading import passphrase

    given = {key: value for key, value in options.items() if value}
    if domains:
        given["domains"] = tuple(Domains.parse(text) for text in domains)
    wanted = DocumentRequest(**given, passphrase=passphrase(passphrase_file))
    documents = create(directory, wanted)
    where = ", ".join(str(each) for each in wanted.domains)
    echo(
        f"{directory}: documents for {', '.join(documents.participants)}; in domain {where}; "
        f"{wanted.algorithm}; valid for {wanted.days} days"
    )
    echo(f"profiles: {', '.join(DDS)}; tls, curve")
    kept = "encrypted (keys of CURVE are not)" if wanted.passphrase else "not encrypted"
    echo(f"private keys are {kept}; only you may read them")
    echo(f"next: busmark security show {shlex.quote(str(directory))}")


@command.command("show", epilog="Example: busmark security show keys")
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON.")
def show_command(directory: Path, as_json: bool) -> None:
    """Explain the documents in DIR: who is who, what is protected, who may do what.

    It reads no private key, and judges nothing: see `busmark security check`.
    """
    from busmark.plugins.security.directory import open_directory
    from busmark.plugins.security.explain import explained, sentences

    about = explained(open_directory(directory))
    echo(json.dumps(about, indent=2) if as_json else "\n".join(sentences(about)))


@command.command("check", epilog="Example: busmark security check keys")
@DIRECTORY
@PASSPHRASE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check_command(directory: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Look for faults of the documents in DIR, which any tool may have made.

    Exit code 1 if there are findings; 2 if a file is missing or cannot be read.
    """
    from busmark.plugins.security.checks import check
    from busmark.plugins.security.directory import open_directory
    from busmark.plugins.security.reading import passphrase

    findings = check(open_directory(directory, passphrase(passphrase_file)))
    if as_json:
        echo(json.dumps([asdict(each) for each in findings], indent=2))
    else:
        echo("\n".join(map(str, findings)) or f"{directory}: no findings")
    sys.exit(1 if findings else 0)
