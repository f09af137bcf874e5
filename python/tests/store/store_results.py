"""Results made up for tests of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from busmark.store import Case, Manifest, ResultWriter, polars_schema


def manifest(**changes: Any) -> Manifest:
    case = Case(id="000-x", params={}, status="planned")
    values = {
        "busmark_version": "0", "created_utc": "2026-01-01T00:00:00Z", "command": "busmark run",
        "seed": 1, "cookie": "ff", "scenario": {}, "scenario_text": "", "cases": [case],
        "hosts": {}, "adapters": {},
    }  # fmt: skip
    return Manifest.model_validate({**values, **changes})


def row(number: int, status: str = "ok", **changes: Any) -> dict[str, Any]:
    empty = dict.fromkeys(polars_schema("cases"))
    known = {"case": "000-x", "round": number, "attempt": 0, "order": number, "status": status}
    return {**empty, **known, **changes}


def samples(count: int, start: int = 0) -> pl.DataFrame:
    frame = pl.DataFrame({"seq": range(start, start + count)})
    return frame.select(
        (pl.col("seq") if name == "seq" else pl.lit(None)).cast(kind).alias(name)
        for name, kind in polars_schema("samples").items()
    )


def intervals() -> pl.DataFrame:
    return pl.DataFrame(schema=polars_schema("intervals"))


def save(writer: ResultWriter, number: int, count: int = 10, **changes: Any) -> None:
    frames = {"samples": samples(count), "intervals": intervals()}
    writer.save_round(row(number, **changes), frames)


def written(directory: Path, rounds: int = 3) -> Path:
    """Write a result of some rounds, and close it."""
    writer = ResultWriter.create(directory, manifest())
    for number in range(rounds):
        save(writer, number)
        writer.event("round_ends", round=number)
    writer.close()
    return directory
