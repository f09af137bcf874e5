"""Bytes on the wire for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Estimate, Heading, Row
from busmark.analysis.catalogue.on_the_wire import compared, explained, per_sample


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    return per_sample("wire_bytes", row)


_HEADING = Heading("Wire bytes per sample", minor=True, last=True, interval=False)

FIGURE = Estimate(
    key="wire_bytes_per_sample",
    unit="B",
    meaning="bytes on the wire of the measured time, for each sample that passed it",
    pick=lambda case: case.wire.bytes_per_sample if case.wire else None,
    tables={"latency": _HEADING, "throughput": _HEADING},
    summary="Wire bytes per sample",
    compared=compared("wire_bytes", "bytes on the wire per sample", _of_round, "B"),
    explained=(
        explained(
            "Bytes and packets on the wire, per sample",
            ("bytes_per_sample", "packets_per_sample"),
            "All packets of the run that passed the captured interfaces in the measured time, "
            "until its last sample was read, with headers of the link, acknowledgements, "
            "heartbeats, repetitions and discovery, for each different sample in them. Pongs count "
            "as pings do. A packet that was captured at both ends of a link counts once. A sample "
            "that is sent to several readers one by one, or by way of a broker, counts once, its "
            "packets each time. Where no sample can be recognised, as in encrypted packets, those "
            "that were written and answered count, if the packets could hold them; else, as with "
            "shared memory, the figure is absent.",
            "bytes of the packets / different samples in them; packets likewise",
            "Traffic that the capture's filter leaves out. On loopback a packet may have 64 KiB: "
            "on another link it would be several.",
        ),
        explained(
            "Purposes",
            ("purposes", "samples"),
            "Packets and bytes by what they were for. A packet is counted once, by the first of: a "
            "sample, something sent again, discovery, heartbeat, acknowledgement, gap, bare "
            "acknowledgement of TCP, anything else. Foreign is RTPS of participants that never "
            "spoke with participants of the run; it is in no other figure.",
            "sums over the rounds that count",
            "Answers of a broker are not told apart from other packets without a sample.",
        ),
    ),
)
