"""What a scenario file can say.

Every key has a default but the adapters. Lists in `[matrix]` are dimensions: a case is one value of
each. The reference page and `schemas/scenario.schema.json` are generated from this package.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from busmark.scenario.matrix import SAME, LinkMatrix, Matrix, adapter_of, nodes_of
from busmark.scenario.nodes import check_loads, check_matrix, check_names, is_command
from busmark.scenario.section import Section
from busmark.scenario.sizes import FILE_SIZE
from busmark.scenario.statistic import statistic

DocumentName = Literal["", "middlemeasure-2010", "openddsbench-2010", "perftest-2023"]

HEADER_BYTES = 64
"""Every sample carries this header besides its body."""


def _statistic(text: str) -> str:
    """A statistic of latency, if there is such a one."""
    statistic(text)
    return text


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


def _over(base: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """`base` with what `entry` names in its place, key by key: of a table such as `link` the keys
    that it does not name stay."""
    both = {
        key: _over(base[key], value)
        for key, value in entry.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **entry, **both}


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
        description="further matrices: what one does not name, key by key, is taken from [matrix]",
    )

    @model_validator(mode="before")
    @classmethod
    def _inherit(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("also"), list):
            return data
        base = data.get("matrix")
        if not isinstance(base, dict):
            return data
        also = [_over(base, entry) if isinstance(entry, dict) else entry for entry in data["also"]]
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
            check_loads(matrix.load, matrix.load_on, groups_of)
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
