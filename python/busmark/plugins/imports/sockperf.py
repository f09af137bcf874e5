"""sockperf: what it prints, and its full log with every sample.

Source for the formats: `src/client.cpp` of Mellanox/sockperf; version 3.7 is run by the tests. With
`--full-rtt` times are round trips ("rtt"), else halves of them ("latency").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import polars as pl

from busmark.model.parameter import Test
from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    samples_of,
    size_flaw,
    sizes_of,
)
from busmark.plugins.imports.text import Line, SourceText

_VERSION = re.compile(r"== version #(\S+?) ==")
_PARAMETERS = re.compile(r"test was performed using the following parameters:\s*(.*)$")
_OPTION = re.compile(r"--([\w-]+)(?:=(\S+))?")
_TRANSPORT = re.compile(r"PORT\s*=\s*\d+\s*#\s*(UDP|TCP)")
_VALID = re.compile(
    r"\[Valid Duration\] RunTime=([\d.]+) sec; SentMessages=(\d+); ReceivedMessages=(\d+)"
)
_AVERAGE = re.compile(r"====> avg-(\w+)=\s*(\S+?) \(std-dev=\s*([^,)\s]+)")
_COUNTS = re.compile(
    r"# dropped messages = (\d+); # duplicated messages = (\d+); # out-of-order messages = (\d+)"
)
_TOTAL = re.compile(r"Total (\d+) observations")
_EXTREME = re.compile(r"---> <(MIN|MAX)> observation =\s*(\S+)")
_PERCENTILE = re.compile(r"---> percentile\s+([\d.]+)\s*=\s*(\S+)")
_MUST = re.compile(r"(====> avg-|---> <|---> percentile|\[Valid Duration\]|# dropped messages)")
_LOG = re.compile(
    r"^(packet, txTime\(sec\), rxTime\(sec\), (latency|rtt)\(usec\)|txTime, rxTime)$", re.MULTILINE
)
"""Header of the full log; the short one up to 3.3."""
_MESSAGES = re.compile(r"Total of (\d+) messages sent in ([\d.]+) sec")
_BANDWIDTH = re.compile(r"Summary: BandWidth is ([\d.]+) MBps \(([\d.]+) Mbps\)")
_THROUGHPUT_SIZE = re.compile(r"NOTE: test was performed, using msg-size=(\d+)")

OMITTED = Flaw(
    "sockperf-lost-and-late",
    "warning",
    "Lost and reordered replies are in no latency",
    "Replies that do not come, or come out of order, are left out of the latencies: what is left "
    "are those that did well.",
    "Read the latency together with the counts of lost and reordered samples.",
)
ACTUAL = Flaw(
    "sockperf-actual-time",
    "note",
    "Latency counts from the actual sending",
    "sockperf sends on a schedule under load, and stamps when it really sends. How late it was is "
    "not reported, so a stall of the sender is not charged to the samples it delayed.",
    "For latency under a load that does not wait, count from the intended time.",
)
INTERVAL = Flaw(
    "sockperf-interval",
    "note",
    "The interval of the mean is too narrow",
    "sockperf's confidence interval takes the samples of one run for independent. Neighbours are "
    "alike, and runs differ. It is not imported.",
    "Run it several times, and import all files together.",
)
SENDER = Flaw(
    "sockperf-sender-side",
    "error",
    "Throughput is measured at the sender",
    "In throughput mode sockperf counts what it sends. What the other side receives is not known; "
    "losses of UDP are invisible.",
    "Do not take it for goodput: it is shown as written, and goodput is absent.",
)
UNSUPPORTED = Flaw(
    "sockperf-few-samples",
    "note",
    "Percentiles rest on less than ten samples",
    "sockperf prints percentiles to 99.999 % of any number of samples.",
    "Leave these percentiles out of a comparison, or take more samples.",
)
SIZE = size_flaw("sockperf", "the whole message, its header of 14 bytes included")

FLAWS = (OMITTED, ACTUAL, INTERVAL, SENDER, UNSUPPORTED, SIZE)


SOCKETS = {"udp": "UDP socket", "tcp": "TCP socket", "socket": "Socket"}
"""The log does not say which."""


@dataclass(slots=True)
class _Open:
    """The run that is being read."""

    line: int
    transport: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    run: Run | None = None
    interval: bool = False


def recognise(text: str) -> bool:
    """Return whether lines begin with its name, or there is the header of its log."""
    return bool(
        re.search(r"^sockperf: ", text, re.MULTILINE) or _LOG.search(text.replace("\r", ""))
    )


def read(source: SourceText) -> ImportedFile:
    """Return one run for each server that statistics are printed of."""
    logged = bool(_LOG.search(source.text.replace("\r", "")))
    imported = ImportedFile("sockperf", "full log" if logged else "text")
    if source.cut:
        imported.left_out.append(source.cut)
    now = _Open(1)
    rows: list[tuple[int, int]] | None = None
    numbered = True
    for line in source.lines:
        if rows is not None and line.text[:1].isdigit():
            rows.append(_row(source, line, len(rows), numbered))
            continue
        if rows is not None and now.run is not None:
            now.run.samples, rows = _samples(rows), None
        if version := _VERSION.search(line.text):
            imported.version = imported.version or version[1].removesuffix("-no.git")
        elif transport := _TRANSPORT.search(line.text):
            now = _Open(line.number, transport[1].lower())
        elif parameters := _PARAMETERS.search(line.text):
            now = _Open(line.number, now.transport, dict(_OPTION.findall(parameters[1])))
        elif "[Valid Duration]" in line.text:
            now.run = _begin(source, line, now)
            imported.runs.append(now.run)
        elif sent := _MESSAGES.search(line.text):
            now.run = _written(source, line, now, sent)
            imported.runs.append(now.run)
        elif _LOG.match(line.text):
            rows, numbered = [], line.text.startswith("packet")
        elif now.run is not None:
            _figure(source, line, now)
            if now.interval:
                imported.observe(INTERVAL, "a ci= in its output", [now.run])
                now.interval = False
    if rows is not None and now.run is not None:
        now.run.samples = _samples(rows)
    if not imported.runs:
        raise source.nothing('statistics, as "[Valid Duration] RunTime=…"')
    for run in imported.runs:
        imported.titles[run.params.adapter] = SOCKETS[run.params.adapter]
    _observe(imported)
    return imported


def _begin(source: SourceText, line: Line, now: _Open) -> Run:
    found = _VALID.search(line.text)
    if not found:
        raise source.malformed(line, "RunTime, SentMessages and ReceivedMessages")
    options = now.options
    every = options.get("reply-every")
    run = Run(_params(source, line, now, "latency"), line=now.line)
    run.params.arrivals = "unstated"
    if "mps" in options and every is not None and every != "1":
        run.params.arrivals = "paced"
        run.params.settings = {"reply_every": source.count(line, every)}
        if options["mps"].isdigit():
            run.params.rate_hz = source.number(line, options["mps"])
    run.values = {"measured_s": source.number(line, found[1])}
    if every is None or every == "1":
        run.values |= {
            "sent": source.count(line, found[2]),
            "received": source.count(line, found[3]),
        }
    return run


def _params(source: SourceText, line: Line, now: _Open, test: Test) -> RunParameters:
    params = RunParameters(test=test, adapter=now.transport or "socket")
    if now.transport:
        params.transport = now.transport
    if "msg-size" in now.options:
        params.size = source.count(line, now.options["msg-size"], "a size in bytes")
    return params


def _figure(source: SourceText, line: Line, now: _Open) -> None:
    """Add what a line of the statistics of `now.run` has; others are passed over."""
    run = now.run
    assert run is not None

    def add(statistic: Statistic, text: str, percent: float | None = None) -> None:
        value = source.time(line, text, "us", "a time in microseconds")
        if value is not None:
            count = run.values.get("samples")
            half: Quantity = "round_trip" if "rtt" in run.notes else "half_round_trip"
            run.reported.append(
                ReportedFigure(half, statistic, value, percent, count, line=line.number)
            )

    if average := _AVERAGE.search(line.text):
        run.notes.append("rtt" if average[1] == "rtt" else "latency")
        now.interval = "ci=" in line.text
        add("mean", average[2])
        add("std", average[3].rstrip(","))
    elif counts := _COUNTS.search(line.text):
        lost, twice, late = (source.count(line, value) for value in counts.groups())
        run.values |= {"lost": lost, "duplicated": twice, "out_of_order": late}
    elif total := _TOTAL.search(line.text):
        run.values["samples"] = source.count(line, total[1])
        run.reported = [replace(s, count=run.values["samples"]) for s in run.reported]
    elif extreme := _EXTREME.search(line.text):
        add("min" if extreme[1] == "MIN" else "max", extreme[2])
    elif percentile := _PERCENTILE.search(line.text):
        add("percentile", percentile[2], source.number(line, percentile[1], "a percentage"))
    elif size := _THROUGHPUT_SIZE.search(line.text):
        run.params.size = source.count(line, size[1], "a size in bytes")
    elif not _BANDWIDTH.search(line.text) and _MUST.search(line.text):
        raise source.malformed(line, "a figure of sockperf's statistics")


def _written(source: SourceText, line: Line, now: _Open, found: re.Match[str]) -> Run:
    """Return the run of throughput mode: what was sent, and no more."""
    sent, seconds = source.count(line, found[1]), source.number(line, found[2], "a time")
    run = Run(_params(source, line, now, "throughput"), line=now.line)
    run.values = {"sent": sent, "measured_s": seconds}
    if seconds:
        run.values["written_per_s"] = sent / seconds
    return run


def _row(source: SourceText, line: Line, index: int, numbered: bool) -> tuple[int, int]:
    """Return times of sending and receiving in ns of a line of the log; older ones have nothing
    else."""
    expected = "packet, txTime, rxTime and latency of one sample"
    parts = line.text.split(",")
    if not numbered:
        parts = [str(index), *parts, ""]
    if len(parts) != 4:
        raise source.malformed(line, expected)
    sent, read_ = (source.time(line, part, "s", expected) for part in parts[1:3])
    if source.count(line, parts[0], expected) != index or sent is None or read_ is None:
        raise source.malformed(line, expected)
    return round(sent), round(read_)


def _samples(rows: list[tuple[int, int]]) -> pl.DataFrame:
    return samples_of(sent_ns=(sent for sent, _ in rows), read_ns=(read_ for _, read_ in rows))


def _observe(imported: ImportedFile) -> None:
    latency, streams = imported.of_test("latency"), imported.of_test("throughput")
    spoiled = [r for r in latency if r.values.get("lost") or r.values.get("out_of_order")]
    lost = sum(r.values.get("lost") or 0 for r in spoiled)
    late = sum(r.values.get("out_of_order") or 0 for r in spoiled)
    imported.observe(OMITTED, f"{lost} lost, {late} out of order", spoiled)
    paced = [r for r in latency if r.params.arrivals == "paced"]
    imported.observe(ACTUAL, "reply-every is above 1: under load", paced)
    few = [r for r in latency if _fewest(r)]
    shown = ", ".join(
        f"{p:.10g} % of {r.values['samples']}" for r in few[:3] for p in _fewest(r)[:1]
    )
    imported.observe(UNSUPPORTED, f"{shown} samples", few)
    imported.observe(SENDER, f"{len(streams)} runs in throughput mode", streams)
    sized = [r for r in imported.runs if r.params.size is not None]
    imported.observe(SIZE, sizes_of(sized), sized)


def _fewest(run: Run) -> list[float]:
    """Return percentages beyond which there are less than ten samples."""
    count = run.values.get("samples")
    return [
        s.percent
        for s in run.reported
        if count and s.percent is not None and count * min(s.percent, 100 - s.percent) / 100 < 10
    ]
