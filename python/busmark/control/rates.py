"""Batches of a round, and its rates: what writers were to send, what they wrote, and what readers
got."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from busmark.control.round import RoundData
from busmark.errors import RoundError
from busmark.model.parameters import Parameters
from busmark.store import Case
from busmark.store.columns import polars_schema
from busmark.store.result import UNREADABLE
from busmark.store.samples import measured

NS = 1e9


def table(
    case: Case, round_number: int, data: RoundData, samples: pl.DataFrame, begin_ns: int
) -> pl.DataFrame | None:
    """Return the rows of `batches`, of every flow that has some; None where all streams run free.

    The time of a batch is by the clock of its reader, from its start to its end; what the batcher
    waited in vain for acknowledgements of single samples is taken off. Where the end did not come
    as first sent, it is until the last sample that came, but no less than the batch took to write;
    if the batcher waited for single samples, too, it is not known.
    """
    if not case.params.batch and not any(flow.batch for flow in data.flows.flows):
        return None
    try:
        rows = list(_rows(case, round_number, data, samples, begin_ns))
        return pl.DataFrame(rows, schema=polars_schema("batches"))
    except (ValueError, TypeError, *UNREADABLE) as error:
        raise RoundError("garbage", f"not an account of batches: {error}") from None


def _rows(
    case: Case, round_number: int, data: RoundData, samples: pl.DataFrame, begin_ns: int
) -> Iterator[dict[str, Any]]:
    sent = {(row["writer"], row["number"]): row for row in _sent(data, samples)}
    for role in data.roles:
        flow = data.flows.flow_of(role["writer"])
        for seen in role.get("batches", []):
            # Another clock does not show when the measurement began.
            zero = begin_ns if data.one_clock else min(seen["start_ns"], default=0)
            for number, start, end, ended, received, size in zip(
                *(seen[key] for key in _SEEN), strict=True
            ):
                by = sent.get((seen["writer"], number), {})
                waited = by.get("waited_ns") or 0
                text = end is not None and (ended or not waited)
                least = 0 if ended else by.get("writing_ns") or 0
                yield {
                    "case": case.id,
                    "round": round_number,
                    "flow": flow.name if flow else None,
                    "writer": seen["writer"],
                    "reader": role["writer"],
                    "number": number,
                    "start_ns": start - zero,
                    "duration_ns": max(end - start - waited, least) if text else None,
                    "expected": flow.batch if flow else case.params.batch,
                    "received": received,
                    "bytes": size,
                    "ended": ended,
                    **{key: by.get(key) for key in _BY_BATCHER},
                }


_SEEN = ("number", "start_ns", "end_ns", "ended", "received", "bytes")
_BY_BATCHER = ("acknowledged", "samples_acknowledged", "waited_ns", "writing_ns")


def _sent(data: RoundData, samples: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield what batchers know of their batches."""
    known = {role["writer"]: role.get("sent_batches") for role in data.roles}
    stamped = samples.filter(pl.col("role") == "batcher")
    for row in stamped.iter_rows(named=True):
        own = known.get(row["writer"]) or {}
        waited = _at(own.get("waited_ns"), row["seq"])
        yield {
            "writer": row["writer"],
            "number": row["seq"],
            "acknowledged": row["read_ns"] is not None,
            "samples_acknowledged": _at(own.get("acknowledged"), row["seq"]),
            "waited_ns": waited,
            "writing_ns": row["written_ns"] - row["sent_ns"] - (waited or 0),
        }


def _at(values: list[int] | None, index: int) -> int | None:
    return values[index] if values and index < len(values) else None


def goodput(batches: pl.DataFrame) -> tuple[float | None, float | None]:
    """Return samples and Mbit per second within batches, all readers together; None if not known.

    Each reader's samples are divided by the time in which at least one batch was under way, so
    pauses between batches do not count, and batches of several writers at a time count once.
    """
    samples = mbit = 0.0
    known = False
    for _, own in batches.filter(pl.col("duration_ns").is_not_null()).group_by("reader"):
        start = own["start_ns"].to_numpy()
        seconds = covered(start, start + own["duration_ns"].to_numpy()) / NS
        if seconds > 0:
            known = True
            samples += int(own["received"].sum()) / seconds
            mbit += int(own["bytes"].sum()) * 8 / 1e6 / seconds
    return (samples, mbit) if known else (None, None)


def covered(start: np.ndarray[Any, Any], end: np.ndarray[Any, Any]) -> int:
    """Return the length of the union of intervals."""
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.maximum.accumulate(end)
    fresh = np.maximum(start[1:], reached[:-1])
    return int(end[:1].sum() - start[:1].sum() + np.maximum(end[1:] - fresh, 0).sum())


def written(data: RoundData, samples: pl.DataFrame, batch: int) -> float | None:
    """Return the samples per second while batches were being written, all writers together."""
    rows = samples.filter((pl.col("role") == "batcher") & pl.col("written_ns").is_not_null())
    if rows.is_empty():
        return None
    lengths = {(by["writer"], by["number"]): by["writing_ns"] for by in _sent(data, rows)}
    spans: dict[int, list[tuple[int, int]]] = {}
    for writer, number, begin in rows.select("writer", "seq", "sent_ns").iter_rows():
        # Writers with a clock of their own cannot be put on one time line.
        line = 0 if data.asking_clock is not None else writer
        spans.setdefault(line, []).append((begin, begin + lengths[writer, number]))
    total = 0.0
    for own in spans.values():
        begins, ends = np.array(own).T
        seconds = covered(begins, ends) / NS
        total += len(own) * batch / seconds if seconds > 0 else 0.0
    return total or None


def figures(batches: pl.DataFrame | None) -> dict[str, Any]:
    """Return the columns of `cases` about batches."""
    if batches is None:
        return dict.fromkeys(
            ("batches", "batches_unacknowledged", "batch_ns", "batch_samples_acknowledged")
        )
    own = batches.group_by("writer", "number").agg(
        pl.col("acknowledged").first(), pl.col("samples_acknowledged").first()
    )
    missing = own.filter(~pl.col("acknowledged").fill_null(value=False)).height
    answered = own["samples_acknowledged"].drop_nulls()
    return {
        "batches": own.height - missing,
        "batches_unacknowledged": missing,
        "batch_ns": batches["duration_ns"].mean(),
        "batch_samples_acknowledged": answered.sum() if answered.len() else None,
    }


class Span(NamedTuple):
    """Samples of one writer, where they were written or at one reader."""

    samples: int
    bytes: int
    begin_ns: int
    end_ns: int
    at_least_ns: int = 0
    """Time that the writer took, where the samples are a reader's: the length of the span is no
    less, since samples that were held up and then came all at once were not carried at that rate.
    """
    whole: bool = False
    """Whether the time of the last sample is included: n samples then take n times the time of one;
    otherwise there are n - 1 gaps between them."""

    @property
    def gaps(self) -> int:
        """Number of samples to which the time belongs."""
        return self.samples if self.whole else self.samples - 1

    @property
    def length_ns(self) -> int:
        """Time from its first sample to its last."""
        return max(self.end_ns - self.begin_ns, self.at_least_ns)


def rates(params: Parameters, data: RoundData, run: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the goodput of all readers together, the rate of the writers in `run`, the rate that
    readers would get of writers that kept their rates if nothing were lost, and how long samples
    still came when all were written."""
    own = {report["writer"]: report for report in data.run}
    total_samples = total_mbit = None
    # In the background of pings the matrix has only streams at a rate.
    background = params.test == "latency"
    paced = background or bool(params.rate_hz)
    for role in _receivers(data, background=background):
        spans = [
            of_reader(counted, own.get(counted["writer"], {}))
            for counted in role["intervals"]
            if counted["span_ns"]
        ]
        together = _together(spans, paced=paced, one_clock=True)
        if together is None:
            continue
        count = sum(span.samples for span in spans)
        mean_size = sum(span.bytes for span in spans) / max(count, 1)
        total_samples = (total_samples or 0.0) + together
        total_mbit = (total_mbit or 0.0) + together * mean_size * 8 / 1e6
    return {
        "theoretical_per_s": _theoretical(data, background=background),
        "samples_per_s": total_samples,
        "mbit_per_s": total_mbit,
        "written_per_s": _together(
            [of_writer(report, full_speed=not paced) for report in run],
            paced=bool(params.rate_hz),
            one_clock=data.asking_clock is not None,
        ),
        "drain_ns": None if background else _drain_ns(data, own),
    }


def answered_per_s(samples: pl.DataFrame) -> float | None:
    """Return the responses in a second at all clients together, each client's over the time from
    its first to its last; None where no client has two. At a rate that the server does not keep up
    with they come more slowly than requests went, though each may be in time."""
    answered = measured(samples, "client").drop_nulls("read_ns").group_by("writer")
    read = (own["read_ns"].to_numpy() for _, own in answered)
    spans = [Span(len(own), 0, int(own.min()), int(own.max())) for own in read]
    return _together(spans, paced=True, one_clock=True)


def _drain_ns(data: RoundData, own: dict[int, dict[str, Any]]) -> float | None:
    """Return the time from the end of the last write to the arrival of the last sample, in the flow
    where it was longest; None where clocks differ."""
    lasts = [
        counted["span_ns"][1] - own[counted["writer"]]["end_ns"]
        for role in _receivers(data, background=False)
        for counted in role["intervals"]
        if counted["span_ns"] and counted["writer"] in own
    ]
    return float(max(0, *lasts)) if lasts and data.one_clock else None


def of_writer(report: dict[str, Any], *, full_speed: bool) -> Span:
    """Return what a writer wrote, by its report: at full speed until its last write had returned,
    else until its last sample was sent."""
    end_ns = report["end_ns" if full_speed else "last_ns"]
    return Span(report["sent"], 0, report["begin_ns"], end_ns, whole=full_speed)


def of_reader(counted: dict[str, Any], report: dict[str, Any]) -> Span:
    """Return what a reader counted of a writer, and that writer's report, if there is one."""
    first, last = counted["span_ns"]
    wrote = report["last_ns"] - report["begin_ns"] if report else 0
    samples, size = (int(np.sum(counted[name])) for name in ("samples", "bytes"))
    return Span(samples, size, first, last, wrote)


def rate(span: Span) -> float | None:
    """Return the samples per second."""
    return _together([span], paced=True, one_clock=True)


def _together(spans: list[Span], *, paced: bool, one_clock: bool) -> float | None:
    """Return the rate of several flows.

    Paced flows have a rate each, whenever they begin: the sum. Those at full speed share what there
    is, so they are counted over the time in which at least one of them ran.
    """
    spans = [span for span in spans if span.gaps > 0 and span.length_ns > 0]
    if not spans:
        return None
    if paced or len(spans) == 1:
        return sum(span.gaps / (span.length_ns / NS) for span in spans)
    longest = max(span.length_ns for span in spans)
    if one_clock:
        begin = np.array([span.begin_ns for span in spans])
        end = np.array([span.begin_ns + span.length_ns for span in spans])
        longest = max(longest, covered(begin, end))
    return sum(span.gaps for span in spans) / (longest / NS)


def _receivers(data: RoundData, *, background: bool) -> Iterator[dict[str, Any]]:
    """Yield the readers of the streams that the case's figures describe: the matrix's own
    background stream, or the measured ones."""
    for role in data.roles:
        flow = data.flows.flow_of(role["writer"])
        own = flow is not None and flow.own
        if (
            role["role"] == "receiver"
            and not own
            and data.flows.background(role["writer"]) == background
        ):
            yield role


def _theoretical(data: RoundData, *, background: bool) -> float | None:
    total = 0.0
    for role in _receivers(data, background=background):
        if flow := data.flows.flow_of(role["writer"]):
            if data.rate_changes(flow.name):
                return None
            total += flow.rate_hz * len(role["accounts"]) * flow.admitted_share
    return total or None
