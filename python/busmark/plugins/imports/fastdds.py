"""The latency and throughput tests of Fast DDS: table, raw samples, CSV of throughput.

Sources for the formats: `test/performance/latency/LatencyTestPublisher.cpp` and
`test/performance/throughput/` of eProsima/Fast-DDS. The table's heading speaks of round-trip times;
what it prints are halves of them.
"""

from __future__ import annotations

import re

from busmark.errors import UserError
from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    samples_of,
    size_flaw,
    sizes_of,
)
from busmark.plugins.imports.text import Line, SourceText

ADAPTER = "fastdds"

TABLE = ("Bytes", "Samples", "stdev", "mean", "min", "50%", "90%", "99%", "99.99%", "max")
RAW = ("Sample", "Payload [Bytes]", "Latency [us]")
THROUGHPUT = (
    "Payload [Bytes]",
    "Demand [sample/burst]",
    "Recovery time [ms]",
    "Sent [samples]",
    "Publication time [us]",
    "Publication sample rate [Sample/s]",
    "Publication throughput [Mb/s]",
    "Received [samples]",
    "Lost [samples]",
    "Subscription time [us]",
    "Subscription sample rate [Sample/s]",
    "Subscription throughput [Mb/s]",
)
PRINTED = re.compile(
    r"\[ *Bytes, *Demand(?P<recovery>, *Recovery Time)?\]\[Sent Samples, *Send Time\(us\),"
    r"(?P<rates> *Packs/sec,)? *MBits/sec\]\[Rec Samples, *Lost Samples, *Rec Time\(us\),"
)
"""The header of throughput on standard output: without rates before 1.6, and without the recovery
time before 1.10."""
EXPORTED = re.compile(r'^"(\d+ samples of \d+ bytes \(us\)|Minimum of \d+ samples)', re.MULTILINE)
"""How CSV of latencies begins that Fast RTPS 1 exported."""
HEADERS = {TABLE: "latency table", RAW: "raw samples", THROUGHPUT: "throughput csv"}

STATISTICS: dict[str, tuple[Statistic, float | None]] = {
    "stdev": ("std", None),
    "mean": ("mean", None),
    "min": ("min", None),
    "max": ("max", None),
    "50%": ("percentile", 50.0),
    "90%": ("percentile", 90.0),
    "99%": ("percentile", 99.0),
    "99.99%": ("percentile", 99.99),
}

HALVED = Flaw(
    "fastdds-round-trip",
    "note",
    "What is called round-trip time is RTT/2",
    "The heading says round-trip times; every sample is halved before it is kept, and the time of "
    "reading the clock is taken off.",
    "Compare it with RTT/2 of others.",
)
LOANS = Flaw(
    "fastdds-loans",
    "warning",
    "With loans the tail is cut off",
    "With --data_loans samples above 10 ms of RTT/2 are dropped without a word, and the time that "
    "the echo takes is subtracted. Results with and without loans cannot be compared, and the "
    "file does not say which they are.",
    "Say it with --set settings.data_loans=true; compare only like with like.",
)
TIMEOUT = Flaw(
    "fastdds-lost-pings",
    "note",
    "Lost pings are only missing from the count",
    "A ping whose pong has not come after 100 ms is given up. Only the count of samples shows it.",
    "Compare the count with --samples.",
)
TAIL = Flaw(
    "fastdds-few-samples",
    "note",
    "Percentiles rest on less than ten samples",
    "Percentiles to 99.99 % are printed of any number of samples.",
    "Leave these percentiles out of a comparison, or take more samples.",
)
WRITTEN = Flaw(
    "fastdds-publication",
    "warning",
    "The publisher's rate is not a rate of delivery",
    "Publication throughput counts calls of write. It is shown as written; goodput is the "
    "subscriber's.",
    "Compare goodput.",
)
LOSS = Flaw(
    "fastdds-loss",
    "warning",
    "What was under way at the end counts as lost",
    "Lost is sent minus received when the test ends, after the publisher's history was cleared.",
    "Do not read small losses of a reliable writer as losses.",
)
BURSTS = Flaw(
    "fastdds-bursts",
    "note",
    "The rate cannot be set",
    "The publisher sends bursts and rests in between. The rate is what comes of it.",
    "Compare cases of equal demand and recovery time only.",
)
SIZE = size_flaw("fastdds", "the serialised sample with its sequence number")

FLAWS = (HALVED, LOANS, TIMEOUT, TAIL, WRITTEN, LOSS, BURSTS, SIZE)


def _cells(text: str) -> tuple[str, ...]:
    """Return the cells of a line; a comma at its end makes no cell."""
    return tuple(cell.strip().strip('"') for cell in text.strip().rstrip(",").split(","))


def recognise(text: str) -> bool:
    """Return whether there is a header."""
    begins = (TABLE[0] + ",", RAW[0] + ",", THROUGHPUT[0] + ",")
    lines = (line for line in text.splitlines() if line.strip().startswith(begins))
    return any(_cells(line) in HEADERS for line in lines) or bool(
        PRINTED.search(text) or EXPORTED.search(text)
    )


def _printed(text: str) -> tuple[str, ...]:
    """Return names of the columns that standard output has, as the CSV calls them."""
    found = PRINTED.search(text)
    if not found:
        return ()
    left_out = set() if found["recovery"] else {"Recovery time [ms]"}
    left_out |= set() if found["rates"] else {n for n in THROUGHPUT if n.endswith("[Sample/s]")}
    return tuple(name for name in THROUGHPUT if name not in left_out)


def read(source: SourceText) -> ImportedFile:
    """Return one run for each row of a table, or each size of raw samples."""
    imported = ImportedFile("Fast DDS tests", "", titles={ADAPTER: "Fast DDS"})
    if EXPORTED.search(source.text):
        raise UserError(
            "CSV of Fast RTPS 1, of which only the file's name says what its values are",
            where=f"{source.name}, line 1",
            remedy="Import the standard output of that run: it has all figures.",
        )
    if source.cut:
        imported.left_out.append(source.cut)
    header: tuple[str, ...] = ()
    raw: list[tuple[int, float]] = []
    begin = 1
    for line in source.lines:
        cells = _cells(line.text)
        if cells in HEADERS or (printed := _printed(line.text)):
            header, begin = (cells if cells in HEADERS else printed), line.number
            imported.form = imported.form or HEADERS.get(cells, "throughput table")
        elif header and re.match(r"\s*\"?\d", line.text):
            if len(cells) != len(header):
                raise source.malformed(line, f"{len(header)} columns; here are {len(cells)}")
            row = dict(zip(header, cells, strict=True))
            if header == RAW:
                latency = source.time(line, row["Latency [us]"], "us")
                if latency is None:
                    raise source.malformed(line, "a latency in microseconds")
                raw.append((source.count(line, row["Payload [Bytes]"], "a size in bytes"), latency))
            else:
                make = _latency if header == TABLE else _throughput
                imported.runs.append(make(source, line, row))
    imported.runs += _raw_runs(raw, begin)
    if not imported.runs:
        raise source.nothing(f'rows under the header "{", ".join(TABLE[:3])}, …"')
    _observe(imported)
    return imported


def _latency(source: SourceText, line: Line, row: dict[str, str]) -> Run:
    size = source.count(line, row["Bytes"], "a size in bytes")
    count = source.count(line, row["Samples"])
    run = _latency_run(size, count, line.number)
    for name, (statistic, percent) in STATISTICS.items():
        value = source.time(line, row[name], "us")
        if value is not None:
            run.reported.append(
                ReportedFigure(
                    "half_round_trip", statistic, value, percent, count, line=line.number
                )
            )
    return run


def _latency_run(size: int, count: int, line: int) -> Run:
    params = RunParameters(test="latency", adapter=ADAPTER, arrivals="closed")
    params.size = size
    return Run(params, {"samples": count}, line=line)


def _raw_runs(raw: list[tuple[int, float]], line: int) -> list[Run]:
    """Return a run for each size, in order of appearance."""
    by_size: dict[int, list[float]] = {}
    for size, latency in raw:
        by_size.setdefault(size, []).append(latency)
    runs = []
    for size, values in by_size.items():
        run = _latency_run(size, len(values), line)
        run.samples = samples_of(round_trip_ns=(round(2 * value) for value in values))
        runs.append(run)
    return runs


def _throughput(source: SourceText, line: Line, row: dict[str, str]) -> Run:
    sent, received, lost = (
        source.count(line, row[f"{name} [samples]"]) for name in ("Sent", "Received", "Lost")
    )
    demand = source.count(line, row["Demand [sample/burst]"])

    def number(name: str) -> float | None:
        return source.number(line, row[name]) if name in row else None

    recovery = number("Recovery time [ms]")
    run = Run(RunParameters(test="throughput", adapter=ADAPTER), line=line.number)
    run.params.size = source.count(line, row["Payload [Bytes]"], "a size in bytes")
    run.params.settings = {"demand": demand}
    if recovery is not None:
        run.params.settings["recovery_ms"] = recovery
    elapsed = source.time(line, row["Subscription time [us]"], "us")
    read_per_s = number("Subscription sample rate [Sample/s]")
    if read_per_s is None and elapsed:
        read_per_s = received / elapsed * 1e9
    run.values = {
        "sent": sent,
        "received": received,
        "lost": lost,
        "expected": received + lost,
        "measured_s": None if elapsed is None else elapsed / 1e9,
        "samples_per_s": read_per_s,
        "mbit_per_s": number("Subscription throughput [Mb/s]"),
        "written_per_s": number("Publication sample rate [Sample/s]"),
    }
    return run


def combine(runs: list[Run]) -> list[Run]:
    """Return the runs. Raw samples join the row of a table that is of as many samples of the same
    size, with the same least and greatest value."""
    loose = [run for run in runs if run.samples is not None and not run.reported]
    rows = [run for run in runs if run.samples is None and run.reported]
    taken = []
    for run in loose:
        for row in rows:
            if row.samples is None and _alike(run, row):
                row.samples = run.samples
                row.joined.append(run.file)
                taken.append(run)
                break
    return [run for run in runs if not any(run is other for other in taken)]


def _alike(run: Run, row: Run) -> bool:
    if run.samples is None or run.params.size != row.params.size:
        return False
    reported: dict[str, float] = {
        s.statistic: s.value_ns for s in row.reported if s.percent is None
    }
    halves = run.samples["round_trip_ns"] / 2
    found = {"min": float(halves.min() or 0), "max": float(halves.max() or 0)}  # type: ignore[arg-type]
    # The raw file has six digits, the table three decimals.
    near = all(abs(reported.get(k, 0.0) - v) <= 2 + 1e-5 * v for k, v in found.items())
    return near and halves.len() == row.values["samples"]


def _observe(imported: ImportedFile) -> None:
    latency, streams = imported.of_test("latency"), imported.of_test("throughput")
    imported.observe(HALVED, f"latency of {sizes_of(latency)}", latency)
    imported.observe(LOANS, "the file does not say whether loans were used", latency)
    counts = sorted({r.values["samples"] for r in latency})
    imported.observe(TIMEOUT, f"{', '.join(map(str, counts[:4]))} samples", latency)
    few = [r for r in latency if r.reported and r.values["samples"] < 100_000]
    if few:
        imported.observe(TAIL, f"99.99 % of {few[0].values['samples']} samples", few)
    imported.observe(BURSTS, f"throughput of {sizes_of(streams)}", streams)
    imported.observe(WRITTEN, f"throughput of {sizes_of(streams)}", streams)
    lossy = [r for r in streams if r.values["lost"]]
    imported.observe(LOSS, f"{sum(r.values['lost'] or 0 for r in lossy)} samples", lossy)
    imported.observe(SIZE, sizes_of(imported.runs), imported.runs)
