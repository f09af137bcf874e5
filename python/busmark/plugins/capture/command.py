"""`busmark capture`."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import Amount, wide
from busmark.cli.output import echo, say_file
from busmark.cli.places import CasePlace, or_newest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from busmark.plugins.capture.dumpcap import Site
    from busmark.present.document import Document
    from busmark.store import Case, Result

T = TypeVar("T", bound="BaseModel")


@click.command("record", epilog="Example: busmark capture record --seconds 10 --out it.pcapng")
@click.option(
    "--interface", metavar="NAME", help="Network interface; by default lo, in a lab lan0."
)
@click.option(
    "--node",
    metavar="PREFIX",
    help="Command that runs another on another machine, such as 'ssh lab1'; with --lab "
    "the name of a node.",
)
@click.option("--lab", "lab_name", metavar="NAME", help="Capture on a node of this lab.")
@click.option(
    "--filter",
    "pattern",
    default="",
    metavar="FILTER",
    help="Which packets, as pcap-filter(7) has it; by default all.",
)
@click.option(
    "--seconds",
    default=0.0,
    metavar="TIME",
    type=Amount("time", 0),
    help="Stop after this time; 0: when interrupted.",
)
@click.option(
    "--snap-length",
    default=0,
    metavar="SIZE",
    type=Amount("size", 0, 262_144),
    help="Bytes that are kept of each packet; 0: all.",
)
@click.option(
    "--max-bytes",
    default="1GiB",
    show_default=True,
    metavar="SIZE",
    type=Amount("size", 100_000),
    help="Stop when the file has this size.",
)
@click.option("--ring", is_flag=True, help="Keep the last packets then, and continue.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the capture to this file.",
)
def record_command(
    interface: str | None,
    node: str | None,
    lab_name: str | None,
    pattern: str,
    seconds: float,
    snap_length: int,
    max_bytes: int,
    ring: bool,
    out: Path,
) -> None:
    """Capture the packets of an interface, and say how many were dropped.

    dumpcap does it, which must be installed (wireshark-common) and may need root. The file appears
    when the capture has ended; Ctrl-C ends it. In a scenario, `capture = true` captures every
    round.

    Exit code 2 if there is no capture.
    """
    import signal

    from busmark import files
    from busmark.errors import UserError, refused
    from busmark.plugins.capture.dumpcap import Settings, Taking, run
    from busmark.processes import end_orphans
    from busmark.temporary import run_directory

    if out.exists() and not out.is_file():
        raise UserError("not an ordinary file", where=str(out), remedy="Name another with --out.")
    with refused("cannot be written", out, "Name another with --out."):
        out = files.writable(out)
    interface = interface or ("lan0" if lab_name else "lo")
    stopped: list[int] = []
    end_orphans()
    with run_directory() as folder, _site(interface, pattern, node, lab_name) as site:
        how = Settings(pattern, snap_length, max_bytes, ring)
        partial = out.with_name(f".{out.name}.unfinished.pcapng")
        taking = Taking(site, interface, how, partial, folder / "capture.txt")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda got, _: stopped.append(got))
        run([taking], seconds or float("inf"), str(out), stopped)
        try:
            files.move(partial, out)
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
    """Yield the place where dumpcap runs, once it is known that it can."""
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
                node,
                folder,
            )
        finally:
            with contextlib.suppress(UserError):
                shell.ask(f"rm -rf {quoted}")
    finally:
        shell.close()


def _of_lab(name: str, node: str) -> list[str]:
    """Return the command that runs another on a node of a lab."""
    from busmark.errors import UserError
    from busmark.plugins.lab.lab import labs

    lab = next((each for each in labs() if each.name == name), None)
    if lab is None:
        raise UserError(f"no lab is called {name!r}", remedy="See `busmark lab list`.")
    if node not in lab.nodes:
        raise UserError(f"lab {name} has no node {node}: {', '.join(lab.nodes)}")
    return lab.prefix(node)


def _answer(
    found: T,
    document: Callable[[T], Document],
    files: FileOptions | None,
    *,
    as_json: bool,
    on_screen: Callable[[T], Document] | None = None,
) -> None:
    """Print what was found, as JSON or as a document, which is written to these files; `on_screen`:
    what is printed in its place."""
    from busmark.present.formats import Views

    if as_json:
        echo(found.model_dump_json(indent=2))
    if files:
        files.write(Views(lambda: document(found)))
    if not as_json:
        show((on_screen or document)(found))


ENDS: dict[str | None, Literal["ACKNACK", "TCP"]] = {"acknack": "ACKNACK", "tcp": "TCP"}
"""Ends of L, by the word after `--until`."""
CAPTURES = {".pcap", ".pcapng", ".cap"}
"""Endings of files that are captures, not results."""


@click.command("explain", epilog="Example: busmark capture explain traffic.pcapng")
@click.argument(
    "place", metavar="[FILE|DIRECTORY[#CASE]]", required=False, type=CasePlace(), callback=or_newest
)
@click.option("--case", "wanted", metavar="CASE", help="The case, or its number, such as 003.")
@click.option(
    "--worst",
    metavar="N",
    type=click.IntRange(0, 1000),
    help="Samples that are shown with their packets, the lost first; by default 10 of a "
    "result, and none of a file.",
)
@click.option(
    "--late",
    "late_s",
    metavar="TIME",
    type=Amount("time", bare="ms"),
    help="FILE: a sample is late above this latency; by default above three times the "
    "fastest of its way, and 1 ms more than it.",
)
@click.option(
    "--agent-port",
    "agent_ports",
    multiple=True,
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="FILE: a port at which an agent of DDS-XRCE listens.",
)
@click.option(
    "--until",
    type=click.Choice(["acknack", "tcp"]),
    help="FILE: what ends L: the ACKNACK, or TCP's acknowledgement.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: explain).")
@written("late samples")
@wide
def explain_command(
    place: str,
    wanted: str | None,
    worst: int | None,
    late_s: float | None,
    agent_ports: tuple[int, ...],
    until: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say why samples were late or lost, by their packets: in a capture, or in rounds of a case.

    FILE is a pcapng or pcap file of whichever origin. For each lost or late sample: the last place
    where it was seen, the cause, and the packets that show it, or that it is not in this capture.
    Files have the latencies, losses and lengths of `capture analyse`, too.

    DIRECTORY is a result with `capture = true`; without it, @last. A case need not be named
    where only one was captured. Causes are counted over all late samples; the worst are shown each
    as a sequence of packets.

    Exit code 0 when it was read, 2 where nothing can be read or no round of the case was captured.
    """
    from busmark.plugins.capture.late import MOST_WORST, of_case, of_file

    files = FileOptions.from_options("late samples", options)
    file = Path(str(place))
    if not file.exists() and CAPTURES & set(file.suffixes):
        from busmark.errors import UserError

        raise UserError("no such capture", where=str(file), remedy="Name an existing file.")
    if file.exists() and not file.is_dir():
        late_ns = None if late_s is None else round(late_s * 1e9)
        explained = of_file(
            file,
            agent_ports=agent_ports,
            until=ENDS.get(until),
            late_ns=late_ns,
            diagrams=worst or 0,
        )
    else:
        from busmark.cli.show import case_of
        from busmark.store import Result

        directory, own = case_of(str(place))
        result = Result(directory)
        case = _case(result, wanted or own or "")
        shown = MOST_WORST if worst is None else worst
        explained = of_case(result, case, shown, diagrams=True)
    from busmark.plugins.capture.late.blocks import document

    on_screen = partial(document, in_file=False)
    _answer(explained, document, files, as_json=as_json, on_screen=on_screen)


def _case(result: Result, wanted: str) -> Case:
    """Return the captured case of this name or number; without one, the only captured case."""
    from busmark.errors import UserError
    from busmark.plugins.capture.late import is_captured

    captured = [
        case
        for case in result.manifest.cases
        if case.status == "planned" and is_captured(result, case)
    ]
    where = str(result.directory)
    if not captured:
        raise UserError(
            "no round was captured", where=where, remedy="Run the scenario with `capture = true`."
        )
    found = [each for each in captured if wanted in ("", each.id, each.id.partition("-")[0])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.id for each in captured[:5]) + (", …" if len(captured) > 5 else "")
    if wanted:
        raise UserError(
            f"no captured case is called {wanted!r}", where=where, remedy=f"Captured are: {names}"
        )
    raise UserError(
        "several cases were captured", where=where, remedy=f"Name one with --case: {names}"
    )


@click.group(epilog="Example: busmark capture analyse traffic.pcapng")
def command() -> None:
    """Capture network traffic, analyse captures, and say why samples were late."""


command.add_command(record_command)
command.add_command(explain_command)


@command.command("analyse", epilog="Example: busmark capture analyse traffic.pcapng --html it.html")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--agent-port",
    "agent_ports",
    multiple=True,
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="A port at which an agent of DDS-XRCE listens; for captures that do not have "
    "the beginning of sessions.",
)
@click.option(
    "--application",
    type=click.Path(path_type=Path),
    metavar="STAMPS",
    help="JSON lines or CSV with seq, sent_ns and received_ns of each sample, by the "
    "application: its latencies stand beside the packets'.",
)
@click.option(
    "--until",
    type=click.Choice(["acknack", "tcp"]),
    help="What ends L: the ACKNACK, or TCP's acknowledgement. By default the ACKNACK, "
    "and TCP's acknowledgement where there is none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: capture).")
@written("capture")
@wide
def analyse_command(
    file: Path,
    agent_ports: tuple[int, ...],
    application: Path | None,
    until: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what a capture shows of RTPS and DDS-XRCE: latencies, losses, retransmissions, lengths.

    FILE is a pcapng or pcap file of dumpcap, tcpdump or Wireshark, also with gzip. Samples are
    followed over several hops by their payload, such as from an XRCE client through agents and DDS
    to another client. What could be read of a damaged file is analysed, and the fault is reported.

    Exit code 2 for a file that is no capture, for one in which nothing can be read (it holds no
    packet, or none of RTPS and DDS-XRCE), or for stamps that cannot be read.
    """
    from busmark.plugins.capture.analysis import READ, analyse, check_readable

    files = FileOptions.from_options("capture", options)
    analysis = analyse(
        file, agent_ports=agent_ports, application=application, until=ENDS.get(until)
    )
    from busmark.plugins.capture.blocks import document

    readable = not READ.isdisjoint(analysis.protocols)
    _answer(analysis, document, files if readable else None, as_json=as_json)
    check_readable(analysis)
