"""Estimates of a result whose tables were made by hand: every figure is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from seams import Estimates
from synthetic_campaign import Builder

MS, S = 10**6, 10**9
SIZE = 100
WHO = {"app1": "n1", "app2": "n2", "app3": "n1"}
READER = "counters"
"""Who reads the kernel's counters."""


def mesh_flows(slow: float = 1.0, *, deaf: bool = False) -> list[dict[str, Any]]:
    """Return rows of three applications. Each writes one topic at 10/s and has two readers of it;
    app3 reads the share `slow`, and if `deaf` one reader of app2 hears nothing of app1."""
    rows = []
    for writer in (1, 2, 3):
        for reader in range(11, 17):
            at = (reader - 11) // 2 + 1
            silent = deaf and (writer, reader) == (1, 13)
            share = 0.0 if silent else slow if at == 3 else 1.0
            received = round(20 * share)
            rows.append({
                "flow": "stream", "writer": writer, "participant": f"app{writer}",
                "reader": reader, "reader_participant": f"app{at}", "theoretical_per_s": 10.0,
                "written_per_s": 10.0, "read_per_s": None if silent else 10.0 * share, "sent": 20,
                "expected": 20, "received": received, "lost": 20 - received,
                "bytes": received * SIZE,
            })  # fmt: skip
    return rows


def mesh_system() -> list[dict[str, Any]]:
    """Return 40 readings, one a second, of processes on two nodes; the second node's is half as
    busy, and the memory of each process grows by 1,000 B a second."""
    rows: list[dict[str, Any]] = []
    for interval in range(40):
        common = {"interval": interval, "start_ns": interval * S, "duration_ns": S}
        for process, (name, node) in enumerate([*WHO.items(), (READER, "n1")]):
            own = {**common, "participant": name, "process": process, "network": f"net{node}"}
            busy = 50 * MS if node == "n2" else 100 * MS
            rss = 10_000_000 + process + 1000 * interval
            rows.append({**own, "scope": "process", "user_ns": busy, "system_ns": 0,
                         "major_faults": 0, "rss_bytes": rss})  # fmt: skip
            rows.append({**own, "scope": "thread", "thread": process, "run_ns": busy,
                         "voluntary_switches": 0, "involuntary_switches": 0})  # fmt: skip
        for node, packets in (("n1", 5), ("n2", 10)):
            own = {**common, "network": f"net{node}"}
            rows += [{**own, "scope": "interface", "name": name, "tx_bytes": 1000,
                      "tx_packets": packets, "rx_bytes": 500, "rx_packets": 2}
                     for name in ("lo", "lan0")]  # fmt: skip
            rows.append({**own, "scope": "network", "udp_rcvbuf_errors": 3})
    return rows


def add_mesh(build: Builder) -> None:
    mesh = {"test": "throughput", "size": SIZE, "topics": 3, "readers": 2, "network": "lab"}
    rounds = {"mesh": [mesh_flows()], "short": [mesh_flows(), mesh_flows(0.75),
                                                mesh_flows(deaf=True)]}  # fmt: skip
    for name, each in rounds.items():
        case = build.case(name, **mesh)
        for number, rows in enumerate(each):
            build.stream(case, number, 30.0, SIZE, measured_s=40.0)
            build.table("flows", case, number, rows)
            build.table("participants", case, number, [
                {"case": case, "round": number, "participant": who, "node": node}
                for who, node in WHO.items()
            ])  # fmt: skip
    build.table("system", "mesh", 0, mesh_system())


def cpu_rows(interval: int, who: str = "active", **values: Any) -> list[dict[str, Any]]:
    """Return rows of a process and its only thread in a quarter of a second: 90 ms of user and
    40 ms of system time in the kernel's steps, 125 ms in truth."""
    own = {"interval": interval, "start_ns": interval * 250 * MS, "duration_ns": 250 * MS,
           "participant": who, "process": len(who), "name": "w"}  # fmt: skip
    return [
        {**own, "scope": "process", "user_ns": 90 * MS, "system_ns": 40 * MS, "rss_bytes": 1000,
         "major_faults": 0, **values},
        {**own, "scope": "thread", "thread": 1, "run_ns": 125 * MS, "voluntary_switches": 20,
         "involuntary_switches": 5, **values},
    ]  # fmt: skip


CPU: dict[str, tuple[float, list[dict[str, Any]]]] = {
    "exact": (0.5, [*cpu_rows(0), *cpu_rows(1), *cpu_rows(0, READER)]),
    "outside": (0.6, [*cpu_rows(0), *cpu_rows(1), *cpu_rows(2, user_ns=250 * MS)]),
    "ended": (0.25, cpu_rows(0, run_ns=0)),
    "steps": (0.25, cpu_rows(0, run_ns=None)),
    "partly": (0.5, [*cpu_rows(0), *cpu_rows(1, voluntary_switches=None, rss_bytes=None)]),
    "own-rows": (0.5, [*cpu_rows(0, recorder_bytes=400), *cpu_rows(1, rss_bytes=900)]),
}  # fmt: skip
"""Seconds that were measured, and what the counters say."""


def add_cpu(build: Builder) -> None:
    for name, (seconds, rows) in CPU.items():
        build.pings(build.case(name, size=len(name)), 0, np.full(50, 8000.0))
        build.rows[-1]["measured_s"] = seconds
        build.table("system", name, 0, rows)


def passage(seq: int, hop: int, at: int, **also: Any) -> dict[str, Any]:
    return {
        "flow": "stream", "writer": 0, "seq": seq, "warm_up": False, "hop": hop,
        "transport": "udp", "protocol": ("xrce", "rtps", "xrce")[hop], "source": f"s{hop}",
        "destination": f"d{hop}", "time_ns": at, "packets": 1, "sharing": 1, "wire_bytes": 100.0,
        "repeated": 0, **also,
    }  # fmt: skip


def three(seq: int, begin: int, confirmed: int) -> list[dict[str, Any]]:
    return [passage(seq, 0, begin), passage(seq, 1, begin + MS),
            passage(seq, 2, begin + 2 * MS, confirmed_ns=confirmed)]  # fmt: skip


ROUTES: dict[str, tuple[list[dict[str, Any]], dict[int, tuple[int, int]]]] = {
    "confirmed": ([*three(0, 0, 4 * MS), *three(1, 10 * MS, 16 * MS)],
                  {0: (0, 3 * MS), 1: (10 * MS, 13 * MS)}),
    "lost": ([passage(0, 0, 0), *three(1, 10 * MS, 12 * MS), passage(2, 0, 20 * MS),
              passage(2, 1, 21 * MS)], {}),
    "by-application": ([passage(0, 0, 0), passage(0, 2, MS)], {0: (0, 2 * MS)}),
    "by-TCP": ([passage(0, 0, 0), passage(0, 2, MS, acknowledged_ns=3 * MS)], {}),
    "copies": ([*three(0, 0, 4 * MS), passage(0, 0, 5 * MS, repeated=1)], {}),
    "others": ([*three(0, 0, 4 * MS), passage(0, 0, 1, warm_up=True),
                passage(0, 0, 1, writer=1, answered=0), passage(0, 0, 1, flow="humidity")], {}),
}  # fmt: skip
"""Passages of samples over hops, and when the application sent and read each."""


def add_routes(build: Builder) -> None:
    for name, (hops, stamps) in ROUTES.items():
        case = build.case(name, test="throughput", size=1000 + len(name))
        build.stream(case, 0, 100.0, 64, probes=0, captured=10)
        build.table("hops", case, 0, [{"case": case, "round": 0, **row} for row in hops])
        build.table("samples", case, 0, [
            {"role": "receiver", "flow": "stream", "writer": 0, "reader": 1, "seq": seq,
             "intended_ns": sent, "sent_ns": sent, "read_ns": read, "flags": 0}
            for seq, (sent, read) in stamps.items()
        ])  # fmt: skip


def add_phases(build: Builder) -> None:
    """Add pings of 20 ns, and of 400 ns after a change (medians); after it one in three is lost."""
    change = "video at 9/s from 1 s on"
    case = build.case("phases", rate_hz=10.0, arrivals="constant", timeline=change)
    for number in range(2):
        trips = [(0, t) for t in (10, 20, 30)] + [(1, t) for t in (200, None, 600)]
        build.row(case, number, samples=5, lost=1, sent=6)
        build.table("samples", case, number, [
            {"role": "pinger", "flow": "pings", "flags": 0, "writer": 1, "seq": n,
             "intended_ns": 1000 + n, "sent_ns": 1000 + n, "phase": phase,
             "read_ns": None if trip is None else 1000 + n + trip}
            for n, (phase, trip) in enumerate(trips)
        ])  # fmt: skip
        # The last interval is not whole, and the third is of neither phase.
        build.table("intervals", case, number, [
            {"flow": "video", "role": "receiver", "writer": 3, "reader": 4, "start_ns": S * n,
             "duration_ns": S, "samples": samples, "bytes": samples, "phase": phase}
            for n, (phase, samples) in enumerate(
                [(0, 100), (0, 120), (None, 500), (1, 900), (1, 5)])
        ])  # fmt: skip
        build.table("changes", case, number, [
            {"case": case, "round": number, "phase": 1, "flow": "video", "change": "rate_hz = 9",
             "asked_ns": 2 * S, "taken_ns": 1003}
        ])  # fmt: skip


def add_batches(build: Builder) -> None:
    case = build.case("batches", test="throughput", size=64, batch=100)
    took = ([MS, None, 3 * MS], [4 * MS])
    for number, each in enumerate(took):
        known = [t for t in each if t]
        build.stream(case, number, 1000.0, 64, probes=0, batches=len(known),
                     batch_ns=float(np.mean(known)),
                     batches_unacknowledged=len(each) - len(known))  # fmt: skip
        build.table("batches", case, number, [
            {"case": case, "round": number, "writer": 1, "reader": 2, "number": n,
             "duration_ns": t, "expected": 100, "received": 50, "acknowledged": t is not None}
            for n, t in enumerate(each)
        ])  # fmt: skip


def add_met(build: Builder) -> None:
    """Add three rounds in which endpoints of two topics found each other; the time of the last
    match is unknown in one round."""
    case = build.case("met", test="throughput", size=2, topics=2)
    for number, times in enumerate(([1, 5, 90], [1, 5, None], [1, 5, 92])):
        build.stream(case, number, 100.0, 64, probes=0)
        build.table("flows", case, number, [
            {"flow": "stream", "writer": 1, "participant": "a", "reader": 2,
             "reader_participant": "b", "sent": 1, "expected": 1, "received": 1, "lost": 0}
        ])  # fmt: skip
        build.table("matches", case, number, [
            {"case": case, "round": number, "participant": "a", "topic": "t",
             "endpoint": "reader", "counterparts": 1,
             "matched_ns": None if at is None else at * MS,
             "matched_least_ns": None if at is None else at * MS}
            for at in times
        ])  # fmt: skip


def add_wire(build: Builder) -> None:
    """Add rounds of ten samples of 100 B; in the median round one in four bytes is control."""
    for name, params in (("wire", {}), ("wire-of-any-size", {"size_distribution": "uniform"})):
        case = build.case(name, size=100, **params)
        for number, wire_bytes in enumerate((3280, 1640, 6560)):
            build.pings(case, number, np.full(10, 8000.0), wire_samples=10, wire_packets=15,
                        wire_bytes=wire_bytes, wire_control_bytes=820, wire_repeated_bytes=0,
                        wire_discovery_packets=7, wire_discovery_bytes=700)  # fmt: skip
            build.table("wire", case, number, [
                {"case": case, "round": number, "purpose": "data", "packets": 3 * n,
                 "wire_bytes": 300 * n, "window_packets": n, "window_wire_bytes": 100 * n}
                for n in (4 + number,)
            ])  # fmt: skip


def timed(role: str, seq: Sequence[int], took: Sequence[float | None], writer: int = 1,
          reader: int | None = None) -> list[dict[str, Any]]:  # fmt: skip
    """Return samples that were sent every microsecond; the time of a lost one is None."""
    return [
        {"role": role, "flags": 0, "writer": writer, "reader": reader, "seq": n,
         "intended_ns": 1000 * n, "sent_ns": 1000 * n,
         "read_ns": None if t is None else 1000 * n + int(t)}
        for n, t in zip(seq, took, strict=True)
    ]  # fmt: skip


EVERY_SECOND = [100.0 if n % 2 == 0 else None for n in range(40)]
NEIGHBOURS: dict[str, list[dict[str, Any]]] = {
    "every-second-ping-lost": timed("pinger", range(40), EVERY_SECOND),
    "two-pingers": [*timed("pinger", range(40), [10 + n % 2 for n in range(40)]),
                    *timed("pinger", range(40), [50 + n % 2 for n in range(40)], writer=2)],
    "every-second-probe-lost": [
        *timed("transmitter", range(0, 640, 16), [300.0 if n % 32 == 0 else None
                                                  for n in range(0, 640, 16)]),
        *timed("receiver", range(0, 640, 32), [100] * 20)],
    "probes-in-a-row": [
        *timed("receiver", [0, 16, 32, 64], [100, 103, 101, 110]),
        *timed("transmitter", [0, 16, 32, 48, 64], [300, 307, 305, None, 310])],
    "two-readers": [*timed("receiver", range(40), [100.0 + n % 2 for n in range(40)], reader=7),
                    *timed("receiver", range(40), [500.0 + n % 2 for n in range(40)], reader=8)],
    "overtaken": timed("receiver", [0, 3, 1, 2], [10, 13, 20, 14]),
}  # fmt: skip
"""Samples by what of them are neighbours: of one writer, at one reader, none lost in between."""


def add_neighbours(build: Builder) -> None:
    for number, (name, rows) in enumerate(NEIGHBOURS.items()):
        latency = rows[0]["role"] == "pinger"
        case = build.case(name, test="latency" if latency else "throughput", size=3 + number)
        lost = sum(row["read_ns"] is None for row in rows)
        counted = {"samples": len(rows) - lost, "sent": len(rows), "lost": lost}
        build.row(case, 0, **counted, samples_per_s=1.0, mbit_per_s=1.0, received=1, expected=1)
        build.table("samples", case, 0, rows)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Estimates:
    build = Builder(tmp_path_factory.mktemp("known"))
    for add in (add_mesh, add_cpu, add_routes, add_phases, add_batches, add_met, add_wire,
                add_neighbours):  # fmt: skip
        add(build)
    return Estimates(build.finish())


LEVELS = {"reader": (6, 30.0), "participant": (3, 60.0), "node": (2, 90.0), "system": (1, 180.0)}
"""Members of each, and what each of them should read in a second."""

ANSWERS: dict[tuple[str, str, str | None], dict[str, Any]] = {
    **{("mesh", "level", of): {
        "members": members, "theoretical_rate": rate, "read_rate": rate, "read_bytes": rate * SIZE,
        "theoretical_bytes": rate * SIZE, "read_share": 1.0, "short": 0, "expected": 360, "lost": 0,
    } for of, (members, rate) in LEVELS.items()},
    ("mesh", "flow", "stream: app1 → app2"): {
        "writers": 1, "readers": 2, "theoretical_rate": 20.0, "write_rate": 10.0, "sent": 20,
        "read_rate": 20.0, "expected": 40, "received": 40, "lost": 0},
    ("mesh", "participant", "app2"): {
        "asked_rate": 10.0, "read_rate": 60.0, "cpu_user": 0.05, "rss": 10_039_001},
    # Three of four processes are the participants'; one only reads the counters.
    ("mesh", "node", "n1"): {
        "participants": 2, "cpu": 0.2, "write_rate": 20.0, "tx_packets": 5.0, "dropped": 3.0,
        "samples_per_packet": 4.0, "rx": 500.0, "rss": 20_078_002},
    ("mesh", "node", "n2"): {"participants": 1, "cpu": 0.05, "samples_per_packet": 1.0},
    ("mesh", "system", "all"): {
        "cpu": 0.25, "write_rate": 30.0, "tx_packets": 15.0, "samples_per_packet": 2.0,
        "dropped": 6.0, "rss": 30_000_003 + 3 * 39_000, "growth": 60_000.0, "read_rate": 180.0},
    # One of three writers is not heard at all by reader 13, and app3 reads three quarters.
    ("short", "level", "reader"): {"short": 3}, ("short", "level", "participant"): {"short": 2},
    ("short", "level", "node"): {"short": 2},
    ("short", "level", "system"): {"short": 1, "lost": 50},
    ("short", "level", "reader: reader 13 of stream in app2"): {"least_share": 2 / 3},
    ("short", "level", "participant: app3"): {"least_share": 0.75},
    ("short", "level", "node: n2"): {"least_share": 5 / 6},
    ("short", "flow", "stream: app1 → app2"): {"read_rate": 20.0, "received": 100, "lost": 20},
    # 260 ms by steps are 250 ms in truth: 5 ms less of each part, in half a second.
    ("exact", "participant", "active"): {
        "cpu_user": 0.35, "cpu_system": 0.15, "switches": 100.0, "rss": 1000, "major_faults": 0},
    ("exact", "case", None): {"cpu": 0.5}, ("outside", "case", None): {"cpu": 0.5},
    # A thread has ended: at least what the steps prove is known, 110 of 130 ms.
    ("ended", "case", None): {"cpu": 0.44},
    ("steps", "participant", "active"): {"cpu_user": 0.36, "cpu_system": 0.16},
    ("partly", "participant", "active"): {"switches": None, "rss": 1000, "cpu_user": 0.35},
    ("own-rows", "participant", "active"): {"rss": 900},
    ("confirmed", "route", "stream"): {
        "entered": 2, "arrived": 2, "lost_first": 0, "packets_per_sample": 3.0,
        # 2,400 bit in 4 ms and in 6 ms: 0.6 and 0.4 Mbit/s.
        "route_bits": 2400.0, "route_latency": 2.0 * MS, "route_confirmed": 5.0 * MS,
        "route_application": 3.0 * MS, "route_apart": 2.0 * MS, "route_eq2": 0.5},
    ("lost", "route", "stream"): {
        "entered": 3, "arrived": 1, "lost_first": 1, "route_application": None},
    ("by-application", "route", "stream"): {
        "route_confirmed": None, "route_application": 2.0 * MS, "route_eq2": 0.8},
    ("by-TCP", "route", "stream"): {"route_confirmed": 3.0 * MS, "route_eq2": 1600 / 3 / 1000},
    ("copies", "route", "stream"): {
        "entered": 1, "arrived": 1, "route_bits": 3200.0, "packets_per_sample": 4.0},
    ("others", "route", "stream"): {"entered": 1, "route_bits": 2400.0},
    ("phases", "phase", "0 pings"): {"half_round_trip": 10.0, "asked": 6, "lost": 0,
                                     "first_after": None},
    # What was taken at 1003 may have been sent at 1000, and came at 1010.
    ("phases", "phase", "1 pings"): {"half_round_trip": 300.0, "asked": 6, "lost": 2,
                                     "loss": 1 / 3, "first_after": 7.0},
    ("phases", "phase", "0 video"): {"read_rate": 110.0},
    ("phases", "phase", "1 video"): {"read_rate": 900.0},
    ("batches", "case", None): {"batches": 4, "batches_unacknowledged": 1, "batch_time": 3e6},
    ("met", "case", None): {"matched_first": 1.0 * MS, "matched_half": 5.0 * MS,
                            "matched_last": 91.0 * MS, "matched_unknown": 1},
    ("wire", "case", None): {
        "wire_bytes_per_sample": 328.0, "wire_packets_per_sample": 1.5,
        "wire_overhead_share": 0.5, "wire_control_share": 0.25, "wire_repeated_share": 0.0,
        "wire_discovery_bytes": 700.0},
    ("wire", "traffic", "data"): {"packets": 15, "bytes": 1500, "round_packets": 45},
    ("wire-of-any-size", "case", None): {
        "wire_bytes_per_sample": 328.0, "wire_overhead_share": None},
}  # fmt: skip
"""Values of a typical round, or of all samples, by case, scope and what of it."""


@pytest.mark.parametrize(("case", "scope", "of"), ANSWERS, ids=lambda part: str(part))
def test_every_figure_is_what_was_put_in(
    answers: Estimates, case: str, scope: str, of: str | None
) -> None:
    own = answers.frame.filter(case=case, scope=scope)
    own = own.filter(own["of"].is_null() if of is None else own["of"] == of)
    chosen = own.filter(own["statistic"].is_in(["median", "mean", "value", "count"]))
    found = {row["quantity"]: row["value"] for row in chosen.sort("statistic").to_dicts()}
    for quantity, value in ANSWERS[case, scope, of].items():
        assert found.get(quantity) == pytest.approx(value), (quantity, found)


@pytest.mark.parametrize(
    ("case", "quantity", "pairs", "most"),
    [
        ("every-second-ping-lost", "half_round_trip", 0, None),
        # None mixes two writers or readers, whose latencies differ by more.
        ("two-pingers", "half_round_trip", 78, 0.5),
        ("every-second-probe-lost", "one_way", 0, None),
        ("probes-in-a-row", "one_way", 2, 3.0),
        ("two-readers", "one_way", 78, 1.0),
        ("overtaken", "one_way", 3, 10.0),
    ],
)
def test_neighbours_are_samples_of_one_writer_at_one_reader_with_none_lost_between(
    answers: Estimates, case: str, quantity: str, pairs: int, most: float | None
) -> None:
    assert answers.rows(quantity, "median", scope="case", case=case)
    jitter = answers.rows("jitter", "max", scope="case", case=case, over="samples")
    assert [(row["count"], row["value"]) for row in jitter] == ([(pairs, most)] if pairs else [])


def test_a_round_shorter_than_two_readings_has_its_counters(tmp_path: Any) -> None:
    """They are read where it begins and ends, each time a little later."""
    build = Builder(tmp_path / "r")
    case = build.case("a")
    for number in range(3):
        latency = np.full(50, 20_000.0)
        build.pings(case, number, latency, measured_s=0.06)
        build.system(case, number, (-0.3, 0.0004, 0.0611, 0.5))
    row = Estimates(build.finish()).row("cpu", "median")
    assert row["value"] == pytest.approx(0.6) and row["rounds"] == 3
