"""Every run looks at one in a thousand bodies, without being asked to."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, assert_intact, need_adapters, scenario

MATRIX = (
    "test = 'throughput'\nadapter = 'reference'\ntransport = 'pipe'\nsize = 64\n"
    "placement = 'free'\nqos.reliability = 'reliable'\n"
)


@pytest.mark.parametrize(("option", "damaged"), [("", False), ("corrupt = 0.9", True)])
def test_damaged_bodies_are_seen_without_verify(lab: Lab, option: str, damaged: bool) -> None:
    need_adapters("reference")
    options = f"option.reference.{option}\n" if option else ""
    text = scenario(
        MATRIX + options,
        measure="duration_s = 60\nwarmup_s = 0\nsamples = 30000\nprobe_every = 0",
        rounds="min = 1",
    )
    out = lab.folder / "result"
    ended = lab.busmark("run", lab.scenario(text), "--out", out)
    assert ended.code == 0, ended.text
    (row,) = assert_intact(out).cases.to_dicts()
    # Some thirty of 30,000 are looked at.
    if damaged:
        assert 1 <= row["corrupted"] <= 200
    else:
        assert row["corrupted"] == 0
