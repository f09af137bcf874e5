"""Sheets of what was to be read and was, from the reader to the whole, and of the nodes' cost."""

from __future__ import annotations

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.case.levels import Level
from busmark.analysis.case.nodes import NodeCost
from busmark.analysis.model import Campaign, CaseSummary
from busmark.present.blocks.cases import label_title
from busmark.present.blocks.flows import level_name
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column, estimate

OfLevel = tuple[CaseSummary, Level]
OfNode = tuple[CaseSummary, NodeCost]

KILO = 1e3
MIB = 2**20


def sheets(book: Book, campaign: Campaign) -> None:
    """Both; none where no case has several participants."""
    _levels(book, campaign)
    _nodes(book, campaign)


def _levels(book: Book, campaign: Campaign) -> None:
    rows = [(case, level) for case in campaign.cases for level in case.levels]
    if not rows:
        return
    made = book.sheet(
        "Levels", "Expected and measured throughput", "what was to be read and was, by each "
        "reader, participant and node, and by all",
        note="Rates are means over the readers, participants or nodes, of a typical round; bytes "
             "are bodies. To be read: if every writer kept its rate and nothing was lost.",
    )  # fmt: skip
    columns: list[Column[OfLevel]] = [
        Column(label_title(campaign.cases), "text", lambda r: r[0].label, width=30),
        Column("Placement", "text", lambda r: placement_text(r[0].placement), width=18),
        Column("Of", "text", lambda r: level_name(
            r[1], mesh=r[0].params.topology == "mesh"), width=18),
        Column("How many", "count", lambda r: r[1].members),
        Column("Writers heard", "count", lambda r: r[1].writers),
        Column("To be read, 1/s", "rate", lambda r: r[1].theoretical_per_s),
        *estimate("Read, 1/s", "rate", lambda r: r[1].read_per_s),
        Column("To be read, kB/s", "rate", lambda r: _kilo(r[1].theoretical_bytes_per_s)),
        *estimate("Read, kB/s", "rate", lambda r: r[1].read_bytes_per_s, KILO),
        *estimate("Share read", "share", lambda r: r[1].share),
        Column("Least share", "share", lambda r: r[1].least.share if r[1].least else None),
        Column("Which one", "text", lambda r: r[1].least.name if r[1].least else None, width=32),
        Column("On node", "text", lambda r: r[1].least.node if r[1].least else None, width=9),
        Column("Below 98 %", "count", lambda r: r[1].short),
        Column("Expected", "count", lambda r: r[1].expected),
        Column("Received", "count", lambda r: r[1].received),
        Column("Lost", "count", lambda r: r[1].lost),
        Column("Case", "text", lambda r: r[0].id, width=30),
    ]  # fmt: skip
    table.write(made, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor)


def _nodes(book: Book, campaign: Campaign) -> None:
    rows = [(case, node) for case in campaign.cases for node in case.nodes]
    if not rows:
        return
    made = book.sheet(
        "Nodes", "CPU, memory and traffic of the nodes", "what a case cost each node, and all",
        note="Traffic is from counters of interfaces, with all headers and what carries no "
             "sample. Samples per packet: written over packets sent, computed from counters.",
    )  # fmt: skip
    columns: list[Column[OfNode]] = [
        Column(label_title(campaign.cases), "text", lambda r: r[0].label, width=30),
        Column("Placement", "text", lambda r: placement_text(r[0].placement), width=18),
        Column("Node", "text", lambda r: r[1].name, width=9),
        Column("Participants", "count", lambda r: r[1].participants),
        *estimate("CPUs busy", "plain", lambda r: r[1].cpu),
        Column("RAM, MiB", "rate", lambda r: _mib(r[1].rss_bytes)),
        *estimate("Written, 1/s", "rate", lambda r: r[1].written_per_s),
        *estimate("Sent, kB/s", "rate", lambda r: r[1].tx_bytes_per_s, KILO),
        *estimate("Packets sent, 1/s", "rate", lambda r: r[1].tx_packets_per_s),
        *estimate("Received, kB/s", "rate", lambda r: r[1].rx_bytes_per_s, KILO),
        *estimate("Packets received, 1/s", "rate", lambda r: r[1].rx_packets_per_s),
        *estimate("Samples per packet", "plain", lambda r: r[1].samples_per_packet),
        *estimate("Datagrams dropped, 1/s", "rate", lambda r: r[1].dropped_per_s),
        Column("Growth of a participant, KiB/min", "rate", lambda r: (
            r[1].growth.bytes_per_min / 1024 if r[1].growth else None)),
        Column("Case", "text", lambda r: r[0].id, width=30),
    ]  # fmt: skip
    table.write(made, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor)


def _kilo(value: float | None) -> float | None:
    return None if value is None else value / KILO


def _mib(value: int | None) -> float | None:
    return None if value is None else value / MIB
