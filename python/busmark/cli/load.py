"""`busmark load`."""

from __future__ import annotations

import sys

import click


@click.command(epilog="Example: busmark load cpu 80% --seconds 60")
@click.argument("kind", type=click.Choice(["cpu", "net", "disk"]))
@click.argument("level")
@click.option("--seconds", default=0.0, metavar="S", type=click.FloatRange(0),
              help="End after so long; 0: when interrupted.")  # fmt: skip
@click.option("--lab", "lab_name", metavar="NAME", help="Network load between two nodes of a lab.")
@click.option("--from", "sender", default="n1", show_default=True, metavar="NODE")
@click.option("--to", "receiver", default="n2", show_default=True, metavar="NODE")
def command(kind: str, level: str, seconds: float, lab_name: str | None, sender: str,
            receiver: str) -> None:  # fmt: skip
    """Load this machine's CPUs, disk or network at a set LEVEL, and say what was achieved.

    cpu 80%: every CPU is busy for that share of the time. net 50mbit: UDP datagrams at that rate,
    on loopback or between two nodes of a lab. disk 10MB: random reads and writes, each at so many
    bytes per second, in the folder for temporary files.

    Exit code 1 if less than nine tenths was achieved.
    """
    import signal
    import tempfile
    import time
    from pathlib import Path

    from busmark.errors import UserError
    from busmark.lab import labs
    from busmark.load import parse, start

    load = parse(f"{kind} {level}")
    assert load is not None
    places: dict[str, object] = {}
    if lab_name is not None:
        lab = next((each for each in labs() if each.name == lab_name), None)
        if lab is None:
            raise UserError(f"there is no lab {lab_name}", remedy="See `busmark lab list`.")
        for node in (sender, receiver):
            if node not in lab.nodes:
                raise UserError(f"lab {lab_name} has no node {node}: {', '.join(lab.nodes)}")
        places = {"sender": lab.prefix(sender), "receiver": lab.prefix(receiver),
                  "address": lab.address(receiver)}  # fmt: skip
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: stopped.append(got))
    with tempfile.TemporaryDirectory(prefix="busmark-load-") as folder:
        running = start(load, Path(folder), **places)  # type: ignore[arg-type]
        end = time.monotonic() + seconds if seconds else float("inf")
        while not stopped and time.monotonic() < end:
            time.sleep(0.05)
        achieved = running.stop()
    if achieved is None:
        click.echo(f"{load} asked for; the tool does not say what was achieved", err=True)
        sys.exit(1)
    click.echo(f"{type(load)(load.kind, achieved)} achieved, {load} asked for")
    sys.exit(0 if achieved >= 0.9 * load.level else 1)
