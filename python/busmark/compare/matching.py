"""Which case of a side stands beside which of the baseline, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.compare.model import LeftOut
from busmark.compare.sides import Side, SideCase
from busmark.errors import UserError
from busmark.estimate.machines import FACTS
from busmark.model import naming as dim
from busmark.model.parameters import DEFAULTS, PARAMETERS
from busmark.model.text import joined

OF_THE_ADAPTER = tuple(each.name for each in PARAMETERS if each.of_adapter)
"""Parameters that follow from the adapter: where adapters are compared, they need not be equal."""

OWN_ADAPTERS = frozenset({"adapter", "peer", "side"})
"""Parameters by which adapters are compared, or whose values may be other adapters."""

FOLLOWS = {
    **dim.FOLLOWS,
    **dict.fromkeys(FACTS, ("writer_on", "reader_on")),
}
"""Parameters that follow from a parameter of another name. Where machines are compared within a
campaign, participants are on other nodes."""

MOST_NAMED = 4
"""Parameters named in a refusal."""

MOST_LOOKED_AT = 20_000
"""Pairs of cases among which the nearest is searched for: this many take some seconds."""


@dataclass(frozen=True, slots=True)
class Match:
    """Two cases that are compared."""

    baseline: SideCase
    candidate: SideCase
    differs: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Parameters that differ besides those compared."""


@dataclass(slots=True)
class Matches:
    """Matches of one side with the baseline."""

    pairs: list[Match]
    left_out: list[LeftOut]


def match(baseline: Side, candidate: Side, by: Sequence[str], *, force: bool) -> Matches:
    """Return cases with equal parameters, but for `by` and for how long was measured.

    Raises:
        UserError: no case has a counterpart: it is not the same experiment.
    """
    if baseline.single and candidate.single:
        return _single(baseline, candidate, by, force=force)
    unknown = _not_declared(baseline, candidate)
    first = [*baseline.cases.values()]
    second = [*candidate.cases.values()]
    newer = _names(baseline) ^ _names(candidate)
    pairs = [
        Match(found.baseline, found.candidate, _of(unknown, found, by))
        for found in _equal(first, second, {*by, *unknown}, newer)
    ]
    if following := {name for own in by for name in FOLLOWS.get(own, ())}:
        rest = _unmatched(pairs, first, second)
        pairs += _with_differences(_equal(*rest, {*by, *unknown, *following}, newer), by)
    if set(by) & OWN_ADAPTERS:
        sides = {"adapter", *FOLLOWS["side"]} if "side" in by else set()
        found = _by_adapter(
            *_unmatched(pairs, first, second), {*by, *unknown, *following, *sides}, newer
        )
        # What sides differ in is what they are.
        pairs += _with_differences(found, by if sides else (*by, *OF_THE_ADAPTER))
    if force:
        first_left, second_left = _unmatched(pairs, first, second)
        by_id = {case.id: case for case in second_left}
        pairs += [
            Match(case, by_id[case.id], differing(case, by_id[case.id], by))
            for case in first_left
            if case.id in by_id and case.test == by_id[case.id].test
        ]
    # That a value of a parameter has other cases in one campaign is no mistake.
    if not pairs and baseline.result is not candidate.result:
        raise _nothing_alike(baseline, candidate, [*by, *unknown])
    order = {case.id: place for place, case in enumerate(first)}
    pairs.sort(key=lambda found: order[found.baseline.id])
    left = _unmatched(pairs, first, second)
    many = len(left[0]) * len(second) + len(left[1]) * len(first) > MOST_LOOKED_AT
    left_out = [_left_out(baseline, case, candidate, by, nearest=not many) for case in left[0]]
    left_out += [_left_out(candidate, case, baseline, by, nearest=not many) for case in left[1]]
    return Matches(pairs, left_out)


def _with_differences(found: Iterable[Match], ignored: Sequence[str]) -> list[Match]:
    """Return the matches with the parameters in which they differ, but for those `ignored`."""
    return [
        Match(m.baseline, m.candidate, differing(m.baseline, m.candidate, ignored)) for m in found
    ]


def _by_adapter(
    first: Iterable[SideCase], second: Iterable[SideCase], ignored: set[str], newer: set[str]
) -> list[Match]:
    """Return cases of one workload. What follows from the adapter need not be equal, nor do choices
    of
    which either side has one only for this workload: what its adapter makes of a default."""
    choices = {*ignored, *dim.CHOICES, *OF_THE_ADAPTER, "peer_wait"}
    mine, theirs = (_by_key(side, choices, newer) for side in (first, second))
    found = []
    for key, cases in mine.items():
        others = theirs.get(key, [])
        follows = {*ignored, *OF_THE_ADAPTER, *_follows(cases, others)}
        found += _equal(cases, others, follows, newer)
    return found


def _single(baseline: Side, candidate: Side, by: Sequence[str], *, force: bool) -> Matches:
    """Return a case that the user names on each side: choices may differ, the workload may not."""
    (first,), (second,) = baseline.cases.values(), candidate.cases.values()
    differs = differing(first, second, by)
    workload = {n: v for n, v in differs.items() if not dim.is_choice(n) and not _adapters(n)}
    if first.test != second.test:
        workload = {"test": (first.test, second.test)}
    if workload and (not force or "test" in workload):
        raise UserError(
            f"not the same experiment: {_in_words(workload)}",
            where=f"{baseline.name} and {candidate.name}",
            remedy="Name cases of one workload."
            + ("" if "test" in workload else " With --force they are compared all the same."),
        )
    return Matches([Match(first, second, differs)], [])


def _adapters(name: str) -> bool:
    return name.split(".")[0] in ("adapter", "peer", *OF_THE_ADAPTER)


def _names(*sides: Side) -> set[str]:
    return {
        name
        for side in sides
        for case in side.cases.values()
        for name in case.params.model_fields_set
    }


def _not_declared(baseline: Side, candidate: Side) -> set[str]:
    """Return parameters that the source of an imported result does not state for some case, and
    what only
    one of two sides has where either is imported."""
    names = _names(baseline, candidate)
    imported = [s for s in (baseline, candidate) if s.result.manifest.source is not None]
    cases = [case for side in imported for case in side.cases.values()]
    absent = {
        n for n in names if any(c.params.declared().get(n) in (None, {}, "unstated") for c in cases)
    }
    return absent | (_names(baseline) ^ _names(candidate)) if imported else set()


def _of(names: set[str], found: Match, by: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    differs = differing(found.baseline, found.candidate, by)
    return {name: both for name, both in differs.items() if name.split(".")[0] in names}


def is_neutral(name: str, value: Any) -> bool:
    """Return whether a result from before there was such a parameter has this value without saying
    so."""
    if name == "deployment":  # It follows from the adapter.
        return True
    return value in (None, DEFAULTS[name]) if name in DEFAULTS else not value


def _follows(*sides: Iterable[SideCase]) -> set[str]:
    """Return choices of which each side has one only: defaults of its adapter, such as its
    reliability."""
    flats = [[case.flat for case in side] for side in sides]
    names = {name for side in flats for flat in side for name in flat if dim.is_choice(name)}
    return {n for n in names if all(len({str(f.get(n)) for f in side}) <= 1 for side in flats)}


def _equal(
    first: Iterable[SideCase], second: Iterable[SideCase], ignored: set[str], newer: set[str]
) -> list[Match]:
    """Return cases whose key only one case on either side has. `newer`: parameters that one side's
    Busmark
    did not know yet."""
    of_first, of_second = _by_key(first, ignored, newer), _by_key(second, ignored, newer)
    return [
        Match(cases[0], of_second[key][0])
        for key, cases in of_first.items()
        if len(cases) == 1 and len(of_second.get(key, [])) == 1
    ]


def _by_key(
    cases: Iterable[SideCase], ignored: set[str], newer: set[str]
) -> dict[str, list[SideCase]]:
    found: dict[str, list[SideCase]] = {}
    for case in cases:
        params = _parameters(case, ignored)
        key = {
            name: value
            for name, value in params.items()
            if name.split(".")[0] not in newer or not is_neutral(name, value)
        }
        found.setdefault(json.dumps(key, sort_keys=True, default=str), []).append(case)
    return found


def _parameters(case: SideCase, ignored: Iterable[str]) -> dim.Flat:
    """Return what must be equal; not how long is measured, not on what machine, and not what
    follows from
    other parameters."""
    skipped = dim.EFFORT | FACTS.keys() | set(ignored)
    return {
        name: value
        for name, value in case.flat.items()
        if name not in skipped
        and name.split(".")[0] not in skipped
        and not name.startswith(dim.DERIVED)
    }


def differing(one: SideCase, other: SideCase, by: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """Return parameters that are not equal, with both values; None: it has none."""
    mine, theirs = _parameters(one, by), _parameters(other, by)
    return {
        name: (mine.get(name), theirs.get(name))
        for name in {**mine, **theirs}
        if mine.get(name) != theirs.get(name)
        and not (_unknown(name, one) and is_neutral(name, theirs.get(name)))
        and not (_unknown(name, other) and is_neutral(name, mine.get(name)))
    }


def _unknown(name: str, case: SideCase) -> bool:
    """Return whether the case does not even say that it has no such thing."""
    return name.split(".")[0] not in case.params.model_fields_set


def _unmatched(
    pairs: Iterable[Match], first: Iterable[SideCase], second: Iterable[SideCase]
) -> tuple[list[SideCase], list[SideCase]]:
    pairs = list(pairs)
    taken = {pair.baseline.id for pair in pairs}, {pair.candidate.id for pair in pairs}
    return [c for c in first if c.id not in taken[0]], [c for c in second if c.id not in taken[1]]


def _left_out(
    side: Side, case: SideCase, other: Side, by: Sequence[str], *, nearest: bool
) -> LeftOut:
    near = _nearest(case, other, by) if nearest else None
    reason = f"no counterpart in {other.name}"
    differs: dict[str, tuple[Any, Any]] = {}
    if near is not None:
        differs = differing(case, near, by)
        reason += (
            f"; {near.id} differs in {_in_words(differs)}"
            if differs
            else "; several cases are alike but for what is compared: name them as DIR#CASE"
        )
    return LeftOut(
        side=side.name, case=case.id, against=other.name, reason=reason, differs=list(differs)
    )


def _nearest(case: SideCase, other: Side, by: Sequence[str]) -> SideCase | None:
    return min(other.cases.values(), key=lambda c: len(differing(case, c, by)), default=None)


def _in_words(differs: dict[str, tuple[Any, Any]]) -> str:
    """Return the differences in words: "size (64 B, 128 B) and payload (octet, struct)"."""
    parts = [
        f"{name} ({dim.value_text(name, mine)}, {dim.value_text(name, theirs)})"
        for name, (mine, theirs) in differs.items()
    ]
    hidden = len(parts) - MOST_NAMED
    return joined([*parts[:MOST_NAMED], *([f"{hidden} more"] if hidden > 0 else [])])


def _nothing_alike(baseline: Side, candidate: Side, by: Sequence[str]) -> UserError:
    where = f"{baseline.name} and {candidate.name}"
    empty = next((side for side in (baseline, candidate) if not side.cases), None)
    if empty is not None:
        return UserError("it has no case", where=empty.name)
    pairs = [
        (case, near, differing(case, near, by))
        for case in list(baseline.cases.values())[: 1 + MOST_LOOKED_AT // len(candidate.cases)]
        if (near := _nearest(case, candidate, by)) is not None
    ]
    one, other, differs = min(pairs, key=lambda pair: len(pair[2]))
    if not differs:
        return UserError(
            "several cases are alike but for what is compared",
            where=where,
            remedy="Add a parameter to --by, or name a case of each: DIR#CASE.",
        )
    remedy = "With --force cases of one name are compared all the same."
    if len(differs) <= MOST_NAMED and "test" not in differs:
        remedy = f"If that is what you compare: --by {','.join(differs)}. {remedy}"
    return UserError(
        f"not the same experiment: no case has a counterpart. The nearest, {one.id} and "
        f"{other.id}, differ in {_in_words(differs)}",
        where=where,
        remedy=remedy,
    )
