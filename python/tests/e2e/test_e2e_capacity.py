"""The search for a sustained rate, over real sockets."""

from __future__ import annotations

import json
import os
import signal

from e2e_harness import Lab, begun, eventually, need_adapters, rows, scenario, tidy

MEASURE = "duration_s = 0.05\nwarmup_s = 0.01"
SEARCH = "[capacity]\nprecision = 0.5\nconfirm = 1\nmax_loss = 0.5\nkeeps_up = 0.3\nmax_trials = 40"


def test_a_search_that_was_killed_is_resumed_and_ends_with_a_rate_that_passed(lab: Lab) -> None:
    need_adapters("tcp")
    matrix = 'adapter = "tcp"\ntest = "capacity"\nsize = 64'
    lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1", also=SEARCH))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        eventually(lambda: len(begun(out)) >= 4, lambda: f"{len(begun(out))} trials begun")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    eventually(lambda: not lab.workers(), lambda: f"still alive: {lab.processes()}")
    before = rows(out)
    assert len(before) >= 3
    again = lab.busmark("run", "--resume", "--out", out)
    assert again.code == 0, again.text
    after = rows(out)
    assert after[: len(before)] == before, "the trials there were count"
    assert len(after) > len(before)
    assert [row["round"] for row in after] == list(range(len(after)))
    assert [row["rate_hz"] for row in after].count(None) == 1, "full speed is tried once"
    shown = json.loads(lab.busmark("show", "result", "--json").out)
    (case,) = shown["cases"]
    assert len(case["capacity"]["trials"]) == len(after)
    last = after[-1]
    if last["sustained_hz"] is not None and last["confirmed"]:
        assert last["shortfall"] is None and last["rate_hz"] == last["sustained_hz"]
        assert case["capacity"]["reached"]
        assert last["bracket_low_hz"] <= last["bracket_high_hz"] <= 1.5 * last["bracket_low_hz"]
    else:
        assert len(after) == 40, "it ends without a rate only when its trials are used up"
    lab.assert_nothing_left()


def test_no_rate_beyond_what_a_server_can_work_off_is_sustained(lab: Lab) -> None:
    need_adapters("tcp")
    matrix = 'adapter = "tcp"\ntest = "service-capacity"\nclients = 2\nserver_time_s = 0.005'
    search = "[capacity]\nprecision = 0.5\nconfirm = 1\nmax_trials = 12"
    measure = "duration_s = 0.3\nwarmup_s = 0.05"
    lab.scenario(scenario(matrix, measure=measure, rounds="min = 1", also=search))
    out = lab.folder / "result"
    assert lab.busmark("run", "scenario.toml", "--out", out).code == 0
    trials = [row for row in rows(out) if row["rate_hz"] is not None]
    # Two clients and 5 ms of work; the ends of spans of some 30 responses are uncertain.
    passed = [2 * row["rate_hz"] for row in trials if not row["shortfall"]]
    assert passed and max(passed) <= 1.25 / 0.005, trials
    (case,) = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    answered = [trial["answered_per_s"] for trial in case["capacity"]["trials"]]
    assert any(answered) and all(rate <= 1.25 / 0.005 for rate in answered if rate)
    lab.assert_nothing_left()
