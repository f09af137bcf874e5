"""What a scenario file can say.

Every key has a default but the adapters. Lists in `[matrix]` are dimensions: a case is one value of
each. The reference page and `schemas/scenario.schema.json` are generated from this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from busmark.errors import UserError
from busmark.model.limits import statistic, subject
from busmark.model.parameter import AUTO
from busmark.model.parameters import MEASURE
from busmark.plugin import keys
from busmark.scenario.fitting import check
from busmark.scenario.matrix import SAME, Matrix, SideSection
from busmark.scenario.requirement import RequireSection
from busmark.scenario.section import (
    CommandSection,
    ScenarioSection,
    is_command,
    listed,
    of_plugins,
    table,
)
from busmark.scenario.system import ChangeSection, FlowSection, ParticipantSection
from busmark.stats import LADDER

HEADER_BYTES = 64
"""Every sample carries this header besides its body."""

MOST_ROUNDS = 200
"""Most rounds of a case whose length of rounds the run chooses, unless the file says another
number: it then needs the rounds that its interval needs."""

MORE_ROUNDS = 5
"""Where a requirement is to be decided, a case has at most this many times as many rounds as `min`,
unless the file says another number."""


def _statistic(text: str) -> str:
    statistic(text)
    return text


def _figure(text: str) -> str:
    """Return the text; raise `ValueError` unless it names a figure that reports have."""
    try:
        found = subject(text, "columns")
    except UserError as error:
        raise ValueError(f"{text!r}: {error.message}. {error.remedy}") from None
    if found.later_ns is not None:
        raise ValueError(f"{text!r}: reports have no shares of late samples; take [[require]]")
    if found.percent not in (None, *LADDER):
        known = ", ".join(f"p{percent:.10g}" for percent in LADDER)
        raise ValueError(f"{text!r}: of percentiles reports have {known}")
    return text


class MeasureSection(table(MEASURE)):  # type: ignore[misc]
    """How long and how often samples are sent."""

    system_interval_s: float = Field(
        default=0.25,
        ge=0,
        le=60,
        description="time between two readings of the system's counters; 0: none are read",
    )


class RoundsSection(ScenarioSection):
    """How often each case is run, each time in fresh processes."""

    min: int = Field(default=5, ge=1, le=1000, description="rounds of every case")
    max: int = Field(
        default=5,
        ge=1,
        le=1000,
        description="at most, if `target` asks for "
        "more, or a `[[require]]` is undecided; with such, five times `min`, unless "
        "it is named",
    )
    target: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="half-width of the 95 % interval, relative, at which a case has rounds "
        "enough, of fewer than 8 half of it; 0: `min` rounds",
    )
    statistic: Annotated[str, AfterValidator(_statistic)] = Field(
        default="median",
        description="of latency, whose interval that is: median, mean, or a percentile such as "
        "p99; in a throughput test it is the goodput",
    )
    budget_s: float = Field(
        default=0.0,
        ge=0,
        description="time for the whole campaign beyond which no round is added; 0: no limit",
    )
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
    def _bounds(self) -> RoundsSection:
        if "max" not in self.model_fields_set and self.max < self.min:
            # Not as if it were written.
            self.__dict__["max"] = self.min
        if self.max < self.min:
            raise ValueError(f"max = {self.max} is below min = {self.min}")
        return self


class Criteria(ScenarioSection):
    """What a round must meet; one that does not is kept, marked, and never averaged in."""

    match_timeout_s: float = Field(
        default=10.0, gt=0, le=600, description="all endpoints must have found each other by then"
    )
    min_samples: int = Field(
        default=100,
        ge=0,
        description="latency samples, or samples received; 0: a round in which nothing arrives "
        "counts, too",
    )
    min_repetitions: int = Field(
        default=5,
        ge=1,
        description="repetitions of a discovery test in which the first sample came in time, or "
        "goals of an action test that have their result",
    )
    max_loss: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="greatest share of samples lost; 1: any loss is a result",
    )
    min_rate: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="share of the intended rate that writers must reach; 0: any, for an overload "
        "test",
    )
    min_load: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="share of each background load asked for that must have been there; 0: any",
    )


class CapacitySection(ScenarioSection):
    """`[capacity]`: the criterion of the tests `capacity` and `service-capacity`, which search the
    greatest rate that meets it. Each round is a trial at one rate."""

    max_loss: float = Field(
        default=0.0, ge=0, lt=1, description="greatest share of samples lost in a trial"
    )
    max_p99_us: float = Field(
        default=0.0,
        ge=0,
        description="greatest 99th percentile of the round trip of probes, or of the response time "
        "of a service, µs: at most 1 % of a trial's may be later; 0: any",
    )
    keeps_up: float = Field(
        default=0.98,
        gt=0,
        le=1,
        description="share of the rate that writers must reach, and of theirs that readers must",
    )
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


class LabSection(ScenarioSection):
    """`[lab]`: nodes that the run makes on this machine and removes; participants then run on them.
    Root only. Absent: everything is on this machine's own network."""

    nodes: int = Field(
        default=0, ge=0, le=250, description="nodes n1, n2, … of the lab; 0: there is none"
    )


class NodeSection(ScenarioSection):
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
        description="network interface of its traffic; empty: the interface of the address, or of "
        "the default route",
    )
    group: str = Field(
        default="",
        description="name for several nodes any of which will do; when one is gone, another takes "
        "its place",
    )


class Run(ScenarioSection):
    """Where and how processes run."""

    domain: int = Field(default=0, ge=0, le=230, description="DDS domain, or its like")
    interface: str = Field(default="lo", description="network interface for all traffic")
    address: str = Field(default="127.0.0.1", description="address of that interface")
    fifo: int = Field(
        default=0, ge=0, le=99, description="SCHED_FIFO priority; 0: ordinary scheduling"
    )
    lock_memory: bool = Field(default=False, description="mlockall in every worker")
    prepare: Annotated[list[CommandSection], BeforeValidator(listed)] = Field(
        default=[],
        description='commands before every round: "CMD", "NODE:CMD", or { node, command, '
        "timeout_s }; a round whose command fails has failed",
    )
    conclude: Annotated[list[CommandSection], BeforeValidator(listed)] = Field(
        default=[],
        description="commands after every round, also after one that has failed; written as "
        "`prepare`",
    )
    hang_s: float = Field(
        default=20.0,
        gt=0,
        le=3600,
        description="delay of an answer after which a worker is killed; while endpoints are made, "
        "once more for every 100 of the round",
    )


def _over(base: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """Merge `entry` over `base`, key by key: in a table such as `link` the keys that it does not
    name stay."""
    both = {
        key: _over(base[key], value)
        for key, value in entry.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **entry, **both}


if TYPE_CHECKING:
    Keys = ScenarioSection
else:
    Keys = of_plugins()


class Scenario(Keys):
    """A scenario file."""

    name: str = Field(min_length=1, max_length=1000, description="title of the report")
    question: str = Field(default="", description="what the reader of the report wants to know")
    answer: Literal["goodput", "latency", "matching", "recovery"] = Field(
        default="goodput",
        description="what streams are ranked and compared by: goodput, the median one-way latency "
        "of their samples, the time until all their endpoints had matched, or until a sample came "
        "after the last step of the timeline",
    )
    columns: dict[
        Annotated[str, Field(min_length=1, max_length=40)], Annotated[str, AfterValidator(_figure)]
    ] = Field(
        default={},
        description="what the first table of a report has of each workload beside the figure that "
        'cases are ranked by: `"heading" = "figure"`, named as for `--fail-if`, such as '
        "`p99(one_way)`, `delivered` or `memory`; percentiles are of the samples of all rounds "
        "together. Each workload then has columns of its own",
    )
    only: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        default=[],
        description="of all cases those whose name, as `busmark plan` prints it, holds one of "
        "these words, or matches one of these patterns (`*`, `?`, `[ab]`); empty: all",
    )
    measure: MeasureSection = MeasureSection()
    matrix: Matrix
    rounds: RoundsSection = RoundsSection()
    criteria: Criteria = Criteria()
    capacity: CapacitySection = CapacitySection()
    run: Run = Run()
    lab: LabSection = LabSection()
    nodes: dict[str, NodeSection] = Field(
        default={}, description="machines that take part, by name: `[nodes.NAME]`"
    )
    sides: dict[str, SideSection] = Field(
        default={},
        description="sides that are compared, the baseline first: every case is run for each of "
        "them, rounds interleaved. See `busmark ab`",
    )
    participant: list[ParticipantSection] = Field(
        default=[],
        description="participants besides the matrix's, for flows: `[[participant]]`",
    )
    flow: list[FlowSection] = Field(
        default=[],
        description="streams, pings and batches in the background of every case: `[[flow]]`",
    )
    timeline: list[ChangeSection] = Field(
        default=[],
        description="what changes in the middle of every round: `[[timeline]]`",
    )
    require: list[RequireSection] = Field(
        default=[],
        description="limits that figures must meet: `[[require]]`",
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
    def _fits(self) -> Scenario:
        if "max" not in self.rounds.model_fields_set:
            if self.measure.duration_s == AUTO:
                self.rounds.max = max(MOST_ROUNDS, self.rounds.min)
            elif self.require:
                self.rounds.max = max(self.rounds.max, MORE_ROUNDS * self.rounds.min)
        for matrix in (self.matrix, *self.also) if self.nodes and not self.lab_nodes else ():
            # Without a wish the first node writes and the second, or the only one, reads.
            for key, position in (("writer_on", 0), ("reader_on", 1)):
                if key not in matrix.model_fields_set:
                    setattr(matrix, key, [*self.nodes][position:][:1] or [*self.nodes])
        check(self)
        return self

    def of_plugin(self, key: str) -> Any:
        """Return the value of a plug-in's key; None where it is left out, or nobody brings it."""
        return getattr(self, key, None)

    @property
    def lab_nodes(self) -> list[str]:
        """Names of the lab's nodes."""
        return [f"n{number}" for number in range(1, self.lab.nodes + 1)]

    def with_sides(self, sides: dict[str, SideSection]) -> Scenario:
        """Return the scenario with these sides.

        Raises:
            UserError: it cannot have them.
        """
        try:
            found: Scenario = Scenario.model_validate(
                {
                    **self.model_dump(),
                    "sides": {name: side.model_dump() for name, side in sides.items()},
                }
            )
        except ValidationError as error:
            text = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
            raise UserError(text, where=f"scenario {self.name!r}") from None
        return found

    @property
    def matrices(self) -> list[tuple[str | None, Matrix]]:
        """Every matrix with the side whose it is; None: there are no sides."""
        own = [self.matrix, *self.also]
        if not self.sides:
            return [(None, matrix) for matrix in own]
        return [(name, side.applied_to(m)) for m in own for name, side in self.sides.items()]

    @property
    def adapters(self) -> list[str]:
        """Every adapter that is named, once."""
        matrices = [matrix for _, matrix in self.matrices]
        named = [name for matrix in matrices for name in (*matrix.adapter, *matrix.peer)]
        named += [each.adapter for each in self.participant if each.adapter]
        return [name for name in dict.fromkeys(named) if name != SAME]


keys(Scenario.__annotations__)  # No plug-in brings a key of the core.
