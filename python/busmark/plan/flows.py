"""A case as participants and flows: who takes part, and what goes from whom to whom.

Whatever is measured is built from these. A ping-pong is a flow whose readers answer, several
publishers are several writers of it, a background stream is a second flow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pydantic import ConfigDict

from busmark.facts import options_of
from busmark.model import flow as declared
from busmark.model.entry import SERVICES
from busmark.model.parameters import PARAMETERS, Parameters
from busmark.plan.background import numbered
from busmark.plan.lacking import largest_size
from busmark.plan.placement import applications, is_mesh
from busmark.scenario import nodes_of
from busmark.scenario.system import APPLICATION

AGENTS = "agents"
"""The option of a middleware whose servers find each other: how many a run starts."""


class PlannedParticipant(declared.Participant):
    """A participant of a round; one of the matrix has no node or CPUs of its own."""

    side: Literal["reader_on", "writer_on"] | None = None
    """Side of the matrix, a subscriber or a publisher; None: one of the scenario's own."""

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def apart(self) -> bool:
        """Return whether those who ping or write are at another server than all others."""
        return bool(self.settings.get(AGENTS, "1") != "1")


@dataclass(frozen=True, slots=True)
class End:
    """A participant's end of a flow."""

    number: int
    """Identifies it within the round: in every sample that it writes, also in answers."""
    participant: PlannedParticipant


class PlannedFlow(declared.Traffic[End]):
    """A flow of a round, between ends that have numbers."""

    model_config = ConfigDict(extra="forbid")

    topic: str
    answers: str = ""
    """Topic of what comes back: pongs, echoed probes, acknowledgements; empty: probes are not
    echoed."""
    size_distribution: str | None = None
    """Distribution of sizes, where they vary."""
    body_file: str | None = None
    """File whose bytes are in the body."""
    verify: bool = False
    instances: int = 0
    filter_below: int = 0
    """Readers take only the instances below this; 0: all."""
    background: bool = False
    """Whether it is background: it does not count in the figures of the case."""
    own: bool = False
    """Whether it is one of the scenario's own flows, which the matrix knows nothing of."""
    endpoints: int = 0
    """Writers and readers of a flow `existing`, which are there and do nothing."""

    @property
    def admitted_share(self) -> float:
        """Share of the samples that the readers' filter admits."""
        below = self.filter_below
        return min(below / self.instances, 1.0) if below else 1.0

    def admitted_samples(self, sent: int) -> int:
        """Return how many of a writer's first `sent` samples the readers' filter admits."""
        below, instances = self.filter_below, self.instances
        if not below or below >= instances:
            return sent
        return int(sent // instances * below + min(sent % instances, below))

    @property
    def answering(self) -> list[End]:
        """Readers that answer: pings, probes or batches."""
        if self.kind in ("discovery", "existing", "service", "action"):
            return []
        if self.kind == "stream":
            # One answer to each probe.
            return (self.echo or self.readers)[:1] if self.probe_every else []
        return self.echo or self.readers

    @property
    def listening(self) -> list[End]:
        """Readers that do not answer."""
        answering = {end.number for end in self.answering}
        return [end for end in self.readers if end.number not in answering]

    @property
    def ends(self) -> Iterator[End]:
        """Writers, then readers."""
        return itertools.chain(self.writers, self.readers)


@dataclass(frozen=True)
class Flows:
    """Flows and participants of a round of a case."""

    participants: tuple[PlannedParticipant, ...]
    """Subscribers, publishers, then the scenario's own."""
    flows: tuple[PlannedFlow, ...]

    @property
    def subscribers(self) -> list[PlannedParticipant]:
        """Return the participants of the matrix that answer or read."""
        return [own for own in self.participants if own.side == "reader_on"]

    @property
    def publishers(self) -> list[PlannedParticipant]:
        """Return the participants of the matrix that ping or write."""
        return [own for own in self.participants if own.side == "writer_on"]

    @cached_property
    def ends(self) -> dict[int, tuple[PlannedFlow, End]]:
        """Every end by its number, with its flow."""
        return {end.number: (flow, end) for flow in self.flows for end in flow.ends}

    def flow_of(self, number: int) -> PlannedFlow | None:
        """Return the flow of an end; None for a number that no end has."""
        return self.ends[number][0] if number in self.ends else None

    def background(self, number: int) -> bool:
        """Return whether the end is of a flow that does not count in the figures of the case."""
        flow = self.flow_of(number)
        return flow is not None and flow.background

    def to_be_read(self, writer: int, sent: int) -> int:
        """Return how many samples of a writer all its readers together expect; a ping once of all
        that answer it."""
        flow = self.flow_of(writer)
        if flow is None:
            return 0
        if flow.kind in ("discovery", "existing", "action"):
            return 0
        if flow.kind == "service":
            return sent
        if flow.kind == "pings":
            return (1 + len(flow.listening)) * sent
        return len(flow.readers) * flow.admitted_samples(sent)


NOTHING = Flows((), ())

ANY_RUN = "0" * 6
"""Stands for the identity of a run that has not begun."""


def run_identity(cookie: int) -> str:
    """Return what distinguishes the topics of a run: as short as can be, for some middleware sends
    the name with every sample."""
    return f"{cookie:016x}"[: len(ANY_RUN)]


def flows(params: Parameters) -> Flows:
    """Return participants and flows of a case, topic by topic."""
    if is_mesh(params):
        subscribers: tuple[PlannedParticipant, ...] = ()
        publishers = _participants(params, APPLICATION, applications(params))
    else:
        subscribers = _participants(params, "passive", params.subscribers or 0)
        publishers = _participants(params, "active", params.active)
    own = tuple(_scenario_participant(each, params) for each in params.participants)
    numbers = itertools.count(1)
    if params.test == "discovery":
        return _discovery(params, numbers, publishers[0], subscribers[0], own)
    found: list[PlannedFlow] = []
    for index in range(params.topics):
        suffix = f"_{index}" if params.topics > 1 else ""
        found += _directed(params, suffix, numbers, publishers, subscribers or publishers)
        if params.topology == "bidirectional":
            found += _directed(params, f"{suffix}_back", numbers, subscribers, publishers)
    participants = (*subscribers, *publishers, *own)
    known = {each.name: each for each in participants}
    found += [_declared(params, flow, numbers, known) for flow in params.flows]
    return Flows(participants, tuple(found))


def of_run(case: Flows, run: str) -> Flows:
    """Return the flows on topics that this run alone has: their names end with its identity."""
    own = [
        flow.model_copy(
            update={
                "topic": f"{flow.topic}_{run}",
                "answers": f"{flow.answers}_{run}" if flow.answers else "",
            }
        )
        for flow in case.flows
    ]
    return Flows(case.participants, tuple(own))


def _discovery(
    params: Parameters,
    numbers: Iterator[int],
    publisher: PlannedParticipant,
    subscriber: PlannedParticipant,
    own: tuple[PlannedParticipant, ...],
) -> Flows:
    """Return the flow between late joiner and resident, and the one of idle endpoints: on the
    participants of the scenario's own, else on a further one."""
    common = _of_case(params) | {"arrivals": "constant"}
    found = PlannedFlow(
        name="discovery",
        kind="discovery",
        topic="busmark_discovery",
        writers=_ends(numbers, [publisher]),
        readers=_ends(numbers, [subscriber]),
        **common,
    )
    if not params.existing:
        return Flows((subscriber, publisher), (found,))
    resident = subscriber if params.new == "writer" else publisher
    on = nodes_of((params.reader_on if resident is subscriber else params.writer_on) or "")[0]
    idle_endpoint = {"name": "idle", "side": None, "on": on or None}
    idle_endpoints = own or (resident.model_copy(update=idle_endpoint),)
    existing = PlannedFlow(
        name="existing",
        kind="existing",
        topic="busmark_existing",
        writers=_ends(numbers, idle_endpoints),
        readers=[],
        background=True,
        endpoints=params.existing // len(idle_endpoints),
        **common,
    )
    return Flows((subscriber, publisher, *idle_endpoints), (found, existing))


def _participants(params: Parameters, name: str, count: int) -> tuple[PlannedParticipant, ...]:
    """Return the participants of the matrix: publishers, or subscribers."""
    publishes = name != "passive"
    side = "peer_" if params.peer and not publishes else ""
    fifo = None if publishes else params.peer_fifo
    return tuple(
        PlannedParticipant(
            name=each,
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


def _settings(adapter: str, params: Parameters, asked: dict[str, Any]) -> dict[str, Any]:
    """Return options that are asked for, and those that other parameters stand for."""
    stand_for: dict[str, Any] = {}
    for each in PARAMETERS:
        if each.needs == "options":
            stand_for |= options_of(adapter, each.name, getattr(params, each.name))
    return dict(sorted((stand_for | asked).items()))


def _scenario_participant(given: declared.Participant, params: Parameters) -> PlannedParticipant:
    """Return a participant of the scenario's own, with all of its options."""
    settings = _settings(given.adapter, params, given.settings)
    return PlannedParticipant(**{**_fields(given), "settings": settings})


def _declared(
    params: Parameters,
    given: declared.Flow,
    numbers: Iterator[int],
    known: dict[str, PlannedParticipant],
) -> PlannedFlow:
    """Return a flow of the scenario's own, with its ends numbered."""
    writers, readers = (
        _ends(numbers, [known[name] for name in names]) for names in (given.writers, given.readers)
    )
    settled = {
        "writers": writers,
        "readers": readers,
        "echo": [end for end in readers if end.participant.name in given.echo],
        "arrivals": given.arrivals if given.rate_hz else "closed",
    }
    return PlannedFlow(
        **_fields(given) | settled,
        topic=f"busmark_flow_{given.name}",
        answers=f"busmark_echo_{given.name}",
        verify=params.verify,
        background=True,
        own=True,
    )


def _fields(given: declared.Participant | declared.Flow) -> dict[str, Any]:
    """Return what this version knows of one."""
    return {name: getattr(given, name) for name in type(given).model_fields}


def _of_case(params: Parameters) -> dict[str, Any]:
    """Return what all flows of the matrix have in common."""
    return {
        "arrivals": params.arrivals or "closed",
        "rate_hz": params.rate_hz or 0.0,
        "qos": params.qos,
        "payload": params.payload,
        "size": largest_size(params),
        "size_distribution": params.size_distribution,
        "body_file": params.body_file,
        "verify": params.verify,
        "instances": params.instances or 0,
        "filter_below": params.filter_below or 0,
    }


def _directed(
    params: Parameters,
    suffix: str,
    numbers: Iterator[int],
    senders: Sequence[PlannedParticipant],
    receivers: Sequence[PlannedParticipant],
) -> Iterator[PlannedFlow]:
    """Yield what goes from the senders to the receivers on one topic."""
    if params.test in SERVICES:
        yield _service(params, suffix, numbers, senders, receivers)
        return
    if params.test == "action":
        yield _action(params, suffix, numbers, senders, receivers)
        return
    if params.test != "latency":
        yield _stream(params, suffix, numbers, senders, receivers)
        return
    yield PlannedFlow(
        name=f"pings{suffix}",
        kind="pings",
        topic=f"busmark_ping{suffix}",
        answers=f"busmark_pong{suffix}",
        writers=_ends(numbers, senders),
        readers=_ends(numbers, receivers),
        **_of_case(params),
    )
    if params.stream_hz:
        background = params.changed(
            rate_hz=params.stream_hz,
            arrivals="constant",
            writers=1,
            readers=1,
            probe_every=0,
            batch=None,
            qos=params.stream_qos,
        )
        yield _stream(background, suffix, numbers, senders, receivers, background=True)


def _service(
    params: Parameters,
    suffix: str,
    numbers: Iterator[int],
    clients: Sequence[PlannedParticipant],
    servers: Sequence[PlannedParticipant],
) -> PlannedFlow:
    return PlannedFlow(
        name=f"requests{suffix}",
        kind="service",
        topic=f"busmark_service{suffix}",
        writers=_ends(numbers, clients, params.writers),
        readers=_ends(numbers, servers[:1]),
        outstanding=params.outstanding or MOST_OUTSTANDING,
        response_size=params.response_size,
        server_time_s=params.server_time_s or 0.0,
        server_times=params.server_times or "fixed",
        server_threads=params.server_threads or 1,
        reverses=params.reverses or 1,
        **_of_case(params),
    )


def _action(
    params: Parameters,
    suffix: str,
    numbers: Iterator[int],
    clients: Sequence[PlannedParticipant],
    servers: Sequence[PlannedParticipant],
) -> PlannedFlow:
    return PlannedFlow(
        name=f"goals{suffix}",
        kind="action",
        topic=f"busmark{suffix}",
        writers=_ends(numbers, clients, params.writers),
        readers=_ends(numbers, servers[:1]),
        outstanding=params.goals or MOST_GOALS,
        **_of_case(params),
    )


MOST_GOALS = 1000
"""Goals of a client at a rate that may be under way at a time."""

MOST_OUTSTANDING = 65_536
"""Requests of a client at a rate that may wait for a response at a time."""


def _stream(
    params: Parameters,
    suffix: str,
    numbers: Iterator[int],
    senders: Sequence[PlannedParticipant],
    receivers: Sequence[PlannedParticipant],
    *,
    background: bool = False,
) -> PlannedFlow:
    readers = _ends(numbers, receivers, params.readers)
    return PlannedFlow(
        name=f"{'batches' if params.batch else 'stream'}{suffix}",
        kind="batches" if params.batch else "stream",
        topic=f"busmark_stream{suffix}",
        # Nothing comes back on a topic without a name.
        answers=f"busmark_echo{suffix}" if params.probe_echo else "",
        writers=_ends(numbers, senders, params.writers),
        readers=readers,
        # Probes are written by the first participant: in a mesh the last one is another.
        echo=readers[-1:] if is_mesh(params) else [],
        probe_every=params.probe_every,
        batch=params.batch or 0,
        batch_ack=params.batch_ack or "ends",
        background=background,
        **_of_case(params),
    )


def _ends(
    numbers: Iterator[int], participants: Sequence[PlannedParticipant], each: int = 1
) -> list[End]:
    return [End(next(numbers), own) for own in participants for _ in range(each)]


def adapters_of(params: Parameters) -> list[str]:
    """Return the names of all adapters of a case, once."""
    own = (each.adapter for each in params.participants)
    return list(dict.fromkeys((params.adapter, params.peer or params.adapter, *own)))


def nodes_named(params: Parameters) -> list[str]:
    """Return nodes and groups of a case's participants, once; none where there are no nodes."""
    sides = (
        name
        for side in ("reader_on", "writer_on")
        for name in nodes_of(getattr(params, side) or "")
    )
    own = (each.on for each in params.participants)
    return list(dict.fromkeys(filter(None, (*sides, *own))))


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics that one participant writes and reads."""

    written: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


def topics(case: Flows) -> dict[str, Topics]:
    """Return the topics that each participant writes and reads, by its name."""
    found = {participant.name: Topics() for participant in case.participants}
    for flow in case.flows:
        if flow.kind == "existing":
            for end in flow.writers:
                own = found[end.participant.name]
                own.written.update(_existing(flow))
                own.read.update(_existing(flow))
            continue
        if flow.kind == "service":
            # Where the adapter has no services of its own, these carry them; the worker names them.
            requests, responses = (f"{flow.topic}_{what}" for what in ("request", "response"))
            for end in flow.writers:
                found[end.participant.name].written.add(requests)
                found[end.participant.name].read.add(responses)
            for end in flow.readers:
                found[end.participant.name].read.add(requests)
                found[end.participant.name].written.add(responses)
            continue
        if flow.kind == "action":
            _add_action(flow, found)
            continue
        for end in flow.writers:
            found[end.participant.name].written.add(flow.topic)
        for end in flow.readers:
            found[end.participant.name].read.add(flow.topic)
        answering = flow.readers if flow.kind == "batches" else flow.answering
        if not flow.answers or not answering:
            continue
        for end in answering:
            found[end.participant.name].written.add(flow.answers)
        # To one writer of a stream, to all that ping or send batches.
        for end in flow.writers[:1] if flow.kind == "stream" else flow.writers:
            found[end.participant.name].read.add(flow.answers)
    return found


ACTION_SERVICES, ACTION_TOPICS = ("send_goal", "get_result", "cancel_goal"), ("feedback", "status")
"""Parts of an action, as the worker names them."""


def _add_action(flow: PlannedFlow, found: dict[str, Topics]) -> None:
    """Add the topics of an action, and the topics of its services where those go by two topics."""
    back = {f"{flow.topic}_action_{part}" for part in ACTION_TOPICS}
    to = {f"{flow.topic}_action_{part}_request" for part in ACTION_SERVICES}
    back |= {f"{flow.topic}_action_{part}_response" for part in ACTION_SERVICES}
    for ends, written, read in ((flow.writers, to, back), (flow.readers, back, to)):
        for end in ends:
            found[end.participant.name].written.update(written)
            found[end.participant.name].read.update(read)


def _existing(flow: PlannedFlow) -> set[str]:
    """Return the topics of idle endpoints; a writer and a reader are on each."""
    return {f"{flow.topic}_{number // 2}" for number in range(flow.endpoints)}
