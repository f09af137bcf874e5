"""docs/reference/metrics.md: what each figure is, and what it cannot say."""

from __future__ import annotations

from tools.pages import markdown as md
from tools.pages.distribution import DISTRIBUTION, SHAPE

from busmark.compare.fits import DiscoveryGrowth, SizeFit
from busmark.model.entry import STUDENT, TESTS, PartQuantity
from busmark.model.entry import Explained as Metric
from busmark.model.figure import Frozen
from busmark.model.latency import SegmentTable
from busmark.model.quantities import OF_CASES, QUANTITIES, parts
from busmark.plugins.capture.route import Wire


def _tabled(section: str) -> tuple[Metric, ...]:
    """Return the entries of this section in the table of quantities, each once."""
    found = (text for one in OF_CASES for text in one.explained if text.section == section)
    return tuple(dict.fromkeys(found))


BY_ROUND = Metric(
    "Statistics of each round",
    (),
    "For each latency the median, mean and percentiles of every round (scope `round`), and what "
    "intervals and comparisons are made of besides: the variance that the variation inside a round "
    "implies (over `inside`).",
    "as of a typical round, before the median over rounds is taken",
    "samples of each counted round",
    "More than the figure of a typical round does: single rounds have no interval.",
)

LATENCY = (
    BY_ROUND,
    Metric(
        "Round trip", ("round_trip",),
        "From the intended sending of a ping to its pong in the pinger's hands. In a closed loop "
        "the intended time is the time of the first attempt to write.",
        "`read_ns − intended_ns` of every ping that came back, warm-up excluded",
        "samples, role `pinger`",
        "Where the time went. Pings whose pong never came are later than any in percentiles, and "
        "in no other figure.",
    ),
    Metric(
        "RTT/2", ("half_round_trip",),
        "Each round trip divided by two. The headline of a latency table.",
        "`(read_ns − intended_ns) / 2`",
        "samples, role `pinger`",
        "It is not one-way latency: the two ways need not be equal, and the responder's turn-round "
        "is in it.",
    ),
    *_tabled("Latency"),
    Metric(
        "Segments", ("segments",),
        "Parts of a ping's way: write (T1→T2), transport (T2→T3), read (T3→T4), turn-round (T4 to "
        "the pong's T1).",
        "median of the difference of two stamps. " + STUDENT,
        "samples, role `pinger`",
        "Medians of parts do not add up to the median of the whole. Transport can be negative: the "
        "sample may arrive before write returns. Transport and read are absent where the responder "
        "polls. A pong that is written inline has turn-round 0.",
    ),
    Metric(
        "Segments with their best samples", ("segment_tables",),
        "Each part of the way there and back, as far as there are stamps by one clock, with count, "
        "minimum, mean, maximum and standard deviation of the best 100, 99.9, 99 and 90 %.",
        "see [Segment](#segment)",
        "samples, role `pinger`; all rounds together",
        "How the next campaign will differ: there are no intervals. Each segment is put in order "
        "by itself, so the best of two segments need not be of the same pings.",
    ),
    Metric(
        "Arrivals", ("arrivals",),
        "`closed`: the next ping leaves when the pong has come. `open`: pings leave at a rate of "
        "their own and latency counts from the intended time.",
        "",
        "the case's `rate_hz`",
        "A closed loop says nothing about latency under load: a slow system is asked less often.",
    ),
)  # fmt: skip

SEGMENT = (
    Metric(
        "Part of the way", ("name", "meaning"),
        "*Send source*: the call of write at the pinger (T1→T2). *Send*: from its return to the "
        "announcement at the responder (T2→T3). *Send arrival*: to the responder's hands (T3→T4). "
        "*Turn-round*: to just before the pong's write (T4→T1). *Echo source*: the call of write "
        "at the responder (T1→T2), where it was recorded. *Echo*: from its return to the "
        "announcement at the pinger (T2→T3); without the echo source from just before that write "
        "(T1→T3). *Echo arrival*: to the pinger's hands (T3→T4). *Trip*: from just before "
        "the ping's write to the pong in the pinger's hands (T1→T4). *Inter-arrival*: from a pong "
        "in the pinger's hands to the next (T4→T4).",
        "`written_ns − sent_ns`, `echo_delivered_ns − written_ns`, `echo_read_ns − "
        "echo_delivered_ns`, `echo_sent_ns − echo_read_ns`, `echo_written_ns − "
        "echo_sent_ns`, `delivered_ns − echo_written_ns` or `delivered_ns − echo_sent_ns`, "
        "`read_ns − delivered_ns`, `read_ns − sent_ns`, and differences of `read_ns` in rising "
        "order within a pinger's round",
        "samples, role `pinger`, of pings that came back",
        "The echo source where it was not asked for (`measure.echo_source`): echo then contains "
        "that time. The segments of a ping from send source to echo arrival add up to its trip, "
        "with and without it. A pong that is written inline has turn-round 0. "
        "Without one clock there is no send and no echo. Without T3, as where a reader polls, only "
        "send source, turn-round, trip and inter-arrival are left. The trip begins with the actual "
        "sending, the round trip of an open loop with the intended one. A lost ping makes one "
        "long inter-arrival time of two.",
    ),
    Metric(
        "The best of a segment", ("best",),
        "The smallest 100, 99.9, 99 and 90 %, with count, minimum, mean, maximum and standard "
        "deviation. Times below 0 are in them: the sample was announced before write returned.",
        "the ⌊n·p/100⌋ smallest, at least one; divisor of the deviation n − 1",
        "all counted rounds, pooled",
        "What is typical: what is left out was chosen by its size.",
    ),
    Metric(
        "One in n", ("every",),
        "1: all pings that came back. For a case with more than a million, every n-th in order of "
        "time.",
        "⌈samples / 10⁶⌉", "the table `cases`",
        "The extremes of the pings in between; the samples have them.",
    ),
)  # fmt: skip

FIT = (
    Metric(
        "Latency against size",
        ("overhead", "slope", "departure"),
        "RTT/2 of a body of no bytes, and what each byte adds, of cases that differ in size only; "
        "how far the sizes are off the line, relative.",
        "Theil and Sen's line through medians over rounds, as `busmark predict` fits it",
        "medians of rounds",
        "Sizes beyond those measured. Where the departure is large, latency is not a line.",
    ),
    Metric(
        "Where the line is",
        ("placement", "label", "cases", "at_bytes", "value_ns"),
        "The curve it belongs to, and points to draw it by.",
        "overhead + slope · size",
        "the fit",
        "Latency: the curve itself has that.",
    ),
)

DISCOVERY = _tabled("Discovery")

GROWTH = (
    Metric(
        "Exponent",
        ("placement", "label", "figure", "cases", "existing", "exponent"),
        "The power of the number of endpoints with which a discovery time grows: 0, the number "
        "does not matter; 1, the time is proportional to it. Null where the times follow no power "
        "law.",
        "slope of a robust line through the logarithms of number and time, as of the fit of sizes; "
        "without the case of none",
        "`cases`: rounds of three numbers above 0 or more",
        "Where a fixed time is the larger part, it hides the growth of the rest.",
    ),
    Metric(
        "Farthest off",
        ("farthest", "farthest_factor"),
        "The number of endpoints at which the time lies farthest off the line, and the time there "
        "over the line. Times follow no power law where at some number all of the interval of that "
        "ratio over rounds is above 1.25, or below 1/1.25.",
        "median over rounds of time over line, after each round's own level is divided out",
        "`cases`, as the exponent",
        "Two or three rounds have wide intervals, in which a bend may hide.",
    ),
)

THROUGHPUT = (
    *_tabled("Throughput"),
    BY_ROUND,
    Metric(
        "Paced", ("paced",),
        "For a case with `rate_hz`: what it asks to leave each sending node, what of it arrives, "
        "and in a lab the rated and the practical capacity of the links.",
        "specified = rate × writers × readers × bits of the body; carried = goodput, of one "
        "direction where there are two; practical = greatest goodput of the cases of the adapter "
        "tcp without `rate_hz` over links that are alike",
        "the scenario, the goodput",
        "Packets on the link: headers, acknowledgements and repeated samples are not in it.",
    ),
    Metric(
        "Capacities of the links", ("rated_mbit_per_s", "practical_mbit_per_s"),
        "In a lab whose links have a rate: that rate, and the goodput of a plain TCP transfer at "
        "full speed over links that are alike, at whatever speed the case itself ran.",
        "rated: the scenario's; practical: greatest goodput of the cases of the adapter tcp "
        "without `rate_hz`, of whatever size",
        "the scenario, the goodput",
        "Whether the case could reach them: its samples carry headers, and may be small.",
    ),
    Metric(
        "Probe latency", ("probe_one_way", "probe_round_trip"),
        "Latency under load. In a stream at a rate with one clock every reader times every sample, "
        "and one-way latency is over all pairs of writer and reader. Otherwise, and for round "
        "trips, one sample in `probe_every`, at random, carries a probe flag, is stamped at the "
        "reader and echoed.",
        "`read_ns − intended_ns` at the reader, `read_ns − sent_ns` where `intended_ns` is null; "
        "the same of the echo at the transmitter",
        "samples, roles `reader`, `receiver` and `transmitter`",
        "At full speed, for how long the writer was held up before: a sample is intended for when "
        "the write before it has returned. One way is absent between hosts whose clocks agree no "
        "better than it is long.",
    ),
    Metric(
        "Worst pairs", ("pairs",),
        "In a stream at a rate with one clock and several writers or readers: the pair of writer "
        "and reader with the highest 99th percentile of one-way latency (90th, or median, where a "
        "pair has too few samples), and the one that lost the greatest share.",
        "all counted rounds of a pair together; a lost sample is later than any",
        "samples, role `reader`; `flows`, which has every pair of every round",
        "Whether that pair is always the slowest: one of several hundred is by chance.",
    ),
)  # fmt: skip

RESOURCES = (
    Metric(
        "Participant", ("of", "node"),
        "A process that takes part, with all that it has started, and the node of the user's on "
        "which it ran; `server` is what a middleware's "
        "broker runs in, `counters` the process that reads all this.",
        "", "the worker's name",
        "Which thread. `system/*.parquet` has every thread by itself.",
    ),
    Metric(
        "CPUs busy", ("cpu_user", "cpu_system"),
        "CPU time per time, in user mode and in the kernel: 1 is one CPU kept busy. A case has the "
        "sum of all participants without `counters` as `cpus_used`.",
        "w = max(r, u + s − 20 ms), kernel = (w − u + s) / 2 between 0 and w, user = w − kernel, "
        "for the time r on a CPU (exact, without threads that have ended), and u and s in user "
        "mode and in the kernel (in steps of 10 ms). " + STUDENT,
        "`system`, scopes `thread` and `process`; intervals that lie within the measured time, by "
        "nine tenths at least",
        "Work that the kernel does for a participant in soft interrupts: that is charged to "
        "whoever runs at the moment, or to the scope `cpu` alone.",
    ),
    Metric(
        "Context switches", ("switches",),
        "How often a thread of the participant left its CPU: to wait, or for another.",
        "(voluntary + involuntary) / time. " + STUDENT,
        "`system`, scope `thread`",
        "What a thread did in its last interval, after which it ended.",
    ),
    Metric(
        "Most RAM", ("rss",),
        "Greatest resident set at the end of an interval, all processes of the participant.",
        "maximum over intervals and rounds", "`system`, scope `process`",
        "A peak between two readings. Pages that processes share are counted in each.",
    ),
    Metric(
        "Major faults", ("major_faults",),
        "Page faults that waited for a disk.",
        "sum over intervals and rounds", "`system`, scope `process`",
        "How long they took.",
    ),
    *_tabled("Resources"),
)  # fmt: skip

SECTIONS = (
    ("Latency", 'Figures of a case with `test = "latency"`; the round trip and RTT/2 are '
                'distributions.',
     LATENCY, None),
    ("Segment", "A row of `segment_tables`: a part of a ping's way, in nanoseconds.",
     SEGMENT, SegmentTable),
    ("Distribution", "Statistics of a latency, a jitter or an ipdv, each a row of the [table of "
                     "estimates](python.md#restimates), in nanoseconds.", DISTRIBUTION, None),
    ("Shape", "What charts of latency and signed jitter draw: kinds and columns of the "
              "[table of series](python.md#rseries).", SHAPE, None),
    ("Fit", "The line of latency over size (`fits`).", FIT, SizeFit),
    ("Throughput", 'Figures of a case with `test = "throughput"`.', THROUGHPUT, None),
    ("Discovery", 'Figures of a case with `test = "discovery"`.', DISCOVERY, None),
    ("Growth of discovery", "How discovery grows with the endpoints that are there (`growths`).",
     GROWTH, DiscoveryGrowth),
    ("Wire", "What passed the wire, in rounds with a capture.", _tabled("Wire"), Wire),
    ("Resources", "What each participant cost the machine, in any test: rows of the [table of "
                  "estimates](python.md#restimates) of the scope `participant`.", RESOURCES, None),
)  # fmt: skip

INTRODUCTION = """\
A figure never stands without its unit, its count and, where the data give one, its interval. Only
rounds with status `ok` enter it. Intervals are 95 % confidence intervals; [methodology]
(../methodology.md) has the formulas and their coverage. A figure that is not known is an em dash
in reports and null in JSON, never 0.

The *floor* is not a figure of its own: it is the case of the null adapter with the nearest
workload, shown beside the others. What is close to it is Busmark, not the middleware.
"""

PER_ROUND = """\
## Per round

`cases.parquet` has one row per round with the round's own figures; [result](result.md#cases)
lists them. Two things to know: `median_ns` and `p99_ns` there are of whole round trips, not
halved; and the counters of the kernel (`udp_rcvbuf_errors`, `tcp_retransmits`, `softnet_drops`,
`context_switches`, `steal`, `cpu_busy`) are differences over the whole host and the round with
its warm-up, so they may count what others did.
"""


PARTS = """\
## Parts of a case

What the [table of estimates](python.md#restimates) has of participants, nodes, levels and flows: a
row for each, where a case has several writers or readers, or counters were read. Statistic: median
over rounds, count over all of them, or a value that was asked for or was the most.
"""


def _parts() -> str:
    rows = [
        [md.code(one.name), one.title, one.meaning, one.unit, one.statistic]
        for one in vars(parts).values()
        if isinstance(one, PartQuantity)
    ]
    return md.table(["quantity", "heading", "what it is", "unit", "statistic"], rows)


LIMITS = """\
## Limits

What `--require`, `[[require]]` and `--fail-if` may be on: `STATISTIC(QUANTITY)`, or the same as
`STATISTIC.QUANTITY`; a quantity alone is the first statistic of its row. Latencies have any
percentile, such as `p99.95(one_way)`. `later(2ms)`, `late` and `too_late` are shares of samples
([which](../tasks/prove-a-requirement.md#what-can-be-required)). A case of another test cannot have
the quantity: a requirement on it is *not applicable* there.

Units: times `ns`, `us`, `ms`, `s`, `min`, `h`; shares `%`, `ppm`; rates `/s`, `Hz`, `k`, `M`;
bandwidths `kbit/s`, `Mbit/s`, `Gbit/s`; sizes `B`, `KiB`, `kB`, `MiB`, `MB`. Counts, rates, bytes
and CPUs need none in a requirement. A share other than 0 always needs one. In `--fail-if` a number
without a unit, or with `x`, is a ratio to the baseline.
"""


def _limits() -> str:
    rows = [
        [
            md.code(row.name),
            row.meaning,
            row.unit if row.unit != "1" else "share",
            ", ".join(row.statistics),
            ", ".join(row.tests) if row.tests != TESTS else "all",
            ", ".join(map(md.code, row.names)),
        ]
        for row in QUANTITIES.values()
    ]
    heads = ["quantity", "what it is", "unit", "statistics", "tests", "further names"]
    return md.table(heads, rows)


def page() -> str:
    """Return the page as Markdown."""
    lines = [md.head("Metrics", "`tools/pages/metrics.py`"), INTRODUCTION]
    for title, text, metrics, model in SECTIONS:
        if model:
            _check(metrics, model)
        lines += [f"## {title}\n", text + "\n"]
        for metric in metrics:
            lines += _section(metric)
    return "\n".join([*lines, PARTS, _parts(), LIMITS, _limits(), PER_ROUND])


def _section(metric: Metric) -> list[str]:
    lines = [
        f"### {metric.name}\n",
        md.paragraph(metric.definition),
    ]
    if metric.fields:
        lines.append(f"- Names: {', '.join(md.code(name) for name in metric.fields)}")
    if metric.formula:
        lines.append(f"- Formula: {metric.formula}")
    lines += [f"- Source: {metric.source}", f"- Cannot say: {metric.cannot}", ""]
    return lines


def _check(metrics: tuple[Metric, ...], model: type[Frozen] | type[SegmentTable]) -> None:
    """Raise `KeyError` unless every field is explained, and every explained field exists."""
    lines = {name for metric in metrics for name in metric.fields}
    names = model.model_fields if issubclass(model, Frozen) else model.__dataclass_fields__
    fields = {*names} - {"quantity"}
    if lines != fields:
        raise KeyError(f"{model.__name__}: explained and existing fields differ: {lines ^ fields}")
