"""Figures of one run, whatever form they came in."""

from __future__ import annotations

from collections.abc import Mapping

from busmark.importers.model import Quantity, Run, Stated

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


PARTS: dict[str, Quantity] = {
    "Serialization": "serialization", "Deserialization": "deserialization",
}  # fmt: skip
"""Further times of a summary, each a mean."""


def counted(lines: int, latency: float, mean: float) -> int:
    """Latencies of a run that prints each of them, with the mean so far, but for the first one:
    then the first line's mean is of two."""
    return lines if abs(latency - mean) <= 0.5 else lines + 1


def percent_of_cpus(run: Run, percent: float | None) -> None:
    """Adds what the process used of all CPUs together."""
    if percent is not None:
        run.values["process_cpu"] = percent / 100


def serialization(run: Run, name: str, value_ns: float | None, line: int) -> None:
    """Adds one of `PARTS`."""
    if value_ns is not None:
        run.stated.append(Stated(PARTS[name], "mean", value_ns, line=line))


def latency_run(
    size: int, times_ns: Mapping[str, float | None], line: int, count: int | None = None
) -> Run:
    """From a latency summary; the keys are in `NAMES` and `PARTS`. Those of `NAMES` are halves of
    round trips, whatever the heading says. A summary of nothing is all zeros."""
    run = Run({"test": "latency", "adapter": ADAPTER, "size": size, "arrivals": "unstated"})
    run.line = line
    if not any(times_ns.values()):
        run.values |= {"status": "failed", "reason": "no pong was received: all figures are 0"}
        run.params["size"] = size or None
        return run
    if count is not None:
        run.values["samples"] = count
    for name, value in times_ns.items():
        if value is None:
            continue
        if name in PARTS:
            serialization(run, name, value, line)
            continue
        statistic, percent = NAMES[name]
        run.stated.append(
            Stated("half_round_trip", statistic, value, percent, count, line=line)  # type: ignore[arg-type]
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
