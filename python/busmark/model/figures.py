"""The figures of a case: rows of the table of estimates, found by their key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, cast, overload

from busmark.model.entry import LatencySet, PartQuantity, Pooled, RowKey, Statistic
from busmark.model.figure import Figure

if TYPE_CHECKING:
    import polars as pl


# Not frozen: tens of thousands are made of a stored table, which would take twice as long.
@dataclass(slots=True)
class Estimated:
    """A row of the table of estimates, but for the case: see `busmark.estimate.columns`. It is
    never changed."""

    quantity: str
    statistic: str
    value: float | None
    unit: str
    scope: str = "case"
    of: str | None = None
    node: str | None = None
    round: int | None = None
    over: str = "rounds"
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    bound: Literal["upper", "lower"] | None = None
    count: int | None = None
    effective: float | None = None
    rounds: int = 0
    reason: str | None = None

    @property
    def is_estimate(self) -> bool:
        """Whether it should have an interval: not what was counted, asked for, or of one round."""
        typical = self.over == "rounds" and self.round is None
        return typical and (self.statistic in ("median", "mean", "drift") or self.is_percentile)

    @property
    def is_percentile(self) -> bool:
        """Whether the statistic is a percentile, such as p99."""
        return self.statistic[:1] == "p" and self.statistic[1:].replace(".", "").isdigit()

    @property
    def figure(self) -> Figure | None:
        """The value with its limits, unit and counts; None: it has no value."""
        if self.value is None:
            return None
        return Figure(
            value=self.value,
            low=self.low,
            high=self.high,
            confidence=self.confidence,
            count=self.count,
            rounds=self.rounds,
            unit=self.unit,
        )


class Figures(Sequence[Estimated]):
    """The figures of a case and of its parts, found by what they are of.

    `figures.get(ONE_WAY, P99, flow="imu")` gives a row of the table of estimates: a value with its
    interval, counts and unit, or the reason why there is none. Quantities are constants of
    `busmark.model.quantities`, statistics of `busmark.model.statistics`.
    """

    def __init__(self, rows: Iterable[Estimated] = ()) -> None:
        """Take the rows."""
        self._given = [*rows]

    @property
    def rows(self) -> list[Estimated]:
        """All rows, in the order of the table."""
        return self._given

    @cached_property
    def _by_key(self) -> dict[tuple[str | int | None, ...], Estimated]:
        found: dict[tuple[str | int | None, ...], Estimated] = {}
        for row in self.rows:
            key = (row.quantity, row.statistic, row.over, row.scope, row.of, row.round)
            found.setdefault(key, row)
        return found

    @overload
    def get(
        self, quantity: RowKey, statistic: Statistic | Pooled | None = ..., **of: Unpack[Of]
    ) -> Estimated: ...

    @overload
    def get(
        self, quantity: LatencySet, statistic: Statistic | Pooled, **of: Unpack[Of]
    ) -> Estimated: ...

    def get(
        self,
        quantity: RowKey | LatencySet,
        statistic: Statistic | Pooled | None = None,
        **of: Unpack[Of],
    ) -> Estimated:
        """Return a figure of the case, or of the part that the keywords name; `round`: of one
        round. A figure that the case does not have is one without a value, whose reason says so.

        Args:
            quantity: a quantity of the case or of a part, or a latency.
            statistic: of a latency, or of a quantity in place of its own.
            of: `flow`, `participant`, `node`, `segment` or another scope, with its name.
        """
        number = of.pop("round", None)
        named = cast("dict[str, str]", of)
        scope, name = next(iter(named.items()), ("case", None))
        if number is not None and scope == "case":
            scope = "round"
        pooled = isinstance(statistic, Pooled)
        wanted = quantity.quantity if isinstance(quantity, LatencySet) else quantity.name
        if isinstance(statistic, Pooled):
            own = statistic.statistic
        elif statistic is not None:
            own = statistic.name
        else:
            assert not isinstance(quantity, LatencySet)
            own = quantity.statistic
        over = "samples" if pooled else "rounds"
        row = self._by_key.get((wanted, own, over, scope, name, number))
        if row is not None:
            return row
        part = f"its {scope} {name}" if name else "the case"
        reason = f"{part} has no {own} of {wanted}"
        return Estimated(wanted, own, None, "", scope, name, reason=reason)

    def select(self, **keys: str | int | None) -> list[Estimated]:
        """Return the rows whose fields have these values, such as `scope="flow"`."""
        return [
            row for row in self.rows if all(getattr(row, name) == v for name, v in keys.items())
        ]

    def where(self, **keys: str | int | None) -> pl.DataFrame:
        """Return the rows of `select` as a frame."""
        # Imported here: who looks at single figures has no need of it.
        import polars as pl

        rows = [astuple(row) for row in self.select(**keys)]
        kinds = {"int": pl.Int64, "float": pl.Float64}
        types = {one.name: str(one.type).partition(" ")[0] for one in fields(Estimated)}
        schema = {name: kinds.get(kind, pl.String) for name, kind in types.items()}
        return pl.DataFrame(rows, schema=schema, orient="row", strict=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Figures) and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Estimated: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Estimated]: ...

    def __getitem__(self, place: int | slice) -> Estimated | Sequence[Estimated]:
        return self.rows[place]

    def __iter__(self) -> Iterator[Estimated]:
        return iter(self.rows)


class Of(TypedDict, total=False):
    """The part of a case that a figure is of: one of these, by its name; and a round."""

    flow: str
    participant: str
    node: str
    system: str
    level: str
    phase: str
    segment: str
    pair: str
    load: str
    traffic: str
    route: str
    round: int


Found = Iterable[tuple[RowKey, Figure | float | None]]
"""Quantities, each with what was found of it; None: nothing."""


def estimated(
    found: Found,
    scope: str = "case",
    of: str | None = None,
    node: str | None = None,
    *,
    round: int | None = None,
) -> Iterator[Estimated]:
    """Yield the rows of a case or of a part of it; a quantity of which nothing was found has
    none."""
    for quantity, value in found:
        if isinstance(value, Figure):
            row = row_of(value, quantity.name, quantity.statistic, scope, of)
            yield replace(row, node=node, round=round)
        elif value is not None:
            yield Estimated(
                quantity.name,
                quantity.statistic,
                value,
                quantity.unit,
                scope,
                of,
                node,
                round,
            )


def with_rounds(rows: Iterable[Estimated], counted: int) -> Iterator[Estimated]:
    """Yield the rows; what is no estimate gets the rounds that it was counted in: one, or all that
    count."""
    for row in rows:
        rounds = counted if row.round is None else 1
        yield row if row.rounds else replace(row, rounds=rounds)


def row_of(
    figure: Figure, quantity: str, statistic: str, scope: str = "case", of: str | None = None
) -> Estimated:
    """Return the row of an estimate with its interval and counts."""
    return Estimated(
        quantity,
        statistic,
        figure.value,
        figure.unit,
        scope,
        of,
        low=figure.low,
        high=figure.high,
        confidence=figure.confidence,
        count=figure.count,
        rounds=figure.rounds,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a case: a participant, a node, a level; or the whole case."""

    scope: str
    of: str | None = None
    node: str | None = None
    rows: dict[tuple[str, str], Estimated] = field(default_factory=dict)
    """Rows of a typical round, by quantity and statistic."""

    def row(self, quantity: RowKey) -> Estimated | None:
        """Return the row of a quantity; None where the part has none."""
        return self.rows.get((quantity.name, quantity.statistic))

    def figure(self, quantity: RowKey) -> Figure | None:
        """Return an estimate with its interval; None where the part has none."""
        row = self.row(quantity)
        return row.figure if row else None

    def value(self, quantity: RowKey) -> float | None:
        """Return the value of a quantity; None where the part has none."""
        row = self.row(quantity)
        return row.value if row else None

    def counted(self, quantity: RowKey) -> int | None:
        """Return what was counted; None where the part has no such count."""
        value = self.value(quantity)
        return None if value is None else int(value)

    def __getitem__(self, quantity: PartQuantity) -> Figure | float | int | None:
        """Return what tables show of a quantity: an estimate with its interval, or a number."""
        if quantity.is_count:
            return self.counted(quantity)
        row = self.row(quantity)
        return None if row is None else row.figure if row.is_estimate else row.value


def parts(rows: Iterable[Estimated], scope: str) -> list[Part]:
    """Return the parts of a scope, in the order of their first rows."""
    found: dict[tuple[str | None, str | None], Part] = {}
    for row in rows:
        if row.scope == scope and row.over == "rounds":
            part = found.setdefault((row.of, row.node), Part(scope, row.of, row.node))
            part.rows.setdefault((row.quantity, row.statistic), row)
    return list(found.values())
