"""What the reference adapter does wrong on purpose is counted exactly.

Samples are so few and small that the kernel holds all of a round in a pipe, and a reader all of
them: nothing but the planted faults loses one, though delivery is best effort. At the end of a
reliable round, repair of what was lost would be waited for, for seconds."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from e2e_harness import Lab, assert_intact, events, need_adapters, scenario

FAULTS = {
    "nothing": {},
    "drop": {"drop": 0.05},
    "duplicate": {"duplicate": 0.05},
    "reorder": {"reorder": 0.05},
    "corrupt": {"corrupt": 0.05},
    # A corrupted body that is sent twice is two bodies, so the two are not put together.
    "drop, duplicate and reorder": {"drop": 0.03, "duplicate": 0.04, "reorder": 0.05},
    "hold": {"delay": 1.0, "delay_us": 20_000},
    "drop, reorder and corrupt": {"drop": 0.03, "reorder": 0.05, "corrupt": 0.06},
}  # fmt: skip

PLURALS = {
    "drop": "drops", "duplicate": "duplicates", "reorder": "reorders", "corrupt": "corruptions",
}  # fmt: skip
OF_PINGS = ("nothing", "drop", "corrupt")
NOTHING_OVERWRITTEN = (
    "qos.reliability = 'best_effort'\nqos.history = 'keep_last'\nqos.depth = 1000\n"
)

Round = tuple[dict[str, Any], dict[str, Any]]
"""A row of the table and the event that ended the round."""


@pytest.fixture(scope="module")
def rounds(shared_lab: Lab) -> dict[str, Round]:
    """Run a stream of 400 samples for every set of faults, and a ping-pong for some."""
    need_adapters("reference")
    names = [("throughput", name) for name in FAULTS] + [("latency", name) for name in OF_PINGS]
    first, *others = (
        f"test = '{test}'\nadapter = 'reference'\ntransport = 'pipe'\nsize = 16\n"
        f"placement = 'free'\n{NOTHING_OVERWRITTEN}option.reference.max_samples = 100000\n"
        + "".join(f"option.reference.{key} = {value}\n" for key, value in FAULTS[name].items())
        for test, name in names
    )
    text = scenario(
        first,
        measure="duration_s = 60\nwarmup_s = 0\nsamples = 400\nprobe_every = 0\ntimeout_s = 0.02\n"
        "verify = true",
        rounds="min = 1",
        also="\n".join(f"[[also]]\n{matrix}" for matrix in others),
    )
    path = shared_lab.scenario(text)
    out = shared_lab.folder / "result"
    ended = shared_lab.busmark("run", path, "--out", out)
    assert ended.code == 0, ended.text
    answer = {event["case"]: event for event in events(out) if event["event"] == "round_ends"}
    result = assert_intact(out)
    found = {row["case"]: row for row in result.cases.to_dicts()}
    return {
        f"{test} {name}": (found[case.id], answer[case.id])
        for (test, name), case in zip(names, result.manifest.cases, strict=True)
    }


def test_batches_are_timed_and_counted_where_control_samples_are_lost(lab: Lab) -> None:
    """A fifth of all that is written is lost, starts, ends and acknowledgements as well. The
    batcher then waits for its time-out, which is longer than all batches take together."""
    need_adapters("reference")
    matrix = (
        "test = 'throughput'\nadapter = 'reference'\ntransport = 'pipe'\nsize = 16\n"
        f"placement = 'free'\n{NOTHING_OVERWRITTEN}"
        "option.reference.max_samples = 100000\noption.reference.drop = 0.2\n"
    )
    text = scenario(
        f"{matrix}batch = 40\n",
        measure="duration_s = 60\nwarmup_s = 0\nsamples = 400\ntimeout_s = 0.3",
        rounds="min = 1",
    )
    out = lab.folder / "result"
    ended = lab.busmark("run", lab.scenario(text), "--out", out)
    assert ended.code == 0, ended.text
    result = assert_intact(out)
    (row,) = result.cases.to_dicts()
    seen = result.batches(row["case"], 0)
    assert seen is not None and seen.height == row["batches"] + row["batches_unacknowledged"] == 10
    assert seen["expected"].sum() == row["sent"] == 400
    assert seen["received"].sum() == row["received"] < 400
    assert row["lost"] == 400 - row["received"]
    (sentence,) = (event for event in events(out) if event["event"] == "round_ends")
    # Starts and ends are dropped as well as samples.
    assert injected(sentence, "drops", "batcher") > row["lost"]
    assert not seen["ended"].all(), "no end was lost"
    within_s = seen["duration_ns"].sum() / 1e9
    assert row["samples_per_s"] == pytest.approx(row["received"] / within_s)
    # A time-out for each end that was lost; none of them is in the time of a batch.
    lost_ends = seen.height - seen["ended"].sum()
    assert row["measured_s"] > 0.3 * (lost_ends - 1)
    rows = result.samples(row["case"], 0).filter(pl.col("role") == "batcher")
    written_s = (rows["written_ns"] - rows["sent_ns"]).sum() / 1e9
    waited_s = row["measured_s"] - written_s
    assert within_s < row["measured_s"] - waited_s / 2


def injected(event: dict[str, Any], what: str, *roles: str) -> int:
    """Count how often the writers of these roles did it."""
    return sum(
        role["writer_counters"][f"injected_{what}"]
        for role in event["roles"]
        if role["role"] in roles
    )


@pytest.mark.parametrize("name", FAULTS)
def test_a_stream_is_accounted_for_exactly(rounds: dict[str, Round], name: str) -> None:
    row, event = rounds[f"throughput {name}"]
    assert row["sent"] == 400
    assert row["lost"] == injected(event, "drops", "transmitter")
    assert row["duplicated"] == injected(event, "duplicates", "transmitter")
    assert row["out_of_order"] == injected(event, "reorders", "transmitter")
    assert row["corrupted"] == injected(event, "corruptions", "transmitter")
    assert row["foreign"] == 0
    assert row["received"] == row["sent"] - row["lost"]
    for kind in PLURALS.keys() & FAULTS[name].keys():
        assert injected(event, PLURALS[kind], "transmitter") > 0, "nothing was injected"


@pytest.mark.parametrize("name", OF_PINGS)
def test_a_ping_pong_is_accounted_for_exactly(rounds: dict[str, Round], name: str) -> None:
    """Pings and pongs are hit alike: a lost pong is a lost round trip."""
    row, event = rounds[f"latency {name}"]
    assert row["sent"] == 400
    assert row["lost"] == injected(event, "drops", "pinger", "responder")
    assert row["corrupted"] == injected(event, "corruptions", "pinger", "responder")
    assert row["received"] == row["sent"] - row["lost"]


def test_what_was_in_flight_at_the_end_is_reported_by_how_long_it_still_came(
    rounds: dict[str, Round],
) -> None:
    """Every sample is held up for 20 ms, so the last comes so long after it was written."""
    row, _ = rounds["throughput hold"]
    assert row["lost"] == 0 and row["drain_ns"] >= 20e6
