"""What changes while a round is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field, model_validator

from busmark.errors import nearest
from busmark.model.parameters import CHANGE, POLICIES
from busmark.scenario.matrix import SLOWEST_HZ
from busmark.scenario.section import table
from busmark.scenario.system import FlowSection

OF_MATRIX = ("pings", "stream", "batches")
"""Flows that a matrix makes."""

MUTABLE = [
    replace(
        each,
        name=name,
        asked=each.change | None,
        initial=None,
        meaning=each.meaning.partition("; ")[0],
    )
    for name, each in POLICIES.items()
    if each.change is not None
]
"""Policies that a change can name; what it does not name stays the same."""


class QosChange(table(MUTABLE)):  # type: ignore[misc]
    """QoS that can change on an endpoint in use; what is left out stays the same. `busmark adapters
    NAME` lists which of these an adapter can change."""


class ChangeSection(table(CHANGE)):  # type: ignore[misc]
    """`[[timeline]]`: a change in the middle of every round. What was measured before it and what
    after it are phases, which the result keeps apart."""

    qos: QosChange = Field(
        default=QosChange(), description="QoS of writers and readers from then on"
    )

    @model_validator(mode="after")
    def _changes_something(self) -> ChangeSection:
        others = self.rate_hz is not None or self.qos != QosChange()
        if self.link and (others or self.flow):
            raise ValueError("link is of all flows, and of nothing else: give it a step of its own")
        if not self.link and not others:
            raise ValueError("names neither rate_hz nor qos nor link: nothing changes")
        if self.rate_hz is not None and self.rate_hz < SLOWEST_HZ:
            raise ValueError(f"rate_hz = {self.rate_hz:g} is less than one sample in an hour")
        return self


def check(
    timeline: Sequence[ChangeSection], flows: Sequence[FlowSection], length_s: float | str,
    *, ended: bool, lab: bool,
) -> None:  # fmt: skip
    """Raises `ValueError` for a change of nothing that is there, and for one that would come after
    the end of the measured time. `ended`: samples end some rounds; `lab`: there is one."""
    names = [*OF_MATRIX, *(flow.name for flow in flows)]
    if timeline and (isinstance(length_s, str) or ended):
        raise ValueError(
            "timeline: needs rounds of a known length: measure.duration_s in seconds, and no "
            "measure.samples or ends_after"
        )
    state = "up"
    for change in sorted(timeline, key=lambda each: each.at_s):
        if change.link and not lab:
            raise ValueError(
                f"timeline: link = {change.link!r} needs a lab, whose links it is of: [lab], nodes"
            )
        if change.link == state:
            raise ValueError(f"timeline: at {change.at_s:g} s the links are {state} already")
        state = change.link or state
        if change.flow is not None and change.flow not in names:
            hint = nearest(change.flow, names, f"There are {', '.join(names)}.")
            raise ValueError(f"timeline: there is no flow {change.flow!r}. {hint}")
        if not isinstance(length_s, str) and change.at_s >= length_s:
            raise ValueError(
                f"timeline: at_s = {change.at_s:g} is not within the measured time, "
                f"measure.duration_s = {length_s:g}"
            )
