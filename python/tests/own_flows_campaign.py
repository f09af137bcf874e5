"""A campaign beside whose pings flows of the scenario's own ran, with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from synthetic_campaign import Builder, samples_around

from busmark.store import Result, file_stem, polars_schema, write_table

ROUNDS = 3
PINGS, LOST = 400, 8
FLOW_NS = 3_000_000.0
PARTICIPANT = {
    "adapter": "tcp", "transport": "tcp", "wait": "listener", "settings": {}, "on": None,
    "cpus": None, "fifo": 0,
}  # fmt: skip
ASKED: dict[str, Any] = {
    "participants": [{**PARTICIPANT, "name": name} for name in ("console", "plant")],
    "beside": "command: pings of 32 B at 20/s, from console to plant; "
    "bulk: 512 B at full speed (one in 10 a probe), from console to plant",
    "flows": [
        {"name": "command", "kind": "pings", "writers": ["console"], "readers": ["plant"],
         "rate_hz": 20.0, "arrivals": "constant", "payload": "octet", "size": 32, "qos": {}},
        {"name": "bulk", "writers": ["console"], "readers": ["plant"], "rate_hz": 0.0,
         "arrivals": "constant", "payload": "octet", "size": 512, "qos": {}, "probe_every": 10},
    ],
}  # fmt: skip


def add(path: Path, table: str, frame: pl.DataFrame) -> None:
    """Rows behind those that are in the file, if there is one."""
    schema = polars_schema(table)
    absent = [pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in frame.columns]
    rows = frame.with_columns(absent).select(pl.col(n).cast(t) for n, t in schema.items())
    path.parent.mkdir(exist_ok=True)
    write_table(pl.concat([pl.read_parquet(path), rows]) if path.exists() else rows, path)


def samples(case: str, number: int) -> pl.DataFrame:
    """Pings of a flow, some lost, and the probes of another, of which one never arrived."""
    sent = np.arange(PINGS) * 5_000_000 + 1000
    back = pl.Series(sent + FLOW_NS, dtype=pl.Int64).scatter(list(range(LOST)), None)
    common = {"case": pl.lit(case), "round": pl.lit(number), "flags": pl.lit(0)}
    pings = pl.DataFrame({"seq": np.arange(PINGS), "intended_ns": sent, "sent_ns": sent})
    pings = pings.with_columns(
        back.alias("read_ns"), role=pl.lit("pinger"), flow=pl.lit("command"),
        writer=pl.lit(3), participant=pl.lit("console"), **common,
    )  # fmt: skip
    probes = pl.DataFrame(
        {"seq": np.arange(50) * 10, "intended_ns": sent[:50], "sent_ns": sent[:50]}
    )
    probes = probes.with_columns(flow=pl.lit("bulk"), writer=pl.lit(5), **common)
    answered = pl.Series(sent[:50] + 900_000, dtype=pl.Int64).scatter(49, None)
    arrived = probes.with_columns(
        pl.Series("read_ns", sent[:50] + 400_000), role=pl.lit("receiver"), reader=pl.lit(6),
        participant=pl.lit("plant"),
    ).head(49)  # fmt: skip
    probed = probes.with_columns(
        answered.alias("read_ns"), role=pl.lit("transmitter"), participant=pl.lit("console")
    )
    return pl.concat([pings, probed, arrived], how="diagonal")


def flows(case: str, number: int) -> pl.DataFrame:
    key = {"case": case, "round": number, "participant": "console", "reader_participant": "plant"}
    return pl.DataFrame([
        {"case": case, "round": number, "flow": "pings", "writer": 1, "participant": "active",
         "reader": 2, "reader_participant": "passive", "written_per_s": 1000.0, "sent": 2000,
         "expected": 2000, "received": 2000, "lost": 0},
        {**key, "flow": "command", "writer": 3, "reader": 4, "theoretical_per_s": 20.0,
         "written_per_s": 20.0, "sent": PINGS, "expected": PINGS, "received": PINGS - LOST,
         "lost": LOST},
        {**key, "flow": "bulk", "writer": 5, "reader": 6, "written_per_s": 5000.0,
         "read_per_s": 4000.0, "sent": 500, "expected": 500, "received": 490, "lost": 10},
    ], infer_schema_length=None)  # fmt: skip


def campaign(directory: Path, *, beside: bool) -> Result:
    """The same pings, alone or beside flows."""
    build = Builder(directory)
    rng = np.random.default_rng(4)
    case = build.case("udp-64", **(ASKED if beside else {}))
    for number in range(ROUNDS):
        build.pings(case, number, samples_around(13_500, 900, rng))
        if beside:
            stem = f"{file_stem(case, number)}.parquet"
            add(directory / "samples" / stem, "samples", samples(case, number))
            add(directory / "flows" / stem, "flows", flows(case, number))
    return Result(build.finish(cookie=f"{beside:016x}"))
