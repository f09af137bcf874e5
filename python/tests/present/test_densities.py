"""Density charts: the body of a distribution fills them, however far its tail reaches."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from seams import done
from synthetic_campaign import Builder

COUNT = 4000
ENDS = re.compile(r"set xrange \[(.+):(.+)\]")


def in_one_line(script: str) -> str:
    """Return a script whose texts are not broken into lines."""
    return script.replace("""'."\\n".'""", " ")


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """Write the charts of a case of which 2 % of the samples are a hundred times slower."""
    folder = tmp_path_factory.mktemp("densities")
    build, rng = Builder(folder / "result"), np.random.default_rng(5)
    case = build.case("udp")
    rounds = []
    for number in range(2):
        own = rng.normal(40_000, 2_000, COUNT)
        own[::50] *= 100
        build.pings(case, number, own)
        rounds.append(own)
    done("report", build.finish(), "--to", "gnuplot", "--out", folder)
    return folder / "gnuplot", np.concatenate(rounds) / 2000


def test_the_body_of_a_heavy_tailed_latency_fills_the_axis_and_the_rest_is_stated(
    charts: tuple[Path, np.ndarray],
) -> None:
    folder, latency = charts
    script = (folder / "scripts" / "latency-density.same.64B.gpi").read_text(encoding="utf-8")
    low, high = map(float, ENDS.findall(script)[0])
    p5, p95 = np.percentile(latency, [5, 95])
    assert low < p5 < p95 < high and p95 - p5 >= 0.6 * (high - low)
    stated = re.search("beyond it are about ([0-9.]+) % of the samples", in_one_line(script))
    beyond = 100 * np.mean((latency < low) | (latency > high))
    assert stated and float(stated[1]) == pytest.approx(beyond, abs=0.5)
    data = (folder / "data" / "latency-density.same.64B.gpd").read_text(encoding="utf-8")
    places = [float(line.split()[0]) for line in data.splitlines() if line and line[0] != "#"]
    assert low <= min(places) and max(places) <= high


def test_the_body_of_jitter_fills_the_axis(charts: tuple[Path, np.ndarray]) -> None:
    script = (charts[0] / "scripts" / "jitter-density.same.64B.gpi").read_text(encoding="utf-8")
    low, high = map(float, ENDS.findall(script)[0])
    assert high - low < 30, "µs; the largest jitter is 2000"
    assert "beyond it are" in in_one_line(script)
