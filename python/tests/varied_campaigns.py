"""Small campaigns: QoS varies, hardly anything does, nothing succeeds, or names are odd."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from synthetic_campaign import Builder, samples_around

NAMES = {"udp": "UDP socket", "cyclonedds": "Cyclone DDS", "zenoh": "Zenoh"}
CHOICES = {
    "udp": ("unicast", {"reliability": "best_effort"}),
    "cyclonedds": ("multicast", {"reliability": "reliable", "history": "keep_last", "depth": 8}),
    "zenoh": ("tcp", {"reliability": "reliable", "history": "keep_all"}),
}


def varied(folder: Path) -> Path:
    """Write three adapters that differ in transport, reliability and history; one loses samples."""
    build = Builder(folder)
    rng = np.random.default_rng(5)
    for size in (64, 1024):
        for adapter, (transport, qos) in CHOICES.items():
            case = build.case(
                f"{adapter}-{size}", adapter=adapter, transport=transport, qos=qos, size=size
            )
            for number in range(3):
                lost = 40 if adapter == "udp" else 0
                build.pings(case, number, samples_around(20_000, 3000, rng), lost=lost)
                build.system(case, number)
    return build.finish()


def alike(folder: Path) -> Path:
    """Write one middleware, two histories, and a floor; all else is the same."""
    build = Builder(folder)
    rng = np.random.default_rng(6)
    for depth in (1, 8):
        qos = {"reliability": "reliable", "history": "keep_last", "depth": depth}
        case = build.case(f"depth-{depth}", adapter="cyclonedds", transport="udp", qos=qos)
        for number in range(3):
            build.pings(case, number, samples_around(20_000, 300, rng))
    case = build.case("null", adapter="null", transport="memory")
    for number in range(3):
        build.pings(case, number, samples_around(200, 300, rng, 0.0))
    return build.finish()


def failed(folder: Path) -> Path:
    """Write three adapters and two sizes, of which no round succeeded."""
    build = Builder(folder)
    for adapter in NAMES:
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(2):
                reason = f"the responder ended with signal {11 - number}"
                build.row(case, number, "failed", reason=reason)
    return build.finish()


ODD_NAMES = {
    "udp": "Quoted \"DDS\" 'x' <b>&amp;", "tcp": "two\nlines", "zenoh": "עברית مرحبا",
    "cyclonedds": "日本語ミドルウェア", "fastdds": "a_name_" + 10 * "without_a_space_",
}  # fmt: skip


def named(folder: Path) -> Path:
    """Write middleware with names that are hard to show; all samples are equal, so equally fast."""
    build = Builder(folder)
    for adapter in ODD_NAMES:
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, size=size)
            for number in range(2):
                build.pings(case, number, np.full(1500, 20_000.0))
    titles = {name: {"name": name, "title": title} for name, title in ODD_NAMES.items()}
    return build.finish(adapters=titles)


KEPT = {"history": "keep_last", "depth": 10}
MESSAGES = {
    "Imu": (324, 200.0, {"reliability": "reliable", **KEPT}),
    "Image": (6_220_800, 30.0, {"reliability": "reliable", **KEPT}),
    "Image best effort": (6_220_800, 30.0, {"reliability": "best_effort", **KEPT}),
}
"""Named workloads with their size, rate and QoS."""

RMW = {
    "rmw": "rmw 7.8.2, rmw_fastrtps_cpp 9.3.3, Fast DDS 3.2.2",
    "rmw-jazzy": "rmw 7.3.2, rmw_fastrtps_cpp 8.4.3, Fast DDS 2.14.5",
}


def messages(folder: Path) -> Path:
    """Write named workloads of implementations of rmw, two that are here and one that is not, with
    columns of the scenario's own; as best effort one loses half, the other all."""
    build = Builder(folder)
    rng = np.random.default_rng(4)
    stream = {"test": "throughput", "arrivals": "constant", "placement": "different"}
    for workload, (size, rate, qos) in MESSAGES.items():
        own = {**stream, "workload": workload, "size": size, "rate_hz": rate, "qos": qos}
        for place, adapter in enumerate(RMW):
            for name in ("rmw_fastrtps_cpp", "rmw_zenoh_cpp"):
                known = {"adapter": adapter, "settings": {"implementation": name}}
                case = f"{adapter}-{workload.replace(' ', '-')}-{name}"
                if name == "rmw_zenoh_cpp":
                    why = "no rmw_zenoh_cpp is here; run `apt-get install it`, source that ROS 2"
                    build.case(case, "unsupported", why, **own, **known)
                    continue
                build.case(case, **own, **known)
                for number in range(4):
                    lost = 150 * (place + 1) if workload.endswith("effort") else 0
                    median = 2e5 * (1 + place) + size
                    build.timed(case, number, samples_around(median, 300, rng), lost=lost)
                    build.system(case, number)
    size, rate, qos = MESSAGES["Imu"]
    own = {**stream, "workload": "Imu", "size": size, "rate_hz": rate, "qos": qos}
    own |= {"adapter": "null", "transport": "memory", "placement": "same"}
    case = build.case("null-Imu", **own)
    for number in range(4):
        build.timed(case, number, samples_around(20_000, 300, rng, 0.0))
        build.system(case, number)
    adapters = {name: {"name": name, "title": f"ROS 2 ({name})", "middleware_version": version}
                for name, version in RMW.items()}  # fmt: skip
    columns = {"p99": "p99(one_way)", "Delivered": "delivered", "CPU per node": "cpu_of_one",
               "Memory per node": "memory"}  # fmt: skip
    scenario = {"name": "Messages", "answer": "latency", "columns": columns}
    return build.finish(scenario=scenario, adapters=adapters)


ENDS = ("cyclonedds", "fastdds", "udp")


def interop(folder: Path) -> Path:
    """Write pairs of three adapters: latency, and a stream that ends differently for each pair."""
    build = Builder(folder)
    rng = np.random.default_rng(3)
    known = {"discovery_s": 0.02, "discovery_resolution_s": 0.0}
    limited = {"discovery_s": None, "discovery_resolution_s": 0.0004}
    for writer in ENDS:
        for reader in ENDS:
            peer = None if reader == writer else reader
            case = build.case(f"l-{writer}-{reader}", adapter=writer, peer=peer)
            if peer and "udp" in (writer, reader):
                build.row(case, 0, "failed", reason="unmatched: not matched: passive: 0 of 1")
                continue
            for number in range(3):
                build.pings(case, number, rng.normal(40_000, 2000, 500))
                build.rows[-1] |= {"expected": None, **(limited if writer == "udp" else known)}
    keep_all = {"reliability": "reliable", "history": "keep_all"}
    for writer, reader, of, counts in (
        ("cyclonedds", "fastdds", {}, {}), ("fastdds", "cyclonedds", {}, {"lost": 1000}),
        ("udp", "fastdds", {}, {"corrupted": 7}),
        ("fastdds", "fastdds", {"qos": keep_all}, {"lost": 100}),
        ("udp", "udp", {"qos": {"reliability": "best_effort"}}, {"lost": 100}),
    ):  # fmt: skip
        case = build.case(f"t-{writer}-{reader}", adapter=writer, test="throughput", **of,
                          peer=None if reader == writer else reader)  # fmt: skip
        for number in range(3):
            build.stream(case, number, 10_000, 64, **counts, expected=20_000 + 1000)
    for writer, reader, status, counts in (
        ("udp", "cyclonedds", "marked", {"received": 0, "sent": 900, "expected": 900, "lost": 900}),
        ("cyclonedds", "udp", "failed", {}),
    ):  # fmt: skip
        case = build.case(f"t-{writer}-{reader}", adapter=writer, peer=reader, test="throughput")
        reason = "0 samples" if counts else "died: active: SIGSEGV"
        build.row(case, 0, status, reason=reason, **counts)
    build.case("t-lacks", "unsupported", "udp: QoS reliable", adapter="fastdds", peer="udp",
               test="throughput")  # fmt: skip
    return build.finish()


def types(folder: Path) -> Path:
    """Write types that cost more than octets, less, perhaps nothing, or have one round only.

    A slow round is slow for both: the difference does not see it.
    """
    build = Builder(folder)
    for adapter, extra_ns, rounds in (
        ("fastdds", 8_000, 5), ("cyclonedds", -8_000, 5), ("dustdds", -20, 5), ("rustdds", 8_000, 1)
    ):  # fmt: skip
        cases = [build.case(f"{adapter}-{payload}", adapter=adapter, payload=payload, size=1000)
                 for payload in ("type", "octet")]  # fmt: skip
        for number in range(rounds):
            base = np.full(200, 20_000.0 + 5_000 * number)
            for case, times in zip(cases, (base + extra_ns + 10 * number, base), strict=True):
                build.pings(case, number, times)
                build.rows[-1]["median_ns"] = float(np.median(times))
    return build.finish()


def applications(folder: Path) -> Path:
    """Write N writers and M readers on two nodes: one middleware carries all, one falls short, and
    of one not everybody was found."""
    build = Builder(folder)
    mesh = {"test": "throughput", "topics": 1, "writers": 1, "readers": 2, "rate_hz": 10.0,
            "writer_on": "n1+n2", "reader_on": "n1+n2", "placement": "free",
            "size": 100}  # fmt: skip
    for adapter, most in (("cyclonedds", 2), ("udp", 2), ("zenoh", 2)):
        for count in range(1, most + 1):
            case = build.case(f"{adapter}-{count}", adapter=adapter, applications=count, **mesh)
            if adapter == "zenoh" and count > 1:
                why = "unmatched: app1, match: reader of t: matched 3 of 4 within 1 s; app2: none"
                build.row(case, 0, "failed", reason=why)
                continue
            for number in range(3):
                reached = 0.75 if adapter == "udp" and count > 1 else 1.0
                _mesh(build, case, number, 2 * count, reached)
    return build.finish()


def _mesh(build: Builder, case: str, number: int, count: int, reached: float) -> None:
    """Write a round in which two readers of each application read every writer. The readers of the
    last application receive the share `reached`."""
    each = {"theoretical_per_s": 10.0, "written_per_s": 10.0, "sent": 20, "expected": 20,
            "duplicated": 0, "out_of_order": 0, "ancient": 0, "start_ns": 0,
            "duration_ns": 2 * 10**9, "ended": "duration", "flow": "stream"}  # fmt: skip
    flows, lost = [], 0
    for reader in range(2 * count):
        share = reached if reader // 2 == count - 1 else 1.0
        got = int(20 * share)
        lost += (20 - got) * count
        flows += [
            {**each, "writer": 100 + writer, "participant": f"app{writer}", "reader": reader,
             "reader_participant": f"app{reader // 2}", "read_per_s": 10 * share,
             "received": got, "lost": 20 - got, "bytes": 100 * got}
            for writer in range(count)
        ]  # fmt: skip
    build.table("flows", case, number, flows)
    there = [{"participant": f"app{n}", "node": f"n{1 + n % 2}"} for n in range(count)]
    build.table("participants", case, number, there)
    read_per_s = sum(row["read_per_s"] for row in flows)
    build.stream(case, number, read_per_s, 100, lost=lost, probes=0)
