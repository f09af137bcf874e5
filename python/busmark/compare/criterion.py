"""A criterion of `--fail-if`: its grammar, and the errors in it.

    criterion := figure operator number [unit]
    figure    := statistic "." quantity | "loss" | "discovery"
    operator  := ">" | ">=" | "<" | "<="

`p99.latency > 1.05` is missed where the 99th percentile is shown to have grown by more than 5 %.
Without a unit the number is a ratio, candidate over baseline, and may end in "x"; with one it is a
limit for the candidate alone: `p99.latency > 200us`. For `loss` it is a difference of shares, of
which 0.1 % may be written as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from busmark.compare.measured import LATENCIES, STATISTICS
from busmark.errors import UserError, nearest
from busmark.model.quantities import COMPARED
from busmark.model.text import joined

STREAM = tuple(n.removesuffix(".throughput") for n in COMPARED if n.endswith(".throughput"))
THROUGHPUTS = (*STREAM, "samples_per_s")
ALONE = tuple(name for name in COMPARED if not name.endswith(".throughput"))
QUANTITIES = (*LATENCIES, "throughput", *ALONE)

FIGURES = (
    *(f"{statistic}.{quantity}" for quantity in LATENCIES for statistic in STATISTICS),
    *(f"{statistic}.throughput" for statistic in THROUGHPUTS),
    *ALONE,
)
"""All that a criterion can be about."""

TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
RATES = {"kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3}
"""Units of absolute limits, with their size in the unit of the figures."""

ABSOLUTE = {
    **dict.fromkeys(
        (*LATENCIES, "discovery", "creation", "own_match", "peer_match", "first_sample"), TIMES
    ),
    "throughput": RATES,
}
"""By quantity. What is absent has no absolute limits."""

MOST_RATIO = 100.0
"""A number without a unit from here on is more likely a limit that lacks one than a ratio."""

PARTS = re.compile(r"(?P<figure>[^<>=!]*)(?P<operator>[<>=!]*)(?P<number>.*)", re.DOTALL)

OPERATORS = (">", ">=", "<", "<=")

_SHOWN = joined(OPERATORS)


@dataclass(frozen=True, slots=True)
class Criterion:
    """Missed where `figure` is shown to be beyond `limit`."""

    text: str
    figure: str
    above: bool
    """Whether greater values fail; otherwise smaller ones."""
    limit: float
    """A ratio or a difference of shares; where `absolute`, ns or Mbit/s."""
    absolute: bool = False
    """Whether it is a limit for the candidate alone."""

    @classmethod
    def parse(cls, text: str) -> Criterion:
        """Return the criterion that the text states.

        Raises:
            UserError: it states none; says where, and what is near.
        """
        text = text.strip()
        parts = PARTS.fullmatch(text)
        assert parts is not None
        operator = parts["operator"]
        if text and not operator:
            column = len(text.split()[0]) + 1
            raise _error(text, column, "an operator is missing", f"There are {_SHOWN}.")
        figure = _figure(text, parts["figure"])
        if operator not in OPERATORS:
            column = parts.start("operator") + 1
            raise _error(text, column, f"no operator {operator!r}", f"There are {_SHOWN}.")
        limit, absolute = _number(text, parts, figure)
        return cls(text, figure, operator.startswith(">"), limit, absolute)

    @property
    def percent(self) -> float | None:
        """The percentile of a latency, which is decided by how many samples exceed the limit."""
        statistic, _, quantity = self.figure.rpartition(".")
        percent = STATISTICS.get(statistic) if quantity in LATENCIES else None
        return percent if isinstance(percent, float) else None

    def limit_of(self, test: str) -> float:
        """Return the limit for the figure that `names` gives."""
        halved = self.absolute and test == "latency" and self.figure.endswith(".round_trip")
        return self.limit / 2.0 if halved else self.limit

    def names(self, test: str) -> str:
        """Return the figure as a case of this test has it: RTT and RTT/2 have one ratio, and so
        have
        samples and bits."""
        if test == "latency":
            return self.figure.replace(".round_trip", ".latency")
        return self.figure.replace("samples_per_s.", "goodput.")


def _figure(text: str, part: str) -> str:
    column = len(part) - len(part.lstrip()) + 1
    name = part.strip()
    if not name:
        raise _error(text, column, "a figure is missing", "Begin with one, such as median.latency.")
    if name in FIGURES:
        return name
    if name in STATISTICS:
        remedy = joined([f"{name}.{quantity}" for quantity in LATENCIES], "or")
        raise _error(text, column, f"{name} of what?", f"Write {remedy}.")
    if name in LATENCIES:
        raise _error(text, column, f"which figure of {name}?", f"Write for example median.{name}.")
    if name == "throughput" or name in THROUGHPUTS:
        raise _error(text, column, f"no figure {name!r}", "Write goodput.throughput.")
    statistic, dot, quantity = name.rpartition(".")
    if dot and quantity not in QUANTITIES and statistic in (*STATISTICS, *THROUGHPUTS):
        place = column + len(statistic) + 1
        raise _error(text, place, f"no quantity {quantity!r}", _near(quantity, QUANTITIES))
    if dot and quantity in (*LATENCIES, "throughput"):
        known = THROUGHPUTS if quantity == "throughput" else tuple(STATISTICS)
        raise _error(text, column, f"no statistic {statistic!r}", _near(statistic, known))
    raise _error(text, column, f"no figure {name!r}", _near(name, FIGURES))


def _number(text: str, parts: re.Match[str], figure: str) -> tuple[float, bool]:
    """Return the limit, and whether it is absolute."""
    part = parts["number"]
    column = parts.start("number") + len(part) - len(part.lstrip()) + 1
    shown = part.strip()
    if not shown:
        raise _error(text, column, "a number is missing", "End with one, such as 1.05.")
    digits = re.match(r"[-+.0-9]*(?:[eE][-+]?[0-9]+)?|nan|inf", shown)
    assert digits is not None
    number, unit = digits[0] or shown, shown[len(digits[0]) :].strip() if digits[0] else ""
    try:
        value = float(number)
    except ValueError:
        raise _error(text, column, f"{shown!r} is not a number", "Such as 1.05.") from None
    percent = unit == "%"
    if unit and unit not in ("%", "x"):
        return _in_unit(text, column, figure, value, unit), True
    if figure == "loss":
        value = value / 100 if percent else value
        if not -1.0 <= value <= 1.0:
            remedy = "It is a difference of shares of samples, -1 to 1."
            raise _error(text, column, f"{shown} is no such difference", remedy)
        return value, False
    if percent:
        remedy = "Write 1.05 for 5 % more, 0.95 for 5 % less."
        raise _error(text, column, "a ratio is not a percentage", remedy)
    if not 0.0 < value < float("inf"):
        raise _error(text, column, f"{shown} is no ratio", "It is above 0; 1 is no change.")
    units = ABSOLUTE.get(figure.rpartition(".")[2], {})
    if value >= MOST_RATIO and not unit:
        example = "us" if "us" in units else next(iter(units), "")
        absolute = f"Write {shown}{example} for a limit, " if units else "Write "
        remedy = f"{absolute}{shown}x for a ratio to the baseline."
        raise _error(text, column, f"{shown} has no unit", remedy)
    return value, False


def _in_unit(text: str, column: int, figure: str, value: float, unit: str) -> float:
    """Return an absolute limit in the figure's own unit."""
    units = ABSOLUTE.get(figure.rpartition(".")[2], {})
    if figure.startswith("samples_per_s."):
        units = {}
    if not units:
        remedy = (
            "Write a ratio, such as 1.05." if figure != "loss" else "Write a share, such as 0.1%."
        )
        raise _error(text, column, f"{figure} has no absolute limit in {unit}", remedy)
    if unit not in units:
        raise _error(
            text, column, f"no unit {unit!r} for {figure}", f"There is {joined(list(units))}."
        )
    if not 0.0 < value < float("inf"):
        raise _error(text, column, f"{value:g}{unit} is no limit", "It is above 0.")
    return value * units[unit]


def _near(name: str, known: tuple[str, ...]) -> str:
    return nearest(name, known, f"There are {joined(known)}.", most=3)


def _error(text: str, column: int, what: str, remedy: str) -> UserError:
    return UserError(what, where=f"--fail-if {text!r}, column {column}", remedy=remedy)
