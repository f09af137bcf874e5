"""Blocks of statistics, whatever form they came in, and the runs that they become."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from busmark.importers.model import Quantity, Run, Stated

ADAPTER = "opendds"
TITLE = "OpenDDS"

ONE_WAY: dict[str, Quantity] = {
    "latency": "one_way", "jitter": "one_way_jitter", "discovery_delta": "discovery",
}  # fmt: skip
PER_HOP: dict[str, Quantity] = {
    "round_trip_latency": "per_hop", "round_trip_jitter": "per_hop_jitter",
}  # fmt: skip
"""Blocks by their name in the file. Round trips are divided by the number of their hops."""


@dataclass(slots=True)
class Block:
    """One statistic of one or more readers. Times in seconds; None: not stated."""

    count: int
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    median: float | None = None
    mad: float | None = None
    median_count: int | None = None
    """Samples that median and MAD rest on: the last thousand of each reader, unless set."""
    line: int | None = None

    def stated(self, quantity: Quantity) -> list[Stated]:
        """As figures in nanoseconds."""
        if not self.count:
            return []
        whole: list[tuple[Any, float | None, float | None, int | None]] = [
            ("mean", None, self.mean, self.count),
            ("std", None, self.std, self.count),
            ("min", None, self.minimum, self.count),
            ("max", None, self.maximum, self.count),
            ("percentile", 50.0, self.median, self.median_count),
            ("mad", None, self.mad, self.median_count),
        ]
        return [
            Stated(quantity, statistic, value * 1e9, percent, count, line=self.line)
            for statistic, percent, value, count in whole
            if value is not None
        ]


@dataclass(slots=True)
class Blocks:
    """A whole file."""

    scenario: str | None = None
    by_name: dict[str, Block] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """Columns of `cases` that are counted: lost, duplicated, out_of_order."""
    readers: int | None = None
    errors: int | None = None
    bytes_per_s: float | None = None
    """Bytes per second of all readers together."""

    def runs(self) -> list[Run]:
        """One for each way of measuring that has samples."""
        params: dict[str, Any] = {"adapter": ADAPTER}
        if self.scenario:
            params["settings"] = {"scenario": self.scenario}
        made = []
        latency = self._stated(ONE_WAY)
        streamed = self.by_name.get("latency")
        if latency or self.bytes_per_s:
            run = Run({**params, "test": "throughput"}, stated=latency)
            run.values = dict(self.counts)
            if streamed and streamed.count:
                run.values["received"] = streamed.count
                if "lost" in run.values:
                    run.values["expected"] = streamed.count + run.values["lost"]
            if self.bytes_per_s is not None:
                run.values["mbit_per_s"] = self.bytes_per_s * 8 / 1e6
            made.append(run)
        round_trips = self._stated(PER_HOP)
        if round_trips:
            run = Run({**params, "test": "latency", "arrivals": "unstated"}, stated=round_trips)
            if (echoed := self.by_name.get("round_trip_latency")) and echoed.count:
                run.values["samples"] = echoed.count
            made.append(run)
        for run in made:
            run.line = min((s.line for s in run.stated if s.line), default=1)
        return made

    def _stated(self, names: dict[str, Quantity]) -> list[Stated]:
        found = []
        for name, quantity in names.items():
            if name in self.by_name:
                found += self.by_name[name].stated(quantity)
        return found
