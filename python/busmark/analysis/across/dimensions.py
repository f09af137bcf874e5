"""What varies between the cases of a campaign, and hence what a case must be called.

A parameter is either part of the *workload* (size, payload, rate, placement …), which must be
equal wherever two cases are compared, or a *choice* (adapter, transport, QoS …), which is what is
compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from busmark.analysis.words.text import ABSENT, count, number, size_text
from busmark.model.parameters import BY_NAME, PARAMETERS, Parameters, having

Flat = dict[str, Any]

CHOICES = frozenset(name.partition(".")[0] for name in having("choice"))
"""Parameters, with everything below them, that are choices; all others are workload."""

EFFORT = having("effort")
"""How long is measured and how much of it is recorded. Many endpoints have longer intervals by
themselves."""

FOLLOWS = {each.name: each.leads for each in PARAMETERS if each.leads}
"""What follows from a parameter of another name: only keep-last has a depth."""

DERIVED = tuple(f"{name}." for name in having("derived"))
"""What follows from other parameters: the QoS of a stream beside pings."""

IN_WORDS = having("told")
"""What the parameters `beside`, `timeline` and `adapter` tell in words."""

PLACEMENTS = {
    "same": "on one CPU",
    "same-each": "on one CPU of each node",
    "different": "on different CPUs",
    "free": "placed by the scheduler",
    "unstated": "(placement not stated)",
    "moved": "(moved to other CPUs during rounds)",
}

PLACEMENTS_SHORT = {
    "same": "one CPU",
    "same-each": "one CPU of each node",
    "different": "different CPUs",
    "free": "free",
    "unstated": "placement not stated",
    "moved": "moved during rounds",
}

UNSTATED = {
    each.name: each.default for each in PARAMETERS if each.rare and each.default is not None
}
"""What cases have that do not state it, for only those state it that have another."""

OPTIONS = {each.name for each in PARAMETERS if each.needs == "options"}
"""Parameters that stand for options, whose values say nothing without their names."""

UNITS = {"_hz": " /s", "_s": " s"}
"""Endings of names, and what follows the value."""


def flatten(params: Parameters) -> Flat:
    """Nested parameters as `a.b` keys. Absent values are left out."""
    return UNSTATED | _flat(params.stated())


def _flat(params: Mapping[str, Any], prefix: str = "") -> Flat:
    flat: Flat = {}
    for key, value in params.items():
        if key in IN_WORDS:
            continue
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        elif value is not None:
            flat[prefix + key] = value
    return flat


def with_whole_history(cases: Mapping[str, Flat]) -> dict[str, Flat]:
    """The cases with history and depth as one: keep last 1. Another history has no depth."""
    return {case: _with_whole_history(flat) for case, flat in cases.items()}


def _with_whole_history(flat: Flat) -> Flat:
    if "qos.history" not in flat or "qos.depth" not in flat:
        return flat
    whole = {name: value for name, value in flat.items() if name != "qos.depth"}
    if flat["qos.history"] == "keep_last":
        whole["qos.history"] = f"keep_last {flat['qos.depth']}"
    return whole


def is_choice(name: str) -> bool:
    """Whether a parameter is a choice; see `CHOICES`."""
    return name.split(".")[0] in CHOICES


def varying(cases: Iterable[Flat]) -> list[str]:
    """Names of the parameters that differ between some of the cases, in order of appearance."""
    cases = list(cases)
    names = dict.fromkeys(name for flat in cases for name in flat)
    skipped = EFFORT | {each.name for each in PARAMETERS if each.apart}
    return [
        name
        for name in names
        if name not in skipped
        and not name.startswith(DERIVED)
        and len({_key(flat.get(name)) for flat in cases}) > 1
    ]


def telling(names: Sequence[str], cases: Sequence[Flat]) -> list[str]:
    """The `names` that differ between cases of the same adapter; for parameters of a peer, between
    cases of the same peer."""

    def differs(name: str) -> bool:
        owner = "peer" if name.startswith("peer_") else "adapter"
        values: dict[Any, set[str]] = {}
        for flat in cases:
            values.setdefault(flat.get(owner), set()).add(_key(flat.get(name)))
        return any(len(of) > 1 for of in values.values())

    return [name for name in names if differs(name)]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def title(name: str) -> str:
    """A parameter's name for people."""
    plain = name.split(".", 1)[-1] if is_choice(name) else name
    label = BY_NAME[name].label if name in BY_NAME else ""
    return (label or plain.removesuffix("_s").removesuffix("_hz")).replace("_", " ")


def value_text(name: str, value: Any) -> str:
    """A parameter's value for people."""
    if value is None:
        return ABSENT
    if name == "size":
        return size_text(value)
    if name in BY_NAME and isinstance(value, str):
        value = BY_NAME[name].words.get(value, value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        shown = count(int(value)) if value == int(value) else number(value)
        return shown + next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    if isinstance(value, list):
        return ", ".join(value_text("", item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{title(key)} {value_text(key, item)}" for key, item in value.items())
    return str(value).replace("_", " ")


def choice_text(name: str, value: Any) -> str:
    """A choice as a part of a label: words stand alone, numbers and switches need their name."""
    text = value_text(name, value)
    if text == "none":
        return f"no {title(name)}"
    alone = isinstance(value, str) and "settings." not in name and name != "peer_transport"
    alone = alone and name not in OPTIONS
    return text if alone else f"{title(name)} {text}"


def placement_of(params: Parameters) -> str:
    """The placement as cases are told apart by it: what is one CPU on one machine is one of each
    on several."""
    placement = str(params.placement)
    nodes = {params.writer_on, params.reader_on}
    several = params.network == "nodes" and len(nodes) > 1
    return "same-each" if placement == "same" and several else placement


def kept(placement: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The placement that these rounds of a case had: `moved` where participants were moved during
    one that counts, or during all that there are."""
    counting = [row for row in rows if row["status"] == "ok"] or rows
    moved = any(MOVED.search(row.get("changed") or "") for row in counting)
    return "moved" if moved else placement


MOVED = re.compile(r"(?:^|; )(?:affinity|cpus_used): ")
"""In the column `changed`."""


def placement_text(placement: str) -> str:
    """In words, to follow "64 B"."""
    return PLACEMENTS.get(placement, f"on CPUs {placement}")


def placement_short(placement: str) -> str:
    """For a selector, or the name of a sheet."""
    return PLACEMENTS_SHORT.get(placement, f"CPUs {placement}")


def placement_rank(placement: str) -> tuple[int, str]:
    """Order in which placements are shown."""
    known = list(PLACEMENTS)
    return (known.index(placement) if placement in known else len(known), placement)
