"""From sides to the document: match, measure, compare, judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from busmark.compare import document
from busmark.compare.change import Found, Sessions, changes
from busmark.compare.document import Compared
from busmark.compare.environment import differences
from busmark.compare.gate import Candidate, Gate, Missing, beyond
from busmark.compare.matching import Match, Matches, match
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import Comparison, LeftOut, Pair
from busmark.compare.naming import name_pairs, where
from busmark.compare.samples import Samples
from busmark.compare.sides import Side, SideCase, interleaved, parameters
from busmark.compare.theirs import in_their_columns
from busmark.compare.verdict import EQUIVALENT, EQUIVALENT_LOSS, Told, tests, verdicts
from busmark.errors import UserError
from busmark.model.figure import CONFIDENCE
from busmark.model.naming import FLOOR_ADAPTER
from busmark.model.text import joined

MOST_NAMED = 4
"""Parameters in a remedy."""

MOST_TOLD = 200
"""Characters of the reason in a refusal."""

Again = tuple[Side, Sequence[Match]]
"""A further campaign of the baseline, and its cases beside the first campaign's."""

Family = list[tuple[Compared, Found]]


@dataclass(slots=True)
class Families:
    """What is judged together, of one candidate."""

    headline: Family = field(default_factory=list)
    further: Family = field(default_factory=list)
    floor: Family = field(default_factory=list)
    """Family of the null adapter: in neither of these."""

    @property
    def tests(self) -> tuple[int, int]:
        """Tests of headline figures and of others."""
        headline, further = (tests([f for _, f in of]) for of in (self.headline, self.further))
        return headline, further


def compare(
    sides: Sequence[Side],
    *,
    by: Sequence[str] = (),
    equivalent: float = EQUIVALENT,
    gate: Gate | None = None,
    force: bool = False,
    repeats: Sequence[Side] = (),
) -> Comparison:
    """Compare every further side with the first.

    `repeats`: further campaigns of the baseline; what differs between them is in the intervals of
    candidates that were not interleaved with it.

    `by`: parameters that are compared and need not be equal. `equivalent`: the margin of a ratio.
    `gate`: the criteria. `force`: cases of one name are compared whatever they differ in.

    Raises:
        UserError: the sides are not the same experiment, nothing of it was measured, or a criterion
            is about a figure that no case has.
    """
    baseline, *candidates = sides
    by = parameters(by, sides)
    matches = {side.name: match(baseline, side, by, force=force) for side in candidates}
    left_out = [left for found in matches.values() for left in found.left_out]
    again = [(side, match(baseline, side, (), force=force).pairs) for side in repeats]
    gate = gate or Gate()
    compared, missing = _compare(baseline, candidates, matches, left_out, again, gate)
    if not compared and not (gate.criteria and missing):
        told = "; ".join(f"{left.case}: {left.reason}" for left in left_out[-1:])
        told = told if len(told) <= MOST_TOLD else f"{told[:MOST_TOLD]} …"
        raise UserError(
            f"no case has a finished round on both sides: {told}",
            where=joined([side.name for side in sides]),
            remedy=_remedy(left_out, by),
        )
    families = _families(compared)
    pairs = _pairs(baseline, compared, families, by, equivalent)
    counts = {side.name: families.get(side.name, Families()).tests for side in candidates}
    differing = [
        found
        for side in candidates
        for found in differences(baseline, side, matches[side.name].pairs, by)
    ]
    return Comparison(
        baseline=document.side_summary(baseline),
        candidates=[document.side_summary(side) for side in candidates],
        by=list(by),
        confidence=CONFIDENCE,
        equivalent=equivalent,
        equivalent_loss=EQUIVALENT_LOSS,
        headline_tests=sum(headline for headline, _ in counts.values()),
        further_tests=sum(further for _, further in counts.values()),
        sessions=1 + len(repeats),
        summary=[
            document.counted(
                side, pairs, counts[side.name], sum(m.candidate == side.name for m in missing)
            )
            for side in candidates
        ],
        warnings=document.warnings(
            baseline, candidates, pairs, differing, sessions=1 + len(repeats), by=by
        ),
        differences=differing,
        pairs=pairs,
        theirs=in_their_columns(sides, pairs),
        left_out=left_out,
        criteria=gate.judge(_judged(compared, pairs, by), missing),
    )


def _remedy(left_out: Sequence[LeftOut], by: Sequence[str]) -> str:
    """What helps where no case is compared: rounds, or parameters that may differ."""
    differing = [left.differs for left in left_out if left.differs]
    if len(differing) < len(left_out):
        return "`busmark run --resume --out DIR` runs what is missing."
    fewest = min(differing, key=len)
    if len(fewest) > MOST_NAMED:
        return "Name what is compared with --by, or two cases: DIR#CASE DIR#CASE."
    return f"If that is what you compare: --by {','.join([*by, *fewest])}."


def _compare(
    baseline: Side, candidates: Sequence[Side], matches: dict[str, Matches],
    left_out: list[LeftOut], again: Sequence[Again], gate: Gate,
) -> tuple[list[Compared], list[Missing]]:  # fmt: skip
    """All pairs with their rounds read, one case of the baseline after the other, and its cases
    that a candidate has not; pairs without a finished round are added to `left_out`."""
    compared: list[Compared] = []
    missing: list[Missing] = []
    of_case = {name: _by_case(found.pairs) for name, found in matches.items()}
    for case in baseline.cases.values():
        first: CaseMeasured | None = None
        sessions: Sessions = {}
        for side in candidates:
            reasons = [
                left.reason for left in matches[side.name].left_out
                if (left.side, left.case) == (baseline.name, case.id)
            ]  # fmt: skip
            pairs = of_case[side.name].get(case.id, [])
            for pair in pairs:
                if reason := _unusable(baseline, case) or _unusable(side, pair.candidate):
                    left = {"side": side.name, "case": pair.candidate.id, "against": baseline.name}
                    left_out.append(LeftOut(**left, reason=reason, differs=[]))
                    reasons.append(reason)
            if case.good and first is None:
                first = baseline.measured(case)
                samples = Samples(baseline, case)
                sessions = _sessions(first, case, again)
            missing += _missing(case, side, reasons, first)
            for pair in pairs if first else []:
                if first is None or not pair.candidate.good:
                    continue
                second = side.measured(pair.candidate)
                paired = interleaved(side, baseline)
                found = changes(first, second, paired=paired, sessions={} if paired else sessions)
                shares = beyond(
                    gate.criteria, samples, Samples(side, pair.candidate), paired=paired
                )
                if sessions and again and not paired:
                    # What sessions differ by is in the interval of a ratio alone.
                    known = {f.name for f in found if f.tested}
                    shares = {
                        c.text: shares[c.text] for c in gate.criteria
                        if c.text in shares and (c.absolute or c.names(case.test) not in known)
                    }  # fmt: skip
                compared.append(
                    Compared(side, pair, paired, first.only(), second.only(), found, shares)
                )
    return compared, missing


def _missing(
    case: SideCase, side: Side, reasons: Sequence[str], first: CaseMeasured | None
) -> list[Missing]:
    """The case of the baseline, where the candidate has not measured it; the floor is in no gate,
    nor is what the baseline does not support itself."""
    if not reasons or case.status == "unsupported" or case.flat.get("adapter") == FLOOR_ADAPTER:
        return []
    figures = tuple(first.figures) if first else ()
    return [Missing(case.id, case.id, side.name, case.test, reasons[0], figures)]


def _sessions(first: CaseMeasured, case: SideCase, again: Sequence[Again]) -> Sessions:
    """Every figure of a case in each campaign of the baseline that has it."""
    values = {name: [of.figure.value] for name, of in first.figures.items() if of.figure}
    for side, pairs in again:
        for pair in pairs:
            if pair.baseline is case and pair.candidate.good:
                further = side.measured(pair.candidate)
                for name, of in further.figures.items():
                    if of.figure and name in values:
                        values[name].append(of.figure.value)
    return values


def _by_case(pairs: Iterable[Match]) -> dict[str, list[Match]]:
    """By the baseline's case."""
    found: dict[str, list[Match]] = {}
    for pair in pairs:
        found.setdefault(pair.baseline.id, []).append(pair)
    return found


def _unusable(side: Side, case: SideCase) -> str | None:
    if case.good:
        return None
    return f"{case.status.replace('_', ' ')} in {side.name}: {case.reason or 'no finished round'}"


def _families(compared: Sequence[Compared]) -> dict[str, Families]:
    """By candidate: what one has is not adjusted for what another has."""
    only_floors = all(c.is_floor for c in compared)
    families: dict[str, Families] = {}
    for c in compared:
        own = families.setdefault(c.candidate.name, Families())
        for found in c.found:
            of_floor = c.is_floor and not only_floors
            of = own.floor if of_floor else own.headline if found.headline else own.further
            of.append((c, found))
    return families


def _pairs(
    baseline: Side, compared: Sequence[Compared], families: dict[str, Families],
    by: Sequence[str], margin: float,
) -> list[Pair]:  # fmt: skip
    told: dict[tuple[int, str], Told] = {}
    for family in (f for own in families.values() for f in (own.headline, own.further, own.floor)):
        results = verdicts([found for _, found in family], margin)
        keys = [(id(c), found.name) for c, found in family]
        told |= dict(zip(keys, results, strict=True))
    cases = [(c.match.baseline, c.match.candidate, c.candidate.name) for c in compared]
    adapters = {
        path: found
        for side in (*(c.candidate for c in compared), baseline)
        for path, found in side.result.manifest.adapters.items()
    }
    names = name_pairs(cases, adapters, by)
    return [
        document.pair(c, name, [told[id(c), found.name] for found in c.found])
        for c, name in zip(compared, names, strict=True)
    ]


def _judged(
    compared: Sequence[Compared], pairs: Sequence[Pair], by: Sequence[str]
) -> list[Candidate]:
    """Pairs that criteria are about."""
    only_floors = all(pair.is_floor for pair in pairs)
    return [
        Candidate(
            index,
            pair.baseline_case,
            full_label(pair, by),
            pair.candidate,
            pair.test,
            c.found,
            c.beyond,
        )
        for index, (pair, c) in enumerate(zip(pairs, compared, strict=True))
        if only_floors or not pair.is_floor
    ]


def full_label(pair: Pair, by: Sequence[str]) -> str:
    """A pair's name where no table says the rest: "UDP sockets: latency of 64 B on one CPU"."""
    what = where(pair, by)
    parts = [what, pair.workload] if pair.workload else [what]
    return f"{pair.label}: {', '.join(parts)}" if pair.label else ", ".join(parts)
