"""`busmark capture`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from busmark.cli.documents import Files, show, written
from busmark.cli.options import wide
from busmark.cli.output import echo
from busmark.plugins.capture.explain import ENDS, explain_command
from busmark.plugins.capture.record import record_command


@click.group(epilog="Example: busmark capture analyse traffic.pcapng")
def command() -> None:
    """Capture network traffic, analyse captures, and say why samples were late."""


command.add_command(record_command)
command.add_command(explain_command)


@command.command("analyse", epilog="Example: busmark capture analyse traffic.pcapng --html it.html")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--agent-port", "agent_ports", multiple=True, metavar="PORT",
              type=click.IntRange(1, 65535),
              help="A port at which an agent of DDS-XRCE listens; for captures that do not have "
              "the beginning of sessions.")  # fmt: skip
@click.option("--application", type=click.Path(path_type=Path), metavar="STAMPS",
              help="JSON lines or CSV with seq, sent_ns and received_ns of each sample, by the "
              "application: its latencies stand beside the packets'.")  # fmt: skip
@click.option("--until", type=click.Choice(["acknack", "tcp"]),
              help="What ends L: the ACKNACK, or TCP's acknowledgement. By default the ACKNACK, "
              "and TCP's acknowledgement where there is none.")  # fmt: skip
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

    files = Files.of("capture", options)
    analysis = analyse(
        file, agent_ports=agent_ports, application=application, until=ENDS.get(until)
    )
    if as_json:
        echo(analysis.model_dump_json(indent=2))
    if not as_json or files:
        from busmark.plugins.capture.blocks import document
        from busmark.present.formats import Views

        made = document(analysis)
        if files and not READ.isdisjoint(analysis.protocols):
            files.write(Views(lambda: made))
        if not as_json:
            show(made)
    check_readable(analysis)
