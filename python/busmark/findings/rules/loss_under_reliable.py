"""Samples that never arrived though the middleware promised them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate, injects_faults, is_reliable, is_stream, policy
from busmark.findings.rule import Capabilities, Observation, Rule
from busmark.findings.text import share, whole
from busmark.findings.whereabouts import lost_where

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters

RATE = "criteria.min_rate"
"""In the reason of a round that fell behind its rate."""


def check_case(view: CaseView) -> Iterator[Observation]:
    # What still waits in queues at the end of a hopeless rate is late, and by then counted as lost.
    reasons = view.values("reason", only_ok=False)
    behind = {number for number, why in reasons.items() if RATE in why}
    lost, sent, expected = (
        sum(n for number, n in view.values(column, only_ok=False).items() if number not in behind)
        for column in ("lost", "sent", "expected")
    )
    if (
        lost <= 0
        or not is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
    ):
        return
    if _drops_as_asked(view.params):
        return
    due = max(expected, sent)  # each sample is to come to each of its readers
    part = lost / due if due else 1.0
    evidence = f"{whole(lost)} of {whole(due)} samples lost ({share(part)})"
    if _nothing_to_overwrite(view.params, view.capabilities):
        yield Observation("error", evidence, weight=part)
    else:
        where = lost_where(view)
        yield Observation(
            "warning",
            f"{evidence}; {where}" if where else evidence,
            weight=part,
            title="Samples were overwritten under reliable keep-last",
            cause="With history keep-last (the default of DDS) a writer or reader replaces samples "
            "that have not been taken when new ones come faster; reliability does not cover them.",
            remedy='Ask for `qos.history = "keep_all"`, a greater depth, or a lower rate.',
        )


def _drops_as_asked(params: Parameters) -> bool:
    """Whether the QoS thins samples out on purpose. If several writers own their instances
    exclusively, a reader hears one of them."""
    from busmark.model.parameters import POLICIES  # Rules are listed without it.

    changed = {name for change in params.changes for name in change.qos}
    if any(POLICIES[name].drops for name in changed & POLICIES.keys()):
        return True
    exclusive = bool(params.policy("ownership_strength"))
    writers = (params.publishers or 1) * (params.writers or 1)
    dropping = [name for name, each in POLICIES.items() if each.drops == "always"]
    return any(params.policy(name) for name in dropping) or (exclusive and writers > 1)


def _nothing_to_overwrite(params: Parameters, capabilities: Capabilities) -> bool:
    """Whether no newer sample can have taken the place of a lost one."""
    closed_loop = params.test == "latency" and not has_rate(params)
    everything = is_stream(capabilities) or policy(params, "history") == "keep_all"
    return closed_loop or everything


RULE = Rule(
    id="loss-under-reliable",
    title="Samples were lost although delivery is reliable",
    cause="The middleware gave up on samples: a reader that was not matched yet, a resource "
    "limit, a write that timed out, or a defect. Its figures describe a smaller job.",
    remedy="Look at the first lost sequence numbers: losses at the start mean that a reader was "
    "not matched. Raise resource limits and blocking time; compare with another adapter "
    "before reporting a defect.",
    check_case=check_case,
    concerns=("lost",),
)
