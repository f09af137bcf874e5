"""What is known to be wrong with the figures of RTI Perftest, from its sources."""

from __future__ import annotations

from busmark.importers.model import Flaw, Imported, Observed, Run
from busmark.importers.perftest.latency_file import UNKNOWN
from busmark.importers.sizes import size_flaw, sizes_of

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
    "announced; nothing at its begin is discarded.",
    "Use long runs (-executionTime), in which they do not matter.",
)
LATENCY_FILE = Flaw(
    UNKNOWN,
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

FLAWS = (HALVED, CLOSED, COUNT, FEW_SAMPLES, TAIL, RESOLUTION, LOSS, WARM_UP, CPU, LATENCY_FILE,
         UNIT, SIZE)  # fmt: skip


def observe(imported: Imported) -> None:
    """Those that the runs of one file show."""
    latency = [r for r in imported.runs if r.params["test"] == "latency" and r.stated]
    streams = [r for r in imported.runs if r.params["test"] == "throughput"]
    found = imported.observed
    if latency:
        n = len(latency)
        found.append(Observed(HALVED, f"latency of {sizes_of(latency)}", latency))
        found.append(
            Observed(CLOSED, f"{n} latency summaries without a count of lost pings", latency)
        )
        unknown = [r for r in latency if "samples" not in r.values]
        if unknown:
            found.append(Observed(COUNT, f"{len(unknown)} latency summaries", unknown))
        few = [r for r in latency if r.values.get("samples", FEW) < FEW]
        if few:
            counts = ", ".join(str(r.values["samples"]) for r in few[:4])
            found.append(Observed(FEW_SAMPLES, f"{counts} samples by the lines of intervals", few))
        if imported.form == "json":
            found.append(Observed(UNIT, f"latency of {sizes_of(latency)}", latency))
        coarse = [r for r in latency if _whole_microseconds(r)]
        if coarse:
            found.append(Observed(RESOLUTION, f"every time of {sizes_of(coarse)}", coarse))
        capped = [r for r in latency if _capped(r)]
        if capped:
            shown = ", ".join(f"{p:.10g} % at {r.params['size']} B" for r in capped[:3]
                             for p in _capped(r)[:1])  # fmt: skip
            found.append(Observed(TAIL, f"{shown} is the maximum", capped))
    if streams:
        lossy = [r for r in streams if r.values.get("lost")]
        if lossy:
            total = sum(r.values["lost"] for r in lossy)
            found.append(Observed(LOSS, f"{total} samples reported as lost", lossy))
        found.append(Observed(WARM_UP, f"throughput of {sizes_of(streams)}", streams))
    busy = [r for r in imported.runs if "process_cpu" in r.values]
    if busy:
        told = ", ".join(
            f"{r.values['process_cpu']:.2%}".replace("%", " %") + f" at {r.params['size']} B"
            for r in busy[:4]
        )
        found.append(Observed(CPU, told, busy))
    loose = [r for r in imported.runs if UNKNOWN in r.notes]
    if loose:
        counts = ", ".join(str(r.samples.height) for r in loose if r.samples is not None)
        found.append(Observed(LATENCY_FILE, f"{counts} samples", loose))
    sized = [r for r in imported.runs if r.params.get("size") is not None]
    if sized:
        found.append(Observed(SIZE, sizes_of(sized), sized))


def _whole_microseconds(run: Run) -> bool:
    """Whether all observed values are."""
    observed = (s for s in run.stated if s.statistic in ("min", "max", "percentile"))
    return all(s.value_ns % 1000 == 0 for s in observed)


def _capped(run: Run) -> list[float]:
    """Percentages whose figure is the maximum."""
    top = next((s.value_ns for s in run.stated if s.statistic == "max"), None)
    return [s.percent for s in run.stated if s.percent is not None and s.value_ns == top]
