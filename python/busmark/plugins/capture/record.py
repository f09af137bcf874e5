"""`busmark capture record`."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from busmark.cli.options import Amount
from busmark.cli.output import echo, say_file

if TYPE_CHECKING:
    from busmark.plugins.capture.dumpcap import Site

LOOK_S = 0.05


@click.command("record", epilog="Example: busmark capture record --seconds 10 --out it.pcapng")
@click.option("--interface", metavar="NAME",
              help="Network interface; by default lo, in a lab lan0.")  # fmt: skip
@click.option("--node", metavar="PREFIX",
              help="Command that runs another on another machine, such as 'ssh lab1'; with --lab "
              "the name of a node.")  # fmt: skip
@click.option("--lab", "lab_name", metavar="NAME", help="Capture on a node of this lab.")
@click.option("--filter", "pattern", default="", metavar="FILTER",
              help="Which packets, as pcap-filter(7) has it; by default all.")  # fmt: skip
@click.option("--seconds", default=0.0, metavar="TIME", type=Amount("time", 0),
              help="Stop after this time; 0: when interrupted.")  # fmt: skip
@click.option("--snap-length", default=0, metavar="SIZE", type=Amount("size", 0, 262_144),
              help="Bytes that are kept of each packet; 0: all.")  # fmt: skip
@click.option("--max-bytes", default="1GiB", show_default=True, metavar="SIZE",
              type=Amount("size", 100_000), help="Stop when the file has this size.")  # fmt: skip
@click.option("--ring", is_flag=True, help="Keep the last packets then, and continue.")
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False),
              help="Write the capture to this file.")  # fmt: skip
def record_command(
    interface: str | None, node: str | None, lab_name: str | None, pattern: str, seconds: float,
    snap_length: int, max_bytes: int, ring: bool, out: Path,
) -> None:  # fmt: skip
    """Capture the packets of an interface, and say how many were dropped.

    dumpcap does it, which must be installed (wireshark-common) and may need root. The file appears
    when the capture has ended; Ctrl-C ends it. In a scenario, `capture = true` captures every
    round.

    Exit code 2 if there is no capture.
    """
    import signal
    import time

    from busmark.control.rundir import run_directory
    from busmark.errors import UserError
    from busmark.plugins.capture.dumpcap import CaptureFailed, Settings, Taking
    from busmark.processes import end_orphans

    if out.exists() and not out.is_file():
        raise UserError("not an ordinary file", where=str(out), remedy="Name another with --out.")
    interface = interface or ("lan0" if lab_name else "lo")
    stopped: list[int] = []
    end_orphans()
    with run_directory() as folder, _site(interface, pattern, node, lab_name) as site:
        how = Settings(pattern, snap_length, max_bytes, ring)
        partial = out.with_name(f".{out.name}.unfinished.pcapng")
        taking = Taking(site, interface, how, partial, folder / "capture.txt")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda got, _: stopped.append(got))
        try:
            taking.start()
            end = time.monotonic() + seconds if seconds else float("inf")
            while not stopped and not taking.over and time.monotonic() < end:
                time.sleep(LOOK_S)
            taking.stop()
            partial.replace(out)
        except CaptureFailed as error:
            raise UserError(str(error), where=str(out)) from None
        except BaseException:
            taking.kill()
            raise
    assert taking.counts is not None
    for problem in taking.problems:
        echo(problem, err=True)
    found = taking.counts
    echo(
        f"{found.packets} packets captured, {found.dropped} dropped: {found.kernel_drops} by the "
        f"kernel's buffer, {found.interface_drops} by the interface, {found.dumpcap_drops} by "
        "dumpcap"
    )
    say_file(out, err=True)


@contextlib.contextmanager
def _site(interface: str, pattern: str, node: str | None, lab_name: str | None) -> Iterator[Site]:
    """Where dumpcap runs, once it is known that it can."""
    from busmark.errors import UserError
    from busmark.launcher import Start, marker
    from busmark.nodes.shell import Shell, command, environment
    from busmark.plugins.capture.dumpcap import Site, check, refusal
    from busmark.plugins.capture.dumpcap.permit import question

    if lab_name is not None:
        prefix = _of_lab(lab_name, node or "n1")
        check("lo", pattern, "--filter")
        yield Site(lambda words: Start([*prefix, *words]))
        return
    if node is None:
        check(interface, pattern, "--filter")
        yield Site(Start)
        return
    try:
        prefix = shlex.split(node)
    except ValueError as error:
        raise UserError(f"not a command: {error}", where="--node") from None
    shell = Shell("node", prefix, 20.0)
    try:
        if reason := refusal(shell.ask(question(interface, pattern)), interface, pattern, "--node"):
            raise reason
        folder = shell.ask("mktemp -d").strip()
        quoted = shlex.quote(folder)
        try:
            yield Site(
                lambda words: Start(command(prefix), environment(), shlex.join(words), marker()),
                node, folder,
            )  # fmt: skip
        finally:
            with contextlib.suppress(UserError):
                shell.ask(f"rm -rf {quoted}")
    finally:
        shell.close()


def _of_lab(name: str, node: str) -> list[str]:
    """The command that runs another on a node of a lab."""
    from busmark.errors import UserError
    from busmark.plugins.lab.lab import labs

    lab = next((each for each in labs() if each.name == name), None)
    if lab is None:
        raise UserError(f"no lab is called {name!r}", remedy="See `busmark lab list`.")
    if node not in lab.nodes:
        raise UserError(f"lab {name} has no node {node}: {', '.join(lab.nodes)}")
    return lab.prefix(node)
