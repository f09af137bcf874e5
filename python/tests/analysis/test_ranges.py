"""No figure and no limit of an interval lies outside what the quantity can be."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from seams import Estimates, document, done
from synthetic_campaign import Builder

from busmark.model.quantities import LATENCIES, OF_CASES
from busmark.stats import CHANGE, DIFFERENCE, POSITIVE, SHARE, SIGNED, Range

BODY, HEADER = 256, 64

OF_QUANTITIES = {
    **{one.quantity or one.key: one.within for one in OF_CASES},
    **{of.key: of.within for of in LATENCIES},
    "wire_bytes_per_sample": Range(BODY + HEADER, np.inf),
    "wire_overhead_share": SHARE,
}

OF_STATISTICS = {
    "drift": CHANGE, "skewness": SIGNED, "kurtosis": SIGNED, "loss": SHARE, "mode_1_share": SHARE,
    "mode_2_share": SHARE, "valley_ratio": SHARE,
}  # fmt: skip

BEFORE_THE_OTHER = ("segment", "route_apart", "offset", "drift")
"""May be negative: the later stamp may be taken first, a clock may be behind."""


def range_of(row: dict[str, Any]) -> Range:
    """Return what an estimate can be."""
    if found := OF_STATISTICS.get(row["statistic"]):
        return found
    if row["scope"] == "case" and row["quantity"] in OF_QUANTITIES:
        return OF_QUANTITIES[row["quantity"]]
    return SIGNED if row["quantity"] in BEFORE_THE_OTHER else POSITIVE


def outside(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of which a number is impossible."""
    return [
        row
        for row in rows
        for end in ("value", "low", "high")
        if row[end] is not None and not range_of(row).holds(row[end])
    ]


# Rounds that differ as much as rounds can: an interval about their middle is long.
FAR = st.sampled_from([1.0, 1.02, 3.0, 40.0, 1000.0])
ROUNDS = st.lists(
    st.fixed_dictionaries(
        {
            "slow": FAR,
            "later": FAR,
            "wire": FAR,
            "control": st.floats(0.0, 1.0),
            "repeated": st.floats(0.0, 1.0),
            "lost": st.floats(0.0, 1.0),
        }
    ),
    min_size=2,
    max_size=4,
)


def campaign(folder: Path, rounds: list[dict[str, float]]) -> Path:
    """Write a latency case and a stream whose rounds differ, of two adapters."""
    build = Builder(folder)
    for adapter in ("udp", "tcp"):
        pings = build.case(f"{adapter}-pings", size=BODY, adapter=adapter)
        stream = build.case(f"{adapter}-stream", size=BODY, adapter=adapter, test="throughput")
        for number, of in enumerate(rounds if adapter == "udp" else rounds[::-1]):
            rng = np.random.default_rng(number)
            each = round(300 * (BODY + HEADER) * of["wire"])
            wire = {
                "wire_samples": 300, "wire_packets": 300, "wire_bytes": each,
                "wire_control_bytes": int(each * of["control"]),
                "wire_repeated_bytes": int(each * of["repeated"]),
                "wire_discovery_bytes": each, "wire_discovery_packets": 9,
            }  # fmt: skip
            latency = 10_000 * of["slow"] * rng.lognormal(0.0, 0.1, 300)
            latency[200:] *= of["later"]
            build.pings(pings, number, latency, lost=int(140 * of["lost"]), **wire)
            lost = int(50_000 * of["lost"])
            build.stream(stream, number, 1000.0 * of["slow"], BODY, lost, probes=300, **wire)
            build.system(stream, number)
    return build.finish()


@settings(max_examples=12, deadline=None)
@given(ROUNDS)
def test_every_figure_and_every_limit_is_possible(rounds: list[dict[str, float]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = campaign(Path(folder) / "r", rounds)
        found = Estimates(result).frame.to_dicts()
        compared = document("compare", result, "--by", "adapter", "--baseline", "udp")
    assert {"ipdv", "jitter", "wire_overhead_share", "loss"} <= {row["quantity"] for row in found}
    assert not (wrong := outside(found)), wrong
    for pair in compared.pairs:
        for one in pair.changes:
            if one.change:
                within = POSITIVE if one.kind == "ratio" else DIFFERENCE
                ends = (one.change.value, one.change.low, one.change.high)
                assert all(within.holds(end) for end in ends if end is not None), one


def test_the_ipdv_has_its_sign_and_jitter_is_its_magnitude(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp")
    for number in range(2):
        build.pings(case, number, np.resize([20_000, 180_000, 40_000], 300))
    found = Estimates(build.finish())
    extremes = [
        [found.value(quantity, end, over="samples") for end in ("min", "max")]
        for quantity in ("ipdv", "jitter")
    ]
    assert extremes == [[-70_000, 80_000], [10_000, 80_000]]
    # Charts of jitter, and their labels, are of what has a sign.
    done("report", tmp_path, "--to", "gnuplot", "--out", tmp_path / "out")
    (labels,) = (tmp_path / "out").rglob("*.stats")
    jitter = labels.read_text(encoding="utf-8").partition("jitter_stats")[2]
    assert "minimum −70" in jitter and "maximum 80" in jitter
    (data,) = (tmp_path / "out").rglob("latency.*.gpd")
    drawn = [line for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert any(line.startswith("-") for line in drawn)
    text = done("show", f"{tmp_path}#udp")
    assert "IPDV of RTT/2" in text
