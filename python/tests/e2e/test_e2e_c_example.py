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
    """Compile the library as its first lines say, into the current folder of the commands."""
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


def test_nng_runs_beside_tcp_and_a_queue_deeper_than_its_own_is_refused_in_words(
    lab: Lab, library: str
) -> None:
    matrix = (
        f"test = ['latency', 'throughput']\nadapter = ['tcp', '{library}']\ntransport = 'tcp'\n"
        "size = 1024\nrate_hz = 500\nplacement = 'free'\n"
    )
    deep = (
        f"[[also]]\ntest = 'latency'\nadapter = '{library}'\ntransport = 'ipc'\nsize = 64\n"
        "placement = 'free'\nqos.history = 'keep_last'\nqos.depth = 10000\n"
    )
    measure = "duration_s = 60\nwarmup_s = 0\nsamples = 300"
    lab.campaign(
        scenario(matrix, measure=measure, rounds="min = 1\nretries = 0", also=deep), code=1
    )
    *rows, refused = assert_intact(lab.folder / "result").cases.sort("case").to_dicts()
    assert refused["status"] == "failed"
    assert "keep last with a depth of 10000; at most 8192 can be held" in refused["reason"]
    assert sorted(row["adapter"] for row in rows) == sorted(["tcp", library] * 2)
    for row in rows:
        if row["adapter"] == library:
            # Best effort: a busy machine may fill its queues, and then it loses the oldest.
            assert 0 < row["received"] <= row["sent"]
            assert row["corrupted"] == row["duplicated"] == 0
    lab.assert_nothing_left()
