"""A capture in the rows of the paper: a column for each way of samples through hops."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from busmark.errors import UserError
from busmark.plugins.capture.analysis import analyse, check_readable
from busmark.plugins.capture.model import Analysis, Hop, Spread, Way
from busmark.plugins.papers.blocks import tables
from busmark.plugins.papers.document import Columns, GroupedTable, fixed
from busmark.plugins.papers.xrce_2022 import published
from busmark.plugins.papers.xrce_2022.statements import CONDITION
from busmark.plugins.papers.xrce_2022.tables import (
    NOTE_EQ2,
    NS_IN_MS,
    TITLES,
    printed,
    spread_rows,
    transposed,
)
from busmark.present.document import Cell, Document, Section, Text

OTHER = "other ways"
NO_L = (
    "nothing confirms these samples, and the capture has no time of the application; --application "
    "names a file with its stamps"
)
NOTE = (
    "L is the time from the data packet to the confirmation on the last hop; where nothing "
    "confirms, the application's time, which a capture alone does not have. Eq. 2 needs an L. "
    "A capture does not say which packets were of one test: a column has all samples "
    "of a way. “L less application”, “First lost” and “Rounds” are rows of results alone."
)
NOTE_LENGTHS = (
    "Sent are samples on the first hop, received are samples on the last: what the application "
    "wrote and read has no packet."
)


class CapturedWay(NamedTuple):
    """A way of samples, with its hops and the application's time."""

    way: Way
    hops: list[Hop]
    application: Spread | None

    @property
    def name(self) -> str:
        """Heading of its column."""
        client = next((hop for hop in self.hops if hop.protocol == "xrce"), self.hops[0])
        stream = "reliable" if "reliable" in (client.stream or "") else "best_effort"
        known = CONDITION.get((client.transport, stream)) if client.stream else None
        condition = known or client.transport.upper()
        return f"{condition} {self.way.entered}p, {' → '.join(self.way.hops)}"

    @property
    def deployment(self) -> int | None:
        """The paper's number: by the protocols of the hops, and whether both clients have one
        agent."""
        protocols = [hop.protocol for hop in self.hops]
        if len(protocols) < 2 or protocols[-1] != "xrce":
            return None
        if protocols[0] == "rtps":
            return 1
        return 3 if self.hops[0].destination == self.hops[-1].source else 2

    @property
    def latency(self) -> published.Spread | None:
        """L, in ms."""
        of = self.way.confirmed or self.application
        if of is None:
            return None
        deviation = None if of.std_ns is None else of.std_ns / NS_IN_MS
        return published.Spread(
            of.min_ns / NS_IN_MS,
            of.max_ns / NS_IN_MS,
            of.mean_ns / NS_IN_MS,
            deviation,
            of.variance_ms2,
        )

    @property
    def throughput(self) -> published.Spread | None:
        """Throughput by Eq. 2, in Mbit/s, where there is an L: of the capture, or of the
        application."""
        of = None if self.way.eq2_until == "data" else self.way.eq2_mbit_s
        if of is None:
            return None
        variance = None if of.std is None else of.std**2
        return published.Spread(of.min, of.max, of.mean, of.std, variance)


def _median(spread: Spread | None) -> Cell:
    return fixed(spread.median_ns / NS_IN_MS if spread else None, 3)


def _bits(of: CapturedWay) -> float | None:
    return of.way.bytes_per_sample.mean * 8 if of.way.bytes_per_sample else None


MEASURED: tuple[tuple[str, Columns[CapturedWay], str], ...] = (
    ("Latency", {
        **spread_rows("ms", lambda of: of.latency),
        "Median (ms)": lambda of: _median(of.way.confirmed or of.application),
        "L until": lambda of: of.way.confirmed_by
        or ("application" if of.application else Cell(note=NO_L)),
        "Data packet to data packet, median (ms)": lambda of: _median(of.way.latency),
        "Application, median (ms)": lambda of: _median(of.application),
    }, NOTE),
    ("Throughput by Eq. 2", {
        **spread_rows("Mbps", lambda of: of.throughput),
        "Goodput (Mbps)": lambda of: fixed(of.way.goodput_mbit_s, 3),
    }, NOTE_EQ2),
    ("Packet lengths", {
        "Avg. (bit)": _bits,
        "Total (bit)": lambda of: round((_bits(of) or 0) * of.way.arrived) or None,
        "Hops": lambda of: " → ".join(hop.protocol.upper() for hop in of.hops),
        "Number of Sent": lambda of: of.way.entered,
        "Number of Recv.": lambda of: of.way.arrived,
    }, NOTE_LENGTHS),
)  # fmt: skip


def of_file(file: Path, application: Path | None = None) -> Document:
    """Return the document of a capture, with the stamps of its application where there are any."""
    analysis = analyse(file, application=application)
    check_readable(analysis)
    return document(analysis)


def document(analysis: Analysis) -> Document:
    """Return the tables of each deployment that was captured, then the paper's.

    Raises:
        UserError: no sample was followed over several hops.
    """
    hops = {hop.name: hop for hop in analysis.hops}
    beside = analysis.application
    groups: dict[int | None, list[CapturedWay]] = {}
    for way in analysis.ways:
        same = beside is not None and beside.hops == way.hops
        latency = beside.latency if beside and same else None
        one = CapturedWay(way, [hops[name] for name in way.hops], latency)
        groups.setdefault(one.deployment, []).append(one)
    if not groups:
        raise UserError(
            "no sample was followed over several hops, which all columns of the paper need",
            where=analysis.file,
            remedy="`busmark capture analyse` shows what it has.",
        )
    found: list[GroupedTable] = []
    for where, own in groups.items():
        group = TITLES[where] if where else OTHER
        found += [transposed(group, title, rows, own, note) for title, rows, note in MEASURED]
    found += [each for where in sorted(filter(None, groups)) for each in printed(where)]
    remarks = [Text("line", {"line": remark}, "warning") for remark in analysis.remarks]
    sections = [Section("Remarks", remarks)] if remarks else []
    title = f"{Path(analysis.file).name} in the columns of xrce-2022"
    return Document(title, [], [*sections, *tables(found)], kind="capture")
