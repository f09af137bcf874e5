"""What a plot of a distribution is about: a latency, or its jitter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.analysis.curve import Curve
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.shapes import RoundBox, Shape
from busmark.analysis.text import figure_text
from busmark.report.html.charts import chart, style
from busmark.report.html.charts.chart import Keys, Trace

AXES = {
    "half_round_trip": "RTT/2, µs",
    "round_trip": "round trip, µs",
    "one_way": "one-way latency, µs",
    "half_round_trip_jitter": "jitter of RTT/2, µs",
    "round_trip_jitter": "jitter of the round trip, µs",
    "one_way_jitter": "one-way jitter, µs",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """Chooses what is drawn of a case."""

    name: str
    """Of the selector's value."""
    signed: bool
    """Jitter may be negative: no logarithm of it is drawn."""

    def shape(self, case: CaseSummary) -> Shape | None:
        """Histograms and densities."""
        if not case.series:
            return None
        return case.series.jitter if self.signed else case.series.shape

    def curve(self, case: CaseSummary) -> Curve | None:
        """Percentiles to the tail; of jitter, of its magnitude."""
        if not case.series:
            return None
        return case.series.jitter_curve if self.signed else case.series.curve

    def boxes(self, case: CaseSummary) -> list[RoundBox]:
        """Of each round; of jitter, of its magnitude."""
        if not case.series:
            return []
        return case.series.jitter_boxes if self.signed else case.series.boxes

    def axis(self, cases: Sequence[CaseSummary]) -> str:
        """Title of an axis of it."""
        shape = next((s for case in cases if (s := self.shape(case))), None)
        return AXES[shape.quantity] if shape else ""

    def linear_axis(self, cases: Sequence[CaseSummary]) -> dict[str, object]:
        """An axis of it on which equal widths are equal."""
        return style.axis(self.axis(cases), separatethousands=True)

    def value_axis(
        self, cases: Sequence[CaseSummary], values: Sequence[float]
    ) -> dict[str, object]:
        """An axis of it: logarithmic, of signed values linear."""
        title = self.axis(cases)
        if self.signed:
            return style.axis(title, separatethousands=True)
        return style.log_axis(title, values)


LATENCY = Subject("latency", signed=False)
JITTER = Subject("jitter", signed=True)


def with_floor(campaign: Campaign, members: Sequence[CaseSummary]) -> list[CaseSummary]:
    """The cases, and their floor where it has a distribution."""
    floor = chart.floor_of(campaign, members[0])
    known = floor and floor.series and floor.series.curve
    return [*members, floor] if floor and known else list(members)


def floor_line(
    campaign: Campaign, case: CaseSummary, top: float, subject: Subject
) -> tuple[list[Trace], str]:
    """The floor as a line at its median, where its own shape would dwarf all others; and what the
    caption says of it. Jitter lies about 0 anyway."""
    floor = chart.floor_of(campaign, case)
    if not floor or not floor.rtt_2 or subject.signed:
        return [], ""
    at = floor.rtt_2.median
    line = style.reference(f"{floor.label}, median", [at.value / style.MICRO] * 2, [0, top], "dash")
    return [line | {"line": {"color": style.GREY, "width": 2, "dash": "dash"}}], (
        f" Dashed: the median of {floor.label}, {figure_text(at)}."
    )


def caption(keys: Keys, members: Sequence[CaseSummary], subject: Subject, told: str = "") -> str:
    """What is chosen, and how much it rests on."""
    counts = [s.count for case in members if (s := subject.shape(case))]
    rounds = [case.rounds.ok for case in members]
    plain = tuple((n, v) for n, v in keys if n not in ("Plot", "Of"))
    return f"{chart.described(plain)}: {chart.counts_text(rounds, counts)}.{told}"
