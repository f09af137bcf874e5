"""Samples followed over several hops, by their payload."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from busmark.capture.figures import NONE, Times, between, range_of, spread
from busmark.capture.model import Segment, Way
from busmark.capture.samples import Samples

MOST_LISTED = 100
"""Missing samples of a way that are listed."""

Named = tuple[str, Samples]


def ways(hops: Sequence[Named]) -> list[Way]:
    """From each hop at which samples enter, to each at which they leave."""
    return [_way(path) for path in paths(hops)]


def paths(hops: Sequence[Named]) -> list[list[Named]]:
    """The hops of each way."""
    written = [hop for hop in hops if hop[1].kind == "WRITE_DATA"]
    inner = [hop for hop in hops if hop[1].protocol == "rtps"]
    read = [hop for hop in hops if hop[1].protocol == "xrce" and hop[1].kind == "DATA"]
    fed = [hop for hop in inner if any(_shares(entry, hop) for entry in written)]
    entries = [*written, *(hop for hop in inner if hop not in fed)]
    found: list[list[Named]] = []
    for entry in entries:
        middles = [hop for hop in fed if _shares(entry, hop)]
        leaving = [hop for hop in read if _shares(entry, hop)]
        for last in leaving:
            through = [hop for hop in middles if _shares(hop, last)]
            found += [[entry, hop, last] for hop in through] or [[entry, last]]
        if not leaving:
            found += [[entry, hop] for hop in middles]
    return found


def _shares(one: Named, other: Named) -> bool:
    """Whether samples went from one to the other."""
    return bool((_matched(one[1], other[1]) >= 0).any())


def _matched(one: Samples, other: Samples) -> Times:
    """For each sample of one, its index at the other, or -1: the same payload, not earlier. A
    payload that is there several times is taken for the last one before it."""

    def keyed(samples: Samples, name: str) -> pl.DataFrame:
        frame = {
            "at": samples.times,
            "payload": samples.hashes,
            name: np.arange(len(samples.times)),
        }
        return pl.DataFrame(frame).drop_nulls("payload").sort("at", maintain_order=True)

    joined = (
        keyed(other, "other")
        .join_asof(keyed(one, "one"), on="at", by="payload", strategy="backward",
                   check_sortedness=False)
        .drop_nulls("one")
        .unique("one", keep="first", maintain_order=True)
    )  # fmt: skip
    found: Times = np.full(len(one.times), -1)
    found[joined["one"].to_numpy()] = joined["other"].to_numpy()
    return found


def followed(hops: Sequence[Named]) -> list[Times]:
    """For each hop of a way, the index there of each sample of its first hop, or -1."""
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


def _way(hops: Sequence[Named]) -> Way:
    indexes = followed(hops)
    first, last = hops[0][1], hops[-1][1]
    arrived = indexes[-1] >= 0
    by_acknack, by_tcp = (
        between(first.times, _at(times, indexes[-1]))
        for times in (last.confirmed, last.acknowledged)
    )
    confirmed = by_acknack if len(by_acknack) else by_tcp
    latency = between(first.times, _at(last.times, indexes[-1]))
    whole = np.logical_and.reduce([each >= 0 for each in indexes])
    along = zip(hops, indexes, strict=True)
    bytes_each = np.sum([_wire(hop, each, whole) for (_, hop), each in along], axis=0)
    return Way(
        hops=[name for name, _ in hops],
        entered=len(first.times),
        arrived=int(arrived.sum()),
        missing=[int(number) + 1 for number in np.flatnonzero(~arrived)[:MOST_LISTED]],
        latency=spread(latency),
        segments=[_segment(hops, indexes, number) for number in range(len(hops) - 1)],
        confirmed=spread(confirmed),
        confirmed_by="ACKNACK" if len(by_acknack) else "TCP" if len(by_tcp) else None,
        bytes_per_sample=range_of(bytes_each),
        eq2_mbit_s=range_of(_eq2(hops, indexes, whole, bytes_each)),
        goodput_mbit_s=_goodput(last, indexes[-1][arrived]),
    )


def _at(times: Times, index: Times) -> Times:
    """These times; what has no index has none."""
    found: Times = np.where(index >= 0, times[np.maximum(index, 0)], NONE)
    return found


def _wire(hop: Samples, index: Times, whole: np.ndarray) -> np.ndarray:
    taken: np.ndarray = hop.wire.to_numpy()[index[whole]]
    return taken


def _segment(hops: Sequence[Named], indexes: list[Times], number: int) -> Segment:
    (source, before), (destination, after) = hops[number], hops[number + 1]
    begin = _at(before.times, indexes[number])
    # The first byte on the next hop, as the time before its last is that hop's own.
    times = between(begin, _at(after.begun, indexes[number + 1]))
    return Segment(
        source=source, destination=destination, samples=len(times), latency=spread(times)
    )


def _eq2(
    hops: Sequence[Named], indexes: list[Times], whole: np.ndarray, bytes_each: np.ndarray
) -> np.ndarray:
    """Bits of all hops by L; by the latency where nothing confirms."""
    first, last = hops[0][1], hops[-1][1]
    for times in (last.confirmed, last.acknowledged, last.times):
        ends = _at(times, indexes[-1])[whole]
        begin = first.times[whole]
        there = (ends != NONE) & (ends > begin)
        if there.any():
            rates: np.ndarray = bytes_each[there] * 8e3 / (ends - begin)[there]
            return rates
    return np.empty(0)


def _goodput(last: Samples, index: Times) -> float | None:
    if len(index) < 2:
        return None
    times = last.times[index]
    span = int(times.max() - times.min())
    # The first sample opens the time, and does not count.
    payload = float(last.payload.to_numpy()[index].sum()) * (len(index) - 1) / len(index)
    return payload * 8e3 / span if span > 0 else None
