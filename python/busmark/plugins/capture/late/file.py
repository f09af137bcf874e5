"""Why samples of a capture are late or lost, without a result: by their way over its hops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path as File

import numpy as np
import polars as pl

from busmark.plugins.capture.analysis import check_readable, described, gaps, read_samples
from busmark.plugins.capture.figures import NONE, Times, taken
from busmark.plugins.capture.late.explaining import OfRound, diagram, sent_again, together, why
from busmark.plugins.capture.late.model import Late, LateSamples, PacketShown, WayLimit
from busmark.plugins.capture.late.reading import read_file
from busmark.plugins.capture.late.trace import ChosenSamples, Path, Sample, Trace, capped, trace
from busmark.plugins.capture.late.wire import RELIABLE, Wire
from busmark.plugins.capture.reading import Packets
from busmark.plugins.capture.samples import Samples
from busmark.plugins.capture.ways import Confirmation, Named, followed, paths

FACTOR = 3
"""Late is what took more than this many times what the fastest sample of its way took …"""
LEAST_NS = 1_000_000
"""… and at least this much more; but never more than the latest 5 %, unless it was sent again."""
MOST_EXAMINED = 5_000
"""Late and lost samples of a way that are looked at: the lost first, then the latest."""
MOST_MISSING = 100_000
"""Numbers that no packet has, above which a writer began anew rather than lost them."""
ORDINARY = 100


def of_file(
    path: File,
    *,
    agent_ports: Sequence[int] = (),
    until: Confirmation | None = None,
    late_ns: int | None = None,
    diagrams: int = 0,
) -> LateSamples:
    """Explain the samples of a capture. Raise `UserError` where nothing can be read.

    Args:
        late_ns: latency above which a sample is late, in place of the rule.
        diagrams: of how many samples the packets are drawn, the lost first.
    """
    packets, named = read_samples(path, agent_ports)
    capture = described(path, packets, named, until=until)
    check_readable(capture)
    known = paths(named)
    known += [[hop] for hop in named if not any(hop in way for way in known)]
    indexes = [followed(way) for way in known]
    ids: dict[tuple[str, str], int] = {}
    for way in known:
        for name, _ in way:
            ids.setdefault((way[0][0], name), len(ids))
    wire = read_file(path, agent_ports, _identified(known, indexes, ids))
    looked = [
        _of_way(way, index, ids, wire, packets, late_ns)
        for way, index in zip(known, indexes, strict=True)
    ]
    _add_missing(looked, known, indexes, wire, packets)
    made = together(str(path), looked, (), sum(len(of.late) for of in looked))
    made.rounds = [run.number for run in capture.runs]
    made.median_ns = made.limit_ns = made.limit_by = None
    made.limits = [
        WayLimit(
            way=[name for name, _ in way],
            limit_ns=of.chosen.limit_ns,
            limit_by=of.chosen.limit_by or "",
            late=of.chosen.late + of.again,
            again=of.again,
        )
        for way, of in zip(known, looked, strict=True)
        if of.chosen.limit_ns is not None
    ]
    alone = [(way[0][1], of.chosen) for way, of in zip(known, looked, strict=True) if len(way) == 1]
    made.untimed = sum(chosen.samples - chosen.lost for _, chosen in alone)
    made.unfollowed = sum(
        chosen.samples - chosen.lost for of, chosen in alone if (of.confirmed == NONE).all()
    )
    made.capture = capture
    traces = {
        (tuple(each.way), each.seq): one
        for of in looked
        for each, one in zip(of.late, of.traces, strict=False)
    }
    made.diagrams = [
        diagram(each, traces[tuple(each.way), each.seq])
        for each in made.worst
        if (tuple(each.way), each.seq) in traces
    ][:diagrams]
    made.worst.sort(key=lambda each: (each.round, each.way, each.seq or 0, each.number or 0))
    return made


def _identified(
    known: Sequence[Sequence[Named]],
    indexes: Sequence[Sequence[Times]],
    ids: Mapping[tuple[str, str], int],
) -> pl.DataFrame:
    """Return the samples of each hop with what identifies them in its rows: `sample_writer` stands
    for the hops on which they entered and are, `sample_seq` is their number on the former."""
    frames, done = [pl.DataFrame(schema=KEYS)], set()
    for way, index in zip(known, indexes, strict=True):
        for (name, of), places in zip(way, index, strict=True):
            pair = ids[way[0][0], name]
            at = np.flatnonzero(places >= 0)
            if pair in done or not len(at):
                continue
            done.add(pair)
            there = places[at]
            numbered = of.protocol == "rtps" or (of.stream or 0) >= RELIABLE
            frame = pl.DataFrame(
                {
                    "last_seq": of.numbers[there],
                    "packet": of.packets.gather(there),
                    "payload_hash": of.hashes.gather(there),
                    "sample_seq": at + 1,
                }
            ).with_columns(
                flow=pl.lit(of.flow),
                source=pl.lit(of.source),
                writer=pl.lit(of.writer),
                stream=pl.lit(of.stream),
                sample_writer=pl.lit(pair),
                last_seq=pl.col("last_seq") if numbered else pl.lit(None),
            )
            frames.append(frame.select(pl.col(key).cast(kind) for key, kind in KEYS.items()))
    return pl.concat(frames)


KEYS = {
    "flow": pl.Int64,
    "source": pl.Int64,
    "writer": pl.Int64,
    "stream": pl.Int64,
    "last_seq": pl.Int64,
    "packet": pl.Int64,
    "payload_hash": pl.UInt64,
    "sample_writer": pl.Int64,
    "sample_seq": pl.Int64,
}


def _of_way(
    way: Sequence[Named],
    index: Sequence[Times],
    ids: Mapping[tuple[str, str], int],
    wire: Wire,
    packets: Packets,
    late_ns: int | None,
) -> OfRound:
    names, first, last = [name for name, _ in way], way[0][1], way[-1][1]
    begun = first.begun
    ends = taken(last.times, index[-1])
    if len(way) == 1:
        ends = _confirmed(first)
    arrived = ends != NONE
    took = np.where(arrived, ends - begun, 0)
    fastest = int(took[arrived].min()) if arrived.any() else 0
    least = limit = max(FACTOR * fastest, fastest + LEAST_NS) if late_ns is None else late_ns
    limit_by = (
        "three times the fastest sample, and 1 ms more than it" if late_ns is None else "--late"
    )
    if late_ns is None and arrived.any():
        limit, limit_by = capped(took[arrived], limit, limit_by)
    lost = np.flatnonzero(~arrived)
    slow = np.flatnonzero(arrived & (took > least)) if len(way) > 1 else lost[:0]
    slow = slow[np.argsort(-took[slow], kind="stable")]
    late, slower = slow[took[slow] > limit], slow[took[slow] <= limit][:MOST_EXAMINED]
    examined = [*lost[:MOST_EXAMINED], *late[: MOST_EXAMINED - min(len(lost), MOST_EXAMINED)]]
    rest = np.setdiff1d(np.flatnonzero(arrived), late)
    rest = rest[:: max(1, len(rest) // ORDINARY)][:ORDINARY] if len(way) > 1 else rest[:0]
    path = _path(way, index, packets, 2 * int(took.max(initial=LEAST_NS)))
    pairs = [ids[names[0], name] for name in names]
    # What announces readers speaks to the writer of RTPS.
    writer = next(
        (pair for pair, (_, of) in zip(pairs, way, strict=True) if of.protocol == "rtps"), pairs[0]
    )

    def traced(at: int, excess: int | None) -> Trace:
        begin, end = int(begun[at]), int(ends[at]) if arrived[at] else None
        sample = Sample(
            round=first.run,
            round_trip=False,
            participant="",
            writer=writer,
            reader=None,
            seq=at + 1,
            intended_ns=begin,
            sent_ns=begin,
            written_ns=None,
            echo_delivered_ns=None,
            echo_read_ns=None,
            echo_sent_ns=None,
            delivered_ns=None,
            read_ns=end,
            latency_ns=None if end is None else end - begin,
            excess_ns=excess,
        )
        rows = [row for pair in pairs for row in wire.named.get((pair, at + 1), ())]
        return trace(sample, wire, {(writer, at + 1, 0): rows}, path=path)

    traces = [traced(int(at), int(took[at]) - fastest if arrived[at] else None) for at in examined]
    ordinary = [why(traced(int(at), int(took[at]))) for at in rest]
    again = sent_again(traced(int(at), int(took[at]) - fastest) for at in slower)
    traces += [one for _, one in again]
    known = {late.seq for late, _ in again}
    ordinary = [each for each in ordinary if each.seq not in known]
    timed = len(way) > 1 and bool(arrived.any())
    chosen = ChosenSamples(
        len(begun), len(lost), len(late), None, limit if timed else None, limit_by, [], []
    )
    found = [_placed(why(one), names, one) for one in traces]
    return OfRound(first.run, chosen, found, traces, ordinary, [wire.files[0].name], len(again))


def _confirmed(of: Samples) -> Times:
    """Return when each sample of a way of one hop arrived, or NONE: the unconfirmed are lost. Where
    none is confirmed, nothing is known of what is behind the hop, and each counts as arrived."""
    if (of.confirmed == NONE).all():
        return of.times
    ends: Times = np.where(of.confirmed == NONE, NONE, of.times)
    # The end of a capture cuts off the last confirmations.
    ends[np.flatnonzero(ends != NONE)[-1] :] = of.times[np.flatnonzero(ends != NONE)[-1] :]
    return ends


def _placed(late: Late, names: Sequence[str], one: Trace) -> Late:
    late.way = list(names)
    last = one.last
    if last is not None and one.path is not None and last.flow in one.path.flows:
        late.last_hop = names[one.path.flows.index(last.flow)]
    if late.cause == "unexplained" and late.latency_ns is None:
        late.cause, late.said = (
            "not-in-capture",
            _unknown(names, late.last_hop, one.path, one.sample.seq),
        )
    return late


def _unknown(names: Sequence[str], last_hop: str | None, path: Path | None, seq: int) -> str:
    """Return why nothing is said of a lost sample."""
    place = names.index(last_hop) + 1 if last_hop else len(names)
    if path is None or place >= len(names) or not path.whole[place]:
        return "no packet shows what became of it"
    before, after = path.around[place](seq)
    hop = names[place]
    if after is None:
        end = "its reader may have left, or the capture ended"
        return f"hop {hop} has no sample after packet {before}: {end}"
    if before is None:
        return f"hop {hop} has no sample before packet {after}: its reader may not have been there"
    return "no packet shows what became of it"


def _path(way: Sequence[Named], index: Sequence[Times], packets: Packets, patience_ns: int) -> Path:
    dropped = any(each["dropped"] for each in packets.summary["interfaces"])
    around = [partial(_around, of, places) for (_, of), places in zip(way, index, strict=True)]
    missing = [
        _unsent(of, places, gaps(packets, of)) for (_, of), places in zip(way, index, strict=True)
    ]
    whole = [of.whole and not dropped for _, of in way]
    return Path([of.flow for _, of in way], whole, missing, around, patience_ns)


def _around(of: Samples, places: Times, seq: int) -> tuple[int | None, int | None]:
    """Return the packets of the hop with the sample before this one and with the one after it."""
    there = np.flatnonzero(places >= 0)
    at = int(np.searchsorted(there, seq - 1))
    before = int(of.packets[int(places[there[at - 1]])]) if at else None
    return before, int(of.packets[int(places[there[at]])]) if at < len(there) else None


def _unsent(of: Samples, places: Times, absent: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return numbers of the hop that no packet has, by the sample to which each was given: where
    between two samples of the hop as many numbers are missing as samples."""
    found: dict[int, int] = {}
    there = np.flatnonzero(places >= 0)
    if not len(there) or not absent:
        return found
    edges = [-1, *there.tolist(), len(places)]
    numbers = of.numbers[places[there]].tolist()
    for place, (before, after) in enumerate(pairwise(edges)):
        between = range(before + 1, after)
        if not between or place in (0, len(edges) - 2):
            continue
        low, high = numbers[place - 1], numbers[place]
        own = [n for a, b in absent if low < a and b < high for n in range(a, b + 1)]
        if len(own) == len(between):
            found.update({seq + 1: number for seq, number in zip(between, own, strict=True)})
    return found


def _add_missing(
    looked: list[OfRound],
    known: Sequence[Sequence[Named]],
    indexes: Sequence[Sequence[Times]],
    wire: Wire,
    packets: Packets,
) -> None:
    """Add what has a number on the first hop, and no packet, and is on no further hop either."""
    taken: dict[str, set[int]] = {}
    for way, index in zip(known, indexes, strict=True):
        for (name, _), places in zip(way, index, strict=True):
            taken.setdefault(name, set()).update(places[places >= 0].tolist())
    done = set()
    for number, (way, found) in enumerate(zip(known, looked, strict=True)):
        name, first = way[0]
        absent = gaps(packets, first)
        if name in done or sum(b - a + 1 for a, b in absent) > MOST_MISSING:
            continue
        done.add(name)
        for low, high in absent:
            at = int(np.searchsorted(first.numbers, low))
            window = first.times[at - 1], first.times[at]
            further = [
                place
                for next_name, of in way[1:2]
                for place in range(*np.searchsorted(of.times, window))
                if place not in taken[next_name]
            ]
            # What is on the next hop passed the first, and is not in the capture there.
            lost = [
                _absent(first, [name for name, _ in way], each, at, wire, packets)
                for each in range(low, high + 1)
            ][len(further) :]
            found.late.extend(lost)
            samples, gone = found.chosen.samples + high - low + 1, found.chosen.lost + len(lost)
            found = replace(found, chosen=replace(found.chosen, samples=samples, lost=gone))
            looked[number] = found


def _absent(
    of: Samples, way: list[str], number: int, at: int, wire: Wire, packets: Packets
) -> Late:
    sure = of.whole and all(each["dropped"] == 0 for each in packets.summary["interfaces"])
    shown = [
        PacketShown(
            file=wire.files[0].name,
            packet=int(of.packets[place]),
            at_ns=0,
            what=f"the sample {word} it",
        )
        for place, word in ((at - 1, "before"), (at, "after"))
    ]
    said = f"number {number} of its writer, after sample {at}, is in no packet"
    return Late(
        round=of.run,
        writer=of.writer,
        reader=None,
        seq=None,
        number=number,
        latency_ns=None,
        cause="dropped-at-sender" if sure else "not-in-capture",
        wait_ns=None,
        evidence=shown,
        said=f"{said}: it was dropped at the sender, or before the place of the capture"
        if sure
        else f"{said}, and nothing shows whether the capture lost it",
        also=[],
        discovery=None,
        way=way,
    )
