"""Quantities of captures: what passed the wire, and how much of it was captured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from busmark import stats
from busmark.model.entry import (
    Compared,
    Cost,
    EstimatedQuantity,
    Explained,
    Number,
    Row,
)

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary
    from busmark.model.figure import Figure
    from busmark.model.parameters import Parameters
    from busmark.plugins.capture.route import CaptureCase

HEADER_BYTES = 64
TESTS = ("latency", "throughput")
NO_CAPTURE = "no round has a capture that was evaluated"


def _capture(case: CaseSummary) -> CaptureCase | None:
    return case.plugins.get("capture")


def _cost(name: str) -> Callable[[CaseSummary], Figure | None]:
    """Return the function that takes this cost from a case."""

    def pick(case: CaseSummary) -> Figure | None:
        found = _capture(case)
        return getattr(found.wire, name) if found and found.wire else None

    return pick


def compared(
    name: str,
    word: str,
    of_round: Any,
    unit: str,
    tests: Any = TESTS,
    cost: Cost | None = None,
) -> Compared:
    """Return how a cost is compared: less is better."""
    return Compared(
        name=name,
        word=word,
        tests=tests,
        more="sends more",
        less="sends less",
        otherwise=NO_CAPTURE,
        of_round=of_round,
        unit=lambda params: unit,
        optional=True,
        cost=cost,
    )


def explained(
    name: str, fields: tuple[str, ...], definition: str, formula: str, cannot: str
) -> Explained:
    """Return the part of the reference on a quantity of the wire."""
    return Explained(
        name,
        fields,
        definition,
        f"{formula}; median over rounds",
        "captures; `wire` and `cases`",
        cannot,
        section="Wire",
    )


def per_sample(column: str, row: Row) -> float | None:
    """Divide a count of the measured time by the samples that passed the wire in it."""
    samples: int | None = row.get("wire_samples")
    count: int | None = row.get(column)
    return count / samples if samples and count is not None else None


def share(column: str, row: Row) -> float | None:
    """Return bytes as a share of all bytes of the measured time; None where either is not known."""
    whole: int | None = row.get("wire_bytes")
    part: int | None = row.get(column)
    return part / whole if whole and part is not None else None


def least_bytes(params: Parameters) -> int | None:
    """Return the bytes of one copy of a sample's header and body; None where sizes vary."""
    size = params.size
    return None if size is None or params.size_distribution else HEADER_BYTES + size


def overhead(row: Row, params: Parameters) -> float | None:
    """Return the share of bytes beyond one header and body per sample; None where sizes vary, and
    where the bytes do not hold them."""
    least, each = least_bytes(params), per_sample("wire_bytes", row)
    # Fewer bytes than were written: packets are missing, and what is missing has no share.
    return None if least is None or not each or each < least else 1.0 - least / each


WIRE_BYTES = EstimatedQuantity(
    key="wire_bytes_per_sample",
    unit="B",
    meaning="bytes on the wire of the measured time, for each sample that passed it",
    needs="capture",
    pick=_cost("bytes_per_sample"),
    compared=compared(
        "wire_bytes",
        "bytes on the wire per sample",
        lambda row, params: per_sample("wire_bytes", row),
        "B",
        cost=Cost("bytes", "Wire bytes per sample"),
    ),
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
            "Answers of a broker are not distinguished from other packets without a sample.",
        ),
    ),
)


WIRE_PACKETS = EstimatedQuantity(
    key="wire_packets_per_sample",
    unit="",
    meaning="packets of the measured time, for each sample that passed the wire",
    needs="capture",
    pick=_cost("packets_per_sample"),
    compared=compared(
        "wire_packets",
        "packets per sample",
        lambda row, params: per_sample("wire_packets", row),
        "",
        cost=Cost("packets", "Wire packets per sample"),
    ),
)

WIRE_OVERHEAD = EstimatedQuantity(
    key="wire_overhead_share",
    unit="1",
    within=stats.SHARE,
    meaning="share of bytes on the wire beyond one copy of each sample's header and body; "
    "null where sizes vary",
    needs="capture",
    pick=_cost("overhead_share"),
    explained=(
        explained(
            "Overhead on the wire",
            ("overhead_share",),
            "The share of bytes on the wire that one copy of what the application wrote "
            "does not need.",
            "1 − samples · (64 + size) / bytes",
            "What of it a larger body would share: it is of this size.",
        ),
    ),
)

WIRE_CONTROL = EstimatedQuantity(
    key="wire_control_share",
    unit="1",
    within=stats.SHARE,
    meaning="share of bytes on the wire in packets that only say what was sent or has come: "
    "heartbeats, acknowledgements, gaps, bare acknowledgements of TCP",
    needs="capture",
    pick=_cost("control_share"),
    explained=(
        explained(
            "Heartbeats and acknowledgements",
            ("control_share",),
            "Packets that carry no sample and only say what was sent, has come or is missing.",
            "their bytes / all bytes of the measured time",
            "Heartbeats and acknowledgements that travel with a sample: such a packet "
            "carries data.",
        ),
    ),
)

WIRE_REPEATED = EstimatedQuantity(
    key="wire_repeated_share",
    unit="1",
    within=stats.SHARE,
    meaning="share of bytes on the wire that went the same way before",
    needs="capture",
    pick=_cost("repeated_share"),
    explained=(
        explained(
            "Sent again",
            ("repeated_share",),
            "Packets with bytes of TCP, or samples of DDS, that passed the same way before.",
            "their bytes / all bytes of the measured time",
            "Why they were sent again.",
        ),
    ),
)


def _wire_discovery_of_round(row: Row, params: Parameters) -> float | None:
    value: float | None = row.get("wire_discovery_bytes")
    return value


WIRE_DISCOVERY = EstimatedQuantity(
    key="wire_discovery_bytes",
    unit="B",
    meaning="bytes on the wire for discovery and liveliness of DDS, in a whole round",
    needs="capture",
    pick=_cost("discovery_bytes"),
    compared=compared(
        "discovery_bytes",
        "bytes of discovery",
        _wire_discovery_of_round,
        "B",
        ("latency", "throughput", "discovery"),
    ),
    explained=(
        explained(
            "Discovery on the wire",
            ("discovery_bytes", "discovery_packets"),
            "Packets of the built-in endpoints of DDS, without a sample: participants and "
            "endpoints that announce themselves, and their liveliness, from the first participant "
            "to the last.",
            "bytes and packets of a round",
            "A price per time: a longer round has more announcements.",
        ),
    ),
)

WIRE_DISCOVERY_PACKETS = EstimatedQuantity(
    key="wire_discovery_packets",
    unit="",
    meaning="packets for discovery and liveliness of DDS, in a whole round",
    needs="capture",
    pick=_cost("discovery_packets"),
)

CAPTURED = Number(
    key="captured",
    meaning="packets captured in the rounds that count, on all interfaces; null: none asked",
    needs="capture",
    pick=lambda case: found.captured if (found := _capture(case)) else None,
)

CAPTURE_DROPPED = Number(
    key="capture_dropped",
    meaning="packets missing in the captures: dropped by the kernel's buffer, by the interface, or "
    "by dumpcap",
    needs="capture",
    pick=lambda case: found.capture_dropped if (found := _capture(case)) else None,
)

OF_CASES = (
    CAPTURED,
    CAPTURE_DROPPED,
    WIRE_BYTES,
    WIRE_PACKETS,
    WIRE_OVERHEAD,
    WIRE_CONTROL,
    WIRE_REPEATED,
    WIRE_DISCOVERY,
    WIRE_DISCOVERY_PACKETS,
)
"""Quantities in the order of tables."""
