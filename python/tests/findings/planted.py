"""Result directories in the real format with latencies made to order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.findings import campaign_findings
from busmark.store.columns import polars_schema
from busmark.store.manifest import Case, Finding, Manifest
from busmark.store.result import Result, file_stem

Series = NDArray[np.float64]
MS = 1e6

LATENCY = {
    "test": "latency",
    "adapter": "tcp",
    "transport": "tcp",
    "size": 64,
    "wait": "listener",
    "placement": "same",
    "arrivals": "closed",
    "rate_hz": None,
    "qos": {},
    "settings": {},
    "duration_s": 2.0,
}
THROUGHPUT = {
    **LATENCY,
    "test": "throughput",
    "adapter": "udp",
    "transport": "udp",
    "placement": "different",
}
CLEAN_ROW: dict[str, Any] = {
    "attempt": 0,
    "status": "ok",
    "sent": 2000,
    "received": 2000,
    "lost": 0,
    "duplicated": 0,
    "out_of_order": 0,
    "foreign": 0,
    "corrupted": 0,
    "measured_s": 2.0,
    "udp_rcvbuf_errors": 0,
    "cpu_busy": 0.5,
    "steal": 0.0,
    "ended": "duration",
}


def clean(
    seed: int, samples: int = 2000, rounds: int = 3, median_ns: float = 20_000.0
) -> list[Series]:
    """Log-normal latencies: one mode, no trend, rounds that agree."""
    generator = np.random.default_rng(seed)
    return [median_ns * np.exp(0.1 * generator.standard_normal(samples)) for _ in range(rounds)]


class Planted:
    """A campaign under construction."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.cases: list[Case] = []
        self.rows: list[dict[str, Any]] = []
        self.adapters: dict[str, dict[str, Any]] = {}
        self.scenario: dict[str, Any] = {}
        self.hosts: dict[str, dict[str, Any]] = {}
        (directory / "samples").mkdir(parents=True)

    def case(
        self,
        name: str,
        latencies: Sequence[Series] = (),
        params: dict[str, Any] | None = None,
        *,
        role: str = "pinger",
        rows: int = 0,
        **columns: Any,
    ) -> Planted:
        """A case with one round for each series, or `rows` rounds without samples.

        `columns` replace those of every round's row; a list gives one value per round.
        """
        self.cases.append(Case(id=name, params=params or LATENCY, status="planned"))
        for number in range(len(latencies) or rows):
            row = {"case": name, "round": number, **CLEAN_ROW}
            if latencies:
                row["samples"] = len(latencies[number])
                self._write(name, number, latencies[number], role)
            for column, value in columns.items():
                row[column] = value[number] if isinstance(value, list) else value
            self.rows.append(row)
        return self

    def _write(self, name: str, number: int, latency: Series, role: str) -> None:
        count = len(latency)
        sent = np.concatenate([[0.0], np.cumsum(np.abs(latency))[:-1]]).astype(np.int64)
        data = {
            "case": [name] * count,
            "round": [number] * count,
            "role": [role] * count,
            "seq": np.arange(count),
            "intended_ns": sent,
            "sent_ns": sent,
            "read_ns": sent + latency.astype(np.int64),
            "flags": np.zeros(count, dtype=np.int64),
        }
        frame = pl.DataFrame(data, schema_overrides=_schema("samples", data))
        frame.write_parquet(self.directory / "samples" / f"{file_stem(name, number)}.parquet")

    def system(self, name: str, number: int, **counts: Sequence[int | None]) -> Planted:
        """Rows of the system's counters in one round of a case: values by column."""
        data = {"case": [name], "round": [number], **counts}
        length = max(map(len, counts.values()))
        columns = {k: list(v) * length if len(v) == 1 else list(v) for k, v in data.items()}
        (self.directory / "system").mkdir(exist_ok=True)
        frame = pl.DataFrame(columns, schema_overrides=_schema("system", columns))
        frame.write_parquet(self.directory / "system" / f"{file_stem(name, number)}.parquet")
        return self

    def result(self) -> Result:
        """Writes what is left and opens the directory."""
        if self.rows:
            schema = _schema("cases", {key: 0 for row in self.rows for key in row})
            pl.DataFrame(
                self.rows, schema_overrides=schema, infer_schema_length=None
            ).write_parquet(self.directory / "cases.parquet")
        manifest = Manifest(
            busmark_version="0",
            created_utc="2025-01-01T00:00:00Z",
            command="busmark run",
            seed=1,
            cookie="1",
            scenario=self.scenario,
            scenario_text="",
            cases=self.cases,
            hosts=self.hosts,
            adapters=self.adapters,
        )
        (self.directory / "manifest.json").write_text(manifest.model_dump_json())
        return Result(self.directory)

    def findings(self) -> list[Finding]:
        """What the rules say of this campaign."""
        return campaign_findings(self.result())

    def found(self, rule_id: str) -> list[Finding]:
        """Findings of one rule."""
        return [finding for finding in self.findings() if finding.id == rule_id]


def _schema(table: str, data: dict[str, Any]) -> dict[str, pl.DataType]:
    return {name: kind for name, kind in polars_schema(table).items() if name in data}
