"""Cases chosen by the user, overlaid in one chart whatever they differ in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from busmark.compare.campaign import Campaign
from busmark.compare.ranking import Group
from busmark.model.case import CaseSummary
from busmark.model.naming import Label
from busmark.present.charts import panels
from busmark.present.charts.panels import MOST_CURVES
from busmark.present.charts.shapes import described

MOST = MOST_CURVES
"""Cases in one chart."""


def overlay(campaign: Campaign, chosen: Collection[str]) -> Campaign:
    """Return the campaign with these cases alone, and their floors, in one chart for each test.

    Placement, size and workload are keys of a chart where the cases have them in common; else they
    are in the names of the curves.
    """
    groups: list[Group] = []
    cases: list[CaseSummary] = []
    for test in dict.fromkeys(case.test for case in campaign.cases if case.id in chosen):
        own = _together([c for c in campaign.cases if c.id in chosen and c.test == test])
        cases += own
        measured = [case.id for case in own if case.headline is not None]
        group = Group(test=test, placement="", title="", cases=measured, floors=[])
        groups += [group] if measured else []
    floors = {case.floor.case for case in cases if case.floor} - {*chosen}
    cases += [case for case in campaign.cases if case.id in floors]
    looks = {label.text: label.adapter for label in campaign.labels}
    before = {case.id: looks.get(case.label, case.adapter) for case in campaign.cases}
    variants: Counter[str] = Counter()
    labels = []
    for case in cases:
        adapter = before[case.id]
        labels.append(Label(text=case.label, adapter=adapter, variant=variants[adapter]))
        variants[adapter] += 1
    findings = [
        finding.model_copy(update={"cases": here}) for finding in campaign.findings
        if (here := [each for each in finding.cases if each in chosen]) or not finding.cases
    ]  # fmt: skip
    return campaign.model_copy(
        update={"cases": cases, "groups": groups, "labels": labels, "findings": findings,
                "interop": [], "fits": [], "growths": [], "effects": []}
    )  # fmt: skip


def _together(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    keys = [dict(panels.where(case)) for case in cases]
    names = dict.fromkeys(name for each in keys for name in each)
    differing = {name for name in names if len({each.get(name) for each in keys}) > 1}
    labels = [
        ", ".join(filter(None, (
            case.label, described(tuple(k for k in each.items() if k[0] in differing))
        )))
        for case, each in zip(cases, keys, strict=True)
    ]  # fmt: skip
    floors = {case.floor.case if case.floor else "" for case in cases}
    return [
        case.model_copy(
            update={
                # Two cases of the same name are distinguished by their identifiers.
                "label": label if labels.count(label) == 1 else f"{label}, {case.id}",
                "placement": "" if "Placement" in differing else case.placement,
                "size": None if "Size" in differing else case.size,
                "workload": {name: value for name, value in case.workload.items()
                             if name.capitalize() not in differing},
                "floor": case.floor if len(floors) == 1 else None,
            }
        )
        for case, label in zip(cases, labels, strict=True)
    ]  # fmt: skip
