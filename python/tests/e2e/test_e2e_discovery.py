"""Discovery as rounds report it: by events, or as what was asked for lets it be known."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, rows, scenario


def test_events_resolve_discovery_and_the_first_question_is_an_upper_limit(lab: Lab) -> None:
    need_adapters("cyclonedds", "null")
    lab.campaign(
        scenario(
            'adapter = ["cyclonedds", "null"]',
            rounds="min = 1",
            measure="duration_s = 0.05\nwarmup_s = 0.01",
        )
    )
    found = {row["adapter"]: row for row in rows(lab.folder / "result")}
    by_events, asked = found["cyclonedds"], found["null"]
    assert by_events["discovery_resolution_s"] == 0, "an event has no width"
    assert by_events["discovery_s"] is None or by_events["discovery_s"] > 0
    assert asked["discovery_s"] is None, "the time that a question takes is no discovery"
    assert asked["discovery_resolution_s"] > 0
