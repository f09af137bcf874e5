"""A case as participants and flows: who takes part, and what goes from whom to whom.

Whatever is measured is built from these. A ping-pong is a flow whose readers answer, several
publishers are several writers of it, a stream beside pings is a second flow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from busmark.adapters.known import options_of
from busmark.model.parameters import PARAMETERS, Parameters
from busmark.plan import mesh
from busmark.plan.beside import numbered
from busmark.plan.lacking import largest_size
from busmark.scenario import nodes_of
from busmark.scenario.system import APPLICATION

AGENTS = "agents"
"""The option of a middleware whose servers find each other: how many a run starts."""

Kind = Literal["pings", "stream", "batches", "discovery", "existing"]


@dataclass(frozen=True, slots=True)
class Participant:
    """Attaches to the middleware once, with settings of its own."""

    name: str
    """As in logs, and in the tables of a result."""
    adapter: str
    transport: str
    wait: str
    settings: tuple[tuple[str, str], ...]
    """Options of the adapter."""
    fifo: int
    """SCHED_FIFO priority; 0: ordinary scheduling."""
    side: Literal["reader_on", "writer_on"] | None
    """Side of the matrix, a subscriber or a publisher; None: one of the scenario's own."""
    on: str | None = None
    """The node of one of the scenario's own."""
    cpus: str | None = None
    """CPUs of the participant, if it has its own."""

    @property
    def apart(self) -> bool:
        """Whether those who ping or write are at another server than all others."""
        return dict(self.settings).get(AGENTS, "1") != "1"


@dataclass(frozen=True, slots=True)
class End:
    """A participant's end of a flow."""

    number: int
    """Identifies it within the round: in every sample that it writes, also in answers."""
    participant: Participant


@dataclass(frozen=True, slots=True)
class Body:
    """What samples of a flow carry."""

    payload: str
    size: int
    """Bytes, at most."""
    sizes: str | None = None
    """The distribution, where sizes vary."""
    file: str | None = None
    """Whose bytes are in it."""
    verify: bool = False
    instances: int = 0
    filter_below: int = 0
    """Readers take only the instances below this; 0: all."""

    @property
    def admitted_share(self) -> float:
        """Share of the samples that the readers' filter admits."""
        below = self.filter_below
        return min(below / self.instances, 1.0) if below else 1.0

    def admitted(self, sent: int) -> int:
        """How many of a writer's first `sent` samples the readers' filter admits."""
        below, instances = self.filter_below, self.instances
        if not below or below >= instances:
            return sent
        return int(sent // instances * below + min(sent % instances, below))


@dataclass(frozen=True, slots=True)
class Flow:
    """What goes from every writer to every reader on one topic."""

    name: str
    """Within its case."""
    kind: Kind
    topic: str
    answers: str
    """Topic of what comes back: pongs, echoed probes, acknowledgements; empty: probes are not
    echoed."""
    writers: tuple[End, ...]
    readers: tuple[End, ...]
    arrivals: str
    rate_hz: float
    """Rate of each writer; 0: a closed loop, or full speed."""
    qos: dict[str, Any]
    body: Body
    beside: bool = False
    """It runs beside what is measured, and does not count in the figures of the case."""
    own: bool = False
    """One of the scenario's own, which the matrix knows nothing of."""
    echo: tuple[End, ...] = ()
    """Readers that answer; empty: those that the kind has by itself."""
    probe_every: int = 0
    """One in this many samples of a stream is echoed; 0: none."""
    batch: int = 0
    """Samples of a batch."""
    acknowledges_each: bool = False
    """Readers acknowledge every sample of a batch, too."""
    endpoints: int = 0
    """For a flow `existing`: writers and readers that are there and do nothing."""

    @property
    def answering(self) -> tuple[End, ...]:
        """Readers that answer: pings, probes or batches."""
        if self.kind in ("discovery", "existing"):
            return ()
        if self.kind == "stream":
            # One answer to each probe.
            return (self.echo or self.readers)[:1] if self.probe_every else ()
        return self.echo or self.readers

    @property
    def listening(self) -> tuple[End, ...]:
        """Readers that do not answer."""
        return tuple(end for end in self.readers if end not in self.answering)

    @property
    def ends(self) -> Iterator[End]:
        """Writers, then readers."""
        return itertools.chain(self.writers, self.readers)


@dataclass(frozen=True)
class Flows:
    """What a round of a case consists of."""

    participants: tuple[Participant, ...]
    """Subscribers, publishers, then the scenario's own."""
    flows: tuple[Flow, ...]

    @property
    def subscribers(self) -> list[Participant]:
        """Those of the matrix that answer or read."""
        return [own for own in self.participants if own.side == "reader_on"]

    @property
    def publishers(self) -> list[Participant]:
        """Those of the matrix that ping or write."""
        return [own for own in self.participants if own.side == "writer_on"]

    @cached_property
    def ends(self) -> dict[int, tuple[Flow, End]]:
        """Every end by its number, with its flow."""
        return {end.number: (flow, end) for flow in self.flows for end in flow.ends}

    def flow_of(self, number: int) -> Flow | None:
        """That of an end; None for a number that is nobody's."""
        return self.ends[number][0] if number in self.ends else None

    def beside(self, number: int) -> bool:
        """Whether the end is of a flow that does not count in the figures of the case."""
        flow = self.flow_of(number)
        return flow is not None and flow.beside

    def to_be_read(self, writer: int, sent: int) -> int:
        """How many samples of a writer all its readers together expect; a ping once of all that
        answer it."""
        flow = self.flow_of(writer)
        if flow is None:
            return 0
        if flow.kind in ("discovery", "existing"):
            return 0
        if flow.kind == "pings":
            return (1 + len(flow.listening)) * sent
        return len(flow.readers) * flow.body.admitted(sent)


NOTHING = Flows((), ())


def flows(params: Parameters) -> Flows:
    """Participants and flows of a case, topic by topic."""
    if mesh.is_mesh(params):
        subscribers: tuple[Participant, ...] = ()
        publishers = _participants(params, APPLICATION, mesh.applications(params))
    else:
        subscribers = _participants(params, "passive", params.subscribers or 0)
        publishers = _participants(params, "active", params.publishers or 0)
    own = tuple(_own(each, params) for each in params.participants)
    numbers = itertools.count(1)
    if params.test == "discovery":
        return _discovery(params, numbers, publishers[0], subscribers[0], own)
    found: list[Flow] = []
    for index in range(params.topics):
        suffix = f"_{index}" if params.topics > 1 else ""
        found += _directed(params, suffix, numbers, publishers, subscribers or publishers)
        if params.topology == "bidirectional":
            found += _directed(params, f"{suffix}_back", numbers, subscribers, publishers)
    participants = (*subscribers, *publishers, *own)
    known = {each.name: each for each in participants}
    found += [_declared(params, flow, numbers, known) for flow in params.flows]
    return Flows(participants, tuple(found))


def _discovery(
    params: Parameters, numbers: Iterator[int], publisher: Participant,
    subscriber: Participant, own: tuple[Participant, ...],
) -> Flows:  # fmt: skip
    """The new endpoint, the one that is there already, and who stands by: the participants of the
    scenario's own, else a further one."""
    common: dict[str, Any] = {
        "answers": "", "arrivals": "constant", "rate_hz": params.rate_hz, "qos": params.qos,
        "body": _body(params),
    }  # fmt: skip
    flow = Flow(
        name="discovery", kind="discovery", topic="busmark_discovery",
        writers=_ends(numbers, [publisher]), readers=_ends(numbers, [subscriber]), **common,
    )  # fmt: skip
    if not params.existing:
        return Flows((subscriber, publisher), (flow,))
    resident = subscriber if params.new == "writer" else publisher
    on = nodes_of((params.reader_on if resident is subscriber else params.writer_on) or "")[0]
    bystander = replace(resident, name="bystander", side=None, on=on or None)
    bystanders = own or (bystander,)
    existing = Flow(
        name="existing", kind="existing", topic="busmark_existing",
        writers=_ends(numbers, bystanders), readers=(), beside=True,
        endpoints=params.existing // len(bystanders), **common,
    )  # fmt: skip
    return Flows((subscriber, publisher, *bystanders), (flow, existing))


def _participants(params: Parameters, name: str, count: int) -> tuple[Participant, ...]:
    """Those of the matrix: publishers, or subscribers."""
    publishes = name != "passive"
    side = "peer_" if params.peer and not publishes else ""
    fifo = None if publishes else params.peer_fifo
    return tuple(
        Participant(
            each,
            adapter=(params.peer or "") if side else params.adapter,
            transport=getattr(params, f"{side}transport"),
            wait=params.wait if publishes else params.peer_wait or params.wait,
            settings=_settings(
                (params.peer or "") if side else params.adapter,
                params,
                getattr(params, f"{side}settings"),
            ),
            fifo=params.fifo if fifo is None else fifo,
            side="writer_on" if publishes else "reader_on",
        )
        for each in numbered(name, count)
    )


def _settings(
    adapter: str, params: Parameters, asked: dict[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Options that are asked for, and those that other parameters stand for."""
    stand_for: dict[str, Any] = {}
    for each in PARAMETERS:
        if each.needs == "options":
            stand_for |= options_of(adapter, each.name, getattr(params, each.name))
    return tuple(sorted((stand_for | asked).items()))


def _own(given: dict[str, Any], params: Parameters) -> Participant:
    """One of the scenario's own."""
    settings = _settings(given["adapter"], params, given["settings"])
    return Participant(**{**given, "settings": settings}, side=None)


def _declared(
    params: Parameters, given: dict[str, Any], numbers: Iterator[int],
    known: dict[str, Participant],
) -> Flow:  # fmt: skip
    """One of the scenario's own."""
    writers = _ends(numbers, [known[name] for name in given["writers"]])
    readers = _ends(numbers, [known[name] for name in given["readers"]])
    echo = given.get("echo", ())
    return Flow(
        name=given["name"], kind=given.get("kind", "stream"),
        topic=f"busmark_flow_{given['name']}", answers=f"busmark_echo_{given['name']}",
        writers=writers, readers=readers,
        echo=tuple(end for end in readers if end.participant.name in echo),
        arrivals=given["arrivals"] if given["rate_hz"] else "closed",
        rate_hz=given["rate_hz"], qos=given["qos"],
        body=Body(given["payload"], given["size"], verify=params.verify),
        beside=True, own=True, probe_every=given.get("probe_every", 0),
        batch=given.get("batch", 0), acknowledges_each=given.get("batch_ack") == "each",
    )  # fmt: skip


def _body(params: Parameters) -> Body:
    """What samples carry as the matrix says."""
    return Body(
        params.payload, largest_size(params), params.size_distribution,
        params.body_file, params.verify, params.instances or 0,
        params.filter_below or 0,
    )  # fmt: skip


def _directed(
    params: Parameters, suffix: str, numbers: Iterator[int],
    senders: Sequence[Participant], receivers: Sequence[Participant],
) -> Iterator[Flow]:  # fmt: skip
    """What goes from the senders to the receivers on one topic."""
    if params.test != "latency":
        yield _stream(params, suffix, numbers, senders, receivers)
        return
    yield Flow(
        name=f"pings{suffix}", kind="pings",
        topic=f"busmark_ping{suffix}", answers=f"busmark_pong{suffix}",
        writers=_ends(numbers, senders), readers=_ends(numbers, receivers),
        arrivals=params.arrivals or "closed", rate_hz=params.rate_hz or 0.0, qos=params.qos,
        body=_body(params),
    )  # fmt: skip
    if params.stream_hz:
        beside = params.changed(
            rate_hz=params.stream_hz, arrivals="constant", writers=1, readers=1, probe_every=0,
            batch=None, qos=params.stream_qos,
        )  # fmt: skip
        yield replace(_stream(beside, suffix, numbers, senders, receivers), beside=True)


def _stream(
    params: Parameters, suffix: str, numbers: Iterator[int],
    senders: Sequence[Participant], receivers: Sequence[Participant],
) -> Flow:  # fmt: skip
    readers = _ends(numbers, receivers, params.readers)
    return Flow(
        name=f"{'batches' if params.batch else 'stream'}{suffix}",
        kind="batches" if params.batch else "stream",
        topic=f"busmark_stream{suffix}",
        # Nothing comes back on a topic without a name.
        answers=f"busmark_echo{suffix}" if params.probe_echo else "",
        writers=_ends(numbers, senders, params.writers),
        readers=readers,
        # Probes are written by the first participant: in a mesh the last one is another.
        echo=readers[-1:] if mesh.is_mesh(params) else (),
        arrivals=params.arrivals or "closed", rate_hz=params.rate_hz or 0.0, qos=params.qos,
        body=_body(params),
        probe_every=params.probe_every, batch=params.batch or 0,
        acknowledges_each=params.batch_ack == "each",
    )  # fmt: skip


def _ends(
    numbers: Iterator[int], participants: Sequence[Participant], each: int = 1
) -> tuple[End, ...]:
    return tuple(End(next(numbers), own) for own in participants for _ in range(each))


def adapters_of(params: Parameters) -> list[str]:
    """Names of all adapters of a case, once."""
    own = (each["adapter"] for each in params.participants)
    return list(dict.fromkeys((params.adapter, params.peer or params.adapter, *own)))


def nodes_named(params: Parameters) -> list[str]:
    """Nodes and groups of a case's participants, once; none where there are no nodes."""
    sides = (
        name
        for side in ("reader_on", "writer_on")
        for name in nodes_of(getattr(params, side) or "")
    )
    own = (each["on"] for each in params.participants)
    return list(dict.fromkeys(filter(None, (*sides, *own))))
