"""Rounds that failed in writing to the server of their middleware."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import meets_at_server
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

BROKEN = re.compile(r"write failed|server: the worker died|connection|not reachable", re.IGNORECASE)
"""Reasons of failed attempts that a lost connection to the server gives."""


def check_case(view: CaseView) -> Iterator[Observation]:
    if not meets_at_server(view.capabilities, view.params.settings):
        return
    failed = view.result.failed_attempts.get(view.case.id, [])
    broken = Counter(reason for reason in failed if BROKEN.search(reason))
    total = sum(broken.values())
    if total:
        server = view.params.settings.get("server")
        where = f"server {server}; " if server else ""
        reasons = ", ".join(f"{number} × {reason}" for reason, number in broken.most_common())
        yield Observation("warning", f"{where}{count(total, 'attempt')}: {reasons}", weight=total)


RULE = Rule(
    id="server-lost",
    title="Writes to the server failed during the measurement",
    cause="All participants of this middleware communicate through a server (a broker). Writes "
    "fail when it restarts, ends, or closes their connections; samples in transit are lost, "
    "and the round with them.",
    remedy="Look in the server's log for the time of `round_failed` in events.jsonl; keep the "
    "server from being restarted or updated while a campaign runs.",
    check_case=check_case,
    of_trials=True,
    explains=("rounds-lost",),
    concerns=("rounds",),
    early=None,
)
