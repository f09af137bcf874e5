"""The columns of the frames that `busmark.open` gives: name, kind, unit, meaning.

The frames are built from these lists and the reference page is generated from them. A column that
is an estimate is followed by the limits of its interval, `_low` and `_high`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from busmark.analysis.figures import Distribution, Figure
from busmark.analysis.model import CaseSummary, Latency, Throughput
from busmark.store.columns import CASES as ROUNDS
from busmark.store.columns import INTERVALS, SAMPLES, SUMMARIES, SYSTEM, Column

FIRST_PARAMETER, LAST_PARAMETER = "test", "load"
"""Of the table `cases`: what stands between them is a parameter of the case."""

_NAMES = [column.name for column in ROUNDS]
PARAMETERS = tuple(
    column
    for column in ROUNDS[_NAMES.index(FIRST_PARAMETER) : _NAMES.index(LAST_PARAMETER) + 1]
    if column.name != "qos"
)
"""Parameters that every campaign has; `qos` comes apart into a column for each policy."""

IDENTITY = (
    Column("case", "text", "", "identifier of the case"),
    Column("label", "text", "", "name of its curve in reports: the adapter and what is compared"),
    Column(
        "status",
        "text",
        "",
        "ok; partial: some rounds were marked or failed; failed: no round is usable; unsupported; "
        "not_run",
    ),
    Column("reason", "text", "", "why it is not ok"),
    Column("is_floor", "bool", "", "whether it is the null adapter: what Busmark itself costs"),
)

COUNTS = (
    Column("rounds_ok", "int", "", "rounds that enter the estimates"),
    Column("rounds_marked", "int", "", "rounds that finished, but missed a criterion"),
    Column("rounds_failed", "int", "", "rounds without a result"),
    Column("sent", "int", "", "samples written in those that count, after warm-up"),
    Column("received", "int", "", "samples of a stream that arrived; null in a latency case"),
    Column("lost", "int", "", "of the expected ones, those that never arrived; of pings, those "
           "whose pong never came"),
    Column("duplicated", "int", "", "arrived again; null in a latency case"),
    Column("out_of_order", "int", "", "arrived after a later one; null in a latency case"),
)  # fmt: skip

Pick = Callable[[CaseSummary], Figure | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """One estimate of a case, and where the analysed campaign has it."""

    name: str
    unit: str
    meaning: str
    pick: Pick
    suffix: str = ""
    """Of the column, for the unit."""

    def columns(self) -> tuple[Column, Column, Column]:
        """Value, lower and upper limit."""
        limit = f"limit of the 95 % interval of {self.column}; null where there is none"
        return (
            Column(self.column, "float", self.unit, self.meaning),
            Column(f"{self.name}_low{self.suffix}", "float", self.unit, f"lower {limit}"),
            Column(f"{self.name}_high{self.suffix}", "float", self.unit, f"upper {limit}"),
        )

    @property
    def column(self) -> str:
        """Name of the column of the value."""
        return f"{self.name}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Described:
    """A distribution of latencies of a case."""

    name: str
    meaning: str
    pick: Callable[[CaseSummary], Distribution | None]

    def measures(self) -> list[Measure]:
        """Its estimates."""

        def picker(field: str) -> Pick:
            def pick(case: CaseSummary) -> Figure | None:
                found = self.pick(case)
                value: Figure | None = getattr(found, field) if found else None
                return value

            return pick

        return [
            Measure(f"{self.name}_{field}", "ns", f"{told} of {self.meaning}", picker(field), "_ns")
            for field, told in ESTIMATED.items()
        ]

    def columns(self) -> list[Column]:
        """Estimates, then what describes all its samples together, then their number."""
        return [
            *(column for measure in self.measures() for column in measure.columns()),
            *(
                Column(f"{self.name}_{field}", "float", "ns", f"{told} of {self.meaning}")
                for field, told in POOLED.items()
            ),
            Column(f"{self.name}_rounds", "int", "", "rounds that these estimates rest on"),
            Column(f"{self.name}_count", "int", "", "samples that they rest on"),
        ]


ESTIMATED = {
    "median": "median",
    "mean": "mean",
    "p99": "99th percentile",
    "p999": "99.9th percentile",
}
POOLED = {
    "std_ns": "standard deviation, all rounds together,",
    "mad_ns": "median absolute deviation, all rounds together,",
    "min_ns": "smallest",
    "max_ns": "largest",
}


def _latency(case: CaseSummary) -> Latency | None:
    return case.latency


def _throughput(case: CaseSummary) -> Throughput | None:
    return case.throughput


def _jitter(case: CaseSummary) -> Distribution | None:
    found = case.latency or case.throughput
    return found.jitter if found else None


def _jitter_share(case: CaseSummary) -> Figure | None:
    found = case.latency or case.throughput
    return found.jitter_share if found else None


DISTRIBUTIONS = (
    Described(
        "half_round_trip", "round trips of pings, halved",
        lambda c: c.latency.half_round_trip if c.latency else None,
    ),
    Described(
        "probe_one_way", "one-way latencies of probes in a stream",
        lambda c: c.throughput.probe_one_way if c.throughput else None,
    ),
    Described(
        "probe_round_trip", "round trips of probes in a stream",
        lambda c: c.throughput.probe_round_trip if c.throughput else None,
    ),
    Described(
        "jitter", "magnitudes of the change of that latency from a sample to the next (RFC 3393)",
        _jitter,
    ),
)  # fmt: skip

MEASURES = (
    Measure(
        "one_way_there_median", "ns", "median from a ping's sending to the ponger's hands",
        lambda c: c.latency.one_way_there.median
        if c.latency and c.latency.one_way_there and not c.latency.one_way_there.bounded else None,
        "_ns",
    ),
    Measure(
        "one_way_back_median", "ns", "median from a pong's sending to the pinger's hands",
        lambda c: c.latency.one_way_back.median
        if c.latency and c.latency.one_way_back and not c.latency.one_way_back.bounded else None,
        "_ns",
    ),
    Measure("jitter_share", "1", "median jitter over median latency, of each round",
            _jitter_share),
    Measure(
        "goodput_mbit_per_s", "Mbit/s",
        "goodput of bodies at the readers; of the test capacity at the sustained rate",
        lambda c: c.goodput,
    ),
    Measure(
        "samples_per_s", "1/s", "goodput at the readers, all together",
        lambda c: c.throughput.samples_per_s if c.throughput else None,
    ),
    Measure(
        "written_per_s", "1/s", "rate of the writers",
        lambda c: c.throughput.written_per_s if c.throughput else None,
    ),
    Measure(
        "loss_share", "1", "lost samples of the expected ones, 0 to 1",
        lambda c: c.throughput.loss_share if c.throughput else None,
    ),
    Measure(
        "sustained_rate_per_s", "1/s", "greatest rate of each writer that met the criterion",
        lambda c: c.capacity.rate if c.capacity else None,
    ),
    Measure("cpus_used", "CPU", "CPUs that all participants together kept busy",
            lambda c: c.cpus_used),
)  # fmt: skip
"""Estimates that are not of a distribution. What is bounded only is not told as a number."""

ALL_MEASURES = (*(m for d in DISTRIBUTIONS for m in d.measures()), *MEASURES)

CASES = (
    *IDENTITY,
    *PARAMETERS,
    *COUNTS,
    *(column for distribution in DISTRIBUTIONS for column in distribution.columns()),
    *(column for measure in MEASURES for column in measure.columns()),
)

ESTIMATES = (
    Column("case", "text", "", "identifier of the case"),
    Column("figure", "text", "", "name of the estimate, such as half_round_trip_median"),
    Column("value", "float", "", "its value, in the unit of this row"),
    Column("low", "float", "", "lower limit of its interval; null where there is none"),
    Column("high", "float", "", "upper limit of its interval"),
    Column("confidence", "float", "", "nominal coverage of the interval, 0 to 1"),
    Column("count", "int", "", "samples it rests on"),
    Column("rounds", "int", "", "rounds it rests on"),
    Column("unit", "text", "", "ns, 1/s, Mbit/s, CPU, or 1 for a share"),
)

PERCENTILES = (
    Column("case", "text", "", "identifier of the case"),
    Column("quantity", "text", "", "half_round_trip, probe_one_way, probe_round_trip or "
           "jitter"),
    Column("percent", "float", "%", "which percentile"),
    Column("value_ns", "float", "ns", "its value, of the samples of all rounds together; null "
           "where they are too few"),
    Column("low_ns", "float", "ns", "lower limit of its 95 % interval over rounds; null where "
           "rounds or samples are too few"),
    Column("high_ns", "float", "ns", "upper limit of that interval"),
    Column("count", "int", "", "samples it rests on"),
)  # fmt: skip

LEGS = (
    Column("case", "text", "", "identifier of the case"),
    Column("leg", "text", "", "send source, send, send arrival, turn-round, echo, echo arrival, "
           "trip or inter-arrival; see [metrics](metrics.md#legs-with-their-best-samples)"),
    Column("every", "int", "", "one in so many pings is in it; 1: all that came back"),
    Column("percent", "float", "%", "share of the smallest that the row describes"),
    Column("count", "int", "", "samples in that share"),
    Column("min_ns", "float", "ns", "smallest; negative where the later stamp was taken first"),
    Column("mean_ns", "float", "ns", "mean"),
    Column("max_ns", "float", "ns", "greatest"),
    Column("std_ns", "float", "ns", "standard deviation; null for a single sample"),
)  # fmt: skip

LATENCIES = (
    Column("round", "int", "", "number of the round"),
    Column("t_s", "float", "s", "when it was to be sent, from the round's first sample after "
           "warm-up"),
    Column("latency_ns", "float", "ns", "its latency, from the intended time of sending"),
)  # fmt: skip

FINDINGS = (
    Column("id", "text", "", "name of the rule"),
    Column("severity", "text", "", "error, warning or note"),
    Column("title", "text", "", "what was found"),
    Column("cause", "text", "", "why"),
    Column("evidence", "text", "", "what shows it"),
    Column("remedy", "text", "", "what to do"),
    Column("cases", "text", "", "cases it concerns, joined by commas; null: the host or the whole "
           "campaign"),
)  # fmt: skip


CHANGES = (
    Column("label", "text", "", "what sets the case apart"),
    Column("case", "text", "", "its identifier in the baseline"),
    Column("other_case", "text", "", "its identifier in the other"),
    Column("figure", "text", "", "as `busmark compare --fail-if` names it, such as median.latency"),
    Column("headline", "bool", "", "whether the verdict of the case is this figure's"),
    Column("kind", "text", "", "ratio: the other over the baseline; difference: the other "
           "minus it"),
    Column("change", "float", "", "the ratio or difference"),
    Column("low", "float", "", "lower limit of its interval; null where there is none"),
    Column("high", "float", "", "upper limit of its interval"),
    Column("p_adjusted", "float", "", "probability of such a change if there were none, by Holm "
           "over all figures"),
    Column("verdict", "text", "", "such as faster, slower, equivalent or cannot tell"),
    Column("reason", "text", "", "why nothing can be told, or what is to be borne in mind"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrameColumns:
    """One frame of `Results`: how it is asked for, what a row is, its columns."""

    call: str
    row: str
    columns: tuple[Column, ...]
    note: str = ""


FRAMES = (
    FrameColumns("cases", "a case", CASES, "Further parameters, where a campaign has them, follow "
                 "the parameters below: each QoS policy as `qos_NAME`, each adapter option as "
                 "`settings_NAME`, others by their name."),
    FrameColumns("estimates", "an estimate of a case", ESTIMATES, "The same estimates as in "
                 "`cases`, one below the other, with all that is known of each."),
    FrameColumns("percentiles", "a percentile of a case", PERCENTILES),
    FrameColumns("legs", "the best so many per cent of a part of a ping's way", LEGS, "Of all "
                 "rounds together; parts without stamps by one clock have no row."),
    FrameColumns("rounds", "a round of a case, whatever became of it", ROUNDS),
    FrameColumns("latencies(case)", "a latency that was measured", LATENCIES, "In order of time, "
                 "without warm-up. Lost ones are absent and counted in `cases`; with `lost=True` "
                 "they are rows without latency."),
    FrameColumns("samples()", "a recorded sample", SAMPLES),
    FrameColumns("intervals()", "an interval of a stream", INTERVALS),
    FrameColumns("system()", "an interval of one object of the kernel", SYSTEM),
    FrameColumns("findings", "a finding", FINDINGS),
    FrameColumns("compare(other)", "a figure of a case that both results have", CHANGES),
    FrameColumns("stated", "a figure that the source of an imported result states", SUMMARIES),
)  # fmt: skip
