"""From a scenario to its cases: every point of the matrix, with all defaults settled."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from math import prod
from typing import Any

from pydantic_core import to_jsonable_python

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.model.naming import NAME, length_text, names_middleware, short_names
from busmark.model.parameters import BY_NAME, PARAMETERS, Parameters
from busmark.model.settling import UNSTATED, SettlingPoint, World, policies
from busmark.model.units import file_size
from busmark.plan.background import background
from busmark.plan.duration import interval_s
from busmark.plan.timeline import timeline
from busmark.plan.unsupported import LINK, absent_rmw, unsupported
from busmark.scenario import Scenario
from busmark.scenario.matrix import TABLES, Matrix, adapter_of
from busmark.scenario.section import UNSECURED
from busmark.store import Case

# Names of cases: what tells each apart from the others of its scenario.
#
# A name is all that plan, progress, findings, file names and `DIR#CASE` show of a case. So it
# carries every parameter that varies, QoS and options included.

Values = dict[str, Any]

NESTED = {"qos": ("adapter", "peer", "test"), "settings": ("adapter",), "peer_settings": ("peer",)}
"""Parameters that are tables themselves, and what their values are compared within: that another
adapter has no such QoS or option is said by its name."""

ORDER = (
    NAME, "peer", "transport", "peer_transport", "payload", "size", "size_distribution", "wait",
    "placement", "profile", "security",
    "rate_hz", "arrivals", "applications", "topics", "writers", "readers", "publishers",
    "subscribers", "topology",
    "batch", "batch_ack", "stream_hz", "instances", "filter_below", "new", "creates", "existing",
    "writer_on", "reader_on",
    "link_rate", "link_loss", "link_delay", "link_jitter", "link_burst", "link_reassembly",
    "load", "load_on",
)  # fmt: skip
"""Parameters in the order in which names have them; all others follow, as the points state them."""

LAST = ("settings", "peer_settings", "qos", "chosen_flows", "side")
"""Parameters that follow all others in a name."""

UNSET = {"None", "none"}

LONGEST = 160
"""Characters of a name: file names have 255 bytes, and something is added to them."""


def identifiers(points: Sequence[Values]) -> list[str]:
    """Return the name of each case of a scenario, with its number first."""
    flat = [_flat(point) for point in points]
    shown = _varying(flat)
    short = short_names(point["adapter"] for point in flat)
    return [
        _identifier(index, point, shown, short[point["adapter"]])
        for index, point in enumerate(flat)
    ]


def alike(points: Sequence[Values]) -> dict[str, Any]:
    """Return what the plan settles in the same way for all cases because the scenario does not;
    their names do not say it."""
    flat = [_flat(point) for point in points]
    settled = [each.name for each in PARAMETERS if each.settled]
    values = {name: {str(point.get(name)) for point in flat} for name in settled}
    same = [name for name, found in values.items() if len(found) == 1 and not found <= UNSET]
    return {name: flat[0][name] for name in same}


def in_common(cases: Sequence[Case]) -> str:
    """Return what all cases have in common that a default may have settled: lengths of rounds, and
    `alike`; empty without cases."""
    params = [case.params for case in cases]
    words = [f"{name} {value}" for name, value in alike([p.declared() for p in params]).items()]
    lengths = {length_text(each) for each in params}
    words += lengths if len(lengths) == 1 else ()
    return ", ".join(words)


def _flat(point: Values) -> Values:
    flat: Values = {}
    for name in sorted(point, key=lambda name: LAST.index(name) + 1 if name in LAST else 0):
        value = point[name]
        if name in NESTED:
            flat |= {f"{name}.{key}": of for key, of in (value or {}).items()}
        else:
            flat[name] = value
    return flat


def _varying(points: Sequence[Values]) -> list[str]:
    """Return parameters with more than one value, in the order of the name; and the size. The name
    of a workload stands for whatever an adapter's cases of this name have in common."""
    names = dict.fromkeys((*ORDER, *(name for point in points for name in point)))
    named = (name for name in names if name not in BY_NAME or BY_NAME[name].named)
    if all(point.get(NAME) for point in points):
        within = ("adapter", "peer", NAME)
        return [name for name in named if name == NAME or _varies(name, points, within)]
    return [name for name in named if name == "size" or _varies(name, points)]


def _varies(name: str, points: Sequence[Values], within: Sequence[str] = ()) -> bool:
    follows = BY_NAME[name].follows if name in BY_NAME else ()
    within = (*within, *NESTED.get(name.partition(".")[0], ()), *follows)
    values: dict[tuple[str, ...], set[str]] = {}
    for point in points:
        of = tuple(str(point.get(key)) for key in within)
        values.setdefault(of, set()).add(str(point.get(name)))
    return any(len(of) > 1 for of in values.values())


def _identifier(index: int, point: Values, shown: Iterable[str], adapter: str) -> str:
    parts = [point["test"], *adapter.split("/")]
    for name in shown:
        value = point.get(name)
        if value is None or (name == "transport" and value == adapter):
            continue
        if name == "security" and value == UNSECURED:
            continue
        if name == "size" and point["size_distribution"]:
            continue
        parts.append(_part(name, value))
    name = "-".join(filter(None, (_for_file_names(part) for part in parts)))
    if len(name) > LONGEST:
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
        name = f"{name[: LONGEST - 9]}-{digest}"
    return f"{index:03d}-{name}"


def _part(name: str, value: Any) -> str:
    if isinstance(value, float):
        # All of its digits: two rates that differ have two names.
        value = f"{value:.0f}" if value.is_integer() else repr(value)
    if name == "security":
        return f"secured{value}"
    if name == NAME:
        # A name of a file has no spaces.
        return "".join(word[:1].upper() + word[1:] for word in str(value).split())
    known = BY_NAME.get(name)
    group, _, key = name.partition(".")
    if group not in NESTED:
        return f"{value}{known.suffix if known else ''}"
    if (known and known.alone) or names_middleware(name):
        return str(value)
    if key.endswith("_s"):
        return f"{key.removesuffix('_s')}{value}s"
    return f"peer{key}{value}" if group == "peer_settings" else f"{key}{value}"


def _for_file_names(text: str) -> str:
    for sign, word in (("+", "and"), (",", "to"), ("%", "pct")):
        text = text.replace(sign, word)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)


DIMENSIONS = tuple(name for name in Matrix.model_fields if name not in TABLES)
"""Lists of the matrix besides QoS, links and options."""

MAX_CASES = 10_000
"""More would take days, and are a slip of the pen."""


def expand(scenario: Scenario, adapters: dict[str, Adapter]) -> list[Case]:
    """Return the cases of the scenario, in the order of the file; those that cannot run say why."""
    _check_size([matrix for _, matrix in scenario.matrices])
    world, measure = _world(scenario, adapters), scenario.measure.model_dump()
    points = [
        _settle({**asked, **measure, **_side(scenario, side)}, world, scenario, adapters)
        for side, matrix in scenario.matrices
        for asked in _points(matrix)
    ]
    # Whatever the order in which the values of a QoS were settled.
    unique = list(
        {json.dumps(p, sort_keys=True, default=to_jsonable_python): p for p in points}.values()
    )
    named = {
        name: Parameters.model_validate(point)
        for name, point in chosen(identifiers(unique), unique, scenario.only)
    }
    absent = absent_rmw(named.values(), adapters)
    cases = []
    for name, params in named.items():
        reason = unsupported(params, adapters, absent)
        if reason is None:
            params = params.changed(interval_s=interval_s(params))
        cases.append(
            Case(
                id=name, params=params, status="unsupported" if reason else "planned", reason=reason
            )
        )
    return cases


def chosen(
    names: Sequence[str], points: Sequence[dict[str, Any]], only: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Return names and points of the cases that are asked for; the names are as among all cases.

    Raises:
        UserError: a word or pattern chooses none.
    """
    cases = list(zip(names, points, strict=True))
    for wanted in only:
        if not any(_is_meant(name, wanted) for name in names):
            raise UserError(
                f"{wanted!r} chooses none of {len(names)} cases",
                where="only",
                remedy=f"Cases have names such as {names[0]}; `busmark plan` lists them.",
            )
    return [case for case in cases if not only or any(_is_meant(case[0], each) for each in only)]


def _is_meant(name: str, wanted: str) -> bool:
    """Return whether a word is in the name, or a pattern matches the whole of it."""
    return fnmatchcase(name, wanted) if set("*?[") & set(wanted) else wanted in name


def _side(scenario: Scenario, name: str | None) -> dict[str, Any]:
    """Return the side of a case, and how its processes are started; nothing without sides."""
    if name is None:
        return {}
    side = scenario.sides[name]
    variables = " ".join(shlex.quote(f"{key}={v}") for key, v in side.environment.items())
    return {"side": name, "side_environment": variables or None, "side_prefix": side.prefix or None}


def _check_size(matrices: list[Matrix]) -> None:
    total = 0
    for matrix in matrices:
        common = prod(len(getattr(matrix, name)) for name in DIMENSIONS if name != "adapter")
        common *= prod(len(getattr(matrix.qos, name)) for name in type(matrix.qos).model_fields)
        common *= prod(len(getattr(matrix.link, name)) for name in LINK)
        total += sum(
            common * prod(len(values) for values in _options(matrix, adapter).values())
            for adapter in matrix.adapter
        )
    if total > MAX_CASES:
        raise UserError(
            f"{total} cases, at most {MAX_CASES}",
            where="matrix",
            remedy="Every list multiplies the cases: shorten some, or split the scenario.",
        )


def _options(matrix: Matrix, adapter: str) -> dict[str, list[str]]:
    return {
        name.rpartition(".")[2]: values
        for name, values in matrix.option.items()
        if adapter_of(name) == adapter
    }


def _points(matrix: Matrix) -> Iterator[dict[str, Any]]:
    dimensions = {name: getattr(matrix, name) for name in DIMENSIONS}
    dimensions |= {f"link_{name}": getattr(matrix.link, name) for name in LINK}
    qos = {name: getattr(matrix.qos, name) for name in type(matrix.qos).model_fields}
    for point in _product(dimensions):
        sides = (_options(matrix, point[side]) for side in ("adapter", "peer"))
        for tables in itertools.product(*map(_product, (qos, *sides))):
            yield point | dict(zip(("qos", "settings", "peer_settings"), tables, strict=True))


def _product(lists: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield every choice of one value of each list, the last varying first."""
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _world(scenario: Scenario, adapters: dict[str, Adapter]) -> World:
    profiles = {profile for _, matrix in scenario.matrices for profile in matrix.security}
    body_file = scenario.measure.body_file
    return World(
        capabilities={name: adapter.capabilities or {} for name, adapter in adapters.items()},
        lab_nodes=tuple(scenario.lab_nodes),
        user_nodes=tuple(scenario.nodes),
        fifo=scenario.run.fifo,
        secured=profiles != {UNSECURED},
        body_bytes=file_size(body_file) if body_file else 0,
        statistic=scenario.rounds.statistic,
    )


def _settle(
    asked: dict[str, Any], world: World, scenario: Scenario, adapters: dict[str, Adapter]
) -> dict[str, Any]:
    """Replace defaults by their values, so that the case says how it was run."""
    point = SettlingPoint(asked, world)
    for each in PARAMETERS:
        value = asked.get(each.name, UNSTATED)
        if each.rare and value == each.initial:
            continue
        if each.settle:
            value = each.settle(value, point)
        elif each.default is None:
            value = value or None
        if value is not UNSTATED:
            point[each.name] = value
    own = background(scenario, point, adapters, partial(policies, point), point["background"])
    return {**point, **own, **timeline(scenario)}


def order(cases: Sequence[Case], round_number: int, seed: int) -> list[Case]:
    """Shuffle the cases of one round: every round of the campaign has another order, the same seed
    always the same."""
    shuffled = list(cases)
    random.Random(f"{seed}/{round_number}").shuffle(shuffled)
    return shuffled
