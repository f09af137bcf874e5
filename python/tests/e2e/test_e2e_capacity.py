"""The search for a sustained rate, over real sockets."""

from __future__ import annotations

import json
import os
import signal

import pytest
from e2e_harness import Lab, begun, eventually, need_adapters, rows, scenario, tidy

MEASURE = "duration_s = 0.05\nwarmup_s = 0.01"
SEARCH = "[capacity]\nprecision = 0.5\nconfirm = 1\nmax_loss = 0.5\nkeeps_up = 0.3\nmax_trials = 40"


def test_a_search_ends_with_a_rate_that_passed(lab: Lab) -> None:
    need_adapters("tcp")
    matrix = 'adapter = "tcp"\ntest = "capacity"\nsize = 1024'
    lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1", also=SEARCH))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    found = rows(lab.folder / "result")
    assert found[0]["rate_hz"] is None and found[0]["samples_per_s"] > 0
    assert [row["round"] for row in found] == list(range(len(found)))
    rates = {row["rate_hz"] for row in found if row["rate_hz"]}
    assert len(rates) > 1
    last = found[-1]
    shown = json.loads(lab.busmark("show", "result", "--json").out)
    (case,) = shown["cases"]
    assert len(case["capacity"]["trials"]) == len(found)
    if last["sustained_hz"] is not None and last["confirmed"]:
        assert last["shortfall"] is None and last["rate_hz"] == last["sustained_hz"]
        assert case["capacity"]["reached"]
        assert last["bracket_low_hz"] <= last["bracket_high_hz"] <= 1.5 * last["bracket_low_hz"]
    else:
        assert len(found) == 40, "it ends without a rate only when its trials are used up"
    lab.assert_nothing_left()


@pytest.mark.parametrize("number", [signal.SIGKILL])
def test_a_search_is_gone_on_with(lab: Lab, number: signal.Signals) -> None:
    need_adapters("tcp")
    matrix = 'adapter = "tcp"\ntest = "capacity"\nsize = 64'
    lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1", also=SEARCH))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        eventually(lambda: len(begun(out)) >= 4, lambda: f"{len(begun(out))} trials begun")
        os.kill(process.pid, number)
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
    assert after[-1]["confirmed"] or len(after) == 40
    lab.assert_nothing_left()
