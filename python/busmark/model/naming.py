"""Names and descriptions of cases: what varies between the cases of a campaign, and hence what each
must be called.

A parameter is either part of the *workload* (size, payload, rate, placement …), which must be
equal wherever two cases are compared, or a *choice* (adapter, transport, QoS …), which is what is
compared.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from busmark.facts import known_as, naming_options
from busmark.model.figure import Frozen
from busmark.model.parameters import BY_NAME, PARAMETERS, Parameters, having
from busmark.model.text import ABSENT, as_set, count, plural, size_text

Flat = dict[str, Any]

CHOICES = frozenset(name.partition(".")[0] for name in having("choice"))
"""Parameters, with everything below them, that are choices; all others are workload."""

EFFORT = having("effort")
"""Parameters that say how long is measured and how much of it is recorded. Many endpoints have
longer intervals by themselves."""

FOLLOWS = {each.name: each.leads for each in PARAMETERS if each.leads}
"""Parameters that follow from a parameter of another name: only keep-last has a depth."""

WORKLOAD = having("workload") - {"adapter"}

LEADERS = {
    each.name: tuple(name for name in each.follows if name in WORKLOAD)
    for each in PARAMETERS
    if each.role == "choice"
}
"""Parameters of the workload from which a choice follows, unless the scenario says otherwise."""

DERIVED = tuple(f"{name}." for name in having("derived"))
"""Beginnings of names of parameters that follow from others: the QoS of a background stream."""

IN_WORDS = having("described")
"""Parameters that `background`, `timeline` and `adapter` describe in words."""

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
    "free": "any CPU",
    "unstated": "placement not stated",
    "moved": "moved during rounds",
}

UNSTATED = {
    each.name: each.default for each in PARAMETERS if each.rare and each.default is not None
}
"""Values of rare parameters in cases that do not state them: only cases with another value do."""

OPTIONS = {each.name for each in PARAMETERS if each.needs == "options"}
"""Parameters that stand for options, whose values say nothing without their names."""

NAME = "workload"
"""The parameter that is a name for others."""

ALWAYS_NAMED = ("size", "rate_hz")
"""Parameters that a description of a named workload has, whether or not they vary."""

UNITS = {"_hz": " /s", "_s": " s"}
"""Endings of names, and what follows the value."""


def flatten(params: Parameters) -> Flat:
    """Return parameters with nested ones as `a.b` keys. Absent values are left out."""
    return UNSTATED | _flat(params.declared())


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
    """Return the cases with history and depth as one: keep last 1. Another history has no depth."""
    return {case: _with_whole_history(flat) for case, flat in cases.items()}


def _with_whole_history(flat: Flat) -> Flat:
    if "qos.history" not in flat or "qos.depth" not in flat:
        return flat
    whole = {name: value for name, value in flat.items() if name != "qos.depth"}
    if flat["qos.history"] == "keep_last":
        whole["qos.history"] = f"keep_last {flat['qos.depth']}"
    return whole


def is_choice(name: str) -> bool:
    """Return whether a parameter is a choice; see `CHOICES`."""
    return name.split(".")[0] in CHOICES


def varying(cases: Iterable[Flat]) -> list[str]:
    """Return names of parameters that differ between some of the cases, in order of appearance."""
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


def follows_workload(name: str, cases: Iterable[Flat]) -> bool:
    """Return whether the workload decides on a choice in all these cases, as the number of ends
    does on the depth of a history that the scenario leaves open, or a name on what it stands for.
    """
    cases = [*cases]
    leaders = {
        leader for each in (name, *FOLLOWS.get(name, ())) for leader in LEADERS.get(each, ())
    }
    leaders |= {NAME} if any(flat.get(NAME) for flat in cases) else set()
    values: dict[str, set[str]] = {}
    for flat in cases:
        known = [flat.get(leader) for leader in ("adapter", *sorted(leaders))]
        values.setdefault(_key(known), set()).add(_key(flat.get(name)))
    return bool(leaders) and all(len(of) == 1 for of in values.values())


def named_for(names: Iterable[str], cases: Sequence[Flat]) -> list[str]:
    """Return the parameters for which the name of the workload stands: every case has a name, and
    all cases of a name have the same value."""
    if not all(flat.get(NAME) for flat in cases):
        return []
    return [name for name in names if name != NAME and _is_alike(name, cases)]


def _is_alike(name: str, cases: Iterable[Flat]) -> bool:
    values: dict[str, set[str]] = {}
    for flat in cases:
        values.setdefault(str(flat[NAME]), set()).add(_key(flat.get(name)))
    return all(len(of) == 1 for of in values.values())


def names_middleware(name: str) -> bool:
    """Return whether a parameter is an option by which users know the middleware, so that it is
    part of its name."""
    group, _, option = name.rpartition(".")
    return group in ("settings", "peer_settings") and option in naming_options()


def named_workloads(cases: Iterable[Flat]) -> dict[str, str]:
    """Return what the name of each workload stands for: "324 B, rate 200 /s, best effort"."""
    flats = [_with_whole_history(flat) for flat in cases if flat.get(NAME)]
    names = dict.fromkeys((*ALWAYS_NAMED, *varying(flats)))
    found: dict[str, str] = {}
    for flat in flats:
        own = [name for name in named_for(names, flats) if flat.get(name) is not None]
        found.setdefault(str(flat[NAME]), ", ".join(_spoken(name, flat[name]) for name in own))
    return found


def _spoken(name: str, value: Any) -> str:
    if is_choice(name):
        return choice_text(name, value)
    text = value_text(name, value)
    return text if name == "size" else f"{title(name)} {text}"


def telling(names: Sequence[str], cases: Sequence[Flat]) -> list[str]:
    """Return the `names` that differ between cases of the same adapter; for parameters of a peer,
    between cases of the same peer. Parameters that the workload decides are not among them."""

    def differs(name: str) -> bool:
        owner = "peer" if name.startswith("peer_") else "adapter"
        values: dict[Any, set[str]] = {}
        for flat in cases:
            values.setdefault(flat.get(owner), set()).add(_key(flat.get(name)))
        return any(len(of) > 1 for of in values.values()) and not follows_workload(name, cases)

    return [name for name in names if differs(name)]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def title(name: str) -> str:
    """Return the name of a parameter for people."""
    plain = name.split(".", 1)[-1] if is_choice(name) else name
    label = BY_NAME[name].label if name in BY_NAME else ""
    return (label or plain.removesuffix("_s").removesuffix("_hz")).replace("_", " ")


def value_text(name: str, value: Any) -> str:
    """Return the value of a parameter for people."""
    if value is None:
        return ABSENT
    if name == "size":
        return size_text(value)
    if name in BY_NAME and isinstance(value, str):
        value = BY_NAME[name].words.get(value, value)
        if name.startswith("link_"):
            # "2ms" as the scenario has it.
            value = re.sub(r"(?<=\d)(?=[a-z%])", " ", value, count=1)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        shown = count(int(value)) if value == int(value) else as_set(value)
        return shown + next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    if isinstance(value, list):
        return ", ".join(value_text("", item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{title(key)} {value_text(key, item)}" for key, item in value.items())
    return str(value).replace("_", " ")


def choice_text(name: str, value: Any) -> str:
    """Return a choice as a part of a label: a word alone, a number or a switch with its name."""
    text = value_text(name, value)
    if text == "none":
        return f"no {title(name)}"
    alone = isinstance(value, str) and "settings." not in name and name != "peer_transport"
    alone = alone and name not in OPTIONS
    return text if alone else f"{title(name)} {text}"


def length_text(params: Parameters) -> str:
    """Return how long its rounds measure: "rounds of 0.5 s after 0.2 s of warm-up"."""
    length = "of a length that the run chooses"
    if params.duration_s is not None:
        length = f"of {params.duration_s:g} s"
    if params.samples:
        length = f"of {count(params.samples)} samples, {length.removeprefix('of ')} at most,"
    return f"rounds {length} after {params.warmup_s:g} s of warm-up"


def placement_of(params: Parameters) -> str:
    """Return the placement by which cases are distinguished: one CPU of one machine is one CPU of
    each node where participants are on several."""
    placement = str(params.placement)
    nodes = {params.writer_on, params.reader_on}
    several = params.network == "nodes" and len(nodes) > 1
    return "same-each" if placement == "same" and several else placement


def kept(placement: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the placement that these rounds of a case had: `moved` where participants were moved
    during a round that counts or, where none counts, during any."""
    counting = [row for row in rows if row["status"] == "ok"] or rows
    moved = any(MOVED.search(row.get("changed") or "") for row in counting)
    return "moved" if moved else placement


MOVED = re.compile(r"(?:^|; )(?:affinity|cpus_used): ")
"""Change of the CPUs of a participant, in the column `changed`."""


def placement_text(placement: str) -> str:
    """Return the placement in words, to follow "64 B"."""
    return PLACEMENTS.get(placement, f"on CPUs {placement}")


def placement_short(placement: str) -> str:
    """Return the placement in few words, for a selector or the name of a sheet."""
    return PLACEMENTS_SHORT.get(placement, f"CPUs {placement}")


def placement_rank(placement: str) -> tuple[int, str]:
    """Return the key by which placements are sorted for display; unknown ones come last."""
    known = list(PLACEMENTS)
    return (known.index(placement) if placement in known else len(known), placement)


class Label(Frozen):
    """Name of a curve, and the properties that decide how it looks everywhere."""

    text: str
    adapter: str
    """The name that it declares: its colour and mark are its own in every report."""
    variant: int = 0
    """Number of this label among the labels of the adapter, all of which share its hue."""
    dash: int | None = None
    """Its dash, where curves of several adapters are overlaid; None: the adapter's."""


FLOOR_ADAPTER = "null"

FLOOR_LABEL = "Busmark itself (null)"

MIDDLEWARE, SIDES = "Middleware", "Writer → reader"
"""Headings of what cases are called."""

SEPARATOR = " · "
"""Between the parts of a label."""


@dataclass(frozen=True, slots=True)
class NamedCase:
    """Names of a case, and the parameters that set it apart."""

    label: str
    workload: dict[str, str]
    choices: dict[str, str]
    is_floor: bool
    title: str
    """Heading of the column of labels: "Middleware" or "Reliability", for example."""
    parts: dict[str, str]
    """The middleware, and each choice that the label tells, by what it is."""


def library_name(adapter: str) -> str:
    """Return the name of an adapter, for a path its library's."""
    if "/" not in adapter:
        return adapter
    return PurePath(adapter).stem.removeprefix("lib").removeprefix("busmark_")


def short_names(adapters: Iterable[str]) -> dict[str, str]:
    """Return names of adapters without their folders, but with the part of the path by which
    libraries of one file name differ: "a/udp"."""
    alike: dict[str, list[str]] = {}
    for adapter in dict.fromkeys(adapters):
        alike.setdefault(library_name(adapter), []).append(adapter)
    return {
        adapter: f"{part}/{name}" if part and len(own) > 1 else name
        for name, own in alike.items()
        for adapter, part in _apart(own).items()
    }


def _apart(adapters: Sequence[str]) -> dict[str, str]:
    """Return what sets each of these apart: the library's name, else the nearest folder that no
    other has at that place, else all folders; empty for a name without folders."""
    places = {
        adapter: (library_name(adapter), *PurePath(adapter).parts[-2::-1]) for adapter in adapters
    }
    found = {}
    for name, own in places.items():
        others = [parts for other, parts in places.items() if other != name]
        alone = (
            part
            for place, part in enumerate(own)
            if all(part not in parts[place : place + 1] for parts in others)
        )
        folders = str(PurePath(name).parent) if "/" in name else ""
        found[name] = next(alone, folders)
    return found


def short_title(adapter: str, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the adapter's title, or its name where it has none; of a library by its path that has
    the title of another also what sets it apart."""
    title = adapters.get(adapter, {}).get("title")
    if not title:
        return adapter
    alike = [name for name, each in adapters.items() if each.get("title") == title]
    part = _apart(alike)[adapter] if len(alike) > 1 and "/" in adapter else ""
    return f"{title} ({part})" if part else str(title)


def name_cases(
    cases: Mapping[str, Flat],
    adapters: Mapping[str, Mapping[str, Any]],
    unsupported: Container[str] = (),
) -> dict[str, NamedCase]:
    """Name cases, given by their flat parameters, test by test.

    What only unsupported cases have is not in the names of the others, and what all of them
    have in common is in none.
    """
    cases = with_whole_history(cases)
    named: dict[str, NamedCase] = {}
    for test in dict.fromkeys(flat.get("test") for flat in cases.values()):
        of_test = {case: flat for case, flat in cases.items() if flat.get("test") == test}
        named |= _name_test(of_test, adapters, unsupported)
    return _without_sides({case: named[case] for case in cases}, cases, unsupported)


def _name_test(
    cases: Mapping[str, Flat],
    adapters: Mapping[str, Mapping[str, Any]],
    unsupported: Container[str],
) -> dict[str, NamedCase]:
    real = {c: flat for c, flat in cases.items() if flat.get("adapter") != FLOOR_ADAPTER}
    only_floor = not real
    real = real or dict(cases)
    compared = [flat for case, flat in real.items() if case not in unsupported]
    compared = compared or list(real.values())
    names = [name for name in varying(compared) if not names_middleware(name)]
    said = named_for(names, compared)
    names = [name for name in names if name not in said]
    if NAME not in names and all(flat.get(NAME) for flat in compared):
        names.insert(0, NAME)
    choices = [name for name in names if is_choice(name)]
    workload = [name for name in names if not is_choice(name)]
    text = telling(choices, compared)
    result = {}
    for case, flat in cases.items():
        is_floor = flat.get("adapter") == FLOOR_ADAPTER and not only_floor
        own = [name for name in text if name in flat]
        spoken = [_sides(flat, adapters), *(choice_text(name, flat[name]) for name in own)]
        texts = {name: value_text(name, flat.get(name)) for name in names}
        sides = SIDES if any(each.get("peer") for each in compared) else MIDDLEWARE
        result[case] = NamedCase(
            label=FLOOR_LABEL if is_floor else SEPARATOR.join(spoken),
            workload={title(name): texts[name] for name in workload},
            choices={title(n): texts[n] for n in choices if n not in text and n in flat},
            is_floor=is_floor,
            title=_capitalised(SEPARATOR.join([sides, *map(title, text)])),
            parts={sides: spoken[0]} | {title(name): texts[name] for name in own},
        )
    _make_distinct(result, {c: flat for c, flat in real.items() if c not in unsupported})
    return result


def _sides(flat: Flat, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the adapter, or both where they differ: writer → reader."""
    sides = [("adapter", "settings."), *([("peer", "peer_settings.")] if flat.get("peer") else [])]
    return " → ".join(_side(str(flat.get(side)), flat, begin, adapters) for side, begin in sides)


def _side(adapter: str, flat: Flat, begin: str, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the name that users have for a side with its options, else the adapter's title."""
    declared = adapters.get(adapter, {})
    name, version = declared.get("name") or adapter, declared.get("middleware_version") or ""
    settings = {key.removeprefix(begin): flat[key] for key in flat if key.startswith(begin)}
    return known_as(str(name), str(version), settings) or short_title(adapter, adapters)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _make_distinct(named: dict[str, NamedCase], cases: Mapping[str, Flat]) -> None:
    """Append its identifier to the label of each case that would still look like another."""
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
    named: Mapping[str, NamedCase], cases: Mapping[str, Flat], unsupported: Container[str]
) -> dict[str, NamedCase]:
    """Return the names without their first part where all comparable cases have it in common and
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
    """Make labels from (label, adapter, is floor): each once, variants of one adapter numbered."""
    result: list[Label] = []
    variants: dict[str, int] = {}
    for text, adapter, is_floor in dict.fromkeys(cases):
        variant = 0 if is_floor else variants.get(adapter, 0)
        if not is_floor:
            variants[adapter] = variant + 1
        result.append(Label(text=text, adapter=adapter, variant=variant))
    return result


def meant(names: Iterable[str], wanted: str) -> list[str]:
    """Return cases of DIR#CASE: the one with this name or number, or all matching this pattern."""
    known = list(names)
    if wanted in known:
        return [wanted]
    numbered = [name for name in known if name.partition("-")[0] == wanted]
    return numbered or fnmatch.filter(known, wanted)


def described(workload: Mapping[str, str]) -> str:
    """Describe the workload: "payload struct, rate 1 000 /s"; empty without further dimensions. Its
    name stands for itself."""
    return ", ".join(
        text if key == NAME else f"{key} {text}" for key, text in workload.items() if text != ABSENT
    )


FIGURES = {
    "latency": "median RTT/2",
    "throughput": "goodput",
    "capacity": "sustained goodput",
    "discovery": "median time to the first sample",
    "response": "median response time",
    "service": "median response time",
    "service-capacity": "sustained rate of requests",
    "accepted": "median time until a goal is accepted",
    "one_way": "median one-way latency",
    "matching": "time until all had matched",
    "recovery": "time from the last change to the next sample",
}
"""Names of headline figures, by kind of headline."""


def figure_of(kind: str) -> str:
    """Return what cases with this kind of headline are compared by."""
    return FIGURES.get(kind, FIGURES["latency"])


def by_reason(cases: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names of cases, or of whatever lacks something, by the reason why."""
    found: dict[str, list[str]] = {}
    for name, reason in cases:
        found.setdefault(reason, []).append(name)
    return found


MOST_SPANS = 6
"""Spans of numbers of cases that are named."""


def cases_text(names: Sequence[str]) -> str:
    """Return a name, or how many cases these are with the numbers with which their names begin:
    "5 cases (001 to 004, 009)"; without the numbers where these are too scattered to be read."""
    if len(names) == 1:
        return names[0]
    heads = [name.partition("-")[0] for name in names]
    if not all(head.isdigit() for head in heads):
        return f"{plural(len(names), 'case')} ({', '.join(names)})"
    spans: list[list[str]] = []
    for head in sorted(heads, key=int):
        if spans and int(head) == int(spans[-1][-1]) + 1:
            spans[-1] = [spans[-1][0], head]
        else:
            spans.append([head])
    if len(spans) > MOST_SPANS:
        return plural(len(names), "case")
    return f"{plural(len(names), 'case')} ({', '.join(' to '.join(span) for span in spans)})"
