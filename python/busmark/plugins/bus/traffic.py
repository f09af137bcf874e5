"""Samples on a bus by their packets: of every writer, foreign ones included, how many came, how
often and how large. Nobody joins for it, and no type need be known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from busmark.plugins.bus.caller import Message
    from busmark.plugins.bus.found import Found

NS = 1e9


@dataclass(frozen=True)
class Sent:
    """Samples of one writer that were seen."""

    samples: int
    """With different numbers."""
    rate_hz: float | None
    """From the first to the last of them; None: fewer than two."""
    least_bytes: int
    most_bytes: int
    """Serialised, without encapsulation."""
    missing: int
    """Numbers between the first and the last that no packet had."""

    last: bytes | None = field(default=None, repr=False)
    """The last whole sample as it was serialised, with its encapsulation, if it was asked for."""


FIGURES = ("samples", "rate_hz", "least_bytes", "most_bytes", "missing")


def sent(capture: Path, *, contents: bool = False) -> tuple[float, dict[str, Sent]]:
    """Seconds from the first packet of a capture to its last, and its samples by the GUIDs of their
    writers, as `entities` has keys of RTPS; with the last one of each if `contents`.

    Raises:
        UserError: the file cannot be read.
    """
    from busmark.plugins.capture.reading import read
    from busmark.plugins.capture.samples import all_samples

    packets = read(capture, contents=contents)
    prefixes = packets.summary["prefixes"]
    parts: dict[str, list[pl.DataFrame]] = {}
    pieces: set[str] = set()
    for each in all_samples(packets):
        if each.protocol == "rtps" and each.source is not None:
            columns = {"number": each.numbers, "time": each.times, "bytes": each.payload}
            guid = f"{prefixes[each.source]}{each.writer:08x}"
            parts.setdefault(guid, []).append(pl.DataFrame(columns))
            if each.fragmented:
                pieces.add(guid)
    seconds = ((packets.summary["last_ns"] or 0) - (packets.summary["first_ns"] or 0)) / NS
    last = {
        f"{prefixes[one['source']]}{one['writer']:08x}": bytes.fromhex(one["bytes"])
        for one in packets.summary.get("contents", ())
    }
    return seconds, {
        guid: replace(_sent(pl.concat(each), in_pieces=guid in pieces), last=last.get(guid))
        for guid, each in parts.items()
    }


def _sent(copies: pl.DataFrame, *, in_pieces: bool) -> Sent:
    """A sample goes to each reader that has an address of its own; the first copy counts. In
    fragments, the first and the last may have begun before the capture or ended after it."""
    each = copies.group_by("number").agg(pl.col("time").min(), pl.col("bytes").max())
    first, last = each.select(begin=pl.col("time").min(), end=pl.col("time").max()).row(0)
    low, high = each.select(low=pl.col("number").min(), high=pl.col("number").max()).row(0)
    inner = each.filter(pl.col("number").is_between(low, high, closed="none"))
    sizes = (inner if in_pieces and inner.height else each)["bytes"]
    least, most = int(sizes.min() or 0), int(sizes.max() or 0)  # type: ignore[arg-type]
    count, span_ns = each.height, last - first
    rate = (count - 1) / (span_ns / NS) if count > 1 and span_ns > 0 else None
    return Sent(count, rate, least, most, high - low + 1 - count)


def writers(found: Found, seen: dict[str, Sent]) -> list[Message]:
    """Writers that were discovered or seen, with what they sent. A writer without a packet has 0
    samples, one that was not announced no topic."""
    from busmark.plugins.bus.found import as_json

    lines = [one for one in as_json(found)["endpoints"] if one["kind"] == "writer"]
    announced = {one["key"] for one in lines}
    unknown = [{"key": key, "topic": None, "type_name": None, "whose": "not announced",
                "app": None, "group": None, "participant": key[:24], "qos": None}
               for key in sorted(seen.keys() - announced)]  # fmt: skip
    nothing = {**dict.fromkeys(FIGURES), "samples": 0}
    counted = {key: {name: getattr(one, name) for name in FIGURES} for key, one in seen.items()}
    return [{**one, **counted.get(one["key"], nothing)} for one in (*lines, *unknown)]
