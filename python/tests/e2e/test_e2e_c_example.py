"""The adapter in C that the guide names is measured beside one of Busmark's own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from e2e_harness import Lab, assert_intact, need_adapters, scenario

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "abi/examples/nng_adapter.c"


@pytest.fixture
def library(lab: Lab) -> str:
    """The library in the current folder of the commands, compiled as its first lines say."""
    need_adapters("tcp")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    includes = [compiler, "-E", "-include", "nng/nng.h", "-x", "c", "/dev/null"]
    if subprocess.run(includes, capture_output=True, check=False).returncode != 0:
        pytest.skip("nng is not installed (apt-get install libnng-dev)")
    name = "libbusmark_nng.so"
    subprocess.run(
        [compiler, "-std=c11", "-shared", "-fPIC", "-O2", "-I", ROOT / "abi", SOURCE,
         "-o", lab.folder / name, "-lnng", "-lpthread"],
        check=True,
    )  # fmt: skip
    return f"./{name}"


def test_nng_runs_beside_tcp(lab: Lab, library: str) -> None:
    matrix = (
        f"test = ['latency', 'throughput']\nadapter = ['tcp', '{library}']\ntransport = 'tcp'\n"
        "size = 1024\nrate_hz = 500\nplacement = 'free'\n"
    )
    measure = "duration_s = 60\nwarmup_s = 0\nsamples = 300"
    text = scenario(matrix, measure=measure, rounds="min = 1")
    out = lab.folder / "result"
    ended = lab.busmark("run", lab.scenario(text), "--out", out)
    assert ended.code == 0, ended.text
    rows = assert_intact(out).cases.to_dicts()
    assert sorted(row["adapter"] for row in rows) == sorted(["tcp", library] * 2), ended.text
    for row in rows:
        if row["adapter"] == library:
            # Best effort: a busy machine may fill its queues, and then it loses the oldest.
            assert row["received"] >= 150
            assert row["corrupted"] == row["duplicated"] == 0
    lab.assert_nothing_left()


def test_a_queue_deeper_than_that_of_nng_is_refused_in_words(lab: Lab, library: str) -> None:
    matrix = (
        f"test = 'latency'\nadapter = '{library}'\ntransport = 'ipc'\nsize = 64\n"
        "placement = 'free'\nqos.history = 'keep_last'\nqos.depth = 10000\n"
    )
    ended = lab.busmark("run", lab.scenario(scenario(matrix, rounds="min = 1")), "--out", "result")
    assert ended.code == 1, ended.text
    assert "keep last with a depth of 10000; at most 8192 can be held" in ended.text
    lab.assert_nothing_left()
