"""Simulated campaigns with known answers, and what a thousand of each have shown.

Here are few campaigns of each kind, with a tolerance that chance exceeds once in ten thousand runs;
each is seeded, so its outcome is fixed. `tools/truth.py` runs more and records them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools import truth
from tools.pages.coverage import RECORD
from tools.simulate.coverage import FIGURES, RECOMMENDED, SETTINGS, Coverage, coverage
from tools.simulate.laws import LAWS, Law
from tools.simulate.power import NOISES, ROUNDS, SLOWDOWNS, Noise, Power, power

from busmark.stats import share_interval

HELD = [law for law in LAWS if law.holds]
NAMES = {law.name for law in HELD}


def record() -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("law", HELD, ids=lambda law: law.name)
def test_intervals_hold_the_truth_of_few_campaigns(law: Law) -> None:
    for row in coverage(law, 10, 1500, 100, (1, 2)):
        if row.campaigns < 100:
            continue
        limits = share_interval(row.covered, row.campaigns, 0.9999)
        assert limits.low is not None and limits.high is not None
        assert limits.high >= 0.93, f"{row.figure}: {row.covered} of {row.campaigns}"


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
def test_alike_campaigns_are_rarely_told_apart_and_others_are(noise: Noise) -> None:
    for row in power(noise, 10, 200, (3, 4)):
        limits = share_interval(row.differs, row.campaigns, 0.9999)
        assert limits.low is not None
        if row.slowdown == 0.0:
            assert limits.low <= 0.05, f"{row.method}: {row.differs} false alarms"
        if row.slowdown == 0.10 and row.method == "paired_ratio":
            assert row.differs == row.campaigns


def test_at_the_recommended_setting_a_thousand_campaigns_are_covered_as_stated() -> None:
    rows = [Coverage(**row) for row in record()["coverage"]]  # type: ignore[arg-type]
    recommended = [r for r in rows if (r.rounds, r.samples) == RECOMMENDED and r.law in NAMES]
    assert {(r.law, r.figure) for r in recommended} >= {
        (law, figure) for law in NAMES for figure in ("median", "p99")
    }
    for row in recommended:
        if row.figure in ("median", "p99"):
            assert row.campaigns >= 1000
            limits = row.share
            assert limits.low is not None and limits.high is not None
            # 93 to 97 %, as far as a thousand campaigns can tell.
            assert limits.low <= 0.97 and limits.high >= 0.93, f"{row.law}, {row.figure}: {limits}"
            assert 0.925 <= limits.value <= 0.975


def test_recorded_false_alarms_are_as_many_as_the_interval_says() -> None:
    rows = [Power(**row) for row in record()["power"]]  # type: ignore[arg-type]
    for row in rows:
        if row.slowdown == 0.0:
            low = row.share.low
            assert low is not None and low <= 0.05, f"{row.noise}, {row.rounds}, {row.method}"


def test_the_record_is_of_the_laws_and_settings_there_are() -> None:
    found = record()
    laws = {(r["law"], r["rounds"], r["samples"]) for r in found["coverage"]}
    assert laws == {(law.name, *setting) for law in LAWS for setting in SETTINGS}
    kinds = {(r["noise"], r["rounds"], r["slowdown"]) for r in found["power"]}
    assert kinds == {(n.name, rounds, s) for n in NOISES for rounds in ROUNDS for s in SLOWDOWNS}
    assert {r["figure"] for r in found["coverage"]} <= set(FIGURES)


def test_a_seed_gives_the_same_campaigns() -> None:
    work = truth.parts(3, 5)
    assert len(work) == len(LAWS) * len(SETTINGS) + len(NOISES) * len(ROUNDS)
    last = work[-1]
    assert last() == last()
