"""Requests of a service without a response, and where responses waited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults, policy
from busmark.findings.rule import (
    Observation,
    Rule,
    Severity,
    count,
    duration,
    part_of,
    share,
    whole,
)

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

TEST = "service"

SERIOUS = 0.01
"""Share of requests without a response that moves the 99th percentile."""

BUSY = 0.9
"""Share of its time that a server works from which requests queue."""


def _is_service(view: CaseView) -> bool:
    return view.params.test == TEST and not injects_faults(view.capabilities)


def _clients(view: CaseView) -> int:
    return (view.params.clients or 1) * (view.params.writers or 1)


def unanswered_requests(view: CaseView) -> Iterator[Observation]:
    lost, sent = view.total("lost"), view.total("sent")
    if not _is_service(view) or not lost or not sent:
        return
    evidence = part_of(lost, sent, "requests unanswered") + view.of_marked("lost", lost)
    parts = [
        f"{whole(number)} {what}"
        for number, what in (
            (min(view.total("late"), lost), "of the responses came too late"),
            (view.total("refused"), "could not be sent"),
        )
        if number
    ]
    evidence += f": {'; '.join(parts)}" if parts else ""
    if any(change.server == "down" for change in view.params.changes):
        evidence += "; the timeline takes the server down"
    severity: Severity = "warning" if lost / sent >= SERIOUS else "note"
    yield Observation(severity, evidence, weight=lost / sent)


UNANSWERED_REQUESTS = Rule(
    id="unanswered-requests",
    check_case=unanswered_requests,
    concerns=("lost", "tail"),
)


def requests_overwritten(view: CaseView) -> Iterator[Observation]:
    gone = view.total("lost") - view.total("late") - view.total("refused")
    depth, clients = int(view.params.policy("depth") or 0), _clients(view)
    if not _is_service(view) or gone <= 0 or policy(view.params, "history") != "keep_last":
        return
    reliability = policy(view.params, "reliability")
    if view.params.link_loss or view.params.changes or reliability == "best_effort":
        return  # there are other reasons for it
    # By two topics each client reads the responses to all.
    read = clients if any(view.values("by_topics").values()) else 1
    under_way = max(clients * (view.params.outstanding or 0), read)
    if under_way > depth or read > 1:
        yield Observation(
            "warning",
            f"{whole(gone)} requests without any response; the {count(clients, 'client')} may have "
            f"{whole(under_way)} under way, and history keeps the last {whole(depth)}",
            weight=gone,
        )


REQUESTS_OVERWRITTEN = Rule(
    id="requests-overwritten",
    check_case=requests_overwritten,
    explains=("unanswered-requests",),
    concerns=("lost",),
)


def server_busy(view: CaseView) -> Iterator[Observation]:
    work_s, threads = view.params.server_time_s or 0.0, view.params.server_threads or 1
    answered, lengths = view.values("received"), view.values("measured_s")
    if not _is_service(view) or not work_s:
        return
    worked = {
        number: answered[number] * work_s / (lengths[number] * threads)
        for number in answered.keys() & lengths.keys()
        if lengths[number]
    }
    if not worked or max(worked.values()) < BUSY:
        return
    number = max(worked, key=lambda each: worked[each])
    busy = share(min(worked[number], 1.0))
    on = "its thread" if threads == 1 else f"its {threads} threads"
    yield Observation(
        "note",
        f"in round {number}, {count(int(answered[number]), 'request')} of {duration(work_s * 1e9)} "
        f"kept {on} at work {busy} of the time",
        weight=worked[number],
    )


SERVER_BUSY = Rule(
    id="server-busy",
    check_case=server_busy,
    explains=("unanswered-requests",),
    concerns=("latency",),
)


def matched_before_ready(view: CaseView) -> Iterator[Observation]:
    ignored = view.values("ignored", only_ok=False)
    some = [number for number, count_ in ignored.items() if count_]
    known = "matched" in view.capabilities.get("features", ())
    if not _is_service(view) or not some or not known:
        return
    waited = view.values("available_s", only_ok=False)
    longest = max((waited[number] for number in some if number in waited), default=0.0)
    yield Observation(
        "note",
        f"{whole(sum(ignored.values()))} requests before the first response, in "
        f"{view.of_rounds(len(some), ignored)}"
        + (f"; the first response came after up to {duration(longest * 1e9)}" if longest else ""),
        weight=len(some),
    )


MATCHED_BEFORE_READY = Rule(
    id="matched-before-ready",
    check_case=matched_before_ready,
)


def responses_misrouted(view: CaseView) -> Iterator[Observation]:
    wrong = view.total("misrouted")
    if _is_service(view) and wrong:
        total = count(view.total("received"), "request")
        yield Observation("error", f"{count(wrong, 'response')} of {total}", weight=wrong)


RESPONSES_MISROUTED = Rule(
    id="responses-misrouted",
    check_case=responses_misrouted,
    concerns=("misrouted_responses",),
)
