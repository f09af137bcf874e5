"""Campaigns on nodes of the user's: over a real sshd, across namespaces, between two clocks."""

from __future__ import annotations

import json
import os
import signal

import polars as pl
import pytest
from e2e_harness import Lab, assert_complete, events, eventually, figures, need_adapters, rows, tidy
from nodes_harness import ALONE, SHORT, beside_sshd, need_root, on_nodes, ssh
from seams import viewed

from busmark.store import Result


@pytest.fixture(autouse=True)
def _root() -> None:
    need_root()


def test_a_campaign_runs_over_ssh_sends_its_programs_once_and_leaves_nothing(lab: Lab) -> None:
    need_adapters("tcp", "udp", "cyclonedds")
    prefix = beside_sshd(lab)
    (lab.folder / "body.bin").write_bytes(bytes(range(200)))
    also = '[[also]]\nadapter = "tcp"\ntest = "throughput"\nsize = "file"\n'
    measure = f'{SHORT}\nbody_file = "body.bin"\nverify = true'
    # One connection for all that goes to a host, as the page on nodes recommends.
    nodes = {"left": ssh(lab, "mux1"), "right": ssh(lab, "mux2")}
    text = on_nodes(nodes, 'adapter = ["tcp", "udp", "cyclonedds"]', measure=measure)
    lab.scenario(text + also)
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, prefix=prefix)
    assert ended.code == 0, ended.text + (lab.scratch / "sshd.log").read_text()
    assert_complete(out, cases=4, rounds=1)
    for row in rows(out):
        assert (row["writer_on"], row["reader_on"]) == ("left", "right")
        assert row["nodes"] == "right;left" and row["one_clock"] is True
        assert row["corrupted"] == 0 and row["context_switches"] > 0
    lines = [event["companions"] for event in events(out) if event["event"] == "round_ends"]
    assert lines == [{}] * 4
    table = pl.read_parquet(out / "system" / "*.parquet")
    own = table.drop_nulls("participant").select("node", "participant").unique()
    assert set(own.rows()) == {
        ("left", "active"), ("left", "counters"), ("right", "passive"), ("right", "counters"),
    }  # fmt: skip
    who = pl.read_parquet(out / "participants" / "*.parquet")
    assert set(who.select("participant", "node").rows()) == {
        ("active", "left"), ("passive", "right"),
    }  # fmt: skip
    page = (out / "report" / "report.html").read_text(encoding="utf-8")
    assert "left" in page and "right" in page
    hosts = Result(out).manifest.hosts
    assert hosts.keys() == {"", "left", "right"}
    assert hosts["left"]["prefix"] == nodes["left"]
    assert (hosts["left"]["interface"], hosts["left"]["address"]) == ("lo", "127.0.0.1")
    assert hosts["left"]["boot_id"] == hosts[""]["boot_id"]
    reached = [event for event in events(out) if event["event"] == "node"]
    assert {event["name"] for event in reached} == {"left", "right"}
    assert sum(event["sent_bytes"] for event in reached) > 0
    lab.assert_nothing_left()
    assert not list(lab.scratch.glob("cache/busmark/nodes/*/.part.*"))
    # Killed in the midst of its second campaign: nothing is sent again, and nothing stays there.
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', measure="duration_s = 600"))
    again = lab.folder / "again"
    with tidy(lab.start("run", "scenario.toml", "--out", again, prefix=prefix)):
        eventually(lambda: len(lab.workers()) == 2, lambda: f"running: {lab.processes()}")
        (controller,) = (pid for pid, command in lab.processes().items()
                         if " -m busmark run" in command and "unshare" not in command
                         and "with_sshd" not in command)  # fmt: skip
        os.kill(controller, signal.SIGKILL)
        eventually(lambda: not lab.workers(), lambda: f"alive: {lab.processes()}")
    eventually(lambda: not lab.processes(), lambda: f"alive: {lab.processes()}")
    reached = [event for event in events(again) if event["event"] == "node"]
    assert [event["sent_bytes"] for event in reached] == [0, 0]
    # The campaign's own folder goes with the next one; the nodes' folders went with their shells.
    assert len(list(lab.scratch.glob("busmark-run-*"))) == 1


HIDE = """sh -c 'for f in /usr/lib/*/libfastrtps.so*; do
    mount --bind /dev/null "$f"; done; exec "$@"' sh"""
"""As on a machine without the middleware: its libraries are not found."""


def test_between_two_clocks_only_round_trips_are_exact(lab: Lab) -> None:
    """An adapter that one of the nodes cannot load is unsupported there."""
    need_adapters("tcp", "fastdds")
    shifted = f"unshare --mount --time --fork --kill-child --monotonic 5000 {HIDE}"
    matrix = 'adapter = ["tcp", "fastdds"]\ntest = ["latency", "throughput"]'
    measure = SHORT + "\nprobe_every = 10"
    # What a login prints is skipped.
    here = "sh -c 'echo Welcome; exec \"$@\"' sh"
    lab.campaign(on_nodes({"here": here, "there": shifted}, matrix, measure=measure), prefix=ALONE)
    lacking = [c for c in Result(lab.folder / "result").manifest.cases if c.status == "unsupported"]
    assert {case.params.adapter for case in lacking} == {"fastdds"}
    for case in lacking:
        says = "on node there: its library cannot be loaded there: "
        assert (case.reason or "").startswith(says) and "libfastrtps" in (case.reason or "")
    for row in rows(lab.folder / "result"):
        assert row["adapter"] == "tcp"
        assert row["one_clock"] is False and row["discovery_s"] is None
        assert 0 < row["median_ns"] < 1e9
        # The one node's clock is 5000 s ahead, and gains nothing.
        assert abs(row["offset_ns"] - 5000e9) <= row["offset_bound_ns"] < 1e9
        assert row["drift_ppm"] is None or abs(row["drift_ppm"]) <= 50
    system = pl.read_parquet(lab.folder / "result" / "system" / "*.parquet")
    assert set(system["node"].unique()) == {"here", "there"}
    assert system["start_ns"].abs().max() < 1000e9
    shown = json.loads(lab.busmark("show", "result", "--json").out)
    cases = {case["params"]["test"]: case for case in shown["cases"] if case["adapter"] == "tcp"}
    latency, throughput = (viewed(cases[test]) for test in ("latency", "throughput"))
    assert latency.round_trip and throughput.round_trip
    # The shift of 5000 s is taken out, as far as the round trips bound it.
    (there,) = (segment for segment in latency.segments if segment.name == "there")
    assert there.bound_ns > 0 and abs(there.median.value) < 1e9
    assert figures(cases["throughput"])[""]["goodput"] > 0
    assert "clock-order" not in {finding["id"] for finding in shown["findings"]}
    samples = Result(lab.folder / "result").samples(cases["latency"]["id"], 0)
    assert samples["echo_read_ns"].null_count() == samples["read_ns"].null_count()
    lab.assert_nothing_left()
