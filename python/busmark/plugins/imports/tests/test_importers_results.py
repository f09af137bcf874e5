"""What is made of imported files: an ordinary result, shown without claims it does not bear."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from import_harness import FILES, TOOLS, campaign_of, files_of, result_of, text_of
from seams import done, shown, viewed

from busmark.errors import UserError
from busmark.plugins.imports.read import import_results


@pytest.mark.parametrize("tool", TOOLS)
def test_files_of_every_tool_become_a_result_that_is_reported(tmp_path: Path, tool: str) -> None:
    result = result_of(tmp_path, files_of(tool)[0])
    campaign = shown(result.directory)
    assert campaign.source.files[0].tool
    done("report", result.directory, "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Another tool measured these figures" in page
    assert "How to reproduce" not in page
    for case in campaign.cases:
        assert case.status == "ok"
        assert case.rounds.ok == 1
        goodput = (row.figure for row in viewed(case).figures if row.quantity == "goodput")
        for figure in (*goodput, case.rtt_2 and case.rtt_2.median):
            assert figure is None or (figure.low is None and figure.high is None)


def test_the_manifest_tells_the_files(tmp_path: Path) -> None:
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


def test_parameters_are_added_and_not_overruled(tmp_path: Path) -> None:
    added = (
        "transport=shmem",
        "qos.reliability=best_effort",
        "placement=different",
        "settings.kernel=6.1",
        "size=64",
    )
    result = result_of(tmp_path, "sockperf_ping_pong.txt", added=(*added[1:],))
    row = result.cases.row(0, named=True)
    assert (row["size"], row["placement"]) == (64, "different")
    assert json.loads(row["qos"]) == {"reliability": "best_effort"}
    with pytest.raises(UserError, match="the file states transport: udp"):
        import_results([FILES / "sockperf_ping_pong.txt"], tmp_path / "b", added=added)


@pytest.mark.parametrize(
    ("added", "text"),
    [
        ("sise=64", "Did you mean size"),
        ("size=big", "whole number"),
        ("size", "KEY=VALUE"),
        ("rate_hz=fast", "is a number"),
        ("arrivals=open", "arrivals are"),
        ("adapter=null", "own"),
    ],
)
def test_a_parameter_that_is_none_is_refused(tmp_path: Path, added: str, text: str) -> None:
    with pytest.raises(UserError, match=text):
        result_of(tmp_path, "omb.json", added=(added,))


def test_a_name_for_the_adapter_keeps_its_title(tmp_path: Path) -> None:
    (case,) = campaign_of(tmp_path, "omb.json", added=("adapter=kafka_ssl",)).cases
    assert (case.adapter, case.label) == ("kafka_ssl", "Kafka (OpenMessaging Benchmark)")
