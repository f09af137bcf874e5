"""Participants that the scheduler may put anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule
from busmark.findings.rules.few_cpus import can_differ

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters

CROWDED = (
    'Use placement "same", or a machine with a CPU for each participant, and compare within one '
    "placement only."
)
"""Remedy where placement "different" is impossible."""

FREE = "free"


def check_plan(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    if params.placement == FREE:
        yield from _unpinned(params, [profile])


def check_case(view: CaseView) -> Iterator[Observation]:
    if view.params.placement == FREE:
        yield from _unpinned(view.params, view.hosts)


def _unpinned(params: Parameters, profiles: Iterable[Profile]) -> Iterator[Observation]:
    evidence = f'placement "{FREE}"'
    if can_differ(params, profiles):
        yield Observation("warning", evidence)
    else:
        yield Observation("warning", evidence, remedy=CROWDED, group="crowded")


RULE = Rule(
    id="unpinned",
    title="Participants are not pinned to CPUs",
    cause="Whether two participants share a CPU can change a round trip several times over, more "
    "than the choice of middleware does, and the scheduler decides anew in every round.",
    remedy='Use placement "same" or "different", and compare within one placement only.',
    check_plan=check_plan,
    check_case=check_case,
    explains=("rounds-disagree", "bimodal", "target-missed"),
)
