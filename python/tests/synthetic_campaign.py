"""Result directories with known answers, written in the real format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.store import file_stem, polars_schema, write_table

Array = NDArray[np.float64]

TITLES = {
    "null": "Null (no middleware)",
    "uds": "Unix socket",
    "udp": "UDP socket",
    "tcp": "TCP socket",
    "cyclonedds": "Cyclone DDS",
    "fastdds": "Fast DDS",
    "zenoh": "Zenoh",
}
VERSIONS = {
    "cyclonedds": "Cyclone DDS 11.0.1",
    "fastdds": "Fast DDS 2.9.1",
    "zenoh": "Zenoh 1.10.2",
}


@dataclass
class Builder:
    """Collects cases and rounds, writes samples and intervals at once, the rest with `finish`."""

    directory: Path
    seed: int = 7
    cases: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)

    def case(
        self, case: str, status: str = "planned", reason: str | None = None, **params: Any
    ) -> str:
        """Add a point of the matrix."""
        defaults = {
            "test": "latency",
            "adapter": "udp",
            "transport": "udp",
            "profile": "default",
            "payload": "octet",
            "size": 64,
            "wait": "listener",
            "placement": "same",
            "arrivals": "closed",
            "rate_hz": None,
            "qos": {"reliability": "reliable"},
            "settings": {},
            "duration_s": 2.0,
            "warmup_s": 0.5,
        }
        unknown = {"id": case, "status": status, "reason": reason, "params": defaults | params}
        self.cases.append(unknown)
        return case

    def row(self, case: str, number: int, status: str = "ok", **values: Any) -> None:
        """Add a row to the table `cases`; what is not given is null."""
        params = next(c["params"] for c in self.cases if c["id"] == case)
        columns = polars_schema("cases")
        known = {
            name: value
            for name, value in params.items()
            if name in columns and not isinstance(value, list | dict)
        }
        row = {name: None for name in columns} | known
        row |= {"case": case, "round": number, "attempt": 0, "status": status}
        row |= {"order": len(self.rows), "qos": json.dumps(params["qos"]), "measured_s": 2.0}
        row |= {"started_utc": "2025-01-01T12:00:00Z", "ended": "duration"}
        self.rows.append(row | values)

    def pings(
        self,
        case: str,
        number: int,
        latency_ns: Array,
        *,
        warmup_ns: Array | None = None,
        lost: int = 0,
        late_ns: float = 0.0,
        status: str = "ok",
        reason: str | None = None,
        **values: Any,
    ) -> None:
        """Write a round of round trips; each was sent `late_ns` after its intended time."""
        warm = np.empty(0) if warmup_ns is None else warmup_ns
        rtt = np.concatenate((warm, latency_ns)).astype(np.int64)
        sent = 1_000_000 + np.concatenate(([0], np.cumsum(rtt + 500)[:-1]))
        read: list[int | None] = (sent + rtt).tolist()
        for index in range(lost):
            read[len(read) - 1 - 2 * index] = None
        flags = np.where(np.arange(rtt.size) < warm.size, 1, 0)
        turn = np.minimum(300, rtt // 10)
        there = (rtt - turn) // 2
        frame = pl.DataFrame(
            {
                "seq": np.arange(rtt.size),
                "intended_ns": sent - int(late_ns),
                "sent_ns": sent,
                "written_ns": sent + there // 4,
                "echo_delivered_ns": sent + there - there // 8,
                "echo_read_ns": sent + there,
                "echo_sent_ns": sent + there + turn,
                "delivered_ns": sent + rtt - there // 8,
                "read_ns": pl.Series(read, dtype=pl.Int64),
                "flags": flags,
            }
        )
        self._write("samples", case, number, frame, "pinger")
        median = float(np.median(latency_ns)) + late_ns
        self.row(
            case, number, status, reason=reason, samples=latency_ns.size - lost, lost=lost,
            median_ns=median, sent=latency_ns.size, warmup_s=0.5, **values)  # fmt: skip

    def stream(
        self, case: str, number: int, per_s: float, size: int, lost: int = 0, probes: int = 3000,
        **values: Any,
    ) -> None:  # fmt: skip
        """Write a round of throughput: 20 intervals of 100 ms and some probes."""
        rng = np.random.default_rng(number)
        steps = np.arange(20) * 100_000_000
        samples = np.rint(per_s / 10 * rng.uniform(0.95, 1.05, 20)).astype(np.int64)
        frame = pl.DataFrame(
            {
                "start_ns": steps,
                "duration_ns": np.full(20, 100_000_000),
                "samples": samples,
                "bytes": samples * size,
            }
        )
        self._write("intervals", case, number, frame, "receiver")
        sent = np.arange(probes) * 600_000
        one_way = np.rint(rng.lognormal(np.log(40_000), 0.3, probes)).astype(np.int64)
        samples_of = pl.DataFrame(
            {"seq": np.arange(probes), "sent_ns": sent, "read_ns": sent + one_way,
             "flags": np.full(probes, 2)}
        )  # fmt: skip
        self._write("samples", case, number, samples_of, "receiver")
        total = round(per_s * 2)
        counted = {
            "sent": total + lost, "received": total, "lost": lost, "duplicated": 0,
            "out_of_order": 0, "foreign": 0, "samples_per_s": per_s,
            "mbit_per_s": per_s * size * 8 / 1e6, "written_per_s": per_s * 1.01,
        }  # fmt: skip
        self.row(case, number, **(counted | values))

    def system(self, case: str, number: int, readings_s: Sequence[float] = ()) -> None:
        """Write counters of a round of 2 s, by intervals of 0.25 s, or between these readings: two
        participants of one thread each keep 0.4 and 0.2 CPUs busy; the process that reads the
        counters is there, too."""
        rows = []
        times = [round(at * 1e9) for at in readings_s or np.arange(9) / 4]
        for interval, (begin, end) in enumerate(pairwise(times)):
            for name, busy in (("active", 0.4), ("passive", 0.2), ("counters", 0.003)):
                run_ns = round(busy * (end - begin))
                whole = {
                    "participant": name, "interval": interval, "duration_ns": end - begin,
                    "start_ns": begin, "user_ns": run_ns // 4,
                    "system_ns": run_ns - run_ns // 4, "name": "busmark-worker",
                }  # fmt: skip
                rows.append({**whole, "scope": "process", "rss_bytes": 25 << 20, "major_faults": 0})
                switches = {"voluntary_switches": 1000, "involuntary_switches": interval}
                rows.append({**whole, "scope": "thread", "run_ns": run_ns, **switches})
        self._write("system", case, number, pl.DataFrame(rows, infer_schema_length=None), "")

    def probes(
        self, case: str, number: int, one_way_ns: Array, lost: int, unanswered: int = 0,
        **values: Any,
    ) -> None:  # fmt: skip
        """Write a round of throughput whose writer recorded all probes: the last `lost` never
        arrived, and the echoes of the `unanswered` probes before them were lost. Half of all
        samples were probes."""
        count = one_way_ns.size
        sent = 1_000_000 + np.arange(count) * 600_000
        there = (sent + one_way_ns).astype(np.int64)
        back: list[int | None] = (there + one_way_ns).astype(np.int64).tolist()
        back[count - lost - unanswered :] = [None] * (lost + unanswered)
        common = {"writer": 1, "flags": 2}
        writer = pl.DataFrame({"seq": np.arange(count) * 2, "intended_ns": sent, "sent_ns": sent})
        writer = writer.with_columns(pl.Series("read_ns", back, dtype=pl.Int64))
        reader = writer.with_columns(pl.Series("read_ns", there)).head(count - lost)
        frames = [
            frame.with_columns(role=pl.lit(role), **{k: pl.lit(v) for k, v in common.items()})
            for frame, role in ((writer, "transmitter"), (reader, "receiver"))
        ]
        self._write("samples", case, number, pl.concat(frames), None)
        counted = {
            "sent": 2 * count, "received": 2 * (count - lost), "lost": 2 * lost, "duplicated": 0,
            "out_of_order": 0, "foreign": 0, "samples_per_s": 2.0 * (count - lost),
            "mbit_per_s": 1.0, "written_per_s": 2.0 * count, "expected": 2 * count,
        }  # fmt: skip
        self.row(case, number, **(counted | values))

    def timed(
        self, case: str, number: int, one_way_ns: Array, lost: int = 0, **values: Any
    ) -> None:
        """Write a round of a stream of 20 samples in a second whose reader has a row for each: the
        last `lost` never arrived."""
        count = one_way_ns.size
        sent = 1_000_000 + np.arange(count) * 50_000_000
        read: list[int | None] = (sent + one_way_ns).astype(np.int64).tolist()
        read[count - lost :] = [None] * lost
        rows = pl.DataFrame({"seq": np.arange(count), "intended_ns": sent, "sent_ns": sent})
        rows = rows.with_columns(
            pl.Series("read_ns", read, dtype=pl.Int64), writer=pl.lit(1), reader=pl.lit(2),
            flags=pl.lit(0),
        )  # fmt: skip
        self._write("samples", case, number, rows, "reader")
        step = {"start_ns": [0], "duration_ns": [count * 50_000_000]}
        whole = pl.DataFrame({**step, "samples": [count - lost], "bytes": [count - lost]})
        self._write("intervals", case, number, whole, "receiver")
        counted = {
            "sent": count, "received": count - lost, "lost": lost, "duplicated": 0,
            "out_of_order": 0, "foreign": 0, "samples_per_s": 20.0 * (count - lost) / count,
            "mbit_per_s": 1.0, "written_per_s": 20.0, "expected": count,
        }  # fmt: skip
        self.row(case, number, **(counted | values))

    def table(self, name: str, case: str, number: int, rows: list[dict[str, Any]]) -> None:
        """Append rows to any table of a round; what is not given is null."""
        path = self.directory / name / f"{file_stem(case, number)}.parquet"
        known = pl.read_parquet(path).to_dicts() if path.exists() else []
        frame = pl.DataFrame([*known, *rows], schema=polars_schema(name))
        self._write(name, case, number, frame, None)

    def _write(
        self, table: str, case: str, number: int, frame: pl.DataFrame, role: str | None
    ) -> None:
        """Write a table; `role` is of all rows, or None: they have their own."""
        schema = polars_schema(table)
        frame = frame.with_columns(pl.lit(case).alias("case"), pl.lit(number).alias("round"))
        if role is not None:
            frame = frame.with_columns(pl.lit(role).alias("role"))
        absent = [
            pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in frame.columns
        ]
        folder = self.directory / table
        folder.mkdir(parents=True, exist_ok=True)
        whole = frame.with_columns(absent).select(
            pl.col(name).cast(kind) for name, kind in schema.items()
        )
        write_table(whole, folder / f"{file_stem(case, number)}.parquet")

    def finish(self, **changes: Any) -> Path:
        """Write the manifest and the table of rounds."""
        self.directory.mkdir(parents=True, exist_ok=True)
        adapters = dict.fromkeys(c["params"]["adapter"] for c in self.cases)
        manifest = {
            "busmark_version": "0.1.0",
            "created_utc": "2025-01-01T12:00:00Z",
            "finished_utc": "2025-01-01T12:10:00Z",
            "command": "busmark run scenarios/compare.toml --out runs/compare",
            "seed": self.seed,
            "cookie": "00c0ffee00c0ffee",
            "scenario": {"name": "Six ways to pass a sample",
                         "question": "Which middleware has the lowest latency on this machine?"},
            "scenario_text": 'name = "Six ways to pass a sample"\n\n[measure]\ntest = "latency"\n',
            "cases": self.cases,
            "hosts": {"": HOST},
            "adapters": {name: capabilities(name) for name in adapters},
            "findings": self.findings,
        } | changes  # fmt: skip
        (self.directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        cases = pl.DataFrame(self.rows, schema=polars_schema("cases"))
        write_table(cases, self.directory / "cases.parquet")
        return self.directory


HOST: dict[str, Any] = {
    "hostname": "bench-1",
    "os": "Debian GNU/Linux 12 (bookworm)",
    "kernel": "6.18.0",
    "architecture": "x86_64",
    "cpu_model": "Example CPU @ 2.50GHz",
    "cpus_online": 2,
    "governors": None,
    "clocksource": "tsc",
    "memory_bytes": 24 << 30,
    "rmem_max": 212992,
    "load_average": [0.1, 0.2, 0.1],
    "virtualisation": "KVM",
}


def capabilities(name: str) -> dict[str, Any]:
    """Return the capabilities of an adapter as in a manifest."""
    return {
        "name": name,
        "title": TITLES.get(name, name),
        "version": "0.1.0",
        "middleware_version": VERSIONS.get(name, "none"),
        "licence": "Apache-2.0",
        "transports": ["udp"],
        "waits": ["listener", "waitset"],
        "reach": ["process", "host"],
        "payloads": ["octet", "struct"],
        "qos": ["reliable", "best_effort"],
        "features": ["matched"],
        "cost": "",
        "path": f"/opt/busmark/libbusmark_{name}.so",
        "sha256": "9f" * 32,
    }


def samples_around(
    median_ns: float, count: int, rng: np.random.Generator, tail: float = 0.01
) -> Array:
    """Draw round trips with this median and a heavy tail."""
    body = rng.lognormal(np.log(median_ns), 0.06, count)
    slow = rng.random(count) < tail
    return np.rint(np.where(slow, body * rng.pareto(2.5, count) * 2 + body, body))


MEDIANS_US = {"uds": 10.2, "udp": 13.5, "tcp": 13.6, "cyclonedds": 15.2, "fastdds": 52, "zenoh": 96}


def small(directory: Path) -> Path:
    """Write two adapters and the floor at two sizes, for tests that find results and print them."""
    build = Builder(directory)
    rng = np.random.default_rng(2)
    for size in (64, 65536):
        for adapter, micros in (("null", 0.3), ("udp", 13.5), ("tcp", 15.0)):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(2):
                build.pings(case, number, samples_around(micros * 1e3 + size / 4, 60, rng))
    build.findings += FINDINGS
    return build.finish()


def comparison(directory: Path, *, samples: int = 20_000, rounds: int = 5) -> Path:
    """Write six adapters, four sizes, two placements, throughput, a floor, and what can go wrong.
    It is made once, and copied."""
    made = Path(_comparison(samples, rounds).name)
    return Path(copytree(made, directory, dirs_exist_ok=True, copy_function=copy))


@cache
def _comparison(samples: int, rounds: int) -> TemporaryDirectory[str]:
    """Make that result in a folder that goes with the process."""
    folder = TemporaryDirectory(prefix="busmark-comparison-")
    rng = np.random.default_rng(1)
    build = Builder(Path(folder.name))
    for size in (64, 1024, 16384, 65536):
        case = build.case(f"null-{size}", adapter="null", transport="memory", size=size)
        for number in range(rounds):
            build.pings(case, number, samples_around(260 + size / 400, samples, rng, 0.0))
        for placement, factor in (("same", 1.0), ("different", 4.0)):
            for adapter, micros in MEDIANS_US.items():
                case = build.case(
                    f"{adapter}-{size}-{placement}", adapter=adapter, transport=adapter,
                    size=size, placement=placement,
                )  # fmt: skip
                for number in range(rounds):
                    median = (micros + size / 4000) * 1e3 * factor * rng.normal(1, 0.01)
                    bad = adapter == "tcp" and size == 64 and number == 2
                    build.pings(
                        case, number, samples_around(median, samples, rng),
                        warmup_ns=samples_around(median * 3, 500, rng),
                        lost=2 if adapter == "udp" and number == 1 else 0,
                        status="marked" if bad else "ok",
                        reason="readers matched after the first sample" if bad else None,
                    )  # fmt: skip
                    if adapter == "udp":
                        build.system(case, number)
    _throughput(build, rounds)
    build.case("zenoh-secure", "unsupported", "zenoh does not declare security", adapter="zenoh",
               qos={"reliability": "reliable"}, size=64)  # fmt: skip
    case = build.case("fastdds-1048576-same", adapter="fastdds", transport="fastdds", size=1 << 20)
    for number in range(rounds):
        build.row(case, number, "failed", reason="the responder ended with signal 11")
    build.findings += FINDINGS
    build.finish()
    return folder


def _throughput(build: Builder, rounds: int) -> None:
    rng = np.random.default_rng(2)
    for size, per_s in ((1024, 400_000), (65536, 30_000)):
        for index, adapter in enumerate(MEDIANS_US):
            case = build.case(
                f"{adapter}-{size}-flood", test="throughput", adapter=adapter, transport=adapter,
                size=size, placement="different",
            )  # fmt: skip
            for number in range(rounds):
                speed = per_s / (1 + 0.5 * index) * rng.normal(1, 0.02)
                build.stream(case, number, speed, size, lost=1500 if adapter == "udp" else 0)
                build.system(case, number)


FINDINGS: list[dict[str, Any]] = [
    {
        "id": "socket-buffers",
        "severity": "warning",
        "title": "Socket buffers are small",
        "cause": "net.core.rmem_max limits receive buffers to 208 KiB.",
        "evidence": "rmem_max is 212992; 1 500 datagrams were dropped in udp-65536-flood.",
        "remedy": "sysctl -w net.core.rmem_max=4194304",
        "cases": ["udp-65536-flood"],
    },
    {
        "id": "virtual-machine",
        "severity": "note",
        "title": "This is a virtual machine",
        "cause": "The hypervisor may take CPUs away for a while.",
        "evidence": "virtualisation: KVM",
        "remedy": "Compare only what was measured in one run, interleaved.",
        "cases": [],
    },
]


def hostile(directory: Path) -> Path:
    """Write an interrupted campaign with markup in every text, nothing measured."""
    build = Builder(directory)
    markup = (
        "</script><script>window.hit=1</script><img src=http://example.org/x> "
        "\N{RIGHT-TO-LEFT OVERRIDE}[bold]\nline"
    )
    build.case("udp-1", transport=markup)
    build.case("udp-2", "unsupported", markup)
    build.findings.append(
        {"id": "x", "severity": "error", "title": markup, "cause": markup, "evidence": markup,
         "remedy": markup}
    )  # fmt: skip
    build.finish(
        scenario={"name": markup, "question": markup}, scenario_text=markup, command=markup,
        finished_utc=None, missing_adapters={"rti": markup}, hosts={}, adapters={},
    )  # fmt: skip
    (directory / "cases.parquet").unlink()
    return directory
