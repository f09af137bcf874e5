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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, model_validator

from busmark.errors import UserError, nearest
from busmark.model.quantities import QUANTITIES, Quantity
from busmark.scenario.section import Section
from busmark.scenario.statistic import statistic as percentile_of

LATENESS = {"late": (0.2, 5e6), "too_late": (1.0, 50e6)}
"""Share of the period, and time in ns, whichever is more, beyond which a sample is so."""

LATER = "later"

UNITS: dict[str, dict[str, float]] = {
    "ns": {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9},
    "1": {"": 1.0, "%": 0.01, "ppm": 1e-6},
    "1/s": {"": 1.0, "/s": 1.0, "1/s": 1.0, "Hz": 1.0, "k": 1e3, "k/s": 1e3, "kHz": 1e3, "M": 1e6,
            "M/s": 1e6, "MHz": 1e6},
    "Mbit/s": {"kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3, "bit/s": 1e-6},
    "CPU": {"": 1.0, "CPU": 1.0, "CPUs": 1.0, "%": 0.01},
    "MiB": {"KiB": 1 / 1024, "kB": 1e3 / (1 << 20), "MiB": 1.0, "MB": 1e6 / (1 << 20),
            "GiB": 1024.0, "GB": 1e9 / (1 << 20)},
    "B": {"": 1.0, "B": 1.0, "kB": 1e3, "KiB": 1024.0, "MB": 1e6, "MiB": float(1 << 20)},
    "": {"": 1.0, "k": 1e3, "M": 1e6},
}  # fmt: skip
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
    undecided: Literal["fail", "pass"] = "fail"

    @property
    def percent(self) -> float | None:
        """Of a percentile of latency: which."""
        found = percentile_of(self.statistic) if self.statistic else None
        return 50.0 if found == "median" else found if isinstance(found, float) else None

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
        quantity, factor = parser.unit(quantity, found["unit"])
        return cls(
            text=text.partition(" where ")[0].strip(),
            quantity=quantity.name,
            statistic=statistic,
            limit=parser.number(found["number"]) * factor,
            at_most=found["operator"] in ("<=", "<", "≤"),
            unit=quantity.unit,
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
        """Quantity, statistic, and for a share of late samples beyond what they are."""
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
                nearest(name, names, always=f"There are {', '.join(names)}."),
            )
        return QUANTITIES[name]

    def _statistic(self, name: str, quantity: Quantity) -> str:
        if quantity.of_samples:
            try:
                percentile_of(name)
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

    def _with_unit(self, text: str, units: Mapping[str, float]) -> float:
        found = _NUMBER.fullmatch(text.strip())
        if found is None or found["unit"] not in units:
            known = ", ".join(unit or "no unit" for unit in units)
            raise self.error(f"{text.strip()!r} should be a number with a unit", f"Of {known}.")
        return self.number(found["number"]) * units[found["unit"]]

    def number(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise self.error(f"{text!r} is no number", "Such as 2 or 0.5.") from None

    def unit(self, quantity: Quantity, unit: str) -> tuple[Quantity, float]:
        """The quantity that has this unit, and what the unit is in its own."""
        others = [QUANTITIES[name] for name in quantity.others]
        for each in (quantity, *others):
            if unit in UNITS[each.unit]:
                return each, UNITS[each.unit][unit]
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
        """What it says."""
        from dataclasses import replace

        found = Requirement.parse(self.that, "require")
        where = {**found.where, **_flat(self.where)}
        return replace(found, where=where, undecided=self.undecided)


def _flat(where: Mapping[str, Any], prefix: str = "") -> dict[str, Condition]:
    """Nested names as `qos.reliability`."""
    found: dict[str, Condition] = {}
    for name, value in where.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found
