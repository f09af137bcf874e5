"""Wire costs by a round's row in the table `cases`, for the figures about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Compared, Explained, Row

HEADER_BYTES = 64
TESTS = ("latency", "throughput")
NO_CAPTURE = "no round has a capture that was evaluated"


def compared(name: str, word: str, of_round: Any, unit: str, tests: Any = TESTS) -> Compared:
    """How a cost is compared: less is better."""
    return Compared(
        name=name, word=word, tests=tests, more="sends more", less="sends less",
        otherwise=NO_CAPTURE, of_round=of_round, unit=lambda params: unit,
        optional=True,
    )  # fmt: skip


def explained(name: str, fields: tuple[str, ...], definition: str, formula: str,
              cannot: str) -> Explained:  # fmt: skip
    """A part of the reference."""
    return Explained(
        name, fields, definition, f"{formula}; median over rounds", "captures; `wire` and `cases`",
        cannot,
        section="Wire",
    )  # fmt: skip


def per_sample(column: str, row: Row) -> float | None:
    """A count of the measured time, for each sample that passed the wire in it."""
    samples: int | None = row.get("wire_samples")
    count: int | None = row.get(column)
    return count / samples if samples and count is not None else None


def share(column: str, row: Row) -> float | None:
    """Bytes as a share of all bytes of the measured time."""
    whole: int | None = row.get("wire_bytes")
    part: int | None = row.get(column)
    return part / whole if whole and part is not None else None


def overhead(row: Row, params: Mapping[str, Any]) -> float | None:
    """Share of bytes beyond one copy of each sample's header and body; None where sizes vary."""
    size: Any = params.get("size")
    each = per_sample("wire_bytes", row)
    if not isinstance(size, int) or params.get("size_distribution") or not each:
        return None
    return 1.0 - (HEADER_BYTES + size) / each
