"""The live reports and results of a recording as a table for a spreadsheet: one row per report."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from busmark import files
from busmark.errors import UserError
from busmark.plugins.bus.recording.model import MessageLine
from busmark.plugins.bus.recording.reader import Reader
from busmark.plugins.bus.words import STRANGE
from busmark.present.quoting import guarded

Cell = str | int | float | None
Row = dict[str, Cell]

SECOND_NS = 1e9
US_NS = 1e3
END_OF_LINE = "\r\n"

HEAD = ("time_s", "utc", "app", "group", "test", "kind", "report")
FIGURES = (
    "interval_s",
    "samples",
    "samples_per_s",
    "round_trip_median_us",
    "round_trip_max_us",
    "round_trips_looked_at",
    "looked_at_unanswered",
    "sent",
    "received",
    "missing",
    "foreign",
    "corrupted_bodies",
)
SEGMENTS = ("send_source", "send_arrival", "echo_arrival", "trip", "inter_arrival")
SHARES = ("100", "99.9", "99", "90")
SEGMENT_FIGURES = (
    ("count", "count", 1.0),
    ("min_us", "min_ns", US_NS),
    ("mean_us", "mean_ns", US_NS),
    ("max_us", "max_ns", US_NS),
    ("deviation_us", "deviation_ns", US_NS),
)
COLUMNS = (
    *HEAD,
    *FIGURES,
    *(
        f"{segment}_best_{share}_percent_{name}"
        for segment in SEGMENTS
        for share in SHARES
        for name, _, _ in SEGMENT_FIGURES
    ),
    "error",
)
"""All that there are; those that no row has are left out of a file."""


def rows(reader: Reader) -> Iterator[Row]:
    """Return live reports and results, in the order in which they were heard.

    Raises:
        UserError: a line of the recording is damaged.
    """
    for _, line in reader.lines():
        if not isinstance(line, MessageLine) or line.what not in ("live", "result"):
            continue
        try:
            figures = _live(line.message) if line.what == "live" else _result(line.message)
            if figures is not None:
                yield {**_head(line), **figures}
        except STRANGE:
            # No participant of this release has written it.
            continue


def write(reader: Reader, path: Path) -> int:
    """Write the table, and return how many rows it has.

    Raises:
        UserError: a line is damaged, nothing was reported, or the file is there already.
    """
    found = list(rows(reader))
    if not found:
        raise UserError(
            "has no live report and no result",
            where=str(reader.path),
            remedy="Record while tests run.",
        )
    try:
        with io.TextIOWrapper(files.created(path), "utf-8", newline="") as file:
            used = {name for row in found for name, cell in row.items() if cell is not None}
            names = [name for name in COLUMNS if name in used or name in HEAD]
            table = csv.writer(file, lineterminator=END_OF_LINE)
            table.writerow(names)
            for row in found:
                table.writerow([_cell(row.get(name)) for name in names])
    except FileExistsError:
        raise UserError(
            "is there already, and is not overwritten",
            where=str(path),
            remedy="Name another file with --out, or remove this one.",
        ) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return len(found)


def _cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.10g}"
    return "" if cell is None else guarded(str(cell))


def _head(line: MessageLine) -> Row:
    message = line.message
    return {
        "time_s": line.at_s,
        "utc": line.utc,
        "app": int(message["app"]),
        "group": message.get("group"),
        "test": int(message["test"]),
        "kind": str(message["kind"]),
        "report": line.what,
    }


def _live(message: dict[str, Any]) -> Row | None:
    event = message["event"]
    if event["event"] == "error":
        return {"error": str(event["error"]["message"])}
    if event["event"] != "interval":
        return None
    seconds = (event["end_ns"] - event["begin_ns"]) / SECOND_NS
    # What only sends counts nothing.
    samples = sum(count["samples"] for count in event["counts"]) if event["counts"] else None
    seen = event.get("seen", [])
    trips = [trip / US_NS for one in seen for trip in one["round_trips_ns"]]
    return {
        "interval_s": seconds,
        "samples": samples,
        "samples_per_s": None if samples is None else samples / seconds,
        "round_trip_median_us": statistics.median(trips) if trips else None,
        "round_trip_max_us": max(trips) if trips else None,
        "round_trips_looked_at": len(trips) if seen else None,
        "looked_at_unanswered": sum(one["unanswered"] for one in seen) if seen else None,
    }


def _result(message: dict[str, Any]) -> Row:
    row: Row = {}
    if message.get("error"):
        row["error"] = str(message["error"]["message"])
    result = message.get("result") or {}
    if run := result.get("run"):
        row["sent"] = sum(report["sent"] for report in run)
    roles = result.get("roles") or []
    # What only sends or answers keeps no account.
    if roles and message["kind"] in ("transceiver", "receiver"):
        for name in ("received", "missing", "foreign"):
            row[name] = sum(role[name] for role in roles)
        corrupted = [role["corrupted"] for role in roles if role["corrupted"] is not None]
        row["corrupted_bodies"] = sum(corrupted) if corrupted else None
    if len(roles) == 1:
        # Segments of several ends cannot be summed up; each has its own.
        row |= dict(_segments(roles[0]["segments"]))
    return row


def _segments(segments: dict[str, Any]) -> Iterator[tuple[str, Cell]]:
    for segment in SEGMENTS:
        for best in segments.get(segment, ()):
            share = f"{best['percent']:g}"
            for name, key, unit in SEGMENT_FIGURES:
                value = best[key]
                figure = None if value is None else value if unit == 1.0 else value / unit
                yield f"{segment}_best_{share}_percent_{name}", figure
