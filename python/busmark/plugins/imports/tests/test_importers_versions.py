"""What the tools printed in one version or another, and no other test has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from import_harness import reported, text_of

from busmark.errors import UserError
from busmark.plugins.imports.read import import_results
from busmark.store import Result


def imported(folder: Path, text: str) -> tuple[Result, dict[str, Any]]:
    path = folder / "file.txt"
    path.write_text(text, encoding="utf-8")
    result = import_results([path], folder / "out")
    return result, result.cases.row(0, named=True)


LENGTHS = "Length (Bytes), Ave ({0}), Std ({0}), Min ({0}), Max ({0}), {1}"
PERCENTS = "50{0} ({1}), 90{0} ({1}), 99{0} ({1}), 99.99{0} ({1}), 99.9999{0} ({1})"
LATENCY: dict[str, str] = {
    "C++ 3.1 with a clock of nanoseconds": (
        LENGTHS.format("ns", PERCENTS.format("%", "ns"))
        + "\n           100,    70000,  42400.0,    46000,   210000,    51000,    90000,   210000,"
        "      210000,        210000\n"
    ),
    "Java 3.1 with CPU": (
        LENGTHS.format("us", PERCENTS.format("%", "us"))
        + ", CPU (%%)\n           100,       70,     42.4,       46,      210,       51,       90,"
        "      210,         210,           210,   26.43\n"
    ),
    "C# 3.1, without a comma before the median": (
        LENGTHS.format("us", PERCENTS.format("%%", "us"))
        + "\n           100,       70,     42.4,       46,      210       51,       90,      210,"
        "         210,           210\n"
    ),
    "C++ 4.3 with a high resolution": (
        LENGTHS.format("μs", PERCENTS.format("%", "μs")).replace("Length", "Sample Size")
        + "\n                100,   70.000,   42.400,   46.000,  210.000,   51.000,   90.000,"
        "  210.000,     210.000,       210.000\n"
    ),
    "Python 4.1.1": (
        "Sample Size (Bytes), Latency (us), Avg (μs), Std (μs), Min (μs), Max (μs)\n"
        "                100,           46,       46,      0.0,       46,       46\n"
        + LENGTHS.format("μs", PERCENTS.format("%", "μs")).replace("Length", "Sample Size")
        + "\n                100,       70,     42.4,       46,      210,       51,       90,"
        "      210,         210,           210\n"
    ),
    "C++ 5.1": (
        "Length:   100  Latency: Ave     70 us  Std   42.4 us  Min     46 us  Max    210 us 50%"
        "     51 us 90%     90 us  99%    210 us 99.99%    210 us\n"
    ),
    "C++ 2.4 with CPU": (
        "Length:   100  Latency: Ave     70 us  Std   42.4 us  Min     46 us  Max    210 us  50%"
        "     51 us  90%     90 us  99%    210 us  99.99%    210 us  99.9999%    210 us"
        " CPU: 26.43%\n"
    ),
    "Java 2.4 with CPU": (
        "Length:   100  Latency: Ave     70 us  Std   42.4 us  Min     46 us  Max    210 us  50%"
        "     51 us  90%     90 us  99%    210 us  99.99%    210 us  99.9999%    210 us"
        " CPU: 26.4 percent \n"
    ),
    "C++ 3.1, legacy": (
        "Length:   100 Latency: Ave     70 us Std   42.4 us Min     46 us Max    210 us 50%"
        "     51 us 90%     90 us 99%    210 us 99.99%    210 us 99.9999%    210 us CPU 26.43 (%)\n"
        "Serialization/Deserialization: 0.343 us / 0.324 us / TOTAL: 0.667 us\n"
    ),
    "C# 3.1, legacy, whose CPU is a hundred times as much": (
        "Length:   100 Latency: Ave     70 us Std   42.4 us Min     46 us Max    210 us 50%"
        "     51 us 90%     90 us 99%    210 us 99.99%    210 us 99.9999%    210 us CPU 927.00 %\n"
    ),
}
"""Latency of Perftest by version and language: the figures are the same everywhere."""


@pytest.mark.parametrize("version", LATENCY)
def test_latency_of_perftest_in_every_version(tmp_path: Path, version: str) -> None:
    result, row = imported(tmp_path, LATENCY[version])
    assert row["size"] == 100
    names: tuple[tuple[str, float | None], ...] = (
        ("mean", None), ("std", None), ("min", None), ("max", None), ("percentile", 50.0),
        ("percentile", 90.0), ("percentile", 99.0), ("percentile", 99.99),
    )  # fmt: skip
    found = [reported(result, row["case"], "half_round_trip", *name) for name in names]
    assert found == [70_000, 42_400, 46_000, 210_000, 51_000, 90_000, 210_000, 210_000]
    with_cpu = "CPU" in LATENCY[version] and "C# 3.1" not in version
    assert row["process_cpu"] == (pytest.approx(0.2643, abs=4e-4) if with_cpu else None)
    if "Serialization" in LATENCY[version]:
        assert reported(result, row["case"], "serialization", "mean") == 343


STREAMS: dict[str, str] = {
    "C# 2.4": "Length:   100  Packets:   5729374  Packets/s(ave): 1910033  Mbps(ave):  1528.0"
    "  Lost:     0 (0.0 %)\n",
    "Java 3.1": "Length (Bytes), Total Samples, Ave Samples/s,    Ave Mbps, Lost Samples, Lost "
    "Samples (%), CPU (%)\n           100,       5729374,       1910033,      1528.0,            0"
    ",             0.00,   26.43\n",
    "Python 4.1.1": "Length (Bytes), Total Samples,  Samples/s, Avg Samples/s,     Mbps,  Avg Mbps"
    ", Lost Samples, Lost Samples (%)\n           100,       5729374,    1910033,       1910033,"
    "   1528.0,    1528.0,             0,             0.00\n"
    "Sample Size (Bytes), Total Samples, Avg Samples/s,    Avg Mbps, Lost Samples, Lost Samples (%)"
    "\n                100,       5729374,       1910033,      1528.0,            0,"
    "             0.00\n",
}


@pytest.mark.parametrize("version", STREAMS)
def test_throughput_of_perftest_in_every_version(tmp_path: Path, version: str) -> None:
    _, row = imported(tmp_path, STREAMS[version])
    found = [row[key] for key in ("size", "received", "samples_per_s", "mbit_per_s", "lost")]
    assert found == [100, 5_729_374, 1_910_033, 1528.0, 0]


HEAD = """Experiment id: 0
Performance Test Version: 2.3.0
Logfile name: log.csv
Communicator: {communicator}
DDS domain id: 0
QOS: Reliability: BEST_EFFORT Durability: VOLATILE History kind: KEEP_LAST History depth: 16
Publishing rate: 100
Topic name: Array1k
Msg name: Array1k
Maximum runtime (sec): 10
Number of publishers: 1
Number of subscribers: 1
Memory check enabled: 0
With security: 0
Zero copy transfer: 0
Unbounded message size: 0
Roundtrip Mode: {mode}
Ignore seconds from beginning: 0
{more}

---EXPERIMENT-START---
T_experiment,\tT_loop,\treceived,\tsent,\tlost,\trelative_loss,\tdata_received,\t\
latency_min (ms),\tlatency_max (ms),\tlatency_mean (ms),\tlatency_variance (ms),\tcpu_usage (%)
1.000100,\t\t1.000100,\t\t{first}
2.000200,\t\t1.000100,\t\t100,\t\t100,\t\t0,\t\t0.00,\t\t102400,\t\t0.1,\t\t0.3,\t\t0.2,\t\t1e-06,\t\t1.5
"""
SOME = "100,\t\t100,\t\t0,\t\t0.00,\t\t102400,\t\t0.1,\t\t0.3,\t\t0.2,\t\t1e-06,\t\t1.5"
NONE = "0,\t\t100,\t\t0,\t\t0.00,\t\t0,\t\t9.223e+12,\t\t-9.223e+12,\t\t-nan,\t\t-nan,\t\t1.5"


def log_of_2(communicator: str = "CycloneDDS-CXX", mode: str = "None", more: str = "",
             first: str = SOME) -> str:  # fmt: skip
    return HEAD.format(communicator=communicator, mode=mode, more=more, first=first)


def test_logs_of_performance_test_2(tmp_path: Path) -> None:
    result, row = imported(tmp_path, log_of_2())
    assert (row["adapter"], row["received"], row["rate_hz"]) == ("cyclonedds", 200, 100)
    assert reported(result, row["case"], "one_way", "max") == 300_000


def test_limits_of_64_bits_where_nothing_was_received(tmp_path: Path) -> None:
    result, row = imported(tmp_path, log_of_2(first=NONE))
    assert (row["sent"], row["received"]) == (200, 100)
    assert reported(result, row["case"], "one_way", "min") == 100_000
    assert reported(result, row["case"], "one_way", "max") == 300_000


def test_executors_of_ros_2_are_cases_of_their_own(tmp_path: Path) -> None:
    paths = []
    for name in ("rclcpp-waitset", "rclcpp-single-threaded-executor"):
        paths.append(tmp_path / f"{name}.csv")
        more = "rmw_implementation: rmw_fastrtps_cpp"
        paths[-1].write_text(log_of_2(name, more=more), encoding="utf-8")
    result = import_results(paths, tmp_path / "out")
    assert result.cases["case"].n_unique() == 2
    assert set(result.cases["adapter"]) == {"fastdds"}


def test_the_log_of_a_relay_is_no_loss(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="relay") as caught:
        imported(tmp_path, log_of_2(mode="Relay", first=NONE))
    assert "Main" in caught.value.remedy


def test_tables_for_a_terminal_name_the_option(tmp_path: Path) -> None:
    head, _, _ = log_of_2().partition("---EXPERIMENT-START---")
    table = "\n                  run time\n +--------------+----------+--------+----------+\n"
    with pytest.raises(UserError, match="terminal") as caught:
        imported(tmp_path, head + table)
    assert "--logfile" in caught.value.remedy


def test_halves_whose_names_have_one_letter_for_the_side(tmp_path: Path) -> None:
    """`c-p-100-1.txt` and `c-s-100-1.txt` of a published collection."""
    log = log_of_2()
    for number in (1, 2):
        for side, here in (("p", "subscribers"), ("s", "publishers")):
            text = log.replace(f"Number of {here}: 1", f"Number of {here}: 0")
            text = text.replace("Experiment id: 0", f"Experiment id: {side}{number}")
            path = tmp_path / f"c-{side}-100-{number}.txt"
            path.write_text(text, encoding="utf-8")
    result = import_results(sorted(tmp_path.iterdir()), tmp_path / "out")
    assert result.cases.height == 2
    assert result.cases["case"].n_unique() == 1


def test_halves_alone_in_a_folder_of_their_run(tmp_path: Path) -> None:
    """Their names have the second in which each began."""
    log = log_of_2()
    for number in (1, 2):
        folder = tmp_path / "lossy" / f"run{number}"
        folder.mkdir(parents=True)
        for here, name in (("subscribers", "a_10-00-01"), ("publishers", "b_10-00-02")):
            text = log.replace(f"Number of {here}: 1", f"Number of {here}: 0")
            text = text.replace("Experiment id: 0", f"Experiment id: {name}{number}")
            (folder / name).write_text(text, encoding="utf-8")
    result = import_results([tmp_path / "lossy"], tmp_path / "out")
    assert result.cases.height == 2
    assert result.cases["case"].n_unique() == 1
    assert not [f for f in result.manifest.findings if f.id == "import-several-folders"]


def test_rounds_of_different_folders_are_pointed_out(tmp_path: Path) -> None:
    """A collection of conditions that only its folders name."""
    for condition in ("0loss", "40loss"):
        folder = tmp_path / "all" / condition / "run1"
        folder.mkdir(parents=True)
        text = log_of_2().replace("Experiment id: 0", f"Experiment id: {condition}")
        (folder / "log").write_text(text, encoding="utf-8")
    result = import_results([tmp_path / "all"], tmp_path / "out")
    (found,) = [f for f in result.manifest.findings if f.id == "import-several-folders"]
    assert "0loss" in found.evidence
    assert "40loss" in found.evidence


def test_a_pair_of_the_build_farm_is_refused_by_name(tmp_path: Path) -> None:
    name = "Publisher-rmw_cyclonedds_cpp_Subscriber-rmw_fastrtps_cpp"
    with pytest.raises(UserError, match="build farm"):
        imported(tmp_path, f"{name},{name},{name}\n0.5,2.0,1.0\n")


def test_ddsperf_before_0_8(tmp_path: Path) -> None:
    """Without the rate over ten seconds in parentheses."""
    text = text_of("ddsperf_sub.txt")
    shorter = "\n".join(line.partition(" (")[0] for line in text.splitlines()) + "\n"
    assert shorter != text
    _, row = imported(tmp_path, shorter)
    before = import_results([Path(__file__).parent / "files" / "ddsperf_sub.txt"], tmp_path / "b")
    keys = ("received", "lost", "samples_per_s")
    assert [row[key] for key in keys] == [before.cases.row(0, named=True)[key] for key in keys]
