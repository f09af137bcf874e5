"""Result directories to compare, written in the real format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from synthetic_campaign import HOST, Builder, samples_around

from busmark.compare import Comparison, Criterion, Gate, compare, select

__all__ = ["HOST", "Builder", "campaign", "compared", "flood", "samples_around"]


def campaign(
    directory: Path,
    factor: float = 1.0,
    *,
    seed: int = 1,
    cases: Iterable[Mapping[str, Any]] = ({"adapter": "udp"}, {"adapter": "cyclonedds"}),
    rounds: int = 5,
    samples: int = 1200,
    build: Builder | None = None,
    **finish: Any,
) -> Path:
    """Write latency cases around 10 µs × `factor`, rounds within half a per cent; `seed` makes the
    cookie, too."""
    rng = np.random.default_rng(seed)
    build = build or Builder(directory, seed=seed)
    for params in cases:
        size = params.get("size", 64)
        name = f"{params['adapter']}-{size}-{params.get('placement', 'same')}"
        params = {"transport": "udp", **params}
        case = build.case(str(params.pop("id", name)), **params)  # type: ignore[attr-defined]
        for number in range(rounds):
            median = 10_000 * factor * rng.normal(1, 0.005)
            build.pings(case, number, samples_around(median, samples, rng))
            build.rows[-1]["discovery_s"] = 0.02 * rng.normal(1, 0.02)
    return build.finish(**{"cookie": f"{seed:016x}", **finish})


def flood(build: Builder, per_s: Iterable[float], case: str = "udp-flood", lost: int = 0) -> None:
    """Add a throughput case with these rates, one round each."""
    build.case(case, test="throughput", adapter="udp", size=1024, placement="different")
    for number, rate in enumerate(per_s):
        build.stream(case, number, rate, 1024, lost=lost)


def compared(*sides: Path | str, by: Iterable[str] = (), **options: Any) -> Comparison:
    """Run `busmark compare` without its command line; `fail_if` has criteria as text."""
    criteria = [Criterion.parse(text) for text in options.pop("fail_if", ())]
    gate = Gate(criteria, options.pop("undecided", None), options.pop("missing", "fail"))
    baseline = options.pop("baseline", None)
    chosen = select([str(side) for side in sides], list(by), baseline)
    return compare(chosen, by=list(by), gate=gate, **options)
