"""Writes the small files of other tools in `files/`: layouts as the tools' sources print them,
figures computed here from drawn samples.

    python python/busmark/plugins/imports/tests/make_files.py

Nothing was copied from a tool's own files. What `ddsperf` and `sockperf` print was captured from
runs on loopback (files `ddsperf_*` and `sockperf_*`, which this program does not write).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILES = Path(__file__).parent / "files"

Array = NDArray[np.float64]


def latencies(median_us: float, count: int, seed: int) -> Array:
    """RTT/2 in microseconds, with a tail."""
    rng = np.random.default_rng(seed)
    return np.sort(median_us * rng.lognormal(0.0, 0.15, count)) * 1.0


def at(ordered: Array, percent: float) -> float:
    """As Perftest takes a percentile."""
    return float(ordered[int(ordered.size * percent / 100)])


# --- RTI Perftest ---------------------------------------------------------------------------------

PERFTEST = {64: latencies(40, 4000, 1), 1024: latencies(55, 4000, 2)}
"""RTT/2 in whole microseconds, by size."""
PERFTEST = {size: np.floor(values) for size, values in PERFTEST.items()}
PERCENTS = (50, 90, 99, 99.99, 99.9999)
STREAMS = {64: (5_093_144, 509_314, 260.8, 0), 1024: (1_200_000, 120_000, 983.0, 1500)}
"""Samples, samples per second, Mbit/s and lost samples by size."""

BANNER = """RTI Perftest 4.1.0 abc1234 (main) (RTI Connext DDS 7.2.0)

Mode: LATENCY TEST (Ping-Pong test)

Perftest Configuration:
\tReliability: Reliable
\tKeyed: No
\tReceive using: Listeners
"""


def perftest() -> dict[str, str]:
    """All forms."""
    head = ("Sample Size (Bytes), Ave (μs), Std (μs), Min (μs), Max (μs), 50% (μs), 90% (μs),"
            " 99% (μs), 99.99% (μs), 99.9999% (μs)\n")  # fmt: skip
    stream_head = ("Sample Size (Bytes), Total Samples, Avg Samples/s,    Avg Mbps, Lost Samples,"
                   " Lost Samples (%)\n")  # fmt: skip
    csv = BANNER
    plain = head
    legacy = ""
    raw = ""
    for size, values in PERFTEST.items():
        row = f"{size:19d},{values.mean():9.0f},{values.std():9.1f},{values.min():9.0f},"
        row += f"{values.max():9.0f}," + ",".join(f"{at(values, p):9.0f}" for p in PERCENTS) + "\n"
        csv += f"\nIntervals One-Way Latency for {size} Bytes:\n"
        csv += "Length (Bytes), Latency (μs), Ave (μs), Std (μs), Min (μs), Max (μs)\n"
        csv += f"{size:14d},{values[7]:13.0f},{41:9.0f},{3.5:9.1f},{30:9d},{80:9d}\n"
        csv += f"\nOne-way Latency Summary:\n{head}{row}"
        plain += row
        legacy += f"\n\n********** New data length is {size}\n"
        legacy += (f"Length: {size:5d} Latency: Ave {values.mean():6.0f} μs"
                   f" Std {values.std():6.1f} μs"
                   f" Min {values.min():6.0f} μs Max {values.max():6.0f} μs")  # fmt: skip
        legacy += "".join(f" {p}% {at(values, p):6.0f} μs" for p in PERCENTS) + "\n"
        shuffled = np.random.default_rng(size).permutation(values)
        raw += "Sample Number, Value\n"
        raw += "".join(f"{i}, {v:.0f}\n" for i, v in enumerate(shuffled)) + "\n"
    streams = "\nThroughput Summary:\n" + stream_head
    for size, (total, per_s, mbit, lost) in STREAMS.items():
        share = 100 * lost / (total + lost)
        streams += f"{size:19d},{total:14d},{per_s:14d},{mbit:12.1f}, {lost:12d}, {share:16.2f}\n"
        legacy += (f"Length: {size:5d}  Packets: {total:8d}  Packets/s(ave): {per_s:7d}  "
                   f"Mbps(ave): {mbit:7.1f}  Lost: {lost:5d} ({share:1.2f}%)\n")  # fmt: skip
    return {
        "perftest_latency.csv": csv,
        "perftest_no_titles.csv": plain,
        "perftest_throughput.csv": streams,
        "perftest_legacy.txt": legacy,
        "perftest_old_legacy.txt": legacy.replace("μs", "us"),
        "perftest_latency_file.csv": raw,
        "perftest_java.json": perftest_json(wrapped=True),
        "perftest_cpp.json": perftest_json(wrapped=False),
        "perftest_throughput.json": perftest_streams_json(),
    }


def perftest_json(*, wrapped: bool) -> str:
    """As Java writes it, or as C++ does: without begin and end."""
    parts = []
    for size, values in PERFTEST.items():
        figures: dict[str, Any] = {
            "latency_ave": round(float(values.mean()), 2),
            "latency_std": round(float(values.std()), 2),
            "latency_min": int(values.min()), "latency_max": int(values.max()),
        }  # fmt: skip
        figures |= {f"latency_{p}": int(at(values, p)) for p in PERCENTS}
        inner = ",\n".join(f'\t\t\t\t"{k}": {v}' for k, v in figures.items())
        interval = (
            '\n\t\t\t\t{\n\t\t\t\t\t"latency": 41,\n\t\t\t\t\t"latency_ave": 41.00\n\t\t\t\t}'
        )
        parts.append(f'\t\t\t"length":{size},\n\t\t\t"intervals":[\n{interval}\n\t\t\t],\n'
                     f'\t\t\t"summary":{{\n{inner}\n\t\t\t}}\n\t\t}}')  # fmt: skip
    body = ",\n\t\t{\n".join(parts)
    return '{"perftest":\n\t[\n\t\t{\n' + body + "\n\t]\n}\n" if wrapped else body + "\n"


def perftest_streams_json() -> str:
    """A subscriber's, whose keys are spelled otherwise."""
    elements = [
        {"length": size, "summary": {"packets": total, "packets/sAve": per_s, "mbpsAve": mbit,
                                     "lost": lost, "lostPercent": 0.0}}
        for size, (total, per_s, mbit, lost) in STREAMS.items()
    ]  # fmt: skip
    return json.dumps({"perftest": elements}, indent=4) + "\n"


# --- performance_test -----------------------------------------------------------------------------

ROWS = [np.random.default_rng(10 + n).lognormal(-9.0, 0.2, 100) for n in range(4)]
"""One-way latencies in seconds of four seconds at 100 samples each."""
MOMENTS = ("min", "max", "mean", "variance")


def moments(values: Array) -> dict[str, float]:
    """As its StatisticsTracker has them; the variance is a sample's."""
    return {"min": values.min(), "max": values.max(), "mean": values.mean(),
            "variance": values.var(ddof=1)}  # fmt: skip


def performance_test() -> dict[str, str]:
    """CSV and JSON of the same run."""
    head = """Experiment id: 0f1e
Performance Test Version: 1.2.1
Logfile name: out.csv
Communication mean: CYCLONEDDS
RMW Implementation: rmw_cyclonedds_cpp
DDS domain id: 0
QOS: Reliability: RELIABLE Durability: VOLATILE History kind: KEEP_LAST History depth: 16 \
Sync. pub/sub: 0
Publishing rate: 100
Topic name: Array1k
Msg name: Array1k
Maximum runtime (sec): 5
Number of publishers: 1
Number of subscribers: 1
Memory check enabled: 0
With security: 0
Zero copy transfer: 0
Unbounded message size: 0
Roundtrip Mode: None
Ignore seconds from beginning: 0


---EXPERIMENT-START---
"""
    names = ["T_experiment", "T_loop", "received", "sent", "lost", "relative_loss", "data_received"]
    for kind in ("latency", "pub_loop_res", "sub_loop_res"):
        names += [f"{kind}_{m} (ms)" for m in MOMENTS]
    names += ["ru_utime", "ru_stime", "ru_maxrss", "cpu_usage (%)"]
    text = head + ",\t".join(names) + "\n"
    results = []
    for n, values in enumerate(ROWS):
        m = moments(values)
        lost = 3 if n == 0 else 0
        cells = [f"{n + 1:.6f}", "1.000000", "100", "100", str(lost), f"{lost / 100:.2f}", "104400"]
        cells += [f"{m[k] * 1000:.4g}" for k in MOMENTS] + ["9.8"] * 8
        cells += ["0.5", "0.1", "12000", "3.5"]
        text += ",\t\t".join(cells) + "\n"
        results.append({
            "experiment_start": (n + 1) * 10**9, "loop_start": 10**9,
            "num_samples_received": 100, "num_samples_sent": 100, "num_samples_lost": lost,
            "total_data_received": 104400, "latency_min": m["min"], "latency_max": m["max"],
            "latency_n": 100.0, "latency_mean": m["mean"],
            "latency_M2": float(((values - values.mean()) ** 2).sum()),
            "latency_variance": m["variance"],
        })  # fmt: skip
    document = {
        "id": "0f1e", "perf_test_version": "1.2.1", "com_mean_str": "CYCLONEDDS",
        "rmw_implementation": "rmw_cyclonedds_cpp", "qos_reliability": "RELIABLE",
        "qos_durability": "VOLATILE", "qos_history_kind": "KEEP_LAST", "qos_history_depth": 16,
        "rate": 100, "msg_name": "Array1k", "number_of_publishers": 1, "number_of_subscribers": 1,
        "with_security": False, "is_zero_copy_transfer": False, "roundtrip_mode": "None",
        "analysis_results": results,
    }  # fmt: skip
    return {"performance_test.csv": text,
            "performance_test.json": json.dumps(document)}  # fmt: skip


# --- OpenDDS Bench --------------------------------------------------------------------------------

READERS = [np.random.default_rng(20 + n).lognormal(-8.5, 0.3, 1500) for n in range(2)]
"""One-way latencies of two readers in seconds; each keeps its last thousand."""
ECHO = np.random.default_rng(30).lognormal(-9.0, 0.1, 400)
"""Round trips per hop of the first."""


def block(name: str, values: Array, kept: int = 1000) -> dict[str, Any]:
    """Properties of a reader."""
    last = values[-kept:]
    median = float(np.median(last))
    return {
        f"{name}_sample_count": values.size, f"{name}_min": values.min(),
        f"{name}_max": values.max(), f"{name}_mean": values.mean(),
        f"{name}_var_x_sample_count": values.var() * values.size,
        f"{name}_median_sample_count": last.size, f"{name}_median": median,
        f"{name}_median_absolute_deviation": float(np.median(np.abs(last - median))),
        f"{name}_median_buffer": last.tolist(),
    }  # fmt: skip


def opendds() -> dict[str, str]:
    """The test controller's report, and both summaries of it."""
    readers = []
    for index, values in enumerate(READERS):
        properties = block("latency", values) | block("throughput", np.full(1500, 125_000.0))
        if index == 0:
            properties |= block("round_trip_latency", ECHO)
        properties |= {"lost_sample_count": 0, "missing_data_count": 4 * index,
                       "duplicate_data_count": 0, "out_of_order_data_count": 1}  # fmt: skip
        readers.append({"properties": [_property(k, v) for k, v in properties.items()], "tags": []})
    worker = {
        "undermatched_readers": 0, "undermatched_writers": 0,
        "process_report": {"participants": [{"subscribers": [{"datareaders": readers}],
                                             "publishers": []}]},
    }  # fmt: skip
    report = {
        "scenario_name": "fan", "run_parameters": {}, "scenario_parameters": [],
        "time": {"sec": 1700000000, "nsec": 0},
        "node_reports": [{"node_name": "n1", "worker_reports": [worker]}], "missing_reports": 0,
    }  # fmt: skip
    values = np.concatenate(READERS)
    kept = np.concatenate([r[-1000:] for r in READERS])
    figures = {"min": values.min(), "max": values.max(), "mean": values.mean(),
               "stdev": values.std(), "median": np.median(kept),
               "madev": np.median(np.abs(kept - np.median(kept)))}  # fmt: skip
    rounded = {k: round(float(v), 6) for k, v in figures.items()}
    summary = {
        "errors": {"total": 0, "discovery": 0},
        "stats": {"latency": {"sample_count": values.size, **rounded,
                              "median_sample_count": kept.size,
                              "median_sample_overflow": values.size - kept.size}},
        "tags": {},
    }  # fmt: skip
    text = (
        "\nTotal Errors: 0\nDiscovery Errors: 0\nHost Network Warnings: 0\n\nLatency Statistics:\n"
    )
    text += f"  latency{' count':>10} = {values.size}\n"
    text += "".join(f"  latency{' ' + k:>10} = {v:.6f}\n" for k, v in figures.items())
    text += f"  latency{' overflow':>10} = {values.size - kept.size}\n"
    return {"opendds_report.json": _by_property(json.dumps(report)) + "\n",
            "opendds_summary.json": json.dumps(summary, indent=4) + "\n",
            "opendds_summary.txt": text}  # fmt: skip


def _by_property(text: str) -> str:
    """JSON with a line for each property."""
    return text.replace(', {"name"', ',\n{"name"')


def _property(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {
            "name": name,
            "value": {"$discriminator": "PVK_DOUBLE_SEQ", "double_seq_prop": value},
        }
    if isinstance(value, int):
        return {"name": name, "value": {"$discriminator": "PVK_ULL", "ull_prop": value}}
    return {"name": name, "value": {"$discriminator": "PVK_DOUBLE", "double_prop": float(value)}}


# --- Fast DDS -------------------------------------------------------------------------------------

FASTDDS = {16: latencies(20, 1000, 40), 1024: latencies(25, 1000, 41)}


def fastdds() -> dict[str, str]:
    """Table, raw samples, throughput."""
    table = "Printing round-trip times in us, statistics for 1000 samples\n"
    table += ("   Bytes, Samples,   stdev,    mean,     min,     50%,     90%,     99%,  99.99%,"
              "     max\n")  # fmt: skip
    table += "--------," * 10 + "\n"
    raw = "Sample,Payload [Bytes],Latency [us]\n"
    number = 0
    for size, values in FASTDDS.items():
        chosen = [values[int(values.size * p) - 1] for p in (0.5, 0.9, 0.99, 0.9999)]
        figures = (values.std(), values.mean(), values.min(), *chosen, values.max())
        table += f"{size:8d},{values.size:8d}," + ",".join(f"{v:8.3f}" for v in figures) + " \n"
        for value in np.random.default_rng(size).permutation(values):
            number += 1
            raw += f"{number},{size},{value:.6g}\n"
    throughput = (
        "Payload [Bytes],Demand [sample/burst],Recovery time [ms],Sent [samples],"
        "Publication time [us],Publication sample rate [Sample/s],Publication throughput [Mb/s],"
        "Received [samples],Lost [samples],Subscription time [us],"
        "Subscription sample rate [Sample/s],Subscription throughput [Mb/s]\n"
        "1024,1000,0,61000,1000800.000,60951.239,499.313,60900,100,1000500.000,60869.565,498.643\n"
        "1024,1000,10,44000,1004000.000,43824.701,359.012,44000,0,1003900.000,43829.067,359.048\n"
    )
    return {"fastdds_table.txt": table, "fastdds_raw.csv": raw,
            "fastdds_throughput.csv": throughput}  # fmt: skip


# --- OpenMessaging Benchmark ----------------------------------------------------------------------


def omb() -> dict[str, str]:
    """Three periods of ten seconds."""
    document: dict[str, Any] = {
        "workload": "1 topic / 1 partition / 1 kB", "driver": "Kafka", "messageSize": 1024,
        "topics": 1, "partitions": 1, "producersPerTopic": 1, "consumersPerTopic": 1,
        "publishRate": [50_000.0, 50_100.0, 49_900.0],
        "consumeRate": [49_950.0, 50_050.0, 50_000.0],
        "backlog": [10, 20, 0],
    }  # fmt: skip
    endings = ("Avg", "50pct", "75pct", "95pct", "99pct", "999pct", "9999pct", "Max")
    scales = {"PublishLatency": 1.0, "EndToEndLatency": 2.0, "PublishDelayLatency": 10.0}
    for name, scale in scales.items():
        for rank, ending in enumerate(endings, start=1):
            key = name[0].lower() + name[1:]
            document[f"{key}{ending}"] = [scale * rank] * 3
            document[f"aggregated{name}{ending}"] = scale * rank
        document[f"aggregated{name}Quantiles"] = {"0.0": scale, "50.0": 2 * scale,
                                                  "100.0": 8 * scale}  # fmt: skip
    return {"omb.json": json.dumps(document, indent=2) + "\n"}


def main() -> None:
    """All of them."""
    FILES.mkdir(exist_ok=True)
    made = {**perftest(), **performance_test(), **opendds(), **fastdds(), **omb()}
    for name, text in made.items():
        (FILES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
