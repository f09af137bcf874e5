"""A history: at which commits levels changed, and the level of every figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import median

from busmark.model import text
from busmark.model.naming import FLOOR_ADAPTER, Label, placement_text
from busmark.present.blocks import changes
from busmark.present.blocks.rows import Field, further_rows, listing, table
from busmark.present.charts.look import swatch
from busmark.present.charts.shapes import Axis, DrawnCurve, Picture, Plot, Reference
from busmark.present.charts.shapes import Point as Drawn
from busmark.present.charts.shapes import point as drawn
from busmark.present.document import (
    Block,
    Cell,
    Chart,
    Document,
    Row,
    Section,
    Table,
    Text,
    Verdict,
)
from busmark.present.figures import PERCENT, in_words, p_text
from busmark.track.model import HistoryPoint, HistoryStep, TrackedHistory, TrackedSeries
from busmark.track.result import fact_name, short
from busmark.track.steps import FEWEST

BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 20
"""Newest results of a series in its row."""

MOST_STEPS = 200
"""Rows of a table of steps."""

MOST_DRAWN = 300
"""Charts of a page; those with steps first."""

WIDE = 4.0
"""An interval further out than this many times the spread of the values is cut off by the axis."""

APART = 0.16
"""Share of the axis between two names of commits."""

EXPLANATION = "Each result has its own interval. Shaded: where else a step may be."

Found = tuple[TrackedSeries, HistoryStep]

KINDS: dict[str, tuple[str, Verdict]] = {
    "new regressions": ("✗", "worse"),
    "unconfirmed regressions": ("?", "undecided"),
    "older regressions": ("✗", "worse"),
    "recovered regressions": ("·", ""),
    "unconfirmed improvements": ("?", "undecided"),
    "improvements": ("✓", "better"),
    "changes within the margin": ("·", "equivalent"),
    "steps of the null adapter": ("·", ""),
}
"""Sign and verdict of each kind of step, the most urgent first."""

URGENT = ("new regressions", "unconfirmed regressions")


def document(tracked: TrackedHistory, *, brief: bool = False) -> Document:
    """Return the document of a history; `brief`: the terminal leaves out the level of each
    figure."""
    counts = (
        f"{text.plural(tracked.results, 'result')} of {text.plural(tracked.commits, 'commit')}",
        text.plural(len(tracked.series), "series", "series"),
        text.plural(len(tracked.machines), "machine"),
    )
    found = _by_kind(tracked)
    sections = [
        _outcome(tracked, found),
        *_steps(tracked, found),
        Section("Method", [_method(tracked)]),
        *_charts(tracked),
        *_levels(tracked, detail=brief),
        *_machines(tracked),
    ]
    return Document(
        f"History {tracked.history}",
        [" · ".join(counts)],
        sections,
        kind="history",
        swatches=swatches(tracked),
    )


def swatches(tracked: TrackedHistory) -> dict[str, dict[str, str]]:
    """Return colour and mark of each label."""
    return {series.label: swatch(series.adapter) for series in tracked.series if series.adapter}


def kind_of(series: TrackedSeries, step: HistoryStep) -> str:
    """Return what a step is, a key of `KINDS`."""
    if series.is_floor:
        return "steps of the null adapter"
    if step.kind == "small":
        return "changes within the margin"
    if step.kind == "regression" and not step.stands:
        return "recovered regressions"
    if not step.confirmed:
        return f"unconfirmed {step.kind}s"
    if step.kind == "improvement":
        return "improvements"
    return "new regressions" if step.new else "older regressions"


def _by_kind(tracked: TrackedHistory) -> dict[str, list[Found]]:
    """Group the steps by kind, the latest first."""
    found: dict[str, list[Found]] = {kind: [] for kind in KINDS}
    for series in tracked.series:
        for step in series.steps:
            found[kind_of(series, step)].append((series, step))
    for own in found.values():
        own.sort(key=lambda each: _time(_after(*each)), reverse=True)
    return found


def _outcome(tracked: TrackedHistory, found: dict[str, list[Found]]) -> Section:
    """Return how many steps there are of each kind, and what limits this."""
    sign = "✗" if tracked.new else "?" if tracked.unconfirmed or not tracked.tests else "✓"
    old = in_words(
        {"unconfirmed": len(tracked.unconfirmed), "older": len(found["older regressions"])}
    )
    new = f"{len(tracked.new) or 'none'} new"
    kinds = [kind for kind, own in found.items() if own or kind in URGENT]
    fields = (
        Field("Steps", lambda kind: f"{KINDS[kind][0] if found[kind] else '·'} {kind}"),
        Field("Number", lambda kind: len(found[kind])),
        Field("Latest at", lambda kind: _commit(_after(*found[kind][0])) if found[kind] else ""),
    )
    blocks: list[Block] = [listing(kinds, fields, key="outcome")]
    if not tracked.tests:
        blocks.append(Text("too_few", {"needed": FEWEST}, style="warning"))
    blocks += [
        Text("line", {"line": f"{text.upper_first(each)}."}, style="warning")
        for each in tracked.remarks
    ]
    return Section("Regressions", blocks, summary=f"{sign} {', '.join(filter(None, (new, old)))}")


def _steps(tracked: TrackedHistory, found: dict[str, list[Found]]) -> Iterator[Section]:
    """Yield the urgent steps, the commits of all of them, then the others."""
    for kind in URGENT:
        if own := found[kind]:
            title = text.upper_first(kind)
            yield Section(title, [_table(tracked, kind, own)], summary=text.count(len(own)))
    if any(found.values()):
        yield _commits(tracked, chain(*found.values()))
    others = {kind: own for kind, own in found.items() if own and kind not in URGENT}
    if others:
        tables = [
            replace(_table(tracked, kind, own), title=f"{KINDS[kind][0]} {kind}: {len(own)}")
            for kind, own in others.items()
        ]
        total = sum(map(len, others.values()))
        yield Section("Further steps", tables, summary=text.count(total), folded=True)


def _table(tracked: TrackedHistory, kind: str, found: Sequence[Found]) -> Table:
    shown = found[:MOST_STEPS]
    verdict = KINDS[kind][1]
    fields = [
        Field("Case", lambda of: Cell(_where(tracked, of[0]), label=of[0].label)),
        Field("Figure", lambda of: figure_name(of[0])),
        Field("Change", lambda of: _change(of[0], of[1], verdict)),
        Field("Level", lambda of: Cell(of[1].after, text=_levels_text(*of)), kind="number"),
        Field("Commit", lambda of: short(_after(*of).commit)),
        Field("95 % range of commits", lambda of: _range(*of), detail=True),
        Field("Adjusted p", lambda of: Cell(of[1].p_adjusted, text=p_text(of[1].p_adjusted)),
              kind="number", detail=True),
    ]  # fmt: skip
    if not all(step.confirmed for _, step in shown):
        most = tracked.confirmations
        fields.append(
            Field(
                "Found in a row",
                lambda of: Cell(of[1].in_a_row, text=f"{of[1].in_a_row} of {most}"),
                kind="number",
            )
        )
    more = len(found) - len(shown)
    notes = [further_rows(more)] if more else []
    return listing(shown, fields, note=notes, key=kind.replace(" ", "-"))


def _commits(tracked: TrackedHistory, found: Iterable[Found]) -> Section:
    """List the commits at which there are steps, the latest first, and what else changed there."""
    places: dict[tuple[int, str, str], list[Found]] = {}
    for series, step in found:
        before, after = _before(series, step), _after(series, step)
        places.setdefault((series.machine, after.commit, before.commit), []).append((series, step))
    own = sorted(places.values(), key=lambda each: _time(_after(*each[0])), reverse=True)
    several = len(tracked.machines) > 1
    fields = (
        Field("Commit", lambda own: short(_after(*own[0]).commit)),
        Field("Date", lambda own: _day(_after(*own[0])), kind="number"),
        Field("Subject", lambda own: _after(*own[0]).subject),
        Field("Result before", lambda own: short(_before(*own[0]).commit)),
        Field("Steps", len),
        Field("Machine", lambda own: machine_name(tracked, own[0][0].machine) if several else ""),
        Field(
            "Also changed",
            lambda own: "; ".join(dict.fromkeys(fact for _, step in own for fact in step.besides)),
        ),
    )
    table = listing(own, fields, key="commits")
    return Section("Commits with steps", [table], summary=text.count(len(own)), key="commits")


def _before(series: TrackedSeries, step: HistoryStep) -> HistoryPoint:
    return series.points[step.last_before]


def _after(series: TrackedSeries, step: HistoryStep) -> HistoryPoint:
    return series.points[step.first_after]


def figure_name(series: TrackedSeries) -> str:
    """Return "median RTT/2" or "goodput"."""
    return changes.figure_name(series.figure, series.latency)


def case_name(series: TrackedSeries) -> str:
    """Return "UDP sockets, 64 B on one CPU", with the test where that is not latency."""
    size = f"{text.size_text(series.size)} " if series.size is not None else ""
    test = "" if series.test == "latency" else f" ({series.test})"
    parts = [series.label, f"{size}{placement_text(series.placement)}{test}"]
    return ", ".join([*parts, series.workload] if series.workload else parts)


def _where(tracked: TrackedHistory, series: TrackedSeries) -> str:
    """Name its case, and its machine where there are several."""
    several = len(tracked.machines) > 1
    on = f", on {machine_name(tracked, series.machine)}" if several else ""
    return f"{case_name(series)}{on}"


def machine_name(tracked: TrackedHistory, number: int) -> str:
    """Return a machine's name, with a number where several have it."""
    name = tracked.machines[number].name
    alike = [n for n, machine in enumerate(tracked.machines) if machine.name == name]
    return name if len(alike) == 1 else f"{name} ({alike.index(number) + 1})"


def _change(series: TrackedSeries, step: HistoryStep, verdict: Verdict) -> Cell:
    """Write it in per cent of the level before, or in percentage points."""
    value, low, high = (100.0 * each for each in (step.change, step.low, step.high))
    half = (high - low) / 2
    places = min(max(text.decimals(half, 2), 1), 3) if half > 0 else 1
    signed = [
        f"{'' if each < 0 else '+'}{text.number(each, places)}" for each in (value, low, high)
    ]
    unit = "%" if series.kind == "ratio" else "pp"
    words = f"{signed[0]} {unit} [{signed[1]}, {signed[2]}]"
    return Cell(step.change, step.low, step.high, text=words, verdict=verdict)


def _levels_text(series: TrackedSeries, step: HistoryStep) -> str:
    """Return "4.999 → 5.261 µs"."""
    before, after = (_level(series, value).text for value in (step.before, step.after))
    unit = after.partition(" ")[2]
    return f"{before.removesuffix(f' {unit}')} → {after}"


def _level(series: TrackedSeries, value: float) -> Cell:
    if series.unit == "1":
        return Cell(value, text=text.percent_text(value))
    scale = _scale(series, [value])
    places = text.decimals(value / scale.factor, 4)
    return Cell(value, text=f"{text.number(value / scale.factor, places)} {scale.unit}".strip())


def _scale(series: TrackedSeries, values: Sequence[float]) -> text.UnitScale:
    if series.unit == "1":
        return PERCENT
    return text.scale_for([abs(value) for value in values], text.SCALES[series.unit])


def _commit(point: HistoryPoint) -> str:
    return f"{short(point.commit)} “{point.subject}”" if point.subject else short(point.commit)


def _time(point: HistoryPoint) -> str:
    return point.commit_utc or point.measured_utc


def _day(point: HistoryPoint) -> str:
    return _time(point)[:10]


def _range(series: TrackedSeries, step: HistoryStep) -> str:
    """Name the commits between which the step lies with 95 % confidence."""
    earliest, latest = (series.points[n] for n in (step.earliest - 1, step.latest))
    return f"{short(earliest.commit)}\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}{short(latest.commit)}"


def _levels(tracked: TrackedHistory, *, detail: bool) -> Iterator[Section]:
    """Yield for each machine a row for each of its series."""
    for number, machine in enumerate(tracked.machines):
        own = [series for series in tracked.series if series.machine == number]
        if not own:
            continue
        fields = (
            Field("Case", lambda s: Cell(case_name(s), label=s.label)),
            Field("Figure", figure_name), Field("Results", lambda s: len(s.points)),
            Field("Level", lambda s: _level(s, _newest(s)), kind="number"),
            Field("Steps", lambda s: Cell(len(s.steps), text="" if s.tested else "too few"),
                  kind="count"),
            Field("Newest", bars, detail=True),
        )  # fmt: skip
        table = listing(own, fields, row=lambda s: Row("floor" if s.is_floor else ""))
        yield Section(
            f"Levels on {machine_name(tracked, number)}",
            [table],
            summary=text.plural(machine.results, "result"),
            folded=True,
            detail=detail,
            key=f"levels-{number}",
        )


def _newest(series: TrackedSeries) -> float:
    """Return the level of the newest results."""
    if series.steps:
        return series.steps[-1].after
    return median(point.value for point in series.points)


def bars(series: TrackedSeries) -> str:
    """Return the newest results as a line of bars, from the least to the greatest of them."""
    values = [point.value for point in series.points[-MOST_BARS:]]
    least, span = min(values), max(values) - min(values)
    if span <= 0.0:
        return BARS[0] * len(values)
    return "".join(BARS[min(int((v - least) / span * len(BARS)), len(BARS) - 1)] for v in values)


def _charts(tracked: TrackedHistory) -> Iterator[Section]:
    """Yield the charts by figure; series with steps come first."""
    chosen = sorted(tracked.series, key=lambda one: not one.steps)[:MOST_DRAWN]
    figures: dict[str, list[Block]] = {figure_name(series): [] for series in tracked.series}
    for number, series in enumerate(chosen):
        name = figure_name(series)
        title = f"{text.upper_first(name)} of {_where(tracked, series)}"
        explanation = "" if figures[name] else EXPLANATION
        chart = Chart(f"series-{number}", title, [_picture(series)], explanation)
        figures[name].append(chart)
    for name, charts in figures.items():
        if charts:
            yield Section(text.upper_first(name), charts, detail=True)
    if left := len(tracked.series) - len(chosen):
        yield Section("Not drawn", [further_rows(left)], detail=True)


def _picture(series: TrackedSeries) -> Picture:
    """Draw results in the order of commits, evenly spaced, with levels and steps."""
    scale = _scale(series, [point.value for point in series.points])
    low, high = (end / scale.factor for end in _ends(series))
    count = len(series.points)
    label = Label(text=series.label, adapter=series.adapter)
    curves = [
        DrawnCurve(
            f"range {n}",
            Label(text=f"range {n}", adapter=FLOOR_ADAPTER),
            [Drawn(step.earliest - 0.5, high), Drawn(step.latest - 0.5, high)],
            line=False,
            marks=False,
            thin=True,
            fill=0.2,
        )
        for n, step in enumerate(series.steps)
        if step.latest > step.earliest
    ]
    points = [_drawn(series, n, scale) for n in range(count)]
    curves.append(DrawnCurve(series.label, label, points, line=False))
    references = []
    edges = [0, *(step.first_after for step in series.steps), count]
    heights = [series.steps[0].before if series.steps else _newest(series)]
    heights += [step.after for step in series.steps]
    for (begin, end), height in zip(pairwise(edges), heights, strict=True):
        ends = (begin - 0.4, height / scale.factor), (end - 0.6, height / scale.factor)
        references.append(Reference("level", "solid", ends))
    for step in series.steps:
        kind = kind_of(series, step)
        at = step.first_after - 0.5
        change = _change(series, step, "").text
        name = f"{KINDS[kind][0]} {change}, {_commit(_after(series, step))}"
        references.append(Reference(name, "dash", ((at, low), (at, high))))
    rounds = sorted({point.rounds for point in series.points})
    each = "–".join(map(str, dict.fromkeys((rounds[0], rounds[-1]))))
    lines = [text.plural(count, "result"), f"rounds of each: {each}"]
    if not series.tested:
        lines.append(f"too few for a step: {FEWEST} are needed")
    title = f"{figure_name(series)}, {scale.unit}" if scale.unit else figure_name(series)
    return Picture(
        (),
        (),
        [
            Plot(
                Axis("commit", ends=(-0.5, count - 0.5), names=_names(series)),
                Axis(title, ends=(low, high)),
                curves,
                references,
            )
        ],
        ", ".join(lines),
    )


def _drawn(series: TrackedSeries, number: int, scale: text.UnitScale) -> Drawn:
    point = series.points[number]
    note = f"{_commit(point)}, {_day(point)}: {_level(series, point.value).text}"
    return drawn(number, point, scale.factor, note)


def _ends(series: TrackedSeries) -> tuple[float, float]:
    """Return the ends of the axis: all values, and intervals that are not much wider."""
    values = [point.value for point in series.points]
    least, most = min(values), max(values)
    if least == most == 0.0:
        return 0.0, 0.001
    reach = WIDE * ((most - least) or abs(most) * 0.02)
    lows = [point.low for point in series.points if point.low is not None]
    highs = [point.high for point in series.points if point.high is not None]
    low, high = max(min([least, *lows]), least - reach), min(max([most, *highs]), most + reach)
    room = (high - low or reach) * 0.06
    return max(low - room, 0.0) if least >= 0.0 else low - room, high + room


def _names(series: TrackedSeries) -> list[tuple[float, str]]:
    """Name each commit where there is room for all names, else the first, those behind steps and
    the last."""
    last = len(series.points) - 1
    behind = [0, *(step.first_after for step in series.steps), last]
    names: list[tuple[float, str]] = []
    for place in range(last + 1) if APART * last < 1 else behind:
        if not names or place - names[-1][0] > APART * last:
            point = series.points[place]
            names.append((place, f"{short(point.commit)[:10]} {_day(point)[5:]}"))
    return names


def _method(tracked: TrackedHistory) -> Text:
    tests = text.count(tracked.tests) if tracked.tests else "all tested"
    return Text(
        "steps",
        {
            "least": tracked.least,
            "tests": tests,
            "level": text.set_percent_text(tracked.level),
            "confidence": text.set_percent_text(tracked.confidence),
            "margin": text.set_percent_text(tracked.worse_than),
            "loss": text.set_percent_text(tracked.worse_than_loss),
            "confirmations": tracked.confirmations,
            "new_for": tracked.new_for,
        },
        style="quiet",
    )


def _machines(tracked: TrackedHistory) -> Iterator[Section]:
    for number, machine in enumerate(tracked.machines):
        facts = [
            (fact_name(fact), text.size_text(value) if fact.endswith("_bytes") else str(value))
            for fact, value in machine.facts.items()
        ]
        yield Section(
            f"Machine {machine_name(tracked, number)}",
            [table(("Fact", "Value"), facts)],
            folded=True,
            detail=True,
            key=f"machine-{number}",
        )
