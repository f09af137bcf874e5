"""Rates and QoS change in the middle of a round, and everything that is recorded says when."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from e2e_harness import Lab, events, need_adapters, rows, scenario

STEPS = """
[[flow]]
name = "video"
rate_hz = 200
size = 100
[[timeline]]
at_s = 0.4
rate_hz = 2000
[[timeline]]
at_s = 0.8
flow = "video"
rate_hz = 1000
"""
MEASURE = "duration_s = 1.2\nwarmup_s = 0.1\ninterval_s = 0.02\nmax_samples = 5000"


def table(out: Path, name: str) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(path) for path in sorted((out / name).glob("*.parquet")))


def test_rates_change_and_rows_say_in_which_phase_they_are(lab: Lab) -> None:
    need_adapters("udp")
    text = scenario('adapter = "udp"\nrate_hz = 100', measure=MEASURE, rounds="min = 2")
    lab.campaign(text + STEPS)
    out = lab.folder / "result"
    assert {row["status"] for row in rows(out)} == {"ok"}, rows(out)
    changes = table(out, "changes")
    assert changes.select("round", "phase", "flow", "change").rows() == [
        (number, *step)
        for number in (0, 1)
        for step in ((1, "pings", "rate_hz = 2000"), (2, "video", "rate_hz = 1000"))
    ]
    assert changes["asked_ns"].to_list() == [400_000_000, 800_000_000] * 2
    samples = table(out, "samples").filter(pl.col("flags") & 1 == 0)
    samples = samples.filter(pl.col("role") == "pinger")
    assert samples["phase"].null_count() == 0
    # What the schedule was, not how long anything took: between two intended times.
    for (number, phase), own in samples.group_by("round", "phase"):
        gaps = own.sort("intended_ns")["intended_ns"].diff().drop_nulls()
        assert gaps.median() == (10_000_000 if phase == 0 else 500_000), (number, phase)
        began = changes.filter((pl.col("round") == number) & (pl.col("phase") == phase))
        if phase:
            assert own["sent_ns"].min() >= began["taken_ns"].min()
    intervals = table(out, "intervals")
    assert set(intervals["phase"].unique()) == {None, 0, 1, 2}
    flows = table(out, "flows")
    assert flows["theoretical_per_s"].null_count() == flows.height, "no rate is the same all along"
    lab.assert_nothing_left()


def test_a_change_that_comes_too_late_fails_its_round_in_words(lab: Lab) -> None:
    """The recorder is full after twenty pings, long before."""
    need_adapters("udp")
    measure = "duration_s = 600\nwarmup_s = 0\nmax_samples = 20"
    change = "[[timeline]]\nat_s = 599\nrate_hz = 100\n"
    matrix = 'adapter = "udp"\nrate_hz = 1000'
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 1\nretries = 0") + change, code=1)
    out = lab.folder / "result"
    (text,) = [event["reason"] for event in events(out) if event["event"] == "round_failed"]
    assert text.startswith("unchanged: the measurement had ended before the change at 599 s"), text
    lab.assert_nothing_left()


DEADLINES = """
[matrix.qos]
deadline_s = 0.1
[[timeline]]
at_s = 0.2
qos = { deadline_s = 0.05 }
[[timeline]]
at_s = 0.8
qos = { deadline_s = 0.3 }
"""


def test_writer_and_reader_of_a_changed_deadline_match_all_the_time(lab: Lab) -> None:
    """What a writer offers may not be above what its reader asks for, nor what either believes."""
    need_adapters("zerodds")
    matrix = 'test = "throughput"\nadapter = "zerodds"\nrate_hz = 1000'
    measure = "duration_s = 1.6\nwarmup_s = 0.1\nmax_samples = 5000\nprobe_every = 0"
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 1\nmax = 1") + DEADLINES)
    out = lab.folder / "result"
    assert {row["status"] for row in rows(out)} == {"ok"}, rows(out)
    changes = table(out, "changes").sort("taken_ns").select("phase", "participant", "change")
    assert changes.rows() == [
        (1, "active", "deadline_s = 0.05"),
        (1, "passive", "deadline_s = 0.05"),
        (2, "passive", "deadline_s = 0.3"),
        (2, "active", "deadline_s = 0.3"),
    ]
    lab.assert_nothing_left()


EXPIRING = """
[[flow]]
name = "video"
rate_hz = 50
size = 60000
[[timeline]]
at_s = 1.5
flow = "video"
rate_hz = 200
[[timeline]]
at_s = 2.5
rate_hz = 500
qos = { lifespan_s = 0.1 }
"""


def test_samples_that_begin_to_expire_end_no_participant(lab: Lab) -> None:
    """Cyclone DDS read through a null pointer when it removed samples behind an expired one, in
    eleven of twelve rounds as long as these."""
    need_adapters("cyclonedds")
    matrix = 'adapter = "cyclonedds"\nrate_hz = 200\nsize = 64'
    rounds = "min = 2\nmax = 2\nretries = 0"
    lab.campaign(scenario(matrix, measure="duration_s = 4.0", rounds=rounds) + EXPIRING)
    assert {row["status"] for row in rows(lab.folder / "result")} == {"ok"}
    lab.assert_nothing_left()
