"""Cases of a campaign compared by their rounds, which were run in turn, and what each spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from busmark.compare.change import FigureChange, changes, ratio
from busmark.compare.measured import TAIL, CaseMeasured, Measurement, measured
from busmark.compare.verdict import EQUIVALENT, Decision, Verdict, verdicts
from busmark.estimate.rounds import Row, last_attempts
from busmark.model.case import CaseSummary
from busmark.model.entry import Cost
from busmark.model.figure import Figure, Frozen, figure, over_rounds
from busmark.model.parameters import Parameters
from busmark.model.quantities import COMPARED
from busmark.model.rounds import RoundSummary

CPU = Cost("cpu", "CPU time per sample")

OF_QUANTITIES = [each for each in COMPARED.values() if each.cost]

SPENT = {
    CPU.name: CPU.heading,
    **{each.cost.name: each.word for each in OF_QUANTITIES if each.cost},
}
"""Costs in their order, with their names for people."""

ByRound = Mapping[int, float]


def spent(case: CaseSummary, rows: Sequence[Row]) -> dict[str, ByRound]:
    """Return what each of its counted rounds spent, as far as it is known, in units of its own."""
    counted = [row for row in last_attempts(rows) if row["status"] == "ok"]
    attempts = {each.round: each for each in case.attempts if each.status == "ok"}
    ways: dict[str, Callable[[Row], float | None]] = {
        CPU.name: lambda row: _cpu_s(attempts.get(row["round"]), row),
        **{
            each.cost.name: partial(_of_round, each.of_round, case.params)
            for each in OF_QUANTITIES
            if each.cost and each.of_round
        },
    }
    return {
        name: {row["round"]: value for row in counted if (value := way(row))}
        for name, way in ways.items()
    }


def _of_round(
    of_round: Callable[[Row, Parameters], float | None], params: Parameters, row: Row
) -> float | None:
    return of_round(row, params)


def _cpu_s(attempt: RoundSummary | None, row: Row) -> float | None:
    """Return CPU seconds for each sample that was exchanged: in a latency test, pings and pongs."""
    exchanged = 2 * (row["samples"] or 0) if row["test"] == "latency" else row["received"]
    if attempt is None or attempt.cpus is None or not row["measured_s"] or not exchanged:
        return None
    return attempt.cpus * float(row["measured_s"]) / exchanged


def ratios(
    case: Mapping[str, ByRound], other: Mapping[str, ByRound], *, paired: bool
) -> dict[str, Figure]:
    """Divide `case` by `other` in all of `SPENT` that both have in two rounds at least."""
    found = {}
    for name in SPENT:
        mine, theirs = (
            Measurement(over_rounds([*side[name].values()], "1", None), values=side[name])
            for side in (case, other)
        )
        if mine.values and theirs.values:
            change = ratio(theirs, mine, paired=paired).estimate
            if change.low is not None:
                found[name] = figure(change, "1", change.rounds)
    return found


class Versus(Frozen):
    """A case against another of the same campaign, round by round."""

    case: str
    other: str
    ratio: Figure | None
    """Ratio of the median RTT/2, or of goodput: `case` over `other`."""
    verdict: Verdict
    """Verdict on `case`: faster than `other`, slower, …"""
    reason: str | None
    """Why it is undecided, or what to bear in mind."""
    p_adjusted: float | None
    """p-value of no difference, two-sided, by Holm: for two labels over all workloads of both; for
    a parameter over all its pairs."""
    p99: Figure | None = None
    """Ratio of the 99th percentile; null where it is not known of both."""
    p99_verdict: Verdict | None = None

    @property
    def excludes_1(self) -> bool:
        """Return whether the interval of the ratio, taken alone, shows a difference."""
        ratio = self.ratio
        if ratio is None or ratio.low is None or ratio.high is None:
            return False
        return ratio.low > 1.0 or ratio.high < 1.0


FEWEST_ROUNDS = 2
"""Rounds at least: one gives no interval."""

Pair = tuple[str, str]
"""Two cases: candidate and baseline of the comparison."""


class Rounds:
    """Cases of a campaign as they are compared, by their rounds that count."""

    def __init__(
        self,
        cases: Iterable[CaseSummary],
        rows: Mapping[str, Sequence[Row]],
        *,
        interleaved: bool,
        step_ns: float = 0.0,
    ) -> None:
        self.cases = {case.id: case for case in cases}
        self._interleaved = interleaved
        self._rows = rows
        self._measured = {
            case.id: _measured(case, rows.get(case.id, ()), step_ns)
            for case in self.cases.values()
            if case.headline is not None
        }

    def count(self, case: str) -> int:
        """Return the number of a case's rounds that have the figure."""
        found = self._measured.get(case)
        return found.rounds if found else 0

    def compared(self, pairs: Sequence[Pair], *, together: bool = False) -> dict[Pair, Versus]:
        """Compare each pair. Verdicts on two labels hold over all pairs of these two; with
        `together`, over all pairs. Verdicts on the 99th percentile are families of their own."""
        families: dict[object, list[Pair]] = {}
        for pair in pairs:
            labels = frozenset(self.cases[case].label for case in pair)
            families.setdefault(None if together else labels, []).append(pair)
        found: dict[Pair, Versus] = {}
        for family in families.values():
            each = [self._changes(pair) for pair in family]
            first = [changed[0] for changed in each]
            tails = [next((f for f in changed if f.name == TAIL), None) for changed in each]
            of_tails = iter(verdicts([tail for tail in tails if tail], EQUIVALENT))
            found |= {
                pair: _versus(pair, median, text, tail, next(of_tails) if tail else None)
                for pair, median, text, tail in zip(
                    family, first, verdicts(first, EQUIVALENT), tails, strict=True
                )
            }
        return found

    def spent(self, pair: Pair) -> dict[str, Figure]:
        """Return the ratios of CPU time, bytes and packets that both spent per sample."""
        one, other = (spent(self.cases[case], self._rows.get(case, ())) for case in pair)
        return ratios(one, other, paired=self._interleaved)

    def _changes(self, pair: Pair) -> list[FigureChange]:
        """Return the changes of all figures of a pair, first the one that gives the verdict."""
        other, one = (self._measured[case] for case in pair)
        return changes(one, other, paired=self._interleaved, sessions={})


def _versus(
    pair: Pair,
    found: FigureChange,
    own: Decision,
    tail: FigureChange | None,
    of_tail: Decision | None,
) -> Versus:
    return Versus(
        case=pair[0],
        other=pair[1],
        ratio=found.change,
        verdict=own.verdict,
        reason=own.reason,
        p_adjusted=own.p_adjusted,
        p99=tail.change if tail else None,
        p99_verdict=of_tail.verdict if of_tail else None,
    )


def _measured(case: CaseSummary, rows: Sequence[Row], step_ns: float) -> CaseMeasured:
    """Return what a case is ranked by, its tail and its loss."""
    found = measured(case, [r for r in last_attempts(rows) if r["status"] == "ok"], step_ns)
    assert found.headline is not None  # by the choice of the cases
    tail = found.figures.get(TAIL)
    return found.only(found.headline, *([TAIL] if tail and tail.figure else []), "loss")
