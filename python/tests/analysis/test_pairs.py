"""What the two parties of a test tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import summarise
from synthetic_campaign import Builder

from busmark.present.blocks.tests import pairs
from busmark.store import Result


def test_the_rate_of_pings_is_not_that_of_the_stream_beside_them(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for size in (64, 1024):
        case = build.case(f"udp-{size}", size=size, stream_hz=50_000.0)
        for number in range(2):
            build.pings(case, number, np.full(1000, 9000.0))
            build.rows[-1] |= {"received": 1000, "samples_per_s": 50_000.0, "measured_s": 2.0}
    (pair,) = pairs(summarise(Result(build.finish())))
    told = [row.subscriber for row in pair.rows]
    assert [each and each.samples_per_s for each in told] == [500.0, 500.0]
    assert [each and each.mbit_per_s for each in told] == pytest.approx([0.256, 4.096])
