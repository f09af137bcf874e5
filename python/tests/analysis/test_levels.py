"""Throughput by level and the cost of nodes, of tables whose sums are known."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from busmark.estimate.levels import levels
from busmark.estimate.nodes import Tables, node_costs
from busmark.estimate.resources import by_participant
from busmark.model.figure import Figure

from busmark.store.columns import READER, polars_schema

WHO = pl.DataFrame({"participant": ["app1", "app2", "app3"], "node": ["n1", "n2", "n1"]})
SIZE = 100


def table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=polars_schema(name))


def flows(number: int, slow: float = 1.0, *, deaf: bool = False) -> pl.DataFrame:
    """Each of three applications writes one topic at 10/s and reads it with two readers; app3 reads
    at a part of the rate, and one reader of app2 hears nothing of app1."""
    rows = []
    for writer in (1, 2, 3):
        for reader in range(11, 17):
            at = (reader - 11) // 2 + 1
            silent = deaf and (writer, reader) == (1, 13)
            share = 0.0 if silent else slow if at == 3 else 1.0
            received = round(20 * share)
            rows.append({
                "case": "c", "round": number, "flow": "stream", "writer": writer,
                "participant": f"app{writer}", "reader": reader, "reader_participant": f"app{at}",
                "theoretical_per_s": 10.0, "written_per_s": 10.0,
                "read_per_s": None if silent else 10.0 * share, "sent": 20, "expected": 20,
                "received": received, "lost": 20 - received, "bytes": received * SIZE,
            })  # fmt: skip
    return table("flows", rows)


def value(figure: Figure | None) -> float:
    assert figure is not None
    return figure.value


def test_each_level_is_the_sum_of_what_is_below_it() -> None:
    found = levels([flows(n) for n in range(3)], [WHO], SIZE)
    asked = {each.scope: (each.members, each.theoretical_per_s) for each in found}
    assert asked == {
        "reader": (6, 30.0), "participant": (3, 60.0), "node": (2, 90.0), "system": (1, 180.0),
    }  # fmt: skip
    for each in found:
        assert each.theoretical_per_s is not None
        assert value(each.read_per_s) == each.theoretical_per_s
        assert value(each.read_bytes_per_s) == each.theoretical_bytes_per_s == (
            each.theoretical_per_s * SIZE
        )  # fmt: skip
        assert (value(each.share), each.short, each.lost) == (1.0, 0, 0)
        assert (each.writers, each.expected) == (3, 3 * 18 * 20)


def test_who_reads_too_little_is_named_on_every_level() -> None:
    found = {
        each.scope: each
        for each in levels([flows(0), flows(1, 0.75), flows(2, deaf=True)], [WHO], SIZE)
    }
    reader, participant, node = found["reader"], found["participant"], found["node"]
    assert reader.least and participant.least and node.least
    # One of three writers is not heard at all.
    assert reader.least.name == "reader 13 of stream in app2" and reader.least.round == 2
    assert reader.least.share == pytest.approx(2 / 3) and reader.least.node == "n2"
    assert (participant.least.name, participant.least.share) == ("app3", 0.75)
    assert (node.least.name, node.least.share) == ("n2", pytest.approx(5 / 6))
    assert (reader.short, participant.short, node.short, found["system"].short) == (3, 2, 2, 1)
    assert found["system"].lost == 6 * 5 + 20


def test_what_has_no_rate_has_no_theoretical_one() -> None:
    free = flows(0).with_columns(theoretical_per_s=pl.lit(None, dtype=pl.Float64))
    for each in levels([free], [WHO], SIZE):
        assert (each.theoretical_per_s, each.share, each.least, each.short) == (None,) * 4
        assert each.read_per_s is not None


def test_flows_beside_what_is_measured_are_left_out() -> None:
    other = flows(0).with_columns(flow=pl.lit("other"), theoretical_per_s=pl.lit(1e6))
    (reader, *_) = levels([pl.concat([flows(0), other])], [WHO], SIZE, ["other"])
    assert reader.theoretical_per_s == 30.0
    assert levels([other], [WHO], SIZE, ["other"]) == []


def system(grows: int) -> pl.DataFrame:
    """40 readings in as many seconds of three processes on two nodes; the second is half as busy,
    and the memory of all grows by a number of bytes in each."""
    rows: list[dict[str, Any]] = []
    for interval in range(40):
        common = {
            "case": "c", "round": 0, "interval": interval, "start_ns": interval * 10**9,
            "duration_ns": 10**9,
        }  # fmt: skip
        for process, (name, node) in enumerate([*WHO.iter_rows(), (READER, "n1")]):
            own = {**common, "participant": name, "process": process, "network": f"net{node}"}
            busy = 50_000_000 if node == "n2" else 100_000_000
            rows.append({
                **own, "scope": "process", "user_ns": busy, "system_ns": 0, "major_faults": 0,
                "rss_bytes": 10_000_000 + process + grows * interval,
            })  # fmt: skip
            rows.append({
                **own, "scope": "thread", "thread": process, "run_ns": busy,
                "voluntary_switches": 0, "involuntary_switches": 0,
            })  # fmt: skip
        for node, packets in (("n1", 5), ("n2", 10)):
            for name in ("lo", "lan0"):
                rows.append({
                    **common, "scope": "interface", "network": f"net{node}", "name": name,
                    "tx_bytes": 1000, "tx_packets": packets, "rx_bytes": 500, "rx_packets": 2,
                })  # fmt: skip
            rows.append(
                {**common, "scope": "network", "network": f"net{node}", "udp_rcvbuf_errors": 3}
            )
    return table("system", rows)


def test_what_each_node_costs() -> None:
    counted = system(1000)
    n1, n2, whole = node_costs([Tables(counted, by_participant(counted), WHO, flows(0), 40.0)])
    assert [each.name for each in (n1, n2, whole)] == ["n1", "n2", "all"]
    assert (n1.participants, n2.participants, whole.participants) == (2, 1, 3)
    assert [value(each.cpu) for each in (n1, n2, whole)] == pytest.approx([0.2, 0.05, 0.25])
    assert [value(each.written_per_s) for each in (n1, n2, whole)] == [20.0, 10.0, 30.0]
    assert [value(each.tx_packets_per_s) for each in (n1, n2, whole)] == [5.0, 10.0, 15.0]
    assert [value(each.samples_per_packet) for each in (n1, n2, whole)] == [4.0, 1.0, 2.0]
    assert [value(each.dropped_per_s) for each in (n1, n2, whole)] == [3.0, 3.0, 6.0]
    assert [value(each.rx_bytes_per_s) for each in (n1, n2, whole)] == [500.0, 500.0, 1000.0]
    assert whole.rss_bytes == 3 * 10_000_000 + 0 + 1 + 2 + 3 * 39_000
    assert n2.rss_bytes == 10_000_001 + 39_000
    assert n1.growth is None and whole.growth
    assert whole.growth.bytes_per_min == pytest.approx(60_000.0)
    assert (whole.growth.participants, whole.growth.readings) == (3, 40)


def test_without_nodes_and_counters_nothing_is_stated() -> None:
    counted = system(0)
    nobody = WHO.with_columns(node=pl.lit(None, dtype=pl.String))
    assert node_costs([Tables(counted, by_participant(counted), nobody, flows(0), 40.0)]) == []
    none = counted.clear()
    whole = node_costs([Tables(none, by_participant(none), WHO, flows(0), 40.0)])[-1]
    assert (whole.cpu, whole.rss_bytes, whole.tx_bytes_per_s, whole.samples_per_packet) == (
        None, None, None, None,
    )  # fmt: skip
    assert whole.growth is None and value(whole.written_per_s) == 30.0
