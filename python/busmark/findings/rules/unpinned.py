"""Participants that the scheduler may put anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters

FREE = "free"


def check_plan(
    params: Parameters, _profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    if params.placement == FREE:
        yield Observation("warning", f'placement "{FREE}"')


def check_case(view: CaseView) -> Iterator[Observation]:
    yield from check_plan(view.params, {}, view.capabilities)


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
