"""What was sent, the lost in their places: percentiles take a lost sample as later than any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark import stats
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import FloatArray


@dataclass(frozen=True, slots=True)
class Sent:
    """Rounds in which something came back, and what of them did not."""

    rounds: list[stats.Round]
    """In the place of each lost sample stands the latest of all that came back."""
    back: list[int]
    """Samples that came back, of each round."""
    lost: list[int]

    @classmethod
    def of(cls, rounds: Sequence[tuple[Timed, FloatArray]]) -> Sent | None:
        """Loss, from what came back and from when the rest was to be sent; None if nothing was
        lost, or nothing came back at all."""
        sent = [(timed, gone) for timed, gone in rounds if timed.latency.size + gone.size]
        if not any(gone.size for _, gone in sent):
            return None
        if not any(timed.latency.size for timed, _ in sent):
            return None
        latest = max(float(timed.latency.max()) for timed, _ in sent if timed.latency.size)
        return cls(
            rounds=[
                stats.Round.of(stats.with_lost(timed.start, timed.latency, gone, latest))
                for timed, gone in sent
            ],
            back=[int(timed.latency.size) for timed, _ in sent],
            lost=[int(gone.size) for _, gone in sent],
        )

    @property
    def share(self) -> float:
        """Share of all samples sent that were lost."""
        return sum(self.lost) / (sum(self.back) + sum(self.lost))

    def hides(self, statistic: stats.Statistic) -> bool:
        """Whether in any round the statistic falls among the lost: then it has no mean either."""
        both = zip(self.back, self.lost, strict=True)
        return any(stats.among_lost(statistic, back, lost) for back, lost in both)

    def pooled(self) -> stats.Ordered:
        """All rounds together."""
        return stats.Ordered.merged([each.ordered for each in self.rounds])

    def pooled_hides(self, percent: float) -> bool:
        """Whether a percentile of all rounds together falls among the lost."""
        return bool(stats.among_lost(percent, sum(self.back), sum(self.lost)))
