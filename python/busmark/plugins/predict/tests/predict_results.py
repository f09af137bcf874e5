"""Results whose truth is known, without files of samples: predictions need none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from synthetic_campaign import Builder

from busmark.store import Result

SIZES = (64, 1024, 8192, 32768, 65536)
RATES = (1000.0, 2000.0, 4000.0, 8000.0, 16000.0, 32000.0, 64000.0)


def sizes(
    build: Builder,
    overhead_ns: float,
    slope: float,
    *,
    points: Sequence[int] = SIZES,
    rounds: int = 5,
    noise: float = 0.01,
    **params: Any,
) -> list[str]:
    """Add latency cases whose median RTT/2 is overhead + slope · size; return their ids."""
    rng = np.random.default_rng(len(build.cases))
    ids = []
    for size in points:
        name = "-".join([str(v) for v in params.values() if isinstance(v, str)])
        case = build.case(f"{len(build.cases):03d}-{name}-{size}", size=size, **params)
        for number in range(rounds):
            median = 2 * (overhead_ns + slope * size) * rng.normal(1.0, noise)
            build.row(
                case, number, samples=1000, sent=1000, expected=1000, lost=0, median_ns=median
            )
        ids.append(case)
    return ids


def rates(
    build: Builder,
    latency_ns: Callable[[float], float],
    loss: Callable[[float], float],
    *,
    points: Sequence[float] = RATES,
    rounds: int = 5,
    noise: float = 0.01,
    **params: Any,
) -> list[str]:
    """Add throughput cases at set rates; return their ids."""
    rng = np.random.default_rng(len(build.cases))
    ids = []
    for rate in points:
        case = build.case(
            f"{len(build.cases):03d}-rate-{rate:g}",
            test="throughput",
            rate_hz=rate,
            arrivals="constant",
            size=1024,
            **params,
        )
        for number in range(rounds):
            sent = round(rate * 2)
            lost = round(sent * min(1.0, max(0.0, loss(rate) * rng.normal(1.0, noise))))
            build.row(
                case,
                number,
                samples=sent // 20,
                sent=sent,
                expected=sent,
                received=sent - lost,
                lost=lost,
                median_ns=2 * latency_ns(rate) * rng.normal(1.0, noise),
                written_per_s=rate,
            )
        ids.append(case)
    return ids


def result(build: Builder, **changes: Any) -> Result:
    """Finish the result, and read it again."""
    return Result(build.finish(**changes))


def queue(capacity: float, idle_ns: float) -> Callable[[float], float]:
    """Return a latency by rate that stays at its floor, and grows beyond the capacity."""
    return lambda rate: idle_ns * max(1.0, (rate / capacity) ** 2)


def fluid(capacity: float) -> Callable[[float], float]:
    """Return a loss by rate: the capacity is carried and the rest dropped."""
    return lambda rate: max(0.0, 1.0 - capacity / rate)


def two_adapters(directory: Path) -> Result:
    """Return a result with sizes of two adapters, and rates of one."""
    build = Builder(directory)
    sizes(build, 5000.0, 0.2, adapter="udp")
    sizes(build, 9000.0, 0.1, adapter="tcp")
    rates(build, queue(12000.0, 6000.0), fluid(12000.0), adapter="udp")
    return result(build)
