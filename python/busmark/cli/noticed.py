"""Findings as they come: what is printed of them, and how many cases each is of by now."""

from __future__ import annotations

from collections import Counter

from busmark.control.events import Event, FindingAppears, FindingGoes
from busmark.model.text import plural

Kind = tuple[str, str]
"""Severity and title."""


class Noticed:
    """Prints a kind with its first case, and again when twice as many cases have it."""

    def __init__(self) -> None:
        self._cases: dict[Kind, set[str]] = {}
        self._named: set[tuple[Kind, str]] = set()
        self._most: dict[Kind, int] = {}

    def on(self, event: Event) -> list[str]:
        """The lines to print of this event."""
        if isinstance(event, FindingAppears):
            return self._appears(event)
        if isinstance(event, FindingGoes):
            return self._goes(event)
        return []

    def counted(self) -> str:
        """In a line, the last kind by name: "3 warnings, last Two modes (2 cases)"; or empty."""
        kinds = [kind for kind, cases in self._cases.items() if cases]
        if not kinds:
            return ""
        by_severity = Counter(severity for severity, _ in kinds)
        told = ", ".join(plural(n, severity) for severity, n in sorted(by_severity.items()))
        title, cases = kinds[-1][1], plural(len(self._cases[kinds[-1]]), "case")
        return f"{told}{', last' if len(kinds) > 1 else ':'} {title} ({cases})"

    def _appears(self, event: FindingAppears) -> list[str]:
        finding, case = event.finding, event.case.id
        kind = (finding.severity, finding.title)
        cases = self._cases.setdefault(kind, set())
        cases.add(case)
        most = self._most.get(kind, 0)
        if len(cases) < max(1, 2 * most):
            return []
        self._most[kind] = len(cases)
        self._named.add((kind, case))
        told = f"{finding.severity}: {finding.title}"
        if len(cases) > 1:
            return [f"{told}: {len(cases)} cases by now, the last {case}"]
        evidence = finding.evidence.removeprefix(f"{case}: ")
        return [f"{told}: {case}: {evidence}"]

    def _goes(self, event: FindingGoes) -> list[str]:
        kind, case = (event.finding.severity, event.finding.title), event.case.id
        cases = self._cases.get(kind, set())
        cases.discard(case)
        if (kind, case) not in self._named and cases:
            return []
        left = f"; {len(cases)} other cases have it" if cases else ""
        return [f"no longer true with more rounds: {event.finding.title}: {case}{left}"]
