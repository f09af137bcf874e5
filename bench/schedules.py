"""How soon an interval is narrow: the run's own choice of lengths against a fixed schedule.

Simulated on recorded rounds: a campaign is rounds drawn with replacement, and a round that measures
for some time is the beginning of a longer one that was recorded. What it takes besides is as it was
recorded. So a schedule is tried hundreds of times on what real rounds differ by, at no cost.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from busmark.control.lengths import next_length
from busmark.control.precision import figures, spread
from busmark.scenario import Scenario
from busmark.store import Case, Result
from busmark.store.samples import RoundLatencies, latencies, measured

PACKS = {
    "middlemeasure-2010/quick": (
        "*-latency-tcp-octet-1024B-*",
        "*-latency-udp-unicast-octet-1024B-*",
        "*-latency-omniorb-tcp-octet-1024B-*",
        "*-latency-fastdds-tcp-octet-1024B-*-keeplast",
        "*-latency-cyclonedds-udp-octet-1024B-*",
    ),
    "perftest-2023/quick": (
        "*-latency-cyclonedds-udp-64B",
        "*-latency-cyclonedds-udp-16384B",
        "*-latency-fastdds-udp-64B",
    ),
}
"""Cases of the quick packs that are recorded."""
SETTINGS = ("measure.duration_s=1.0", "measure.system_interval_s=0", "rounds.min=40")

TARGET = 0.02
FIXED_ROUNDS, FIXED_SAMPLES = 20, 2000
FEWEST_RECORDED = 20
FEWEST, MOST = 5, 200
"""Rounds of a campaign whose lengths are chosen; the first is the scenario's default."""
REPEATS = 100
REPEATS_LONG = 25
"""Repeats of campaigns until `TARGET`, which take many rounds."""
WIDEST = 0.99
"""Target that a scenario may ask for."""
BEGINNING_S = 0.1
"""Beginning of a round: what short rounds measure."""
SELDOM = 20
"""Rounds beyond which several are drawn before it is looked at them again."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
Row = dict[str, Any]


@dataclass
class Recorded:
    """A recorded round."""

    latencies_ns: Floats
    """Latencies in the order of sending, ns."""
    times_s: Floats
    """When each came back, since the first was sent."""
    warmup_s: float
    overhead_s: float
    _cut: dict[int, Row] = field(default_factory=dict)

    def cut(self, count: int, measured_s: float) -> Row:
        """Return the row of a round that ended after this many samples."""
        if count not in self._cut:
            self._cut[count] = figures("median", RoundLatencies(self.latencies_ns[:count]), None)
        return {
            "status": "ok",
            "samples": count,
            "received": count,
            "measured_s": measured_s,
            "warmup_s": self.warmup_s,
            "overhead_s": self.overhead_s,
            "failed_s": None,
            "attempt": 0,
            **self._cut[count],
        }

    def of_samples(self, count: int) -> Row:
        """Return the row of a round that ended after this many samples, at most those recorded."""
        count = min(count, self.times_s.size)
        return self.cut(count, float(self.times_s[count - 1]))

    def of_seconds(self, seconds: float) -> Row:
        """Return the row of a round that ended after this time, at most the recorded time."""
        count = int(np.searchsorted(self.times_s, seconds))
        return self.cut(max(count, 1), min(seconds, float(self.times_s[-1])))


@dataclass(frozen=True)
class Campaign:
    """Result of a simulated campaign."""

    rounds: int
    seconds: float
    width: float
    """Half-width of the interval, as a share of the median."""
    holds: bool
    """Whether its interval holds what is true of the case: of its recorded rounds as a whole."""
    holds_its_length: bool
    """Whether it holds what is true of rounds as long as its own."""


@dataclass(frozen=True)
class Recording:
    """Recorded rounds of one case."""

    case: Case
    rounds: list[Recorded]
    truth: float
    """The median over all rounds of the median of each."""
    _true: dict[float, float] = field(default_factory=dict, compare=False)

    @classmethod
    def from_rounds(cls, case: Case, rounds: list[Recorded]) -> Recording:
        """Make a recording, with the truth of its whole rounds."""
        return cls(case, rounds, float(np.median([np.median(r.latencies_ns) for r in rounds])))

    def true_after(self, seconds: float) -> float:
        """Return the truth for rounds that end after this time."""
        # To two digits, which no median of rounds hangs on.
        seconds = float(f"{seconds:.2g}")
        if seconds in self._true:
            return self._true[seconds]
        counts = [max(int(np.searchsorted(r.times_s, seconds)), 1) for r in self.rounds]
        medians = [
            np.median(one.latencies_ns[:count])
            for one, count in zip(self.rounds, counts, strict=True)
        ]
        self._true[seconds] = float(np.median(medians))
        return self._true[seconds]

    def ended(self, rows: Sequence[Row]) -> Campaign:
        """Return the result of a campaign of these rounds."""
        level = spread(rows)
        assert level is not None
        of_its_length = self.true_after(statistics.median_low(row["measured_s"] for row in rows))
        parts = ("warmup_s", "measured_s", "overhead_s")
        return Campaign(
            len(rows),
            sum(row[part] for row in rows for part in parts),
            level.relative_half_width() or 0.0,
            abs(level.value - self.truth) <= level.half,
            abs(level.value - of_its_length) <= level.half,
        )

    def fixed(self, rng: np.random.Generator) -> Campaign:
        """Simulate a campaign of 20 rounds of 2,000 samples."""
        drawn = rng.integers(0, len(self.rounds), FIXED_ROUNDS)
        return self.ended([self.rounds[n].of_samples(FIXED_SAMPLES) for n in drawn])

    def added(self, rng: np.random.Generator, target: float) -> Campaign:
        """Add rounds of 2,000 samples until the interval is as narrow as the target."""
        rows: list[Row] = []
        while True:
            rows.append(self.rounds[rng.integers(0, len(self.rounds))].of_samples(FIXED_SAMPLES))
            level = spread(rows) if len(rows) >= FEWEST else None
            if (level and level.suffices(target)) or len(rows) >= MOST:
                return self.ended(rows)

    def chosen(self, rng: np.random.Generator, target: float) -> Campaign:
        """Add rounds as `measure.duration_s = "auto"` chooses, until as narrow as the target."""
        asked = Scenario.model_validate(
            {
                "name": "x",
                "matrix": {"adapter": self.case.params.adapter},
                "rounds": {"min": FEWEST, "max": MOST, "target": target},
            }
        )
        rows: list[Row] = []
        seconds, look = 0.0, 0
        while True:
            if len(rows) >= look:
                # With many rounds one more shows little, and would cost the simulation its time.
                look = len(rows) + 1 + len(rows) // SELDOM
                seconds = next_length(self.case, rows, asked).seconds
            row = self.rounds[rng.integers(0, len(self.rounds))].of_seconds(seconds)
            rows.append({**row, "round": len(rows), "chosen_s": seconds})
            if len(rows) >= FEWEST and len(rows) >= look:
                level = spread(rows)
                assert level is not None
                if level.suffices(target) or len(rows) >= MOST:
                    return self.ended(rows)


def recordings(results: Iterable[Result]) -> list[Recording]:
    """Return the recordings of the latency cases with rounds enough to draw from."""
    found = []
    for result in results:
        for case in result.manifest.cases:
            rows = [
                row
                for row in result.cases.to_dicts()
                if row["case"] == case.id and row["status"] == "ok" and row["statistic_value"]
            ]
            if len(rows) >= FEWEST_RECORDED and case.params.test == "latency":
                rounds = [read_round(result, row) for row in rows]
                found.append(Recording.from_rounds(case, rounds))
    return found


def read_round(result: Result, row: Row) -> Recorded:
    """Read the samples of a recorded round."""
    samples = measured(result.samples(row["case"], row["round"]), "pinger")
    back = samples.drop_nulls("read_ns").sort("intended_ns", maintain_order=True)
    times = (back["read_ns"] - back["intended_ns"][0]).to_numpy() / 1e9
    return Recorded(latencies(back), times, row["warmup_s"], row["overhead_s"])


def schedules(cases: Sequence[Recording]) -> Iterator[tuple[str, ...]]:
    """Yield the time and coverage of chosen lengths, against 20 rounds of 2,000 samples."""
    rng = np.random.default_rng(1)
    yield (
        "",
        "20 rounds of 2,000 samples",
        "such, until as narrow",
        "chosen, until as narrow",
        "chosen, until ±2 %",
    )
    if not cases:
        yield f"no case has {FEWEST_RECORDED} rounds", *("—" for _ in range(4))
        return
    columns: list[list[list[Campaign]]] = [[], [], [], []]
    for case in cases:
        fixed = [case.fixed(rng) for _ in range(REPEATS)]
        width = min(statistics.median(campaign.width for campaign in fixed), WIDEST)
        columns[0].append(fixed)
        columns[1].append([case.added(rng, width) for _ in range(REPEATS)])
        columns[2].append([case.chosen(rng, width) for _ in range(REPEATS)])
        columns[3].append([case.chosen(rng, TARGET) for _ in range(REPEATS_LONG)])
    times = [[statistics.fmean(c.seconds for c in own) for own in column] for column in columns]
    everyone = [[campaign for own in column for campaign in own] for column in columns]
    yield "rounds, median", *(f"{statistics.median(c.rounds for c in all_)}" for all_ in everyone)
    yield (
        "half-width, median",
        *(f"±{statistics.median(c.width for c in all_):.1%}" for all_ in everyone),
    )
    yield f"time of {len(cases)} cases, s", *(f"{sum(own):.0f}" for own in times)
    yield (
        "time, share of the fixed schedule's",
        *(f"{sum(own) / sum(times[0]):.2f}" for own in times),
    )
    yield (
        "the same of each case",
        "1",
        *(
            f"{min(shares):.2f} to {max(shares):.2f}"
            for own in times[1:]
            if (shares := [mine / fixed for mine, fixed in zip(own, times[0], strict=True)])
        ),
    )
    yield (
        "intervals that hold the median of all rounds",
        *(f"{statistics.fmean(c.holds for c in all_):.1%}" for all_ in everyone),
    )
    yield (
        "intervals that hold the median of rounds of that length",
        *(f"{statistics.fmean(c.holds_its_length for c in all_):.1%}" for all_ in everyone),
    )


def by_case(cases: Sequence[Recording]) -> Iterator[tuple[str, ...]]:
    """Yield the variation of each case's recorded rounds: why a schedule is better or not."""
    yield (
        "case",
        "rounds differ by",
        "2,000 samples leave",
        "a round takes besides, s",
        f"first {BEGINNING_S} s against the whole round",
    )
    for case in cases:
        rows = [each.of_samples(FIXED_SAMPLES) for each in case.rounds]
        level = spread(rows)
        assert level is not None
        inside = statistics.median(row["statistic_variance"] for row in rows) ** 0.5
        besides = statistics.median(r.warmup_s + r.overhead_s for r in case.rounds)
        total = level.half_width() / (1.96 * 1.2533) * len(rows) ** 0.5
        yield (
            case.case.id.partition("-")[2],
            f"{total / level.value:.1%}",
            f"{inside / level.value:.2%}",
            f"{besides:.2f}",
            f"{case.true_after(BEGINNING_S) / case.truth - 1:+.1%}",
        )
