"""What the rules say of a case while rounds of others, and further ones of its own, are to come.

Rules are applied between two rounds, never within one, and take a small share of the elapsed time.
A finding is true of the rounds so far. If it no longer holds with more rounds, it is withdrawn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from busmark.control.events import FindingAppears, FindingGoes
from busmark.errors import UserError
from busmark.findings import early_findings
from busmark.store import Case, Finding, Result
from busmark.store.rows import Row, as_frame

SHARE = 0.05
"""Share of the time since the campaign began that may go into this as CPU time;"""

GRACE_S = 2.0
"""and this much at the start, half of which loads what the rules calculate with."""

REPORTED = ("error", "warning")
"""Notes wait for the end."""

SPARE_THREADS = 8
"""Reading a table starts about as many."""

Key = tuple[str, str, str, str]
"""Case, rule, title and severity."""


class EarlyFindings:
    """Reports each kind once for a case, and again when it no longer holds."""

    def __init__(
        self,
        directory: Path,
        rows: Callable[[str], list[Row]],
        known: Iterable[Finding] = (),
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.process_time,
    ) -> None:
        """Take `known` as reported before the first round; `rows` gives the rows of a case,
        `worked` the CPU time of this process."""
        self._directory = directory
        self._rows = rows
        self._before = {key for finding in known for key in _keys(finding)}
        self._text: dict[Key, FindingAppears] = {}
        self._waiting: dict[str, Case] = {}
        self._clock, self._worked = clock, worked
        self._begin_s, self._spent_s = clock(), 0.0
        self._result: Result | None = None

    def after(self, case: Case) -> Iterator[FindingAppears | FindingGoes]:
        """Yield new and gone findings after a round of this case, and of cases that had to wait."""
        self._waiting[case.id] = case
        while self._waiting:
            if self._spent_s > GRACE_S + SHARE * (self._clock() - self._begin_s):
                return
            if not _threads_start():
                return
            begin_s = self._worked()
            longest = self._waiting.pop(next(iter(self._waiting)))
            news: list[FindingAppears | FindingGoes] = []
            # What cannot be read is reported at the end; it must not cost the campaign.
            with suppress(UserError, OSError):
                news += self._news(longest)
            self._spent_s += self._worked() - begin_s
            yield from news

    def at_the_end(self, findings: Iterable[Finding]) -> Iterator[FindingGoes]:
        """Yield the reported findings that are not among the findings of the whole campaign."""
        hold = {key for finding in findings for key in _keys(finding)}
        yield from self._withdrawals(key for key in [*self._text] if key not in hold)

    def _news(self, case: Case) -> Iterator[FindingAppears | FindingGoes]:
        if self._result is None:
            self._result = Result(self._directory)
        self._result.cases = as_frame(self._rows(case.id))
        found = early_findings(case, self._result)
        now = {key: f for f in found if f.severity in REPORTED for key in _keys(f)}
        yield from self._withdrawals(
            key for key in [*self._text] if key[0] == case.id and key not in now
        )
        for key, finding in now.items():
            if key not in self._text and key not in self._before:
                self._text[key] = FindingAppears(case=case, finding=finding)
                yield self._text[key]

    def _withdrawals(self, keys: Iterable[Key]) -> Iterator[FindingGoes]:
        for key in keys:
            text = self._text.pop(key)
            yield FindingGoes(case=text.case, finding=text.finding)


def _threads_start() -> bool:
    """Return whether threads can be started: where a limit forbids it, the library that reads
    tables waits for one without end, while the campaign would report the limit."""
    enough = threading.Event()
    started = []
    try:
        for _ in range(SPARE_THREADS):
            thread = threading.Thread(target=enough.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        return False
    finally:
        enough.set()
        for thread in started:
            thread.join()
    return True


def _keys(finding: Finding) -> Iterator[Key]:
    for case in finding.cases:
        yield case, finding.id, finding.title, finding.severity
