"""Applying the rules, and merging what they say into findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from busmark.findings.registry import RULES, rules
from busmark.findings.rule import SEVERITIES, Capabilities, Observation, Profile, Rule

if TYPE_CHECKING:
    from busmark.store.manifest import Case, Finding
    from busmark.store.result import Result

Seen = dict[str, list[tuple[str, Observation]]]
"""By rule: the case, or "" for the host, and what was observed there."""


def host_findings(profile: Profile, *, node: str = "") -> list[Finding]:
    """What is wrong with a machine for measuring. A node's name is put before the evidence."""
    seen: Seen = defaultdict(list)
    for rule in rules():
        if rule.check_host:
            seen[rule.id] += [("", o) for o in rule.check_host(profile)]
    return _findings(seen, examined=0, prefix=f"node {node}: " if node else "")


def plan_findings(
    cases: Iterable[Case], profile: Profile, adapters: dict[str, Capabilities] | None = None,
    nodes_of: Callable[[Case], Mapping[str, Profile]] | None = None,
) -> list[Finding]:  # fmt: skip
    """What can be told of planned cases before they run.

    Args:
        profile: of the machine on which cases run that are on no node.
        nodes_of: profiles of the nodes of a case, by name; none: it is on none.
    """
    planned = [case for case in cases if case.status == "planned"]
    seen: Seen = defaultdict(list)
    for rule in rules():
        if rule.check_plan is None:
            continue
        for case in planned:
            capabilities = (adapters or {}).get(str(case.params.get("adapter")), {})
            for node, own in ((nodes_of and nodes_of(case)) or {"": profile}).items():
                found = rule.check_plan(case.params, own, capabilities)
                seen[rule.id] += [(case.id, replace(o, node=node)) for o in found]
    return _findings(seen, examined=len(planned))


def campaign_findings(result: Result) -> list[Finding]:
    """What went wrong in a campaign, from its result directory alone.

    One case is held in memory at a time. A defect in a rule must not cost hours of measuring
    their other findings: it becomes a finding itself.
    """
    from busmark.findings.view import CaseView

    planned = [case for case in result.manifest.cases if case.status == "planned"]
    seen: Seen = defaultdict(list)
    checks = [(rule, rule.check_case) for rule in rules() if rule.check_case]
    for case in planned:
        view = CaseView(case, result)
        for rule, check in checks:
            if case.params.get("test") == "capacity" and not rule.of_trials:
                continue
            try:
                seen[rule.id] += [(case.id, o) for o in check(view)]
            except Exception as error:
                seen[rule.id].append((case.id, _defect(rule, error)))
    for rule in rules():
        if rule.check_campaign is None:
            continue
        try:
            seen[rule.id] += [("", o) for o in rule.check_campaign(result)]
        except Exception as error:
            seen[rule.id].append(("", _defect(rule, error)))
    return _findings(seen, examined=len(planned))


def combine(*parts: Iterable[Finding]) -> list[Finding]:
    """Findings of several moments as one list, worst first.

    Of the same finding (rule, severity and title) found again, the later one stays; host
    findings of several nodes differ in their evidence and are all kept.
    """
    latest: dict[tuple[str, ...], Finding] = {}
    for finding in (finding for part in parts for finding in part):
        key = (finding.id, finding.severity, finding.title)
        latest[key if finding.cases else (*key, finding.evidence)] = finding
    return _ordered(latest.values())


def _defect(rule: Rule, error: Exception) -> Observation:
    return Observation(
        "note",
        f"{type(error).__name__}: {error}",
        title=f"The check {rule.id} could not be made",
        cause="The rule met data that it does not expect; this is a defect of Busmark.",
        remedy="Report it with the result directory; the figures are not affected.",
    )


def _findings(seen: Seen, *, examined: int, prefix: str = "") -> list[Finding]:
    """One finding for each rule, severity, title and cause."""
    merged = []
    for rule in rules():
        groups: dict[tuple[str, str, str], list[tuple[str, Observation]]] = defaultdict(list)
        for case, seen_here in seen.get(rule.id, []):
            key = (seen_here.severity, seen_here.title, seen_here.cause)
            groups[key].append((case, seen_here))
        merged += [_merge(rule, group, examined, prefix) for group in groups.values()]
    return _ordered(merged)


def _merge(rule: Rule, group: list[tuple[str, Observation]], examined: int, prefix: str) -> Finding:
    from busmark.store.manifest import Finding

    worst_case, worst = max(group, key=lambda item: item[1].weight)
    cases = list(dict.fromkeys(case for case, _ in group if case))
    others = dict.fromkeys(o.node for _, o in group if o.node != worst.node)
    told = (f"node {worst.node}: " if worst.node else "") + worst.evidence
    if others:
        told += f"; and on {', '.join(others)}"
    evidence = prefix + told
    if len(cases) == 1:
        evidence = f"{worst_case}: {told}"
    elif cases:
        evidence = f"{len(cases)} of {examined} cases; the worst is {worst_case}: {told}"
    return Finding(
        id=rule.id,
        severity=worst.severity,
        title=worst.title or rule.title,
        cause=worst.cause or rule.cause,
        evidence=evidence,
        remedy=worst.remedy or rule.remedy,
        cases=cases,
    )


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    place = {rule_id: position for position, rule_id in enumerate(RULES)}
    return sorted(
        findings, key=lambda f: (SEVERITIES.index(f.severity), place.get(f.id, len(place)))
    )
