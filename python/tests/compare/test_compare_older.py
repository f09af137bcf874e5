"""Results of a Busmark that knew fewer parameters, and imported ones, which do not state them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compare_results import campaign, compared

from busmark.errors import UserError

NEUTRAL = {
    "topics": 1, "subscribers": 1, "topology": "one_way", "link_rate": None, "load": "",
    "batch": None, "verify": False, "fifo": 0, "timeout_s": 1.0, "deployment": "one",
}  # fmt: skip

OTHER = [
    {"link_rate": "10mbit"}, {"link_loss": "5%"}, {"load": "cpu 80%"}, {"subscribers": 4},
    {"batch": 1}, {"stream_hz": 1.0}, {"verify": True}, {"timeout_s": 2.0},
    {"topology": "bidirectional"},
]  # fmt: skip


def test_what_an_older_busmark_could_not_say_is_taken_for_the_default(
    tmp_path: Path, place: Path
) -> None:
    campaign(tmp_path / "newer", seed=8, cases=[{"adapter": "udp", **NEUTRAL}])
    for sides in ((place / "base", tmp_path / "newer"), (tmp_path / "newer", place / "base")):
        (pair,) = compared(*sides).pairs
        assert pair.differs == {}
    one, other = f"{place}/base#udp-64-same", f"{tmp_path}/newer#udp-64-same"
    assert compared(one, other).pairs[0].differs == {}


@pytest.mark.parametrize("params", OTHER, ids=lambda params: str(*params))
def test_what_it_could_not_run_is_another_experiment(
    tmp_path: Path, place: Path, params: dict[str, Any]
) -> None:
    (name,) = params
    newer = campaign(tmp_path / "newer", seed=8, cases=[{"adapter": "udp", **NEUTRAL, **params}])
    for sides in ((place / "base", newer), (newer, place / "base")):
        with pytest.raises(UserError, match=f"differ in {name} ") as refused:
            compared(*sides)
        assert refused.value.remedy.startswith(f"If that is what you compare: --by {name}.")
    assert len(compared(place / "base", newer, by=[name]).pairs) == 1


def test_what_is_not_stated_of_how_long_was_measured_differs_from_nothing(
    tmp_path: Path, place: Path
) -> None:
    silent = campaign(tmp_path / "silent", seed=8, cases=[{"adapter": "udp"}])
    manifest = silent / "manifest.json"
    document = json.loads(manifest.read_text())
    asked = document["cases"][0]["params"]
    assert asked["warmup_s"] and place
    del asked["warmup_s"]
    manifest.write_text(json.dumps(document))
    lines = [each.fact for each in compared(place / "base", silent).differences]
    assert "warmup" not in lines
    asked["warmup_s"] = 7.0
    manifest.write_text(json.dumps(document))
    lines = [each.fact for each in compared(place / "base", silent).differences]
    assert "warmup" in lines
