"""Rates of a round: what writers were to send, what they wrote, and what readers got."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from busmark.control.batches import covered
from busmark.control.round import RoundData
from busmark.model.parameters import Parameters

NS = 1e9


class Span(NamedTuple):
    """Samples of one writer, where they were written or at one reader."""

    samples: int
    bytes: int
    begin_ns: int
    end_ns: int
    at_least_ns: int = 0
    """What a reader had took no less time than its writer wrote: samples that were held up and then
    came all at once were not carried at that rate."""

    @property
    def length_ns(self) -> int:
        """Time from its first sample to its last."""
        return max(self.end_ns - self.begin_ns, self.at_least_ns)


def rates(params: Parameters, data: RoundData, run: list[dict[str, Any]]) -> dict[str, Any]:
    """Goodput of all readers together, the rate of the writers in `run`, and what readers would get
    of writers that kept their rates if nothing were lost; and how long samples still came when all
    were written."""
    own = {report["writer"]: report for report in data.run}
    total_samples = total_mbit = None
    # Beside pings the matrix has only streams at a rate.
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
            [*map(of_writer, run)],
            paced=bool(params.rate_hz),
            one_clock=data.asking_clock is not None,
        ),
        "drain_ns": None if background else _drain_ns(data, own),
    }


def _drain_ns(data: RoundData, own: dict[int, dict[str, Any]]) -> float | None:
    """From the end of writing to the arrival of the last sample, of the flow where it was longest;
    None where clocks differ."""
    lasts = [
        counted["span_ns"][1] - own[counted["writer"]]["end_ns"]
        for role in _receivers(data, background=False)
        for counted in role["intervals"]
        if counted["span_ns"] and counted["writer"] in own
    ]
    return float(max(0, *lasts)) if lasts and data.one_clock else None


def of_writer(report: dict[str, Any]) -> Span:
    """What a writer wrote, by its report."""
    return Span(report["sent"], 0, report["begin_ns"], report["end_ns"])


def of_reader(counted: dict[str, Any], report: dict[str, Any]) -> Span:
    """What a reader counted of a writer, and that writer's report, if there is one."""
    first, last = counted["span_ns"]
    wrote = report["end_ns"] - report["begin_ns"] if report else 0
    samples, size = (int(np.sum(counted[name])) for name in ("samples", "bytes"))
    return Span(samples, size, first, last, wrote)


def rate(span: Span) -> float | None:
    """Samples per second: n samples span n - 1 gaps."""
    return _together([span], paced=True, one_clock=True)


def _together(spans: list[Span], *, paced: bool, one_clock: bool) -> float | None:
    """Rate of several flows. n samples span n - 1 gaps, of each flow.

    Paced flows have a rate each, whenever they begin: the sum. Those at full speed share what there
    is, so they are counted over the time in which at least one of them ran.
    """
    spans = [span for span in spans if span.samples > 1 and span.length_ns > 0]
    if not spans:
        return None
    if paced or len(spans) == 1:
        return sum((span.samples - 1) / (span.length_ns / NS) for span in spans)
    longest = max(span.length_ns for span in spans)
    if one_clock:
        begin = np.array([span.begin_ns for span in spans])
        end = np.array([span.begin_ns + span.length_ns for span in spans])
        longest = max(longest, covered(begin, end))
    return sum(span.samples - 1 for span in spans) / (longest / NS)


def _receivers(data: RoundData, *, background: bool) -> Iterator[dict[str, Any]]:
    """Readers of the streams that the case's figures describe: the matrix's own beside pings, or
    the measured ones."""
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
