"""Samples of a best-effort stream that its readers never read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults, is_reliable, policy
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import share, whole
from busmark.findings.whereabouts import lost_where

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    lost = view.total("lost")
    expected = view.total("expected") or view.total("sent")
    if (
        view.params.test == "latency"
        or not lost
        or is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
        or policy(view.params, "history")
        not in (("keep_last",) if _keeps_all(view) else KEEPS_LAST)
    ):
        return
    where = lost_where(view) or _shallow(view)
    if not where:
        return
    part = lost / expected if expected else 1.0
    yield Observation(
        "note",
        f"{whole(lost)} of {whole(expected)} samples were not read ({share(part)}); {where}",
        weight=part,
    )


KEEPS_LAST = ("keep_last", None)
"""Where nothing else is asked for, DDS keeps the last sample."""


def _keeps_all(view: CaseView) -> bool:
    """Whether an adapter has no such history, and so none by default."""
    return "keep_last" not in (view.capabilities.get("qos") or ())


def _shallow(view: CaseView) -> str:
    """What is known where nobody counts: more writers than a reader keeps samples of, and sockets
    that dropped nothing. Empty otherwise."""
    depth, writers = int(view.params.policy("depth") or 1), _writers(view)
    dropped = view.values("udp_socket_drops", only_ok=False)
    if writers <= depth or not dropped or any(dropped.values()) or view.params.instances:
        return ""
    kept = "sample" if depth == 1 else f"{depth} samples"
    return (
        f"no socket of the participants dropped a datagram, and a reader keeps the last {kept} "
        f"of {writers} writers together"
    )


def _writers(view: CaseView) -> int:
    """Whom a reader hears on its topic."""
    params = view.params
    if not params.applications:
        return int(params.publishers or 1) * int(params.writers or 1)
    nodes = len(str(params.writer_on or "").split("+"))
    return int(params.applications) * nodes * int(params.writers or 1)


RULE = Rule(
    id="overwritten",
    title="Readers did not get all that was written",
    cause="Under best effort with keep-last, samples are lost on the way, for instance at a full "
    "socket buffer, or are replaced in the reader's history by newer ones that come faster than "
    "it takes them. Sequence numbers show both as missing.",
    remedy='Where readers shall see every sample: `qos.history = "keep_all"`, a greater depth, a '
    "lower rate, or reliable delivery. Where the latest is enough, nothing.",
    check_case=check_case,
    concerns=("lost",),
)
