"""A case, a scenario and a round of which nothing runs."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
from planted import params

from busmark.control import Frame, RoundData
from busmark.model.parameters import Parameters
from busmark.plan import flows
from busmark.scenario import Scenario

PARAMS = Parameters.model_validate(
    params("x", size=8, measure={"duration_s": 1.0, "warmup_s": 0.0, "samples": 0})
)


def scenario(**rounds: Any) -> Scenario:
    return Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "x"}, "rounds": {"min": 3, **rounds},
        "criteria": {"min_samples": 10},
    })  # fmt: skip


def framed(role: str, table: pl.DataFrame, kind: str = "samples", number: int = 1) -> Frame:
    """Return a table as a worker sends it."""
    stream = io.BytesIO()
    table.write_ipc_stream(stream)
    return Frame(role, number, stream.getvalue(), kind)


def round_data(rows: int = 20, of: Parameters = PARAMS, **columns: Any) -> RoundData:
    """Return a round of pings, each of which took 1 µs; `columns` replace its samples' columns."""
    sent = [1000 + index * 1_000_000 for index in range(rows)]
    stamps = {
        "intended_ns": sent, "sent_ns": sent, "written_ns": sent,
        "read_ns": [stamp + 1000 for stamp in sent],
    }  # fmt: skip
    absent = ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "delivered_ns", "source_ns",
              "reception_ns", "answers")  # fmt: skip
    empty = {name: pl.Series([None] * rows, dtype=pl.Int64) for name in absent}
    table = pl.DataFrame({"writer": [1] * rows, "seq": range(rows), "flags": [0] * rows,
                          **stamps, **empty, **columns})  # fmt: skip
    run = {"role": "pinger", "writer": 1, "sent": rows, "begin_ns": 0, "last_ns": 10**9,
           "end_ns": 10**9, "warmup_ns": 0, "ended": "duration", "blocked": 0}  # fmt: skip
    account = {"writer": 2, "received": rows, "missing": 0, "duplicated": 0, "out_of_order": 0,
               "ancient": 0}  # fmt: skip
    role = {
        "role": "pinger", "writer": 1, "rows": rows, "foreign": 0, "corrupted": None,
        "other_size": None,
        "accounts": [account], "intervals": [], "batches": [], "sent_batches": None,
        "discoveries": None, "frames": {}, "echo_failures": 0, "writer_counters": {},
        "reader_counters": {}, "reply_mode": "inline",
    }  # fmt: skip
    return RoundData(flows=flows(of), run=[run], roles=[role], frames=[framed("pinger", table)])
