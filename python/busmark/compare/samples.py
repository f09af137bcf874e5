"""Latencies sample by sample, for limits on how many of them are later than something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from busmark import stats
from busmark.compare.sides import Side, SideCase
from busmark.errors import UserError
from busmark.estimate import latency, throughput
from busmark.estimate.one_case import SAMPLE_COLUMNS
from busmark.estimate.rounds import Row
from busmark.estimate.samples import Timed
from busmark.model.figure import FloatArray
from busmark.store import Result

Latencies = dict[str, FloatArray]
"""By the quantity as `--fail-if` names it, in the order of sending; infinity for a lost sample."""


def round_latencies(result: Result, case: str, row: Row, *, by_two_clocks: bool) -> Latencies:
    """Return the latencies of a round in ns, read from its samples; without those that it has none
    of, and unless `by_two_clocks` without those that may be off.

    Raises:
        UserError: they cannot be read.
    """
    samples: pl.DataFrame = result.samples(case, row["round"], SAMPLE_COLUMNS)
    # An older Busmark knew one machine only.
    one_clock = row["one_clock"] is not False
    if row["test"] == "throughput":
        probes = throughput.probe_round(row["round"], samples, one_clock=one_clock, row=row)
        found = {
            "latency": _with_lost(probes.one_way, probes.lost)
            if by_two_clocks or not probes.one_way.bound_ns
            else np.empty(0),
            "round_trip": _with_lost(probes.round_trip, probes.unanswered),
        }
    else:
        pings = latency.ping_round(row["round"], samples, one_clock=one_clock)
        found = {"latency": _with_lost(pings.back, pings.lost_start) / 2.0}
    return {name: series for name, series in found.items() if series.size}


def _with_lost(back: Timed, gone: FloatArray | None) -> FloatArray:
    if gone is None or not gone.size:
        return back.latency
    return stats.with_lost(back.start, back.latency, gone, np.inf)


@dataclass(frozen=True)
class Samples:
    """The samples of a case, read when they are asked for."""

    side: Side
    case: SideCase

    @cached_property
    def by_quantity(self) -> Mapping[str, Mapping[int, FloatArray]]:
        """Latencies of each round; one that cannot be read is left out, as it is of all figures. By
        two clocks a share of late samples is not known as its interval says: the figures are."""
        found: dict[str, dict[int, FloatArray]] = {}
        for row in self.case.good if self.case.test in ("latency", "throughput") else ():
            try:
                of_round = round_latencies(self.side.result, self.case.id, row, by_two_clocks=False)
            except UserError:
                continue
            for name, series in of_round.items():
                found.setdefault(name, {})[row["round"]] = series
        return found
