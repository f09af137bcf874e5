"""Names and descriptions of all cases of a campaign, decided together."""

from __future__ import annotations

import fnmatch
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from busmark.analysis.across import dimensions as dim
from busmark.analysis.model import Label
from busmark.analysis.words.text import ABSENT

FLOOR_ADAPTER = "null"
FLOOR_LABEL = "floor (null adapter)"
LIMIT_LABEL = "limit of Busmark (null adapter)"
"""What the floor is called where more is better."""

MIDDLEWARE, SIDES = "Middleware", "Writer → reader"
"""Headings of what cases are called."""

SEPARATOR = " · "
"""Between the parts of a label."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a case is called, and the parameters that set it apart."""

    label: str
    workload: dict[str, str]
    choices: dict[str, str]
    is_floor: bool
    title: str
    """What the label is, as the heading of a column: "Middleware", "Reliability"."""
    parts: dict[str, str]
    """The middleware, and each choice that the label tells, by what it is."""


def short_title(adapter: str, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """The adapter's name for people."""
    title = adapters.get(adapter, {}).get("title")
    return str(title) if title else adapter


def name_cases(
    cases: Mapping[str, dim.Flat],
    adapters: Mapping[str, Mapping[str, Any]],
    unsupported: Container[str] = (),
) -> dict[str, Named]:
    """Names for cases given by their flat parameters, test by test.

    What only unsupported cases have is not told in the names of the others, and what all of them
    have in common is not told at all.
    """
    cases = dim.with_whole_history(cases)
    named: dict[str, Named] = {}
    for test in dict.fromkeys(flat.get("test") for flat in cases.values()):
        of_test = {case: flat for case, flat in cases.items() if flat.get("test") == test}
        named |= _name_test(of_test, adapters, unsupported)
    return _without_sides({case: named[case] for case in cases}, cases, unsupported)


def _name_test(
    cases: Mapping[str, dim.Flat],
    adapters: Mapping[str, Mapping[str, Any]],
    unsupported: Container[str],
) -> dict[str, Named]:
    real = {c: flat for c, flat in cases.items() if flat.get("adapter") != FLOOR_ADAPTER}
    only_floor = not real
    real = real or dict(cases)
    compared = [flat for case, flat in real.items() if case not in unsupported]
    compared = compared or list(real.values())
    names = dim.varying(compared)
    choices = [name for name in names if dim.is_choice(name)]
    workload = [name for name in names if not dim.is_choice(name)]
    told = dim.telling(choices, compared)
    floor_label = LIMIT_LABEL if compared[0].get("test") == "throughput" else FLOOR_LABEL
    result = {}
    for case, flat in cases.items():
        is_floor = flat.get("adapter") == FLOOR_ADAPTER and not only_floor
        own = [name for name in told if name in flat]
        spoken = [_sides(flat, adapters), *(dim.choice_text(name, flat[name]) for name in own)]
        texts = {name: dim.value_text(name, flat.get(name)) for name in names}
        sides = SIDES if any(each.get("peer") for each in compared) else MIDDLEWARE
        result[case] = Named(
            label=floor_label if is_floor else SEPARATOR.join(spoken),
            workload={dim.title(name): texts[name] for name in workload},
            choices={dim.title(n): texts[n] for n in choices if n not in told and n in flat},
            is_floor=is_floor,
            title=_capitalised(SEPARATOR.join([sides, *map(dim.title, told)])),
            parts={sides: spoken[0]} | {dim.title(name): texts[name] for name in own},
        )
    _make_distinct(result, {c: flat for c, flat in real.items() if c not in unsupported})
    return result


def _sides(flat: dim.Flat, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """The adapter, or both where they differ: writer → reader."""
    names = [flat.get("adapter"), *([flat["peer"]] if flat.get("peer") else [])]
    return " → ".join(short_title(str(name), adapters) for name in names)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _make_distinct(named: dict[str, Named], cases: Mapping[str, dim.Flat]) -> None:
    """Cases that would still look the same get their identifier as the last part of the label."""
    seen: dict[Any, list[str]] = {}
    for case, flat in cases.items():
        name = named[case]
        place = (flat.get("placement"), flat.get("size"), tuple(name.workload.items()))
        seen.setdefault((name.label, place), []).append(case)
    for twins in seen.values():
        for case in twins if len(twins) > 1 else ():
            old = named[case]
            named[case] = replace(
                old, label=f"{old.label}{SEPARATOR}{case}", title=f"{old.title}{SEPARATOR}case"
            )


def _without_sides(
    named: Mapping[str, Named], cases: Mapping[str, dim.Flat], unsupported: Container[str]
) -> dict[str, Named]:
    """The names without their first part where all that can be compared have it in common, and
    every label of the test has further parts."""
    compared = [c for c in cases if not named[c].is_floor and c not in unsupported]
    first = {named[case].label.partition(SEPARATOR)[0] for case in compared}
    if len(first) != 1:
        return dict(named)
    constant = first.pop() + SEPARATOR
    plain = {cases[c].get("test") for c in compared if not named[c].label.startswith(constant)}
    result = {}
    for case, name in named.items():
        if cases[case].get("test") not in plain:
            rest = name.title.partition(SEPARATOR)[2]
            name = replace(name, label=name.label.removeprefix(constant), title=_capitalised(rest))
        result[case] = name
    return result


def labels(cases: Sequence[tuple[str, str, bool]]) -> list[Label]:
    """Labels by (label, adapter, is floor): each once, variants of one adapter numbered."""
    result: list[Label] = []
    variants: dict[str, int] = {}
    for text, adapter, is_floor in dict.fromkeys(cases):
        variant = 0 if is_floor else variants.get(adapter, 0)
        if not is_floor:
            variants[adapter] = variant + 1
        result.append(Label(text=text, adapter=adapter, variant=variant))
    return result


def meant(names: Iterable[str], wanted: str) -> list[str]:
    """Cases of DIR#CASE: the one with this name or number, or all that match this pattern."""
    known = list(names)
    if wanted in known:
        return [wanted]
    numbered = [name for name in known if name.partition("-")[0] == wanted]
    return numbered or fnmatch.filter(known, wanted)


def described(workload: Mapping[str, str]) -> str:
    """ "payload struct, rate 1 000 /s"; empty without further dimensions."""
    return ", ".join(f"{key} {text}" for key, text in workload.items() if text != ABSENT)


FIGURES = {
    "latency": "median RTT/2", "throughput": "goodput", "capacity": "sustained goodput",
    "discovery": "median time to the first sample", "one_way": "median one-way latency",
    "matching": "time until all had matched",
    "recovery": "time from the last change to the next sample",
}  # fmt: skip
"""By kind of headline."""


def figure_of(kind: str) -> str:
    """Return what cases with this kind of headline are compared by."""
    return FIGURES.get(kind, FIGURES["latency"])
