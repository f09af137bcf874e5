"""A criterion of `--fail-if`: what fails, of a candidate against its baseline.

`p99(latency) > 1.05x` is missed where the 99th percentile is shown to have grown by more than 5 %.
The grammar is in `model.limits`. A number without a unit is a ratio, candidate over baseline; with
a unit it is a limit for the candidate alone: `p99(latency) > 200us`. A limit on a share of samples,
such as `loss > 0.1%`, is one on the difference of both sides' shares. `where size=64` names the
cases of the baseline that it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from busmark.compare.measured import compared_name, series_of
from busmark.model import limits
from busmark.model.limits import Subject


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion of the gate, missed where its subject is shown to be beyond `limit`."""

    text: str
    """The criterion as it was written."""
    subject: Subject
    above: bool
    """Whether greater values fail; otherwise smaller ones."""
    limit: float
    """A ratio, or a difference of shares; where `absolute`, in the unit of the subject."""
    absolute: bool = False
    """Whether it is a limit for the candidate alone."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the baseline's cases that it is for."""

    @classmethod
    def parse(cls, text: str) -> Criterion:
        """Return the criterion that the text states.

        Raises:
            UserError: it states none; says where, and what is near.
        """
        text = text.strip()
        found = limits.parse(text, "--fail-if", baseline=True)
        absolute = not found.is_ratio and not found.subject.is_share_of_samples
        return cls(text, found.subject, not found.at_most, found.value, absolute, found.where)

    def __str__(self) -> str:
        """Return it with its statistic and unit, as `parse` reads it: `p99(latency) > 1.05 ×`."""
        number = limits.amount(self.subject, self.limit, bare=False)
        if not self.absolute:
            number = f"+{number}" if self.limit > 0.0 else number
            if not self.subject.is_share_of_samples:
                number = f"{self.limit:.{limits.DIGITS}g} ×"
        where = f" where {limits.conditions_text(self.where)}" if self.where else ""
        return f"{self.figure} {'>' if self.above else '<'} {number}{where}"

    @property
    def figure(self) -> str:
        """The figure in question, with its statistic."""
        return str(self.subject)

    @property
    def unit(self) -> str:
        """Unit of an absolute limit."""
        return self.subject.unit

    @property
    def percent(self) -> float | None:
        """The percentile of a latency, which is decided by how many samples exceed the limit."""
        return self.subject.percent

    def limit_of(self, test: str) -> float:
        """Return the limit for the figure that `names` gives."""
        found = series_of(self.subject.quantity, test) if self.absolute else None
        return self.limit / found.factor if found else self.limit

    def names(self, test: str) -> str:
        """Return the figure as a case of this test has it: RTT and RTT/2 have one ratio, and so
        have samples and bits."""
        return compared_name(self.subject, test, absolute=self.absolute)
