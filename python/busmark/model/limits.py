"""Limits on figures: the one grammar of `--require`, `[[require]]` and `--fail-if`.

    limit     := figure operator number [unit] ["where" name "=" value {"," name "=" value}]
    figure    := quantity | statistic "(" quantity ")" | statistic "." quantity | lateness
    lateness  := "later" "(" time ")" | ("late" | "too_late") ["(" share "," time ")"]
    operator  := "<=" | ">=" | "<" | ">"

Quantities and their statistics are rows of `busmark.model.quantities`, units are in
`busmark.model.units`. `p99.9(half_round_trip)` and `p99.9.half_round_trip` are one figure; a
quantity alone is its first statistic. `late` is the share of samples later than max(20 % of the
period, 5 ms), `too_late` than max(the period, 50 ms), and `later(2ms)` than that time. `where`
names the cases that it is for, by the parameters of the baseline in a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, NoReturn

from busmark.errors import UserError, nearest
from busmark.model import units
from busmark.model.quantities import BY_ANY_NAME, LOSS, QUANTITIES, Quantity
from busmark.model.text import joined, set_percent_text

Named = Literal["median", "mean"]


def statistic(text: str) -> Named | float:
    """Return `median`, `mean`, or the number of a percentile such as `p99.9`.

    Raises:
        ValueError: it is none of them.
    """
    if text == "median":
        return "median"
    if text == "mean":
        return "mean"
    try:
        percent = float(text.removeprefix("p")) if text.startswith("p") else 0.0
    except ValueError:
        percent = 0.0
    if not 0.0 < percent < 100.0:
        raise ValueError(f"{text!r} is not median, mean or a percentile such as p99")
    return percent


LATENESS = {"late": (0.2, 5e6), "too_late": (1.0, 50e6)}
"""Share of the period, and time in ns, whichever is more, beyond which a sample is so."""

LATER = "later"


def is_lateness(name: str) -> bool:
    """Return whether a figure of this name is a share of late samples: `later(2 ms)`."""
    return name.partition("(")[0] in (*LATENESS, LATER)


MOST_RATIO = 100.0
"""A number without a unit from here on is more likely a limit that lacks one than a ratio."""

DIGITS = 12
"""Significant digits of a limit, without the last bits of a multiplication."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """The units in which amounts of a quantity are written."""

    kind: str
    """Name of the kind of amount in `units.KINDS`."""
    scale: float
    """Size of the first unit of that kind, in the unit of the quantity."""
    bare: bool
    """Whether a number without a unit is an amount."""
    shown: tuple[str, ...]
    """Units in which a limit is printed, the largest first."""

    @property
    def names(self) -> dict[str, float]:
        """Units that may follow a number, and the size of each in the unit of the quantity."""
        known = units.KINDS[self.kind].units
        return {name: each * self.scale for name, each in known.items() if name or self.bare}

    def factor(self, unit: str) -> float | None:
        return units.factor_of(unit, self.names)

    def text(self, value: float, *, bare: bool = True) -> str:
        """Return the amount as `parse` reads it: "2 ms"; unless `bare`, never a number alone."""
        factors = {name: self.names[name] for name in self.shown if name or bare}
        name = next((n for n, each in factors.items() if abs(value) >= each), [*factors][-1])
        return f"{value / factors[name]:.{DIGITS}g} {name}".rstrip()


UNITS = {
    "ns": _Unit("time", 1e9, False, ("s", "ms", "µs", "ns")),
    "1": _Unit("share", 1.0, False, ("%",)),
    "1/s": _Unit("rate", 1.0, True, ("M/s", "k/s", "/s")),
    "Mbit/s": _Unit("bandwidth", 1e-6, False, ("Gbit/s", "Mbit/s", "kbit/s")),
    "CPU": _Unit("CPU", 1.0, True, ("CPU",)),
    "MiB": _Unit("size", 1 / (1 << 20), False, ("GiB", "MiB", "KiB", "B")),
    "B": _Unit("size", 1.0, True, ("B",)),
    "": _Unit("count", 1.0, True, ("M", "k", "")),
}
"""Units for amounts, by the unit of a quantity."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a limit: a statistic of a quantity, or the share of samples that are late."""

    quantity: str
    """Name in `QUANTITIES`."""
    statistic: str
    """Statistic, as in the table of estimates; empty for a share of late samples."""
    period_share: float = 0.0
    """Share of the period after which a sample is late, if that is more than `later_ns`."""
    later_ns: float | None = None
    """A sample that takes longer is late."""

    @property
    def row(self) -> Quantity:
        """The row of the table of quantities."""
        return QUANTITIES[self.quantity]

    @property
    def is_share_of_samples(self) -> bool:
        """Return whether samples are counted: lost or late ones of all."""
        return self.later_ns is not None or self.quantity == LOSS.key

    def beyond_ns(self, rate_hz: object) -> float | None:
        """Return the time beyond which a sample of a case with this rate is late; None: there is no
        period that it could be a share of."""
        assert self.later_ns is not None
        if not self.period_share:
            return self.later_ns
        if not isinstance(rate_hz, int | float) or rate_hz <= 0:
            return None
        return max(self.period_share * 1e9 / rate_hz, self.later_ns)

    @property
    def unit(self) -> str:
        """Unit of its amounts."""
        return "1" if self.is_share_of_samples else self.row.unit

    @property
    def percent(self) -> float | None:
        """Number of the percentile of a latency; None: it is something else."""
        found = statistic(self.statistic) if self.row.of_samples and self.statistic else None
        return found if isinstance(found, float) else None

    def __str__(self) -> str:
        """Return it as it is parsed, with its statistic."""
        if self.later_ns is None:
            own = f"{self.statistic}({self.quantity})"
            return self.quantity if self.is_share_of_samples else own
        time = UNITS["ns"].text(self.later_ns)
        if not self.period_share:
            return f"{LATER}({time})"
        beyond = (self.period_share, self.later_ns)
        name = next((name for name, own in LATENESS.items() if own == beyond), "")
        return name or f"late({UNITS['1'].text(self.period_share)}, {time})"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit as it was written."""

    text: str
    subject: Subject
    at_most: bool
    """Whether the operator is `<=` or `<`."""
    value: float
    """A ratio to the baseline, or in the unit of the subject."""
    is_ratio: bool = False
    where: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the cases that it is for."""


def amount(subject: Subject, value: float, *, bare: bool = True) -> str:
    """Return a limit's number with its unit, as it is parsed; `bare`: which may be none."""
    return UNITS[subject.unit].text(value, bare=bare)


def matching(
    conditions: Mapping[str, Any], cases: Mapping[str, Mapping[str, Any]], door: str
) -> list[str]:
    """Return the identifiers of the cases that a limit with these conditions is for, of those with
    these parameters (`a.b` where they are nested).

    Raises:
        UserError: it names a parameter that no case has, or is for no case.
    """
    known = dict.fromkeys(name for params in cases.values() for name in params)
    for name in conditions:
        if name not in known:
            raise UserError(
                f"no case has a parameter {name!r}",
                where=door,
                remedy=nearest(name, known, f"There are {', '.join(known)}."),
            )
    chosen = [
        case
        for case, params in cases.items()
        if all(_alike(params.get(name), value) for name, value in conditions.items())
    ]
    if not chosen:
        text = ", ".join(f"{name} = {value}" for name, value in conditions.items())
        name, wanted = next(iter(conditions.items()), ("", ""))
        values = dict.fromkeys(str(params.get(name)) for params in cases.values())
        there = f"{name} is {', '.join(values)}." if name else ""
        raise UserError(
            f"it is for no case: none has {text}",
            where=door,
            remedy=nearest(str(wanted), values, always=there),
        )
    return chosen


def conditions_text(conditions: Mapping[str, Any]) -> str:
    """Return conditions as `parse` reads them: "adapter=udp, size=64"."""
    return ", ".join(f"{name}={value}" for name, value in conditions.items())


def _alike(value: Any, wanted: Any) -> bool:
    """Compare a parameter's value with a condition's, as numbers where both are numbers."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    try:
        return float(value) == float(wanted)
    except (TypeError, ValueError):
        return str(value) == str(wanted)


def parse(text: str, door: str, *, baseline: bool = False) -> Limit:
    """Return the limit that the text states. With a `baseline` a number without a unit is a ratio
    to it, and one on a share of samples a difference. `door`: the option or key that has it.

    Raises:
        UserError: it states none; says where, and what is near.
    """
    return _Parser(text, door, baseline).limit()


def subject(text: str, door: str) -> Subject:
    """Return the figure that the text names.

    Raises:
        UserError: it names none; says where, and what is near.
    """
    return _Parser(text, door, baseline=False).subject(text)


OPERATORS = ("<=", ">=", "<", ">", "≤", "≥")

_PARTS = re.compile(r"(?P<figure>[^<>=!≤≥]*)(?P<operator>[<>=!≤≥]*)(?P<number>.*)", re.DOTALL)
_CALL = re.compile(r"(?P<name>[^()\s]+)\s*(?:\((?P<inside>[^()]*)\))?")
_NUMBER = re.compile(
    r"(?P<number>nan|inf|[-+−.0-9]*(?:[eE][-+]?[0-9]+)?)\s*(?P<unit>.*)", re.DOTALL
)
_WHERE = re.compile(r"\bwhere\b")


@dataclass(frozen=True, slots=True)
class _Parser:
    text: str
    door: str
    baseline: bool

    def limit(self) -> Limit:
        parts = _PARTS.fullmatch(self.text)
        assert parts is not None
        operator, shown = parts["operator"], joined(OPERATORS[:4], "or")
        if self.text.strip() and not operator:
            column = len(self.text) - len(self.text.lstrip()) + len(self.text.split()[0])
            self.fail("an operator is missing", column, f"Write {shown}.")
        found = self.subject(parts["figure"])
        if operator in ("=", "=="):
            self.fail(
                f"no operator {operator!r}: no figure of a measurement equals a number",
                parts.start("operator"),
                f"Write {shown}.",
            )
        if operator not in OPERATORS:
            self.fail(f"no operator {operator!r}", parts.start("operator"), f"Write {shown}.")
        number, *conditions = _WHERE.split(parts["number"], maxsplit=1)
        own, value, is_ratio = self.number(number, parts.start("number"), found)
        return Limit(
            text=_WHERE.split(self.text, maxsplit=1)[0].strip(),
            subject=own,
            at_most=operator in ("<=", "<", "≤"),
            value=value,
            is_ratio=is_ratio,
            where=self.conditions(conditions[0]) if conditions else {},
        )

    def fail(self, message: str, column: int, remedy: str) -> NoReturn:
        raise UserError(
            message, where=f"{self.door} {self.text!r}, column {column + 1}", remedy=remedy
        )

    def subject(self, part: str) -> Subject:
        column, name = len(part) - len(part.lstrip()), part.strip()
        if not name:
            self.fail("a figure is missing", column, "Begin with one, such as median(latency).")
        if row := BY_ANY_NAME.get(name):
            return Subject(row.name, row.statistics[0])
        call = _CALL.fullmatch(name)
        if call is None:
            remedy = "Such as p99.9(half_round_trip), goodput or loss."
            self.fail(f"{name!r} is not a figure", column, remedy)
        word, inside = call["name"], call["inside"]
        if word in LATENESS or word == LATER:
            return Subject(
                "latency", "", *self.lateness(word, inside, column + call.start("inside"))
            )
        if inside is not None:
            quantity, place = inside.strip(), column + call.start("inside")
        else:
            word, dot, quantity = name.rpartition(".")
            if not dot or name.removeprefix("p").replace(".", "").isdigit():
                self.of_what(name, column)
            place = column + len(word) + 1
        row = BY_ANY_NAME.get(quantity) or self.no_quantity(quantity, place)
        return Subject(row.name, self.statistic(word, row, column))

    def of_what(self, name: str, column: int) -> NoReturn:
        """Refuse a name that is no quantity: a statistic alone, or a word that is near to one."""
        try:
            statistic(name)
        except ValueError:
            self.no_quantity(name, column)
        self.fail(f"{name} of what?", column, f"Write {name}(half_round_trip), or another latency.")

    def no_quantity(self, name: str, column: int) -> NoReturn:
        remedy = nearest(
            name,
            (*QUANTITIES, *LATENESS, LATER),
            "Such as half_round_trip, one_way, goodput, loss or cpu; docs/reference/metrics.md has "
            "them all.",
            most=3,
            means={also: row.name for row in QUANTITIES.values() for also in row.also},
        )
        self.fail(f"there is no quantity {name!r}", column, remedy)

    def statistic(self, name: str, row: Quantity, column: int) -> str:
        if row.name == LOSS.key and name in row.statistics:
            return row.statistics[0]  # The share of all samples, by whatever name.
        if row.of_samples:
            try:
                found = statistic(name)
            except ValueError:
                near = nearest(
                    name,
                    row.statistics,
                    "Such as median, mean or p99.9; later(2ms) <= 0 limits all samples.",
                )
                self.fail(f"no statistic {name!r}", column, near)
            return f"p{found:.10g}" if isinstance(found, float) else found
        if name not in row.statistics:
            has = joined(row.statistics, "or")
            remedy = f"It has {has}; {row.name} alone is its {row.statistics[0]}."
            self.fail(f"{row.name} has no {name}", column, remedy)
        return name

    def lateness(self, name: str, inside: str | None, column: int) -> tuple[float, float]:
        """Return the share of the period and the time of which the greater one is the limit."""
        if name == LATER:
            return 0.0, self.with_unit(inside or "", UNITS["ns"], column)
        if inside is None:
            return LATENESS[name]
        share, comma, time = inside.partition(",")
        if not comma:
            remedy = f"Such as {name}(20%, 5ms)."
            self.fail("should have a share of the period and a time", column, remedy)
        return (
            self.with_unit(share, UNITS["1"], column),
            self.with_unit(time, UNITS["ns"], column + len(share) + 1),
        )

    def with_unit(self, text: str, of: _Unit, column: int) -> float:
        found = _NUMBER.fullmatch(text.strip())
        factor = of.factor(found["unit"]) if found else None
        if found is None or factor is None:
            message = f"{text.strip()!r} should be a number with a unit"
            self.fail(message, column, f"Units: {', '.join(of.names)}.")
        return self.value(found["number"], column, text.strip()) * factor

    def value(self, text: str, column: int, shown: str) -> float:
        try:
            found = float(text.replace("−", "-"))
        except ValueError:
            self.fail(f"{shown!r} is not a number", column, "Such as 1.05 or 2.")
        return found

    def number(self, part: str, start: int, of: Subject) -> tuple[Subject, float, bool]:
        """Return the subject, which the unit may decide, with its limit, and whether that is a
        ratio to the baseline."""
        column, shown = start + len(part) - len(part.lstrip()), part.strip()
        if not shown:
            self.fail("a number is missing", column, f"End with one, such as {self.example(of)}.")
        found = _NUMBER.fullmatch(shown)
        assert found is not None
        value, unit = self.value(found["number"], column, shown), found["unit"].strip()
        if unit in ("x", "×") or (not unit and self.baseline and of.unit != "1"):
            return of, self.ratio(value, unit, shown, column, of), True
        if of.unit == "1" and not unit and value:
            self.no_unit_of_a_share(value, shown, column, of)
        if not unit and not value and of.unit == "1":
            unit = "%"
        row = self.of_unit(of, unit, shown, column)
        factor = UNITS[row.unit].factor(unit)
        assert factor is not None
        limit = float(f"{value * factor:.{DIGITS}g}")
        least = -1.0 if self.baseline else 0.0
        if not isfinite(limit):
            self.fail(f"{shown} is no limit", column, f"Such as {self.example(of)}.")
        if row.is_share_of_samples and not least <= limit <= 1.0:
            what = "difference of shares" if self.baseline else "share"
            remedy = f"It is between {set_percent_text(least)} and 100 %."
            self.fail(f"{shown} is no {what} of samples", column, remedy)
        if self.baseline and not row.is_share_of_samples and limit <= 0.0:
            self.fail(f"{shown} is no limit", column, "It is above 0.")
        return row, limit, False

    def ratio(self, value: float, unit: str, shown: str, column: int, of: Subject) -> float:
        if not self.baseline:
            remedy = f"Write an amount, such as {self.example(of)}; ratios are for --fail-if."
            self.fail(f"{shown} is a ratio, and there is no baseline", column, remedy)
        if of.is_share_of_samples:
            remedy = "Write the difference, such as 0.1%."
            self.fail(f"{of} is compared as a difference, not as a ratio", column, remedy)
        if not 0.0 < value < float("inf"):
            self.fail(f"{shown} is no ratio", column, "It is above 0; 1 is no change.")
        if value >= MOST_RATIO and not unit:
            name = UNITS[of.unit].shown[min(2, len(UNITS[of.unit].shown) - 1)]
            own = f"Write {shown}{name} for a limit, " if name else "Write "
            self.fail(f"{shown} has no unit", column, f"{own}{shown}x for a ratio to the baseline.")
        return value

    def no_unit_of_a_share(self, value: float, shown: str, column: int, of: Subject) -> NoReturn:
        percent = UNITS["1"].text(value)
        remedy = f"Write {percent.replace(' ', '')} or {shown}%, whichever is meant."
        if self.baseline and not of.is_share_of_samples:
            remedy = f"Write {shown}x for a ratio to the baseline, {shown}% for a limit."
        self.fail(f"{shown} has no unit: {percent}, or {shown} %?", column, remedy)

    def of_unit(self, of: Subject, unit: str, shown: str, column: int) -> Subject:
        """Return the subject whose quantity has this unit."""
        others = () if of.later_ns is not None else of.row.others
        choices = [of, *(Subject(name, QUANTITIES[name].statistics[0]) for name in others)]
        for each in choices:
            if UNITS[each.unit].factor(unit) is not None:
                return each
        if self.baseline and unit == "%":
            remedy = "Write 1.05x for 5 % more, 0.95x for 5 % less."
            self.fail("a ratio is not a percentage", column, remedy)
        known = joined([name for each in choices for name in UNITS[each.unit].names if name], "or")
        what = f"{unit!r} is no unit of {of}" if unit else f"{shown} has no unit"
        self.fail(what, column, f"Write {known}." if known else "Write a number alone.")

    def example(self, of: Subject) -> str:
        if self.baseline:
            return "0.1%" if of.is_share_of_samples else "1.05"
        return {
            "ns": "2ms",
            "1": "0.1%",
            "1/s": "50k",
            "Mbit/s": "400Mbit/s",
            "CPU": "0.5",
            "MiB": "64MiB",
            "B": "1500",
            "": "0",
        }[of.unit]

    def conditions(self, text: str) -> dict[str, str]:
        found: dict[str, str] = {}
        column = len(self.text) - len(text)
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, sign, value = (word.strip() for word in part.partition("="))
            if not (sign and name and value):
                message = f"{part!r} should be a parameter and its value"
                self.fail(message, column, "Such as adapter=udp.")
            if found.setdefault(name, value) != value:
                message = f"{name} is {found[name]}, and {value}: no case has both"
                self.fail(message, column, "Write a limit for each.")
        if not found:
            self.fail("a condition is missing", column, "Such as adapter=udp.")
        return found
