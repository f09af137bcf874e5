"""Figures of one run, whatever form they came in."""

from __future__ import annotations

from collections.abc import Mapping

from busmark.importers.model import Run, Stated

ADAPTER = "rti"
TITLE = "RTI Connext"

PERCENTS = (50.0, 90.0, 99.0, 99.99, 99.9999)
"""Percentiles of every latency summary."""

NAMES: dict[str, tuple[str, float | None]] = {
    "Ave": ("mean", None),
    "Std": ("std", None),
    "Min": ("min", None),
    "Max": ("max", None),
    **{f"{p:.10g}%": ("percentile", p) for p in PERCENTS},
}
"""Names in Perftest's tables: which statistic that is, and of which percentage."""


def latency_run(size: int, times_ns: Mapping[str, float | None], line: int) -> Run:
    """From a latency summary; the keys are in `NAMES`. All of them are halves of round trips,
    whatever the heading says. A summary of nothing is all zeros."""
    run = Run({"test": "latency", "adapter": ADAPTER, "size": size, "arrivals": "unstated"})
    run.line = line
    if not any(times_ns.values()):
        run.values |= {"status": "failed", "reason": "no pong was received: all figures are 0"}
        run.params["size"] = size or None
        return run
    for name, value in times_ns.items():
        statistic, percent = NAMES[name]
        if value is not None:
            run.stated.append(
                Stated("half_round_trip", statistic, value, percent, line=line)  # type: ignore[arg-type]
            )
    return run


def throughput_run(
    size: int,
    received: int | None,
    per_s: float | None,
    mbit: float | None,
    lost: int | None,
    line: int,
) -> Run:
    """From a throughput summary, as the subscriber prints it."""
    run = Run({"test": "throughput", "adapter": ADAPTER, "size": size}, line=line)
    run.values = {
        "received": received,
        "samples_per_s": per_s,
        "mbit_per_s": mbit,
        "lost": lost,
        "expected": None if received is None or lost is None else received + lost,
    }
    if not received:
        run.values |= {"status": "failed", "reason": "no sample was received"}
    return run
