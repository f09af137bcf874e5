"""Adapter against adapter: the matrices of interoperability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

from busmark.model.case import CaseSummary
from busmark.model.figure import Figure, Frozen
from busmark.model.naming import (
    choice_text,
    flatten,
    is_choice,
    placement_text,
    varying,
    with_whole_history,
)
from busmark.model.quantities import GOODPUT
from busmark.model.quantities.action import ACCEPTED
from busmark.model.quantities.discovery import FIRST_SAMPLE
from busmark.model.text import percent_text, size_text

State = Literal[
    "works", "loses", "wrong content", "no data", "not matched", "failed", "unsupported", "not run"
]
"""works: every sample came, and as written where that was verified; loses: some did not come;
no data: matched, but nothing came; failed: anything else, such as a crash."""


class PairCell(Frozen):
    """One cell: the writer's adapter against the reader's."""

    writer: str
    reader: str
    case: str
    state: State
    reason: str | None
    """Why it does not work, in the words of the case."""
    result: Figure | None
    """Median RTT/2, ns, or goodput, Mbit/s."""
    loss: float | None
    """Lost over expected, 0 to 1."""
    discovery_s: float | None
    """Median over rounds: from the last endpoint's creation until all had matched."""
    discovery_within_s: float | None = None
    """Upper limit over rounds, where no round has more than that."""


class PairMatrix(Frozen):
    """All pairs for one test and workload."""

    test: str
    workload: str
    """Such as "64 B on one CPU"."""
    adapters: list[str]
    """Adapters in the order of the scenario; rows are writers, columns readers."""
    titles: dict[str, str]
    cells: list[PairCell]

    @property
    def working(self) -> int:
        """Pairs that exchange all samples."""
        return sum(cell.state == "works" for cell in self.cells)


def matrices(
    cases: Sequence[CaseSummary], adapters: Mapping[str, Mapping[str, object]]
) -> list[PairMatrix]:
    """Return a matrix for every test and workload that has a pair of different adapters."""
    grouped: dict[tuple[str, str], list[CaseSummary]] = {}
    for case in cases:
        if not case.is_floor:
            grouped.setdefault((case.test, _workload(case)), []).append(case)
    return [
        _matrix(test, ", ".join(filter(None, (workload, text))), members, adapters)
        for (test, workload), whole in grouped.items()
        for text, members in _single(whole).items()
        if any(case.params.peer for case in members)
    ]


def _single(cases: Sequence[CaseSummary]) -> dict[str, list[CaseSummary]]:
    """Group the cases so that a group has one of each pair; its key sets it apart in words."""
    pairs: dict[tuple[str, str], list[CaseSummary]] = {}
    for case in cases:
        pairs.setdefault(_pair(case), []).append(case)
    flat = {case.id: with_whole_history({"": flatten(case.params)})[""] for case in cases}
    differing = [varying([flat[case.id] for case in alike]) for alike in pairs.values()]
    names = dict.fromkeys(name for found in differing for name in found if is_choice(name))
    groups: dict[str, list[CaseSummary]] = {}
    for case in cases:
        known = flat[case.id]
        lines = [choice_text(name, known[name]) for name in names if name in known]
        groups.setdefault(", ".join(lines), []).append(case)
    return groups


def _workload(case: CaseSummary) -> str:
    further = [f"{name} {value}" for name, value in case.workload.items()]
    return ", ".join([f"{size_text(case.size)} {placement_text(case.placement)}", *further])


def _matrix(
    test: str,
    workload: str,
    members: Sequence[CaseSummary],
    adapters: Mapping[str, Mapping[str, object]],
) -> PairMatrix:
    names = dict.fromkeys(name for case in members for name in _pair(case))
    return PairMatrix(
        test=test,
        workload=workload,
        adapters=list(names),
        titles={name: str(adapters.get(name, {}).get("title") or name) for name in names},
        cells=[_cell(case) for case in members],
    )


def _pair(case: CaseSummary) -> tuple[str, str]:
    return case.adapter, str(case.params.peer or case.adapter)


def _cell(case: CaseSummary) -> PairCell:
    writer, reader = _pair(case)
    counted = [a for a in case.attempts if a.status == "ok"]
    times = [a.discovery_s for a in counted if a.discovery_s is not None]
    limits = [
        a.discovery_resolution_s
        for a in counted
        if a.discovery_s is None and a.discovery_resolution_s is not None
    ]
    loss = _loss(case)
    state = _state(case, loss)
    return PairCell(
        writer=writer,
        reader=reader,
        case=case.id,
        state=state,
        reason=None if state == "works" else _reason(case, loss),
        result=case.headline.figure if case.headline else None,
        loss=loss,
        discovery_s=median(times) if times else None,
        discovery_within_s=max(limits) if limits and not times else None,
    )


def _loss(case: CaseSummary) -> float | None:
    counted = [a for a in case.attempts if a.expected and a.lost is not None]
    expected = sum(a.expected or 0 for a in counted)
    return sum(a.lost or 0 for a in counted) / expected if expected else None


def _state(case: CaseSummary, loss: float | None) -> State:
    if case.status == "unsupported":
        return "unsupported"
    if case.status == "not_run":
        return "not run"
    if any(attempt.corrupted for attempt in case.attempts):
        return "wrong content"
    others = (one.figure(case) for one in (GOODPUT, FIRST_SAMPLE, ACCEPTED))
    if case.rtt_2 is None and all(one is None for one in others):
        reasons = [a.reason or "" for a in case.attempts if a.status != "ok"]
        if any(reason.startswith("unmatched") for reason in reasons):
            return "not matched"
        if any(a.status == "marked" and not a.received for a in case.attempts):
            return "no data"
        return "failed"
    return "loses" if loss else "works"


def _reason(case: CaseSummary, loss: float | None) -> str | None:
    corrupted = sum(attempt.corrupted or 0 for attempt in case.attempts)
    if corrupted:
        return f"{corrupted} bodies differ from what was written"
    if case.reason:
        return case.reason
    if not loss:
        return None
    return f"{percent_text(loss)} of samples lost{_overwritten(case)}"


def _overwritten(case: CaseSummary) -> str:
    """Return what reliability does not cover: samples that are newer than those in a full
    history."""
    qos = case.params.qos or {}
    if case.test == "latency" or qos.get("history") == "keep_all":
        return ""
    if qos.get("reliability") == "best_effort":
        return ", as best effort may"
    return " or overwritten: this pair has no keep-all history"
