"""ddsperf of Cyclone DDS: the blocks that it prints every second.

Source for the format: `src/tools/ddsperf/ddsperf.c` of eclipse-cyclonedds/cyclonedds; its version
0.10.2 is run by the tests. Latencies of `ping` are halved already, latencies of `sublat` (-l) are
one-way. There is no summary of the whole run, so the figures of every second are kept unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from busmark.errors import UserError
from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    Part,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    intervals_of,
    size_flaw,
    sizes_of,
    whole_run,
)
from busmark.plugins.imports.text import Line, SourceText

ADAPTER = "cyclonedds"
RAW_SIZE = 20_000
"""Samples of a second from which ddsperf takes percentiles (PINGPONG_RAWSIZE)."""
LEAST_STEP = 2**31
"""A count of losses from which on it is none: a sample that is k behind adds 2³² − k to it, and k
is far below 2³¹; so many losses would take minutes at ten million samples a second."""

_LINE = re.compile(r"^\[(?P<pid>\d+)\]\s+(?P<rest>.*)$")
_LATENCY = re.compile(
    r"^(?P<t>[\d.]+)\s+(?P<kind>sublat\s+)?(?P<peer>\S+)\s+size\s+(?P<size>\d+)\s+"
    r"(?P<times>mean\s.*?)\s+cnt\s+(?P<count>\d+)$"
)
_TIME = re.compile(r"(mean|min|max|(?<![\d.])[\d.]+%)\s+(\S+?)(ns|us|ms|s)(?=\s|$)")
_STREAM = re.compile(
    r"^(?P<t>[\d.]+)\s+size\s+(?P<size>\d+)\s+total\s+(?P<total>\d+)\s+lost\s+(?P<lost>\d+)\s+"
    r"delta\s+(?P<delta>\d+)\s+lost\s+(?P<delta_lost>\d+)\s+rate\s+(?P<rate>\S+)\s+kS/s\s+"
    r"(?P<mbit>\S+)\s+Mb/s"
)
_BEGIN = re.compile(r"^[\d.]+\s+(?:(?:sublat\s+)?\S+\s+)?size\s+\d+\b")
"""Beginning of a line that must be one of the two."""
_PARTICIPANT = re.compile(r"^\[\d+\]\s+participant \S+:\d+: (new|gone|failed)", re.MULTILINE)
_TIMED_OUT = re.compile(r"^ping timed out \(total (\d+) times\)")

HALVED = Flaw(
    "ddsperf-rtt-half",
    "note",
    "Latencies of ping are RTT/2",
    "ddsperf prints half of each round trip. The two ways need not be equal.",
    "Compare it with RTT/2 of others, never with a one-way latency.",
)
SECONDS = Flaw(
    "ddsperf-no-summary",
    "note",
    "No figure covers the whole run",
    "ddsperf prints figures of each second and no summary. Mean, minimum and maximum can be put "
    "together; percentiles cannot. The mean of the seconds' percentiles is shown, weighted by "
    "their samples; the run's percentile lies between the least and the greatest of them.",
    "Take a percentile with the limits beside it.",
)
TRUNCATED = Flaw(
    "ddsperf-percentiles-of-first-samples",
    "warning",
    "Percentiles are of the first samples of each second",
    f"ddsperf keeps {RAW_SIZE:,} samples of each second for percentiles; mean, minimum and maximum "
    "are of all.",
    "Lower the rate (ping RATEHz, pub RATEHz) until a second has no more samples.",
)
OMISSION = Flaw(
    "ddsperf-omission",
    "note",
    "A stall silences the pings that it would have hit",
    "The next ping waits for the pong, and a schedule that is late begins anew. So a stall delays "
    "one sample instead of all that it would have hit (coordinated omission).",
    "For latency under a load that does not wait, measure in an open loop.",
)
STAMPS = Flaw(
    "ddsperf-reused-stamps",
    "note",
    "One time stamp may serve several samples",
    "The publisher reads its clock for every sample only at low rates, otherwise for up to ten.",
    "Take one-way latencies (-l) at rates far below the greatest.",
)
WARM_UP = Flaw(
    "ddsperf-warm-up",
    "note",
    "Warm-up is not discarded",
    "The first second contains discovery and warm-up. It is left out of the mean rate, and of no "
    "latency.",
    "Use long runs, in which it does not matter.",
)
TIMEOUTS = Flaw(
    "ddsperf-ping-timeouts",
    "warning",
    "Pings were given up",
    "A ping whose pong does not come within its time is not in the latencies.",
    "Read loss from a throughput run; do not read a tail over a lossy link.",
)
LOSS_STEP = Flaw(
    "ddsperf-loss-step",
    "warning",
    "The count of lost samples is not credible",
    "The count adds differences of two unsigned 32-bit numbers: a sample that comes late or twice "
    "adds 2³² less how many samples it is behind, about 4.29 · 10⁹.",
    "Do not use this count.",
)
SIZE = size_flaw("ddsperf", "its own header of 12 bytes is in it")

FLAWS = (HALVED, SECONDS, TRUNCATED, OMISSION, STAMPS, WARM_UP, TIMEOUTS, LOSS_STEP, SIZE)


@dataclass(slots=True)
class _Process:
    """Lines that one process printed about one size."""

    size: int
    line: int
    seconds: list[tuple[float, int, int, int]] = field(default_factory=list)
    """Seconds of a stream: time, samples, lost in all, lines before which a writer had gone."""
    reported: list[ReportedFigure] = field(default_factory=list)
    rates: list[tuple[float, float]] = field(default_factory=list)


def recognise(text: str) -> bool:
    """Return whether there is a line of latency, of a stream, or of a participant that came or
    went."""
    return bool(
        _PARTICIPANT.search(text)
        or re.search(r"^\[\d+\]\s+[\d.]+\s+(sublat\s+)?\S+\s+size \d+ mean ", text, re.MULTILINE)
        or re.search(r"^\[\d+\]\s+[\d.]+\s+size \d+ total \d+ lost ", text, re.MULTILINE)
    )


def read(source: SourceText) -> ImportedFile:
    """Return one run for each process and size."""
    imported = ImportedFile("ddsperf", "text", titles={ADAPTER: "Cyclone DDS"})
    if source.cut:
        imported.left_out.append(source.cut)
    latencies: dict[tuple[str, int], _Process] = {}
    streams: dict[tuple[str, int], _Process] = {}
    gone: set[str] = set()
    timeouts: dict[str, int] = {}
    for line in source.lines:
        found = _LINE.match(line.text)
        if not found:
            continue
        pid, rest = found["pid"], found["rest"]
        if rest.startswith("participant ") and rest.endswith(": gone"):
            gone.add(pid)
        elif out := _TIMED_OUT.match(rest):
            timeouts[pid] = int(out[1])
        elif latency := _LATENCY.match(rest):
            key = (pid, source.count(line, latency["size"]))
            where = streams if latency["kind"] else latencies
            process = where.setdefault(key, _Process(key[1], line.number))
            process.reported += _figures(source, line, latency)
        elif stream := _STREAM.match(rest):
            key = (pid, source.count(line, stream["size"]))
            process = streams.setdefault(key, _Process(key[1], line.number))
            _second(source, line, stream, process, after=pid in gone)
        elif _BEGIN.match(rest):
            raise source.malformed(line, "figures of a second, as printed by ping or sub")
    pings = [_latency_run(p) for p in latencies.values()]
    flows = [_stream_run(p) for p in streams.values()]
    imported.runs = sorted([*pings, *flows], key=lambda run: run.line)
    if not imported.runs:
        raise UserError(
            "ddsperf: no figures in this file",
            where=f"{source.name}, line {source.text.count(chr(10)) or 1}",
            remedy="The process had no counterpart, ended within a second, or was one of pub or "
            "pong, which print no figures: import the output of ping or sub.",
        )
    for (pid, _), run in zip(latencies, pings, strict=True):
        if timeouts.get(pid):
            imported.observe(TIMEOUTS, f"{timeouts[pid]} pings", [run])
    _observe(imported, pings, flows)
    return imported


def _figures(source: SourceText, line: Line, found: re.Match[str]) -> list[ReportedFigure]:
    """Return figures of one second and one peer. The second ends at the time that begins the
    line."""
    quantity: Quantity = "one_way" if found["kind"] else "half_round_trip"
    end = source.number(line, found["t"], "a time")
    count = source.count(line, found["count"])
    if end is None or not count:
        raise source.malformed(line, "the time and the number of samples")
    start = max(0.0, end - 1.0)
    span = end - start
    reported = []
    for name, value, unit in _TIME.findall(found["times"]):
        percent = float(name[:-1]) if name.endswith("%") else None
        statistic: Statistic = name if percent is None else "percentile"
        value_ns = source.time(line, value, unit)
        if value_ns is not None:
            rests_on = count if percent is None else min(count, RAW_SIZE)
            reported.append(
                ReportedFigure(
                    quantity, statistic, value_ns, percent, rests_on, start, span, line.number
                )
            )
    if {"mean", "min", "max"} - {s.statistic for s in reported}:
        raise source.malformed(line, "mean, min, percentiles and max, with their units")
    return reported


def _second(
    source: SourceText, line: Line, found: re.Match[str], process: _Process, *, after: bool
) -> None:
    end = source.number(line, found["t"], "a time")
    rate = source.number(line, found["rate"], "a rate")
    if end is None or rate is None:
        raise source.malformed(line, "a time and a rate")
    delta, lost = source.count(line, found["delta"]), source.count(line, found["lost"])
    process.seconds.append((end, delta, lost, after))
    process.rates.append((rate * 1e3, end))


def _latency_run(process: _Process) -> Run:
    params = RunParameters(test="latency", adapter=ADAPTER, arrivals="unstated")
    params.size = process.size
    run = Run(params, line=process.line)
    run.reported = _together("half_round_trip", process.reported)
    run.values = {"samples": sum(_counts(run))}
    return run


def _together(quantity: Quantity, seconds: list[ReportedFigure]) -> list[ReportedFigure]:
    """Return the figures of the seconds, and the run's figures that follow from them."""
    by_line: dict[int | None, dict[str, ReportedFigure]] = {}
    for reported in seconds:
        by_line.setdefault(reported.line, {})[reported.statistic] = reported
    parts = [
        Part(s["mean"].count or 0, s["mean"].value_ns, s["min"].value_ns, s["max"].value_ns)
        for s in by_line.values()
    ]
    return [*whole_run(quantity, parts), *seconds]


def _stream_run(process: _Process) -> Run:
    """Return the run. Its rate covers the whole seconds: without the first, in which it began, and
    those after a writer had gone; if there are no others, it covers what there is."""
    run = Run(RunParameters(test="throughput", adapter=ADAPTER), line=process.line)
    run.params.size = process.size
    run.reported = _together("one_way", process.reported)
    ends_s = ((s.start_s or 0) + (s.duration_s or 0) for s in process.reported)
    run.length_s = max(ends_s, default=None)
    ends = [second[0] for second in process.seconds]
    if not ends:
        return run
    starts = [max(0.0, ends[0] - 1.0), *ends[:-1]]
    spans = [end - start for start, end in zip(starts, ends, strict=True)]
    whole_ones = [i for i, second in enumerate(process.seconds) if i and not second[3]]
    used = [i for i in whole_ones if spans[i] > 0]
    if used:
        seconds = sum(spans[i] for i in used)
        per_s = sum(process.seconds[i][1] for i in used) / seconds
    else:
        per_s, seconds = process.rates[0][0], spans[0]
    received, lost = sum(s[1] for s in process.seconds), process.seconds[-1][2]
    stepped = lost >= LEAST_STEP
    run.values = {
        "received": received,
        "lost": None if stepped else lost,
        "expected": None if stepped else received + lost,
        "samples_per_s": per_s,
        "mbit_per_s": per_s * process.size * 8 / 1e6,
        "measured_s": seconds,
    }
    if stepped:
        run.notes.append(LOSS_STEP.id)
    counts = [second[1] for second in process.seconds]
    run.intervals = intervals_of(starts, spans, counts, process.size)
    return run


def _observe(imported: ImportedFile, pings: list[Run], flows: list[Run]) -> None:
    runs = imported.runs
    imported.observe(HALVED, f"latency of {sizes_of(pings)}", pings)
    imported.observe(OMISSION, f"{len(pings)} runs of ping", pings)
    timed = [r for r in runs if r.reported]
    seconds = sum(len(_counts(r)) for r in timed)
    imported.observe(SECONDS, f"{seconds} seconds with figures of their own", timed)
    most = max((max(_counts(r)) for r in timed), default=0)
    over = [r for r in timed if max(_counts(r)) > RAW_SIZE]
    imported.observe(TRUNCATED, f"{most} samples in one second", over)
    one_way = [r for r in flows if r.reported]
    imported.observe(STAMPS, f"one-way latency of {sizes_of(one_way)}", one_way)
    imported.observe(WARM_UP, f"{len(runs)} runs", runs)
    imported.observe(SIZE, sizes_of(runs), runs)
    steps = [r for r in flows if LOSS_STEP.id in r.notes]
    imported.observe(LOSS_STEP, "2³¹ samples or more are reported as lost", steps)


def _counts(run: Run) -> list[int]:
    """Return samples of each second."""
    seconds = [s for s in run.reported if s.start_s is not None]
    return [s.count or 0 for s in seconds if s.statistic == "mean"]
