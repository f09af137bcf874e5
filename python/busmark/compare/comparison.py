"""From sides to the document: match, measure, compare, judge; and in what two campaigns
differ besides: machines, programs, how was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.compare import document
from busmark.compare.change import FigureChange, Sessions, changes
from busmark.compare.document import PairInProgress, in_their_columns
from busmark.compare.gate import Candidate, Gate, MissingCase, beyond
from busmark.compare.matching import Match, Matches, match
from busmark.compare.measured import CaseMeasured
from busmark.compare.model import Comparison, Difference, LeftOut, Pair
from busmark.compare.naming import name_pairs, where
from busmark.compare.samples import Samples, further
from busmark.compare.sides import Side, SideCase, interleaved, parameters
from busmark.compare.verdict import EQUIVALENT, EQUIVALENT_LOSS, Decision, tests, verdicts
from busmark.errors import UserError
from busmark.estimate import machines
from busmark.host.profile import whole_differences as of_hosts
from busmark.model import naming as dim
from busmark.model.figure import CONFIDENCE
from busmark.model.naming import FLOOR_ADAPTER
from busmark.model.text import ABSENT, joined
from busmark.store import Manifest

MOST_NAMED = 4
"""Parameters in a remedy."""

MOST_CHARACTERS = 200
"""Characters of the reason in a refusal."""

Again = tuple[Side, Sequence[Match]]
"""A further campaign of the baseline, and its cases paired with the first campaign's."""

Family = list[tuple[PairInProgress, FigureChange]]


@dataclass(slots=True)
class Families:
    """Figures of one candidate that are judged together, by family."""

    headline: Family = field(default_factory=list)
    loss: Family = field(default_factory=list)
    further: Family = field(default_factory=list)
    floor: Family = field(default_factory=list)
    """Family of the null adapter: in none of these."""

    @property
    def tests(self) -> tuple[int, int, int]:
        """Tests of headline figures, of losses and of others."""
        headline, loss, further = (
            tests([f for _, f in of]) for of in (self.headline, self.loss, self.further)
        )
        return headline, loss, further

    def family(self, found: FigureChange) -> Family:
        """Return the family of a figure. Where nothing was lost on either side no test can find
        anything, so it is none of those that losses are adjusted for (Tarone 1990)."""
        if found.headline:
            return self.headline
        sides = (found.baseline, found.candidate)
        lost = any(side and side.figure and side.figure.value for side in sides)
        return self.loss if found.name == "loss" and lost else self.further


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
        reasons = "; ".join(f"{left.case}: {left.reason}" for left in left_out[-1:])
        reasons = reasons if len(reasons) <= MOST_CHARACTERS else f"{reasons[:MOST_CHARACTERS]} …"
        raise UserError(
            f"no case has a finished round on both sides: {reasons}",
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
        headline_tests=sum(headline for headline, _, _ in counts.values()),
        loss_tests=sum(loss for _, loss, _ in counts.values()),
        further_tests=sum(further for _, _, further in counts.values()),
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
    """Return what helps where no case is compared: rounds, or parameters that may differ."""
    differing = [left.differs for left in left_out if left.differs]
    if len(differing) < len(left_out):
        return "`busmark run --resume --out DIR` runs what is missing."
    fewest = min(differing, key=len)
    if len(fewest) > MOST_NAMED:
        return "Name what is compared with --by, or two cases: DIR#CASE DIR#CASE."
    return f"If that is what you compare: --by {','.join([*by, *fewest])}."


def _compare(
    baseline: Side,
    candidates: Sequence[Side],
    matches: dict[str, Matches],
    left_out: list[LeftOut],
    again: Sequence[Again],
    gate: Gate,
) -> tuple[list[PairInProgress], list[MissingCase]]:
    """Return all pairs with their rounds read, one case of the baseline after the other, and its
    cases
    that a candidate has not; pairs without a finished round are added to `left_out`."""
    compared: list[PairInProgress] = []
    missing: list[MissingCase] = []
    of_case = {name: _by_case(found.pairs) for name, found in matches.items()}
    for case in baseline.cases.values():
        first: CaseMeasured | None = None
        sessions: Sessions = {}
        for side in candidates:
            reasons = [
                left.reason
                for left in matches[side.name].left_out
                if (left.side, left.case) == (baseline.name, case.id)
            ]
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
            missing += _missing(case, side, reasons, first, gate)
            for pair in pairs if first else []:
                if first is None or not pair.candidate.good:
                    continue
                second = side.measured(pair.candidate)
                paired = interleaved(side, baseline)
                found = changes(first, second, paired=paired, sessions={} if paired else sessions)
                own = Samples(side, pair.candidate)
                shares = beyond(gate.criteria, samples, own, paired=paired)
                names = [each.name for each in found]
                asked = further(gate.criteria, samples, own, names, paired=paired)
                if sessions and again and not paired:
                    # What sessions differ by is in the interval of a ratio alone.
                    known = {f.name for f in found if f.tested}
                    shares = {
                        c.text: shares[c.text]
                        for c in gate.criteria
                        if c.text in shares and (c.absolute or c.names(case.test) not in known)
                    }
                compared.append(
                    PairInProgress(
                        side, pair, paired, first.only(), second.only(), found, shares, asked
                    )
                )
    return compared, missing


def _missing(
    case: SideCase, side: Side, reasons: Sequence[str], first: CaseMeasured | None, gate: Gate
) -> list[MissingCase]:
    """Return the case of the baseline, where the candidate has not measured it; the floor is in no
    gate,
    nor is what the baseline does not support itself."""
    if not reasons or case.status == "unsupported" or case.flat.get("adapter") == FLOOR_ADAPTER:
        return []
    asked = [c.names(case.test) for c in gate.criteria if case.test in c.subject.row.tests]
    figures = (*first.figures, *asked) if first else ()
    params = dim.flatten(case.params)
    return [MissingCase(case.id, case.id, side.name, case.test, params, reasons[0], figures)]


def _sessions(first: CaseMeasured, case: SideCase, again: Sequence[Again]) -> Sessions:
    """Return every figure of a case in each campaign of the baseline that has it."""
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
    found: dict[str, list[Match]] = {}
    for pair in pairs:
        found.setdefault(pair.baseline.id, []).append(pair)
    return found


def _unusable(side: Side, case: SideCase) -> str | None:
    if case.good:
        return None
    return f"{case.status.replace('_', ' ')} in {side.name}: {case.reason or 'no finished round'}"


def _families(compared: Sequence[PairInProgress]) -> dict[str, Families]:
    only_floors = all(c.is_floor for c in compared)
    families: dict[str, Families] = {}
    for c in compared:
        own = families.setdefault(c.candidate.name, Families())
        for found in c.found:
            of_floor = c.is_floor and not only_floors
            (own.floor if of_floor else own.family(found)).append((c, found))
    return families


def _pairs(
    baseline: Side,
    compared: Sequence[PairInProgress],
    families: dict[str, Families],
    by: Sequence[str],
    margin: float,
) -> list[Pair]:
    judged: dict[tuple[int, str], Decision] = {}
    for family in (
        family
        for own in families.values()
        for family in (own.headline, own.loss, own.further, own.floor)
    ):
        results = verdicts([found for _, found in family], margin)
        keys = [(id(c), found.name) for c, found in family]
        judged |= dict(zip(keys, results, strict=True))
    cases = [(c.match.baseline, c.match.candidate, c.candidate.name) for c in compared]
    adapters = {
        path: found
        for side in (*(c.candidate for c in compared), baseline)
        for path, found in side.result.manifest.adapters.items()
    }
    names = name_pairs(cases, adapters, by)
    return [
        document.pair(c, name, [judged[id(c), found.name] for found in c.found])
        for c, name in zip(compared, names, strict=True)
    ]


def _judged(
    compared: Sequence[PairInProgress], pairs: Sequence[Pair], by: Sequence[str]
) -> list[Candidate]:
    """Return pairs that criteria are about."""
    only_floors = all(pair.is_floor for pair in pairs)
    return [
        Candidate(
            index,
            pair.baseline_case,
            full_label(pair, by),
            pair.candidate,
            pair.test,
            dim.flatten(c.match.baseline.params),
            [*c.found, *c.asked],
            c.beyond,
        )
        for index, (pair, c) in enumerate(zip(pairs, compared, strict=True))
        if only_floors or not pair.is_floor
    ]


def full_label(pair: Pair, by: Sequence[str]) -> str:
    """Return a pair's name where no table says the rest: "UDP sockets: latency of 64 B on one
    CPU"."""
    what = where(pair, by)
    parts = [what, pair.workload] if pair.workload else [what]
    return f"{pair.label}: {', '.join(parts)}" if pair.label else ", ".join(parts)


VERSIONS = {"version": "version", "middleware_version": "middleware"}
"""Facts of an adapter that are shown, and their names for people."""

EFFORT = ("duration_s", "warmup_s", "samples", "probe_every")
"""Parameters that say how long was measured. Warm-up and length bear on the result where it is not
stationary."""


def differences(
    baseline: Side, candidate: Side, pairs: Sequence[Match], by: Sequence[str] = ()
) -> list[Difference]:
    """Return facts that are not the same; a fact that one side does not report is left out. What is
    compared is shown, without a warning."""
    first, second = baseline.result.manifest, candidate.result.manifest
    found = [*_cpus(candidate, pairs), *_effort(candidate, pairs)]
    compared = machines.compared(by)
    if baseline.result is candidate.result:
        return [*_nodes(candidate.name, first, pairs, compared), *found] if compared else found
    return [
        *_hosts(candidate.name, first, second, compared),
        *_programs(candidate.name, first, second, pairs),
        *found,
    ]


def _hosts(
    candidate: str, first: Manifest, second: Manifest, compared: set[str]
) -> Iterator[Difference]:
    shared = [node for node in first.hosts if node in second.hosts]
    for node in shared:
        for fact, both in of_hosts(first.hosts[node], second.hosts[node]).items():
            name = f"{fact} of {node}" if node else fact
            yield _difference(
                candidate, "machine", name.replace("_", " "), both, warning=fact not in compared
            )
    for manifest, side in ((first, 0), (second, 1)):
        if manifest.resumptions:
            values = ("one host", "one host")
            text = f"{len(manifest.resumptions) + 1} hosts, or one that changed"
            both = (text, values[1]) if side == 0 else (values[0], text)
            yield _difference(candidate, "machine", "hosts in turn", both, warning=True)


def _nodes(
    candidate: str, manifest: Manifest, pairs: Iterable[Match], compared: set[str]
) -> Iterator[Difference]:
    """Return differences between machines of one campaign: for each pair of cases."""
    seen_pairs: set[tuple[str, str, str]] = set()
    for pair in pairs:
        sides = [
            [
                profile
                for ends in machines.hosts(manifest, case.params, case.good)
                for end in ends
                for profile in end
            ]
            for case in (pair.baseline, pair.candidate)
        ]
        for mine, theirs in zip(*sides, strict=False):
            for fact, both in of_hosts(dict(mine), dict(theirs)).items():
                key = (fact, _text(both[0]), _text(both[1]))
                if key not in seen_pairs:
                    seen_pairs.add(key)
                    name = fact.replace("_", " ")
                    warning = fact not in compared
                    yield _difference(candidate, "machine", name, both, warning=warning)


def _programs(
    candidate: str, first: Manifest, second: Manifest, pairs: Sequence[Match]
) -> Iterator[Difference]:
    versions = (first.busmark_version, second.busmark_version)
    if versions[0] != versions[1]:
        yield _difference(candidate, "Busmark", "version", versions, warning=True)
    for mine, theirs in _adapters(pairs):
        before, after = first.adapters.get(mine, {}), second.adapters.get(theirs, {})
        named = False
        for key, name in VERSIONS.items():
            both = (before.get(key), after.get(key))
            if None not in both and both[0] != both[1]:
                named = True
                yield _difference(candidate, "adapter", f"{name} of {mine}", both, warning=False)
        libraries = (before.get("sha256"), after.get("sha256"))
        if not named and None not in libraries and libraries[0] != libraries[1]:
            short = tuple(str(digest)[:12] for digest in libraries)
            yield _difference(candidate, "adapter", f"library of {mine}", short, warning=False)


def _adapters(pairs: Iterable[Match]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for pair in pairs:
        for role in ("adapter", "peer"):
            mine, theirs = getattr(pair.baseline.params, role), getattr(pair.candidate.params, role)
            if mine and theirs and pair.baseline.flat.get(role) == pair.candidate.flat.get(role):
                found[(str(mine), str(theirs))] = None
    return list(found)


def _cpus(candidate: Side, pairs: Sequence[Match]) -> Iterator[Difference]:
    """Return CPUs on which participants ran; of a placement by the scheduler nothing is known."""
    both: dict[tuple[str, str], None] = {}
    for pair in pairs:
        used = (_used(pair.baseline), _used(pair.candidate))
        if all(used) and used[0] != used[1]:
            both[used] = None
    for values in both:
        yield _difference(candidate.name, "measurement", "CPUs used", values, warning=True)


def _used(case: SideCase) -> str:
    return " or ".join(sorted({row["cpus"] for row in case.good if row.get("cpus")}))


def _effort(candidate: Side, pairs: Sequence[Match]) -> Iterator[Difference]:
    for name in EFFORT:
        both = {
            (p.baseline.params.declared().get(name), p.candidate.params.declared().get(name)): None
            for p in pairs
        }
        for values in both:
            if None not in values and values[0] != values[1]:
                texts = tuple(dim.value_text(name, value) for value in values)
                yield _difference(
                    candidate.name, "measurement", dim.title(name), texts, warning=True
                )


def _difference(
    candidate: str, area: Any, fact: str, both: Sequence[object], *, warning: bool
) -> Difference:
    before, after = (_text(value) for value in both)
    return Difference(
        candidate=candidate,
        area=area,
        fact=fact,
        baseline=before,
        candidate_value=after,
        warning=warning,
    )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) or ABSENT
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value) or ABSENT
    return value if isinstance(value, str) else dim.value_text("", value)
