"""Nagle's algorithm: latencies of 40 to 90 ms where it and delayed acknowledgements wait for each
other, and samples at a rate that are held back until a segment is full."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import LOCAL, MIXED, carrier
from busmark.findings.params import has_rate, settings
from busmark.findings.rule import Capabilities, Observation, Rule
from busmark.findings.text import count, duration, share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView, Series
    from busmark.model.parameters import Parameters

MS = 1e6

LOW_NS, HIGH_NS = 35.0 * MS, 100.0 * MS
"""Linux holds an acknowledgement back for 40 ms at least (TCP_DELACK_MIN); a round trip pays once
or twice, and the timer's tick and the rest of the way add up to a tenth."""

FAMILY_NS = (40.0 * MS, 44.0 * MS, 48.0 * MS, 80.0 * MS, 88.0 * MS)
"""Medians of round trips that paid for every sample, once or twice."""

TOLERANCE = 0.10
MIN_SHARE = 0.01
"""Share of the samples in the cluster, to be more than accident: it then decides the 99th
percentile."""

MAX_REST_NS = 10.0 * MS
"""Median of the other samples: on a slower path 40 ms is no sign of a timer."""

MIN_ALL_SHARE = 0.90
"""Share of the samples in the window when every sample pays; the rest are the first ones of a
connection, which the kernel acknowledges at once."""

VALLEY_NS = 20.0 * MS
MAX_VALLEY = 0.25
"""Samples from `VALLEY_NS` to `LOW_NS` over those in the cluster. A timer leaves a gap below it;
a long tail, or a queue that drains, does not."""

MIN_CLUSTER = 10
"""Fewest samples in the cluster, as for any percentile that is reported."""

MIN_HELD = 0.7
"""Share of a round's samples that arrived together with a later one: all but the last of each
segment. A reader or writer that waits for a CPU delays fewer."""

NO_DELAY = re.compile(r"no_?delay$", re.IGNORECASE)
"""Names of adapter options that switch Nagle's algorithm off."""


def check_case(view: CaseView) -> Iterator[Observation]:
    kind = carrier(view.capabilities, view.params.transport)
    if kind in ("udp", MIXED, *LOCAL):
        return
    found = list(_held_back(view)) if kind == "tcp" else []
    yield from found or _cluster(view)


def _held_back(view: CaseView) -> Iterator[Observation]:
    """Where the case leaves the algorithm on, and samples of different times arrive at once."""
    name, value = _option(view.params, view.capabilities)
    if not has_rate(view.params) or value != "false":
        return
    held = {n: own for n, own in view.held_back.items() if own[0] >= MIN_HELD}
    if len(held) * 2 <= len(view.finished):
        return
    number, (part, waited) = max(held.items(), key=lambda each: each[1][0])
    remedy = _remedy(view.params, view.capabilities)
    yield Observation(
        "warning",
        f"`{view.params.adapter}.{name} = false`; {share(round(part, 3))} of the samples of "
        f"round {number} arrived together with one that was sent later, after {duration(waited)} "
        f"(median); likewise in {len(held)} of {count(len(view.finished), 'round')}",
        weight=part,
        title="Samples wait for Nagle's algorithm",
        cause="A sender with Nagle's algorithm keeps what does not fill a segment back until all "
        "before it is acknowledged, and the receiver delays acknowledgements by 40 ms or more "
        "where it has nothing to send. Samples collect meanwhile and go together.",
        remedy=remedy,
        group=remedy,
    )


def _cluster(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    if not view.latencies:
        return
    series = np.concatenate(list(view.latencies.values()))
    inside = series[(series >= LOW_NS) & (series <= HIGH_NS)]
    part = inside.size / series.size
    if inside.size < MIN_CLUSTER or part < MIN_SHARE:
        return
    middle = float(np.median(inside))
    figures = (
        f"{share(part)} of {whole(series.size)} samples have a {view.quantity} of 35 to 100 ms "
        f"(median {duration(middle)})"
    )
    remedy = _remedy(view.params, view.capabilities)
    if part >= MIN_ALL_SHARE:
        if _in_family(middle):
            yield Observation("warning", figures, weight=part, remedy=remedy, group=remedy)
        return
    rest = float(np.median(series[(series < LOW_NS) | (series > HIGH_NS)]))
    if rest < MAX_REST_NS and _is_cluster(series, inside.size):
        evidence = f"{figures}; the median of the rest is {duration(rest)}"
        yield Observation("warning", evidence, weight=part, remedy=remedy, group=remedy)


def _in_family(middle_ns: float) -> bool:
    return any(abs(middle_ns - known) <= TOLERANCE * known for known in FAMILY_NS)


def _is_cluster(series: Series, inside: int) -> bool:
    """Whether a gap lies below the window and no tail continues above it."""
    valley = int(((series >= VALLEY_NS) & (series < LOW_NS)).sum())
    above = int((series > HIGH_NS).sum())
    return valley <= MAX_VALLEY * inside and above <= inside


def _option(params: Parameters, capabilities: Capabilities) -> tuple[str, str]:
    """Return the adapter's option that switches the algorithm off, and its value in this case;
    empty where it has none, or leaves the choice to the middleware."""
    for each in capabilities.get("options") or []:
        if NO_DELAY.search(name := str(each.get("key", ""))):
            return name, settings(params).get(name, str(each.get("value", "")))
    return "", ""


def _remedy(params: Parameters, capabilities: Capabilities) -> str:
    name, value = _option(params, capabilities)
    if not name:
        return RULE.remedy
    option = f"{params.adapter}.{name}"
    if value == "true":
        return (
            f"The option `{option}` is set: look for a peer, a proxy or a broker on the way "
            "that does not set TCP_NODELAY."
        )
    return f"Set `{option} = true` in [matrix.option]."


RULE = Rule(
    id="nagle-delayed-ack",
    title="Samples wait for Nagle's algorithm and a delayed acknowledgement",
    cause="A message is sent in two pieces: the sender keeps the second one back until the first "
    "is acknowledged (Nagle), and the receiver delays the acknowledgement by 40 ms or more to send "
    "it along with an answer that cannot come yet.",
    remedy="Set TCP_NODELAY on both sides, in the middleware's configuration and in the broker's "
    "if there is one, or send each message with one call.",
    check_case=check_case,
    explains=("bimodal", "rate-not-held", "non-stationary", "rounds-disagree"),
    concerns=("latency",),
)
