"""Cases of a campaign by their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.estimate.capacity import rated_mbit_per_s, specified_mbit_per_s
from busmark.estimate.case import CaseSummary
from busmark.model.naming import flatten, title, value_text

Where = Callable[[CaseSummary], bool]

WORKLOAD = (
    "test", "adapter", "payload", "size", "publishers", "subscribers", "topology", "batch",
    "rate_hz", "load", "link_rate", "placement", "fifo", "qos.reliability", "qos.history",
    "qos.lifespan_s", "qos.transport_priority", "new", "creates", "existing", "link_loss",
    "applications", "reader_on",
)  # fmt: skip
"""Parameters in which two cases must be alike, unless their selections ask for different values."""

ABSENT_IS = {"qos.lifespan_s": 0.0, "qos.transport_priority": 0}
"""What a parameter is where a case does not have it."""


@dataclass(frozen=True, slots=True)
class Select:
    """Cases whose parameters are these; a tuple lists several values. `where` narrows further."""

    params: Mapping[str, Any]
    where: Where | None = None

    def of(self, campaign: Campaign) -> list[CaseSummary]:
        """The cases, in the order of the campaign; unsupported ones too."""
        return [case for case in campaign.cases if self._fits(case)]

    def _fits(self, case: CaseSummary) -> bool:
        # These two leave few of thousands of cases, before anything is flattened.
        if not self._allows("test", case.test) or not self._allows("adapter", case.adapter):
            return False
        flat = parameters(case)
        if not all(self._allows(name, flat.get(name)) for name in self.params):
            return False
        return self.where is None or self.where(case)

    def _allows(self, name: str, value: Any) -> bool:
        wanted = self.params.get(name, value)
        return value in wanted if isinstance(wanted, tuple) else value == wanted


def cases(where: Where | None = None, **params: Any) -> Select:
    """A selection; `qos_` in front of a name stands for `qos.`."""
    named = {name.replace("qos_", "qos.", 1): value for name, value in params.items()}
    return Select(named, where)


def parameters(case: CaseSummary) -> dict[str, Any]:
    """Parameters of the case, flat, including absent ones if absence has a meaning."""
    return {**ABSENT_IS, **flatten(case.params)}


def asks(low: float, high: float) -> Where:
    """Cases that ask for at least `low` and less than `high` of the rated capacity."""

    def fits(case: CaseSummary) -> bool:
        if not case.params.link_rate or not case.params.rate_hz:
            return False
        share = specified_mbit_per_s(case.params) / (rated_mbit_per_s(case.params) or inf)
        return low <= share < high

    return fits


def named(case: CaseSummary, names: tuple[str, ...]) -> str:
    """These parameters of a case, for people."""
    flat = parameters(case)
    told = []
    for name in names:
        value = flat.get(name)
        if value is None:
            continue
        text = "infinite" if name == "qos.lifespan_s" and not value else value_text(name, value)
        plain = name in ("size", "payload", "adapter", "topology", "qos.reliability", "qos.history")
        told.append(text if plain else f"{title(name)} {text}")
    return ", ".join(told)
