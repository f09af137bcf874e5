"""Stamps of an application beside a capture: its latencies and the packets', sample by sample."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from busmark import files
from busmark.errors import UserError
from busmark.plugins.capture.figures import (
    NONE,
    Times,
    difference,
    present,
    range_of,
    spread,
    taken,
)
from busmark.plugins.capture.model import Application, Beside, Spread
from busmark.plugins.capture.ways import (
    Confirmation,
    Named,
    bytes_on_all,
    confirmations,
    eq2,
    followed,
    paths,
)

KEYS = ("seq", "sent_ns", "received_ns")
LARGEST = (1 << 63) - 1
REMEDY = (
    'Give JSON lines such as {"seq": 1, "sent_ns": 1700000000000000000, "received_ns": null}, or '
    "CSV with the columns seq, sent_ns, received_ns. Times are whole nanoseconds since the epoch; "
    "received_ns is null or empty for a lost sample."
)


@dataclass(frozen=True, slots=True)
class Stamps:
    """Time stamps in the order in which samples were sent; a missing one is NONE."""

    numbers: Times
    sent: Times
    received: Times


def read_stamps(path: Path) -> Stamps:
    """Read stamps. Raise `UserError` that names line and key of a wrong value."""
    try:
        text = files.content(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"stamps cannot be read: {error}", where=str(path), remedy=REMEDY) from None
    lines = _json(path, text) if text.lstrip().startswith("{") else _csv(path, text)
    rows: dict[int, tuple[int, int]] = {}
    for line, record in lines:
        number, sent, received = (_value(path, line, record, key) for key in KEYS)
        if number in rows:
            raise _wrong(path, line, "seq", f"{number} is there twice")
        rows[number] = (sent, received)
    if not rows:
        raise UserError("there are no stamps", where=str(path), remedy=REMEDY)
    table = np.array([(number, *times) for number, times in rows.items()], dtype=np.int64)
    table = table[np.lexsort((table[:, 0], table[:, 1]))]
    return Stamps(numbers=table[:, 0], sent=table[:, 1], received=table[:, 2])


def _wrong(path: Path, line: int, key: str | None, what: str) -> UserError:
    named = f"{key}: {what}" if key else what
    return UserError(named, where=f"{path}, line {line}", remedy=REMEDY)


def _json(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in enumerate(text.splitlines(), 1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError):
            raise _wrong(path, line, None, "this is no JSON") from None
        if not isinstance(record, dict):
            raise _wrong(path, line, None, "this is no JSON object")
        yield line, record


def _csv(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.reader(io.StringIO(text))
    try:
        heads = [head.strip() for head in next(reader, [])]
        for key in KEYS:
            if heads.count(key) != 1:
                raise _wrong(path, 1, key, "the first line must name this column once")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(heads):
                what = f"{len(cells)} values for {len(heads)} columns"
                raise _wrong(path, reader.line_num, None, what)
            record: dict[str, Any] = dict(zip(heads, cells, strict=True))
            yield reader.line_num, {key: _number(record[key]) for key in KEYS}
    except csv.Error as error:
        raise _wrong(path, reader.line_num, None, str(error)) from None


def _number(cell: str) -> int | str | None:
    """Read a number; None for an empty cell. Return other text unchanged, for the error to name."""
    cell = cell.strip()
    if not cell:
        return None
    digits = cell.removeprefix("-")
    return int(cell) if digits.isascii() and digits.isdigit() and len(digits) < 20 else cell


def _value(path: Path, line: int, record: dict[str, Any], key: str) -> int:
    if key not in record:
        raise _wrong(path, line, key, "this key is missing")
    value = record[key]
    if value is None and key == "received_ns":
        return NONE
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise _wrong(path, line, key, f"a whole number from 0 is needed, not {value!r:.40}")
    return value


MOST_LISTED = 100
"""Numbers of samples that are listed."""


@dataclass(frozen=True, slots=True)
class _Packets:
    """Times of the packets of each sample of the application; NONE where there is none."""

    hops: list[str]
    entered: Times
    """Times at which the first byte of each sample passed the first hop."""
    data: Times
    """Times at which the last byte of each sample passed the first hop."""
    arrived: Times
    """Times at which the last byte of each sample passed the last hop."""
    confirmed: Times
    by: Literal["ACKNACK", "TCP"] | None
    wire: np.ndarray
    """Length of its packets on all hops; NaN where one of them does not have it."""
    in_order: bool

    def enclosed(self, stamps: Stamps) -> int:
        """Count the samples whose packets lie between their stamps."""
        there = (self.entered != NONE) & (self.entered >= stamps.sent)
        late = (self.arrived != NONE) & (stamps.received != NONE)
        return int((there & ~(late & (self.arrived > stamps.received))).sum())


def beside(
    path: Path, stamps: Stamps, hops: Sequence[Named], until: Confirmation | None = None
) -> Application | None:
    """Put the stamps beside the way of samples that fits them best; None where none fits."""
    ways = paths(hops) or [[hop] for hop in hops]
    found = [_of_way(way, stamps, until) for way in ways]
    best = max(found, key=lambda packets: packets.enclosed(stamps), default=None)
    if best is None or not best.enclosed(stamps):
        return None
    latency = difference(stamps.sent, stamps.received)
    packets = difference(best.data, best.arrived)
    confirmed = difference(best.data, best.confirmed)
    both = present(latency) & present(confirmed)
    lost, unseen = stamps.received == NONE, best.arrived == NONE
    several = len(best.hops) > 1
    return Application(
        file=str(path),
        hops=best.hops,
        matched="order" if best.in_order else "time",
        sent=len(stamps.numbers),
        received=int((~lost).sum()),
        in_capture=int((best.entered != NONE).sum()),
        lost=_listed(stamps.numbers[lost]),
        arrived_not_received=_listed(stamps.numbers[lost & ~unseen]) if several else [],
        received_not_seen=_listed(stamps.numbers[~lost & unseen]) if several else [],
        latency=_spread(latency),
        data_to_data=_spread(packets),
        confirmed=_spread(confirmed),
        confirmed_by=best.by,
        sent_to_packet=_spread(difference(stamps.sent, best.entered)),
        packet_to_received=_spread(difference(best.arrived, stamps.received)) if several else None,
        data_to_data_less_latency=_spread(difference(latency, packets)),
        eq2_mbit_s=range_of(eq2(best.wire, latency)) if several else None,
        confirmed_less_latency=_spread(difference(latency, confirmed)),
        confirmed_by_latency=_factor(latency[both], confirmed[both]),
        samples=[
            Beside(
                seq=int(row[0]),
                sent_ns=int(row[1]),
                latency_ns=_absent(row[2]),
                data_to_data_ns=_absent(row[3]),
                confirmed_ns=_absent(row[4]),
            )
            for row in zip(stamps.numbers, stamps.sent, latency, packets, confirmed, strict=True)
        ],
    )


def _of_way(way: Sequence[Named], stamps: Stamps, until: Confirmation | None) -> _Packets:
    first, last = way[0][1], way[-1][1]
    indexes = followed(way)
    at, in_order = _matched(first.begun, stamps)
    to = np.where(at >= 0, indexes[-1][np.maximum(at, 0)], -1)
    by, confirmed = next(
        (each for each in confirmations(last, until) if present(each[1]).any()),
        (None, np.full(len(last.times), NONE)),
    )
    return _Packets(
        hops=[name for name, _ in way],
        entered=taken(first.begun, at),
        data=taken(first.times, at),
        arrived=taken(last.times, to) if len(way) > 1 else np.full(len(at), NONE),
        confirmed=taken(confirmed, to),
        by=by,
        wire=np.where(at >= 0, bytes_on_all(way, indexes)[np.maximum(at, 0)], np.nan),
        in_order=in_order,
    )


def _matched(begun: Times, stamps: Stamps) -> tuple[Times, bool]:
    """Return for each stamp the index of its sample on the first hop, or -1, and whether by order.

    With as many samples as stamps, they are matched in their order: a sample may leave long after
    others were sent. Otherwise the first sample since the stamp and before the next one is taken.
    """
    order = np.argsort(begun, kind="stable")
    if len(begun) == len(stamps.sent) and bool((begun[order] >= stamps.sent).all()):
        return order, True
    found: Times = np.full(len(stamps.sent), -1)
    before = np.searchsorted(stamps.sent, begun[order], side="right") - 1
    for index in range(len(order) - 1, -1, -1):
        if before[index] >= 0:
            found[before[index]] = order[index]
    return found, False


def _spread(times: Times) -> Spread | None:
    return spread(times[present(times)])


def _absent(value: np.int64) -> int | None:
    return None if value == NONE else int(value)


def _listed(numbers: Times) -> list[int]:
    return [int(number) for number in numbers[:MOST_LISTED]]


def _factor(latency: Times, confirmed: Times) -> float | None:
    """Divide the median of `confirmed` by the median of `latency`; None without a positive one."""
    if not len(latency) or np.median(latency) <= 0:
        return None
    return float(np.median(confirmed) / np.median(latency))
