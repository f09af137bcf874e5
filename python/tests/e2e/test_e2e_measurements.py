"""Every kind of measurement over every adapter yields what it should in structure: counts that
agree and stamps in the order of events. No figure is judged."""

from __future__ import annotations

import os
from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, assert_intact, need_adapters, scenario

from busmark.adapters import libraries
from busmark.store import Result

SOCKETS = ("udp", "tcp", "uds")
BETWEEN_PROCESSES = [name for name in (*SOCKETS, "cyclonedds") if name in libraries()]
HERE = [*BETWEEN_PROCESSES, *(["null"] if "null" in libraries() else [])]
CPUS = sorted(os.sched_getaffinity(0))
WARMUP, PROBE = 1, 2
ROOT = os.geteuid() == 0
PROBE_ROWS = 200_000
"""Room of a recorder for probes."""

Row = dict[str, Any]


def named(values: list[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def only(adapter: str, text: str) -> str:
    """Return a further matrix, where the adapter is built."""
    return f'[[also]]\nadapter = "{adapter}"\n{text}\n' if adapter in libraries() else ""


LATENCY = scenario(
    f"adapter = {named(BETWEEN_PROCESSES)}\nwait = 'listener'",
    measure="duration_s = 0.1\nwarmup_s = 0.02\nsamples = 300\nmax_samples = 1000\nverify = true",
    rounds="min = 1\nretries = 3",
    run="lock_memory = true" if ROOT else "",
    also="\n".join([
        only("null", ""),
        only("udp", "wait = ['waitset', 'poll']"),
        only("cyclonedds", "wait = ['waitset', 'poll']"),
        only("tcp", "option.tcp.nodelay = [true, false]"),
        only("udp", f"placement = {named(['different', 'free'])}"
             if len(CPUS) > 1 else "placement = 'free'"),
        only("udp", f"placement = '{CPUS[0]}+{CPUS[-1]}'"),
        only("udp", "payload = ['struct', 'float', 'empty']"),
        only("cyclonedds", "qos.reliability = 'best_effort'\nqos.history = 'keep_all'"),
        only("cyclonedds", "qos.lifespan_s = 5\nqos.deadline_s = 5\n"
             "qos.partition = 'a'\ntransport = 'tcp'"),
        only("udp", "rate_hz = 1000\narrivals = ['constant', 'poisson']"),
        *([only("tcp", "fifo = 10"),
           only("udp", "fifo = 10\npeer_fifo = 20")] if ROOT else []),
    ]),
)  # fmt: skip

THROUGHPUT = scenario(
    f"test = 'throughput'\nadapter = {named(HERE)}\nsize = 64\nplacement = 'free'",
    measure="duration_s = 0.3\nwarmup_s = 0.05\nprobe_every = 10\ninterval_s = 0.02\n"
    "verify = true",
    rounds="min = 1\nretries = 3",
    also="\n".join([
        only("udp", "rate_hz = 2000\narrivals = ['constant', 'poisson']"),
        only("tcp", "wait = 'waitset'\noption.tcp.nodelay = false"),
        only("uds", "wait = 'poll'"),
        only("cyclonedds", "qos.reliability = 'best_effort'\nsize = 20000"),
    ]),
)  # fmt: skip


def conducted(lab: Lab, text: str, name: str) -> Result:
    if not BETWEEN_PROCESSES:
        pytest.skip("no adapter is built")
    path = lab.scenario(text, f"{name}.toml")
    out = lab.folder / name
    ended = lab.busmark("run", path, "--out", out)
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    return assert_intact(out)


@pytest.fixture(scope="module")
def latency(shared_lab: Lab) -> Result:
    return conducted(shared_lab, LATENCY, "latency")


@pytest.fixture(scope="module")
def throughput(shared_lab: Lab) -> Result:
    return conducted(shared_lab, THROUGHPUT, "throughput")


def all_planned_cases_were_run(result: Result) -> None:
    statuses = {case.id: case.reason for case in result.manifest.cases if case.reason}
    assert not statuses
    assert result.cases.height == len(result.manifest.cases) > 0


def in_order(frame: pl.DataFrame, *columns: str) -> None:
    """Check that each stamp is at or after the one before it that was taken."""
    for row in frame.select("seq", *columns).to_dicts():
        taken = [row[column] for column in columns if row[column] is not None]
        assert taken == sorted(taken), row


def check_round_trips(frame: pl.DataFrame) -> None:
    """Check the stamps of samples that went there and back: they are in the order of events."""
    in_order(frame, "intended_ns", "sent_ns", "written_ns")
    back = frame.filter(pl.col("read_ns").is_not_null())
    in_order(back, "sent_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns",
             "delivered_ns", "read_ns")  # fmt: skip
    for column in ("intended_ns", "sent_ns", "written_ns", "echo_read_ns", "echo_sent_ns"):
        assert back[column].null_count() == 0, column
    assert frame["sent_ns"].is_sorted()
    assert (frame["flags"] & WARMUP == 0).all(), "a sample of the warm-up was recorded"


def check_latency_round(result: Result, row: Row) -> None:
    frame = result.samples(row["case"], row["round"])
    assert set(frame["role"]) == {"pinger"}
    assert frame["seq"].to_list() == list(range(row["sent"]))
    assert row["sent"] == row["received"] + row["lost"]
    assert row["received"] == frame["read_ns"].count() == row["samples"]
    assert (row["duplicated"], row["foreign"]) == (0, 0)
    assert (frame["size"] == row["size"]).all()
    check_round_trips(frame)
    if row["wait"] == "poll":
        assert frame["delivered_ns"].count() == frame["echo_delivered_ns"].count() == 0


def test_latency_of_every_adapter_and_wait_strategy(latency: Result) -> None:
    all_planned_cases_were_run(latency)
    table = latency.cases
    assert set(table["adapter"]) == set(HERE)
    assert set(table["wait"]) == {"listener", "waitset", "poll"}
    for row in table.to_dicts():
        check_latency_round(latency, row)
        # One in a thousand bodies is looked at, so in a short round it may be none.
        assert row["corrupted"] in (0, None)
        assert (row["arrivals"] == "closed") == (row["rate_hz"] is None)
        assert row["median_ns"] > 0


def test_placements_are_those_that_were_asked_for(latency: Result) -> None:
    last = str(CPUS[-1])
    for row in latency.cases.to_dicts():
        expected = {
            "same": last if row["adapter"] == "null" else f"{last};{last}",
            "free": ";",
            "different": ";".join(map(str, CPUS[:2])),
        }
        default = row["placement"].replace("+", ";")
        assert row["cpus"] == expected.get(row["placement"], default)


def test_open_loop_keeps_to_intended_times(latency: Result) -> None:
    table = latency.cases.filter(rate_hz=1000)
    assert set(table["arrivals"]) == {"constant", "poisson"}
    for row in table.to_dicts():
        intended = latency.samples(row["case"], row["round"])["intended_ns"]
        assert intended.is_sorted()
        gaps = set(intended.diff().drop_nulls().to_list())
        if row["arrivals"] == "constant":
            assert gaps <= {999_999, 1_000_000, 1_000_001}
        else:
            assert len(gaps) > 10


@pytest.mark.skipif(not ROOT, reason="real-time scheduling needs root")
def test_priorities_of_real_time_are_those_that_were_asked_for(latency: Result) -> None:
    found = latency.cases.filter(pl.col("fifo").is_not_null() & (pl.col("fifo") > 0))
    who = pl.read_parquet(latency.directory / "participants" / "*.parquet")
    priorities = {
        row["adapter"]: who.filter(case=row["case"]).sort("participant")["fifo"].to_list()
        for row in found.to_dicts()
    }
    assert priorities == {"tcp": [10, 10], "udp": [10, 20]}


def test_an_event_resolves_discovery_and_the_first_question_is_an_upper_limit(
    latency: Result,
) -> None:
    need_adapters("cyclonedds", "null")
    by_event = latency.cases.filter(adapter="cyclonedds")
    assert all(value is None or value > 0 for value in by_event["discovery_s"])
    # An event has no width; one that is later than the count is not waited for.
    resolution_s = by_event["discovery_resolution_s"]
    assert resolution_s.min() == resolution_s.median() == 0
    for row in latency.cases.filter(adapter="null").to_dicts():
        assert row["discovery_s"] is None, "the time that a question takes is no discovery"
        assert row["discovery_resolution_s"] > 0


def test_throughput_is_counted_at_the_reader(throughput: Result) -> None:
    all_planned_cases_were_run(throughput)
    assert set(throughput.cases["adapter"]) == set(HERE)
    for row in throughput.cases.to_dicts():
        assert row["sent"] == row["received"] + row["lost"]
        assert row["received"] > 0
        assert (row["duplicated"], row["foreign"], row["corrupted"]) == (0, 0, 0)
        if '"reliable"' in row["qos"]:
            assert (row["lost"], row["out_of_order"]) == (0, 0), row
        assert row["samples_per_s"] > 0 and row["mbit_per_s"] > 0


def test_intervals_sum_up_to_the_counts(throughput: Result) -> None:
    for row in throughput.cases.to_dicts():
        counted = throughput.intervals(row["case"], row["round"])
        by_role = dict(counted.group_by("role").agg(pl.col("samples").sum()).iter_rows())
        assert by_role == {"transmitter": row["sent"], "receiver": row["received"]}
        assert (counted["bytes"] == counted["samples"] * row["size"]).all()
        assert (counted["duration_ns"] == 20_000_000).all()


def test_probes_within_a_stream_have_all_their_stamps(throughput: Result) -> None:
    for row in throughput.cases.to_dicts():
        frame = throughput.samples(row["case"], row["round"]).filter(pl.col("role") != "reader")
        assert set(frame["role"]) == {"transmitter", "receiver"}
        assert (frame["flags"] & PROBE != 0).all()
        sent = frame.filter(pl.col("role") == "transmitter")
        numbers = sent["seq"]
        assert numbers.is_sorted() and numbers.n_unique() == sent.height
        assert numbers[0] >= 0 and numbers[-1] < row["sent"]
        # One in ten, each by itself: the standard error of the number is below its root.
        expected = row["sent"] / 10
        # A quick machine fills the recorder.
        recorded = min(expected, PROBE_ROWS)
        assert abs(sent.height - recorded) < 6 * expected**0.5
        assert numbers.diff().drop_nulls().n_unique() > 3, "gaps are not random"
        check_round_trips(sent)
        received = frame.filter(pl.col("role") == "receiver")
        in_order(received, "intended_ns", "sent_ns", "delivered_ns", "read_ns")
        assert received["read_ns"].null_count() == 0
        echoed = sent.filter(pl.col("read_ns").is_not_null())
        assert set(echoed["seq"]) <= set(received["seq"])
