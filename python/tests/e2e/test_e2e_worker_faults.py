"""A worker that dies, hangs or writes garbage spoils its round: the round is marked, tried again, and
the campaign goes on. Nothing that the worker has started outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_harness import (
    HERE,
    Lab,
    assert_complete,
    assert_intact,
    count,
    end,
    events,
    eventually,
    need_adapters,
    real_worker,
    rows,
    scenario,
    seeded_moments,
    tidy,
)
from stand_in_worker import FAULTS

KINDS = {
    "says nothing": "hung: passive, start: no answer within",
    "speaks another protocol": "garbage: passive: speaks control protocol 4711, not 1",
    "greets with something else": "garbage: passive: not an answer of the protocol: protocol",
    "refuses": "invalid: passive, start: not today",
    "dies after setup": "died: passive: the worker died (exit code 7): stand-in: this is the end",
    "dies in the run": "died: active: the worker died (exit code 7)",
    "crashes in the run": "died: active: the worker died (killed by SIGABRT)",
    "hangs in the run": "hung: active, run: no answer within",
    "hangs at the end": "hung: passive, collect: no answer within",
    "closes its output": "died: passive: the worker died (closed its output)",
    "dies within a frame": "died: active: the worker died (exit code 7)",
    "stops within a frame": "hung: active, collect: no answer within",
    "garbles a frame": "garbage: pinger: not a frame of samples",
    "sends a frame of another length": "garbage: active: not a message of the protocol: 'more'",
    "forgets a frame": "were announced",
    "writes garbage": "garbage: passive: not a message of the protocol: 'Segmentation fault",
    "writes binary garbage": "garbage: passive: not a message of the protocol",
    "writes JSON that is no object": "garbage: passive: not a message of the protocol: '[1, 2]'",
    "writes JSON without end": "garbage: passive: not a message of the protocol: '[[[",
    "writes a line without end": "garbage: passive: a line without end",
    "answers another command": "garbage: passive: answer to another command",
    "answers setup in another shape": "garbage: passive, setup: not an answer of the protocol",
    "answers run in another shape": "garbage: active, run: not an answer of the protocol",
    "answers collect in another shape": "garbage: passive, collect: not an answer of the protocol",
}
"""How each fault is told. The first worker of a round is its passive participant."""

ACTIVE = [name for name, told in KINDS.items() if "active" in told or "pinger" in told] + [
    "forgets a frame"
]
"""Faults of the second worker: two have the fault, where it does nothing to the passive one."""

PATIENT = 'interface = "lo"\nhang_s = 20'
HASTY = "hang_s = 3"


@pytest.fixture
def stand_in(lab: Lab) -> dict[str, str | Path]:
    """Variables that put the stand-in before the real worker."""
    need_adapters("udp")
    script = lab.folder / "stand-in-worker"
    # Isolated and without site-packages: started for every worker, so it must start quickly.
    source = (HERE / "stand_in_worker.py").read_text(encoding="utf-8")
    script.write_text(f"#!{sys.executable} -IS\n{source}", encoding="utf-8")
    script.chmod(0o755)
    counted = lab.folder / "counted"
    counted.mkdir()
    return {
        "BUSMARK_WORKER": script, "STAND_IN_REAL": real_worker(), "STAND_IN_COUNT": counted,
    }  # fmt: skip


def test_every_fault_has_its_message() -> None:
    assert KINDS.keys() == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_worker_costs_one_attempt(
    lab: Lab, stand_in: dict[str, str | Path], fault: str
) -> None:
    hangs = KINDS[fault].startswith("hung")
    text = scenario(
        'adapter = "udp"', rounds="min = 1\nretries = 3", run=HASTY if hangs else PATIENT
    )
    lab.scenario(text)
    times = "2" if fault in ACTIVE else "1"
    variables = {**stand_in, "STAND_IN_FAULT": fault, "STAND_IN_TIMES": times}
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, variables=variables)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=1)
    reasons = [event["reason"] for event in events(out) if event["event"] == "round_failed"]
    assert reasons and KINDS[fault] in reasons[0], reasons
    assert "; trying again" in ended.err
    assert rows(out)[0]["attempt"] == len(reasons)
    lab.assert_nothing_left()


def test_rounds_that_fail_for_good_are_told_and_tried_again_later(
    lab: Lab, stand_in: dict[str, str | Path]
) -> None:
    lab.scenario(scenario('adapter = "udp"\nsize = [16, 32]', rounds="min = 2\nretries = 1"))
    out = lab.folder / "result"
    variables = {**stand_in, "STAND_IN_FAULT": "dies after setup", "STAND_IN_TIMES": "1000"}
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


def test_what_a_worker_has_started_ends_with_it(
    lab: Lab, stand_in: dict[str, str | Path]
) -> None:
    """Also where it keeps the worker's pipes open, and in rounds that end well."""
    lab.scenario(scenario('adapter = "udp"', rounds="min = 2\nretries = 3"))
    variables = {
        **stand_in, "STAND_IN_CHILD": "1", "STAND_IN_FAULT": "crashes in the run",
        "STAND_IN_TIMES": "2",
    }  # fmt: skip
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, variables=variables)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=2)
    lab.assert_nothing_left()


def test_a_worker_killed_at_any_moment_costs_no_more_than_its_round(lab: Lab) -> None:
    need_adapters("udp", "tcp")
    lab.scenario(scenario('adapter = ["udp", "tcp"]', rounds="min = 12\nretries = 10"))
    out = lab.folder / "result"
    strikes = 0
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        for _, pause in seeded_moments(seed=2, number=12):
            victims = eventually(
                lambda: lab.workers() or [0] * (process.poll() is not None),
                lambda: "no worker is at work",
            )
            # The pause is a moment of the round, not a length of time that anything depends on.
            with __import__("contextlib").suppress(subprocess.TimeoutExpired):
                process.wait(timeout=pause / 2)
            strikes += strike(victims[-1])
        ended = end(process)
    assert ended.code == 0, ended.text
    assert strikes > 0
    assert_complete(out, cases=2, rounds=12)
    reasons = [event["reason"] for event in events(out) if event["event"] == "round_failed"]
    assert all("died: " in reason or "failed: " in reason for reason in reasons), reasons
    lab.assert_nothing_left()


def strike(process: int) -> bool:
    """Kills it, if it is still there."""
    if process == 0:
        return False
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def test_everything_that_crosses_the_pipe_follows_the_schema(
    lab: Lab, stand_in: dict[str, str | Path]
) -> None:
    import json

    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(subprocess.check_output([str(real_worker()), "schema"]))
    record = lab.folder / "record"
    record.mkdir()
    text = scenario('adapter = ["udp", "null"]\ntest = ["latency", "throughput"]', rounds="min = 1")
    lab.scenario(text)
    out = lab.folder / "result"
    variables = {**stand_in, "STAND_IN_RECORD": record}
    ended = lab.busmark("run", "scenario.toml", "--out", out, variables=variables)
    assert ended.code == 0, ended.text
    assert_intact(out)
    messages = [
        json.loads(line)
        for path in record.iterdir()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    whole = {"$defs": schema["$defs"]}
    by_kind = {kind: {**whole, **schema["properties"][kind]} for kind in schema["properties"]}
    results = {"setup": "setup_result", "run": "run_result", "collect": "collect_result"}
    asked: dict[int, str] = {}
    kinds = set()
    for entry in messages:
        message = entry["message"]
        kinds.add(entry["kind"])
        jsonschema.validate(message, by_kind[entry["kind"]])
        if entry["kind"] == "request":
            asked[message["id"]] = message["cmd"]
        if entry["kind"] == "reply" and asked[message["id"]] in results:
            jsonschema.validate(message["result"], by_kind[results[asked[message["id"]]]])
    assert kinds == {"hello", "request", "reply", "frame_head"}
    assert set(asked.values()) >= {"setup", "connect", "match", "start", "run", "drain", "collect"}
