"""Names, numbers and sentences of a history."""

from __future__ import annotations

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.words import text
from busmark.analysis.words.ratios import p_text, share_text
from busmark.analysis.words.text import joined, number, percent_text, plural, size_text
from busmark.model.quantities import COMPARED
from busmark.track.commit import short
from busmark.track.model import Point, Step, Tracked, TrackedSeries

LATENCIES = {"half_round_trip": "RTT/2", "one_way": "one-way latency", "round_trip": "round trip"}

SIGNS = {"regression": "✗", "improvement": "✓", "small": "·"}

MOST_TOLD = 12
"""Regressions that get a sentence."""


def figure_name(series: TrackedSeries) -> str:
    """ "median RTT/2", "goodput"."""
    statistic = series.figure.rpartition(".")[0]
    if series.latency is None:
        return COMPARED[series.figure].word
    return f"{statistic} {LATENCIES[series.latency]}"


def case_name(series: TrackedSeries) -> str:
    """ "UDP sockets, 64 B on one CPU"; of what is no latency case the test, too."""
    size = f"{size_text(series.size)} " if series.size is not None else ""
    test = "" if series.test == "latency" else f" ({series.test})"
    parts = [series.label, f"{size}{placement_text(series.placement)}{test}"]
    return ", ".join([*parts, series.workload] if series.workload else parts)


def machine_name(tracked: Tracked, series: TrackedSeries) -> str:
    """Its machine, where there are several; machines of one name are numbered."""
    if len(tracked.machines) < 2:
        return ""
    return machine_title(tracked, series.machine)


def machine_title(tracked: Tracked, number_of: int) -> str:
    """A machine's name; with a number where several have it."""
    own = tracked.machines[number_of]
    alike = [n for n, machine in enumerate(tracked.machines) if machine.name == own.name]
    return own.name if len(alike) == 1 else f"{own.name} ({alike.index(number_of) + 1})"


def of_what(tracked: Tracked, series: TrackedSeries) -> str:
    """ "median RTT/2 of UDP sockets, 64 B on one CPU, on bench1"."""
    machine = machine_name(tracked, series)
    on = f", on {machine}" if machine else ""
    return f"{figure_name(series)} of {case_name(series)}{on}"


def level_text(series: TrackedSeries, value: float) -> str:
    """A level with its unit."""
    if series.unit == "1":
        return percent_text(value)
    scale = text.scale_for([abs(value)], text.SCALES[series.unit])
    return f"{number(value / scale.factor, text.decimals(value / scale.factor, 4))} {scale.unit}"


def change_text(series: TrackedSeries, step: Step) -> str:
    """ "+5.1 % [+4.2, +6.0]"; of a share in per cent of the samples."""
    value, low, high = (100.0 * each for each in (step.change, step.low, step.high))
    narrow = (high - low) / 2
    places = min(max(text.decimals(narrow, 2), 1), 3) if narrow > 0 else 1
    told = f"{_signed(value, places)} % [{_signed(low, places)}, {_signed(high, places)}]"
    return told if series.kind == "ratio" else f"{told} of the samples"


def _signed(value: float, places: int) -> str:
    shown = number(value, places)
    return shown if value < 0 else f"+{shown}"


def direction(series: TrackedSeries, step: Step) -> str:
    """ "slower", "loses less"."""
    of = COMPARED.get(series.figure)
    if of is None:
        return "slower" if step.change > 0 else "faster"
    return of.more if step.change > 0 else of.less


def kind_text(tracked: Tracked, series: TrackedSeries, step: Step) -> str:
    """ "new regression", "improvement", "within 2 %"."""
    if series.is_floor:
        return "step of the floor"
    if step.kind == "small":
        margin = tracked.worse_than if series.kind == "ratio" else tracked.worse_than_loss
        return f"within {share_text(margin)}"
    if not step.confirmed:
        return f"unconfirmed {step.kind}"
    if step.kind == "improvement":
        return "improvement"
    if not step.stands:
        return "regression, recovered"
    return "new regression" if step.new else "regression"


def sign(step: Step) -> str:
    """Before what a step is, so that it does not hang on colour."""
    return "?" if not step.confirmed and step.kind != "small" else SIGNS[step.kind]


def commit_text(point: Point) -> str:
    """Identifier and subject."""
    subject = f" “{point.subject}”" if point.subject else ""
    return f"{short(point.commit)}{subject}"


def when(point: Point) -> str:
    """The day of the commit, or else of the measurement."""
    return (point.commit_utc or point.measured_utc)[:10]


def place_text(series: TrackedSeries, step: Step) -> str:
    """Between which commits it lies."""
    last, first = (series.points[n] for n in (step.last_before, step.first_after))
    told = f"between {short(last.commit)} ({when(last)}) and {commit_text(first)} ({when(first)})"
    if step.latest > step.earliest:
        earliest, latest = (series.points[n] for n in (step.earliest - 1, step.latest))
        told += (
            f"; with 95 % confidence between {short(earliest.commit)} and {short(latest.commit)}"
        )
    return told


def sentence(tracked: Tracked, series: TrackedSeries, step: Step) -> str:
    """All of a step in one sentence."""
    levels = f"{level_text(series, step.before)} → {level_text(series, step.after)}"
    told = (
        f"{of_what(tracked, series)}: {direction(series, step)}, {levels}, "
        f"{change_text(series, step)}, {place_text(series, step)}"
    )
    if not step.confirmed and step.kind != "small":
        told += f"; found after {step.in_a_row} of {tracked.confirmations} results in a row"
    if step.besides:
        told += f". Also changed there: {joined(step.besides)}"
    return told


def verdict(tracked: Tracked) -> str:
    """What came of the check."""
    of = (
        f"{plural(tracked.results, 'result')} of {plural(tracked.commits, 'commit')}, "
        f"{plural(len(tracked.series), 'series', 'series')}"
    )
    new, standing = len(tracked.new), len(tracked.standing)
    older = standing - new
    also = f"; {plural(older, 'older one')} still {'stands' if older == 1 else 'stand'}"
    also = also if older else ""
    if open_ := len(tracked.unconfirmed):
        also += f"; {open_} unconfirmed, which the next results decide"
    if new:
        return f"{plural(new, 'new regression')} in {of}{also}"
    if not tracked.tests:
        return (
            f"no change can be found yet in {of}: a series needs {2 * tracked.least} results, "
            f"{tracked.least} on each side of a change"
        )
    return f"no new regression in {of}{also}"


def outcome(tracked: Tracked) -> str:
    """✓, ✗, or ? where a regression is unconfirmed only, or nothing can be found yet."""
    if tracked.new:
        return "✗"
    return "?" if tracked.unconfirmed or not tracked.tests else "✓"


def others(tracked: Tracked) -> list[tuple[TrackedSeries, Step]]:
    """Steps that are neither new regressions nor unconfirmed ones, the latest first."""
    new = {id(step) for _, step in (*tracked.new, *tracked.unconfirmed)}
    found = [(s, step) for s in tracked.series for step in s.steps if id(step) not in new]
    return sorted(found, key=lambda each: _time(each[0].points[each[1].first_after]), reverse=True)


def _time(point: Point) -> str:
    return point.commit_utc or point.measured_utc


def method(tracked: Tracked) -> str:
    """What a step is, and which regressions fail."""
    loss = share_text(tracked.worse_than_loss)
    tests = f" over {plural(tracked.tests, 'series', 'series')}" if tracked.tests else ""
    return (
        f"Steps are found by E-divisive (Matteson & James 2014) with {tracked.least} results or "
        f"more on each side, and stand where their p-value{tests} "
        f"is at most {share_text(tracked.level)} (Bonferroni). In brackets the "
        f"{share_text(tracked.confidence)} interval. A regression is worse by more than "
        f"{share_text(tracked.worse_than)} (for loss: {loss} of the samples). It is confirmed once "
        f"it was found after {tracked.confirmations} results in a row, and new where that was not "
        f"so before the last {_last(tracked.new_for)} added."
    )  # fmt: skip


def _last(new_for: int) -> str:
    return "result was" if new_for == 1 else f"{new_for} results were"


def step_row(tracked: Tracked, series: TrackedSeries, step: Step) -> list[str]:
    """Texts of a table of steps; see `STEP_HEADS`."""
    last, first = (series.points[n] for n in (step.last_before, step.first_after))
    return [
        f"{sign(step)} {kind_text(tracked, series, step)}",
        of_what(tracked, series),
        change_text(series, step),
        f"{level_text(series, step.before)} → {level_text(series, step.after)}",
        f"{short(last.commit)} … {commit_text(first)}",
        when(first),
        p_text(step.p_adjusted),
    ]


STEP_HEADS = ("What", "Of", "Change", "Levels", "Commits", "Date", "p, adjusted")
