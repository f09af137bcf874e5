"""What a figure must meet: `[[require]]`, and `--require`.

    requirement := figure operator number [unit] ["where" name "=" value {"," name "=" value}]
    figure      := quantity | statistic "(" quantity ")" | "later" "(" time ")" | lateness
    operator    := "<=" | ">=" | "<" | ">"
    lateness    := ("late" | "too_late") ["(" share "," time ")"]

`p99.9(half_round_trip) <= 2ms` is met where at most 0.1 % of the samples are shown to exceed 2 ms,
lost ones among them. `late` is the share of samples later than max(20 % of the period, 5 ms),
`too_late` than max(the period, 50 ms), and `later(2ms)` than that time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field, model_validator

from busmark.errors import UserError, nearest
from busmark.model import units
from busmark.model.quantities import QUANTITIES, Quantity
from busmark.scenario.section import Section

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

OF_UNIT = {
    "ns": ("time", 1e9, False),
    "1": ("share", 1.0, True),
    "1/s": ("rate", 1.0, True),
    "Mbit/s": ("bandwidth", 1e-6, False),
    "CPU": ("CPU", 1.0, True),
    "MiB": ("size", 1 / (1 << 20), False),
    "B": ("size", 1.0, True),
    "": ("count", 1.0, True),
}
"""By the unit of a quantity: kind of an amount of it, how many of the quantity's unit one of the
kind's first is, and whether a number alone will do."""

UNITS: dict[str, dict[str, float]] = {
    unit: {
        name: float(f"{factor * scale:.12g}")
        for name, factor in units.KINDS[kind].units.items()
        if name or bare
    }
    for unit, (kind, scale, bare) in OF_UNIT.items()
}
"""What may stand behind a number, by the unit of the quantity, and what it is in that."""

_WHOLE = re.compile(
    r"\s*(?P<figure>[\w.]+\s*(?:\([^()]*\))?)\s*(?P<operator><=|>=|<|>|==?|≤|≥)\s*"
    r"(?P<number>[0-9.]+(?:e[+-]?[0-9]+)?)\s*(?P<unit>[^\s,]*)\s*"
    r"(?:\bwhere\b\s*(?P<where>.+?))?\s*",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"(?P<name>[\w.]+)\s*(?:\((?P<inside>[^()]*)\))?")
_NUMBER = re.compile(r"(?P<number>[0-9.]+(?:e[+-]?[0-9]+)?)\s*(?P<unit>\S*)", re.IGNORECASE)

Condition = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit on a figure, for all cases or for those whose parameters match."""

    text: str
    """As it was written, without its conditions."""
    quantity: str
    """Name in `QUANTITIES`."""
    statistic: str
    """As the table of estimates has it; empty for a share of samples later than something."""
    limit: float
    """In the unit of the quantity; of samples a share."""
    at_most: bool
    unit: str
    where: Mapping[str, Condition] = field(default_factory=dict)
    period_share: float = 0.0
    """For a share of late samples: of the period, whichever is more than `later_ns`."""
    later_ns: float | None = None
    """A sample that takes longer is late."""
    of_samples: bool = False
    """Whether single samples have the quantity."""
    undecided: Literal["fail", "pass"] = "fail"

    @property
    def percent(self) -> float | None:
        """Return which percentile of latency it limits; None: something else."""
        found = statistic(self.statistic) if self.of_samples and self.statistic else None
        return 50.0 if found == "median" else found if isinstance(found, float) else None

    def meant(
        self, cases: Mapping[str, Mapping[str, Any]], floors: Collection[str] = ()
    ) -> list[str]:
        """Return the identifiers of the cases that it is for, of those with these parameters
        (`a.b` where they are nested): not of the `floors`, unless it names an adapter.

        Raises:
            UserError: it names a parameter that no case has, or is for no case.
        """
        where = f"require {self.text!r}"
        known = dict.fromkeys(name for params in cases.values() for name in params)
        for name in self.where:
            if name not in known:
                raise UserError(
                    f"no case has a parameter {name!r}",
                    where=where,
                    remedy=nearest(name, known, f"There are {', '.join(known)}."),
                )
        chosen = [
            case
            for case, params in cases.items()
            if all(_alike(params.get(name), value) for name, value in self.where.items())
        ]
        if not chosen:
            text = ", ".join(f"{name} = {value}" for name, value in self.where.items())
            name, wanted = next(iter(self.where.items()), ("", ""))
            values = dict.fromkeys(str(params.get(name)) for params in cases.values())
            there = f"{name} is {', '.join(values)}." if name else ""
            raise UserError(
                f"it is for no case: none has {text}",
                where=where,
                remedy=nearest(str(wanted), values, always=there),
            )
        if "adapter" in self.where:
            return chosen
        return [case for case in chosen if case not in floors] or chosen

    @classmethod
    def parse(cls, text: str, where: str = "--require") -> Requirement:
        """Return the requirement that `text` is.

        Raises:
            UserError: it is none: what is wrong, and what may stand there.
        """
        found = _WHOLE.fullmatch(text)
        if found is None:
            raise UserError(
                "should be a figure, an operator and a number",
                where=f"{where} {text!r}",
                remedy="Such as 'p99.9(half_round_trip) <= 2ms', 'loss <= 0.1%', 'goodput >= 50k', "
                "'late <= 1%' or 'median(one_way) <= 300us where adapter=udp, size=64'.",
            )
        parser = _Parser(text, where)
        if found["operator"] in ("=", "=="):
            raise parser.error("no figure of a measurement equals a number", "Write <= or >=.")
        quantity, statistic, late = parser.figure(found["figure"])
        unit, factor = "1", 1.0
        if late:
            factor = parser.share(found["unit"])
        else:
            quantity, factor = parser.unit(quantity, found["unit"])
            unit = quantity.unit
        return cls(
            text=text.partition(" where ")[0].strip(),
            quantity=quantity.name,
            statistic=statistic,
            limit=parser.number(found["number"]) * factor,
            at_most=found["operator"] in ("<=", "<", "≤"),
            unit=unit,
            of_samples=quantity.of_samples,
            where=parser.conditions(found["where"] or ""),
            period_share=late[0] if late else 0.0,
            later_ns=late[1] if late else None,
        )


@dataclass(frozen=True, slots=True)
class _Parser:
    text: str
    where: str

    def error(self, message: str, remedy: str) -> UserError:
        return UserError(message, where=f"{self.where} {self.text!r}", remedy=remedy)

    def figure(self, text: str) -> tuple[Quantity, str, tuple[float, float] | None]:
        """Return quantity and statistic; for a share of late samples the limits too, else None."""
        found = _FIGURE.fullmatch(text.strip())
        assert found is not None
        name, inside = found["name"], found["inside"]
        if name in LATENESS:
            beyond = LATENESS[name] if inside is None else self._lateness(inside)
            return QUANTITIES["latency"], "", beyond
        if name == LATER:
            return QUANTITIES["latency"], "", (0.0, self._time(inside or ""))
        if inside is None:
            quantity = self._quantity(name)
            return quantity, quantity.statistics[0], None
        quantity = self._quantity(inside.strip())
        return quantity, self._statistic(name, quantity), None

    def _quantity(self, name: str) -> Quantity:
        if name not in QUANTITIES:
            names = [*QUANTITIES, *LATENESS, LATER]
            raise self.error(
                f"there is no quantity {name!r}",
                nearest(name, names, f"There are {', '.join(names)}."),
            )
        return QUANTITIES[name]

    def _statistic(self, name: str, quantity: Quantity) -> str:
        if quantity.of_samples:
            try:
                statistic(name)
            except ValueError as wrong:
                raise self.error(str(wrong), "Such as p99.9.") from None
            return name
        if name not in quantity.statistics:
            raise self.error(
                f"{quantity.name} has no {name}",
                f"It has {', '.join(quantity.statistics)}; {quantity.name} alone is its "
                f"{quantity.statistics[0]}.",
            )
        return name

    def _lateness(self, inside: str) -> tuple[float, float]:
        share, comma, time = inside.partition(",")
        if not comma:
            raise self.error(
                "should have a share of the period and a time", "Such as late(20%, 5ms)."
            )
        return self._with_unit(share, UNITS["1"]), self._time(time)

    def _time(self, text: str) -> float:
        return self._with_unit(text, UNITS["ns"])

    def _with_unit(self, text: str, table: Mapping[str, float]) -> float:
        found = _NUMBER.fullmatch(text.strip())
        factor = units.factor_of(found["unit"], table) if found else None
        if found is None or factor is None:
            known = ", ".join(unit or "no unit" for unit in table)
            raise self.error(f"{text.strip()!r} should be a number with a unit", f"Of {known}.")
        return self.number(found["number"]) * factor

    def number(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise self.error(f"{text!r} should be a number", "Such as 2 or 0.5.") from None

    def share(self, unit: str) -> float:
        """Return what a unit is of a share of samples."""
        if units.factor_of(unit, UNITS["1"]) is None:
            raise self.error(f"{unit!r} is no unit of a share of samples", "Write 1% or 0.01.")
        return UNITS["1"][unit]

    def unit(self, quantity: Quantity, unit: str) -> tuple[Quantity, float]:
        """Return the quantity that has this unit, and the factor to its own unit."""
        others = [QUANTITIES[name] for name in quantity.others]
        for each in (quantity, *others):
            if factor := units.factor_of(unit, UNITS[each.unit]):
                return each, factor
        known = [u or "no unit" for each in (quantity, *others) for u in UNITS[each.unit]]
        raise self.error(
            f"{unit!r} is no unit of {quantity.name}" if unit else f"{quantity.name} needs a unit",
            f"Of {', '.join(known)}.",
        )

    def conditions(self, text: str) -> dict[str, Condition]:
        found: dict[str, Condition] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, sign, value = part.partition("=")
            if not sign or not value.strip():
                raise self.error(
                    f"{part!r} should be a parameter and its value", "Such as adapter=udp."
                )
            found[name.strip()] = value.strip()
        return found


class RequireSection(Section):
    """`[[require]]`: a limit on a figure, which every case that matches must meet. `busmark run`,
    `show` and the report say which do; exit code 1 if one does not. See
    docs/tasks/prove-a-requirement.md."""

    that: str = Field(
        description="the limit, such as `p99.9(half_round_trip) <= 2ms`, `loss <= 0.1%`, "
        "`goodput >= 50k` (samples/s), `goodput >= 400Mbit/s`, `cpu <= 0.5`, `late <= 1%`"
    )
    where: dict[str, Any] = Field(
        default={},
        description='parameters of the cases it is for, such as `{ adapter = "udp", size = 64 }`; '
        "empty: all but the null adapter's",
    )
    undecided: Literal["fail", "pass"] = Field(
        default="fail", description="whether the exit code is 1 where the rounds cannot tell"
    )

    @model_validator(mode="after")
    def _readable(self) -> RequireSection:
        try:
            self.requirement()
        except UserError as error:
            raise ValueError(f"{error.message}. {error.remedy}") from None
        return self

    def requirement(self) -> Requirement:
        """Return what it says."""
        found = Requirement.parse(self.that, "require")
        where = {**found.where, **flat(self.where)}
        return replace(found, where=where, undecided=self.undecided)


def _alike(value: Any, wanted: Any) -> bool:
    """Compare a parameter's value with a condition's, as numbers where both are numbers."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    try:
        return float(value) == float(wanted)
    except (TypeError, ValueError):
        return str(value) == str(wanted)


def flat(params: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested parameters into names such as `qos.reliability`."""
    found: dict[str, Any] = {}
    for name, value in params.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found
