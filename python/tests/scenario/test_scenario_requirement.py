"""Requirements as people write them, and what is wrong with those that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.errors import UserError
from busmark.scenario import Requirement, load


@pytest.mark.parametrize(
    ("text", "quantity", "statistic", "limit", "at_most"),
    [
        ("p99.9(half_round_trip) <= 2ms", "half_round_trip", "p99.9", 2e6, True),
        ("p99(one_way)<300 us", "one_way", "p99", 3e5, True),
        ("round_trip <= 1s", "round_trip", "median", 1e9, True),
        ("mean(latency) ≤ 20µs", "latency", "mean", 2e4, True),
        ("loss <= 0.1%", "loss", "mean", 0.001, True),
        ("loss <= 0", "loss", "mean", 0.0, True),
        ("goodput >= 50k", "read_rate", "median", 5e4, False),
        ("goodput >= 1.5Gbit/s", "goodput", "median", 1500.0, False),
        ("cpu <= 0.5", "cpu", "median", 0.5, True),
        ("memory <= 1GiB", "memory", "max", 1024.0, True),
        ("write_rate > 10kHz", "write_rate", "median", 1e4, False),
        ("duplicated <= 5", "duplicated", "count", 5.0, True),
    ],
)
def test_a_figure_with_its_unit(
    text: str, quantity: str, statistic: str, limit: float, at_most: bool
) -> None:
    found = Requirement.parse(text)
    assert (found.quantity, found.statistic, found.at_most) == (quantity, statistic, at_most)
    assert found.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "share", "later_ns", "allowed"),
    [
        ("late <= 1%", 0.2, 5e6, 0.01),
        ("too_late <= 0", 1.0, 50e6, 0.0),
        ("late(50%, 1ms) <= 0.5%", 0.5, 1e6, 0.005),
        ("later(2ms) <= 100ppm", 0.0, 2e6, 1e-4),
    ],
)
def test_a_share_of_late_samples(text: str, share: float, later_ns: float, allowed: float) -> None:
    found = Requirement.parse(text)
    assert (found.period_share, found.later_ns) == (share, later_ns)
    assert found.limit == pytest.approx(allowed) and found.percent is None


@given(
    percent=st.floats(50.0, 99.9999),
    value=st.floats(1e-3, 1e6),
    unit=st.sampled_from([("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]),
)
def test_any_percentile_and_any_time(percent: float, value: float, unit: tuple[str, float]) -> None:
    text = f"p{percent:.4f}(half_round_trip) <= {value:.6f}{unit[0]}"
    found = Requirement.parse(text)
    assert found.percent == pytest.approx(percent, abs=1e-4)
    assert found.limit == pytest.approx(float(f"{value:.6f}") * unit[1])


def test_conditions_choose_cases() -> None:
    found = Requirement.parse("loss <= 1% where adapter=udp, size = 64, qos.reliability=reliable")
    cases = {
        "a": {"adapter": "udp", "size": 64, "qos.reliability": "reliable"},
        "b": {"adapter": "udp", "size": 640, "qos.reliability": "reliable"},
        "c": {"adapter": "tcp", "size": 64, "qos.reliability": "reliable"},
    }
    assert found.meant(cases) == ["a"]
    everything = Requirement.parse("loss <= 1%")
    assert everything.meant(cases, ["c"]) == ["a", "b"], "the floor is nobody's requirement"
    assert everything.meant({"c": cases["c"]}, ["c"]) == ["c"], "unless there is nothing else"


@pytest.mark.parametrize(
    "text",
    [
        "", "loss", "loss 1%", "loss <= ", "loss <= x", "loss <= 1..2", "loss == 1%",
        "loss <= 0.1", "late <= 1", "loss <= 101%", "loss <= 1.05x", "goodput >= 0.95x",
        "p99 <= 1ms",
        "loss <= 5ms", "p99(loss) <= 1%", "p100(latency) <= 1ms", "px(latency) <= 1ms",
        "p99(half_roundtrip) <= 1ms", "p99(half_round_trip) <= 1", "p99(half_round_trip) <= 64kHz",
        "late(20%) <= 1%", "late(20%, 5) <= 1%", "later() <= 1%", "late <= 5ms",
        "loss <= 1% where adapter", "loss <= 1% where =udp, size=",
    ],
)  # fmt: skip
def test_what_is_none_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(UserError) as caught:
        Requirement.parse(text, "--require")
    assert caught.value.where.startswith("--require") and caught.value.remedy


def test_the_file_says_at_which_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("require") / "s.toml"
    path.write_text('name = "x"\n[matrix]\nadapter = "udp"\n[[require]]\nthat = "los <= 1%"\n')
    with pytest.raises(UserError) as caught:
        load(path)
    assert f"{path}:4: require" in str(caught.value) and "lost" in str(caught.value)
