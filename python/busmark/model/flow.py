"""What a scenario adds to the cases of its matrix: flows, participants, changes while they run.

A field is the only place that knows a parameter of a flow, a participant or a change, as a field of
`Parameters` is for a case: its type and default in a case, and what a scenario may ask for. What a
row here leaves open is as in the row of the same name of `Parameters`; a field without a row is not
asked for, or its table of the scenario has a form of its own for it.
"""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from busmark.model.parameter import (
    Bytes,
    Count,
    Declared,
    ElementKind,
    Identifier,
    Options,
    P,
    Priority,
    Seconds,
    Word,
)

End = TypeVar("End")
"""Type by which a flow names its writers and readers."""

FlowKind = Literal["pings", "stream", "batches", "service", "action", "discovery", "existing"]


class Participant(Declared):
    """Attaches to the middleware once, with settings of its own."""

    # fmt: off
    name: Annotated[Word, P(
        asked=Identifier, meaning="in flows and results; active and passive are the matrix's own")]
    adapter: Annotated[Word, P(
        initial="", meaning="as in `busmark adapters`; empty: the adapter of the case")]
    transport: Annotated[Word, P(
        meaning="transport of the adapter; default: as the case or its peer has it, for another "
        "adapter its first")]
    wait: Word
    settings: Options
    """Options of the adapter."""
    on: Annotated[Word | None, P(
        asked=Word, initial="",
        meaning="node of the lab or of [nodes]; several, taken in turn: n2+n3. Needed where there "
        "are nodes")] = None
    cpus: Annotated[Word | None, P(
        asked=Annotated[str, Field(pattern=r"^(\d+(\+\d+)*)?$")], initial="",
        meaning="numbers of CPUs such as 0+1; empty: wherever the scheduler puts it, also where "
        "the participants of the matrix have a CPU each")] = None
    fifo: Annotated[Count, P(
        asked=Priority | None,
        meaning="SCHED_FIFO priority; 0: ordinary scheduling. By default as in the case")]
    server: Annotated[Count, P(
        asked=Annotated[int, Field(ge=0, le=8)], initial=0,
        meaning="number of the server, such as an agent of DDS-XRCE, at which it meets the others; "
        "0: the first; with the adapter's option agents = 2, the first for what pings or writes, "
        "the second for others")] = 0
    # fmt: on


class Traffic(Declared, Generic[End]):
    """A flow: everything that goes from every writer to every reader on one topic."""

    # fmt: off
    name: Annotated[Word, P(asked=Identifier, meaning="of the flow in results")]
    writers: Annotated[list[End], P(
        asked=list[Identifier], initial=["active"],
        meaning="participants that write; each has a writer. []: readers of a stream wait for "
        "what nobody writes")]
    readers: Annotated[list[End], P(
        asked=list[Identifier], initial=["passive"],
        meaning="participants that read, from all writers; one that also writes reads its own "
        "samples, too. []: a stream that nobody reads")]
    rate_hz: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False), P(
        asked=Annotated[float, Field(ge=0, le=1e9)] | None,
        meaning="samples per second of each writer, at intended times; 0: a stream at full speed, "
        "or pings in a closed loop, as pings are without it. A stream needs it, batches have "
        "none")]
    arrivals: Annotated[Word, P(meaning="times between two samples, where there is a rate")]
    payload: Annotated[Word, P(asked=ElementKind, meaning="kind of elements")]
    size: Annotated[Count, P(
        asked=Bytes, meaning="bytes of the body, without the 64-byte header")]
    """Largest size, where sizes vary."""
    qos: Options
    kind: FlowKind = "stream"
    echo: Annotated[list[End], P(
        asked=list[Identifier], initial=[],
        meaning="the readers that answer; the others only read. By default all answer pings, and "
        "the first echoes the probes of a stream")] = Field(default=[])
    probe_every: Annotated[Count, P(
        asked=Annotated[int, Field(ge=0, le=10**9)], initial=0,
        meaning="one in this many samples of a stream's first writer, at random, is a latency "
        "probe, which a reader echoes; 0: none")] = 0
    batch: Annotated[Count, P(meaning="samples of a batch")] = 0
    batch_ack: Annotated[Word, P(
        meaning="what readers acknowledge of a batch: begin and end, or each sample too")] = "ends"
    outstanding: Annotated[Count, P(
        only=("service",),
        asked=Annotated[int, Field(ge=1, le=65536)], initial=1,
        meaning="requests of each client of a service that wait for a response at a time, in a "
        "closed loop")] = 1
    response_size: Annotated[Count | None, P(
        only=("service",),
        asked=Bytes | None, meaning="bytes of the body of a response; by default as of the "
        "request")] = None
    server_time_s: Annotated[Seconds, P(
        only=("service",),
        asked=Annotated[float, Field(ge=0, le=60)], initial=0.0,
        meaning="how long the server works on a request; of a distribution its mean")] = 0.0
    server_times: Annotated[Word, P(
        only=("service",),
        asked=Literal["fixed", "exponential"], initial="fixed",
        meaning="how the times of work are distributed")] = "fixed"
    server_threads: Annotated[Count, P(
        only=("service",),
        asked=Annotated[int, Field(ge=1, le=1000)], initial=1,
        meaning="threads of the server, each of which takes a request, works on it and responds",
        )] = 1
    wait: Word = ""
    """How the ends of a service wait; empty: as their participants do."""
    reverses: Annotated[Count, P(
        only=("service",),
        asked=Annotated[int, Field(ge=1, le=64)], initial=1,
        meaning="requests that a thread of the server takes at a time, before it answers the last "
        "of them first; 1: in the order of arrival")] = 1
    # fmt: on


class Flow(Traffic[Word]):
    """A flow of the scenario's own, between participants by name."""

    kind: Annotated[
        Literal["stream", "pings", "batches", "service"],
        P(
            asked=Literal["stream", "pings", "batches", "service"],
            initial="stream",
            meaning="stream; pings, which readers answer; batches, whose begin and end readers "
            "acknowledge; or service: writers are its clients, the one reader its server",
        ),
    ] = "stream"


class TimelineChange(Declared):
    """A change in the middle of a round; a change with `link` changes nothing else."""

    # fmt: off
    at_s: Annotated[Seconds, P(
        asked=Annotated[float, Field(gt=0, le=3600)],
        meaning="when, from the start of the measured time")]
    flow: Annotated[Word | None, P(
        asked=Identifier | None,
        meaning="what changes: a `[[flow]]`, by its name, or of the flows of the matrix pings, "
        "stream (also a background one) or batches; by default those that are measured")]
    rate_hz: Annotated[
        Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None,
        P(asked=Annotated[float, Field(gt=0, le=1e9)] | None,
          meaning="samples per second of each writer from then on")]
    qos: Options
    link: Annotated[Literal["down", "up"] | None, P(
        asked=Literal["down", "up"] | None,
        meaning="all links of the lab: while they are down nothing arrives, and who sends does "
        "not notice; with flow, rate_hz and qos it does not go")] = None
    server: Annotated[Literal["down", "up"] | None, P(
        asked=Literal["down", "up"] | None,
        meaning="the server of a service: down: its end is destroyed with all requests that it "
        "holds; up: it is made anew, under the same name; with rate_hz, qos and link it does not "
        "go")] = None
    # fmt: on
