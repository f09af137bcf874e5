"""Forms of performance_test: CSV and JSON; and plot data of ROS 2's build farm, which are refused.

The CSV is lines of `key: value`, a mark, and a table whose cells are padded with tabs. In the JSON
latencies are seconds and times of the run nanoseconds; NaN is written as 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pydantic import Field

from busmark.errors import UserError
from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.performance_test.experiment import Experiment, Row
from busmark.plugins.imports.text import Document, Line, SourceText, checked, line_of, nanoseconds

MARK = "---EXPERIMENT-START---"
_HEAD = re.compile(r"^Performance Test Version: ", re.MULTILINE)
"""Head of a file since 2019; since 1.0 also above the tables of standard output, made for people.
"""
_ROW_COMMAS = 3
"""Commas in a row at least: a line with fewer is a sentence that the tool, or the middleware,
printed between its rows."""
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
"""Keys that two processes of one run state alike, besides keys that become parameters."""

NEEDED = (
    "T_experiment",
    "T_loop",
    "received",
    "sent",
    "lost",
    "latency_min (ms)",
    "latency_max (ms)",
    "latency_mean (ms)",
    "latency_variance (ms)",
)

_PLOTTED = re.compile(r"[\w-]+_[\w-]+", re.ASCII)
_VALUE = re.compile(r"[-+]?(\d+\.?\d*([eE][-+]?\d+)?|nan|inf)", re.ASCII)


def _read_csv(source: SourceText, imported: ImportedFile) -> Experiment:
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
            experiment.rows.append(_csv_row(source, line, names))
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
        identity=text("Experiment id"),
        rmw=text("RMW Implementation") or text("rmw_implementation"),
        version=text("Performance Test Version") or None,
        message=text("Msg name") or text("Topic name") or None,
        rate_hz=rate or None,
        publishers=count("Number of publishers"),
        subscribers=count("Number of subscribers"),
        roundtrip=text("Roundtrip Mode") or "None",
        qos=_csv_qos(dict(_QOS.findall(text("QOS")))),
        alike=", ".join(f"{key}: {text(key)}" for key in ALIKE),
        switches={name: True for name, key in SWITCHES.items() if text(key) == "1"},
        ignored_s=source.number(*head[ignored]) if text(ignored) else None,
    )


def _csv_qos(found: dict[str, str]) -> dict[str, object]:
    """Return the policies in Busmark's words."""
    names = {"Reliability": "reliability", "Durability": "durability", "History kind": "history"}
    values: dict[str, object] = {names[k]: v.lower() for k, v in found.items() if k in names}
    depth = found.get("History depth", "")
    if depth.isdigit() and values.get("history") == "keep_last":
        values["depth"] = int(depth)
    return values


def _csv_row(source: SourceText, line: Line, names: list[str]) -> Row:
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


class Result(Document):
    """One element of `analysis_results`."""

    experiment_start: int
    loop_start: int
    received: int = Field(alias="num_samples_received")
    sent: int = Field(alias="num_samples_sent")
    lost: int = Field(alias="num_samples_lost")
    latency_min: float
    latency_max: float
    latency_n: float
    latency_mean: float
    latency_m2: float | None = Field(default=None, alias="latency_M2")


class Experiments(Document):
    """The whole file."""

    id: str | int = ""
    perf_test_version: str | None = None
    dds_domain_id: int | None = None
    topic_name: str | None = None
    max_runtime: int | None = None
    com_mean_str: str
    rmw_implementation: str = ""
    qos_reliability: str | None = None
    qos_durability: str | None = None
    qos_history_kind: str | None = None
    qos_history_depth: int | None = None
    rate: float | None = None
    msg_name: str | None = None
    number_of_publishers: int | None = None
    number_of_subscribers: int | None = None
    with_security: bool | None = None
    is_zero_copy_transfer: bool | None = None
    is_shared_memory_transfer: bool | None = None
    use_shared_memory: bool | None = None
    use_single_participant: bool | None = None
    roundtrip_mode: str = "None"
    analysis_results: list[Result]


def _read_json(source: SourceText, imported: ImportedFile) -> Experiment:
    found = checked(source, Experiments, source.text)
    if not found.analysis_results:
        raise source.nothing("an element in analysis_results")
    qos: dict[str, object] = {
        "reliability": found.qos_reliability and found.qos_reliability.lower(),
        "durability": found.qos_durability and found.qos_durability.lower(),
        "history": found.qos_history_kind and found.qos_history_kind.lower(),
    }
    if qos["history"] == "keep_last":
        qos["depth"] = found.qos_history_depth
    switches = {
        "security": found.with_security,
        "zero_copy": found.is_zero_copy_transfer,
        "shared_memory": found.is_shared_memory_transfer or found.use_shared_memory,
        "single_participant": found.use_single_participant,
    }
    experiment = Experiment(
        means=found.com_mean_str,
        identity=str(found.id),
        rmw=found.rmw_implementation,
        version=found.perf_test_version,
        message=found.msg_name,
        rate_hz=found.rate or None,
        publishers=found.number_of_publishers,
        subscribers=found.number_of_subscribers,
        roundtrip=found.roundtrip_mode,
        qos={k: v for k, v in qos.items() if v is not None},
        alike=f"{found.perf_test_version}, {found.dds_domain_id}, {found.topic_name}, "
        f"{found.max_runtime}",
        switches={name: True for name, on in switches.items() if on},
    )
    line = line_of(source.text, ("analysis_results", 0))
    experiment.rows = [_json_row(result, line) for result in found.analysis_results]
    return experiment


def _json_row(result: Result, line: int) -> Row:
    count = round(result.latency_n)
    # Without a sample all of them are zeros.
    known = count > 0
    spread = result.latency_m2 if known else None
    return Row(
        end_s=result.experiment_start / 1e9,
        length_s=result.loop_start / 1e9,
        received_per_s=result.received,
        sent_per_s=result.sent,
        lost_per_s=result.lost,
        count=count,
        mean_ns=nanoseconds(result.latency_mean, "s") if known else None,
        min_ns=nanoseconds(result.latency_min, "s") if known else None,
        max_ns=nanoseconds(result.latency_max, "s") if known else None,
        variance_ns2=None if spread is None else spread / count * 1e18,
        line=line,
    )


def _recognised_plot(text: str) -> bool:
    """Return whether line 1 has one name again and again, and line 2 as many numbers."""
    lines = text[:100_000].split()
    if len(lines) != 2:
        return False
    names, numbers = (line.split(",") for line in lines)
    alike = len(set(names)) == 1 and _PLOTTED.fullmatch(names[0])
    return bool(alike) and len(names) == len(numbers) and all(map(_VALUE.fullmatch, numbers))


def _read_plot(source: SourceText, imported: ImportedFile) -> Experiment:
    raise UserError(
        "plot data of the ROS 2 build farm, which carry neither units nor names of statistics",
        where=f"{source.name}, line 1",
        remedy="Import the log of performance_test that they were made of (its option --logfile).",
    )


FORMS: dict[str, tuple[Callable[[str], bool], Callable[[SourceText, ImportedFile], Experiment]]] = {
    "plot": (_recognised_plot, _read_plot),
    "json": (lambda text: '"analysis_results"' in text and '"com_mean_str"' in text, _read_json),
    "csv": (lambda text: MARK in text or bool(_HEAD.search(text)), _read_csv),
}
"""How each is recognised, and read."""
