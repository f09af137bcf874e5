"""Causes that spoil a benchmark, each planted for real and named by a finding of its case. Small
buffers and links that lose packets are planted in `test_e2e_late.py`, which captures them too."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from e2e_harness import Lab, count, eventually, need_adapters, real_worker, scenario, tidy

from busmark.store import Finding, Result

CPU = min(os.sched_getaffinity(0))
"""On which participants run where a test names one."""

MANY_BYTES = 20_000
"""Two hundred pings of 64 bytes and their headers."""

SHORT = "duration_s = 0.6\nwarmup_s = 0.1\nsystem_interval_s = 0.1"
ONE = "min = 1"


def worst_finding(lab: Lab, matrix: str, rule: str, **variables: str | Path) -> Finding:
    """Run a campaign; return the worst finding of this rule that concerns its only case."""
    lab.scenario(scenario(matrix, measure=SHORT, rounds=ONE))
    lab.busmark("run", "scenario.toml", "--out", "result", variables=variables)
    return named(lab.folder / "result", rule)


def named(directory: Path, rule: str) -> Finding:
    """Return the worst finding of a rule, which concerns cases of the campaign."""
    manifest = Result(directory).manifest
    (first, *_) = [each for each in manifest.findings if each.id == rule] or [None]
    lines = [(each.id, each.evidence) for each in manifest.findings]
    assert first is not None, f"{rule} is not among {lines}"
    assert not first.cases or set(first.cases) <= {case.id for case in manifest.cases}
    return first


@contextlib.contextmanager
def hog(cpu: int) -> Iterator[None]:
    """Run a process that never rests on this CPU."""
    code = f"import os; os.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def limited(quota_us: int, period_us: int) -> Iterator[Path]:
    """Make a control group within one whose processes get this much CPU time in each period."""
    one = Path("/sys/fs/cgroup/cpu")
    root = one if one.is_dir() else Path("/sys/fs/cgroup")
    group = root / f"busmark-test-{uuid.uuid4().hex[:8]}"
    try:
        group.mkdir()
        if one.is_dir():
            (group / "cpu.cfs_period_us").write_text(str(period_us))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (group / "cpu.max").write_text(f"{quota_us} {period_us}")
    except OSError as error:
        pytest.skip(f"no control group of our own: {error}")
    inner = group / "inner"
    inner.mkdir()
    try:
        yield inner
    finally:
        eventually(lambda: not (inner / "cgroup.procs").read_text(), lambda: "still in use")
        inner.rmdir()
        group.rmdir()


def test_03_a_cpu_limit_of_a_group_above(lab: Lab) -> None:
    need_adapters("tcp")
    with limited(20_000, 100_000) as group:
        worker = lab.folder / "limited-worker"
        enter = f'echo $$ > {group}/cgroup.procs; exec {real_worker()} "$@"'
        worker.write_text(f"#!/bin/sh\n{enter}\n")
        worker.chmod(0o755)
        finding = worst_finding(lab, 'adapter = "tcp"', "cpu-limit", BUSMARK_WORKER=worker)
    assert f"/{group.parent.name} was throttled in" in finding.evidence
    assert f"/{group.parent.name}/cpu." in finding.remedy
    # The stalls are the quota's.
    manifest = Result(lab.folder / "result").manifest
    assert "nagle-delayed-ack" not in {each.id for each in manifest.findings}


def test_15_a_broker_that_is_restarted(lab: Lab) -> None:
    need_adapters("mqtt")
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("no mosquitto")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    start = [program, "-p", str(port)]

    def broker() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(start, stderr=subprocess.DEVNULL)
        eventually(lambda: _listens(port), lambda: "the broker does not listen")
        return process

    running = broker()
    try:
        matrix = f'adapter = "mqtt"\nrate_hz = 200\noption.mqtt.server = "127.0.0.1:{port}"'
        measure = "duration_s = 4\nwarmup_s = 0.1\ntimeout_s = 0.5"
        lab.scenario(scenario(matrix, measure=measure, rounds=ONE))
        with tidy(lab.start("run", "scenario.toml", "--out", "result")) as process:
            log = lab.folder / "result"
            eventually(lambda: count(log, "round_begins"), lambda: "no round has begun")
            eventually(lambda: len(lab.workers()) >= 2, lambda: "no participants")
            eventually(lambda: _traffic(port), lambda: "no pings")
            running.kill()
            running.wait()
            running = broker()
            process.communicate()
    finally:
        running.kill()
        running.wait()
    finding = named(lab.folder / "result", "server-lost")
    assert f"server 127.0.0.1:{port}" in finding.evidence


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _traffic(port: int) -> bool:
    """Return whether pings have begun: a socket to the broker has sent more bytes, as `ss` shows
    them, than two clients need to find each other."""
    shown = subprocess.run(
        ["ss", "-tinH", f"dport = :{port}"], capture_output=True, text=True, check=False
    ).stdout
    sent = [int(word.partition(":")[2]) for word in shown.split() if word.startswith("bytes_sent:")]
    return max(sent, default=0) > MANY_BYTES


TWO_MODES = """[[also]]
adapter = "reference"
transport = "pipe"
size = 64
rate_hz = 0
option.reference.delay = 0.3
option.reference.delay_us = 2000"""


def test_11_two_modes_and_21_nagles_algorithm_left_on(lab: Lab) -> None:
    need_adapters("reference", "tcp")
    matrix = 'adapter = "tcp"\nsize = 2000\nrate_hz = 1000\noption.tcp.nodelay = ["false", "true"]'
    measure = "duration_s = 60\nwarmup_s = 0.05\nsamples = 600"
    ended = lab.campaign(
        scenario(matrix, measure=measure, rounds="min = 4", also=TWO_MODES), "--json"
    )
    finding = named(lab.folder / "result", "nagle-delayed-ack")
    assert "arrived together with one that was sent later" in finding.evidence
    assert finding.remedy == "Set `tcp.nodelay = true` in [matrix.option]."
    assert all("nodelayfalse" in case for case in finding.cases)
    assert "modes of the round trip" in named(lab.folder / "result", "bimodal").evidence
    # It is reported once, before the last round.
    lines = [
        (line["event"], line.get("finding", {}).get("id"))
        for line in map(json.loads, ended.out.splitlines())
    ]
    appears = ("finding_appears", "bimodal")
    assert lines.count(appears) == 1
    assert "round_begins" in [event for event, _ in lines[lines.index(appears) :]]


def test_01_a_hog_on_the_same_cpu_and_22_a_participant_that_is_stopped_in_a_flow_at_a_rate(
    lab: Lab,
) -> None:
    need_adapters("udp")
    matrix = f'adapter = "udp"\ntest = "throughput"\nrate_hz = 500\nplacement = "{CPU}+{CPU}"'
    # On a busy machine its workers are not found at once.
    lab.scenario(scenario(matrix, measure="duration_s = 3\nwarmup_s = 0.1", rounds=ONE))
    with hog(CPU), tidy(lab.start("run", "scenario.toml", "--out", "result")) as process:
        pids = eventually(
            lambda: found if len(found := lab.workers()) == 2 else None, lambda: "no participants"
        )
        # For a part of every tenth of a second, whenever the measurement is.
        while process.poll() is None:
            for signalled, seconds in ((signal.SIGSTOP, 0.03), (signal.SIGCONT, 0.07)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[0], signalled)
                time.sleep(seconds)
        process.communicate()
    directory = lab.folder / "result"
    finding = named(directory, "other-load")
    assert finding.severity == "warning"
    assert f"of CPU {CPU};" in finding.evidence and "waited for a CPU" in finding.evidence
    table = pl.read_parquet(next((directory / "participants").glob("*.parquet")))
    (who,) = table.filter(pl.col("stopped"))["participant"].to_list()
    assert table.filter(pl.col("process") == pids[0])["participant"].to_list() == [who]
    assert f"{who} in round 0" in named(directory, "participant-stopped").evidence
