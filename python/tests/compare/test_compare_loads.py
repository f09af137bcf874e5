"""Background loads that differed between the sides though the same was asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compare_results import Builder, compared, samples_around


def side(directory: Path, seed: int, cpu: float | None, net: float) -> Path:
    build, rng = Builder(directory, seed=seed), np.random.default_rng(seed)
    case = build.case("udp", load="cpu 50% + net 50mbit")
    for number in range(5):
        build.pings(case, number, samples_around(20_000, 300, rng), load_cpu_asked=0.5,
                    load_cpu_achieved=cpu, load_net_asked=5e7, load_net_achieved=net)  # fmt: skip
    return build.finish(cookie=f"{seed:016x}")


@pytest.mark.parametrize(
    ("cpu", "net", "lines"),
    [
        (0.47, 4.9e7, []),
        (None, 4.9e7, []),
        (0.2, 4.9e7, ["background load cpu: 48.0 % of each CPU achieved with the baseline, "
                      "20.0 % of each CPU with {}"]),
    ],
)  # fmt: skip
def test_a_load_that_one_side_did_not_achieve_is_a_remark(
    tmp_path: Path, cpu: float | None, net: float, lines: list[str]
) -> None:
    before = side(tmp_path / "before", 1, 0.48, 5e7)
    (pair,) = compared(before, side(tmp_path / "after", 2, cpu, net)).pairs
    assert pair.remarks == [line.format(pair.candidate) for line in lines]
