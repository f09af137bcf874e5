"""Wire costs of one case, from the captures of its rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from busmark.analysis.figures import Figure, Frozen, over_rounds
from busmark.model.parameters import Parameters
from busmark.model.quantities import wire as costs


class Purpose(Frozen):
    """What packets were for, in the rounds that count."""

    name: str
    packets: int
    """In the measured time."""
    bytes: int
    """On the wire."""
    round_packets: int
    """In the whole rounds."""
    round_bytes: int


class Wire(Frozen):
    """Costs of a typical round: the median over rounds."""

    samples: int
    """Different samples that passed the wire in the measured time, in the rounds that count."""
    bytes_per_sample: Figure | None
    packets_per_sample: Figure | None
    overhead_share: Figure | None
    """Beyond one copy of each sample's header and body; null where sizes vary."""
    control_share: Figure | None
    """Heartbeats, acknowledgements and gaps."""
    repeated_share: Figure | None
    """Sent again."""
    discovery_bytes: Figure | None
    """In the whole round; null for middleware that is not DDS."""
    discovery_packets: Figure | None
    purposes: list[Purpose]


def wire(
    params: Parameters, rows: Sequence[Mapping[str, Any]], tables: Sequence[pl.DataFrame]
) -> Wire | None:
    """From the rounds that count, and their tables `wire`; None without a capture."""
    known = [row for row in rows if row.get("wire_samples") is not None]
    if not known:
        return None
    samples = sum(row["wire_samples"] for row in known)

    def figure(unit: str, values: list[float | None]) -> Figure | None:
        return over_rounds(values, unit, samples)

    return Wire(
        samples=samples,
        bytes_per_sample=figure("B", [costs.per_sample("wire_bytes", row) for row in known]),
        packets_per_sample=figure("", [costs.per_sample("wire_packets", row) for row in known]),
        overhead_share=figure("1", [costs.overhead(row, params) for row in known]),
        control_share=figure("1", [costs.share("wire_control_bytes", row) for row in known]),
        repeated_share=figure("1", [costs.share("wire_repeated_bytes", row) for row in known]),
        discovery_bytes=figure("B", [row.get("wire_discovery_bytes") for row in known]),
        discovery_packets=figure("", [row.get("wire_discovery_packets") for row in known]),
        purposes=_purposes(tables),
    )


def _purposes(tables: Sequence[pl.DataFrame]) -> list[Purpose]:
    if not tables:
        return []
    counts = {
        "packets": "window_packets", "bytes": "window_wire_bytes",
        "round_packets": "packets", "round_bytes": "wire_bytes",
    }  # fmt: skip
    sums = (
        pl.concat(tables)
        .group_by(pl.col("purpose").alias("name"), maintain_order=True)
        .agg(pl.col(column).sum().alias(name) for name, column in counts.items())
    )
    return [Purpose(**row) for row in sums.to_dicts()]
