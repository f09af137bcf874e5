"""Samples followed over several hops, by their payload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from busmark.plugins.capture.figures import (
    NONE,
    Times,
    between,
    difference,
    present,
    range_of,
    spread,
    taken,
)
from busmark.plugins.capture.model import Segment, Way
from busmark.plugins.capture.samples import Samples

MOST_LISTED = 100
"""Missing samples of a way that are listed."""

Named = tuple[str, Samples]
Confirmation = Literal["ACKNACK", "TCP"]
Until = Literal["ACKNACK", "TCP", "application", "data"]


def ways(hops: Sequence[Named], until: Confirmation | None = None) -> list[Way]:
    """Return the ways from each hop at which samples enter, to each at which they leave; L ends at
    the ACKNACK, or at TCP's acknowledgement where there is none."""
    return [_way(path, until) for path in paths(hops)]


def paths(hops: Sequence[Named]) -> list[list[Named]]:
    """Return the hops of each way."""
    alike = Counter(_stage(of) for _, of in hops)

    def shares(one: Named, other: Named) -> bool:
        """Return whether samples went from one to the other. Only the length of payloads that are
        cut off is known: that is enough where the capture has each message, and one hop of each
        kind."""
        if one[1].run != other[1].run or not (_matched(one[1], other[1]) >= 0).any():
            return False
        if not _cut_off(one[1], other[1]):
            return True
        return all(of.whole and alike[_stage(of)] == 1 for of in (one[1], other[1]))

    written = [hop for hop in hops if hop[1].kind == "WRITE_DATA"]
    inner = [hop for hop in hops if hop[1].protocol == "rtps"]
    read = [hop for hop in hops if hop[1].protocol == "xrce" and hop[1].kind == "DATA"]
    fed = [hop for hop in inner if any(shares(entry, hop) for entry in written)]
    entries = [*written, *(hop for hop in inner if hop not in fed)]
    found: list[list[Named]] = []
    for entry in entries:
        middles = [hop for hop in fed if shares(entry, hop)]
        leaving = [hop for hop in read if shares(entry, hop)]
        for last in leaving:
            through = [hop for hop in middles if shares(hop, last)]
            found += [[entry, hop, last] for hop in through] or [[entry, last]]
        if not leaving:
            found += [[entry, hop] for hop in middles]
    return sorted(found, key=lambda way: way[0][1].run)


def _stage(of: Samples) -> tuple[int, str, str]:
    return of.run, of.protocol, of.kind


def _cut_off(one: Samples, other: Samples) -> bool:
    """Return whether the snap length leaves payloads without an end."""
    return bool(one.hashes.null_count() or other.hashes.null_count())


def _matched(one: Samples, other: Samples) -> Times:
    """Return for each sample of one its index at the other, or -1: the same payload, not earlier.

    Payloads that are there several times keep their order, as many of them as can: the last one at
    the other is the last at one before it, and so on backwards. Where a snap length cut payloads
    off, their length stands for them.
    """
    cut_off = _cut_off(one, other)

    def keyed(samples: Samples) -> pl.DataFrame:
        payload = samples.payload.cast(pl.UInt64) if cut_off else samples.hashes
        frame = {"at": samples.times, "payload": payload, "index": np.arange(len(samples.times))}
        return pl.DataFrame(frame).sort("at", maintain_order=True)

    found: Times = np.full(len(one.times), -1)
    entered, left = keyed(one), keyed(other)
    if entered["payload"].is_duplicated().any():
        places: dict[Any, list[tuple[int, int]]] = {}
        for at, payload, index in entered.iter_rows():
            places.setdefault(payload, []).append((at, index))
        for at, payload, index in reversed(left.rows()):
            waiting = places.get(payload, [])
            while waiting and waiting[-1][0] > at:
                waiting.pop()
            if waiting:
                found[waiting.pop()[1]] = index
        return found
    joined = (
        left.join(entered, on="payload", suffix="_one", maintain_order="left")
        .filter(pl.col("at") >= pl.col("at_one"))
        .unique("index_one", keep="first", maintain_order=True)
    )
    found[joined["index_one"].to_numpy()] = joined["index"].to_numpy()
    return found


def followed(hops: Sequence[Named]) -> list[Times]:
    """Return for each hop of a way the index there of each sample of its first hop, or -1."""
    first = hops[0][1]
    indexes = [np.arange(len(first.times))]
    for before, after in pairwise(hops):
        step = _matched(before[1], after[1])
        at = indexes[-1]
        indexes.append(np.where(at >= 0, step[np.maximum(at, 0)], -1))
    if len(hops) == 3:
        # A sample may be delivered although the capture lacks the hop between.
        direct = _matched(first, hops[2][1])
        indexes[2] = np.where(indexes[2] >= 0, indexes[2], direct)
    return indexes


def _way(hops: Sequence[Named], until: Confirmation | None) -> Way:
    indexes = followed(hops)
    first, last = hops[0][1], hops[-1][1]
    arrived = indexes[-1] >= 0
    confirmed = {
        by: between(first.times, taken(times, indexes[-1]))
        for by, times in confirmations(last, until)
    }
    by = next((by for by, times in confirmed.items() if len(times)), None)
    latency = between(first.times, taken(last.times, indexes[-1]))
    wire = bytes_on_all(hops, indexes)
    whole = np.isfinite(wire)
    eq2_until, spans = _spans(hops, indexes, whole, until)
    return Way(
        run=first.run,
        hops=[name for name, _ in hops],
        entered=len(first.times),
        arrived=int(arrived.sum()),
        missing=[int(number) + 1 for number in np.flatnonzero(~arrived)[:MOST_LISTED]],
        latency=spread(latency),
        segments=[_segment(hops, indexes, number) for number in range(len(hops) - 1)],
        confirmed=None if by is None else spread(confirmed[by]),
        confirmed_by=by,
        bytes_per_sample=range_of(wire[whole]),
        eq2_mbit_s=range_of(eq2(wire, spans)),
        eq2_until=eq2_until,
        goodput_mbit_s=_goodput(last, indexes[-1][arrived]),
    )


def confirmations(last: Samples, until: Confirmation | None) -> list[tuple[Confirmation, Times]]:
    """Return what may end L, the first first."""
    both: list[tuple[Confirmation, Times]] = [
        ("ACKNACK", last.confirmed),
        ("TCP", last.acknowledged),
    ]
    return [(by, times) for by, times in both if until in (None, by)]


def _segment(hops: Sequence[Named], indexes: list[Times], number: int) -> Segment:
    (source, before), (destination, after) = hops[number], hops[number + 1]
    begin = taken(before.times, indexes[number])
    # The first byte on the next hop, as the time before its last is that hop's own.
    times = between(begin, taken(after.begun, indexes[number + 1]))
    return Segment(
        source=source, destination=destination, samples=len(times), latency=spread(times)
    )


def eq2(wire: np.ndarray, spans: Times) -> np.ndarray:
    """Divide the bits on all hops by these times, in Mbit/s; without those that are not there."""
    there = present(spans) & np.isfinite(wire) & (spans > 0)
    rates: np.ndarray = wire[there] * 8e3 / spans[there]
    return rates


def _spans(
    hops: Sequence[Named], indexes: list[Times], whole: np.ndarray, until: Confirmation | None
) -> tuple[Until | None, Times]:
    """Return what ends the times by which Eq. 2 divides, and these of the samples that each hop
    has: L, or the time to the last data packet where nothing confirms."""
    first, last = hops[0][1], hops[-1][1]
    ends: list[tuple[Until, Times]] = [*confirmations(last, until), ("data", last.times)]
    for by, times in ends:
        spans = np.where(whole, difference(first.times, taken(times, indexes[-1])), NONE)
        if (present(spans) & (spans > 0)).any():
            return by, spans
    return None, np.full(len(whole), NONE)


def bytes_on_all(hops: Sequence[Named], indexes: Sequence[Times]) -> np.ndarray:
    """Return the length of the packets of each sample of the first hop on all hops; NaN where one
    of them does not have it."""
    found = np.zeros(len(indexes[0]))
    for (_, hop), index in zip(hops, indexes, strict=True):
        found += np.where(index >= 0, hop.wire.to_numpy()[np.maximum(index, 0)], np.nan)
    return found


def _goodput(last: Samples, index: Times) -> float | None:
    if len(index) < 2:
        return None
    times = last.times[index]
    span = int(times.max() - times.min())
    # The first sample opens the time, and does not count.
    payload = float(last.payload.to_numpy()[index].sum()) * (len(index) - 1) / len(index)
    return payload * 8e3 / span if span > 0 else None
