"""Figures of a run, whatever form they came in, and what is known to be wrong with them.

What Perftest prints of itself on the standard error stream is a part of this, where that was
captured too. The flaws are from the sources of RTI Perftest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    size_flaw,
    sizes_of,
)
from busmark.plugins.imports.text import SourceText

ADAPTER = "rti"

PERCENTS = (50.0, 90.0, 99.0, 99.99, 99.9999)
"""Percentiles of every latency summary."""

NAMES: dict[str, tuple[Statistic, float | None]] = {
    "Ave": ("mean", None),
    "Std": ("std", None),
    "Min": ("min", None),
    "Max": ("max", None),
    **{f"{p:.10g}%": ("percentile", p) for p in PERCENTS},
}
"""Names in Perftest's tables: which statistic that is, and of which percentage."""


PARTS: dict[str, Quantity] = {
    "Serialization": "serialization",
    "Deserialization": "deserialization",
}
"""Further times of a summary, each a mean."""

HALVED = Flaw(
    "perftest-one-way",
    "note",
    "What is called one-way latency is RTT/2",
    "Perftest times a ping and its pong, halves the time, and prints it as one-way latency. The "
    "two ways need not be equal.",
    "Compare it with RTT/2 of others, never with a one-way latency.",
)
CLOSED = Flaw(
    "perftest-lost-pings",
    "warning",
    "Lost and late pings are not reported",
    "A ping whose pong does not come is not in the latencies, and nothing counts it; with best "
    "effort the wait ends after 200 ms, and a pong that comes later is still recorded.",
    "Read loss from the throughput of the same set-up; do not read a tail over a lossy link.",
)
COUNT = Flaw(
    "perftest-no-count",
    "note",
    "The number of latency samples is not reported",
    "Summaries have percentiles to 99.9999 %, and no count. With fewer than a million samples the "
    "last ones are the maximum.",
    "Import the file of -latencyFile beside it.",
    of_summaries=True,
)
FEW = 20
"""Samples from which on ten lie beyond a median."""
FEW_SAMPLES = Flaw(
    "perftest-few-samples",
    "warning",
    "All percentiles rest on a few samples",
    "Perftest prints percentiles to 99.9999 % of any number of samples. The number follows from "
    "its lines of intervals: one for each sample but the first.",
    "Read these percentiles as Perftest's own statement; run it longer (-executionTime).",
    of_summaries=True,
)
CPU = Flaw(
    "perftest-cpu",
    "note",
    "CPU is of one process, as a share of all CPUs",
    "What the process used, over the number of CPUs. The other process is in no file of this one, "
    "and how many CPUs there are is not stated.",
    "Multiply by the number of CPUs to get CPUs kept busy.",
)
TAIL = Flaw(
    "perftest-percentile-is-maximum",
    "warning",
    "A percentile is the maximum",
    "Perftest takes the sample at index count·percent/100. Where there are too few samples, that "
    "is the last one.",
    "Take more samples, or leave this percentile out of a comparison.",
)
RESOLUTION = Flaw(
    "perftest-microseconds",
    "note",
    "Times are whole microseconds",
    "Without RTI_PERFTEST_NANO_CLOCK Perftest keeps latencies as whole microseconds of RTT/2. "
    "Three digits are there from 100 µs up.",
    "Build it with RTI_PERFTEST_NANO_CLOCK where latencies are some ten microseconds.",
)
LOSS = Flaw(
    "perftest-loss",
    "warning",
    "Reordering is counted as loss",
    "After a sample that comes late Perftest counts on from its number, so that 1, 2, 4, 3, 5 is "
    "two lost and none was.",
    "Where samples may be reordered (several paths, best effort), count loss with another tool.",
)
WARM_UP = Flaw(
    "perftest-warm-up",
    "note",
    "Warm-up and end are in the rate",
    "The time of a throughput test begins with its first sample and ends when the end is "
    "announced; nothing at its start is discarded.",
    "Use long runs (-executionTime), in which they do not matter.",
)
LATENCY_FILE = Flaw(
    "perftest-latency-file",
    "warning",
    "The latency file does not say its size and unit",
    "Samples of -latencyFile join a summary that has the same least and greatest value and mean. "
    "For these there is none. They are taken for microseconds; a build with "
    "RTI_PERFTEST_NANO_CLOCK writes nanoseconds.",
    "Import it together with the output of the same run, or name the size with --set size=….",
)
UNIT = Flaw(
    "perftest-json-unit",
    "note",
    "The JSON does not state its unit",
    "Perftest's JSON has numbers only. They are taken for microseconds; up to 4.2 a build with "
    "RTI_PERFTEST_NANO_CLOCK wrote nanoseconds.",
    "Look whether the latencies are as long as they can be.",
)
SIZE = size_flaw("perftest", "Perftest's header of 28 bytes is in it")

FLAWS = (
    HALVED,
    CLOSED,
    COUNT,
    FEW_SAMPLES,
    TAIL,
    RESOLUTION,
    LOSS,
    WARM_UP,
    CPU,
    LATENCY_FILE,
    UNIT,
    SIZE,
)


def counted(lines: int, latency: float, mean: float) -> int:
    """Return the number of latencies of a run that prints each of them, with the mean so far. Where
    it leaves the first one out, the first line's mean is of two."""
    return lines if abs(latency - mean) <= 0.5 else lines + 1


def percent_of_cpus(run: Run, percent: float | None) -> None:
    """Add what the process used of all CPUs together."""
    if percent is not None:
        run.values["process_cpu"] = percent / 100


def serialization(run: Run, name: str, value_ns: float | None, line: int) -> None:
    """Add one of `PARTS`."""
    if value_ns is not None:
        run.reported.append(ReportedFigure(PARTS[name], "mean", value_ns, line=line))


def latency_run(
    size: int, times_ns: Mapping[str, float | None], line: int, count: int | None = None
) -> Run:
    """Return the run of a latency summary; the keys are in `NAMES` and `PARTS`. Values of `NAMES`
    are halves of round trips, whatever the heading says. A summary of nothing is all zeros."""
    params = RunParameters(test="latency", adapter=ADAPTER, arrivals="unstated")
    params.size = size
    run = Run(params, line=line)
    if not any(times_ns.values()):
        run.values |= {"status": "failed", "reason": "no pong was received: all figures are 0"}
        params.size = size or None
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
        run.reported.append(
            ReportedFigure("half_round_trip", statistic, value, percent, count, line=line)
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
    """Return the run of a throughput summary, as the subscriber prints it."""
    run = Run(RunParameters(test="throughput", adapter=ADAPTER), line=line)
    run.params.size = size
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


def observe(imported: ImportedFile) -> None:
    """Add the flaws that the runs of one file show."""
    latency = [run for run in imported.of_test("latency") if run.reported]
    imported.observe(HALVED, f"latency of {sizes_of(latency)}", latency)
    imported.observe(CLOSED, f"latency of {sizes_of(latency)}", latency)
    unknown = [run for run in latency if "samples" not in run.values]
    imported.observe(COUNT, f"latency of {sizes_of(unknown)}", unknown)
    few = [run for run in latency if run.values.get("samples", FEW) < FEW]
    counts = ", ".join(str(run.values["samples"]) for run in few[:4])
    imported.observe(FEW_SAMPLES, f"{counts} samples by the lines of intervals", few)
    if imported.form == "json":
        imported.observe(UNIT, f"latency of {sizes_of(latency)}", latency)
    coarse = [
        run
        for run in latency
        if all(s.value_ns % 1000 == 0 for s in run.reported if s.statistic not in ("mean", "std"))
    ]
    imported.observe(RESOLUTION, f"every time of {sizes_of(coarse)}", coarse)
    capped = [(run, percent) for run in latency if (percent := _capped(run)) is not None]
    shown = ", ".join(f"{percent:.10g} % at {run.params.size} B" for run, percent in capped[:3])
    imported.observe(TAIL, f"equal to the maximum: {shown}", [run for run, _ in capped])
    streams = imported.of_test("throughput")
    lossy = [run for run in streams if run.values.get("lost")]
    lost = sum(run.values["lost"] or 0 for run in lossy)
    imported.observe(LOSS, f"{lost} samples reported as lost", lossy)
    imported.observe(WARM_UP, f"throughput of {sizes_of(streams)}", streams)
    busy = [run for run in imported.runs if "process_cpu" in run.values]
    shares = (f"{run.values['process_cpu'] * 100:.2f} % at {run.params.size} B" for run in busy[:4])
    imported.observe(CPU, ", ".join(shares), busy)
    loose = [run for run in imported.runs if LATENCY_FILE.id in run.notes]
    counts = ", ".join(str(run.samples.height) for run in loose if run.samples is not None)
    imported.observe(LATENCY_FILE, f"{counts} samples", loose)
    sized = [run for run in imported.runs if run.params.size is not None]
    imported.observe(SIZE, sizes_of(sized), sized)


def _capped(run: Run) -> float | None:
    """Return the first percentage whose figure is the maximum."""
    top = next((s.value_ns for s in run.reported if s.statistic == "max"), None)
    return next((s.percent for s in run.reported if s.percent and s.value_ns == top), None)


_BEGIN = "RTI Perftest "
_VERSION = re.compile(r"^RTI Perftest (\d[\w.]*|Develop|Master)(?:.*\(([^()]*)\)\s*$)?")
_RELIABILITY = re.compile(r"^\s*Reliability:\s*(Reliable|Best Effort)")
_PINGS = "Mode: LATENCY TEST"
_WAIT = re.compile(r"^\s*Receive using:\s*(WaitSet|Listener)s")
_RATE = re.compile(r"^\s*Publication Rate:\s*(\d+) Samples/s")
_BATCH = re.compile(r"^\s*Batching:\s*(\d+) Bytes")


@dataclass(slots=True)
class Banner:
    """Lines that a run prints about itself."""

    line: int = 0
    """Line at which it begins."""
    version: str | None = None
    middleware: str | None = None
    params: RunParameters = field(default_factory=RunParameters)


def banners(source: SourceText) -> list[Banner]:
    """Return the banners of all runs in the file, in order. The first describes what stands before
    any line that names Perftest: such a line begins a run."""
    found = Banner()
    every = [found]
    for line in source.lines:
        if line.text.startswith(_BEGIN):
            found = Banner(line.number)
            every.append(found)
        if version := _VERSION.match(line.text):
            found.version, found.middleware = version[1], version[2]
        elif reliability := _RELIABILITY.match(line.text):
            words = reliability[1].lower().replace(" ", "_")
            found.params.qos = {"reliability": words}
        elif line.text.startswith(_PINGS):
            found.params.arrivals = "closed"
        elif wait := _WAIT.match(line.text):
            found.params.wait = wait[1].lower()
        elif rate := _RATE.match(line.text):
            found.params.rate_hz = float(rate[1])
        elif batch := _BATCH.match(line.text):
            found.params.settings = {"batch_bytes": int(batch[1])}
    return every


def above(every: list[Banner], line: int) -> Banner:
    """Return the latest that begins above this line."""
    return every[bisect_left(every, line, key=lambda one: one.line) - 1]
