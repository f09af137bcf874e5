"""Files that people really have, imported by the command, against figures computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as Ended
from import_harness import reported
from seams import command as busmark

from busmark.errors import UserError
from busmark.store import Result

FILES = Path(__file__).parent / "published"
HALVES = "performance_test-run1"
TWO_HOSTS = "performance_test-two-hosts"


def command(out: Path, *paths: Path | str, options: tuple[str, ...] = ()) -> Ended:
    return CliRunner().invoke(busmark, ["import", *map(str, paths), "--out", str(out), *options])


def imported(folder: Path, *names: str) -> Result:
    ended = command(folder / "out", *(FILES / name for name in names))
    assert ended.exit_code == 0, ended.output
    for name in names:
        lines = [line for line in ended.output.splitlines() if line.startswith(str(FILES / name))]
        assert len(lines) == 1, "one line says what became of it"
    return Result(folder / "out")


def refused(folder: Path, *names: str) -> UserError:
    ended = command(folder / "out", *(FILES / name for name in names))
    assert isinstance(ended.exception, UserError), "exit code 2"
    assert not list(folder.iterdir()), "nothing is written"
    return ended.exception


def only(result: Result) -> dict[str, Any]:
    (row,) = result.cases.iter_rows(named=True)
    found: dict[str, Any] = row
    return found


def findings(result: Result) -> dict[str, str]:
    return {finding.id: finding.evidence for finding in result.manifest.findings}


def figures(result: Result, case: str, quantity: str, *names: str | float) -> list[float | None]:
    return [
        reported(result, case, quantity, "percentile", name)
        if isinstance(name, float)
        else reported(result, case, quantity, name)
        for name in names
    ]


@pytest.mark.parametrize("order", [("pub", "sub"), ("sub", "pub")])
def test_both_halves_of_a_run_are_one_round(tmp_path: Path, order: tuple[str, str]) -> None:
    result = imported(tmp_path, *(f"{HALVES}-{side}.csv" for side in order))
    row = only(result)
    assert (row["publishers"], row["subscribers"], row["rate_hz"]) == (1, 1, 30)
    assert (row["sent"], row["received"], row["lost"]) == (437, 435, 0)
    qos = result.manifest.cases[0].params.qos
    assert (qos["reliability"], qos["history"], qos["depth"]) == ("reliable", "keep_last", 10)
    mean, least, most = figures(result, row["case"], "one_way", "mean", "min", "max")
    assert mean == pytest.approx(463_500, abs=50)
    assert (least, most) == (155_700, 640_800)
    text = findings(result)
    assert "2 in neither count" in text["performance-test-two-halves"]
    assert "performance-test-one-half" not in text


def test_a_half_alone_says_what_is_not_in_it(tmp_path: Path) -> None:
    read = imported(tmp_path, f"{HALVES}-sub.csv")
    row = only(read)
    assert (row["received"], row["lost"], row["sent"], row["publishers"]) == (435, 0, None, None)
    assert reported(read, row["case"], "one_way", "max") == 640_800
    assert "sent" in findings(read)["performance-test-one-half"]
    (tmp_path / "other").mkdir()
    written = imported(tmp_path / "other", f"{HALVES}-pub.csv")
    row = only(written)
    assert (row["sent"], row["received"], row["lost"], row["subscribers"]) == (
        437,
        None,
        None,
        None,
    )
    assert written.summaries.is_empty()
    assert "received" in findings(written)["performance-test-one-half"]


def test_nothing_received_is_no_success(tmp_path: Path) -> None:
    result = imported(tmp_path, "performance_test-nothing-received-sub.csv")
    row = only(result)
    assert (row["received"], row["mbit_per_s"]) == (0, 0)
    assert (row["lost"], row["expected"]) == (None, None), "not: 0 of 0 lost"
    assert result.summaries.is_empty()
    assert "performance-test-nothing-received" in findings(result)


def test_ten_readers_in_one_process(tmp_path: Path) -> None:
    result = imported(tmp_path, "performance_test-10-subscribers.csv")
    row = only(result)
    assert (row["subscribers"], row["received"], row["lost"]) == (10, 15_950, 0)
    mean, least, most = figures(result, row["case"], "one_way", "mean", "min", "max")
    assert mean == pytest.approx(163_300, abs=50)
    assert (least, most) == (90_560, 319_600)
    assert result.summaries["line"].drop_nulls().n_unique() == 55, "rows"
    assert result.manifest.cases[0].params.settings["zero_copy"] is True


def test_standard_output_of_two_hosts_has_no_latency(tmp_path: Path) -> None:
    result = imported(tmp_path, f"{TWO_HOSTS}-sub-stdout.txt", f"{TWO_HOSTS}-pub-stdout.txt")
    row = only(result)
    assert (row["received"], row["lost"], row["sent"]) == (708, 2161, 2853)
    assert result.summaries.is_empty()
    assert "-736,600 s" in findings(result)["import-two-clocks"]
    assert not result.manifest.source or not result.manifest.source.left_out


def test_latencies_longer_than_the_run_are_of_two_clocks(tmp_path: Path) -> None:
    path = tmp_path / "sub.txt"
    text = (FILES / f"{HALVES}-sub.csv").read_text(encoding="utf-8")
    path.write_text(text.replace("0.6408", "90000").replace("0.4355", "2000"), encoding="utf-8")
    assert command(tmp_path / "out", path).exit_code == 0
    result = Result(tmp_path / "out")
    assert result.summaries.is_empty()
    assert "90 s" in findings(result)["import-two-clocks"]
    assert only(result)["received"] == 435


def test_plot_data_of_the_build_farm_are_refused_by_name(tmp_path: Path) -> None:
    assert "build farm" in refused(tmp_path, "buildfarm-plot.csv").message


PERFTEST: dict[str, dict[int, tuple[float, ...]]] = {
    "perftest-3-pub-intervals.csv": {100: (230, 88, 902, 902, 51, 902)},
    "perftest-3-pub-summary.csv": {100: (88, 54, 317, 317, 49, 317)},
    "perftest-3-pub-scan.csv": {
        32: (386, 99, 1677, 3398, 86, 3398),
        64: (77, 62, 109, 287, 59, 287),
        128: (75, 50, 77, 316, 43, 316),
    },
    "perftest-3-pub-cpu-serialization.csv": {100: (70, 51, 90, 210, 46, 210)},
}
"""Mean, 50, 90, 99 %, least and greatest in µs, by size."""


@pytest.mark.parametrize("name", PERFTEST)
def test_latency_of_perftest_3(tmp_path: Path, name: str) -> None:
    result = imported(tmp_path, name)
    assert sorted(result.cases["size"]) == sorted(PERFTEST[name])
    for row in result.cases.iter_rows(named=True):
        found = figures(
            result, row["case"], "half_round_trip", "mean", 50.0, 90.0, 99.0, "min", "max"
        )
        assert found == [1000 * value for value in PERFTEST[name][row["size"]]]


def test_lines_of_intervals_say_on_how_few_samples_percentiles_rest(tmp_path: Path) -> None:
    result = imported(tmp_path, "perftest-3-pub-intervals.csv")
    # Seven lines; the first line's mean is of two.
    assert only(result)["samples"] == 8
    assert "8 samples" in findings(result)["perftest-few-samples"]


def test_cpu_and_serialization_of_perftest_3(tmp_path: Path) -> None:
    result = imported(tmp_path, "perftest-3-pub-cpu-serialization.csv")
    row = only(result)
    assert row["process_cpu"] == pytest.approx(0.2643)
    assert figures(result, row["case"], "serialization", "mean") == [343]
    assert figures(result, row["case"], "deserialization", "mean") == [324]


STREAMS = {
    "perftest-3-sub-intervals.csv": {100: (5_887_953, 1_963_048, 1570.4)},
    "perftest-3-sub-summary.csv": {100: (5_729_374, 1_910_033, 1528.0)},
    "perftest-3-sub-scan.csv": {
        32: (12_160_019, 2_507_555, 641.9),
        64: (12_800_020, 2_548_247, 1304.7),
        128: (8_320_013, 1_923_979, 1970.2),
    },
}
"""Samples, samples/s and Mbit/s, by size."""


@pytest.mark.parametrize("name", STREAMS)
def test_throughput_of_perftest_3(tmp_path: Path, name: str) -> None:
    rows = imported(tmp_path, name).cases.iter_rows(named=True)
    found = {
        row["size"]: (row["received"], row["samples_per_s"], row["mbit_per_s"], row["lost"])
        for row in rows
    }
    assert found == {size: (*values, 0) for size, values in STREAMS[name].items()}


@pytest.mark.parametrize("side", ["pub", "sub"])
def test_perftest_without_headers_names_the_option(tmp_path: Path, side: str) -> None:
    error = refused(tmp_path, f"perftest-3-{side}-no-headers.csv")
    assert "RTI Perftest without headers" in error.message
    assert "-noOutputHeaders" in error.remedy


def test_ddsperf_without_figures(tmp_path: Path) -> None:
    assert refused(tmp_path, "ddsperf-no-figures.txt").message == "ddsperf: no figures in this file"


def test_all_files_of_one_tool_in_one_call(tmp_path: Path) -> None:
    """As a shell's pattern gives them; what cannot be read keeps nothing from the others."""
    names = sorted(path.name for path in FILES.glob("performance_test-*"))
    result = imported(tmp_path, *names, "buildfarm-plot.csv")
    assert len(result.manifest.cases) == 4
    assert result.cases.height == 4
    assert result.manifest.source
    assert [what for what in result.manifest.source.left_out if "build farm" in what]
