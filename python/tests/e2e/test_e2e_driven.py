"""Participants of a run that are driven over the bus: by topics of the middleware under test."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    assert_intact,
    end,
    need_adapters,
    rows,
    scenario,
    tidy,
)

PIECES = "duration_s = 90\nwarmup_s = 0.02\nsamples = 20000\nmax_samples = 20000"
"""Rows of more than 2 MB: many times the pieces that are on their way at once."""


def process_of(lab: Lab, name: str) -> int:
    """The process whose standard error goes to the log of this name."""
    for pid in lab.processes():
        with suppress(OSError):
            if str(Path(f"/proc/{pid}/fd/2").readlink()).endswith(f".{name}.log"):
                return pid
    pytest.fail(f"no {name} in {lab.processes()}")


def test_both_ways_yield_all_rows_and_are_compared(lab: Lab) -> None:
    need_adapters("cyclonedds")
    matrix = 'adapter = "cyclonedds"\ntest = ["latency", "throughput"]\ncontrol = ["pipe", "bus"]'
    text = scenario(matrix, measure=PIECES, criteria="min_samples = 1\nmin_rate = 0")
    ended = lab.busmark("run", lab.scenario(text), "--out", "result")
    assert ended.code == 0, ended.text
    assert "Participants were driven over the bus" in ended.text
    directory = lab.folder / "result"
    assert_complete(directory, cases=4, rounds=2)
    found = {(row["test"], row["control"]): row["samples"] for row in rows(directory)}
    assert set(found) == {(t, c) for t in ("latency", "throughput") for c in ("pipe", "bus")}
    assert found["latency", "pipe"] == found["latency", "bus"] == 20_000
    compared = lab.busmark("compare", "result", "--by", "control")
    assert compared.code == 0 and "driven over the bus vs. driven by pipes" in compared.text
    lab.assert_nothing_left()


@pytest.mark.parametrize("adapter", ["fastdds", "iceoryx2", "rustdds"])
def test_other_middleware_drives_participants_too(lab: Lab, adapter: str) -> None:
    need_adapters(adapter)
    text = scenario(
        f'adapter = "{adapter}"', rounds="min = 1", run='control = "bus"\nhang_s = 60',
        measure="duration_s = 90\nwarmup_s = 0.02\nsamples = 300",
    )  # fmt: skip
    ended = lab.busmark("run", lab.scenario(text), "--out", "result")
    assert ended.code == 0, ended.text
    (row,) = rows(lab.folder / "result")
    assert (row["control"], row["status"], row["samples"]) == ("bus", "ok", 300)
    lab.assert_nothing_left()


def test_a_timeline_and_a_watcher_work_over_the_bus(lab: Lab) -> None:
    need_adapters("cyclonedds")
    timeline = "[[timeline]]\nat_s = 1.0\nrate_hz = 200.0\n"
    text = scenario(
        'adapter = "cyclonedds"\nrate_hz = 100', also=timeline, run='control = "bus"\nhang_s = 60',
        measure="duration_s = 2.5\nwarmup_s = 0.1", rounds="min = 1",
    )  # fmt: skip
    ended = lab.busmark("run", lab.scenario(text), "--out", "result", "--json")
    assert ended.code == 0, ended.text
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert any(event["event"] == "round_goes_on" for event in events)
    result = assert_intact(lab.folder / "result")
    assert result.changes(*_key(lab)).height == 1


def _key(lab: Lab) -> tuple[str, int]:
    (row,) = rows(lab.folder / "result")
    return row["case"], row["round"]


REFUSED = {
    "udp": "udp has no discovery, so participants cannot be driven over the bus",
    "null": "null has no discovery",
    "nats": "participants of nats meet at a server, which has to be there before",
}


@pytest.mark.parametrize("adapter", sorted(REFUSED))
def test_what_cannot_be_driven_over_the_bus_is_unsupported_by_reason(
    lab: Lab, adapter: str
) -> None:
    need_adapters(adapter)
    path = lab.scenario(scenario(f'adapter = "{adapter}"', run='control = "bus"'))
    assert f"control bus: {REFUSED[adapter]}" in lab.busmark("plan", path).out


def struck(lab: Lab, name: str, how: signal.Signals, duration_s: float, hang_s: float) -> str:
    """Why the only round fails when the process of this name is struck while it is measured."""
    need_adapters("cyclonedds")
    text = scenario(
        'adapter = "cyclonedds"\nrate_hz = 50', rounds="min = 1\nretries = 0",
        measure=f"duration_s = {duration_s:g}\nwarmup_s = 0.02",
        run=f'control = "bus"\nhang_s = {hang_s:g}',
    )  # fmt: skip
    arguments = ("run", lab.scenario(text), "--out", "result", "--json")
    with tidy(lab.start(*arguments)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            # It is measured: workers say so once a second.
            if json.loads(line)["event"] == "round_goes_on":
                break
        os.kill(process_of(lab, name), how)
        assert end(process).code == 1
    (row,) = rows(lab.folder / "result")
    assert row["status"] == "failed"
    lab.assert_nothing_left()
    return str(row["reason"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("active.gateway", "active: its control over the bus ended (killed by SIGKILL)"),
        ("active", "active: the worker died (killed by SIGKILL)"),
    ],
)
def test_what_is_killed_ends_the_round_as_failed(lab: Lab, name: str, words: str) -> None:
    assert words in struck(lab, name, signal.SIGKILL, duration_s=120, hang_s=60)


def test_a_bus_that_is_stuck_ends_the_round_as_failed_in_words(lab: Lab) -> None:
    """A participant that is stopped acknowledges nothing."""
    told = struck(lab, "passive", signal.SIGSTOP, duration_s=3, hang_s=6)
    assert "the bus is stuck: nothing that was written on busmark_control_" in told
