"""The CSV: lines of `key: value`, a mark, and a table whose cells are padded with tabs."""

from __future__ import annotations

import re

from busmark.errors import UserError
from busmark.importers.model import Imported
from busmark.importers.performance_test.experiment import Experiment, Row
from busmark.importers.text import Line, SourceText

MARK = "---EXPERIMENT-START---"
_HEAD = re.compile(r"^Performance Test Version: ", re.MULTILINE)
"""In the head since 2019; since 1.0 also above the tables of standard output, made for people."""
_ROW_COMMAS = 3
"""What has fewer is a sentence that the tool, or the middleware, printed between its rows."""
_CELLS = re.compile(r"(?<![ \t])[ \t]*,[ \t]*")
_QOS = re.compile(r"(Reliability|Durability|History kind|History depth):\s*(\S+)")
_SECONDS2_AS_MS = 1e-3
"""`latency_variance (ms)` is the variance in s² times 1000."""

SWITCHES = {
    "security": "With security",
    "zero_copy": "Zero copy transfer",
    "shared_memory": "Shared memory transfer",
    "ros_shm": "Use ros SHM",
    "single_participant": "Use single participant",
    "no_waitset": "Not using waitset",
    "no_micro_intra": "Not using Connext DDS Micro INTRA",
}
"""Settings, by what they are called in the head; 0 or 1."""

ALIKE = ("Performance Test Version", "DDS domain id", "Topic name", "Maximum runtime (sec)")
"""What two processes of one run state alike, beside what becomes parameters."""

NEEDED = ("T_experiment", "T_loop", "received", "sent", "lost", "latency_min (ms)",
          "latency_max (ms)", "latency_mean (ms)", "latency_variance (ms)")  # fmt: skip


def recognise(text: str) -> bool:
    """By the mark, or by the head."""
    return MARK in text or bool(_HEAD.search(text))


def read(source: SourceText, imported: Imported) -> Experiment:
    """The experiment with its rows."""
    if MARK not in source.text:
        raise UserError(
            f"no table of figures after {MARK}: this is what performance_test shows on a terminal",
            where=f"{source.name}, line 1",
            remedy="Import the file of its option --logfile.",
        )
    if source.cut:
        imported.left_out.append(source.cut)
    head: dict[str, tuple[Line, str]] = {}
    lines = iter(source.lines)
    for line in lines:
        if line.text.strip() == MARK:
            break
        key, colon, value = line.text.partition(":")
        if colon:
            head[key.strip()] = (line, value.strip())
    experiment = _experiment(source, head)
    header = next((line for line in lines if line.text.strip()), None)
    if header is None:
        raise source.nothing(f"a table after {MARK}")
    names = _CELLS.split(header.text.strip().rstrip(","))
    if absent := [name for name in NEEDED if name not in names]:
        raise source.malformed(header, f"a header with the column {absent[0]!r}")
    for line in lines:
        if line.text.count(",") >= _ROW_COMMAS:
            experiment.rows.append(_row(source, line, names))
        elif line.text.strip() and not line.text.rstrip().endswith("Exiting."):
            imported.left_out.append(
                f"{source.name}, line {line.number}: no row of figures: {line.text.strip()[:60]!r}"
            )
    if not experiment.rows:
        raise source.nothing("a row of figures under the header")
    return experiment


def _experiment(source: SourceText, head: dict[str, tuple[Line, str]]) -> Experiment:
    def text(key: str) -> str:
        return head[key][1] if key in head else ""

    def count(key: str) -> int | None:
        return source.count(*head[key]) if text(key) else None

    rate = source.number(*head["Publishing rate"]) if text("Publishing rate") else None
    ignored = "Ignore seconds from beginning"
    return Experiment(
        means=text("Communication mean") or text("Communicator"),
        rmw=text("RMW Implementation") or text("rmw_implementation"),
        version=text("Performance Test Version") or None,
        message=text("Msg name") or text("Topic name") or None,
        rate_hz=rate or None,
        publishers=count("Number of publishers"),
        subscribers=count("Number of subscribers"),
        roundtrip=text("Roundtrip Mode") or "None",
        qos=qos(dict(_QOS.findall(text("QOS")))),
        alike=", ".join(f"{key}: {text(key)}" for key in ALIKE),
        switches={name: True for name, key in SWITCHES.items() if text(key) == "1"},
        ignored_s=source.number(*head[ignored]) if text(ignored) else None,
    )


def qos(found: dict[str, str]) -> dict[str, object]:
    """In Busmark's words."""
    names = {"Reliability": "reliability", "Durability": "durability", "History kind": "history"}
    told: dict[str, object] = {names[k]: v.lower() for k, v in found.items() if k in names}
    depth = found.get("History depth", "")
    if depth.isdigit() and told.get("history") == "keep_last":
        told["depth"] = int(depth)
    return told


def _row(source: SourceText, line: Line, names: list[str]) -> Row:
    # Rows of 2019 end with a comma.
    cells = _CELLS.split(line.text.strip().rstrip(",").rstrip())
    if len(cells) != len(names):
        raise source.malformed(line, f"{len(names)} columns; here are {len(cells)}")
    cell = dict(zip(names, cells, strict=True))
    rates = {}
    for name in ("T_experiment", "T_loop", "received", "sent", "lost"):
        value = source.number(line, cell[name])
        if value is None:
            raise source.malformed(line, f"a number under {name}")
        rates[name] = value
    received = rates["received"]
    times: dict[str, float | None] = dict.fromkeys(("min", "max", "mean"))
    variance = None
    if received:
        # Without a sample there are inf and -nan, or, since 2.0, the limits of 64 bits.
        times = {n: source.time(line, cell[f"latency_{n} (ms)"], "ms") for n in times}
        variance = source.number(line, cell["latency_variance (ms)"])
    return Row(
        end_s=rates["T_experiment"],
        length_s=rates["T_loop"],
        received_per_s=received,
        sent_per_s=rates["sent"],
        lost_per_s=rates["lost"],
        count=round(received),
        mean_ns=times["mean"],
        min_ns=times["min"],
        max_ns=times["max"],
        variance_ns2=None if variance is None else variance * _SECONDS2_AS_MS * 1e18,
        line=line.number,
    )
