"""Flows of the scenario's own: their figures, and that the case's own figures do not count them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from seams import Estimates, document, done
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
    "background": "command: pings of 32 B at 20/s, from console to plant; "
    "bulk: 512 B at full speed (one in 10 a probe), from console to plant",
    "flows": [
        {"name": "command", "kind": "pings", "writers": ["console"], "readers": ["plant"],
         "rate_hz": 20.0, "arrivals": "constant", "payload": "octet", "size": 32, "qos": {}},
        {"name": "bulk", "writers": ["console"], "readers": ["plant"], "rate_hz": 0.0,
         "arrivals": "constant", "payload": "octet", "size": 512, "qos": {}, "probe_every": 10},
    ],
}  # fmt: skip


def add(path: Path, table: str, frame: pl.DataFrame) -> None:
    """Append rows to a file, or write it if there is none."""
    schema = polars_schema(table)
    absent = [pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in frame.columns]
    rows = frame.with_columns(absent).select(pl.col(n).cast(t) for n, t in schema.items())
    path.parent.mkdir(exist_ok=True)
    write_table(pl.concat([pl.read_parquet(path), rows]) if path.exists() else rows, path)


def samples(case: str, number: int) -> pl.DataFrame:
    """Return pings of a flow, some lost, and the probes of another, one of which never arrived."""
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


def campaign(directory: Path, *, background: bool) -> Result:
    """Write the same pings, alone or with flows in the background."""
    build = Builder(directory)
    rng = np.random.default_rng(4)
    case = build.case("udp-64", **(ASKED if background else {}))
    for number in range(ROUNDS):
        build.pings(case, number, samples_around(13_500, 900, rng))
        if background:
            stem = f"{file_stem(case, number)}.parquet"
            add(directory / "samples" / stem, "samples", samples(case, number))
            add(directory / "flows" / stem, "flows", flows(case, number))
    return Result(build.finish(cookie=f"{background:016x}"))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Write the same pings, with flows in the background and alone."""
    folder = tmp_path_factory.mktemp("flows")
    return (campaign(folder / "with", background=True).directory,
            campaign(folder / "alone", background=False).directory)  # fmt: skip


def test_the_figures_of_the_case_are_those_that_it_has_alone(both: tuple[Path, Path]) -> None:
    of_case = pl.col("scope").is_in(["case", "round", "segment"])
    here, alone = (Estimates(each).frame.filter(of_case) for each in both)
    assert {"round_trip", "jitter", "segment"} <= {*here["quantity"]}
    assert here.equals(alone)
    assert {Estimates(each).value("sent", "count") for each in both} == {ROUNDS * 900}
    known = [Estimates(each).results.latencies("udp-64") for each in both]
    assert known[0].equals(known[1])
    (pair,) = document("compare", both[1], both[0], "--by", "background").pairs
    assert {change.change.value for change in pair.changes if change.change} <= {0.0, 1.0}


FLOWS: dict[tuple[str, str], dict[str, Any]] = {
    ("flow", "command"): {"asked": ROUNDS * PINGS, "unanswered": ROUNDS * LOST,
                          "half_round_trip": FLOW_NS / 2},
    ("flow", "bulk"): {"asked": ROUNDS * 50, "unanswered": ROUNDS, "one_way": 400_000.0,
                       "read_rate": 4000.0, "expected": ROUNDS * 500, "lost": ROUNDS * 10,
                       "theoretical_rate": None},
    # A part of what console writes is at full speed: what was to be written is not a number.
    ("participant", "console"): {"write_rate": 5020.0, "asked_rate": None, "expected": None},
    ("participant", "plant"): {"read_rate": 4000 + 20.0 * (PINGS - LOST) / PINGS,
                               "lost": ROUNDS * (LOST + 10), "write_rate": None},
    ("system", "all"): {"sent": ROUNDS * (2000 + PINGS + 500), "lost": ROUNDS * (LOST + 10)},
}  # fmt: skip


@pytest.mark.parametrize(("scope", "of"), FLOWS)
def test_every_flow_and_participant_has_its_figures(
    both: tuple[Path, Path], scope: str, of: str
) -> None:
    rows = Estimates(both[0]).frame.filter(scope=scope, of=of, over="rounds")
    rows = rows.filter(rows["statistic"].is_in(["median", "value", "count"]))
    found = {row["quantity"]: row["value"] for row in rows.to_dicts()}
    for quantity, value in FLOWS[scope, of].items():
        assert found.get(quantity) == (value and pytest.approx(value)), quantity


def test_a_percentile_of_a_flow_among_its_lost_pings_is_none(both: tuple[Path, Path]) -> None:
    row = Estimates(both[0]).row("half_round_trip", "p99", scope="flow", of="command")
    assert row["value"] is None and row["reason"]
    text = done("show", both[0])
    assert "command" in text and "lost: 2.0 %" in text
