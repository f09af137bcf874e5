"""Names, colours and descriptions of all cases of a campaign, decided together."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.analysis import dimensions as dim
from busmark.analysis.model import Label
from busmark.analysis.text import ABSENT

FLOOR_ADAPTER = "null"
FLOOR_LABEL = "floor (null adapter)"
LIMIT_LABEL = "limit of Busmark (null adapter)"
"""What the floor is called where more is better."""

FLOOR_COLOUR = -1
"""The floor is grey, whatever else is on the page."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a case is called, and the parameters that set it apart."""

    label: str
    workload: dict[str, str]
    choices: dict[str, str]
    is_floor: bool


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

    What only unsupported cases have is not told in the names of the others.
    """
    named: dict[str, Named] = {}
    for test in dict.fromkeys(flat.get("test") for flat in cases.values()):
        of_test = {case: flat for case, flat in cases.items() if flat.get("test") == test}
        named |= _name_test(of_test, adapters, unsupported)
    return {case: named[case] for case in cases}


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
        parts = [_sides(flat, adapters)]
        parts += [dim.choice_text(name, flat[name]) for name in told if name in flat]
        texts = {name: dim.value_text(name, flat.get(name)) for name in names}
        result[case] = Named(
            label=floor_label if is_floor else " · ".join(parts),
            workload={dim.title(name): texts[name] for name in workload},
            choices={dim.title(n): texts[n] for n in choices if n not in told and n in flat},
            is_floor=is_floor,
        )
    _make_distinct(result, {c: flat for c, flat in real.items() if c not in unsupported})
    return result


def _sides(flat: dim.Flat, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """The adapter, or both where they differ: writer → reader."""
    names = [flat.get("adapter"), *([flat["peer"]] if flat.get("peer") else [])]
    return " → ".join(short_title(str(name), adapters) for name in names)


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
            named[case] = Named(f"{old.label} · {case}", old.workload, old.choices, old.is_floor)


def labels(cases: Sequence[tuple[str, str, bool]]) -> list[Label]:
    """Colours and marks for (label, adapter, is floor): one colour per adapter, if there are some.

    With a single adapter every label has a colour of its own.
    """
    adapters = list(dict.fromkeys(adapter for _, adapter, floor in cases if not floor))
    result: list[Label] = []
    variants: dict[str, int] = {}
    for text, adapter, is_floor in dict.fromkeys(cases):
        if is_floor:
            result.append(Label(text=text, adapter=adapter, colour=FLOOR_COLOUR, mark=0))
            continue
        variant = variants.setdefault(adapter, 0)
        variants[adapter] += 1
        index = adapters.index(adapter)
        colour = index if len(adapters) > 1 else variant
        result.append(Label(text=text, adapter=adapter, colour=colour, mark=index + variant))
    return result


def described(workload: Mapping[str, str]) -> str:
    """ "payload struct, rate 1 000 /s"; empty without further dimensions."""
    return ", ".join(f"{key} {text}" for key, text in workload.items() if text != ABSENT)
