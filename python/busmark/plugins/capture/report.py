"""Captures in the report of a campaign: in the details of a case, and as charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.model.case import CaseSummary
from busmark.plugins.capture.quantities import HEADER_BYTES, WIRE_BYTES
from busmark.plugins.capture.route import CaptureCase, Wire
from busmark.present.blocks.rows import Field, listing, properties
from busmark.present.charts import cases
from busmark.present.charts.shapes import Bars
from busmark.present.document import Section, Table

if TYPE_CHECKING:
    from busmark.present.charts.kinds import ChartKind

WIRE = (
    ("bytes per sample", "bytes_per_sample", "B"),
    ("packets per sample", "packets_per_sample", ""),
    ("overhead: share beyond header and body", "overhead_share", "1"),
    ("share of heartbeats and acknowledgements", "control_share", "1"),
    ("share sent again", "repeated_share", "1"),
    ("discovery in a round, bytes", "discovery_bytes", "B"),
    ("discovery in a round, packets", "discovery_packets", ""),
)

PURPOSES = {
    "data": "samples",
    "retransmission": "sent again",
    "handshake": "handshake",
    "discovery": "discovery of DDS",
    "encrypted": "encrypted, contents unknown",
    "heartbeat": "heartbeats",
    "acknowledgement": "acknowledgements",
    "gap": "gaps",
    "tcp_acknowledgement": "bare acknowledgements of TCP",
    "other": "others",
    "foreign": "DDS of others, not counted",
    "unattributed": "other connections, not counted",
}
OF_OTHERS = ("foreign", "unattributed")
"""Purposes of packets that are not a cost of samples of the run."""


def sections(found: CaptureCase) -> Iterator[Section]:
    """Yield what passed the wire."""
    if found.wire:
        yield Section("On the wire", [*_tables(found.wire)])


def _tables(found: Wire) -> Iterator[Table]:
    """Yield costs of a sample; then packets and bytes by what they were for."""
    note = (
        "From the packets of each round's capture, headers of the link included. A sample counts "
        "once, a pong too; its packets count on every hop, and those captured at both ends of a "
        "link once."
    )
    yield properties([(name, unit, [getattr(found, key)]) for name, key, unit in WIRE], note=note)
    whole = sum(one.bytes for one in found.purposes if one.name not in OF_OTHERS)
    fields = (
        Field("Packets for", lambda one: PURPOSES.get(one.name, one.name)),
        Field("Measured time", "packets"), Field("Their bytes", "bytes"),
        Field("Share of all bytes", lambda one: one.bytes / whole
              if one.name not in OF_OTHERS and whole else None, "1"),
        Field("Whole rounds", "round_packets"),
        Field("Bytes", "round_bytes"),
    )  # fmt: skip
    yield listing(found.purposes, fields, "What the packets were for")


def charts() -> tuple[ChartKind, ...]:
    """Return the charts of what passed the wire."""
    return _wire("latency"), _wire("throughput")


def _wire(test: str) -> ChartKind:
    # It asks for these charts while it is imported.
    from busmark.present.charts.kinds import ChartKind

    def written(case: CaseSummary) -> float | None:
        """Return what the application wrote; sizes that vary have no such number."""
        varies = case.size is None or case.params.size_distribution
        return None if varies else float(HEADER_BYTES + (case.size or 0))

    return ChartKind(
        f"{test}-wire",
        "Bytes on the wire per sample",
        test,
        f"{test} cases with a capture",
        WIRE_BYTES.figure,
        cases.intervals(
            WIRE_BYTES.figure,
            "bytes on the wire per sample, B",
            mark="header and body",
            mark_of=written,
        ),
        shape=Bars,
        figures=("wire_bytes_per_sample", "captured", "rounds"),
        explanation="Includes headers, acknowledgements, heartbeats, retransmissions and the "
        "traffic that brokers forward.",
    )
