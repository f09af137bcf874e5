"""Applying the rules, and merging what they say into findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from busmark.findings.registry import rules
from busmark.findings.rule import SEVERITIES, Capabilities, Observation, Profile, Rule
from busmark.model.entry import SEARCHES

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.store.manifest import Case, Finding
    from busmark.store.result import Result

Seen = dict[str, list[tuple[str, Observation]]]
"""Observations by rule: each with its case, or "" for the host."""


def host_findings(profile: Profile, *, node: str = "") -> list[Finding]:
    """Return what is wrong with a machine for measuring. A node's name is put before the
    evidence."""
    seen: Seen = defaultdict(list)
    for rule in rules().values():
        if rule.check_host:
            seen[rule.id] += [("", o) for o in rule.check_host(profile)]
    return _findings(seen, examined=0, prefix=f"node {node}: " if node else "")


def plan_findings(
    cases: Iterable[Case],
    profile: Profile,
    adapters: dict[str, Capabilities] | None = None,
    nodes_of: Callable[[Case], Mapping[str, Profile]] | None = None,
) -> list[Finding]:
    """Return what planned cases show before they run.

    Args:
        profile: of the machine on which cases run that are on no node.
        nodes_of: profiles of the nodes of a case, by name; none: it is on none.
    """
    planned = [case for case in cases if case.status == "planned"]
    seen: Seen = defaultdict(list)
    for rule in rules().values():
        if rule.check_plan is None:
            continue
        for case in planned:
            capabilities = (adapters or {}).get(str(case.params.adapter), {})
            for node, own in ((nodes_of and nodes_of(case)) or {"": profile}).items():
                found = rule.check_plan(case.params, own, capabilities)
                seen[rule.id] += [(case.id, replace(o, node=node)) for o in found]
    return _findings(seen, examined=len(planned))


def campaign_findings(result: Result) -> list[Finding]:
    """Return what went wrong in a campaign, from its result directory alone.

    One case is held in memory at a time. A defect in a rule must not cost hours of measuring
    their other findings: it becomes a finding itself.
    """
    from busmark.findings.view import CaseView

    planned = [case for case in result.manifest.cases if case.status == "planned"]
    applied = [rule for rule in rules().values() if rule.of_imports or not result.manifest.source]
    seen: Seen = defaultdict(list)
    for case in planned:
        _check(CaseView(case, result), applied, seen)
    for rule in applied:
        if rule.check_campaign is None:
            continue
        try:
            seen[rule.id] += [(o.case, o) for o in rule.check_campaign(result)]
        except Exception as error:
            seen[rule.id].append(("", _defect(rule, error)))
    return _findings(seen, examined=len(planned))


def early_findings(case: Case, result: Result) -> list[Finding]:
    """Return what the rounds of a case so far allow to be said while others are to come."""
    from busmark.findings.view import CaseView

    view = CaseView(case, result)
    rounds = view.ok.height
    seen: Seen = defaultdict(list)
    _check(view, [r for r in rules().values() if r.early is not None and rounds >= r.early], seen)
    return _findings(seen, examined=1)


def _check(view: CaseView, applied: Iterable[Rule], seen: Seen) -> None:
    """Add what these rules say of one case to `seen`."""
    for rule in applied:
        if rule.check_case is None:
            continue
        if view.case.params.test in SEARCHES and not rule.of_trials:
            continue
        try:
            seen[rule.id] += [(view.case.id, o) for o in rule.check_case(view)]
        except Exception as error:
            seen[rule.id].append((view.case.id, _defect(rule, error)))


def combine(*parts: Iterable[Finding]) -> list[Finding]:
    """Merge findings of several moments into one list, worst first, causes before consequences.

    If the same finding (rule, severity, title and remedy) is found again, the later one stays; host
    findings of several nodes differ in their evidence and are all kept.
    """
    latest: dict[tuple[str, ...], Finding] = {}
    for finding in (finding for part in parts for finding in part):
        key = (finding.id, finding.severity, finding.title, finding.remedy)
        latest[key if finding.cases else (*key, finding.evidence)] = finding
    return _ordered(_explained(list(latest.values())))


def _explained(findings: list[Finding]) -> list[Finding]:
    """Return the findings, each with the titles of those that it may be the cause of."""
    return [
        one.model_copy(
            update={"explains": list(dict.fromkeys(e.title for e in _consequences(one, findings)))}
        )
        for one in findings
    ]


def _consequences(finding: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """Return what this finding may be the cause of. Nothing of the host alone is a consequence."""
    if finding.severity == "note" or finding.id not in rules():
        return []
    kinds, own = rules()[finding.id].explains, set(finding.cases)
    found = [each for each in findings if each is not finding and each.id in kinds]
    return [
        each
        for each in found
        if not (own and each.cases) or (own & set(each.cases)) - _accounted(each, finding, findings)
    ]


def _accounted(finding: Finding, by: Finding, findings: Sequence[Finding]) -> set[str]:
    """Return the cases in which another finding than `by` is known to be the cause of this one."""
    others = (each for each in findings if each is not by and each.id in rules())
    return {
        case
        for other in others
        if finding.id in rules()[other.id].accounts_for
        for case in other.cases
    }


def _defect(rule: Rule, error: Exception) -> Observation:
    return Observation(
        "note",
        f"{type(error).__name__}: {error}",
        title=f"The check {rule.id} could not be made",
        cause="The rule met data that it does not expect; this is a defect of Busmark.",
        remedy="Report it with the result directory; the figures are not affected.",
    )


def _findings(seen: Seen, *, examined: int, prefix: str = "") -> list[Finding]:
    """Merge observations into one finding for each rule, severity, title, cause and group."""
    merged = []
    for rule in rules().values():
        groups: dict[tuple[str, ...], list[tuple[str, Observation]]] = defaultdict(list)
        for case, seen_here in seen.get(rule.id, []):
            key = (seen_here.severity, seen_here.title, seen_here.cause, seen_here.group)
            groups[key].append((case, seen_here))
        worst_first = sorted(groups.values(), key=lambda group: -max(o.weight for _, o in group))
        merged += [_merge(rule, group, examined, prefix) for group in worst_first]
    return _ordered(merged)


def _merge(rule: Rule, group: list[tuple[str, Observation]], examined: int, prefix: str) -> Finding:
    from busmark.store.manifest import Finding

    worst_case, worst = max(group, key=lambda item: item[1].weight)
    cases = list(dict.fromkeys(case for case, _ in group if case))
    others = dict.fromkeys(o.node for _, o in group if o.node != worst.node)
    words = _words(worst)
    if others:
        words += f"; and on {', '.join(others)}"
    evidence = prefix + words
    if len(cases) == 1:
        evidence = f"{worst_case}: {words}"
    elif cases:
        evidence = f"{len(cases)} of {examined} cases; the worst is {worst_case}: {words}"
    return Finding(
        id=rule.id,
        severity=worst.severity,
        title=worst.title or rule.title,
        cause=worst.cause or rule.cause,
        evidence=evidence,
        remedy=worst.remedy or rule.remedy,
        cases=cases,
        concerns=list(worst.concerns or rule.concerns),
        seen=_seen(group) if len(cases) > 1 else {},
    )


def _words(observation: Observation) -> str:
    return (f"node {observation.node}: " if observation.node else "") + observation.evidence


def _seen(group: list[tuple[str, Observation]]) -> dict[str, str]:
    """Return the evidence of each case's worst observation."""
    worst: dict[str, Observation] = {}
    for case, observation in sorted(group, key=lambda item: -item[1].weight):
        worst.setdefault(case, observation)
    return {case: _words(worst[case]) for case in dict.fromkeys(case for case, _ in group if case)}


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by severity, then as registered; what explains others counts as severe as they."""
    place = {rule_id: position for position, rule_id in enumerate(rules())}
    found = list(findings)
    severity = {id(each): SEVERITIES.index(each.severity) for each in found}

    def rank(finding: Finding) -> tuple[int, bool, int]:
        caused = [severity[id(each)] for each in _consequences(finding, found)]
        worst = min([severity[id(finding)], *caused])
        return worst, not caused, place.get(finding.id, len(place))

    return sorted(found, key=rank)
