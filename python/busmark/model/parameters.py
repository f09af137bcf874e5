"""Parameters: what a case consists of, each declared once.

A field of `Parameters` is the only place that knows a parameter: its type and default, its column
in stored tables, its part in names of cases, its label, its role in comparisons, what an adapter
must be able to do for it. `PARAMETERS` is the same as a table, for whoever goes through all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)

Kind = Literal["text", "int", "float", "bool"]

Role = Literal["workload", "choice", "effort", "derived", "told"]
"""workload: must be equal wherever two cases are compared. choice: what may be compared. effort:
how long is measured and how much is recorded, not what. derived: follows from other parameters.
told: structures that other parameters tell in words."""

Test = Literal["latency", "throughput", "capacity", "discovery"]
Word = Annotated[str, Field(max_length=1000)]
Text = Annotated[str, Field(max_length=100_000)]
Words = list[Word]
Count = Annotated[int, Field(ge=0, le=2**62)]
Few = Annotated[int, Field(ge=1, le=10**6)]
Size = Annotated[int, Field(ge=0, le=2**41)]
Rate = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Burst = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e18, le=1e18, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-(10**18), le=10**18)]
Plain = bool | Whole | Number | Text | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is known of a parameter besides its type and default; `qos.NAME` is a policy."""

    column: str = ""
    """Meaning of its column in stored tables; empty: it has none of its own."""
    unit: str = ""
    """The unit of the column."""
    role: Role = "workload"
    label: str = ""
    """For people, where the name does not do."""
    suffix: str = ""
    """What stands behind its value in the name of a case."""
    named: bool = True
    """Whether it may be in the name of a case: not what is always shown, or the same in all."""
    alone: bool = False
    """Whether a policy's values name it: `best_effort`."""
    apart: bool = False
    """Whether reports show it in a way of its own."""
    settled: bool = False
    """Whether a plan says how its default was settled."""
    follows: tuple[str, ...] = ()
    """Parameters that it follows from, unless the scenario says otherwise."""
    leads: tuple[str, ...] = ()
    """Parameters that differ where this one does, and need not be equal in a comparison by it."""
    of_adapter: bool = False
    """Whether it follows from the adapter, and need not be equal where adapters are compared."""
    needs: str | Mapping[str, str] = field(default_factory=dict)
    """Capability of the adapter that it needs: for any value, or by value."""
    name: str = ""
    """As the field is called."""
    kind: Kind = "text"
    """What its values are."""
    default: Any = None
    """What it is where a case does not state it, and what was measured before there was such a
    parameter."""


P = Parameter


class Part(BaseModel):
    """Part of a manifest; nothing is converted."""

    model_config = ConfigDict(extra="allow", strict=True)


class _Participant(Part):
    """One of the scenario's own."""

    name: Word
    adapter: Word
    transport: Word
    wait: Word
    settings: dict[Word, Plain | list[Plain]]
    on: Word | None
    cpus: Word | None
    fifo: Count


class _Flow(Part):
    """One of the scenario's own."""

    name: Word
    writers: Words
    readers: Words
    rate_hz: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    arrivals: Word
    payload: Word
    size: Count
    qos: dict[Word, Plain | list[Plain]]
    kind: Literal["stream", "pings", "batches"] = "stream"
    echo: Words = []
    probe_every: Count = 0
    batch: Count = 0
    batch_ack: Word = "ends"


class _Change(Part):
    """In the middle of a round."""

    at_s: Seconds
    flow: Word | None
    rate_hz: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None
    qos: dict[Word, Plain | list[Plain]]


def _like(form: Any) -> AfterValidator:
    """A validator that changes nothing: an older Busmark must not lose what a newer one adds."""
    adapter = TypeAdapter(form)

    def check(value: Any) -> Any:
        adapter.validate_python(value, strict=True)
        return value

    return AfterValidator(check)


Options = Annotated[dict[str, Any], _like(dict[Word, Plain | list[Plain]])]
Participants = Annotated[list[dict[str, Any]], _like(list[_Participant])]
Flows = Annotated[list[dict[str, Any]], _like(list[_Flow])]
Changes = Annotated[list[dict[str, Any]], _like(list[_Change])]


def _table(value: Any) -> Any:
    """QoS may be stored as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class Parameters(BaseModel):
    """The parameters of a case, all defaults settled.

    One that a stored result does not state has its default, and is neither in what `stated` returns
    nor stored. Parameters of a newer Busmark are kept. Fields are in the order of columns and of
    parts of a name.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    # fmt: off
    test: Annotated[Test, P(
        "latency, throughput, capacity or discovery", apart=True, named=False)] = "latency"
    adapter: Annotated[Word, P("name of the adapter", apart=True, named=False)] = ""
    peer: Annotated[Word | None, P(
        "adapter of the ponger or receiver; null: the same", role="choice", apart=True,
        leads=("peer_transport", "peer_wait", "peer_settings"))] = None
    transport: Annotated[Word, P(
        "transport of the adapter", role="choice", settled=True, of_adapter=True)] = ""
    peer_transport: Annotated[Word | None, P(
        "transport of the peer; null where it is the same adapter", role="choice",
        label="transport of the peer", follows=("adapter", "peer", "transport"),
        of_adapter=True)] = None
    payload: Annotated[Word, P("kind of the body's elements")] = "octet"
    size: Annotated[Size | None, P(
        "body of a sample, without the 64-byte header", "B", apart=True, suffix="B")] = None
    size_distribution: Annotated[Word | None, P(
        "distribution of sizes, of which size is the mean")] = None
    wait: Annotated[Word, P("listener, waitset or poll", role="choice", settled=True)] = ""
    placement: Annotated[Word, P(
        "same, different, free, or the CPUs by number; unstated: an imported source does not say",
        apart=True, settled=True)] = "free"
    profile: Annotated[Word, P("default or tuned", role="choice")] = "default"
    security: Annotated[Word | None, P(
        "security profile of the participants, or none; null: none, and the scenario does not "
        "speak of it", role="choice", settled=True)] = None
    rate_hz: Annotated[Rate | None, P(
        "intended rate; null in a closed loop or at full speed", "1/s", suffix="Hz")] = None
    arrivals: Annotated[Word | None, P(
        "closed, constant or poisson; paced: an imported source sent at a rate, and counted "
        "from the actual sending", follows=("rate_hz",))] = "closed"
    applications: Annotated[Few | None, P(
        "participants on each node that write and read every topic; null: publishers and "
        "subscribers", suffix="applications")] = None
    topics: Annotated[Few, P("topics at once", suffix="topics")] = 1
    writers: Annotated[Few, P("writers of each topic in each publisher", suffix="writers")] = 1
    readers: Annotated[Few, P("readers of each topic in each subscriber", suffix="readers")] = 1
    publishers: Annotated[Few | None, P(
        "participants that ping or write; null: applications", suffix="publishers")] = 1
    subscribers: Annotated[Few | None, P(
        "participants that answer or read; null: applications", suffix="subscribers")] = 1
    topology: Annotated[Word, P("one_way, bidirectional, or mesh: applications")] = "one_way"
    batch: Annotated[Count | None, P(
        "samples of a batch; null where the stream runs free", suffix="batch")] = None
    batch_ack: Annotated[Word | None, P(
        "what readers acknowledge of a batch: ends, or each: every sample too; null without "
        "batches", label="acknowledged")] = "ends"
    stream_hz: Annotated[Rate | None, P(
        "rate of a stream beside the pings; null: none", "1/s", suffix="Hzstream",
        label="stream beside")] = None
    instances: Annotated[Count | None, P(
        "instances of a keyed topic; null without a key", suffix="instances", needs="keys")] = None
    filter_below: Annotated[Count | None, P(
        "readers ask for instances below this; null: for all", suffix="filter",
        needs="content_filter")] = None
    new: Annotated[Word | None, P(
        "which endpoint is new, writer or reader; null but in a discovery test")] = None
    creates: Annotated[Word | None, P(
        "what is created with it: entity (nothing), publisher or participant; null likewise",
    )] = None
    existing: Annotated[Count | None, P(
        "endpoints that are there already; null likewise", suffix="existing",
        label="endpoints there")] = None
    writer_on: Annotated[Word | None, P(
        "nodes of the publishers, joined by +; null without a lab")] = None
    reader_on: Annotated[Word | None, P(
        "nodes of the subscribers, joined by +; null without a lab")] = None
    link_rate: Annotated[Word | None, P(
        "rate of the lab's links, as asked for; null: no limit")] = None
    link_loss: Annotated[Word | None, P(
        "share of packets that they lose, as asked for; null: none", suffix="loss")] = None
    link_delay: Annotated[Word | None, P(
        "delay between any two nodes, as asked for; null: none", suffix="delay")] = None
    link_jitter: Annotated[Word | None, P(
        "greatest deviation from it, as asked for; null: none", suffix="jitter")] = None
    link_burst: Annotated[Burst | None, P(
        "packets lost in a row, as asked for; null: one by one", suffix="burst")] = None
    link_reassembly: Annotated[Word | None, P(
        "tuned where nodes reassemble IP fragments so; else null")] = None
    load: Annotated[Word | None, P("background load, as asked for; null: none")] = None
    load_on: Annotated[Word | None, P(
        "the user's nodes on which it runs, as asked for; null: default")] = None
    fifo: Annotated[Count, P(
        "SCHED_FIFO priority of the participants; 0: ordinary scheduling", role="choice",
        suffix="fifo", label="real-time priority")] = 0
    peer_fifo: Annotated[Count | None, P(
        "SCHED_FIFO priority of the subscribers; null: the same", role="choice", suffix="peerfifo",
        label="real-time priority of subscribers")] = None
    beside: Annotated[Word | None, P(
        "flows of the scenario beside the measured ones; null: none", named=False,
        label="flows beside")] = None
    timeline: Annotated[Word | None, P(
        "what changes in the middle of every round, see the table `changes`; null: nothing",
        named=False)] = None
    ends_after: Annotated[Count | None, P(suffix="samples", label="samples of a round")] = None
    qos: Annotated[Options, BeforeValidator(_table), P(
        "QoS as asked for, JSON", role="choice")] = {}
    stream_qos: Annotated[Options, BeforeValidator(_table), P(role="derived", named=False)] = {}
    settings: Annotated[Options, P(role="choice", of_adapter=True)] = {}
    peer_settings: Annotated[Options | None, P(role="choice", of_adapter=True)] = None
    control: Annotated[Word | None, P(
        "how participants are driven: pipe, or bus: by topics of the middleware under test; "
        "null: pipe, and the scenario does not speak of it", role="choice", suffix="driven",
        label="control")] = None
    peer_wait: Annotated[Word | None, P(
        "wait strategy of the peer; null where it is the same adapter", apart=True,
        named=False)] = None
    network: Annotated[Word | None, P(named=False)] = None
    deployment: Annotated[Word | None, P(role="choice", named=False, of_adapter=True)] = None
    resident_counts: Annotated[bool, P(role="told", named=False)] = False
    participants: Annotated[Participants, P(role="told", named=False)] = []
    flows: Annotated[Flows, P(role="told", named=False)] = []
    chosen_flows: Annotated[Word | None, P(role="told", suffix="beside")] = None
    changes: Annotated[Changes, P(role="told", named=False)] = []
    side: Annotated[Word | None, P(role="choice", leads=("side_environment", "side_prefix"))] = None
    side_environment: Annotated[Text | None, P(apart=True, named=False)] = None
    side_prefix: Annotated[Text | None, P(apart=True, named=False)] = None
    duration_s: Annotated[Seconds | None, P(role="effort")] = None
    warmup_s: Annotated[Seconds, P(role="effort")] = 0.0
    samples: Annotated[Count, P(role="effort")] = 0
    max_samples: Annotated[Count, P()] = 200_000
    probe_every: Annotated[Count, P(role="effort")] = 0
    interval_s: Annotated[Seconds, P(role="effort")] = 0.1
    timeout_s: Annotated[Seconds, P()] = 1.0
    verify: Annotated[bool, P()] = False
    body_file: Annotated[Text | None, P()] = None
    echo_source: Annotated[bool, P(role="effort")] = False
    probe_echo: Annotated[bool, P()] = True
    statistic: Annotated[Word, P(role="effort")] = "median"
    chosen_s: Annotated[Seconds | None, P(role="told", named=False)] = None
    record_every: Annotated[Count | None, P(role="told", named=False)] = None
    seed: Annotated[Count, P(role="effort")] = 0
    # fmt: on

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, values: Any) -> Any:
        """A null that a parameter cannot be is nothing stated."""
        if not isinstance(values, dict):
            return values
        fields = cls.model_fields
        return {
            name: value
            for name, value in values.items()
            if value is not None
            or name not in fields
            or type(None) in get_args(fields[name].annotation)
        }

    def stated(self) -> dict[str, Any]:
        """Return the values that are stated, by name."""
        own = {name: getattr(self, name) for name in self.model_fields_set}
        return {
            name: own[name]
            for name in (*type(self).model_fields, *(self.model_extra or ()))
            if name in own
        }

    @property
    def length_s(self) -> float:
        """The measured time; 0 before the run has chosen it."""
        return self.duration_s or 0.0

    @property
    def attachments(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Adapter, transport and options of both sides, and of the scenario's own participants."""
        found = [(self.adapter, self.transport, self.settings)]
        if self.peer is not None:
            found.append((self.peer, self.peer_transport or "", self.peer_settings or {}))
        own = ((each["adapter"], each["transport"], each["settings"]) for each in self.participants)
        return [*found, *own]

    def policy(self, name: str) -> Any:
        """Return the value of a QoS policy; None: it is not asked for.

        Raises:
            KeyError: there is no such policy.
        """
        if name not in POLICIES:
            raise KeyError(name)
        return self.qos.get(name)

    def changed(self, **values: Any) -> Parameters:
        """Return the same with these values in their place."""
        return self.model_copy(update=values)

    @model_serializer(mode="wrap")
    def _stated_only(self, serialise: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {
            name: value for name, value in serialise(self).items() if name in self.model_fields_set
        }


def _kind(annotation: Any) -> Kind:
    """Return what values with this annotation are."""
    kinds: dict[Any, Kind] = {bool: "bool", int: "int", float: "float", str: "text"}
    found = [annotation, *get_args(annotation)]
    return next(
        (kinds[each] for each in found if each in kinds),
        next((kind for each in get_args(annotation) if (kind := _kind(each)) != "text"), "text"),
    )


def _parameters(of: type[BaseModel]) -> tuple[Parameter, ...]:
    """Return the table of a class: a row for each field."""
    return tuple(
        replace(
            each,
            name=name,
            kind=_kind(known.annotation),
            default=known.get_default(call_default_factory=True),
        )
        for name, known in of.model_fields.items()
        for each in known.metadata
        if isinstance(each, Parameter)
    )


QOS = (
    P(name="qos.reliability", role="choice", label="reliability", settled=True, alone=True,
      needs={"reliable": "reliable", "best_effort": "best_effort"}),
    P(name="qos.history", role="choice", label="history", leads=("qos.depth",), settled=True,
      alone=True, needs={"keep_all": "keep_all", "keep_last": "keep_last"}),
    P(name="qos.depth", role="choice", label="depth",
      follows=("qos.history", "publishers", "subscribers"), settled=True),
    P(name="qos.durability", role="choice", label="durability", alone=True,
      needs={"volatile": "volatile", "transient_local": "transient_local"}),
    P(name="qos.lifespan_s", role="choice", needs="lifespan"),
    P(name="qos.deadline_s", role="choice", needs="deadline"),
    P(name="qos.latency_budget_s", role="choice", needs="latency_budget"),
    P(name="qos.transport_priority", role="choice", needs="transport_priority"),
    P(name="qos.partition", role="choice", needs="partition"),
    P(name="qos.ownership_strength", role="choice", needs="ownership_strength"),
    P(name="qos.destination_order", role="choice", needs={"source": "order_by_source"}),
    P(name="qos.max_samples", role="choice", needs="resource_limits"),
    P(name="qos.time_based_filter_s", role="choice", needs="time_based_filter"),
)  # fmt: skip
"""Policies of QoS."""

PARAMETERS = (*_parameters(Parameters), *QOS)
"""All of them, in the order in which they are shown; policies last."""

STORED = tuple(each for each in PARAMETERS if each.column)
"""Those with a column of their own, in the order of the columns."""

POLICIES = {each.name.removeprefix("qos."): each for each in QOS}
"""QoS policies by name."""

BY_NAME = {each.name: each for each in PARAMETERS}

DEFAULTS = {
    each.name: each.default for each in PARAMETERS if each.default not in (None, "", {}, [], False)
}
"""What a case has where nothing is said, other than nothing. It is what was measured before there
was such a parameter, too."""


def having(role: Role) -> frozenset[str]:
    """Return the names of the parameters of a role."""
    return frozenset(each.name for each in PARAMETERS if each.role == role)
