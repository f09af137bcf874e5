"""What one value of a parameter costs against another, all else being equal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import Field

from busmark.compare.rounds import FEWEST_ROUNDS, Pair, Rounds, Versus
from busmark.facts import adapter_facts
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.entry import SEARCHES
from busmark.model.figure import Figure, Frozen


class Effect(Frozen):
    """The cost of one value of a parameter against another, all else being equal."""

    test: str
    figure: str
    """Kind of the headline that is compared."""
    parameter: str
    """Name of the parameter in scenarios: qos.reliability."""
    value: str
    reference: str
    """Values for people."""
    label: str
    """Middleware and choices that both cases share."""
    placement: str | None
    """Placement; null where it is the parameter that varies."""
    size: int | None
    rate_hz: float | None = None
    """Rate of each writer that was asked for; null where nothing limits it."""
    workload: dict[str, str]
    """Further parameters that both share."""
    versus: Versus
    """The case with `value` over the one with `reference`."""
    spent: dict[str, Figure] = Field(default={})
    """Ratios of what both spent, by name, as far as it is known: see `spent`."""


LEAST = {
    "qos.reliability": "best_effort",
    "qos.durability": "volatile",
    "placement": "same",
    "side": "baseline",
    "security": "none",
    "control": "pipe",
}
"""Values that do least, by parameter."""

LAYER = "layer"
"""Name of the effect of a layer above a middleware's library: rmw above Fast DDS. It is not a
parameter of a scenario: the facts of adapters say which are layers."""

WITH_SPENT = ("security", LAYER)
"""Parameters of which reports say what else they cost."""

WITH_BASELINES = ("security",)
"""Parameters whose effect on baselines counts as well: what TLS costs over a bare socket."""

TRIVIAL = dict.fromkeys(("throughput", *SEARCHES), ("rate_hz",))
"""Parameters by test on which the figure depends trivially: the scenario asks for that rate."""

Cases = list[tuple[CaseSummary, dim.Flat]]


def effects(rounds: Rounds) -> list[Effect]:
    """Return the effects by parameter, in the order of the cases: effects on middleware, unless
    there are only baselines, or for one of `WITH_BASELINES`; the null adapter has none."""
    measured = [
        c for c in rounds.cases.values() if not c.is_floor and rounds.count(c.id) >= FEWEST_ROUNDS
    ]
    everyone = _by_test(measured)
    middleware = _by_test([c for c in measured if not c.is_baseline]) or everyone
    paired = [
        (name, case, other)
        for test, cases in everyone.items()
        for name in _parameters(test, cases)
        for case, other in _pairs(
            name, cases if name in WITH_BASELINES else middleware.get(test, [])
        )
    ]
    # A value against its reference is a question of its own, as it is for `busmark compare --by`.
    families: dict[tuple[str, str, str], list[Pair]] = {}
    for name, case, other in paired:
        values = (name, str(case[1].get(name)), str(other[1].get(name)))
        families.setdefault(values, []).append((case[0].id, other[0].id))
    found: dict[tuple[str, Pair], Versus] = {}
    for (name, *_), pairs in families.items():
        compared = rounds.compared(pairs, together=True)
        found |= {(name, pair): versus for pair, versus in compared.items()}
    return [
        _effect(
            name,
            case,
            other,
            found[name, (case[0].id, other[0].id)],
            rounds.spent((case[0].id, other[0].id)) if name in WITH_SPENT else {},
        )
        for name, case, other in paired
    ]


def _by_test(measured: Iterable[CaseSummary]) -> dict[str, Cases]:
    found: dict[str, Cases] = {}
    for each in measured:
        flat = {**dim.flatten(each.params), "placement": each.placement}
        entry = adapter_facts().get(each.adapter)
        if entry and entry.layer_over:
            flat |= {"adapter": entry.layer_over, LAYER: each.adapter}
        found.setdefault(each.test, []).append((each, flat))
    return found


def _effect(
    name: str,
    of: tuple[CaseSummary, dim.Flat],
    against: tuple[CaseSummary, dim.Flat],
    versus: Versus,
    spent: dict[str, Figure],
) -> Effect:
    case, flat = of
    return Effect(
        test=case.test,
        figure=case.headline.kind if case.headline else case.test,
        parameter=name,
        value=_text(name, of),
        reference=_text(name, against),
        label=_rest(case, name, flat),
        placement=None if name == "placement" else case.placement,
        size=case.size,
        rate_hz=flat.get("rate_hz") or None,
        workload={k: v for k, v in case.workload.items() if k != dim.title(name)},
        versus=versus,
        spent=spent,
    )


def _parameters(test: str, cases: Cases) -> list[str]:
    """Return what may have a cost: all that varies, but for middleware and size."""
    flats = [flat for _, flat in cases]
    names = [name for name in dim.varying(flats) if not dim.names_middleware(name)]
    if len({flat["placement"] for flat in flats}) > 1:
        names.append("placement")
    return [name for name in names if name not in TRIVIAL.get(test, ())]


def _pairs(
    name: str, cases: Cases
) -> Iterable[tuple[tuple[CaseSummary, dim.Flat], tuple[CaseSummary, dim.Flat]]]:
    """Yield every case with the reference that is equal to it in all but this parameter."""
    alike: dict[str, Cases] = {}
    flats = [flat for _, flat in cases]
    following = {
        each
        for each, leaders in dim.LEADERS.items()
        if name in leaders and dim.follows_workload(each, flats)
    }
    skipped = {name, *dim.FOLLOWS.get(name, ()), *dim.EFFORT, *following}
    for case, flat in cases:
        rest = {k: v for k, v in flat.items() if k not in skipped and not k.startswith(dim.DERIVED)}
        alike.setdefault(json.dumps(rest, sort_keys=True, default=str), []).append((case, flat))
    least = LEAST.get(name)
    for members in alike.values():
        # Without a load, a loss or a background stream there is no such parameter.
        first = next((each for each in members if each[1].get(name) in (None, least)), members[0])
        values = {str(flat.get(name)) for _, flat in members}
        if len(values) == len(members):
            yield from ((other, first) for other in members if other is not first)


def _text(name: str, of: tuple[CaseSummary, dim.Flat]) -> str:
    """Return the value in words: "reliable", "depth 10", "payload struct", "different CPUs"."""
    case, flat = of
    if name == LAYER:
        return case.middleware
    value = flat.get(name)
    if value is None:
        return f"no {dim.title(name)}"
    if name == "placement":
        return dim.placement_text(str(value)).removeprefix("on ")
    if dim.is_choice(name):
        return dim.choice_text(name, value)
    return f"{dim.title(name)} {dim.value_text(name, value)}"


def _rest(case: CaseSummary, name: str, flat: dim.Flat) -> str:
    """Return the label without the parameter that varies, and those that follow from it. It names
    the middleware, unless layers are compared."""
    own = {dim.choice_text(n, flat[n]) for n in (name, *dim.FOLLOWS.get(name, ())) if n in flat}
    parts = [part for part in case.label.split(" · ") if part not in own]
    if name == LAYER:
        return " · ".join(part for part in parts if part != case.middleware) or str(
            flat.get("transport")
        )
    if case.middleware not in parts:
        parts.insert(0, case.middleware)
    return " · ".join(parts)


def parameters(found: Sequence[Effect]) -> list[str]:
    """Return those that have a cost, in order."""
    return list(dict.fromkeys(effect.parameter for effect in found))
