"""Requests of a service: how long until there is a response, how often there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from busmark.model.entry import (
    SERVED,
    SERVICES,
    STUDENT,
    Compared,
    EstimatedQuantity,
    Explained,
    Number,
)
from busmark.model.quantities.host import CPUS_USED

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary
    from busmark.model.entry import Row
    from busmark.model.parameters import Parameters

SERVICE = ("service",)

PARTS = (
    ("request", "from just before the call that sends a request to its arrival at the server; "
     "where the middleware does not stamp arrivals, to the server's hands, so that it contains the "
     "time in the middleware's queue", "echo_delivered_ns", "sent_ns"),
    ("waiting", "from a request's arrival at the server to the begin of the work on it",
     "echo_read_ns", "echo_delivered_ns"),
    ("work", "from the begin of the work to just before the call that sends the response",
     "echo_sent_ns", "echo_read_ns"),
    ("reply", "from just before that call to the response in the client's hands",
     "read_ns", "echo_sent_ns"),
)  # fmt: skip
"""Name, meaning, later and earlier stamp of the parts of a response time; the last is not named
after the whole."""

BOTH = Explained(
    "Parts of a response time",
    tuple(f"{name}_time" for name, *_ in PARTS),
    "Medians of what a response time consists of: the request's way to the server, waiting there, "
    "the server's work, the response's way back. Medians of parts do not add up to the median of "
    "the whole.",
    "; ".join(f"{name}: `{late} − {early}`" for name, _, late, early in PARTS) + ". " + STUDENT,
    "samples, role `client`",
    "What of the request's time was spent in a queue, where the middleware does not stamp the "
    "arrival of samples.",
    section="Service",
)

PART_TIMES = tuple(
    EstimatedQuantity(
        key=f"{name}_time_median",
        quantity=f"{name}_time",
        unit="ns",
        suffix="_ns",
        meaning=f"median part of a response time: {meaning}",
        tests=SERVICE,
        explained=(BOTH,),
    )
    for name, meaning, *_ in PARTS
)


def per_s(*columns: str) -> Callable[[Row, Parameters], float | None]:
    """Return the function that gives the sum of these columns in a second of a round."""

    def rate(row: Row, params: Parameters) -> float | None:
        known = [value for column in columns if (value := row.get(column)) is not None]
        seconds = row.get("measured_s")
        return sum(known) / seconds if seconds and len(known) == len(columns) else None

    return rate


answered_per_s = per_s("received")

REQUEST_RATE = EstimatedQuantity(
    key="request_rate",
    unit="1/s",
    suffix="_per_s",
    meaning="requests that were answered in time, in a second, of all clients together; of the "
    "test service-capacity at the sustained rate",
    tests=SERVICES,
    more_is_better=True,
    also=("requests", "calls", "rps"),
    compared=Compared(
        name="request_rate",
        word="requests answered",
        tests=SERVICE,
        more="faster",
        less="slower",
        otherwise="no round has one",
        of_round=answered_per_s,
        unit=lambda params: "1/s",
        counted="received",
    ),
    explained=(
        Explained(
            "Requests answered in a second",
            ("request_rate",),
            "Requests with a response in time, of all clients together, over the measured time. In "
            "a closed loop it is what the response time allows; at a rate it is at most the rate.",
            "responses in time / measured time of the round. " + STUDENT,
            "`cases`: `received`, `measured_s`",
            "The highest rate that the service can answer: that is a search, "
            '`test = "service-capacity"`.',
            section="Service",
        ),
    ),
)

AVAILABLE = EstimatedQuantity(
    key="available",
    unit="ns",
    suffix="_ns",
    meaning="time from a client's first request, or goal, to the first response, before the "
    "warm-up; of several clients the longest",
    tests=SERVED,
    also=("availability",),
)

LATE = Number(
    key="late_responses",
    meaning="responses that came after their time-out, so that their requests count as unanswered",
    tests=SERVICE,
)
TWICE = Number(
    key="repeated_responses",
    meaning="further responses to a request that had one",
    tests=SERVICE,
)
MISROUTED = Number(
    key="misrouted_responses",
    meaning="responses that reached another client than the one that asked, or named another "
    "request than they answered",
    tests=SERVICE,
)
REFUSED = Number(
    key="refused_requests",
    meaning="requests that the middleware refused to send within the time-out; they count as "
    "unanswered",
    tests=SERVICE,
)
IGNORED = Number(
    key="ignored_requests",
    meaning="requests without a response that clients sent before their first response, although "
    "they had matched the server, where the middleware counts it",
    tests=SERVICE,
    explained=(
        Explained(
            "Requests that are not answered in time",
            (
                "late_responses",
                "repeated_responses",
                "misrouted_responses",
                "refused_requests",
                "ignored_requests",
            ),
            "A request counts as answered when the first response with its number has reached the "
            "client that asked, within `measure.timeout_s`. A response later than that, a second "
            "one, and one at another client are counted apart, and change nothing of that.",
            "counts of the rounds that count; ignored requests are those before the warm-up, which "
            "no other figure contains",
            "`cases`: `late`, `duplicated`, `misrouted`, `refused`, `ignored`",
            "What became of a request without a response: it or its response may be lost, or wait "
            "in a queue.",
            section="Service",
        ),
    ),
)


def cpu_per(rate: EstimatedQuantity) -> Callable[[CaseSummary], float | None]:
    """Return the function that gives the CPU time, ns, for each of what this is the rate of."""

    def spent(case: CaseSummary) -> float | None:
        used, per_s = CPUS_USED.figure(case), rate.figure(case)
        return 1e9 * used.value / per_s.value if used and per_s and per_s.value else None

    return spent


CPU_PER_REQUEST = Number(
    key="cpu_per_request",
    unit="ns",
    statistic="value",
    meaning="CPU time that clients and server together took for each request that was answered: "
    "`cpu` over `request_rate`",
    tests=SERVICE,
    pick=cpu_per(REQUEST_RATE),
)

OF_CASES = (
    REQUEST_RATE,
    *PART_TIMES,
    AVAILABLE,
    LATE,
    TWICE,
    MISROUTED,
    REFUSED,
    IGNORED,
    CPU_PER_REQUEST,
)
"""Quantities in the order of tables."""
