"""Blocks of statistics, the runs that they become, and what is known to be wrong with them.

The flaws follow from the sources of OpenDDS Bench.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    Values,
)

ADAPTER = "opendds"

ONE_WAY: dict[str, Quantity] = {
    "latency": "one_way",
    "jitter": "one_way_jitter",
    "discovery_delta": "discovery",
}
ROUND_TRIP: dict[str, Quantity] = {
    "round_trip_latency": "per_hop",
    "round_trip_jitter": "per_hop_jitter",
}
"""Blocks by their name in the file. Round trips are divided by the number of their hops."""


CLOCKS = Flaw(
    "opendds-clocks",
    "warning",
    "One-way latency is a difference of wall clocks",
    "Both stamps are of the system's clock. Between hosts the difference of their clocks is in it, "
    "and a step of a clock leaks into round trips too.",
    "On several hosts use round trips; see that no clock was set during the run.",
)
LAST_THOUSAND = Flaw(
    "opendds-median",
    "warning",
    "Median and MAD are of the last samples only",
    "They are of the last thousand samples of each reader (unless set otherwise); mean, least and "
    "greatest are of all.",
    "Set a larger median buffer, or do not compare the median with the mean.",
)
RATE = Flaw(
    "opendds-throughput",
    "warning",
    "Throughput is a mean of running means",
    "With every sample the rate since the start is entered, and their mean is printed: "
    "the start weighs most. Octets are of the data as it is in memory, not as it is sent.",
    "Do not compare it with goodput.",
)
PER_HOP = Flaw(
    "opendds-per-hop",
    "note",
    "Round trips are divided by their hops",
    "round_trip_latency is the round trip over the number of hops, which the file does not state. "
    "For one echo it is RTT/2.",
    "Where there was one echo, compare it with RTT/2 of others.",
)
DEVIATION = Flaw(
    "opendds-deviation",
    "note",
    "The deviation leaves differences between readers out",
    "The report parser adds up the variance inside readers only.",
    "Import the report of the test controller: from it all of the deviation is computed.",
)
MICROSECONDS = Flaw(
    "opendds-six-decimals",
    "note",
    "Times are whole microseconds",
    "The summary has six decimals of a second.",
    "Import the report of the test controller.",
)
NO_PERCENTILES = Flaw(
    "opendds-no-percentiles",
    "note",
    "There are no percentiles but the median",
    "OpenDDS Bench keeps moments, and its last samples.",
    "For a tail measure with a tool that keeps all samples.",
)

FLAWS = (CLOCKS, LAST_THOUSAND, RATE, PER_HOP, DEVIATION, MICROSECONDS, NO_PERCENTILES)


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

    def reported(self, quantity: Quantity) -> list[ReportedFigure]:
        """Return it as figures in nanoseconds."""
        if not self.count:
            return []
        whole: list[tuple[Statistic, float | None, float | None, int | None]] = [
            ("mean", None, self.mean, self.count),
            ("std", None, self.std, self.count),
            ("min", None, self.minimum, self.count),
            ("max", None, self.maximum, self.count),
            ("percentile", 50.0, self.median, self.median_count),
            ("mad", None, self.mad, self.median_count),
        ]
        return [
            ReportedFigure(quantity, statistic, value * 1e9, percent, count, line=self.line)
            for statistic, percent, value, count in whole
            if value is not None
        ]


@dataclass(slots=True)
class Blocks:
    """A whole file."""

    scenario: str | None = None
    by_name: dict[str, Block] = field(default_factory=dict)
    counts: Values = field(default_factory=Values)
    """Counts by name: lost, duplicated, out_of_order."""
    bytes_per_s: float | None = None
    """Bytes per second of all readers together."""

    def runs(self) -> list[Run]:
        """Return one for each way of measuring that has samples."""
        made = []
        latency = self._reported(ONE_WAY)
        streamed = self.by_name.get("latency")
        if latency or self.bytes_per_s:
            params = RunParameters(test="throughput", adapter=ADAPTER)
            run = Run(params, self.counts.copy(), latency)
            if streamed and streamed.count:
                run.values["received"] = streamed.count
                if (lost := self.counts.get("lost")) is not None:
                    run.values["expected"] = streamed.count + lost
            if self.bytes_per_s is not None:
                run.values["mbit_per_s"] = self.bytes_per_s * 8 / 1e6
            made.append(run)
        round_trips = self._reported(ROUND_TRIP)
        if round_trips:
            params = RunParameters(test="latency", adapter=ADAPTER, arrivals="unstated")
            run = Run(params, reported=round_trips)
            if (echoed := self.by_name.get("round_trip_latency")) and echoed.count:
                run.values["samples"] = echoed.count
            made.append(run)
        for run in made:
            if self.scenario:
                run.params.settings = {"scenario": self.scenario}
            run.line = min((s.line for s in run.reported if s.line), default=1)
        return made

    def _reported(self, names: dict[str, Quantity]) -> list[ReportedFigure]:
        found = []
        for name, quantity in names.items():
            if name in self.by_name:
                found += self.by_name[name].reported(quantity)
        return found


def observe(imported: ImportedFile, form: str) -> None:
    """Add the flaws that the file shows."""
    timed = [r for r in imported.runs if r.reported]
    one_way = [r for r in timed if r.params.test == "throughput"]
    round_trips = [r for r in timed if r.params.test == "latency"]
    imported.observe(CLOCKS, "the tool stamps with the system's clock", timed)
    imported.observe(NO_PERCENTILES, "no property of that kind", timed)
    for run in timed:
        counts = {
            s.statistic: s.count for s in run.reported if s.quantity in ("one_way", "per_hop")
        }
        kept, of = counts.get("percentile"), counts.get("mean")
        if kept and of and kept < of:
            imported.observe(LAST_THOUSAND, f"{kept} of {of} samples", [run])
    if form == "report" and any("mbit_per_s" in r.values for r in one_way):
        imported.observe(RATE, "throughput_mean of each reader, added up", one_way)
    imported.observe(PER_HOP, "round_trip_latency", round_trips)
    if form != "report":
        imported.observe(DEVIATION, "a summary of all readers", timed)
        imported.observe(MICROSECONDS, "a summary of the report parser", timed)
