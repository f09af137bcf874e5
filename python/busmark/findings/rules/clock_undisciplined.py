"""Nodes with clocks of their own that nothing keeps right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.store.result import Result

BY_TIME_OF_DAY = {
    "lifespan_s": "lifespan",
    "destination_order": "destination order by source time stamp",
}
"""QoS that compares time stamps of two hosts, and how it is called."""


def check_campaign(result: Result) -> Iterator[Observation]:
    nodes = {name: host for name, host in result.manifest.hosts.items() if host.get("clock_id")}
    if len({host["clock_id"] for host in nodes.values()}) < 2:
        return
    free = {name: host["clock_sync"] for name, host in nodes.items() if _runs_free(host)}
    if not free:
        return
    asked = _asked(result)
    evidence = f"{count(len(free), 'node')} of {len(nodes)}: " + "; ".join(
        f"{name} ({', '.join(sync.get('daemons') or []) or 'no daemon for it runs'})"
        for name, sync in free.items()
    )
    cause = RULE.cause
    if asked:
        evidence += f"; cases ask for {' and '.join(asked)}"
        cause = "These policies compare stamps of one host's time of day with another's. " + cause
    yield Observation("warning" if asked else "note", evidence, cause=cause)


def _runs_free(host: dict[str, Any]) -> bool:
    sync = host.get("clock_sync")
    return sync is not None and sync.get("synchronised") is False


def _asked(result: Result) -> list[str]:
    """Policies of planned cases that depend on it."""
    found = []
    for case in result.manifest.cases:
        params = case.params
        if case.status == "planned" and params.network == "nodes":
            if params.policy("lifespan_s"):
                found.append(BY_TIME_OF_DAY["lifespan_s"])
            if params.policy("destination_order") == "source":
                found.append(BY_TIME_OF_DAY["destination_order"])
    return list(dict.fromkeys(found))


RULE = Rule(
    id="clock-undisciplined",
    title="Clocks of nodes are not synchronised",
    cause="Nothing disciplines the clock of these nodes. Its rate changes with temperature, and a "
    "one-way leg between hosts is only as accurate as the assumption of constant drift "
    "within the round. The middleware's own stamps (source and reception) use times of day "
    "that nobody has compared.",
    remedy="Run chrony, or ptp4l with phc2sys, on every node; `chronyc tracking` shows how well "
    "the clock is kept. Round trips and rates need no synchronised clock.",
    check_campaign=check_campaign,
)
