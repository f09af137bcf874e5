"""The gate of a comparison: how its criteria ended, over all cases and case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, isfinite

from busmark.compare.criterion import Criterion
from busmark.compare.gate import MOST_MORE
from busmark.compare.model import REASONS, Comparison, CriterionVerdict, Outcome
from busmark.model import text
from busmark.model.figure import Figure
from busmark.present.blocks.changes import (
    case_name,
    change_cell,
    difference_text,
    named,
    value_cell,
)
from busmark.present.blocks.rows import Field, fact, item, listing
from busmark.present.document import Cell, Row, Section, Text
from busmark.present.figures import in_words, ratio_with_interval

SIGNS: dict[Outcome, str] = {"failed": "✗", "not measured": "–", "undecided": "?", "passed": "✓"}
"""Signs by outcome, the worst first."""

COUNTED: dict[Outcome, str] = {
    "passed": "Passed",
    "failed": "Failed",
    "undecided": "?",
    "not measured": "Not measured",
}
"""Headings of the table of criteria."""

MOST_RATIO = 10.0
"""A percentile that would have to grow by more says less than the share of samples beyond."""
OF_NO_COLUMN = "of no column"
"""Unit of a column in which each value has the unit of its own criterion, written behind it."""

MANY = f"> {text.count(MOST_MORE)}"
"""More rounds than anybody would run."""

ENDED = {"failed": "✗ failed", "passed": "✓ passed", "undecided": "? undecided, exit code 0"}


def gate(comparison: Comparison) -> Section | None:
    """Return how each criterion ended over all cases, and where it is worst; None without any."""
    if comparison.gate is None:
        return None
    by_criterion = _by_criterion(comparison)
    worst = [own[0] for own in by_criterion.values()]
    counts = [_counted(own) for own in by_criterion.values()]
    signs = [SIGNS["failed" if one.fails else one.outcome] for one in worst]
    fields = [
        Field("Fails if", lambda of: f"{of[0]} {of[1].criterion}"),
        *(Field(title, item(2, outcome), kind="count")
          for outcome, title in COUNTED.items()
          if outcome != "not measured" or any(of[outcome].value for of in counts)),
        Field("Worst measured", lambda of: _measured(of[1], comparison), kind="ratio"),
        Field("Case", lambda of: _of_case(of[1], comparison)),
    ]  # fmt: skip
    total = Counter(map(_ended, comparison.criteria))
    ended = ENDED.get(comparison.gate, comparison.gate)
    words = (word for outcome in SIGNS for word in (f"{outcome} that fail", outcome))
    sentence = in_words({word: total[word] for word in words})
    notes = [Text("beyond")] if any(one.kind == "share" for one in worst) else []
    rows = list(zip(signs, worst, counts, strict=True))
    table = listing(rows, fields, note=notes, key="gate")
    return Section("Gate", [table], summary=f"{ended}: {sentence}")


def _ended(judged: CriterionVerdict) -> str:
    """Return its outcome, and whether one that is not failed ends the command with exit code 1."""
    more = judged.fails and judged.outcome != "failed"
    return f"{judged.outcome} that fail" if more else judged.outcome


def _counted(own: Sequence[CriterionVerdict]) -> dict[Outcome, Cell]:
    """Return how many cases have each outcome, and whether those that are not failed end the
    command with exit code 1 all the same."""
    counts = Counter(judged.outcome for judged in own)
    fails = {judged.outcome for judged in own if judged.fails} - {"failed"}
    return {
        outcome: Cell(counts[outcome], more="fail" if outcome in fails else "") for outcome in SIGNS
    }


def _by_criterion(comparison: Comparison) -> dict[str, list[CriterionVerdict]]:
    """Return what cases say to each criterion, the worst first."""
    found: dict[str, list[CriterionVerdict]] = {}
    for judged in comparison.criteria:
        found.setdefault(judged.criterion, []).append(judged)
    order = list(SIGNS)
    for criterion, own in found.items():
        above = Criterion.parse(criterion).above
        own.sort(
            key=lambda one: (
                not one.fails,
                order.index(one.outcome),
                -_size(one, comparison, above=above),
            )
        )
    return found


def _size(judged: CriterionVerdict, comparison: Comparison, *, above: bool) -> float:
    """Return how far the measured value is towards the wrong side."""
    value = _measured(judged, comparison).value
    if not isinstance(value, int | float):
        return -inf
    return value if above else -value


def _measured(judged: CriterionVerdict, comparison: Comparison) -> Cell:
    """Return what is compared with the limit: the share of samples beyond it, the candidate's own
    figure, the ratio or the difference."""
    value = judged.value
    if judged.kind == "share" and value is not None:
        ends = [_percent(end, judged.limit) for end in (value.low, value.high) if end is not None]
        limits = f" [{', '.join(ends)}]" if ends else ""
        return Cell(value.value, text=f"{_percent(value.value, judged.limit)}{limits} %")
    if judged.kind == "value":
        return value_cell(value, OF_NO_COLUMN)
    pair = None if judged.pair is None else comparison.pairs[judged.pair]
    change = named(pair, judged.name)
    if change is None and value is not None:
        # A figure that only the criterion asks for is in no pair.
        shown = difference_text(value) if judged.kind == "difference" else ""
        return Cell(value.value, value.low, value.high, text=shown)
    return change_cell(change, named(pair, "loss"))


def _percent(share: float, limit: float | None) -> str:
    """Write a share in per cent, with more digits where it would read as the limit."""
    shown = text.percent_text(share)
    if share != limit and shown == text.percent_text(limit):
        shown = f"{100 * share:.4g}"
    return shown.removesuffix(" %")


def _amount(judged: CriterionVerdict, value: float | None) -> str:
    """Write a limit or the least change that is found, in the unit of the value."""
    if value is None:
        return ""
    if judged.kind in ("share", "difference"):
        sign = "+" if judged.kind == "difference" else ""
        return f"{100 * value:{sign}.3g} %".replace("-", text.MINUS)
    if judged.kind == "ratio":
        return f"{value:.4g} ×"
    unit = judged.value.unit if judged.value else "ns"
    figure = Figure(value=value, count=None, rounds=0, unit=unit)
    return text.figure_text(figure, text.SCALES[unit])


def facts(judged: CriterionVerdict, comparison: Comparison) -> dict[str, str]:
    """Return the verdict on one case, by the heading of its column; what is not known is empty."""
    beyond = judged.beyond_ns
    at = text.time_text(beyond) if beyond is not None and isfinite(beyond) else ""
    measured = _measured(judged, comparison).text
    if judged.kind == "ratio" and judged.value is not None:
        measured = f"{ratio_with_interval(judged.value)} ×"
    if at and judged.value is not None and judged.value.count is not None:
        measured = f"{measured} of {text.count(judged.value.count)} samples"
    more = judged.more_rounds
    decidable = judged.reason in ("interval includes the limit", "several cases")
    return {
        "Measured": f"{measured} beyond {at}" if at else measured,
        "Limit": _amount(judged, judged.limit),
        "Reason": f"{judged.reason} ({judged.detail})" if judged.detail else judged.reason,
        "Detectable": _least(judged),
        "More rounds": text.count(more) if more else MANY if decidable else "",
    }


def _least(judged: CriterionVerdict) -> str:
    """Return the least detectable value beyond the limit: of a percentile its change, or
    the share of samples where that says more."""
    if judged.least is None:
        return ""
    and_beyond = "more" if Criterion.parse(judged.criterion).above else "less"
    ratio = judged.least_ratio if judged.kind == "share" else judged.least
    if judged.kind in ("share", "ratio") and ratio is not None and ratio <= MOST_RATIO:
        change = f"{100 * (ratio - 1):+.3g} %".replace("-", text.MINUS)
        return f"a change of {change} or {and_beyond}"
    # A plan needs no more digits.
    amount = _amount(judged, float(f"{judged.least:.3g}"))
    of = " of the samples" if judged.kind in ("share", "difference") else ""
    return f"{amount} or {and_beyond}{of}"


def _of_case(judged: CriterionVerdict, comparison: Comparison) -> str:
    if judged.pair is not None:
        return case_name(comparison.pairs[judged.pair], comparison)
    several = [judged.candidate] if len(comparison.candidates) > 1 else []
    return ", ".join([*several, judged.label])


def case_by_case(comparison: Comparison, *, every: bool) -> Section | None:
    """Return every case that does not pass a criterion, with the reason; `every`: those that do as
    well."""
    by_criterion = _by_criterion(comparison).values()
    shown = [one for own in by_criterion for one in own if every or one.outcome != "passed"]
    if not shown:
        return None
    known = [(one, facts(one, comparison)) for one in shown]
    fields = [
        Field("Case", lambda of: f"{SIGNS[of[0].outcome]} {_of_case(of[0], comparison)}"),
        *(Field(title, item(1, title)) for title in known[0][1]),
    ]
    used = [reason for reason in REASONS if any(one.reason == reason for one in shown)]
    notes = [fact(reason, REASONS[reason]) for reason in used]
    if any(one.least is not None for one in shown):
        notes.append(Text("least_found"))
    table = listing(
        known,
        fields,
        note=notes,
        key="criteria",
        row=lambda of: Row(group=of[0].criterion, case=of[0].case),
    )
    return Section("Gate, case by case", [table], folded=True, key="criteria")
