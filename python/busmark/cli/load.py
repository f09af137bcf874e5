"""`busmark load`."""

from __future__ import annotations

import sys

import click

from busmark.cli.options import Amount
from busmark.cli.output import echo


@click.command(epilog="Example: busmark load cpu 50% + net max --seconds 60")
@click.argument("words", nargs=-1, required=True, metavar="KIND LEVEL [+ KIND LEVEL]...")
@click.option(
    "--seconds",
    default=0.0,
    metavar="TIME",
    type=Amount("time", 0),
    help="Stop after this time; 0: when interrupted.",
)
@click.option("--lab", "lab_name", metavar="NAME", help="Network load between two nodes of a lab.")
@click.option(
    "--from",
    "sender",
    default="n1",
    show_default=True,
    metavar="NODE",
    help="Node that sends the network load.",
)
@click.option(
    "--to",
    "receiver",
    default="n2",
    show_default=True,
    metavar="NODE",
    help="Node that receives it.",
)
def command(
    words: tuple[str, ...], seconds: float, lab_name: str | None, sender: str, receiver: str
) -> None:
    """Load this machine's CPUs, disk or network, and print the load achieved.

    cpu 80%: every CPU is busy for that share of the time. net 50mbit: UDP datagrams at that rate,
    on loopback or between two nodes of a lab. disk 10MB: random reads and writes, each at that
    many bytes per second, in the folder for temporary files. LEVEL max: as much as possible.

    Exit code 1 if less than nine tenths of a LEVEL was achieved.
    """
    import signal
    import time

    from busmark.control.hooks import lab_hook
    from busmark.errors import UserError
    from busmark.load import Load, LoadSite, amount_text, here, parse, start
    from busmark.load.part import REMEDY
    from busmark.processes import end_orphans
    from busmark.temporary import LOAD_PREFIX, run_directory

    loads = parse(" ".join(words))
    if not loads:
        raise UserError("no load given", remedy=REMEDY)
    ways: list[tuple[list[str], str]] = [([], "127.0.0.1")]
    if lab_name is not None:
        lab = next((each for each in lab_hook("--lab").labs() if each.name == lab_name), None)
        if lab is None:
            raise UserError(f"no lab is called {lab_name!r}", remedy="See `busmark lab list`.")
        for node in (sender, receiver):
            if node not in lab.nodes:
                raise UserError(f"lab {lab_name} has no node {node}: {', '.join(lab.nodes)}")
        ways = [(lab.prefix(node), lab.address(node)) for node in (sender, receiver)]
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: stopped.append(got))
    end_orphans()
    with run_directory(LOAD_PREFIX) as folder:

        def sites(load: Load) -> list[LoadSite]:
            return [here(folder, *way) for way in ways] if load.kind == "net" else [here(folder)]

        running = start(loads, sites, folder)
        end = time.monotonic() + seconds if seconds else float("inf")
        while not stopped and time.monotonic() < end:
            time.sleep(0.05)
        achieved = running.stop()
    missed = False
    for load in loads:
        level = achieved[load.kind]
        there = "unknown" if level is None else f"{amount_text(load.kind, level)} achieved"
        echo(f"{load.kind}: {there}, {load.asked}")
        missed |= level is None or level < 0.9 * (load.level or 0.0)
    sys.exit(int(missed))
