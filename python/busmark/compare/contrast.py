"""From sides to the document: match, measure, compare, judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.text import joined
from busmark.compare import document, gate
from busmark.compare.change import Found, changes
from busmark.compare.criterion import Criterion
from busmark.compare.document import Compared
from busmark.compare.environment import differences
from busmark.compare.matching import Match, Matches, match
from busmark.compare.measure import measured
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import Contrast, LeftOut, Pair
from busmark.compare.naming import name_pairs, where
from busmark.compare.sides import Side, SideCase, interleaved, parameters
from busmark.compare.verdict import EQUIVALENT, EQUIVALENT_LOSS, Told, tests, verdicts
from busmark.errors import UserError

MOST_TOLD = 200
"""Characters of the reason in a refusal."""

Family = list[tuple[Compared, Found]]


def contrast(
    sides: Sequence[Side],
    *,
    by: Sequence[str] = (),
    equivalent: float = EQUIVALENT,
    criteria: Iterable[Criterion] = (),
    strict: bool = False,
    force: bool = False,
) -> Contrast:
    """Compare every further side with the first.

    `by`: parameters that are compared and need not be equal. `equivalent`: the margin of a ratio.
    `strict`: what cannot be told fails a criterion, too. `force`: cases of one name are compared
    whatever they differ in.

    Raises:
        UserError: the sides are not the same experiment, nothing of it was measured, or a criterion
            is about a figure that no case has.
    """
    baseline, *candidates = sides
    by = parameters(by, sides)
    matches = {side.name: match(baseline, side, by, force=force) for side in candidates}
    left_out = [left for found in matches.values() for left in found.left_out]
    compared = _compare(baseline, candidates, matches, left_out)
    if not compared:
        told = "; ".join(f"{left.case}: {left.reason}" for left in left_out[-1:])
        told = told if len(told) <= MOST_TOLD else f"{told[:MOST_TOLD]} …"
        raise UserError(
            f"no case has a finished round on both sides: {told}",
            where=joined([side.name for side in sides]),
            remedy="`busmark run --resume --out DIR` runs what is missing.",
        )
    pairs = _pairs(baseline, compared, by, equivalent)
    headline, further, _ = _families(compared)
    differing = [d for s in candidates for d in differences(baseline, s, matches[s.name].pairs)]
    return Contrast(
        baseline=document.side_summary(baseline),
        candidates=[document.side_summary(side) for side in candidates],
        by=list(by),
        confidence=CONFIDENCE,
        equivalent=equivalent,
        equivalent_loss=EQUIVALENT_LOSS,
        headline_tests=tests([found for _, found in headline]),
        further_tests=tests([found for _, found in further]),
        summary=[document.counted(side, pairs) for side in candidates],
        warnings=document.warnings(baseline, candidates, pairs, differing),
        differences=differing,
        pairs=pairs,
        left_out=left_out,
        strict=strict,
        criteria=gate.judge(criteria, _judged(compared, pairs), strict=strict),
    )


def _compare(
    baseline: Side, candidates: Sequence[Side], matches: dict[str, Matches], left_out: list[LeftOut]
) -> list[Compared]:
    """All pairs with their rounds read, one case of the baseline after the other; those without a
    finished round are added to `left_out`."""
    compared: list[Compared] = []
    of_case = {name: _by_case(found.pairs) for name, found in matches.items()}
    for case in baseline.cases.values():
        first: CaseMeasured | None = None
        for place, side in enumerate(candidates, start=1):
            for pair in of_case[side.name].get(case.id, []):
                reason = _unusable(baseline, case) or _unusable(side, pair.candidate)
                if reason:
                    left = {"side": side.name, "case": pair.candidate.id, "against": baseline.name}
                    left_out.append(LeftOut(**left, reason=reason))
                    continue
                first = first or measured(baseline, case, _seed(baseline, 0))
                second = measured(side, pair.candidate, _seed(side, place))
                paired = interleaved(side, baseline)
                found = changes(first, second, paired=paired)
                compared.append(
                    Compared(side, pair, paired, first.emptied(), second.emptied(), found)
                )
    return compared


def _by_case(pairs: Iterable[Match]) -> dict[str, list[Match]]:
    """By the baseline's case."""
    found: dict[str, list[Match]] = {}
    for pair in pairs:
        found.setdefault(pair.baseline.id, []).append(pair)
    return found


def _seed(side: Side, place: int) -> int:
    """Sides draw their replicates independently of each other, those of equal seeds, too."""
    return side.result.manifest.seed * 1000 + place


def _unusable(side: Side, case: SideCase) -> str | None:
    if case.good:
        return None
    return f"{case.status.replace('_', ' ')} in {side.name}: {case.reason or 'no finished round'}"


def _families(compared: Sequence[Compared]) -> tuple[Family, Family, Family]:
    """Headline figures, all others, and those of the floor, which are in neither of these."""
    only_floors = all(c.is_floor for c in compared)
    headline: Family = []
    further: Family = []
    floor: Family = []
    for c in compared:
        for found in c.found:
            of_floor = c.is_floor and not only_floors
            (floor if of_floor else headline if found.headline else further).append((c, found))
    return headline, further, floor


def _pairs(
    baseline: Side, compared: Sequence[Compared], by: Sequence[str], margin: float
) -> list[Pair]:
    told: dict[tuple[int, str], Told] = {}
    for family in _families(compared):
        results = verdicts([found for _, found in family], margin)
        keys = [(id(c), found.name) for c, found in family]
        told |= dict(zip(keys, results, strict=True))
    cases = [c.match.baseline for c in compared]
    names = name_pairs(cases, baseline.result.manifest.adapters, by)
    return [
        document.pair(c, name, [told[id(c), found.name] for found in c.found])
        for c, name in zip(compared, names, strict=True)
    ]


def _judged(compared: Sequence[Compared], pairs: Sequence[Pair]) -> list[gate.Candidate]:
    """Pairs that criteria are about."""
    only_floors = all(pair.is_floor for pair in pairs)
    return [
        gate.Candidate(index, full_label(pair), pair.candidate, pair.test, c.found)
        for index, (pair, c) in enumerate(zip(pairs, compared, strict=True))
        if only_floors or not pair.is_floor
    ]


def full_label(pair: Pair) -> str:
    """A pair's name where no table says the rest: "UDP sockets: latency of 64 B on one CPU"."""
    what = where(pair.test, pair.size, pair.placement)
    parts = [what, pair.workload] if pair.workload else [what]
    return f"{pair.label}: {', '.join(parts)}" if pair.label else ", ".join(parts)
