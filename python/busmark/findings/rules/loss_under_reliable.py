"""Samples that never arrived though the middleware promised them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate, injects_faults, is_reliable, is_stream, policy
from busmark.findings.rule import Observation, Params, Rule
from busmark.findings.text import share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

DROPPING_POLICIES = ("lifespan", "lifespan_ns", "time_based_filter", "time_based_filter_ns")
"""With one of these, reliable samples may be dropped as asked for."""

NO_LIMIT = ("", "0", "none", "infinite")
"""Values of such a policy that drop nothing."""


def check_case(view: CaseView) -> Iterator[Observation]:
    lost, sent = view.total("lost"), view.total("sent")
    if lost <= 0 or not is_reliable(view.params) or injects_faults(view.capabilities):
        return
    if any((policy(view.params, key) or "") not in NO_LIMIT for key in DROPPING_POLICIES):
        return
    part = lost / sent if sent else 1.0
    evidence = f"{whole(lost)} of {whole(sent)} samples lost ({share(part)})"
    if _nothing_to_overwrite(view.params):
        yield Observation("error", evidence, weight=part)
    else:
        yield Observation(
            "warning",
            evidence,
            weight=part,
            title="Samples were overwritten under reliable keep-last",
            cause="With history keep-last (the default of DDS) a writer or reader replaces samples "
            "that have not been taken when new ones come faster; reliability does not cover them.",
            remedy='Ask for `qos.history = "keep_all"`, a greater depth, or a lower rate.',
        )


def _nothing_to_overwrite(params: Params) -> bool:
    """Whether no newer sample can have taken the place of a lost one."""
    closed_loop = params.get("test") == "latency" and not has_rate(params)
    return closed_loop or is_stream(params) or policy(params, "history") == "keep_all"


RULE = Rule(
    id="loss-under-reliable",
    title="Samples were lost although delivery is reliable",
    cause="The middleware gave up on samples: a reader that was not matched yet, a resource "
    "limit, a write that timed out, or a defect. Its figures are those of a smaller job.",
    remedy="Look at the first lost sequence numbers: at the start means not matched. Raise "
    "resource limits and blocking time; compare with another adapter before reporting a defect.",
    check_case=check_case,
)
