"""Values of a case: one for each counted round, by its number.

What a ratio is of. A round without the value, or with nothing but 0, has no place in a ratio and is
left out.
"""

from __future__ import annotations

from collections.abc import Callable

from busmark.estimate.capacity import directions
from busmark.estimate.case import CaseSummary
from busmark.estimate.repeated import arrivals_per_s
from busmark.estimate.rounds import RoundLatency, RoundSummary
from busmark.model.parameters import Parameters

PerRound = dict[int, float]
"""A value for each counted round, by its number."""

Value = Callable[[CaseSummary], PerRound]


def per_round(case: CaseSummary, of: Callable[[RoundSummary], float | None]) -> PerRound:
    """`of` every counted round that has it."""
    return {number: value for number, value in _known(case, of).items() if value}


def _known(case: CaseSummary, of: Callable[[RoundSummary], float | None]) -> PerRound:
    counted = [attempt for attempt in case.attempts if attempt.status == "ok"]
    return {attempt.round: value for attempt in counted if (value := of(attempt)) is not None}


def headline(case: CaseSummary) -> PerRound:
    """For a latency case the median of half the round trip, ns; for a discovery case the time to
    the first sample, ns; else the goodput, Mbit/s.

    Goodput is that which leaves one node: in both directions at once it is the mean of the two.
    """
    if case.test == "latency":
        return case.round_medians
    if case.test == "discovery":
        return per_round(case, lambda attempt: attempt.first_sample_ns)
    both = directions(case.params)
    return per_round(case, lambda attempt: (attempt.mbit_per_s or 0.0) / both)


def samples_per_s(case: CaseSummary) -> PerRound:
    """Samples that arrived per second; of a latency case the pings."""
    return per_round(case, arrivals_per_s)


def mbit_per_s(case: CaseSummary) -> PerRound:
    """The same in Mbit/s of bodies."""
    bits = (case.size or 0) * 8e-6
    return {number: rate * bits for number, rate in samples_per_s(case).items() if bits}


def received(case: CaseSummary) -> PerRound:
    """Distinct samples received; also 0, where all were lost."""
    return _known(case, lambda attempt: attempt.received)


def expected(case: CaseSummary) -> PerRound:
    """Samples that readers should have received."""
    return per_round(case, lambda attempt: attempt.expected)


def of_latency(figure: Callable[[RoundLatency], float | None]) -> Value:
    """A figure of half the round trips, of pings or of probes in a stream."""

    def value(case: CaseSummary) -> PerRound:
        return per_round(
            case, lambda attempt: None if attempt.latency is None else figure(attempt.latency)
        )

    return value


def constant(figure: Callable[[Parameters], float | None]) -> Value:
    """A figure that the parameters give, such as what was specified: the same for each round."""

    def value(case: CaseSummary) -> PerRound:
        known = figure(case.params)
        return dict.fromkeys(headline(case), known) if known else {}

    return value
