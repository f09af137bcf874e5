"""Parameters: what a case consists of, each declared once.

A field of `Parameters` is the only place that knows a parameter: its type and default, its column
in stored tables, its part in names of cases, its label, its role in comparisons, how its default
settles, what an adapter must be able to do for it. `PARAMETERS` is the same as a table, for whoever
goes through all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from busmark.model import settling
from busmark.model.entry import SERVED, SERVICES
from busmark.model.flow import Flow, Participant, TimelineChange
from busmark.model.parameter import (
    AUTO,
    Burst,
    Bytes,
    Count,
    Declared,
    Few,
    Kind,
    Length,
    Minute,
    Options,
    P,
    Parameter,
    PayloadKind,
    Priority,
    Rate,
    Role,
    Seconds,
    Security,
    Several,
    Size,
    Test,
    Text,
    WaitStrategy,
    Whole,
    Word,
    WorkloadName,
)
from busmark.model.settling import UNSTATED


@dataclass(frozen=True, slots=True)
class Capability:
    """A value of a policy that adapters declare, named as in the contract."""

    name: str
    meaning: str
    tests: tuple[str, ...]
    """Tests of the conformance suite that show it."""


@dataclass(frozen=True, slots=True)
class Policy(Parameter):
    """A parameter that is a QoS policy, with its further properties."""

    role: Role = "choice"
    capabilities: tuple[Capability, ...] = ()
    change: Any = None
    """Type of a value that a timeline may change it to; None: no endpoint in use changes it."""
    change_shows: bool = False
    """Whether the conformance suite sees the effect of a change; else only that it is accepted."""
    drops: Literal["always", "changed"] | None = None
    """When reliable samples are left out because of it: always, or where a timeline changes it."""
    unless_asked: float | None = None
    """Value of an endpoint for which none is asked, in a policy by which a reader matches only
    writers that offer at most its own value; None: not such a policy."""


def _table(value: Any) -> Any:
    """Decode QoS that is stored as JSON text; leave other text unchanged, which is then refused."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


class Parameters(Declared):
    """The parameters of a case, all defaults settled.

    One that a stored result does not state has its default, and is neither in what `declared`
    returns nor stored. Parameters of a newer Busmark are kept. Fields stand in the order of
    columns, and of the dimensions of a matrix, of which the last varies first.
    """

    # fmt: off
    test: Annotated[Test, P(
        "latency, throughput, capacity, discovery, service, service-capacity or action",
        apart=True, named=False, asked=Test, initial="latency",
        meaning="what is measured")] = "latency"
    adapter: Annotated[Word, P(
        "name of the adapter", apart=True, named=False, asked=Word,
        meaning="names as in `busmark adapters`; `one|another`: the first that is here")] = ""
    peer: Annotated[Word | None, P(
        "adapter of the responder or receiver; null: the same", role="choice", apart=True,
        leads=("peer_transport", "peer_wait", "peer_settings"), asked=Word, initial="same",
        meaning="adapter of the other side, which answers pings or receives the stream; same: "
        "the same",
        settle=lambda value, point: None if value in ("same", point["adapter"]) else value)] = None
    transport: Annotated[Word, P(
        "transport of the adapter", role="choice", settled=True, of_adapter=True, asked=Word,
        initial="default", meaning="of the adapter; default: its first",
        settle=settling.transport)] = ""
    peer_transport: Annotated[Word | None, P(
        "transport of the peer; null where it is the same adapter", role="choice",
        label="transport of the peer", follows=("adapter", "peer", "transport"), of_adapter=True,
        asked=Word, initial="same", settle=settling.peer_transport,
        meaning="transport of another adapter on the other side; same: as `transport`")] = None
    profile: Annotated[Word, P(
        "default or tuned", role="choice", asked=Literal["default", "tuned"], initial="default",
        meaning="default: as the vendor ships it")] = "default"
    socket_buffers: Annotated[Word, P(
        "os or tuned", role="choice", suffix="buffers", rare=True, needs="options",
        label="socket buffers", asked=Literal["os", "tuned"], initial="os",
        meaning="os: buffers of sockets as the vendor and the system set them; tuned: as large as "
        "the system grants (net.core.rmem_max and wmem_max), at most 4 MiB")] = "os"
    workload: Annotated[Word | None, P(
        "name of the workload; null: it has none", rare=True, asked=WorkloadName, initial="",
        meaning="name of what is sent, such as Imu: in names of cases, headings and charts it "
        "stands for size, rate, QoS and whatever else all cases of this name have in common; "
        "empty: none")] = None
    payload: Annotated[Word, P(
        "kind of the body's elements", asked=PayloadKind, initial="octet",
        meaning="kind of elements; type: one value of your own type, from `measure.body_file`, "
        "in an adapter that `busmark type build` has made")] = "octet"
    size: Annotated[Size | None, P(
        "body of a sample, without the 64-byte header", "B", apart=True, suffix="B",
        asked=Bytes | Word, initial=64,
        meaning="bytes of the body, without the 64-byte header; or a distribution of them: "
        "uniform(64, 4096), lognormal(512, 1.0) (median, σ of the logarithm), choice(64, 64, "
        "1024); or file: as many as `measure.body_file` has", settle=settling.size)] = None
    wait: Annotated[Word, P(
        "listener, waitset or poll", role="choice", settled=True, asked=WaitStrategy,
        initial="default", meaning="how readers wait; default: the adapter's first",
        settle=settling.wait)] = ""
    placement: Annotated[Word, P(
        "same, different, free, or the CPUs by number; unstated: an imported source does not say",
        apart=True, settled=True, asked=Word, initial="same",
        meaning="same: all on one CPU; different: one CPU each; free: wherever the scheduler "
        "puts them; or CPU numbers such as 0+1")] = "free"
    fifo: Annotated[Count, P(
        "SCHED_FIFO priority of the participants; 0: ordinary scheduling", role="choice",
        suffix="fifo", label="real-time priority", asked=Priority | Literal["default"],
        initial="default",
        meaning="SCHED_FIFO priority of all participants; 0: ordinary scheduling; default: as "
        "`run.fifo`",
        settle=lambda value, point: point.world.fifo if value == "default" else value)] = 0
    peer_fifo: Annotated[Count | None, P(
        "SCHED_FIFO priority of the subscribers; null: the same", role="choice",
        suffix="peerfifo", label="real-time priority of subscribers",
        asked=Priority | Literal["same"], initial="same",
        meaning="the same of the subscribers alone, which answer pings or receive the stream",
        settle=lambda value, point: None if value in ("same", point["fifo"]) else value)] = None
    security: Annotated[Word | None, P(
        "security profile of the participants, or none; null: none, and the scenario does not "
        "speak of it", role="choice", settled=True, asked=Security, initial="none",
        meaning="what is protected: of DDS Security authentication to all; tls or curve where "
        "the middleware has these; none. See `[security]`",
        words={
            "all": "all protected", "discovery": "discovery protected", "rtps_sign": "RTPS signed",
            "rtps_encrypt": "RTPS encrypted", "data_sign": "data signed",
            "data_encrypt": "data encrypted", "metadata_encrypt": "metadata encrypted",
            "tls": "TLS", "curve": "CURVE"},
        settle=lambda value, point: value if point.world.secured else UNSTATED)] = None
    rate_hz: Annotated[Rate | None, P(
        "intended rate; null in a closed loop or at full speed", "1/s", suffix="Hz",
        asked=Annotated[float, Field(ge=0, le=1e9)], initial=0.0,
        meaning="samples per second at intended times; 0: closed loop, or full speed; in a "
        "discovery test 1000", settle=settling.rate_hz)] = None
    arrivals: Annotated[Word | None, P(
        "closed, constant or poisson; paced: an imported source sent at a rate, and counted "
        "from the actual sending", follows=("rate_hz",), asked=Literal["constant", "poisson"],
        initial="constant", meaning="of an open loop",
        words={"closed": "as fast as possible", "constant": "at constant intervals",
               "poisson": "at random intervals (Poisson)", "paced": "at a rate"},
        settle=lambda value, point: "closed" if point["rate_hz"] is None else value)] = "closed"
    ends_after: Annotated[Count | None, P(
        suffix="samples", label="samples of a round", rare=True,
        asked=Annotated[int, Field(ge=0, le=10**12)], initial=0,
        meaning="a round's samples, after which it ends; 0: as `measure.samples` has it")] = None
    topics: Annotated[Few, P(
        "topics at once", suffix="topics", asked=Several, initial=1,
        meaning="topics at once, each with endpoints of its own")] = 1
    writers: Annotated[Few, P(
        "writers of each topic in each publisher", suffix="writers", asked=Several, initial=1,
        meaning="writers of each topic in each publisher (throughput)")] = 1
    readers: Annotated[Few, P(
        "readers of each topic in each subscriber", suffix="readers", asked=Several, initial=1,
        meaning="readers of each topic in each subscriber (throughput)")] = 1
    publishers: Annotated[Few | None, P(
        "participants that ping or write; null: applications", suffix="publishers", asked=Several,
        initial=1,
        meaning="participants that ping or write, each a process of its own; in a latency test "
        "they are clients of the same servers",
        settle=lambda value, point: None if point["applications"] else value)] = 1
    subscribers: Annotated[Few | None, P(
        "participants that answer or read; null: applications", suffix="subscribers",
        asked=Several, initial=1,
        meaning="participants that answer or read; a ping is over when each of them has answered",
        settle=lambda value, point: None if point["applications"] else value)] = 1
    topology: Annotated[Word, P(
        "one_way, bidirectional, or mesh: applications",
        asked=Literal["one_way", "bidirectional"], initial="one_way",
        meaning="bidirectional: every participant is publisher and subscriber at once",
        settle=lambda value, point: "mesh" if point["applications"] else value)] = "one_way"
    applications: Annotated[Few | None, P(
        "participants on each node that write and read every topic; null: publishers and "
        "subscribers", suffix="applications", asked=Annotated[int, Field(ge=0, le=1000)],
        initial=0, settle=lambda value, _: value or UNSTATED,
        meaning="a mesh: this many participants on each node, each with `writers` writers and "
        "`readers` readers of every topic, all of which reach all, their own included "
        "(throughput); 0: publishers and subscribers")] = None
    batch: Annotated[Count | None, P(
        "samples of a batch; null where the stream runs free", suffix="batch",
        asked=Annotated[int, Field(ge=0, le=10**9)], initial=0,
        meaning="samples of a batch, which is announced, started and ended, each with the "
        "acknowledgement of every reader (throughput); 0: the stream runs free")] = None
    batch_ack: Annotated[Word | None, P(
        "what readers acknowledge of a batch: ends, or each: every sample too; null without "
        "batches", label="acknowledged", asked=Literal["ends", "each"], initial="ends",
        meaning="what readers acknowledge of a batch: ends: its announcement, start and end; "
        "each: every sample too, before the next is written",
        settle=lambda value, point: value if point["batch"] else None)] = "ends"
    stream_hz: Annotated[Rate | None, P(
        "rate of a background stream; null: none", "1/s", suffix="Hzstream",
        label="background stream", asked=Annotated[float, Field(ge=0, le=1e9)], initial=0.0,
        meaning="samples per second of a background stream, from every publisher to every "
        "subscriber, of the same size (latency); 0: none")] = None
    instances: Annotated[Count | None, P(
        "instances of a keyed topic; null without a key", suffix="instances", needs="keys",
        asked=Annotated[int, Field(ge=0, le=1000000)], initial=0,
        meaning="instances of a keyed topic, written in turn; 0: no key")] = None
    filter_below: Annotated[Count | None, P(
        "readers ask for instances below this; null: for all", suffix="filter",
        needs="content_filter", asked=Annotated[int, Field(ge=0, le=1000000)], initial=0,
        meaning="readers take only the instances below this (throughput); 0: all")] = None
    new: Annotated[Word | None, P(
        "which endpoint is new, writer or reader; null but in a discovery test",
        asked=Literal["writer", "reader"], only=("discovery",), initial="writer",
        meaning="which endpoint is new, again and again; the other is there already (discovery)",
        settle=settling.of_discovery)] = None
    creates: Annotated[Word | None, P(
        "what is created with it: entity (nothing), publisher or participant; null likewise",
        asked=Literal["entity", "publisher", "participant"], only=("discovery",), initial="entity",
        meaning="what is created each time: entity: the writer or reader alone; publisher: with "
        "its publisher or subscriber; participant: with its participant (discovery)",
        settle=settling.of_discovery)] = None
    existing: Annotated[Count | None, P(
        "endpoints that are there already; null likewise", suffix="existing",
        label="existing endpoints", asked=Annotated[int, Field(ge=0, le=10000)],
        only=("discovery",), initial=0,
        meaning="endpoints of a further participant that are there already: a writer and a "
        "reader on each of half as many topics; with [[participant]], spread over these "
        "(discovery)", settle=settling.of_discovery)] = None
    clients: Annotated[Few | None, P(
        "participants that call the service, or send goals; null in other tests", suffix="clients",
        asked=Several, only=SERVED, initial=1,
        meaning="participants that call the service, or send goals, each a process of its own "
        "(service, action)", settle=settling.clients)] = None
    outstanding: Annotated[Few | None, P(
        "requests of a client that wait for a response at a time; null at a rate, and likewise",
        suffix="outstanding", label="requests under way of each client",
        asked=Annotated[int, Field(ge=1, le=65536)], only=("service",), initial=1,
        meaning="requests of each client that wait for a response at a time, in a closed loop "
        "(service)", settle=settling.outstanding)] = None
    response_size: Annotated[Size | None, P(
        "body of a response, without the 64-byte header; null: as large as the request, and "
        "likewise", "B", suffix="Bresponse", label="size of a response",
        asked=Bytes | Literal["same"], only=SERVICES, initial="same",
        meaning="bytes of the body of a response; same: as many as the request has (service)",
        settle=settling.response_size)] = None
    server_time_s: Annotated[Seconds | None, P(
        "time that the server works on a request; null: none, and likewise", "s",
        suffix="sserver", label="work on a request",
        asked=Annotated[float, Field(ge=0, le=60)], only=SERVICES, initial=0.0,
        meaning="how long the server works on a request; of a distribution its mean. It sleeps, "
        "and spins for the last 80 µs (service)",
        settle=settling.server_time)] = None
    server_times: Annotated[Word | None, P(
        "fixed or exponential; null without work", label="times of work",
        asked=Literal["fixed", "exponential"], only=SERVICES, initial="fixed",
        meaning="how the times of work are distributed (service)",
        settle=settling.server_times)] = None
    server_threads: Annotated[Few | None, P(
        "threads that take, work and respond; null but in a service test",
        suffix="serverthreads", label="threads of the server", asked=Several,
        only=SERVICES, initial=1,
        meaning="threads of the server, each of which takes a request, works on it and responds "
        "(service)", settle=settling.of_service)] = None
    reverses: Annotated[Few | None, P(
        "requests that a thread takes at a time, before it answers the last of them first; null "
        "but in a service test", suffix="reversed", label="requests answered in reverse",
        asked=Annotated[int, Field(ge=1, le=64)], only=SERVICES, initial=1,
        meaning="requests that a thread of the server takes at a time, before it answers the last "
        "of them first; 1: in the order of arrival (service)",
        settle=settling.of_service)] = None
    goals: Annotated[Few | None, P(
        "goals of a client that are under way at a time; null at a rate, and but in an action test",
        suffix="goals", label="goals under way of each client",
        asked=Annotated[int, Field(ge=1, le=1000)], only=("action",), initial=1,
        meaning="goals of each client that are under way at a time, in a closed loop (action)",
        settle=settling.goals)] = None
    goal_time_s: Annotated[Seconds | None, P(
        "time that a goal is under way; null but in an action test", "s", suffix="sgoal",
        label="time of a goal", asked=Annotated[float, Field(ge=0, le=60)], only=("action",),
        initial=0.1, meaning="how long a goal is under way, unless it is cancelled (action)",
        settle=settling.of_action)] = None
    feedback_hz: Annotated[Rate | None, P(
        "feedback messages of a goal per second; null likewise", "1/s", suffix="Hzfeedback",
        label="feedback", asked=Annotated[float, Field(ge=0, le=1e5)], only=("action",),
        initial=100.0,
        meaning="feedback messages of each goal per second, the first at once; 0: none (action)",
        settle=settling.of_action)] = None
    cancel_every: Annotated[Count | None, P(
        "one goal in this many is cancelled; null: none, and likewise", suffix="cancel",
        label="one goal cancelled in", asked=Annotated[int, Field(ge=0, le=10**6)],
        only=("action",), initial=0,
        meaning="one goal in this many is cancelled by its client, after half of its time; 0: none "
        "(action)", settle=settling.cancel_every)] = None
    qos: Annotated[Options, BeforeValidator(_table), P(
        "QoS as asked for, JSON", role="choice", settle=settling.qos)] = Field(default={})
    writer_on: Annotated[Word | None, P(
        "nodes of the publishers, joined by +; null without a lab", asked=Word, initial="n1",
        meaning="node of the publishers, or a group of nodes; several, taken in turn: n1+n2. By "
        "default the lab's n1, or the first of [nodes]", settle=settling.nodes)] = None
    reader_on: Annotated[Word | None, P(
        "nodes of the subscribers, joined by +; null without a lab", asked=Word, initial="n2",
        meaning="node of the subscribers, or a group of nodes; several, taken in turn: n2+n3. "
        "By default the lab's n2, or the second of [nodes]", settle=settling.nodes)] = None
    link_rate: Annotated[Word | None, P(
        "rate of the lab's links, as asked for; null: no limit", asked=str, initial="",
        meaning="of what each node sends, such as 100mbit")] = None
    link_loss: Annotated[Word | None, P(
        "share of packets that they lose, as asked for; null: none", suffix="loss", asked=str,
        initial="", meaning="share of packets lost at random, such as 1%")] = None
    link_delay: Annotated[Word | None, P(
        "delay between any two nodes, as asked for; null: none", suffix="delay", asked=str,
        initial="", meaning="from any node to any other, such as 2ms")] = None
    link_jitter: Annotated[Word | None, P(
        "greatest deviation from it, as asked for; null: none", suffix="jitter", asked=str,
        initial="", meaning="greatest deviation from the delay, such as 0.2ms")] = None
    link_burst: Annotated[Burst | None, P(
        "packets lost in a row, as asked for; null: one by one", rare=True, suffix="burst",
        asked=Annotated[float, Field(ge=0, le=10000)], initial=0.0,
        meaning="packets that are lost in a row, on average; 0: each is lost or not by itself",
    )] = None
    link_reassembly: Annotated[Word | None, P(
        "tuned where nodes reassemble IP fragments so; else null", rare=True,
        asked=Literal["default", "tuned"], initial="default",
        meaning="how the nodes' kernels wait for IP fragments; tuned: net.ipv4.ipfrag_time = 3, "
        "ipfrag_high_thresh = 128 MiB")] = None
    load: Annotated[Word | None, P(
        "background load, as asked for; null: none", asked=Word, initial="",
        meaning="background load: cpu 80%, net 50mbit, disk 10MB; several at once: cpu 50% + "
        "net 50mbit; without a limit: net max; empty: none. See `busmark load`")] = None
    load_on: Annotated[Word | None, P(
        "the user's nodes on which it runs, as asked for; null: default", asked=Word, initial="",
        meaning="nodes of [nodes] on which the load runs: several as n1+n2, which of a network "
        "load are sender and receiver. By default CPUs and disks of all that take part, and the "
        "network between two others, or from the writer's node to the reader's",
        settle=lambda value, point: (point["load"] and value) or None)] = None
    background: Annotated[Word | None, P(
        "flows of the scenario in the background of the measured ones; null: none", named=False,
        label="background flows", asked=Word, initial="all",
        meaning="which of the [[flow]]s run in the background: their names, several as "
        "humidity+altitude; all; or none")] = None
    size_distribution: Annotated[Word | None, P(
        "distribution of sizes, of which size is the mean",
        settle=settling.size_distribution)] = None
    timeline: Annotated[Word | None, P(
        "what changes in the middle of every round, see the table `changes`; null: nothing",
        named=False)] = None
    stream_qos: Annotated[Options, BeforeValidator(_table), P(
        role="derived", named=False, settle=settling.stream_qos)] = Field(default={})
    settings: Annotated[Options, P(role="choice", of_adapter=True)] = Field(default={})
    peer_settings: Annotated[Options | None, P(
        role="choice", of_adapter=True,
        settle=lambda value, point: value if point["peer"] else None)] = None
    peer_wait: Annotated[Word | None, P(
        "wait strategy of the peer; null where it is the same adapter", apart=True, named=False,
        settle=settling.peer_wait)] = None
    network: Annotated[Word | None, P(named=False, settle=settling.network)] = None
    deployment: Annotated[Word | None, P(
        role="choice", named=False, of_adapter=True, settle=settling.deployment)] = None
    resident_counts: Annotated[bool, P(
        role="described", named=False, settle=settling.resident_counts)] = False
    participants: Annotated[list[Participant], P(role="described", named=False)] = Field(default=[])
    flows: Annotated[list[Flow], P(role="described", named=False)] = Field(default=[])
    chosen_flows: Annotated[Word | None, P(role="described", suffix="background")] = None
    changes: Annotated[list[TimelineChange], P(role="described", named=False)] = Field(default=[])
    side: Annotated[Word | None, P(role="choice", leads=("side_environment", "side_prefix"))] = None
    side_environment: Annotated[Text | None, P(apart=True, named=False)] = None
    side_prefix: Annotated[Text | None, P(apart=True, named=False)] = None
    duration_s: Annotated[Seconds | None, P(
        role="effort", measure=Length, initial=2.0, setup="schedule",
        meaning='length of the measured time; "auto": the run chooses it for each case, so that '
        "`rounds.target` is reached in the least time",
        settle=lambda value, _: None if value == AUTO else value)] = None
    warmup_s: Annotated[Seconds, P(
        role="effort", measure=Annotated[float, Field(ge=0, le=600)], initial=0.5,
        setup="schedule", meaning="time before it, discarded")] = 0.0
    samples: Annotated[Count, P(
        role="effort", named=False, measure=Annotated[int, Field(ge=0, le=10**12)], initial=0,
        setup="schedule", meaning="end after this many samples; 0: by time only",
        settle=lambda value, point: point["ends_after"] or value)] = 0
    max_samples: Annotated[Count, P(
        measure=Annotated[int, Field(ge=10, le=50_000_000)], initial=200_000,
        meaning="rows recorded per round; the measurement ends when they are full")] = 200_000
    probe_every: Annotated[Count, P(
        role="effort", named=False, measure=Annotated[int, Field(ge=0, le=10**9)], initial=1000,
        meaning="in a throughput test one sample in this many, at random, is a latency probe",
        settle=lambda value, point: value if point.has_probes else 0)] = 0
    interval_s: Annotated[Seconds, P(
        role="effort", measure=Minute, initial=0.1, setup="role",
        meaning="length of an interval counter; longer in cases with many writers and readers "
        "and long rounds, if all counters would need more than 64 MB")] = 0.1
    timeout_s: Annotated[Seconds, P(
        measure=Minute, initial=1.0, setup="schedule",
        meaning="a ping without an answer for this time counts as lost")] = 1.0
    verify: Annotated[bool, P(
        measure=bool, initial=False, setup="stream",
        meaning="compare every body with what was written (costs time per byte)")] = False
    body_file: Annotated[Text | None, P(
        measure=str, initial="", setup="stream",
        meaning="file whose bytes are in the bodies, over and over; empty: a pattern. For the "
        "payload kinds octet, any and type",
        settle=lambda value, _: str(Path(value).absolute()) if value else None)] = None
    echo_source: Annotated[bool, P(
        role="effort", named=False, measure=bool, initial=False,
        meaning="of pings: also record when the write of each pong returned, the segment echo "
        "source (costs the responder one more reading of the clock, after the write)",
        settle=lambda value, point: (value and point["test"] == "latency") or UNSTATED)] = False
    probe_echo: Annotated[bool, P(
        named=False, measure=bool, initial=True,
        meaning="whether a reader echoes probes of a throughput test, so that they have a round "
        "trip; false: it stamps their arrival, and nothing of Busmark's goes the other way",
        settle=lambda value, point: False if point.has_probes and not value else UNSTATED)] = True
    statistic: Annotated[Word, P(role="effort", named=False, settle=settling.statistic)] = "median"
    chosen_s: Annotated[Seconds | None, P(role="described", named=False)] = None
    record_every: Annotated[Count | None, P(role="described", named=False)] = None
    seed: Annotated[Count, P(role="effort")] = 0
    # fmt: on

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, values: Any) -> Any:
        """Return the values without nulls of parameters that cannot be null."""
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

    def declared(self) -> dict[str, Any]:
        """Return the values that are stated, by name, as they are stored."""
        return self.model_dump()

    @property
    def length_s(self) -> float:
        """The measured time.

        Raises:
            ValueError: the run is to choose it, and has not yet.
        """
        if self.duration_s is None:
            raise ValueError("the measured time is not chosen yet")
        return self.duration_s

    @property
    def active(self) -> int:
        """Number of participants of the matrix that ping, write or call a service; 0: applications
        do."""
        return self.clients or self.publishers or 0

    @property
    def security_profile(self) -> str | None:
        """The security profile of the case; None where it is unsecured."""
        return None if self.security in (None, "none") else self.security

    @property
    def attachments(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Adapter, transport and options of both sides, and of the scenario's own participants."""
        found = [(self.adapter, self.transport, self.settings)]
        if self.peer is not None:
            found.append((self.peer, self.peer_transport or "", self.peer_settings or {}))
        own = ((each.adapter, each.transport, each.settings) for each in self.participants)
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


Above = Annotated[float, Field(gt=0, le=1e9)]
Signed = Annotated[int, Field(ge=-(2**31), lt=2**31)]

QOS = (
    Policy(
        name="qos.reliability", label="reliability", settled=True, alone=True,
        needs={"reliable": "reliable", "best_effort": "best_effort"},
        switch=("reliable", "reliable"),
        asked=Literal["reliable", "best_effort", "default"], initial="default",
        meaning="whether lost samples are sent again",
        capabilities=(
            Capability("best_effort", "reliability: lost samples stay lost", (
                "c08_best_effort_delivers", "c08_best_effort_loses_on_a_lossy_network")),
            Capability("reliable", "reliability: lost samples are sent again", (
                "c08_reliable_delivers_every_sample_in_order",
                "c08_reliable_loses_nothing_on_a_lossy_network")))),
    Policy(
        name="qos.history", label="history", leads=("qos.depth",), settled=True, alone=True,
        needs={"keep_all": "keep_all", "keep_last": "keep_last"},
        switch=("keep_all", "keep_all"),
        asked=Literal["keep_all", "keep_last", "default"], initial="default",
        meaning="how many samples writer and reader keep",
        capabilities=(
            Capability("keep_last", "history: the last samples only", (
                "c08_keep_last_keeps_the_last_samples_only",
                "c08_keep_last_counts_what_wait_has_fetched")),
            Capability("keep_all", "history: all samples", ("c08_keep_all_keeps_all_samples",)))),
    Policy(
        name="qos.depth", label="depth", follows=("qos.history", "publishers", "subscribers"),
        settled=True, asked=Annotated[int, Field(ge=1, lt=2**31)], initial=1,
        meaning="samples kept with `keep_last`"),
    Policy(
        name="qos.durability", label="durability", alone=True,
        needs={"volatile": "volatile", "transient_local": "transient_local"},
        switch=("transient_local", "transient_local"),
        asked=Literal["volatile", "transient_local", "default"], initial="default",
        meaning="whether a late reader gets earlier samples",
        capabilities=(
            Capability("volatile", "durability: nothing for late readers", (
                "c08_volatile_gives_a_late_reader_no_history",)),
            Capability("transient_local", "durability: late readers get the writer's history", (
                "c08_transient_local_gives_a_late_reader_the_history",)))),
    Policy(
        name="qos.lifespan_s", needs="lifespan", asked=Seconds, initial=0.0, change=Above,
        change_shows=True, drops="always",
        meaning="older samples are not delivered; 0: not asked for",
        capabilities=(
            Capability("lifespan", "old samples expire", (
                "c08_lifespan_lets_old_samples_expire",)),)),
    Policy(
        name="qos.deadline_s", needs="deadline", asked=Seconds, initial=0.0, change=Above,
        change_shows=True, unless_asked=inf,
        meaning="a longer pause is counted as missed; 0: not asked for",
        capabilities=(
            Capability("deadline", "a missed deadline is counted", (
                "c08_a_missed_deadline_is_counted",)),)),
    Policy(
        name="qos.latency_budget_s", needs="latency_budget", asked=Seconds, initial=0.0,
        change=Seconds, unless_asked=0.0,
        meaning="delay that the middleware may use, for batching; 0: not asked for",
        capabilities=(
            Capability("latency_budget", "delay that may be used for batching", (
                "c08_latency_budget_gathers_samples",)),)),
    Policy(
        name="qos.transport_priority", needs="transport_priority", asked=Signed, initial=0,
        change=Signed, meaning="priority on the wire; 0: not asked for",
        capabilities=(
            Capability("transport_priority", "priority on the wire", (
                "c08_transport_priority_marks_packets",)),)),
    Policy(
        name="qos.partition", needs="partition", asked=Word, initial="", change=Word,
        change_shows=True, drops="changed",
        meaning='only endpoints of the same partition match; "": not asked for',
        capabilities=(
            Capability("partition", "only endpoints of one partition match", (
                "c08_partitions_separate",)),)),
    Policy(
        name="qos.ownership_strength", needs="ownership_strength", asked=Whole, initial=0,
        change=Whole, change_shows=True, drops="changed",
        meaning="exclusive ownership with this strength; 0: not asked for",
        capabilities=(
            Capability("ownership_strength", "exclusive ownership: the strongest writer is heard", (
                "c08_the_strongest_owner_alone_is_heard",)),)),
    Policy(
        name="qos.destination_order", needs={"source": "order_by_source"},
        switch=("order_by_source", "source"),
        asked=Literal["reception", "source", "default"], initial="default",
        meaning="order by reception or by the writer's time stamp",
        capabilities=(
            Capability("order_by_source", "destination order by the writer's time stamp", (
                "c08_order_by_source_keeps_the_order_of_writing",
                "c08_order_by_source_sorts_what_comes_late")),)),
    Policy(
        name="qos.max_samples", needs="resource_limits", asked=Whole, initial=0,
        meaning="bound on stored samples; 0: not asked for",
        capabilities=(
            Capability("resource_limits", "bound on stored samples", (
                "c08_resource_limits_bound_what_is_stored",)),)),
    Policy(
        name="qos.time_based_filter_s", needs="time_based_filter", asked=Seconds, initial=0.0,
        change=Seconds, drops="always",
        meaning="least time between two samples at the reader; 0: not asked for",
        capabilities=(
            Capability("time_based_filter", "least time between two samples at the reader", (
                "c08_a_time_based_filter_thins_the_stream",)),)),
    Policy(
        name="qos.liveliness_lease_s", needs="liveliness_lease", asked=Seconds, initial=0.0,
        unless_asked=inf,
        meaning="a writer that shows no sign of life for longer counts as gone; 0: never",
        capabilities=(
            Capability("liveliness_lease", "a writer without a sign of life counts as gone", (
                "c08_a_reader_hears_writers_of_its_liveliness_lease",)),)),
)  # fmt: skip
"""Policies of QoS."""

PARAMETERS = (*_parameters(Parameters), *QOS)
"""All parameters, in the order in which they are shown; policies last."""

STORED = tuple(each for each in PARAMETERS if each.column)
"""Parameters with a column of their own, in the order of the columns."""

POLICIES = {each.name.removeprefix("qos."): each for each in QOS}
"""QoS policies by name."""

CAPABILITIES = tuple(each for policy in QOS for each in policy.capabilities)
"""Values of policies that adapters declare, in the order of the contract."""

BY_NAME = {each.name: each for each in PARAMETERS}

ASKED = tuple(each for each in PARAMETERS if each.asked is not None)
"""Parameters that a scenario can ask for."""

MEASURE = tuple(
    replace(each, asked=each.measure) for each in PARAMETERS if each.measure is not None
)
"""Parameters that are keys of `[measure]`, with their types there."""

DEFAULTS = {
    each.name: each.default for each in PARAMETERS if each.default not in (None, "", {}, [], False)
}
"""Values of a case that states nothing, where these are not empty. They are also the values that
were measured before the parameters existed."""


def _completed(own: Parameter) -> Parameter:
    """Return a row of a flow, participant or change; what it leaves open is as for cases."""
    case = BY_NAME.get(own.name, own)
    asked = own.asked or case.asked
    optional = type(None) in get_args(asked)
    return replace(
        own,
        asked=asked,
        initial=case.initial if own.initial is None and not optional else own.initial,
        meaning=own.meaning or case.meaning,
    )


PARTICIPANT, FLOW, CHANGE = (
    tuple(map(_completed, _parameters(of))) for of in (Participant, Flow, TimelineChange)
)
"""Rows of what a `[[participant]]`, a `[[flow]]` and a `[[timeline]]` have."""


def having(role: Role) -> frozenset[str]:
    """Return the names of the parameters of a role."""
    return frozenset(each.name for each in PARAMETERS if each.role == role)
