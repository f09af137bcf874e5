"""What a figure must meet: `[[require]]`, and `--require`; its grammar is in `model.limits`.

`p99.9(half_round_trip) <= 2ms` is met where at most 0.1 % of the samples are shown to exceed 2 ms,
lost ones among them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field, model_validator

from busmark.errors import UserError
from busmark.model import limits
from busmark.model.limits import Subject
from busmark.scenario.section import ScenarioSection

Condition = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit on a figure, for all cases or for those whose parameters match."""

    text: str
    """The requirement as it was written, without its conditions."""
    subject: Subject
    limit: float
    """Limit in the unit of the quantity; for a share of samples, the share."""
    at_most: bool
    where: Mapping[str, Condition] = field(default_factory=dict)
    undecided: Literal["fail", "pass"] = "fail"

    def __str__(self) -> str:
        """Return it with its statistic and unit, as `parse` reads it: `median(latency) <= 2 ms`."""
        operator = "<=" if self.at_most else ">="
        return f"{self.subject} {operator} {limits.amount(self.subject, self.limit)}"

    @property
    def conditions(self) -> str:
        """The parameters that it is for, as text; empty: all cases."""
        return limits.conditions_text(self.where)

    @property
    def quantity(self) -> str:
        """Name in `QUANTITIES`."""
        return self.subject.quantity

    @property
    def statistic(self) -> str:
        """Statistic, as in the table of estimates; empty for a share of late samples."""
        return self.subject.statistic

    @property
    def unit(self) -> str:
        """Unit of the limit."""
        return self.subject.unit

    @property
    def period_share(self) -> float:
        """Share of the period after which a sample is late, if that is more than `later_ns`."""
        return self.subject.period_share

    @property
    def later_ns(self) -> float | None:
        """Latency beyond which a sample is late, ns."""
        return self.subject.later_ns

    @property
    def percent(self) -> float | None:
        """Return which percentile of latency it limits; None: something else."""
        is_median = self.subject.row.of_samples and self.statistic == "median"
        return 50.0 if is_median else self.subject.percent

    @property
    def key(self) -> tuple[str, str]:
        """Key by which requirements that say the same are recognised."""
        return str(self), self.conditions

    def meant(
        self, cases: Mapping[str, Mapping[str, Any]], floors: Collection[str] = ()
    ) -> list[str]:
        """Return the identifiers of the cases that it is for, of those with these parameters
        (`a.b` where they are nested): not of the `floors`, unless it names an adapter.

        Raises:
            UserError: it names a parameter that no case has, or is for no case.
        """
        chosen = limits.matching(self.where, cases, f"require {self.text!r}")
        if "adapter" in self.where:
            return chosen
        return [case for case in chosen if case not in floors] or chosen

    @classmethod
    def parse(cls, text: str, where: str = "--require") -> Requirement:
        """Return the requirement that `text` is.

        Raises:
            UserError: it is none: what is wrong, and what may stand there.
        """
        found = limits.parse(text, where)
        return cls(found.text, found.subject, found.value, found.at_most, found.where)


class RequireSection(ScenarioSection):
    """`[[require]]`: a limit on a figure, which every case that matches must meet. `busmark run`,
    `show` and the report say which do; exit code 1 if one does not. See
    docs/tasks/prove-a-requirement.md."""

    that: str = Field(
        description="the limit, such as `p99.9(half_round_trip) <= 2ms`, `loss <= 0.1%`, "
        "`goodput >= 50k` (samples/s), `goodput >= 400Mbit/s`, `cpu <= 0.5`, `late <= 1%`"
    )
    where: dict[str, Any] = Field(
        default={},
        description='parameters of the cases it is for, such as `{ adapter = "udp", size = 64 }`; '
        "empty: all but the null adapter's",
    )
    undecided: Literal["fail", "pass"] = Field(
        default="fail", description="whether the exit code is 1 where the rounds cannot tell"
    )

    @model_validator(mode="after")
    def _readable(self) -> RequireSection:
        try:
            self.requirement()
        except UserError as error:
            raise ValueError(f"{error.message}. {error.remedy}") from None
        return self

    def requirement(self) -> Requirement:
        """Return what it says."""
        found = Requirement.parse(self.that, "require")
        where = {**found.where, **flat(self.where)}
        return replace(found, where=where, undecided=self.undecided)


def flat(params: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested parameters into names such as `qos.reliability`."""
    found: dict[str, Any] = {}
    for name, value in params.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found
