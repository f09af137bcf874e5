"""The cost of each parameter that a scenario asks about: ratios with intervals, by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.across.standing import Effect
from busmark.analysis.model import Campaign
from busmark.analysis.words.answer import asked
from busmark.analysis.words.naming import described
from busmark.analysis.words.ranking import figure_of
from busmark.analysis.words.ratios import ratio_text
from busmark.analysis.words.text import ABSENT, size_text

MOST_TABLES = 2
MOST_COLUMNS = 8
MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """One ratio."""

    case: str
    ratio: str
    verdict: str
    """Empty where a difference is shown."""
    shown: bool


@dataclass(frozen=True, slots=True)
class Costs:
    """One value against its reference."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[Cost | None]]]


def front_costs(campaign: Campaign) -> list[Costs]:
    """The first answer to what the scenario asks."""
    cases = {case.id: case for case in campaign.cases}
    question = f"{campaign.name} {campaign.question or ''}"
    names = asked(campaign.effects, cases, question)
    tables: dict[tuple[str, ...], list[Effect]] = {}
    for effect in campaign.effects:
        if effect.parameter in names:
            key = (effect.parameter, effect.test, effect.value, effect.reference)
            tables.setdefault(key, []).append(effect)
    return [_table(effects) for effects in list(tables.values())[:MOST_TABLES]]


def _table(effects: Sequence[Effect]) -> Costs:
    first = effects[0]
    sizes = sorted({effect.size for effect in effects}, key=lambda size: size or 0)[:MOST_COLUMNS]
    rows: dict[str, dict[int | None, Effect]] = {}
    wheres = {_where(effect) for effect in effects}
    for effect in effects:
        label = effect.label if len(wheres) == 1 else f"{effect.label}, {_where(effect)}"
        rows.setdefault(label, {})[effect.size] = effect
    value = first.value[:1].upper() + first.value[1:]
    title = f"{value} over {first.reference}: ratio of {figure_of(first.figure)}"
    (only,) = wheres if len(wheres) == 1 else ("",)
    return Costs(
        title=f"{title}, {only}" if only else title,
        columns=[size_text(size) if size is not None else ABSENT for size in sizes],
        rows=[(label, [_cost(of.get(size)) for size in sizes])
              for label, of in list(rows.items())[:MOST_ROWS]],
    )  # fmt: skip


def _where(effect: Effect) -> str:
    placement = placement_text(effect.placement) if effect.placement else ""
    return ", ".join(filter(None, (placement, described(effect.workload))))


def _cost(effect: Effect | None) -> Cost | None:
    if effect is None:
        return None
    versus = effect.versus
    told = ratio_text(versus.ratio) if versus.ratio else ABSENT
    verdict = {
        "undecided": "not significant" if versus.excludes_1 else "undecided",
        "equivalent": "equivalent within 2 %", "loses more": "loses more", "loses less":
        "loses less",
    }.get(versus.verdict, "")  # fmt: skip
    return Cost(versus.case, told, verdict, versus.verdict in ("faster", "slower"))
