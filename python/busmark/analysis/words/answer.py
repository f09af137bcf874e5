"""The answer in sentences, the most important first: what the rounds allow to be said, and nothing
more. The first three are what the page begins with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from busmark.analysis.across.effects import parameters
from busmark.analysis.across.overall import carried, growth
from busmark.analysis.across.standing import Effect, Standing
from busmark.analysis.model import Answer, CaseSummary, Group, SizeFit
from busmark.analysis.words import text
from busmark.analysis.words.costs import costs, is_asked
from busmark.analysis.words.ranking import overview, sentence
from busmark.store import Finding

MOST_SENTENCES = 8

MOST_WANTED = 2
"""Costs before the sentence on who is best, where several are measured."""

SPOILING = ("error", "warning")
"""Findings by which figures are wrong or distorted."""

MOST_SPOILT = 2
"""Findings in one sentence."""

MOST_NAMED = 3
"""Labels that a finding concerns, for their names: a list of many says less than their number."""


def answers(
    groups: Sequence[Group],
    cases: dict[str, CaseSummary],
    *,
    standings: Sequence[Standing],
    effects: Sequence[Effect],
    question: str = "",
    fits: Sequence[SizeFit] = (),
    findings: Sequence[Finding] = (),
) -> list[Answer]:
    """First what the scenario asks, then who is best over all workloads of each test, then the
    rest; what there is no room for is counted. `question`: title and question of the scenario."""
    names = asked(effects, cases, question)
    by_parameter = costs(effects)
    wanted = [each for name in names for each in by_parameter[name]]
    further = [each for name, of in by_parameter.items() if name not in names for each in of]
    by_test: dict[str, list[Standing]] = {}
    for standing in standings:
        by_test.setdefault(standing.test, []).append(standing)
    ranked = [_ranked(of_test, cases, findings) for of_test in by_test.values()]
    growing = [
        answer
        for group in groups
        for answer in (
            *growth(group, _under_test(fits, cases)),
            *carried(group, [cases[c] for c in group.cases]),
        )
    ]
    first = [of_test[0] for of_test in ranked if of_test]
    in_turn = [s for turn in zip_longest(*(of_test[1:] for of_test in ranked)) for s in turn if s]
    room = len(wanted) if is_about_one(cases) else MOST_WANTED
    told = [*wanted[:room], *first, *wanted[room:], *further, *growing, *in_turn]
    hidden = len(told) - MOST_SENTENCES
    if hidden <= 0:
        return told
    rest = " in the tables."
    return [*told[:MOST_SENTENCES], Answer(lead=text.plural(hidden, "more comparison"), rest=rest)]


def _under_test(fits: Sequence[SizeFit], cases: dict[str, CaseSummary]) -> Sequence[SizeFit]:
    """Those of middleware, unless there are baselines only."""
    return [fit for fit in fits if not cases[fit.cases[0]].is_baseline] or fits


def asked(effects: Sequence[Effect], cases: dict[str, CaseSummary], question: str) -> list[str]:
    """Parameters that the scenario asks about: those that its title or question names. Where one
    middleware is measured, with nothing beside it, all that varies is what it asks."""
    return [name for name in parameters(effects) if is_about_one(cases) or is_asked(name, question)]


def is_about_one(cases: dict[str, CaseSummary]) -> bool:
    """Whether a single middleware, with nothing beside it, was measured."""
    measured = [c for c in cases.values() if not c.is_floor and c.headline is not None]
    return len({case.adapter for case in measured}) == 1


def _ranked(
    standings: Sequence[Standing], cases: dict[str, CaseSummary], findings: Sequence[Finding]
) -> list[Answer]:
    """Over all workloads of one test, then at the smallest and the largest size."""
    known = [s for s in standings if s.places]
    sizes = {s.size for s in known if s.size is not None}
    ends = {min(sizes), max(sizes)} if sizes else {None}
    single = [_single(s, cases, findings) for s in known if s.size in ends]
    return [*overview(known, cases), *(answer for answer in single if answer)]


def _single(
    standing: Standing, cases: dict[str, CaseSummary], findings: Sequence[Finding]
) -> Answer | None:
    told = sentence(standing, cases)
    if told is None:
        return None
    compared = [p.case for p in standing.places if p.role != "baseline"]
    spoilt = spoilt_by([cases[case] for case in compared], findings, told.sentence)
    if not spoilt:
        return told
    return Answer(lead=told.lead, rest=f"{told.rest.removesuffix('.')}; but {spoilt}.")


def _of(concerned: Sequence[str], whole: int) -> str:
    """Whom of a sentence a finding concerns: by name if they are few, not if it is all."""
    if len(concerned) == whole:
        return ""
    few = len(concerned) <= MOST_NAMED
    return f" ({text.joined(list(concerned)) if few else f'{len(concerned)} of {whole}'})"


def spoilt_by(cases: Sequence[CaseSummary], findings: Sequence[Finding], said: str = "") -> str:
    """What findings say against these cases: errors and warnings that name them, but for what the
    sentence has `said` already; else empty."""
    names = {case.id: case.label for case in cases}
    told = []
    for finding in findings:
        concerned = dict.fromkeys(names[case] for case in finding.cases if case in names)
        if finding.severity in SPOILING and concerned:
            title = text.lower_first(finding.title)
            if title in said:
                continue
            told.append(f"{title}{_of(list(concerned), len(set(names.values())))}")
    hidden = len(told) - MOST_SPOILT
    more = [text.plural(hidden, "more finding")] if hidden > 0 else []
    return "; ".join([*told[:MOST_SPOILT], *more])
