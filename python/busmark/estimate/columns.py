"""The columns of the tables of estimates and of series, and of what `busmark.open` gives.

Frames are built from these lists, and the reference page is generated from them. A column of a case
that is an estimate is followed by the limits of its interval, `_low` and `_high`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from busmark.model.entry import LatencySet, Statistic
from busmark.model.figure import Figure
from busmark.model.quantities import ESTIMATES as OF_CASES
from busmark.model.quantities import LATENCIES, NUMBERS
from busmark.model.statistics import POOLED, REPORTED
from busmark.store.columns import LOADS, OF_PLUGINS, TABLES, StoredColumn
from busmark.store.columns import PARAMETERS as ASKED

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary

SCOPES = {
    "case": "the whole case",
    "round": "a round that counts",
    "segment": "a part of a ping's way",
    "flow": "one of the scenario's own flows, or what went from one participant to another",
    "participant": "all that a participant wrote and read, and what it cost",
    "node": "all that a node wrote and read, and what it cost",
    "system": "all that all nodes together wrote and read, and what it cost",
    "level": "a reader, participant or node on the average, or the whole",
    "phase": "a flow in a phase of the timeline",
    "load": "a background load",
    "batch": "one of the first batches, as a reader saw it",
    "pair": "a writer and a reader, of a stream whose readers time every sample",
    "traffic": "packets of one purpose",
    "route": "a flow's samples, hop by hop, as packets show them",
}
"""The parts of a case that have estimates."""

ESTIMATES = (
    StoredColumn("case", "text", "", "identifier of the case"),
    StoredColumn("scope", "text", "", f"of what it is: {', '.join(SCOPES)}"),
    StoredColumn("of", "text", "", "which of these: its name; null for the whole case"),
    StoredColumn("node", "text", "", "the user's node on which it was; null: this machine; of what "
           "went from A to B, both nodes"),
    StoredColumn("round", "int", "", "number of the round; null for all that count"),
    StoredColumn("quantity", "text", "", "what is measured, such as half_round_trip"),
    StoredColumn("statistic", "text", "", "median, mean, p99 …; count: of samples; value: as it "
           "was asked for or stated; drift: last third of a round over its first, less 1; "
           "trending_rounds: with a trend (Mann–Kendall, p < 0.01), of those tested; modes, mode_1 "
           "(the largest), mode_1_share, valley_ratio: peaks of the density, the samples from the "
           "valley below to the valley above, and how low it falls between; hop_stdev: of one of "
           "the two hops of a round trip"),
    StoredColumn("over", "text", "", "rounds: a typical round, which is the median over rounds "
           "of the figure of a round (the mean for shares lost); samples: all samples of the "
           "rounds "
           "together; best 99 %: the smallest 99 % of these; inside: the variance of a round's "
           "figure that the samples inside a round imply"),
    StoredColumn("value", "float", "", "in the unit of this row; null: `reason` says why"),
    StoredColumn("low", "float", "", "lower limit of its interval; null where there is none"),
    StoredColumn("high", "float", "", "upper limit of its interval"),
    StoredColumn("confidence", "float", "", "nominal coverage of the interval, 0 to 1"),
    StoredColumn("bound", "text", "", "upper or lower, where the value is only a bound; lower "
           "without a value: the figure falls among the samples that were lost, later than any"),
    StoredColumn("count", "int", "", "samples it rests on"),
    StoredColumn("effective", "float", "", "independent samples that say as much of a mean, in all "
           "rounds together; null where that was not determined"),
    StoredColumn("rounds", "int", "", "rounds it rests on"),
    StoredColumn("unit", "text", "",
        "ns, 1/s, Mbit/s, B, CPU, MiB, 1 for a share, or empty for a count"),
    StoredColumn("reason", "text", "", "why there is no value, or only a bound; of the begin of a "
           "phase, what changed"),
)  # fmt: skip

KINDS = {
    "percentiles": "x per cent of the samples sent are at or below y; closer towards the last",
    "quantiles": "the same at evenly spaced per cent",
    "histogram": "y samples in the bin from `low` to `high`: 25 bins from the 5th to the 95th "
    "percentile, an open bin at either end",
    "log_histogram": "25 bins of equal ratio",
    "density": "Gaussian kernel estimate, Silverman's bandwidth",
    "density_10us": "the same with a bandwidth of 10 µs",
    "smoothed_ecdf": "share y of the samples sent at or below x, by the same kernel",
    "box": "minimum, percentiles 5, 25, 50, 75 and 95, maximum of a round",
    "timeline": "y over the time of a round, thinned so that no extreme is lost",
    "detail": "the last samples of that round, every one",
    "lost": "when samples were sent that never came back",
    "autocorrelation": "of samples x apart; `low` and `high`: where 95 % lie if independent",
    "rounds": "a value for each round x",
    "matches": "y endpoints had all their matches x after the last of them was created",
}
"""Meanings of curves, by kind."""

SERIES = (
    StoredColumn("case", "text", "", "identifier of the case"),
    StoredColumn("scope", "text", "", "case, round or participant"),
    StoredColumn("of", "text", "", "name of the participant; null for a case and a round"),
    StoredColumn("node", "text", "", "the user's node on which it ran; null: this machine"),
    StoredColumn("round", "int", "", "number of the round; null for all that count"),
    StoredColumn(
        "quantity",
        "text",
        "",
        "what is measured, as in the table of estimates; …_ipdv: jitter with its sign (RFC 3393)",
    ),
    StoredColumn("kind", "text", "", "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())),
    StoredColumn("x", "float", "", "in `x_unit`; null for an open bin"),
    StoredColumn("y", "float", "", "in `unit`; null where nothing came back"),
    StoredColumn("low", "float", "", "lower limit of y; lower edge of a bin; start of an interval"),
    StoredColumn("high", "float", "", "upper limit of y; upper edge of a bin; end of an interval"),
    StoredColumn(
        "count", "int", "", "samples that the curve rests on; of `lost`: how many there are"
    ),
    StoredColumn(
        "lost",
        "int",
        "",
        "samples that were sent besides and never came back, later than any; "
        "null where that is not known",
    ),
    StoredColumn(
        "bandwidth", "float", "ns", "standard deviation of the kernel of a smoothed curve"
    ),
    StoredColumn("x_unit", "text", "", "s, ns, %, or empty for a number"),
    StoredColumn("unit", "text", "", "unit of y"),
)

PARAMETERS = tuple(column for column in ASKED if column.name != "qos")
"""Parameters that every campaign has; `qos` comes apart into a column for each policy."""

IDENTITY = (
    StoredColumn("case", "text", "", "identifier of the case"),
    StoredColumn(
        "label", "text", "", "name of its curve in reports: the adapter and what is compared"
    ),
    StoredColumn(
        "status",
        "text",
        "",
        "ok; partial: some rounds were marked or failed; failed: no round is usable; unsupported; "
        "not_run",
    ),
    StoredColumn("reason", "text", "", "why it is not ok"),
    StoredColumn(
        "is_floor", "bool", "", "whether it is the null adapter: what Busmark itself costs"
    ),
    StoredColumn(
        "os",
        "text",
        "",
        "operating system on which it ran; A → B: who wrote was on A, who "
        "read on B; null where it was not recorded",
    ),
)

COUNTS = (
    StoredColumn("rounds_ok", "int", "", "rounds that enter the estimates"),
    StoredColumn("rounds_marked", "int", "", "rounds that finished, but missed a criterion"),
    StoredColumn("rounds_failed", "int", "", "rounds without a result"),
    *(
        StoredColumn(one.key, "float" if one.unit else "int", one.unit, one.meaning)
        for one in NUMBERS
        if one.frames
    ),
    *(StoredColumn(name.name, name.kind, name.unit, f"{name.meaning}; mean of the rounds that count"
             if name.name.endswith("_achieved") else name.meaning) for name in LOADS),
)  # fmt: skip

Pick = Callable[["CaseSummary"], Figure | None]


@dataclass(frozen=True, slots=True)
class CaseMeasure:
    """One estimate of a case, and where the analysed campaign has it."""

    name: str
    unit: str
    meaning: str
    pick: Pick
    suffix: str = ""
    """Suffix of the column, for the unit."""

    def columns(self) -> tuple[StoredColumn, StoredColumn, StoredColumn]:
        """Return the columns of the value and of its lower and upper limit."""
        limit = f"limit of the 95 % interval of {self.column}; null where there is none"
        return (
            StoredColumn(self.column, "float", self.unit, self.meaning),
            StoredColumn(f"{self.name}_low{self.suffix}", "float", self.unit, f"lower {limit}"),
            StoredColumn(f"{self.name}_high{self.suffix}", "float", self.unit, f"upper {limit}"),
        )

    @property
    def column(self) -> str:
        """Name of the column of the value."""
        return f"{self.name}{self.suffix}"


def statistics(of: LatencySet) -> list[CaseMeasure]:
    """Return the estimates of these latencies."""

    def picker(one: Statistic) -> Pick:
        return lambda case: one.figure(of.in_case(case))

    return [
        CaseMeasure(
            f"{of.key}_{one.key}", "ns", f"{one.meaning} of {of.meaning}", picker(one), "_ns"
        )
        for one in REPORTED
    ]


def _columns(of: LatencySet) -> list[StoredColumn]:
    """List estimates, then statistics of all these latencies together, then their numbers."""
    return [
        *(column for measure in statistics(of) for column in measure.columns()),
        *(
            StoredColumn(f"{of.key}_{one.key}", "float", "ns", f"{one.meaning} of {of.meaning}")
            for one in POOLED
        ),
        StoredColumn(f"{of.key}_rounds", "int", "", "rounds that these estimates rest on"),
        StoredColumn(f"{of.key}_count", "int", "", "samples that they rest on"),
    ]


MEASURES = tuple(
    CaseMeasure(one.key, one.unit, one.meaning, one.figure, one.suffix) for one in OF_CASES
)
"""Estimates that are not of latencies."""

CASES = (
    *IDENTITY,
    *PARAMETERS,
    *COUNTS,
    *(column for of in LATENCIES for column in _columns(of)),
    *(column for measure in MEASURES for column in measure.columns()),
)

MACHINES = (
    StoredColumn(
        "node",
        "text",
        "",
        "the user's node that it is; null: the machine on which the campaign began",
    ),
    StoredColumn(
        "from_order",
        "int",
        "",
        "place in the order of rounds from which on it was this "
        "machine, where a campaign was resumed on another one",
    ),
)

SINGLE = (
    StoredColumn("round", "int", "", "number of the round"),
    StoredColumn("t_s", "float", "s", "when it was to be sent, from the round's first sample after "
           "warm-up"),
    StoredColumn("latency_ns", "float", "ns", "its latency, from the intended time of sending"),
)  # fmt: skip

FINDINGS = (
    StoredColumn("id", "text", "", "name of the rule"),
    StoredColumn("severity", "text", "", "error, warning or note"),
    StoredColumn("title", "text", "", "what was found"),
    StoredColumn("cause", "text", "", "why"),
    StoredColumn("evidence", "text", "", "what shows it"),
    StoredColumn("remedy", "text", "", "what to do"),
    StoredColumn("cases", "text", "", "cases it concerns, joined by commas; null: the host or "
           "the whole campaign"),
    StoredColumn("explains", "text", "", "titles of findings on the same cases of which it may "
           "be the cause, joined by semicolons; null: none"),
)  # fmt: skip

CHANGES = (
    StoredColumn("label", "text", "", "what sets the case apart"),
    StoredColumn("case", "text", "", "its identifier in the baseline"),
    StoredColumn("other_case", "text", "", "its identifier in the other"),
    StoredColumn("figure", "text", "",
        "as `busmark compare --fail-if` names it, such as median.latency"),
    StoredColumn("headline", "bool", "", "whether the verdict of the case is this figure's"),
    StoredColumn("kind", "text", "", "ratio: the other over the baseline; difference: the other "
           "minus it"),
    StoredColumn("change", "float", "", "the ratio or difference"),
    StoredColumn("low", "float", "", "lower limit of its interval; null where there is none"),
    StoredColumn("high", "float", "", "upper limit of its interval"),
    StoredColumn("p_adjusted", "float", "", "probability of such a change if there were none, by "
           "Holm over all figures"),
    StoredColumn("verdict", "text", "", "such as faster, slower, equivalent or undecided"),
    StoredColumn("reason", "text", "", "why the comparison is undecided, or what to bear in mind"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrameColumns:
    """One frame of `Results`: the call that returns it, what a row is, its columns."""

    call: str
    row: str
    columns: tuple[StoredColumn, ...]
    note: str = ""


FRAMES = (
    FrameColumns("cases", "a case", CASES, "Further parameters, where a campaign has them, follow "
                 "the parameters below: each QoS policy as `qos_NAME`, each adapter option as "
                 "`settings_NAME`, others by their name."),
    FrameColumns("estimates", "an estimate of a case or of a part of it", ESTIMATES, "Every figure "
                 "of a result. A figure is a `quantity` and a `statistic` of it; `scope` and `of` "
                 "say of what: flows of the scenario's own, levels from a reader to the whole, "
                 "nodes. The table is kept with the result, in `estimates.parquet`."),
    FrameColumns("series", "a point of a curve of a case", SERIES, "What charts draw, of which "
                 "extremes are never thinned out. The table is kept with the result, in "
                 "`series.parquet`."),
    FrameColumns("rounds", "a round of a case, whatever became of it", TABLES["cases"]),
    FrameColumns("machines", "a machine of the campaign", MACHINES, "Every fact of its "
                 "profile follows by its name: `cpu_model`, `kernel`, `clock_sync_error_ns` …"),
    FrameColumns("latencies(case)", "a latency that was measured", SINGLE, "In order of time, "
                 "without warm-up. Lost ones are absent and counted in `cases`; with `lost=True` "
                 "they are rows without latency, as far as a record says when they were sent."),
    FrameColumns("samples()", "a recorded sample", TABLES["samples"], "Samples of the scenario's "
                 "own flows too, which do not count in the figures of the case: `flow` has which."),
    FrameColumns("intervals()", "an interval of a stream", TABLES["intervals"]),
    FrameColumns("participants()", "a participant of a round", TABLES["participants"]),
    FrameColumns("flows()", "a writer's samples at one reader, in a round", TABLES["flows"]),
    FrameColumns("changes()", "a change in the middle of a round", TABLES["changes"]),
    FrameColumns("batches()", "a batch as one reader saw it", TABLES["batches"]),
    FrameColumns("discoveries()", "a repetition of a discovery test", TABLES["discoveries"]),
    FrameColumns("goals()", "a goal of an action test", TABLES["goals"]),
    FrameColumns("matches()", "an endpoint of a round of streams with three endpoints or more",
                 TABLES["matches"]),
    *(FrameColumns(f"{name}()", of.row, TABLES[name]) for name, of in OF_PLUGINS.items()),
    FrameColumns("system()", "an interval of one object of the kernel", TABLES["system"]),
    FrameColumns("findings", "a finding", FINDINGS),
    FrameColumns("compare(other)", "a figure of a case that both results have", CHANGES),
    FrameColumns("reported", "a figure that the source of an imported result states",
                 TABLES["summaries"]),
)  # fmt: skip
