"""The matrix of a scenario: every list is a dimension."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from busmark.errors import UserError
from busmark.links import links
from busmark.load import parse as parse_load
from busmark.scenario.section import Section
from busmark.scenario.security import UNSECURED
from busmark.scenario.security import Profile as SecurityProfile
from busmark.scenario.sizes import FILE_SIZE, LARGEST, parse_sizes

Test = Literal["latency", "throughput", "capacity", "discovery"]
PayloadKind = Literal["empty", "octet", "char", "short", "float", "long", "struct", "any", "type"]
WaitStrategy = Literal["listener", "waitset", "poll", "default"]

ELEMENT_BYTES: dict[str, int] = {
    "empty": 1, "octet": 1, "char": 1, "short": 2, "float": 4, "long": 4, "struct": 16, "any": 1,
    "type": 1,
}  # fmt: skip
"""Bytes of one element of each payload kind; `size` is a whole number of them."""

SAME = "same"
"""A peer that is the adapter itself."""

ALL, NONE = "all", "none"
"""What runs beside a case, in the place of names of flows."""

SLOWEST_HZ = 1 / 3600
"""A round lasts an hour at most, so that a slower rate would be no sample."""

Name = Annotated[str, Field(max_length=1000)]
Few = Annotated[int, Field(ge=1, le=1000)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Priority = Annotated[int, Field(ge=0, le=99)]
Whole = Annotated[int, Field(ge=0, lt=2**31)]
"""Numbers as QoS policies have them: nanoseconds in 64 bits, the rest in 31."""


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _size(value: int | str) -> int | str:
    if isinstance(value, str) and value != FILE_SIZE:
        parse_sizes(value)
    return value


def an_adapter(name: str) -> str:
    """The name, where it can be an adapter's."""
    if name == SAME:
        raise ValueError(f"{SAME!r} is no adapter: it stands for a peer's own")
    return name


def _load(text: str) -> str:
    try:
        parse_load(text)
    except UserError as error:
        raise ValueError(str(error).replace("\n ", ".")) from None
    return text


def dimension(default: Any, description: str | None = None) -> Any:
    """A key of the matrix: at least one value, by default this one."""
    return Field(default=[default], min_length=1, description=description)


RosProfile = Literal[
    "", "default", "sensor_data", "services_default", "parameters", "parameter_events",
]  # fmt: skip

ROS_PROFILES: dict[str, dict[str, Any]] = {
    name: {"reliability": reliability, "history": "keep_last", "depth": depth}
    for name, reliability, depth in (
        ("default", "reliable", 10), ("sensor_data", "best_effort", 5),
        ("services_default", "reliable", 10), ("parameters", "reliable", 1000),
        ("parameter_events", "reliable", 1000),
    )
}  # fmt: skip
"""Policies of QoS profiles by their names in ROS (`rmw/qos_profiles.h`), all of them volatile, as
endpoints are. `system_default` is not here, for it states none."""


class QosMatrix(Section):
    """`[matrix.qos]`: each key is a dimension. Where the adapter has the choice, reliability is
    reliable unless named, and history keeps all samples in a reliable throughput test and in a
    reliable open loop, where a stall must not overwrite the pings that wait. In a closed loop it
    keeps the last sample; in an open loop without keep-all, as many as are sent until a ping times
    out. Name `history` and `depth` to have others. Everything else stays at the middleware's
    default."""

    profile: list[RosProfile] = dimension(
        "",
        "QoS profile of ROS, for any adapter: its policies hold where none is named, as does "
        "its depth where `depth` is 1",
    )
    reliability: list[Literal["reliable", "best_effort", "default"]] = dimension("default")
    history: list[Literal["keep_all", "keep_last", "default"]] = dimension("default")
    depth: list[Annotated[int, Field(ge=1, lt=2**31)]] = dimension(1)
    durability: list[Literal["volatile", "transient_local", "default"]] = dimension("default")
    lifespan_s: list[Seconds] = dimension(0.0)
    deadline_s: list[Seconds] = dimension(0.0)
    latency_budget_s: list[Seconds] = dimension(0.0)
    transport_priority: list[Annotated[int, Field(ge=-(2**31), lt=2**31)]] = dimension(0)
    partition: list[Name] = dimension("")
    ownership_strength: list[Whole] = dimension(0)
    destination_order: list[Literal["reception", "source", "default"]] = dimension("default")
    max_samples: list[Whole] = dimension(0)
    time_based_filter_s: list[Seconds] = dimension(0.0)

    _listed = field_validator("*", mode="before")(_listed)


class LinkMatrix(Section):
    """`[matrix.link]`: what the links of the run's lab are like; each key is a dimension. Empty: no
    limit, no loss, no delay. See `busmark lab`."""

    rate: list[str] = dimension("", "of what each node sends, such as 100mbit")
    loss: list[str] = dimension("", "share of packets lost at random, such as 1%")
    delay: list[str] = dimension("", "from any node to any other, such as 2ms")
    jitter: list[str] = dimension("", "greatest deviation from the delay, such as 0.2ms")
    burst: list[Annotated[float, Field(ge=0, le=10_000)]] = dimension(
        0.0, "packets that are lost in a row, on average; 0: each is lost or not by itself"
    )
    reassembly: list[Literal["default", "tuned"]] = dimension(
        "default",
        "how the nodes' kernels wait for IP fragments; tuned: net.ipv4.ipfrag_time = 3, "
        "ipfrag_high_thresh = 128 MiB",
    )

    _listed = field_validator("*", mode="before")(_listed)

    @model_validator(mode="after")
    def _readable(self) -> LinkMatrix:
        # One by one: that a jitter is more than some delay concerns those cases only.
        alone = [
            *((rate, "", "", "") for rate in self.rate),
            *(("", loss, "", "") for loss in self.loss),
            *(("", "", delay, "") for delay in self.delay),
            *(("", "", jitter, jitter) for jitter in self.jitter),
        ]
        try:
            for texts in alone:
                links(*texts)
        except UserError as error:
            raise ValueError(str(error).splitlines()[0].removeprefix("--")) from None
        return self


TABLES = ("qos", "link", "option")
"""Keys of the matrix that are tables of dimensions; every other is a dimension."""


class Matrix(Section):
    """Every list is a dimension; a single value stands for a list of one."""

    test: list[Test] = dimension("latency", "what is measured")
    adapter: list[Name] = Field(
        min_length=1,
        description="names as in `busmark adapters`; `one|another`: the first that is here",
    )
    peer: list[Name] = dimension(
        "same",
        "adapter of the other side, which answers pings or receives the stream; same: the same",
    )
    transport: list[Name] = dimension("default", "of the adapter; default: its first")
    peer_transport: list[Name] = dimension(
        "same", "transport of another adapter on the other side; same: as `transport`"
    )
    profile: list[Literal["default", "tuned"]] = dimension(
        "default", "default: as the vendor ships it"
    )
    payload: list[PayloadKind] = dimension(
        "octet",
        "kind of elements; type: one value of your own type, from `measure.body_file`, in an "
        "adapter that `busmark type build` has made",
    )
    size: list[Annotated[Annotated[int, Field(ge=0, le=LARGEST)] | Name, AfterValidator(_size)]] = (
        dimension(
            64,
            "bytes of the body, without the 64-byte header; or a distribution of them: "
            "uniform(64, 4096), lognormal(512, 1.0) (median, σ of the logarithm), "
            "choice(64, 64, 1024); or file: as many as `measure.body_file` has",
        )
    )
    wait: list[WaitStrategy] = dimension(
        "default", "how readers wait; default: the adapter's first"
    )
    placement: list[Name] = dimension(
        "same",
        "same: all on one CPU; different: one CPU each; free: wherever the scheduler puts them; or "
        "CPU numbers such as 0+1",
    )
    fifo: list[Priority | Literal["default"]] = dimension(
        "default",
        "SCHED_FIFO priority of all participants; 0: ordinary scheduling; default: as `run.fifo`",
    )
    peer_fifo: list[Priority | Literal["same"]] = dimension(
        "same", "the same of the subscribers alone, which answer pings or receive the stream"
    )
    control: list[Literal["pipe", "bus", "default"]] = dimension(
        "default",
        "how participants are driven: pipe or bus; default: as `run.control`",
    )
    security: list[SecurityProfile] = dimension(
        UNSECURED,
        "what is protected: of DDS Security authentication to all; tls or curve where the "
        "middleware has these; none. See `[security]`",
    )
    rate_hz: list[Annotated[float, Field(ge=0, le=1e9)]] = dimension(
        0.0,
        "samples per second at intended times; 0: closed loop, or full speed; in a discovery test "
        "1000",
    )
    arrivals: list[Literal["constant", "poisson"]] = dimension("constant", "of an open loop")
    ends_after: list[Annotated[int, Field(ge=0, le=10**12)]] = dimension(
        0, "a round's samples, after which it ends; 0: as `measure.samples` has it"
    )
    topics: list[Few] = dimension(1, "topics at once, each with endpoints of its own")
    writers: list[Few] = dimension(1, "writers of each topic in each publisher (throughput)")
    readers: list[Few] = dimension(1, "readers of each topic in each subscriber (throughput)")
    publishers: list[Few] = dimension(
        1,
        "participants that ping or write, each a process of its own; in a latency test they are "
        "clients of the same servers",
    )
    subscribers: list[Few] = dimension(
        1, "participants that answer or read; a ping is over when each of them has answered"
    )
    topology: list[Literal["one_way", "bidirectional"]] = dimension(
        "one_way", "bidirectional: every participant is publisher and subscriber at once"
    )
    applications: list[Annotated[int, Field(ge=0, le=1000)]] = dimension(
        0,
        "a mesh: this many participants on each node, each with `writers` writers and `readers` "
        "readers of every topic, all of which reach all, their own included (throughput); 0: "
        "publishers and subscribers",
    )
    applications_on: list[Name] = dimension(
        "",
        "nodes of the applications: n1+n2. By default all of the lab, or of [nodes]",
    )
    batch: list[Annotated[int, Field(ge=0, le=10**9)]] = dimension(
        0,
        "samples of a batch, which is announced, started and ended, each with the acknowledgement "
        "of every reader (throughput); 0: the stream runs free",
    )
    batch_ack: list[Literal["ends", "each"]] = dimension(
        "ends",
        "what readers acknowledge of a batch: ends: its announcement, start and end; each: every "
        "sample too, before the next is written",
    )
    stream_hz: list[Annotated[float, Field(ge=0, le=1e9)]] = dimension(
        0.0,
        "samples per second of a stream beside the pings, from every publisher to every "
        "subscriber, of the same size (latency); 0: none",
    )
    instances: list[Annotated[int, Field(ge=0, le=1_000_000)]] = dimension(
        0, "instances of a keyed topic, written in turn; 0: no key"
    )
    filter_below: list[Annotated[int, Field(ge=0, le=1_000_000)]] = dimension(
        0, "readers take only the instances below this (throughput); 0: all"
    )
    new: list[Literal["writer", "reader"]] = dimension(
        "writer",
        "which endpoint is new, again and again; the other is there already (discovery)",
    )
    creates: list[Literal["entity", "publisher", "participant"]] = dimension(
        "entity",
        "what is created each time: entity: the writer or reader alone; publisher: with its "
        "publisher or subscriber; participant: with its participant (discovery)",
    )
    existing: list[Annotated[int, Field(ge=0, le=10_000)]] = dimension(
        0,
        "endpoints of a further participant that are there already: a writer and a reader on each "
        "of half as many topics; with [[participant]], spread over these (discovery)",
    )
    qos: QosMatrix = QosMatrix()
    writer_on: list[Name] = dimension(
        "n1",
        "node of the publishers, or a group of nodes; several, taken in turn: n1+n2. By default "
        "the lab's n1, or the first of [nodes]",
    )
    reader_on: list[Name] = dimension(
        "n2",
        "node of the subscribers, or a group of nodes; several, taken in turn: n2+n3. By default "
        "the lab's n2, or the second of [nodes]",
    )
    link: LinkMatrix = LinkMatrix()
    load: list[Annotated[str, AfterValidator(_load)]] = dimension(
        "",
        "background load: cpu 80%, net 50mbit, disk 10MB; several at once: cpu 50% + net 50mbit; "
        "without a limit: net max; empty: none. See `busmark load`",
    )
    load_on: list[Name] = dimension(
        "",
        "nodes of [nodes] on which the load runs: several as n1+n2, which of a network load are "
        "sender and receiver. By default CPUs and disks of all that take part, and the network "
        "between two others, or from the writer's node to the reader's",
    )
    beside: list[Name] = dimension(
        "all",
        "which of the [[flow]]s run beside the case: their names, several as humidity+altitude; "
        "all; or none",
    )
    option: dict[Name, list[Name]] = Field(
        default={},
        description="options of adapters, `ADAPTER.KEY = [values]`; see `busmark adapters`",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _each_a_list(cls, value: Any, info: ValidationInfo) -> Any:
        return value if info.field_name in TABLES else _listed(value)

    @field_validator("adapter")
    @classmethod
    def _are_adapters(cls, value: list[str]) -> list[str]:
        return [an_adapter(name) for name in value]

    @field_validator("option", mode="before")
    @classmethod
    def _flatten(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        flat: dict[str, list[str]] = {}
        for adapter, options in value.items():
            pairs = options.items() if isinstance(options, dict) else [("", options)]
            for key, values in pairs:
                name = f"{adapter}.{key}" if key else adapter
                flat[name] = [option_text(v) for v in _listed(values)]
        return flat

    @field_validator("option")
    @classmethod
    def _named(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, values in value.items():
            if "." not in name:
                raise ValueError(f"{name}: an option is written ADAPTER.KEY")
            if not values:
                raise ValueError(f"{name}: has no value")
        return value

    @field_validator("rate_hz")
    @classmethod
    def _rate(cls, value: list[float]) -> list[float]:
        for rate in value:
            if 0 < rate < SLOWEST_HZ:
                raise ValueError(f"{rate:g} is less than one sample in {1 / SLOWEST_HZ:g} s")
        return value

    @field_validator("placement")
    @classmethod
    def _placement(cls, value: list[str]) -> list[str]:
        for text in value:
            numbers = text.split("+")
            if text not in ("same", "different", "free") and not all(n.isdigit() for n in numbers):
                raise ValueError(
                    f"{text!r} is not same, different, free or CPU numbers joined by +"
                )
        return value


def option_text(value: Any) -> str:
    """As the adapter's own option has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def nodes_of(text: str) -> list[str]:
    """The nodes of a value such as `n1+n2`."""
    return text.split("+")


def adapter_of(option: str) -> str:
    """The adapter of an option's name `ADAPTER.KEY`. A path has dots of its own, a key has none."""
    return option.rpartition(".")[0]
