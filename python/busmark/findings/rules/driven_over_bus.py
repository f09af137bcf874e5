"""Participants whose commands and rows crossed the middleware under test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters


def check_plan(
    params: Parameters, _profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    if params.control == "bus":
        yield Observation("note", 'control "bus"')


def check_case(view: CaseView) -> Iterator[Observation]:
    yield from check_plan(view.params, {}, view.capabilities)


RULE = Rule(
    id="driven-over-bus",
    title="Participants were driven over the bus",
    cause="Commands, answers and recorded rows crossed the middleware under test, through the "
    "attachment that is measured. Each participant has one more writer and one more reader, and "
    "its gateway is attached to the same domain. These say nothing while a round is measured, "
    "unless somebody watches or the scenario has a timeline. Discovery times are shorter: "
    "participants were attached before the first endpoint was made.",
    remedy='To state what that costs, measure both: matrix.control = ["pipe", "bus"], then '
    "`busmark compare DIR --by control`.",
    check_plan=check_plan,
    check_case=check_case,
)
