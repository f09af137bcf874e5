"""What is made of imported files: an ordinary result, shown without claims it does not bear."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from import_harness import FILES, FORMATS, TOOLS, campaign_of, files_of, result_of, text_of
from seams import done, shown

from busmark.errors import UserError
from busmark.plugins.imports.read import import_results


def busmark(*words: str) -> subprocess.CompletedProcess[str]:
    """The command, as a user calls it."""
    command = [sys.executable, "-m", "busmark", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_file_becomes_a_result_that_is_shown_and_reported(tmp_path: Path, name: str) -> None:
    result = result_of(tmp_path, name)
    campaign = shown(result.directory)
    assert campaign.source.files[0].tool
    done("report", result.directory, "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Another tool measured these figures" in page
    assert "How to reproduce" not in page
    for case in campaign.cases:
        assert case.status == "ok"
        assert case.rounds.ok == 1
        goodput = case.throughput and case.throughput.mbit_per_s
        for figure in (goodput, case.rtt_2 and case.rtt_2.median):
            assert figure is None or (figure.low is None and figure.high is None)


def test_every_figure_names_the_line_it_was_read_from(tmp_path: Path) -> None:
    result = result_of(tmp_path, "sockperf_ping_pong.txt")
    lines = text_of("sockperf_ping_pong.txt").splitlines()
    for row in result.summaries.iter_rows(named=True):
        assert f"{row['value_ns'] / 1000:.3f}" in lines[row["line"] - 1]
        assert row["file"].endswith("sockperf_ping_pong.txt")


def test_the_manifest_tells_the_files(tmp_path: Path) -> None:
    import hashlib

    manifest = result_of(tmp_path, "perftest_latency.csv").manifest
    assert manifest.source
    (file,) = manifest.source.files
    data = (FILES / "perftest_latency.csv").read_bytes()
    assert file.sha256 == hashlib.sha256(data).hexdigest()
    assert (file.tool, file.version, file.size_bytes) == ("RTI Perftest", "4.1.0", len(data))
    assert manifest.adapters["rti"]["title"] == "RTI Connext (RTI Perftest)"
    assert manifest.adapters["rti"]["imported"] is True
    assert manifest.hosts == {}


def test_several_runs_are_rounds_with_an_interval(tmp_path: Path) -> None:
    paths = []
    for number, us in enumerate((50, 52, 54)):
        path = tmp_path / f"run{number}.txt"
        text = text_of("sockperf_ping_pong.txt")
        path.write_text(text.replace("50.000 =    6.244", f"50.000 =    {us}.000"), "utf-8")
        paths.append(path)
    (case,) = shown(import_results(paths, tmp_path / "out").directory).cases
    assert case.rounds.ok == 3
    assert case.rtt_2
    median = case.rtt_2.median
    assert median.value == pytest.approx(52_000)
    # With three runs: the extremes, and 0.813288 of their range beyond.
    assert median.low == pytest.approx(50_000 - 0.813288 * 4000, rel=1e-5)
    assert median.high == pytest.approx(54_000 + 0.813288 * 4000, rel=1e-5)
    assert median.rounds == 3


@pytest.mark.parametrize(
    "names",
    [
        ("perftest_latency.csv", "perftest_cpp.json"),
        ("performance_test.csv", "performance_test.json"),
        ("fastdds_raw.csv", "fastdds_table.txt"),
    ],
)
def test_two_forms_of_the_same_runs_count_once(tmp_path: Path, names: tuple[str, str]) -> None:
    both = result_of(tmp_path, *names)
    alone = result_of(tmp_path / "first", names[0])
    assert both.cases["case"].to_list() == alone.cases["case"].to_list()


def test_percentiles_beyond_the_samples_are_absent_in_figures_and_kept_in_the_table(
    tmp_path: Path,
) -> None:
    result = result_of(tmp_path, "sockperf_under_load.txt")
    assert 99.999 in result.summaries["percent"].to_list()
    (case,) = shown(result.directory).cases
    assert case.rtt_2
    assert case.rtt_2.p99 is None
    rungs = {p.percent: p.value_ns for p in case.rtt_2.percentiles}
    assert rungs[50.0] is not None
    assert rungs[99.0] is None


def test_parameters_are_added_and_not_overruled(tmp_path: Path) -> None:
    added = ("transport=shmem", "qos.reliability=best_effort", "placement=different",
             "settings.kernel=6.1", "size=64")  # fmt: skip
    result = result_of(tmp_path, "sockperf_ping_pong.txt", added=(*added[1:],))
    row = result.cases.row(0, named=True)
    assert (row["size"], row["placement"]) == (64, "different")
    assert json.loads(row["qos"]) == {"reliability": "best_effort"}
    with pytest.raises(UserError, match="the file states transport: udp"):
        import_results([FILES / "sockperf_ping_pong.txt"], tmp_path / "b", added=added)


@pytest.mark.parametrize(
    ("added", "text"),
    [("sise=64", "Did you mean size"), ("size=big", "whole number"), ("size", "KEY=VALUE"),
     ("rate_hz=fast", "is a number"), ("arrivals=open", "arrivals are"), ("adapter=null", "own")],
)  # fmt: skip
def test_a_parameter_that_is_none_is_refused(tmp_path: Path, added: str, text: str) -> None:
    with pytest.raises(UserError, match=text):
        result_of(tmp_path, "omb.json", added=(added,))


def test_a_name_for_the_adapter_keeps_its_title(tmp_path: Path) -> None:
    (case,) = campaign_of(tmp_path, "omb.json", added=("adapter=kafka_ssl",)).cases
    assert (case.adapter, case.label) == ("kafka_ssl", "Kafka (OpenMessaging Benchmark)")


@pytest.mark.parametrize("tool", TOOLS)
def test_findings_name_their_cases(tmp_path: Path, tool: str) -> None:
    campaign = campaign_of(tmp_path, *files_of(tool))
    known = {case.id for case in campaign.cases}
    assert campaign.findings
    for finding in campaign.findings:
        assert set(finding.cases) <= known
        assert finding.cause and finding.evidence and finding.remedy
    severities = [f.severity for f in campaign.findings]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)


def test_the_command_tells_what_it_recognised(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = busmark("import", str(FILES / "perftest_latency.csv"), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "perftest_latency.csv: RTI Perftest 4.1.0, csv" in done.stdout
    assert "left out:" in done.stdout
    shown = busmark("show", str(out))
    assert shown.returncode == 0, shown.stderr
    assert "One run of each, hence no" in " ".join(shown.stdout.split())
    document = json.loads(busmark("show", "--json", str(out)).stdout)
    assert document["cases"][0]["latency"]["half_round_trip"]["median"]["low"] is None


def test_the_command_ends_with_2_and_a_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(text_of("omb.json")[:300], encoding="utf-8")
    done = busmark("import", str(bad), "--format", "omb", "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "bad.json, line " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
