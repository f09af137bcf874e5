"""A worker that dies, hangs or writes garbage spoils its round: the round is marked, tried again,
and the campaign continues. Nothing that the worker has started outlives it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from e2e_harness import (
    HERE,
    Ended,
    Lab,
    assert_complete,
    count,
    events,
    need_adapters,
    real_worker,
    rows,
    scenario,
)

Variables = dict[str, str | Path]

PROMPT = {
    "speaks another protocol": ("passive", "garbage: passive: speaks control protocol 4711, not 2"),
    "refuses": ("passive", "invalid: passive, start: not today"),
    "dies after setup": (
        "active",
        "died: active: the worker died (exit code 7): stand-in: this is",
    ),
    "crashes in the run": ("active", "died: active: the worker died (killed by SIGABRT)"),
    "closes its output": ("passive", "died: passive: the worker died (closed its output)"),
    "dies within a frame": ("active", "died: active: the worker died (exit code 7)"),
    "sends a frame of another length": ("active", "not a message of the protocol: 'more'"),
    "forgets a frame": ("active", "garbage: 0 rows of samples, 300 were announced"),
    "garbles accounts": ("active", "garbage: pinger: not a frame of accounts"),
    "writes garbage": ("passive", "not a message of the protocol: 'Segmentation fault, or so'"),
    "writes a line without end": ("active", "garbage: active: a line without end"),
    "answers another command": ("passive", "garbage: passive: answer to another command"),
    "tells a failure": ("active", "failed: active, run: no more of this"),
    "answers run in another shape": ("active", "garbage: active, run: not an answer of the"),
}
"""Who has the fault, and how it is reported."""

HANGING = {
    "says nothing": ("passive", "hung: passive, start: no answer within"),
    "stops within a frame": ("active", "hung: active, collect: no answer within"),
}


ROUNDS = {"passive": 0, "active": 1}
"""In which of two rounds the attempts of each are spoilt."""


def put_stand_in(lab: Lab) -> Variables:
    """Return variables that put the stand-in before the real worker."""
    need_adapters("udp")
    script = lab.folder / "stand-in-worker"
    # Isolated and without site-packages: started for every worker, so it must start quickly.
    source = (HERE / "stand_in_worker.py").read_text(encoding="utf-8")
    script.write_text(f"#!{sys.executable} -IS\n{source}", encoding="utf-8")
    script.chmod(0o755)
    memory = lab.folder / "memory"
    memory.mkdir()
    return {"BUSMARK_WORKER": script, "STAND_IN_REAL": real_worker(), "STAND_IN_MEMORY": memory}


@pytest.fixture
def stand_in(lab: Lab) -> Variables:
    return put_stand_in(lab)


def run_with_faults(
    lab: Lab, faults: dict[str, tuple[str, str]], run: str, **more: str
) -> tuple[Path, Ended]:
    """Run a campaign in which each of these faults spoils an attempt of the round of who has it."""
    lab.scenario(scenario('adapter = "udp"', rounds="min = 2\nretries = 10", run=run))
    plan = {
        f"{number}.{who}": [fault for fault, (whose, _) in faults.items() if whose == who]
        for who, number in ROUNDS.items()
    }
    variables = {**put_stand_in(lab), "STAND_IN_PLAN": json.dumps(plan), **more}
    out = lab.folder / "result"
    return out, lab.busmark("run", "scenario.toml", "--out", out, variables=variables)


def assert_reported(out: Path, faults: dict[str, tuple[str, str]]) -> None:
    found: dict[int, list[str]] = {}
    for event in events(out):
        if event["event"] == "round_failed":
            found.setdefault(event["round"], []).append(event["reason"])
    for fault, (who, says) in faults.items():
        assert any(says in reason for reason in found[ROUNDS[who]]), fault
    for row in rows(out):
        assert row["attempt"] == len(found[row["round"]])


def test_a_worker_that_dies_or_writes_garbage_costs_one_attempt(lab: Lab) -> None:
    out, ended = run_with_faults(lab, PROMPT, run="hang_s = 60")
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=2)
    assert_reported(out, PROMPT)
    assert ended.err.count("; trying again") >= len(PROMPT)
    lab.assert_nothing_left()


def test_a_worker_that_hangs_is_killed_and_what_it_has_started_ends_with_it(lab: Lab) -> None:
    """What it has started keeps the worker's pipes open. It is ended in rounds that end well too,
    also where it has left the worker's session as a daemon does, so that no round meets one of an
    earlier round."""
    out, ended = run_with_faults(lab, HANGING, run="hang_s = 3", STAND_IN_CHILD="1")
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=2)
    assert_reported(out, HANGING)
    lab.assert_nothing_left()
    ended_after = [
        (event["event"], sum("sleep(10000)" in each for each in event.get("commands", [])))
        for event in events(out) if event["event"] in ("round_begins", "leftovers_ended")
    ]  # fmt: skip
    # Two workers in each attempt, each with a daemon.
    attempts = 2 + count(out, "round_failed")
    assert ended_after == [("round_begins", 0), ("leftovers_ended", 2)] * attempts


def test_a_worker_that_prints_without_end_is_ended_and_its_first_words_stay(lab: Lab) -> None:
    need_adapters("udp")
    script = lab.folder / "noisy-worker"
    script.write_text(
        "#!/bin/sh\ncase $1 in participate) exec yes words >&2 ;; esac\n"
        f'exec {real_worker()} "$@"\n'
    )
    script.chmod(0o755)
    lab.scenario(scenario('adapter = "udp"', rounds="min = 1\nretries = 0"))
    variables = {"BUSMARK_WORKER": script}
    ended = lab.busmark("run", "scenario.toml", "--out", "result", variables=variables)
    assert ended.code == 1, ended.text
    (row,) = rows(lab.folder / "result")
    assert "it was ended, for it printed more than 16 MiB" in row["reason"]
    logs = [path.stat().st_size for path in (lab.folder / "result" / "logs").iterdir()]
    assert logs and max(logs) <= 16 << 20
    lab.assert_nothing_left()


def test_rounds_that_fail_for_good_are_reported_and_tried_again_later(
    lab: Lab, stand_in: Variables
) -> None:
    lab.scenario(scenario('adapter = "udp"\nsize = [16, 32]', rounds="min = 2\nretries = 1"))
    out = lab.folder / "result"
    plan = json.dumps({"any.passive": ["dies after setup"]})
    variables = {**stand_in, "STAND_IN_PLAN": plan, "STAND_IN_ALWAYS": "1"}
    ended = lab.busmark("run", "scenario.toml", "--out", out, variables=variables)
    assert ended.code == 1, ended.text
    found = rows(out)
    assert [row["status"] for row in found] == ["failed"] * 4
    assert all(row["attempt"] == 1 and "this is the end" in row["reason"] for row in found)
    assert all(row["samples"] is None and row["median_ns"] is None for row in found)
    assert "given up" in ended.err and "4 rounds failed. Try them again with:" in ended.err
    assert count(out, "round_failed") == 8
    assert lab.busmark("show", out).code == 0
    # The stand-in has given way to a sound worker; attempts are counted on.
    ended = lab.busmark("run", "--resume", "--out", out)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=2)
    assert {row["attempt"] for row in rows(out)} == {2}


def test_a_ping_that_comes_back_unanswered_is_no_round_trip(lab: Lab, stand_in: Variables) -> None:
    """Topics that got mixed up must not make a quick middleware of a broken one."""
    measure = "duration_s = 0.1\nwarmup_s = 0\nmax_samples = 1000\ntimeout_s = 0.02"
    lab.scenario(scenario('adapter = "udp"', measure=measure, rounds="min = 1\nretries = 0"))
    plan = json.dumps({f"any.{who}": ["is miswired"] for who in ROUNDS})
    variables = {**stand_in, "STAND_IN_PLAN": plan}
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, variables=variables)
    assert ended.code == 1, ended.text
    (row,) = rows(out)
    assert row["status"] != "ok"
    assert not row["samples"] and row["median_ns"] is None
    lab.assert_nothing_left()
