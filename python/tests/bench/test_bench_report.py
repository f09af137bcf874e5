"""`RESULTS.md` is made from the results and the notes alone."""

from __future__ import annotations

from typing import Any

import pytest

from catalogue import BARE, DDSPERF, NULL_NS, OURS, SOCKPERF, Group, Limit, against
from compare import ABSENT
from render import UNEXPLAINED, annotate, render
from session import Record, Settings
from task import MAIN, Task

MISSED = "latency/udp/64B/listener/same/vs-bare-loop"


def results() -> dict[str, Any]:
    """A miss, a comparison without its peer, a limit, unequal settings."""
    ping = Record(against(Task("latency", "udp", 64, "same"), BARE, SOCKPERF))
    ping.missing[SOCKPERF] = "not here: apt-get install sockperf"
    ping.rounds = [{OURS: {MAIN: 11_000.0}, BARE: {MAIN: 10_000.0}}] * 3
    ping.failures.append("round 2, bare loop: fell over")
    stream = Record(against(Task("throughput", "cyclonedds", 1024, "different"), DDSPERF))
    stream.rounds = [{OURS: {MAIN: 90_000.0}, DDSPERF: {MAIN: 100_000.0}}] * 3
    limit = Limit("per-sample", "null adapter", "ns_per_sample", "ns", NULL_NS)
    null = Record(Group("null", Task("throughput", "null", 64, "same"), (OURS,), (limit,)))
    null.rounds = [{OURS: {"ns_per_sample": 55.5}}] * 10
    rows = [*ping.rows(Settings()), *null.rows(Settings())]
    rows[2:2] = stream.rows(Settings({"write_batching": "true"}, {"threads": "true"}))
    return {
        "begun_utc": "2026-01-02T03:04:05Z", "length_s": 600.0, "rounds": 10, "seconds": 0.4,
        "warmup_s": 0.1, "seed": 1, "only": None, "machine": {"cpus_online": 2, "turbo": None},
        "software": {"busmark": "0.1.0", "sockperf": None}, "rows": rows,
    }  # fmt: skip


@pytest.fixture
def page() -> str:
    data = results()
    annotate(data, {MISSED: "two clock readings more"})
    return render(data)


def test_the_verdicts_are_counted(page: str) -> None:
    assert "**4 comparisons: 1 met, 2 not met, 1 not here.**" in page


def test_a_comparison_is_a_row(page: str) -> None:
    row = "| udp, 64 B | same | 11.00 µs | 10.00 µs | bare loop | 1.100 | 1.100 … 1.100 | ≤ 1.02 |"
    assert row + " **not met** |" in page


def test_a_limit_has_units_and_no_ratio(page: str) -> None:
    head = "| null adapter | same | 55.5 ns | 55.5 ns | our worst round | — |"
    assert head + " 55.5 ns … 55.5 ns | ≤ 60.0 ns | met |" in page


def test_settings_stand_in_the_row_and_unequal_ones_with_the_miss(page: str) -> None:
    assert "| cyclonedds, 1024 B, write_batching = true | different |" in page
    assert "beyond the target (the other side has threads = true)" in page


def test_a_miss_says_by_how_much_and_why(page: str) -> None:
    assert f"(`{MISSED}`): 7.8% beyond the target: two clock readings more" in page
    assert UNEXPLAINED in page, "the other miss has no note"


def test_what_is_absent_stays_absent(page: str) -> None:
    assert "| udp, 64 B | same | — | — | sockperf | — | — | ≤ 1.00 | not here |" in page
    assert "not here: apt-get install sockperf" in page
    assert "| turbo | — |" in page
    assert "| sockperf | not here |" in page


def test_failures_are_told(page: str) -> None:
    assert "- round 2, bare loop: fell over" in page


def test_a_note_may_stand_for_several_and_goes_with_the_miss() -> None:
    data = results()
    annotate(data, {"latency/*": "noise", "*/per-sample": "never shown"})
    by_id = {row["id"]: row for row in data["rows"]}
    assert by_id[MISSED]["note"] == "noise"
    assert by_id["null/per-sample"]["note"] is None
    absent = next(row for row in data["rows"] if row["verdict"] == ABSENT)
    assert absent["note"] is None


def test_the_same_results_give_the_same_page() -> None:
    first, second = results(), results()
    for data in (first, second):
        annotate(data, {})
    assert render(first) == render(second)
