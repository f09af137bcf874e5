"""What is known to be wrong with the figures of performance_test, from its sources."""

from __future__ import annotations

from busmark.importers.model import Flaw, Imported, Observed, Run
from busmark.importers.performance_test.experiment import Experiment
from busmark.importers.sizes import size_flaw, sizes_of

MOMENTS = Flaw(
    "performance-test-no-percentiles", "warning", "There are no percentiles, and no median",
    "performance_test keeps mean, least, greatest and variance of every second. A median cannot be "
    "computed from them.",
    "Compare means, or measure again with a tool that keeps samples.",
)  # fmt: skip
VARIANCE = Flaw(
    "performance-test-variance", "note", "The column latency_variance (ms) has another unit",
    "It is the variance in s² times 1000. The deviations shown here were computed by that.",
    "Do not use the column without converting it.",
)  # fmt: skip
RATES = Flaw(
    "performance-test-rates", "note", "Counts are sums of rates",
    "received, sent and lost are samples per second of each publisher and subscriber, cut to whole "
    "numbers and added up. Counts shown here are their sums over all rows, as the tool counts; "
    "rates are their means over time. Both are too low by up to one for each row and endpoint.",
    "Do not read small differences between counts as losses.",
)  # fmt: skip
LOST_FIRST = Flaw(
    "performance-test-lost-before-match", "warning", "Samples sent before matching count as lost",
    "The first sample that comes with a number above 1 makes all before it lost.",
    "Run it with --ignore and --wait-for-matched-timeout, or leave the first seconds out.",
)  # fmt: skip
ACTUAL = Flaw(
    "performance-test-actual-time", "note", "Latency counts from the actual sending",
    "A sample is stamped when it is really sent. What a late publisher delayed is not in its "
    "latency; the loop's reserve of time, which would show it, is not imported.",
    "Look at pub_loop_res_min: below 0 the rate was not kept.",
)  # fmt: skip
ONE_HOST = Flaw(
    "performance-test-one-host", "note", "One-way latency is right on one host only",
    "Stamps are of a clock that counts from the host's start.",
    "Between hosts use --roundtrip-mode.",
)  # fmt: skip
WARM_UP = Flaw(
    "performance-test-warm-up", "note", "Warm-up is in the figures",
    "No row at the begin was left out.",
    "Run it with --ignore.",
)  # fmt: skip
NOTHING = Flaw(
    "performance-test-nothing-received", "error", "Nothing was received",
    "No row has a received sample, so that there is no latency. The tool counts no loss either: it "
    "counts only what is missing between samples that it received.",
    "See whether the endpoints had matched, and whether their QoS are compatible.",
)  # fmt: skip
HALF = Flaw(
    "performance-test-one-half", "note", "The other half of the run is not in this file",
    "Publishers and subscribers ran in processes of their own, each of which knows only its own "
    "side.",
    "Import the other process's file together with this one.",
)  # fmt: skip
HALVES = Flaw(
    "performance-test-two-halves", "note", "Sent and received were counted by two processes",
    "The two begin and end each at its own time, and cut their rates each by itself. So what was "
    "sent need not be what was received and lost together, and the difference is no loss.",
    "Read loss from the count of lost samples.",
)  # fmt: skip
SIZE = size_flaw(
    "performance-test",
    "the size in the message's name: the array without time and number, or, since 1.5, the whole",
)

FLAWS = (MOMENTS, VARIANCE, RATES, LOST_FIRST, ACTUAL, ONE_HOST, WARM_UP, NOTHING, HALF, HALVES,
         SIZE)  # fmt: skip

ABSENT = {"written": "what was received, and its latency", "read": "how many samples were sent"}
"""What a half does not know."""


def observe(imported: Imported, run: Run, form: str, experiment: Experiment) -> None:
    """Those that the file shows."""
    found = imported.observed
    rows = len(experiment.rows)
    if run.stated:
        found.append(Observed(MOMENTS, f"moments of {rows} rows", [run]))
        if form == "csv":
            found.append(Observed(VARIANCE, f"{rows} rows", [run]))
        found.append(Observed(ACTUAL, f"rate {experiment.rate_hz or 'unlimited'}", [run]))
        if experiment.quantity == "one_way":
            found.append(Observed(ONE_HOST, f"roundtrip mode {experiment.roundtrip}", [run]))
    found.append(Observed(RATES, f"{rows} rows", [run]))
    first = next((row for row in experiment.rows if row.received_per_s), None)
    if first is not None and first.lost_per_s and not experiment.ignored_s:
        shown = f"{first.lost_per_s:g} lost per second in line {first.line}"
        found.append(Observed(LOST_FIRST, shown, [run]))
    if not experiment.ignored_s:
        begin = experiment.rows[0].end_s - experiment.rows[0].length_s
        if begin < 1.0:
            found.append(Observed(WARM_UP, f"the first row begins at {max(0, begin):.1f} s", [run]))
    if run.values.get("received") == 0:
        found.append(Observed(NOTHING, f"{rows} rows, 0 received", [run]))
    if run.params.get("size") is not None:
        found.append(Observed(SIZE, sizes_of([run]), [run]))
