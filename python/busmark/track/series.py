"""What belongs together: one figure of one case on one machine, in the order of commits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from busmark.compare.matching import is_neutral
from busmark.model.figure import Figure, Quantity
from busmark.model.naming import Named, name_cases
from busmark.track.entry import Entry, TrackedCase

Key = tuple[str, str]
"""Machine and case."""


@dataclass(slots=True)
class Series:
    """Series of one figure."""

    machine: str
    """Key of its facts."""
    case: str
    """Key of its parameters."""
    figure: str
    entries: list[Entry] = field(default_factory=list)
    cases: list[TrackedCase] = field(default_factory=list)
    """Case of each entry."""

    @property
    def figures(self) -> list[Figure]:
        """One for each entry."""
        return [case.figures[self.figure] for case in self.cases]

    @property
    def latency(self) -> Quantity | None:
        """What the latency is, where it is one."""
        return self.cases[-1].latencies.get(self.figure)

    def without_newest(self, fewer: int) -> Series:
        """Without the results of so many of its newest commits."""
        return replace(self, entries=self.entries[:-fewer], cases=self.cases[:-fewer])


def machine_key(entry: Entry) -> str:
    """The same for results of one machine."""
    return json.dumps(entry.machine.facts, sort_keys=True, default=str)


def case_key(case: TrackedCase) -> str:
    """The same for cases that are the same experiment, whichever version of Busmark ran them: a
    parameter that says nothing is as good as none."""
    own = {name: value for name, value in case.params.items() if not is_neutral(name, value)}
    # What is called latency is not the same for every source of a result.
    return json.dumps([own, case.latencies.get("median.latency")], sort_keys=True, default=str)


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """By the time of their commits."""
    return sorted(entries, key=lambda entry: entry.ordered_by)


def series_of(entries: Iterable[Entry], figures: Sequence[str]) -> list[Series]:
    """All series of these figures, machine by machine, in the order in which they begin."""
    found: dict[tuple[str, str, str], Series] = {}
    for entry in in_order(entries):
        machine = machine_key(entry)
        for case in entry.cases:
            key = case_key(case)
            for name in figures:
                if name in case.figures:
                    own = found.setdefault((machine, key, name), Series(machine, key, name))
                    own.entries.append(entry)
                    own.cases.append(case)
    machines = dict.fromkeys(one.machine for one in found.values())
    order = {machine: place for place, machine in enumerate(machines)}
    cases = {key: place for place, key in enumerate(dict.fromkeys(s.case for s in found.values()))}
    return sorted(
        found.values(),
        key=lambda one: (order[one.machine], cases[one.case], figures.index(one.figure)),
    )


def names_of(series: Sequence[Series]) -> dict[str, Named]:
    """What cases are called, by their keys: by what sets them apart from each other."""
    flats: dict[str, dict[str, Any]] = {}
    titles: dict[str, Mapping[str, Any]] = {}
    for one in series:
        flats.setdefault(one.case, one.cases[-1].params)
        titles |= dict(_titles(one.entries[-1]))
    return name_cases(flats, titles)


def _titles(entry: Entry) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from entry.versions.items()
