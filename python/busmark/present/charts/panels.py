"""Cases that belong into one chart, and what its caption says of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.compare.ranking import Group
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.naming import FLOOR_ADAPTER, NAME, Label, placement_short
from busmark.model.stream import Paced
from busmark.present.charts import look
from busmark.present.charts.shapes import (
    Axis,
    DrawnCurve,
    Keys,
    Picture,
    Plot,
    Reference,
    described,
)

MOST_CURVES = 10
"""Curves in one panel at most, the floor not counted."""

FAR = 5.0
"""A floor that lies further beyond the other values than this, as a factor, is not drawn: an axis
that reached it would be empty for the most part."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Cases that one chart shows."""

    campaign: Campaign
    keys: Keys
    members: Sequence[CaseSummary]

    @property
    def floor(self) -> CaseSummary | None:
        """Return the null adapter's case that is their floor."""
        floor = self.members[0].floor
        return self.campaign.case(floor.case) if floor else None

    @property
    def floor_of_size(self) -> CaseSummary | None:
        """Return the floor unless it has another size."""
        floor = self.members[0].floor
        return None if floor is None or "size" in floor.differs else self.floor

    @property
    def floor_note(self) -> str:
        """Return a sentence where the floor is not quite of the same workload."""
        floor = self.members[0].floor
        if not floor or not floor.differs:
            return ""
        return f" The null adapter's case differs in {text.joined(floor.differs)}."

    def picture(
        self,
        x: Axis,
        y: Axis,
        curves: Sequence[DrawnCurve],
        remarks: str,
        references: Sequence[Reference] = (),
        *,
        also_linear: bool = False,
        apart: bool = False,
    ) -> Picture:
        """Return these cases in one plot."""
        plots = [Plot(x, y, curves, references)]
        return Picture(self.keys, self.members, plots, remarks, also_linear, apart)

    def label(self, case: CaseSummary) -> Label:
        """Return the label of a case, which decides how its curve looks."""
        return next(label for label in self.campaign.labels if label.text == case.label)


Draw = Callable[[Choice], Iterator[Any]]
"""Make the shapes of a choice of cases: one, or none where there is nothing to draw."""


def measured(campaign: Campaign, test: str) -> list[CaseSummary]:
    """Return the cases of a test in the order of the tables, without floors."""
    by_id = {case.id: case for case in campaign.cases}
    return [by_id[c] for group in campaign.groups if group.test == test for c in group.cases]


def where(case: CaseSummary) -> Keys:
    """Return placement, size and further workload: what cases of one panel have in common. The name
    of a workload stands for its size."""
    names = {"Placement": placement(case)} if case.placement else {}
    if NAME not in case.workload:
        names["Size"] = text.size_text(case.size)
    names |= {name.capitalize(): value for name, value in case.workload.items()}
    return tuple(names.items())


def all_but(*names: str) -> Callable[[CaseSummary], Keys]:
    """Return what gives the keys that cases of one chart share: all but these."""
    return lambda case: tuple(key for key in where(case) if key[0] not in names)


def of_one(case: CaseSummary) -> Keys:
    """Return what chooses a single case."""
    return (*where(case), ("Middleware", case.label))


def placement(case: CaseSummary) -> str:
    """Return the placement for a selector."""
    return placement_short(case.placement)


def split(
    cases: Iterable[CaseSummary], key: Callable[[CaseSummary], Keys], most: int = MOST_CURVES
) -> list[tuple[Keys, list[CaseSummary]]]:
    """Return cases by key, in parts of at most this many labels; a part says so in its keys."""
    by_key: dict[Keys, list[CaseSummary]] = {}
    for case in cases:
        by_key.setdefault(key(case), []).append(case)
    parts: list[tuple[Keys, list[CaseSummary]]] = []
    for keys, members in by_key.items():
        names = list(dict.fromkeys(case.label for case in members))
        if len(names) <= most:
            parts.append((keys, members))
            continue
        for first in range(0, len(names), most):
            part = names[first : first + most]
            sentence = f"{first + 1} to {first + len(part)} of {len(names)}"
            chosen = [case for case in members if case.label in part]
            parts.append(((*keys, ("Curves", sentence)), chosen))
    return parts


def counts_text(rounds: Sequence[int], samples: Sequence[int | None]) -> str:
    """Return "5 rounds and 99 998 to 100 000 samples per case"; None: the source does not say."""
    if not rounds or not samples:
        return ""
    noun = "round" if max(rounds) == 1 else "rounds"
    known = [count for count in samples if count is not None]
    sentence = f"{span_text(known)} samples" if known else ""
    if len(known) < len(samples):
        sentence = (
            f"{sentence}, or an unknown number," if sentence else "an unknown number of samples"
        )
    return f"{span_text(rounds)} {noun} and {sentence} per case"


def back_text(cases: Sequence[CaseSummary]) -> str:
    """Return what came back of what was sent, and how far latencies by two clocks may be off, as
    sentences for a caption that follow others; empty where all did, by one clock."""
    lines = []
    for case in cases:
        one_way = case.one_way
        if one_way and one_way.bound_ns:
            off = text.time_text(one_way.bound_ns)
            lines.append(f"{case.label}: by two clocks, one-way latencies may be off by ±{off}")
        shape = next(iter(case.curves("quantiles", scope="case")), None)
        if shape is None or shape.lost == 0:
            continue
        if shape.lost is None or shape.count is None:
            lines.append(f"{case.label}: samples were lost, probes among them or not: not known")
            continue
        sent = text.count(shape.count + shape.lost)
        lines.append(f"{case.label}: {text.count(shape.count)} of {sent} {came(case)}")
    return f" {'; '.join(lines)}." if lines else ""


def came(case: CaseSummary) -> str:
    """Return what samples with a latency did."""
    return "arrived" if case.test == "throughput" else "came back"


def span_text(values: Sequence[int]) -> str:
    """Return "5", or "3 to 5"."""
    low, high = min(values), max(values)
    return text.count(low) if low == high else f"{text.count(low)} to {text.count(high)}"


def paced(case: CaseSummary) -> Paced | None:
    """Return what a throughput case with a rate asks for; None at full speed."""
    return case.paced


def on_links(case: CaseSummary) -> Keys:
    """Return the keys of cases that share their links, whatever their rate and size."""
    rate = case.params.link_rate
    link = (("Link", str(rate)),) if rate else ()
    return (("Placement", placement(case)), *link)


def topology(case: CaseSummary) -> str:
    """Return the topology for a legend."""
    if case.params.topology == "bidirectional":
        return "bidirectional"
    if case.params.topology == "mesh":
        return (
            "between " + text.plural(case.params.applications or 0, "application") + " of each node"
        )
    return "to " + text.plural(case.params.subscribers or 1, "reader")


def near(floor: Sequence[float], values: Sequence[float]) -> bool:
    """Return whether an axis for the values would hardly grow by the floor."""
    own, others = ([v for v in each if v > 0] for each in (floor, values))
    if not own or not others:
        return bool(own)
    return min(own) * FAR >= min(others) and max(own) <= FAR * max(others)


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
    # A case has the look of its adapter if each has another one, else the look of its place.
    adapters = [before[case.id] for case in cases]
    apart = len({*adapters}) == len(adapters)
    labels = [
        Label(text=case.label, adapter=adapter, dash=place)
        if apart or adapter == FLOOR_ADAPTER
        else look.series(case.label, place)
        for place, (case, adapter) in enumerate(zip(cases, adapters, strict=True))
    ]
    findings = [
        finding.model_copy(update={"cases": here})
        for finding in campaign.findings
        if (here := [each for each in finding.cases if each in chosen]) or not finding.cases
    ]
    return campaign.model_copy(
        update={
            "cases": cases,
            "groups": groups,
            "labels": labels,
            "findings": findings,
            "interop": [],
            "fits": [],
            "growths": [],
            "effects": [],
        }
    )


def _together(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    keys = [dict(where(case)) for case in cases]
    names = dict.fromkeys(name for each in keys for name in each)
    differing = {name for name in names if len({each.get(name) for each in keys}) > 1}
    labels = [
        ", ".join(
            filter(
                None, (case.label, described(tuple(k for k in each.items() if k[0] in differing)))
            )
        )
        for case, each in zip(cases, keys, strict=True)
    ]
    floors = {case.floor.case if case.floor else "" for case in cases}
    return [
        case.model_copy(
            update={
                # Two cases of the same name are distinguished by their identifiers.
                "label": label if labels.count(label) == 1 else f"{label}, {case.id}",
                "placement": "" if "Placement" in differing else case.placement,
                "size": None if "Size" in differing else case.size,
                "workload": {
                    name: value
                    for name, value in case.workload.items()
                    if name.capitalize() not in differing
                },
                "floor": case.floor if len(floors) == 1 else None,
            }
        )
        for case, label in zip(cases, labels, strict=True)
    ]
