"""Cases of a campaign by their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.estimate.capacity import directions, rated_mbit_per_s, specified_mbit_per_s
from busmark.model.case import CaseSummary
from busmark.model.naming import flatten, title, value_text
from busmark.model.parameters import Parameters
from busmark.model.rounds import RoundSummary
from busmark.plugins.papers.rounds import RoundLatency, arrivals_per_s

Where = Callable[[CaseSummary], bool]

WORKLOAD = (
    "test", "adapter", "payload", "size", "publishers", "subscribers", "topology", "batch",
    "rate_hz", "load", "link_rate", "placement", "fifo", "qos.reliability", "qos.history",
    "qos.lifespan_s", "qos.transport_priority", "new", "creates", "existing", "link_loss",
    "applications", "reader_on",
)  # fmt: skip
"""Parameters in which two cases must be alike, unless their selections ask for different values."""

ABSENT_IS = {"qos.lifespan_s": 0.0, "qos.transport_priority": 0}
"""Values of parameters that a case does not have."""


@dataclass(frozen=True, slots=True)
class Select:
    """Cases whose parameters are these; a tuple lists several values. `where` narrows further."""

    params: Mapping[str, Any]
    where: Where | None = None

    def cases(self, campaign: Campaign) -> list[CaseSummary]:
        """Return the cases in the order of the campaign, unsupported ones too."""
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


@dataclass(frozen=True, slots=True)
class Selects:
    """The selection for each of several places, such as adapters."""

    at: Callable[[Any], Select]


def cases(where: Where | None = None, **params: Any) -> Select:
    """Return a selection; `qos_` in front of a name stands for `qos.`."""
    named = {name.replace("qos_", "qos.", 1): value for name, value in params.items()}
    return Select(named, where)


def parameters(case: CaseSummary) -> dict[str, Any]:
    """Return the parameters of the case, flat, including absent ones if absence has a meaning."""
    return {**ABSENT_IS, **flatten(case.params)}


def sized(least: int = 0, most: float = inf) -> Where:
    """Return a condition: the size lies in this range, both ends included."""
    return lambda case: least <= (case.size or 0) <= most


def asks(low: float, high: float) -> Where:
    """Return a condition: the case asks for at least `low` and less than `high` of the rated
    capacity."""

    def fits(case: CaseSummary) -> bool:
        if not case.params.link_rate or not case.params.rate_hz:
            return False
        share = specified_mbit_per_s(case.params) / (rated_mbit_per_s(case.params) or inf)
        return low <= share < high

    return fits


def named(case: CaseSummary, names: tuple[str, ...]) -> str:
    """Return these parameters of a case as text."""
    flat = parameters(case)
    parts = []
    for name in names:
        value = flat.get(name)
        if value is None:
            continue
        text = "infinite" if name == "qos.lifespan_s" and not value else value_text(name, value)
        plain = name in ("size", "payload", "adapter", "topology", "qos.reliability", "qos.history")
        parts.append(text if plain else f"{title(name)} {text}")
    return ", ".join(parts)


PerRound = dict[int, float]
"""A value for each counted round, by its number."""

Value = Callable[[CaseSummary], PerRound]


def per_round(case: CaseSummary, of: Callable[[RoundSummary], float | None]) -> PerRound:
    """Return `of` every counted round that has it; 0 is left out."""
    return {number: value for number, value in _per_round(case, of).items() if value}


def _per_round(case: CaseSummary, of: Callable[[RoundSummary], float | None]) -> PerRound:
    counted = [attempt for attempt in case.attempts if attempt.status == "ok"]
    return {attempt.round: value for attempt in counted if (value := of(attempt)) is not None}


def headline(case: CaseSummary) -> PerRound:
    """Return for a latency case the median of half the round trip, ns; for a discovery case the
    time to the first sample, ns; else the goodput, Mbit/s.

    Goodput is that which leaves one node: in both directions at once it is the mean of the two.
    """
    if case.test == "latency":
        return case.round_medians
    if case.test == "discovery":
        return per_round(case, lambda attempt: attempt.first_sample_ns)
    both = directions(case.params)
    return per_round(case, lambda attempt: (attempt.mbit_per_s or 0.0) / both)


def samples_per_s(case: CaseSummary) -> PerRound:
    """Return the samples that arrived per second; for a latency case the pings."""
    return per_round(case, arrivals_per_s)


def mbit_per_s(case: CaseSummary) -> PerRound:
    """Return the samples that arrived in Mbit/s of bodies."""
    bits = (case.size or 0) * 8e-6
    return {number: rate * bits for number, rate in samples_per_s(case).items() if bits}


def received(case: CaseSummary) -> PerRound:
    """Return the distinct samples received; 0 where all were lost."""
    return _per_round(case, lambda attempt: attempt.received)


def expected(case: CaseSummary) -> PerRound:
    """Return the samples that readers should have received."""
    return per_round(case, lambda attempt: attempt.expected)


def of_latency(figure: Callable[[RoundLatency], float | None]) -> Value:
    """Return a value that is a figure of half the round trips of pings or probes."""

    def value(case: CaseSummary) -> PerRound:
        part = case.plugins.get("papers")
        known = part.latencies if part else {}
        return per_round(case, lambda of: figure(known[of.round]) if of.round in known else None)

    return value


def constant(figure: Callable[[Parameters], float | None]) -> Value:
    """Return a value that the parameters give, such as a specified rate: the same for each
    round."""

    def value(case: CaseSummary) -> PerRound:
        known = figure(case.params)
        return dict.fromkeys(headline(case), known) if known else {}

    return value
