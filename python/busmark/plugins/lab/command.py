"""`busmark lab`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import show
from busmark.cli.output import echo

if TYPE_CHECKING:
    from busmark.plugins.lab.check import LinkMeasurement
    from busmark.plugins.lab.lab import Lab
    from busmark.present.document import Document, Section

NAME = "lab"
"""Name of a lab if the user gives none."""


@click.group(epilog="Example: busmark lab up 4 --rate 100mbit --loss 1% --delay 2ms --jitter 0.2ms")
def command() -> None:
    """Emulate a network of several nodes on this machine.

    Each node is a network namespace with one link to a switch. Root only.
    """


@command.command(epilog="Example: busmark lab up 4 --rate 100mbit --loss 1% --delay 2ms")
@click.argument("nodes", type=click.IntRange(2, 250))
@click.option("--name", default=NAME, show_default=True, help="Name of the lab.")
@click.option("--rate", default="", metavar="100mbit", help="Bandwidth limit per node.")
@click.option("--loss", default="", metavar="1%", help="Share of packets lost at random.")
@click.option("--delay", default="", metavar="2ms", help="Delay from any node to any other.")
@click.option("--jitter", default="", metavar="0.2ms", help="Maximum deviation from the delay.")
@click.option(
    "--check/--no-check",
    default=True,
    show_default=True,
    help="Measure the links and compare them with the options.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the lab as JSON.")
def up(
    nodes: int, name: str, rate: str, loss: str, delay: str, jitter: str, check: bool, as_json: bool
) -> None:
    """Create a lab with NODES nodes. It stays until `busmark lab down`.

    Exit code 1 if the links do not match the options.
    """
    from busmark.links import links
    from busmark.plugins.lab.check import measure
    from busmark.plugins.lab.lab import set_up

    lab = set_up(name, nodes, links(rate, loss, delay, jitter), owned=False)
    measured = measure(lab) if check else None
    departures = measured.departures(lab) if measured else []
    if as_json:
        document = _document(lab)
        document |= {"measured": measured and measured.model_dump(), "departures": departures}
        echo(json.dumps(document, indent=2))
    else:
        _show(lab, measured)
    for departure in departures:
        echo(f"not as asked for: {departure}", err=True)
    sys.exit(1 if departures else 0)


@command.command(epilog="Example: busmark lab down")
@click.argument("name", default=NAME)
def down(name: str) -> None:
    """Remove the lab NAME. Processes on its nodes keep running, without a network."""
    from busmark.plugins.lab.lab import lay_down

    lab = lay_down(name)
    echo(f"{name}: {lab.size} nodes are gone")


@command.command("list", epilog="Example: busmark lab list")
@click.option("--json", "as_json", is_flag=True, help="Print the labs as JSON.")
def listed(as_json: bool) -> None:
    """List the labs of this machine. Exit code 1 if one does not work."""
    from busmark.plugins.lab.lab import labs

    found = labs()
    if as_json:
        echo(json.dumps([_document(lab) for lab in found], indent=2))
    elif found:
        show(_table(found))
    else:
        echo("no lab; make one with `busmark lab up 4`")
    sys.exit(1 if any(lab.complaint for lab in found) else 0)


def _table(labs: Sequence[Lab]) -> Document:
    from busmark.present.document import Cell, Column, Document, Row, Section, Table

    columns = [
        Column("Lab", [Cell(lab.name) for lab in labs], "label"),
        Column("Nodes", [Cell(lab.size) for lab in labs], "count"),
        Column("Links", [Cell(str(lab.links)) for lab in labs]),
        Column("Since, UTC", [Cell(lab.created_utc[:16].replace("T", " ")) for lab in labs]),
    ]
    if any(lab.complaint for lab in labs):
        remedy = "remove it with `busmark lab down {}`"
        complaints = [
            Cell(f"{lab.complaint}: {remedy.format(lab.name)}" if lab.complaint else "")
            for lab in labs
        ]
        columns.append(Column("Fault", complaints))
    return Document("Labs", [], [Section("", [Table(columns, [Row() for _ in labs])])])


def _document(lab: Lab) -> dict[str, Any]:
    nodes = [
        {"node": node, "address": lab.address(node), "prefix": " ".join(lab.prefix(node))}
        for node in lab.nodes
    ]
    return {
        "name": lab.name,
        "links": lab.links.model_dump(),
        "created_utc": lab.created_utc,
        "complaint": lab.complaint,
        "nodes": nodes,
    }


def _show(lab: Lab, measured: LinkMeasurement | None) -> None:
    from busmark.present.document import Cell, Column, Document, Row, Section, Table

    columns = [
        Column("Node", [Cell(node) for node in lab.nodes], "label"),
        Column("Address", [Cell(lab.address(node)) for node in lab.nodes]),
        Column("Prefix of a command", [Cell(" ".join(lab.prefix(node))) for node in lab.nodes]),
    ]
    sections = [Section("", [Table(columns, [Row() for _ in lab.nodes], key="nodes")])]
    if measured:
        sections.append(measured_section(lab.nodes[0], lab.nodes[-1], measured))
    lines = [str(lab.links), f"Remove it with: busmark lab down {lab.name}"]
    show(Document(f"{lab.name}: {lab.size} nodes", lines, sections))


def measured_section(source: str, destination: str, measured: LinkMeasurement) -> Section:
    """Return what was measured between two nodes."""
    from busmark.present.document import Cell, Column, Row, Section, Table

    median, p99 = measured.round_trip_median_s, measured.round_trip_p99_s
    columns = [
        Column("From, to", [Cell(f"{source} → {destination}")], "label"),
        Column("UDP", [Cell(measured.rate_bit_s / 1e6)], "number", "Mbit/s"),
        Column("Lost", [Cell(measured.loss, *measured.loss_interval)], "figure", "1"),
        Column("Datagrams", [Cell(measured.datagrams)], "count"),
        Column("Median", [Cell(median * 1e9)], "number", "ns", group="Round trip"),
        Column("p99", [Cell(p99 * 1e9)], "number", "ns", group="Round trip", scale="Median"),
        Column("Count", [Cell(measured.round_trips)], "count", group="Round trip"),
    ]
    return Section("LinkMeasurement", [Table(columns, [Row()], key="measured")])
