"""Discovery as rounds tell it: by events, or as what was asked for lets it be known."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

MEASURE = "duration_s = 0.05\nwarmup_s = 0.01"


def found(lab: Lab, adapter: str) -> tuple[float | None, float | None]:
    """Discovery of one round, and its resolution."""
    need_adapters(adapter)
    lab.scenario(scenario(f'adapter = "{adapter}"', measure=MEASURE, rounds="min = 1",
                          criteria="min_samples = 1"))  # fmt: skip
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    (row,) = rows(lab.folder / "result")
    return row["discovery_s"], row["discovery_resolution_s"]


@pytest.mark.parametrize("adapter", ["cyclonedds"])
def test_the_middlewares_events_resolve_it(lab: Lab, adapter: str) -> None:
    discovery_s, resolution_s = found(lab, adapter)
    assert resolution_s == 0, "an event has no width"
    assert discovery_s is None or discovery_s > 0


def test_what_the_first_question_finds_is_an_upper_limit(lab: Lab) -> None:
    discovery_s, resolution_s = found(lab, "null")
    assert discovery_s is None, "the time that a question takes is no discovery"
    assert resolution_s is not None and resolution_s > 0
