"""One figure of every label at every size, to find in a big campaign what stands out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log10

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.present.charts import panels, ticks
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Field, Heat, shade

FEWEST_ROWS, FEWEST_COLUMNS = 2, 3
"""A table says less than that better."""

Pick = Callable[[CaseSummary], Figure | None]


def overview(
    key: str, test: str, what: str, pick: Pick, scales: Sequence[text.Scale], *,
    more_is_better: bool = False,
) -> ChartKind:  # fmt: skip
    """The map of one figure, which the caption calls `what`."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Heat]:
        labels, sizes = {case.label for case in cases}, {case.size for case in cases}
        if len(labels) < FEWEST_ROWS or len(sizes) < FEWEST_COLUMNS:
            return
        by_key: dict[panels.Keys, list[CaseSummary]] = {}
        for case in cases:
            by_key.setdefault(panels.where(case, size=False), []).append(case)
        for keys, members in by_key.items():
            if len(members) > 1:
                yield heat(keys, members)

    def heat(keys: panels.Keys, members: Sequence[CaseSummary]) -> Heat:
        sizes = sorted({case.size for case in members if case.size is not None})
        known = {(case.label, case.size): figure for case in members if (figure := pick(case))}
        names = {(case.label, case.size): case.id for case in members}
        positive = [figure.value for figure in known.values() if figure.value > 0]

        def field(label: str, size: int) -> Field | None:
            figure = known.get((label, size))
            if figure is None:
                return None
            place = shade(figure.value, positive, more_is_better=more_is_better)
            note = f"{label}, {text.size_text(size)}: {text.figure_text(figure, scales)}"
            return Field(_short(figure, scales), place, note, case=names[label, size])

        counts = panels.counts_text(
            [f.rounds for f in known.values()], [f.count for f in known.values()]
        )
        rows = [(label, [field(label, size) for size in sizes])
                for label in sorted({case.label for case in members})]  # fmt: skip
        told = f"{what} of {text.plural(len(known), 'case')}; {counts}. Light: the best."
        ticks = [(shade(mark, positive, more_is_better=more_is_better), name)
                 for mark, name in _ticks(positive, scales)]  # fmt: skip
        return Heat(
            keys, members, "size of the body", [text.size_text(size) for size in sizes], "", rows,
            told, ticks,
        )  # fmt: skip

    return ChartKind(
        key, f"{what[:1].upper()}{what[1:]}, all cases", test,
        "Each field is a case; the colour goes with the logarithm. Empty: not measured.",
        f"{test} cases of {FEWEST_ROWS} middlewares and {FEWEST_COLUMNS} sizes or more",
        lambda case: pick(case) and case.size is not None, draw,
        figures=(("median", "latency") if test == "latency" else ("goodput_mbit_per_s",))
        + ("rounds",), shape=Heat,
    )  # fmt: skip


def _short(figure: Figure, scales: Sequence[text.Scale]) -> str:
    """The value with its unit, without its interval."""
    scale = text.scale_for([figure.value], scales)
    unit = f" {scale.unit}" if len(scales) > 1 else ""
    return f"{text.value_text(figure, scale)}{unit}"


def _ticks(values: Sequence[float], scales: Sequence[text.Scale]) -> list[tuple[float, str]]:
    """1, 2 and 5 of every decade, or where these are too few both ends; as values and not as
    logarithms."""
    if not values:
        return []
    low, high = min(values), max(values)
    steps = (1, 2, 5) if high / low < 300 else (1,)
    decades = range(int(log10(low)) - 1, int(log10(high)) + 2)
    marks = [step * 10.0**decade for decade in decades for step in steps]
    within = [mark for mark in marks if low <= mark <= high]
    return [(mark, _told(mark, scales)) for mark in (within if len(within) > 1 else (low, high))]


def _told(value: float, scales: Sequence[text.Scale]) -> str:
    scale = text.scale_for([value], scales)
    return f"{ticks.plain(float(f'{value / scale.factor:.3g}'))} {scale.unit}"


CHARTS = (
    overview(
        "latency-heat", "latency", "median RTT/2",
        lambda case: case.rtt_2.median if case.rtt_2 else None, text.TIME,
    ),
    overview(
        "throughput-heat", "throughput", "goodput", lambda case: case.goodput, text.MBIT,
        more_is_better=True,
    ),
)  # fmt: skip
