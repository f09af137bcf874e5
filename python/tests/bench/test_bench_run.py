"""A short real run: whatever is not built or installed here is a row that says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bare
from catalogue import BARE, OURS

BENCH = Path(bare.__file__).resolve().parent
ONLY = "latency/udp/64B/listener/same|throughput/null|start-up"
ROUNDS = 2


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_a_run_writes_results_and_report(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    asked = ("--rounds", str(ROUNDS), "--seconds", "0.2", "--only", ONLY, "--awake")
    done = bench(*asked, "--further", "0", "--out", str(out))
    assert done.returncode == 0, done.stderr

    results = json.loads(out.read_text())
    rows = {row["id"]: row for row in results["rows"]}
    assert set(rows) == {
        "latency/udp/64B/listener/same/vs-bare-loop",
        "latency/udp/64B/listener/same/vs-bare-loop-inlined",
        "latency/udp/64B/listener/same/vs-sockperf",
        "throughput/null/64B/listener/same/per-sample",
        "start-up/help",
    }
    assert rows["start-up/help"]["rounds"] == ROUNDS
    assert rows["throughput/null/64B/listener/same/per-sample"]["rounds"] == ROUNDS
    row = rows["latency/udp/64B/listener/same/vs-bare-loop"]
    if bare.find("bare-sockets"):
        assert row["rounds"] == ROUNDS, row
        assert [len(row["measured"][name]) for name in (OURS, BARE)] == [ROUNDS, ROUNDS]
        assert row["ratio"] > 0
    else:
        assert "make bench" in row["missing"]
    page = (tmp_path / "RESULTS.md").read_text()
    assert "| udp, 64 B | same |" in page
    assert f"only what matches `{ONLY}`" in page
    assert results["awake"] and "none halted" in page


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    done = bench("--only", "carrier pigeon", "--out", str(tmp_path / "results.json"))
    assert done.returncode == 2
    assert "carrier pigeon" in done.stderr
    assert list(tmp_path.iterdir()) == []
