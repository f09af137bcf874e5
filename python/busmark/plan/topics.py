"""Which topics each participant of a case writes to, and which it reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from busmark.plan.flows import Flow, Flows


@dataclass(frozen=True, slots=True)
class Topics:
    """What one participant does."""

    written: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


def topics(case: Flows) -> dict[str, Topics]:
    """By name of the participant."""
    found = {participant.name: Topics() for participant in case.participants}
    for flow in case.flows:
        if flow.kind == "existing":
            for end in flow.writers:
                own = found[end.participant.name]
                own.written.update(_existing(flow))
                own.read.update(_existing(flow))
            continue
        for end in flow.writers:
            found[end.participant.name].written.add(flow.topic)
        for end in flow.readers:
            found[end.participant.name].read.add(flow.topic)
        if flow.answers:
            _answers(flow, found)
    return found


def _answers(flow: Flow, found: dict[str, Topics]) -> None:
    """What comes back: to one writer of a stream, to all that ping or send batches."""
    answering = flow.readers if flow.kind == "batches" else flow.answering
    for end in answering:
        found[end.participant.name].written.add(flow.answers)
    if answering:
        for end in flow.writers[:1] if flow.kind == "stream" else flow.writers:
            found[end.participant.name].read.add(flow.answers)


def _existing(flow: Flow) -> set[str]:
    """A writer and a reader are on each."""
    return {f"{flow.topic}_{number // 2}" for number in range(flow.endpoints)}
