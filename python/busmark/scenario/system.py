"""What runs in the background of the cases: participants and flows of the user's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field, field_validator, model_validator

from busmark.errors import nearest
from busmark.model.parameter import Several
from busmark.model.parameters import CHANGE, FLOW, PARTICIPANT, POLICIES
from busmark.model.units import ELEMENT_BYTES
from busmark.scenario.matrix import ALL, NONE, SLOWEST_HZ, Name, QosMatrix, an_adapter, option_text
from busmark.scenario.section import table

OF_MATRIX = ("active", "passive")
"""Names of the participants that a matrix makes, publishers and subscribers. Several have numbers,
as active1."""

APPLICATION = "app"
"""Name of the applications of a mesh: app1, app2, …, the first on the first node, the next on the
next."""

MOST_ENDS = 10_000
"""Writers and readers of all flows: more do not fit on machines that people have, and are a slip of
the pen."""


class ParticipantSection(table(PARTICIPANT)):  # type: ignore[misc]
    """`[[participant]]`: a process of its own in every case, besides those that the matrix makes. A
    `[[flow]]` names it as writer or reader."""

    count: Several = Field(default=1, description="number of participants alike: name1, name2, …")
    option: dict[Name, Name] = Field(
        default={}, description="options of its adapter, KEY = value; by default as in the case"
    )

    @field_validator("adapter")
    @classmethod
    def _is_an_adapter(cls, value: str) -> str:
        return an_adapter(value)

    @field_validator("option", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: option_text(given) for key, given in value.items()}

    @property
    def names(self) -> list[str]:
        """Names of each of them."""
        numbers = range(1, self.count + 1)
        return [f"{self.name}{number}" for number in numbers] if self.count > 1 else [self.name]


class FlowSection(table(sorted(FLOW, key=lambda row: row.name not in ("name", "kind")))):  # type: ignore[misc]
    """`[[flow]]`: traffic that runs in the background of every case, while the matrix's is
    measured: a stream, pings or batches. Its rates, losses and latencies are in the table `flows`
    of the result and below the tables of the report; the figures of the case do not count it."""

    topics: Several = Field(
        default=1, description="number of flows alike, each on a topic of its own"
    )
    qos: QosMatrix = Field(
        default=QosMatrix(),
        description="as of [matrix.qos], one value each; it has nothing of the matrix",
    )

    @property
    def names(self) -> list[str]:
        """Names of each topic's flow."""
        numbers = range(self.topics)
        return [f"{self.name}_{number}" for number in numbers] if self.topics > 1 else [self.name]

    @field_validator("qos")
    @classmethod
    def _one_each(cls, value: QosMatrix) -> QosMatrix:
        for name in type(value).model_fields:
            if len(getattr(value, name)) != 1:
                raise ValueError(f"{name}: one value, for a flow is the same in every case")
        return value

    @model_validator(mode="after")
    def _possible(self) -> FlowSection:
        if text := _of_another_kind(self):
            raise ValueError(text)
        if self.rate_hz and self.rate_hz < SLOWEST_HZ:
            raise ValueError(f"rate_hz = {self.rate_hz:g} is less than one sample in an hour")
        element = ELEMENT_BYTES[self.payload]
        if self.size % element:
            raise ValueError(f"size {self.size} B is not a whole number of {element}-byte elements")
        return self


OF_SERVICE = [each.name for each in FLOW if "service" in each.only]
"""Keys that only a service has."""


def _of_another_kind(flow: FlowSection) -> str | None:
    """Return what the flow says that its kind does not have, or does not say that it needs."""
    kind, paced = flow.kind, bool(flow.rate_hz)
    if not flow.writers and not flow.readers:
        return "neither writers nor readers"
    if (kind != "stream" or flow.probe_every) and not (flow.writers and flow.readers):
        return "writers and readers: only a stream without probes may lack one of them"
    if kind == "stream" and flow.rate_hz is None:
        return "rate_hz: a stream needs a rate; 0 is full speed"
    if kind == "batches" and flow.rate_hz is not None:
        return "rate_hz: batches follow each other and have no rate; leave it out"
    if flow.arrivals == "poisson" and not paced:
        return 'arrivals = "poisson" needs a rate_hz above 0'
    if kind == "batches" and not flow.batch:
        return "batch: batches need the number of their samples"
    if kind != "batches" and (flow.batch or flow.batch_ack != "ends"):
        name = "batch" if flow.batch else "batch_ack"
        return f'{name}: goes with kind = "batches" alone, this flow is of kind {kind!r}'
    if kind != "stream" and flow.probe_every:
        return f"probe_every: goes with a stream alone, this flow is of kind {kind!r}"
    if kind == "service" and len(flow.readers) > 1:
        return f"readers: the one reader of a service is its server, these are {len(flow.readers)}"
    if kind == "service" and flow.payload not in ("octet", "empty"):
        return f"payload {flow.payload}: requests and responses carry octets"
    if kind != "service":
        for name in OF_SERVICE:
            if getattr(flow, name) != type(flow).model_fields[name].default:
                return f'{name}: goes with kind = "service" alone, this flow is of kind {kind!r}'
    if flow.echo and kind == "service":
        return "echo: the server answers; leave it out"
    if flow.echo and kind == "batches":
        return "echo: all readers acknowledge batches; leave it out"
    if flow.echo and kind == "stream" and not flow.probe_every:
        return "echo: nothing of this stream is echoed; name probe_every, or leave echo out"
    if kind == "stream" and len(flow.echo) > 1:
        return f"echo: one reader echoes probes, these are {len(flow.echo)}"
    return None


def _check_echo(flow: FlowSection, counts: dict[str, int]) -> None:
    """Check that whoever answers also reads; `counts` are the counts of identical participants."""
    for name in flow.echo:
        group = name.rstrip("0123456789")
        if name not in flow.readers and group not in flow.readers:
            hint = nearest(name, flow.readers, f"Its readers are {', '.join(flow.readers)}.")
            raise ValueError(f"flow {flow.name}: echo: {name!r} is none of its readers. {hint}")
        if flow.kind == "stream" and counts.get(name, 1) > 1:
            raise ValueError(
                f"flow {flow.name}: echo: one reader echoes probes, {name!r} stands for "
                f"{counts[name]}; name one, such as {name}1"
            )


def check_chosen(background: Sequence[str], flows: Sequence[str]) -> None:
    """Raise `ValueError` for a flow that a matrix chooses and that is not there."""
    for name in (name for text in background for name in text.split("+")):
        if name not in flows and name not in (ALL, NONE):
            known = f"There are {', '.join(flows)}." if flows else "There is no [[flow]]."
            raise ValueError(
                f"background: there is no flow {name!r}. {nearest(name, flows, known)}"
            )
    for text in background:
        if "+" in text and {ALL, NONE} & {*text.split("+")}:
            raise ValueError(f"background = {text!r}: {ALL} and {NONE} stand alone")


def check_system(
    participants: Sequence[ParticipantSection],
    flows: Sequence[FlowSection],
    *,
    meshes: bool,
    idle: bool,
) -> None:
    """Raise `ValueError` for a name that is taken or unknown, and for a participant of no flow.

    Args:
        meshes: whether some matrix has applications.
        idle: whether participants have endpoints without a flow.
    """
    of_matrix = (*OF_MATRIX, *([APPLICATION] if meshes else []))
    declared = [name for each in participants for name in {each.name, *each.names}]
    flow_names = [name for flow in flows for name in flow.names]
    for kind, names in (("participant", declared), ("flow", flow_names)):
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(f"{kind} {twice[0]}: there are two of this name")
    for name in declared:
        if name.rstrip("0123456789") in of_matrix:
            raise ValueError(f"participant {name}: the matrix has participants of this name")
    for flow in flows:
        if re.match(rf"({'|'.join(FLOWS_OF_MATRIX)})(_|$)", flow.name):
            raise ValueError(f"flow {flow.name}: the matrix has flows of this name")
    known = [*of_matrix, *declared]
    for flow in flows:
        for name in (*flow.writers, *flow.readers):
            if name not in known and name.rstrip("0123456789") not in of_matrix:
                hint = nearest(name, known, f"There are {', '.join(known)}.")
                raise ValueError(f"flow {flow.name}: there is no participant {name!r}. {hint}")
    counts = {each.name: each.count for each in participants}
    ends = 0
    for flow in flows:
        for names in (flow.writers, flow.readers):
            if len(set(names)) < len(names):
                raise ValueError(f"flow {flow.name}: names a participant twice")
            ends += flow.topics * sum(counts.get(name, 1) for name in names)
        _check_echo(flow, counts)
    if ends > MOST_ENDS:
        raise ValueError(f"the flows have {ends} writers and readers, at most {MOST_ENDS}")
    if idle:
        return
    used = {name for flow in flows for name in (*flow.writers, *flow.readers)}
    for each in participants:
        for name in each.names:
            if name not in used and each.name not in used:
                raise ValueError(f"participant {name}: no flow names it as writer or reader")


FLOWS_OF_MATRIX = ("pings", "stream", "batches", "requests")
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
        if self.server and (others or self.link):
            raise ValueError("server goes with nothing but flow: give it a step of its own")
        if not self.link and not self.server and not others:
            raise ValueError("names neither rate_hz nor qos, link nor server: nothing changes")
        if self.rate_hz is not None and self.rate_hz < SLOWEST_HZ:
            raise ValueError(f"rate_hz = {self.rate_hz:g} is less than one sample in an hour")
        return self


def check_timeline(
    timeline: Sequence[ChangeSection],
    flows: Sequence[FlowSection],
    length_s: float | str,
    *,
    ended: bool,
    lab: bool,
) -> None:
    """Raise `ValueError` for a change of nothing that is there, and for one that would come after
    the end of the measured time. `ended`: samples end some rounds; `lab`: there is one."""
    names = [*FLOWS_OF_MATRIX, *(flow.name for flow in flows)]
    if timeline and (isinstance(length_s, str) or ended):
        raise ValueError(
            "timeline: needs rounds of a known length: measure.duration_s in seconds, and no "
            "measure.samples or ends_after"
        )
    states = {"link": "up", "server": "up"}
    for change in sorted(timeline, key=lambda each: each.at_s):
        if change.link and not lab:
            raise ValueError(
                f"timeline: link = {change.link!r} needs a lab, whose links it is of: [lab], nodes"
            )
        for what, verb in (("link", "links are"), ("server", "server is")):
            asked = getattr(change, what)
            if asked == states[what]:
                raise ValueError(f"timeline: at {change.at_s:g} s the {verb} {asked} already")
            states[what] = asked or states[what]
        if change.flow is not None and change.flow not in names:
            hint = nearest(change.flow, names, f"There are {', '.join(names)}.")
            raise ValueError(f"timeline: there is no flow {change.flow!r}. {hint}")
        if not isinstance(length_s, str) and change.at_s >= length_s:
            raise ValueError(
                f"timeline: at_s = {change.at_s:g} is not within the measured time, "
                f"measure.duration_s = {length_s:g}"
            )
