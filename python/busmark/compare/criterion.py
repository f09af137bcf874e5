"""A criterion of `--fail-if`: its grammar, and the errors in it.

    criterion := figure operator number
    figure    := statistic "." quantity | "loss" | "discovery"
    operator  := ">" | ">=" | "<" | "<="

`p99.latency > 1.05` fails where the 99th percentile is shown to have grown by more than 5 %. The
number is a ratio, candidate over baseline; for `loss` it is a difference of shares, of which 0.1 %
may be written as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from busmark.analysis.catalogue import COMPARED
from busmark.analysis.pairwise.measured import LATENCIES, STATISTICS
from busmark.analysis.words.text import joined
from busmark.errors import UserError, nearest

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

PARTS = re.compile(r"(?P<figure>[^<>=!]*)(?P<operator>[<>=!]*)(?P<number>.*)", re.DOTALL)

OPERATORS = (">", ">=", "<", "<=")

_SHOWN = joined(OPERATORS)


@dataclass(frozen=True, slots=True)
class Criterion:
    """Fails where `figure` is shown to be beyond `limit`."""

    text: str
    figure: str
    above: bool
    """Whether greater values fail; otherwise smaller ones."""
    limit: float

    @classmethod
    def parse(cls, text: str) -> Criterion:
        """The criterion that the text states.

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
        limit = _number(text, parts, figure)
        return cls(text, figure, operator.startswith(">"), limit)

    def names(self, test: str) -> str:
        """The figure as a case of this test has it: RTT and RTT/2 have one ratio, and so have
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
        told = joined([f"{name}.{quantity}" for quantity in LATENCIES], "or")
        raise _error(text, column, f"{name} of what?", f"Write {told}.")
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


def _number(text: str, parts: re.Match[str], figure: str) -> float:
    part = parts["number"]
    column = parts.start("number") + len(part) - len(part.lstrip()) + 1
    shown = part.strip()
    if not shown:
        raise _error(text, column, "a number is missing", "End with one, such as 1.05.")
    percent = shown.endswith("%")
    try:
        value = float(shown.removesuffix("%"))
    except ValueError:
        raise _error(text, column, f"{shown!r} is not a number", "Such as 1.05.") from None
    if figure == "loss":
        value = value / 100 if percent else value
        if not -1.0 <= value <= 1.0:
            told = "It is a difference of shares of samples, -1 to 1."
            raise _error(text, column, f"{shown} is no such difference", told)
        return value
    if percent:
        told = "Write 1.05 for 5 % more, 0.95 for 5 % less."
        raise _error(text, column, "a ratio is not a percentage", told)
    if not 0.0 < value < float("inf"):
        raise _error(text, column, f"{shown} is no ratio", "It is above 0; 1 is no change.")
    return value


def _near(name: str, known: tuple[str, ...]) -> str:
    return nearest(name, known, f"There are {joined(known)}.", most=3)


def _error(text: str, column: int, what: str, remedy: str) -> UserError:
    return UserError(what, where=f"--fail-if {text!r}, column {column}", remedy=remedy)
