"""What a scenario file can say.

Every key has a default but the adapters. Lists in `[matrix]` are dimensions: a case is one value of
each. The reference page and `schemas/scenario.schema.json` are generated from this file.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from busmark.errors import UserError
from busmark.links import links
from busmark.load import parse as parse_load
from busmark.scenario.nodes import check_matrix, check_names, is_command
from busmark.scenario.sizes import FILE_SIZE, parse_sizes
from busmark.scenario.statistic import statistic

Test = Literal["latency", "throughput", "capacity"]
DocumentName = Literal["", "middlemeasure-2010", "openddsbench-2010"]
PayloadKind = Literal["empty", "octet", "char", "short", "float", "long", "struct", "any", "type"]
WaitStrategy = Literal["listener", "waitset", "poll", "default"]

ELEMENT_BYTES: dict[str, int] = {
    "empty": 1, "octet": 1, "char": 1, "short": 2, "float": 4, "long": 4, "struct": 16, "any": 1,
    "type": 1,
}  # fmt: skip
"""Bytes of one element of each payload kind; `size` is a whole number of them."""

SAME = "same"
"""A peer that is the adapter itself."""

HEADER_BYTES = 64
"""Every sample carries this header besides its body."""

SLOWEST_HZ = 1 / 3600
"""A round lasts an hour at most, so that a slower rate would be no sample."""

Few = Annotated[int, Field(ge=1, le=1000)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Whole = Annotated[int, Field(ge=0, lt=2**31)]
"""Numbers as QoS policies have them: nanoseconds in 64 bits, the rest in 31."""


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _size(value: int | str) -> int | str:
    if isinstance(value, str) and value != FILE_SIZE:
        parse_sizes(value)
    return value


def _statistic(text: str) -> str:
    """A statistic of latency, if there is such a one."""
    statistic(text)
    return text


def _load(text: str) -> str:
    try:
        parse_load(text)
    except UserError as error:
        raise ValueError(str(error).replace("\n ", ".")) from None
    return text


def dimension(default: Any, description: str | None = None) -> Any:
    """A key of the matrix: at least one value, by default this one."""
    return Field(default=[default], min_length=1, description=description)


class Section(BaseModel):
    """A table of the file: unknown keys and values of a wrong type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Measure(Section):
    """How long and how often samples are sent."""

    duration_s: float = Field(default=2.0, gt=0, le=3600, description="length of the measured time")
    warmup_s: float = Field(default=0.5, ge=0, le=600, description="time before it, discarded")
    samples: int = Field(
        default=0, ge=0, le=10**12, description="end after so many samples; 0: by time only"
    )
    max_samples: int = Field(
        default=200_000, ge=10, le=50_000_000,
        description="rows recorded per round; the measurement ends when they are full",
    )  # fmt: skip
    probe_every: int = Field(
        default=1000,
        ge=0,
        le=10**9,
        description="in a throughput test one sample in so many is a latency probe",
    )
    interval_s: float = Field(
        default=0.1, ge=0.001, le=60, description="length of an interval counter"
    )
    system_interval_s: float = Field(
        default=0.25,
        ge=0,
        le=60,
        description="time between two readings of the system's counters; 0: none are read",
    )
    timeout_s: float = Field(
        default=1.0,
        ge=0.001,
        le=60,
        description="a ping without an answer for so long counts as lost",
    )
    verify: bool = Field(
        default=False, description="compare every body with what was written (costs time per byte)"
    )
    body_file: str = Field(
        default="",
        description="file whose bytes are in the bodies, over and over; empty: a pattern. For the "
        "payload kinds octet, any and type",
    )


class QosMatrix(Section):
    """`[matrix.qos]`: each key is a dimension. Where the adapter has the choice, reliability is
    reliable unless named, and history keeps the last sample in a latency test and all samples in a
    reliable throughput test. Everything else stays at the middleware's default."""

    reliability: list[Literal["reliable", "best_effort", "default"]] = dimension("default")
    history: list[Literal["keep_all", "keep_last", "default"]] = dimension("default")
    depth: list[Annotated[int, Field(ge=1, lt=2**31)]] = dimension(1)
    durability: list[Literal["volatile", "transient_local", "default"]] = dimension("default")
    lifespan_s: list[Seconds] = dimension(0.0)
    deadline_s: list[Seconds] = dimension(0.0)
    latency_budget_s: list[Seconds] = dimension(0.0)
    transport_priority: list[Annotated[int, Field(ge=-(2**31), lt=2**31)]] = dimension(0)
    partition: list[str] = dimension("")
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


class Matrix(Section):
    """Every list is a dimension; a single value stands for a list of one."""

    adapter: list[str] = Field(min_length=1, description="names as in `busmark adapters`")
    peer: list[str] = dimension(
        "same",
        "adapter of the other side, which answers pings or receives the stream; same: the same",
    )
    test: list[Test] = dimension("latency", "what is measured")
    size: list[Annotated[Annotated[int, Field(ge=0)] | str, AfterValidator(_size)]] = dimension(
        64,
        "bytes of the body, without the 64-byte header; or a distribution of them: "
        "uniform(64, 4096), lognormal(512, 1.0) (median, σ of the logarithm), "
        "choice(64, 64, 1024); or file: as many as `measure.body_file` has",
    )
    payload: list[PayloadKind] = dimension(
        "octet",
        "kind of elements; type: one value of your own type, from `measure.body_file`, in an "
        "adapter that `busmark type build` has made",
    )
    transport: list[str] = dimension("default", "of the adapter; default: its first")
    profile: list[Literal["default", "tuned"]] = dimension(
        "default", "default: as the vendor ships it"
    )
    wait: list[WaitStrategy] = dimension(
        "default", "how readers wait; default: the adapter's first"
    )
    placement: list[str] = dimension(
        "same",
        "same: all on one CPU; different: one CPU each; free: wherever the scheduler puts them; or "
        "CPU numbers such as 0+1",
    )
    rate_hz: list[Annotated[float, Field(ge=0, le=1e9)]] = dimension(
        0.0, "samples per second at intended times; 0: closed loop, or full speed"
    )
    arrivals: list[Literal["constant", "poisson"]] = dimension("constant", "of an open loop")
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
    batch: list[Annotated[int, Field(ge=0, le=10**9)]] = dimension(
        0,
        "samples of a batch, which is announced, started and ended, each with the acknowledgement "
        "of every reader (throughput); 0: the stream runs free",
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
    qos: QosMatrix = QosMatrix()
    writer_on: list[str] = dimension(
        "n1",
        "node of the publishers, or a group of nodes; several, taken in turn: n1+n2. By default "
        "the lab's n1, or the first of [nodes]",
    )
    reader_on: list[str] = dimension(
        "n2",
        "node of the subscribers, or a group of nodes; several, taken in turn: n2+n3. By default "
        "the lab's n2, or the second of [nodes]",
    )
    link: LinkMatrix = LinkMatrix()
    load: list[Annotated[str, AfterValidator(_load)]] = dimension(
        "", "background load: cpu 80%, net 50mbit, disk 10MB; empty: none. See `busmark load`"
    )
    option: dict[str, list[str]] = Field(
        default={},
        description="options of adapters, `ADAPTER.KEY = [values]`; see `busmark adapters`",
    )

    _listed = field_validator(
        "adapter", "peer", "test", "size", "payload", "transport", "profile", "wait", "placement",
        "rate_hz", "arrivals", "topics", "writers", "readers", "publishers", "subscribers",
        "topology", "batch", "stream_hz", "instances", "filter_below", "writer_on", "reader_on",
        "load", mode="before",
    )(_listed)  # fmt: skip

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
                flat[name] = [_option_text(v) for v in _listed(values)]
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


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Rounds(Section):
    """How often each case is run, each time in fresh processes."""

    min: int = Field(default=5, ge=1, le=1000, description="rounds of every case")
    max: int = Field(default=5, ge=1, le=1000, description="at most, if `target` asks for more")
    target: float = Field(
        default=0.0, ge=0, lt=1,
        description="half-width of the 95 % interval, relative, at which a case has rounds "
        "enough; 0: `min` rounds",
    )  # fmt: skip
    statistic: Annotated[str, AfterValidator(_statistic)] = Field(
        default="median",
        description="of latency, whose interval that is: median, mean, or a percentile such as "
        "p99; in a throughput test it is the goodput",
    )
    budget_s: float = Field(
        default=0.0, ge=0,
        description="time for the whole campaign beyond which no round is added; 0: no limit",
    )  # fmt: skip
    case_budget_s: float = Field(
        default=0.0, ge=0, description="the same for each case; 0: no limit"
    )
    retries: int = Field(
        default=1, ge=0, le=10, description="a failed round is tried again so often"
    )
    seed: int = Field(
        default=1, ge=0, lt=2**63, description="of the order of rounds and of the analysis"
    )

    @model_validator(mode="after")
    def _bounds(self) -> Rounds:
        if "max" not in self.model_fields_set and self.max < self.min:
            self.max = self.min
        if self.max < self.min:
            raise ValueError(f"max = {self.max} is below min = {self.min}")
        for name in ("budget_s", "case_budget_s"):
            if getattr(self, name) and not self.target:
                raise ValueError(f"{name} limits rounds that are added: it needs a target")
        return self


class Criteria(Section):
    """What a round must meet; one that does not is kept, marked, and never averaged in."""

    match_timeout_s: float = Field(
        default=10.0, gt=0, le=600, description="all endpoints must have found each other by then"
    )
    min_samples: int = Field(default=100, ge=1, description="latency samples, or samples received")
    max_loss: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="greatest share of samples lost; 1: any loss is a result",
    )


class Capacity(Section):
    """`[capacity]`: the criterion of the test `capacity`, which searches the greatest rate that
    meets it. Each round is a trial at one rate."""

    max_loss: float = Field(
        default=0.0, ge=0, lt=1, description="greatest share of samples lost in a trial"
    )
    max_p99_us: float = Field(
        default=0.0, ge=0,
        description="greatest 99th percentile of the round trip of probes, µs; 0: any",
    )  # fmt: skip
    keeps_up: float = Field(
        default=0.98, gt=0, le=1,
        description="share of the rate that writers must reach, and of theirs that readers must",
    )  # fmt: skip
    precision: float = Field(
        default=0.05, gt=0, lt=1, description="width of the bracket at which the search ends"
    )
    confidence: float = Field(
        default=0.95, gt=0.5, lt=1, description="with which the bracket holds the limit"
    )
    trust: float = Field(
        default=0.9, gt=0.5, lt=1, description="probability that a trial does not mislead"
    )
    confirm: int = Field(
        default=3, ge=0, le=100, description="trials at the rate found that must pass"
    )
    max_trials: int = Field(default=80, ge=2, le=1000, description="trials of a case at most")


class LabSection(Section):
    """`[lab]`: nodes that the run makes on this machine and removes; participants then run on them.
    Root only. Absent: everything is on this machine's own network."""

    nodes: int = Field(
        default=0, ge=0, le=250, description="nodes n1, n2, … of the lab; 0: there is none"
    )


class NodeSection(Section):
    """`[nodes.NAME]`: another machine, or another place of this one. The workers and adapters of
    this machine are sent there. See docs/tasks/many-nodes.md."""

    prefix: Annotated[str, AfterValidator(is_command)] = Field(
        description="command that runs the command behind it there, such as "
        "ssh -o BatchMode=yes lab1; empty: this machine"
    )
    address: str = Field(
        default="", description="address of its traffic; empty: the first of the interface"
    )
    interface: str = Field(
        default="",
        description="network interface of its traffic; empty: that of the address, or of the "
        "default route",
    )
    group: str = Field(
        default="",
        description="name for several nodes any of which will do; when one is gone, another takes "
        "its place",
    )


class Run(Section):
    """Where and how processes run."""

    domain: int = Field(default=0, ge=0, le=230, description="DDS domain, or its like")
    interface: str = Field(default="lo", description="network interface for all traffic")
    address: str = Field(default="127.0.0.1", description="address of that interface")
    fifo: int = Field(
        default=0, ge=0, le=99, description="SCHED_FIFO priority; 0: ordinary scheduling"
    )
    lock_memory: bool = Field(default=False, description="mlockall in every worker")
    hang_s: float = Field(
        default=20.0, gt=0, le=3600,
        description="a worker that answers so much later than it should is killed",
    )  # fmt: skip


class Scenario(Section):
    """A scenario file."""

    name: str = Field(min_length=1, description="title of the report")
    question: str = Field(default="", description="what the reader of the report wants to know")
    document: DocumentName = Field(
        default="",
        description="a document whose experiments this repeats: the report then compares what it "
        "found with what is found here",
    )
    measure: Measure = Measure()
    matrix: Matrix
    rounds: Rounds = Rounds()
    criteria: Criteria = Criteria()
    capacity: Capacity = Capacity()
    run: Run = Run()
    lab: LabSection = LabSection()
    nodes: dict[str, NodeSection] = Field(
        default={}, description="machines that take part, by name: `[nodes.NAME]`"
    )
    also: list[Matrix] = Field(
        default=[],
        description="further matrices: what one does not name is taken from [matrix]",
    )

    @model_validator(mode="before")
    @classmethod
    def _inherit(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("also"), list):
            return data
        base = data.get("matrix")
        if not isinstance(base, dict):
            return data
        also = [{**base, **entry} if isinstance(entry, dict) else entry for entry in data["also"]]
        return {**data, "also": also}

    @model_validator(mode="after")
    def _file_sizes_have_their_file(self) -> Scenario:
        sizes = [size for matrix in (self.matrix, *self.also) for size in matrix.size]
        if FILE_SIZE in sizes and not self.measure.body_file:
            raise ValueError('size = "file" needs measure.body_file')
        return self

    @model_validator(mode="after")
    def _nodes_are_known(self) -> Scenario:
        if self.lab.nodes == 1:
            raise ValueError("lab.nodes = 1: a lab has 2 nodes at least")
        groups_of = {name: node.group for name, node in self.nodes.items()}
        check_names(groups_of, self.lab_nodes)
        for matrix in (self.matrix, *self.also):
            if matrix.link != LinkMatrix() and not self.lab_nodes:
                raise ValueError("matrix.link needs a lab: add [lab] with nodes = 2")
            if self.nodes and not self.lab_nodes:
                # Without a wish the first node writes and the second, or the only one, reads.
                for key, position in (("writer_on", 0), ("reader_on", 1)):
                    if key not in matrix.model_fields_set:
                        setattr(matrix, key, [*self.nodes][position:][:1] or [*self.nodes])
            if self.nodes or self.lab_nodes:
                writing, reading = "+".join(matrix.writer_on), "+".join(matrix.reader_on)
                check_matrix(nodes_of(writing), nodes_of(reading), groups_of, self.lab_nodes)
        return self

    @property
    def lab_nodes(self) -> list[str]:
        """Names of the lab's nodes."""
        return [f"n{number}" for number in range(1, self.lab.nodes + 1)]

    @property
    def adapters(self) -> list[str]:
        """Every adapter that is named, once."""
        matrices = [self.matrix, *self.also]
        named = [name for matrix in matrices for name in (*matrix.adapter, *matrix.peer)]
        return [name for name in dict.fromkeys(named) if name != SAME]

    @model_validator(mode="after")
    def _options_have_their_adapter(self) -> Scenario:
        matrices = [self.matrix, *self.also]
        adapters = {name for matrix in matrices for name in (*matrix.adapter, *matrix.peer)}
        for option in (option for matrix in matrices for option in matrix.option):
            if adapter_of(option) not in adapters:
                raise ValueError(
                    f"option {option} is of an adapter that the matrix does not have "
                    f"({', '.join(sorted(adapters))})"
                )
        return self


def nodes_of(text: str) -> list[str]:
    """The nodes of a value such as `n1+n2`."""
    return text.split("+")


def adapter_of(option: str) -> str:
    """The adapter of an option's name `ADAPTER.KEY`. A path has dots of its own, a key has none."""
    return option.rpartition(".")[0]
