"""A campaign that is killed or interrupted loses no finished round and can be finished."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from e2e_harness import (
    DOMAIN,
    Lab,
    assert_complete,
    assert_intact,
    count,
    end,
    events,
    eventually,
    fingerprints,
    need_adapters,
    rows,
    scenario,
    strike,
    tidy,
)

KILLS = int(os.environ.get("BUSMARK_TEST_KILLS", "4"))
MATRIX = 'adapter = ["udp", "null"]'
ROUNDS = 7
MEASURE = "duration_s = 0.1\nwarmup_s = 0.02\nsamples = 2000\nmax_samples = 5000"


def strike_at(
    process: subprocess.Popen[str], out: Path, after_events: int, further_s: float, number: int
) -> bool:
    """Signal the controller at a moment of its work; return whether it was still there.

    The moment comes from the events it has written, so that it depends on the work, not on a clock.
    """
    wanted = len(events(out)) + after_events
    eventually(
        lambda: process.poll() is not None or len(events(out)) >= wanted,
        lambda: f"{len(events(out))} events, waiting for {wanted}",
    )
    time.sleep(further_s)
    if process.poll() is not None:
        return False
    os.kill(process.pid, number)
    return True


def strike_a_worker(lab: Lab, process: subprocess.Popen[str], moments: random.Random) -> bool:
    """Kill a worker at a moment of a round, from its first process to its last: it costs no more
    than this round. Return whether the campaign was still there."""
    eventually(lambda: process.poll() is not None or lab.workers(), lambda: "no worker is at work")
    time.sleep(moments.uniform(0, 0.25))
    return bool(
        eventually(
            lambda: process.poll() is not None or any(map(strike, lab.workers()[-1:])),
            lambda: "no worker is at work",
        )
        and process.poll() is None
    )


def arguments(out: Path) -> list[str | Path]:
    """Return the words that resume if there is something to resume, or else start."""
    if (out / "manifest.json").exists():
        return ["run", "--resume", "--out", out]
    return ["run", "scenario.toml", "--out", out]


def finished(out: Path) -> tuple[dict[str, str], list[dict[str, Any]]]:
    if not (out / "manifest.json").exists():
        return {}, []
    return fingerprints(out), rows(out)


def test_a_controller_or_worker_killed_at_any_moment_loses_no_finished_round(lab: Lab) -> None:
    need_adapters("udp", "null")
    lab.scenario(scenario(MATRIX, measure=MEASURE, rounds=f"min = {ROUNDS}\nretries = 5"))
    out = lab.folder / "result"
    moments = random.Random(4)
    strikes = workers = 0
    while strikes < KILLS and not (out / "report" / "report.html").exists():
        files, table = finished(out)
        # From the first moment on: imports, plan, directory, manifest, round after round.
        early = moments.random() < 0.25
        after_events = 0 if early else moments.choice([1, 2, 3, 5, 8])
        further_s = moments.uniform(0, 1.5 if early else 0.1)
        with tidy(lab.start(*arguments(out))) as process:
            if not early:
                workers += strike_a_worker(lab, process, moments)
            strikes += strike_at(process, out, after_events, further_s, signal.SIGKILL)
            process.wait()
        eventually(lambda: not lab.workers(), lambda: f"still alive: {lab.processes()}")
        if (out / "manifest.json").exists():
            assert_intact(out)
        files_after, table_after = finished(out)
        assert files.items() <= files_after.items()
        # A round that failed, because its worker was killed, is run again.
        assert all(row in table_after for row in table if row["status"] != "failed")
    assert strikes > 0 and workers > 0
    reasons = [event["reason"] for event in events(out) if event["event"] == "round_failed"]
    assert len(reasons) <= workers
    assert all("killed by SIGKILL" in reason for reason in reasons), reasons
    files, _ = finished(out)
    ended = lab.busmark(*arguments(out))
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=ROUNDS)
    assert files.items() <= fingerprints(out).items()
    lab.assert_nothing_left()


def test_a_result_has_one_writer_who_is_interrupted_twice_by_an_impatient_user(lab: Lab) -> None:
    need_adapters("udp", "tcp")
    out = lab.folder / "result"
    words = ("latency", "udp", "tcp", "--duration", "0.1", "--rounds", "500", "--save", "s.toml")
    own = ("--set", f"run.domain={DOMAIN}", "--set", "criteria.min_samples=1")
    with tidy(lab.start(*words, *own, "--out", out)) as process:
        eventually(lambda: count(out, "round_ends") > 3, lambda: "no round ended")
        second = lab.busmark("run", "--resume", "--out", out)
        assert second.code == 2
        assert f"{out}: another busmark is writing this result" in second.err
        assert "Wait for its end" in second.err
        third = lab.busmark("run", "s.toml", "--out", out)
        assert third.code == 2
        assert "exists and is not empty" in third.err
        for _ in range(2):
            os.kill(process.pid, signal.SIGINT)
        ended = end(process)
    assert ended.code == 130, ended.text
    assert f"busmark run --resume --out {out}" in ended.err
    assert f"Then compare with: busmark compare {out} --by adapter" in ended.err
    lab.assert_nothing_left()
    assert_intact(out)


def test_what_a_killed_campaign_left_on_the_machine_is_removed_by_the_next(lab: Lab) -> None:
    """Its shared memory and its temporary folder; the folder of a campaign that runs stays."""
    need_adapters("iceoryx2")
    lab.scenario(scenario('adapter = "iceoryx2"', measure="duration_s = 1", rounds="min = 1"))
    out = lab.folder / "result"

    def left() -> set[Path]:
        return set(Path("/dev/shm").glob("busmark_*"))

    before = left()
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        eventually(lambda: left() - before, lambda: "no shared memory is made")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    eventually(lambda: not lab.processes(), lambda: f"still alive: {lab.processes()}")
    orphaned = left() - before
    assert orphaned
    assert list(lab.scratch.glob("busmark-run-*"))
    alive = lab.scratch / "busmark-run-1-alive"
    alive.mkdir()
    lock = os.open(alive / ".owner", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert lab.busmark("run", "--resume", "--out", out).code == 0
    assert not orphaned & left()
    assert list(lab.scratch.glob("busmark-run-*")) == [alive]
    os.close(lock)
