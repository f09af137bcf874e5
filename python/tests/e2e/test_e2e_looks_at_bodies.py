"""Every run looks at one in a thousand bodies, without being asked to."""

from __future__ import annotations

from e2e_harness import Lab, assert_intact, need_adapters, scenario

MATRIX = """\
test = "throughput"
adapter = "reference"
transport = "pipe"
size = 64
placement = "free"
qos.reliability = "reliable"
option.reference.corrupt = [0, 0.9]
"""


def test_damaged_bodies_are_seen_without_verify(lab: Lab) -> None:
    need_adapters("reference")
    measure = "duration_s = 60\nwarmup_s = 0\nsamples = 30000\nprobe_every = 0"
    out = lab.folder / "result"
    path = lab.scenario(scenario(MATRIX, measure=measure, rounds="min = 1"))
    ended = lab.busmark("run", path, "--out", out)
    assert ended.code == 0, ended.text
    sound, damaged = assert_intact(out).cases.sort("case")["corrupted"]
    # Some thirty of 30,000 are looked at.
    assert sound == 0 and 1 <= damaged <= 200
