"""Background flows: what they missed is reported, by the flow's own evidence."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from planted import Planted, clean, params

from busmark.store import file_stem, polars_schema

FLOW = {
    "name": "video", "writers": ["active"], "readers": ["passive"], "rate_hz": 100.0,
    "arrivals": "constant", "payload": "octet", "size": 64, "qos": {"reliability": "reliable"},
}  # fmt: skip


COMMON: dict[str, Any] = {
    "case": "a", "round": 0, "flow": "video", "participant": "active", "writer": 3, "reader": 4,
    "reader_participant": "passive", "theoretical_per_s": 100.0, "written_per_s": 100.0,
    "sent": 200, "lost": 0, "duplicated": 0, "out_of_order": 0, "ancient": 0,
}  # fmt: skip


def write(campaign: Planted, rows: list[dict[str, Any]]) -> Planted:
    """Write the table `flows` of the first round."""
    found = [{**COMMON, **row} for row in rows]
    for row in found:
        row["expected"] = row["sent"]
        row["received"] = row["sent"] - row["lost"]
    schema = {name: kind for name, kind in polars_schema("flows").items() if name in found[0]}
    (campaign.directory / "flows").mkdir()
    path = campaign.directory / "flows" / f"{file_stem('a', 0)}.parquet"
    pl.DataFrame(found, schema=schema).write_parquet(path)
    return campaign


def with_flow(campaign: Planted, rows: list[dict[str, Any]], **changes: Any) -> Planted:
    """Plant one round with this flow in the background and these rows of the table `flows`."""
    asked = {**params("cyclonedds"), "flows": [{**FLOW, **changes}], "participants": []}
    campaign.case("a", clean(1, rounds=1), asked)
    return write(campaign, rows)


def test_a_flow_that_ran_as_asked_is_no_finding(campaign: Planted) -> None:
    assert with_flow(campaign, [{}, {"reader": 5}]).findings_of("background-missed") == []


def test_a_rate_that_was_not_reached_is(campaign: Planted) -> None:
    slow = {"writer": 8, "written_per_s": 50.0, "sent": 100}
    (finding,) = with_flow(campaign, [{}, slow]).findings_of("background-missed")
    assert finding.severity == "warning"
    assert "flow video: 50.0 of 100 samples/s written (50 %)" in finding.evidence


def test_pings_that_ended_for_want_of_rows_are_reported(campaign: Planted) -> None:
    closed = {"theoretical_per_s": None, "ended": "recorder_full"}
    (finding,) = with_flow(campaign, [closed], kind="pings", rate_hz=0.0).findings_of(
        "background-missed"
    )
    assert finding.severity == "warning" and "ended early" in finding.title
    assert "flow video: in 1 of 1 round" in finding.evidence


def test_a_poisson_flow_may_fall_short_by_chance(campaign: Planted) -> None:
    # 16 where 20 are expected, in a second: less than one standard deviation.
    few = {"theoretical_per_s": 20.0, "written_per_s": 16.0, "sent": 16}
    assert with_flow(campaign, [few], arrivals="poisson").findings_of("background-missed") == []


@pytest.mark.parametrize(
    ("reliability", "severity"), [("reliable", "warning"), ("best_effort", "note")]
)
def test_what_it_lost_is_reported(campaign: Planted, reliability: str, severity: str) -> None:
    rows = [{"lost": 3}, {"reader": 5, "lost": 1}]
    (finding,) = with_flow(campaign, rows, qos={"reliability": reliability}).findings_of(
        "background-missed"
    )
    assert finding.severity == severity
    assert "flow video: 4 of 400 samples lost (1" in finding.evidence


def test_the_stream_of_the_matrix_is_one_too(campaign: Planted) -> None:
    campaign.case("a", clean(1, rounds=1), params("cyclonedds", stream_hz=100.0))
    row = {"flow": "stream", "sent": 100, "lost": 7, "written_per_s": 99.0}
    write(campaign, [row, {"flow": "pings", "sent": 100, "lost": 9}])
    (finding,) = campaign.findings_of("background-missed")
    assert "flow stream: 7 of 100 samples lost" in finding.evidence
