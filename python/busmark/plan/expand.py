"""From a scenario to its cases: every point of the matrix, with all defaults settled."""

from __future__ import annotations

import itertools
import json
import random
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from math import prod
from typing import Any

from pydantic_core import to_jsonable_python

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.model.parameters import PARAMETERS, Parameters
from busmark.model.settling import UNSTATED, Point, World, policies
from busmark.model.sizes import file_size
from busmark.plan.background import background
from busmark.plan.duration import interval_s
from busmark.plan.names import identifiers
from busmark.plan.timeline import timeline
from busmark.plan.unsupported import LINK, unsupported
from busmark.scenario import Scenario
from busmark.scenario.matrix import TABLES, Matrix, adapter_of
from busmark.scenario.security import UNSECURED
from busmark.store import Case

DIMENSIONS = tuple(name for name in Matrix.model_fields if name not in TABLES)
"""Lists of the matrix besides QoS, links and options."""

MAX_CASES = 10_000
"""More would take days, and are a slip of the pen."""


def expand(scenario: Scenario, adapters: dict[str, Adapter]) -> list[Case]:
    """Every case of the scenario, in the order of the file; those that cannot run say why."""
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
    cases = []
    for name, point in chosen(identifiers(unique), unique, scenario.only):
        params = Parameters.model_validate(point)
        reason = unsupported(params, adapters)
        if reason is None:
            params = params.changed(interval_s=interval_s(params))
        cases.append(Case(
            id=name, params=params, status="unsupported" if reason else "planned", reason=reason,
        ))  # fmt: skip
    return cases


def chosen(
    names: Sequence[str], points: Sequence[dict[str, Any]], only: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Names and points of the cases that are asked for, each with the name that it has among all.

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
    """A word is looked for in the name; a pattern stands for the whole of it."""
    return fnmatchcase(name, wanted) if set("*?[") & set(wanted) else wanted in name


def _side(scenario: Scenario, name: str | None) -> dict[str, Any]:
    """The side of a case, and how its processes are started; nothing where there are no sides."""
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
    """Dimensions of the adapter's own."""
    return {
        name.rpartition(".")[2]: values
        for name, values in matrix.option.items()
        if adapter_of(name) == adapter
    }


def _points(matrix: Matrix) -> Iterator[dict[str, Any]]:
    """What each point of one matrix asks for, by parameter."""
    dimensions = {name: getattr(matrix, name) for name in DIMENSIONS}
    dimensions |= {f"link_{name}": getattr(matrix.link, name) for name in LINK}
    qos = {name: getattr(matrix.qos, name) for name in type(matrix.qos).model_fields}
    for point in _product(dimensions):
        sides = (_options(matrix, point[side]) for side in ("adapter", "peer"))
        for tables in itertools.product(*map(_product, (qos, *sides))):
            yield point | dict(zip(("qos", "settings", "peer_settings"), tables, strict=True))


def _product(lists: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every choice of one value of each list, the last varying first."""
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
    """Defaults become what they stand for, so that the case says what was run."""
    point = Point(asked, world)
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
    own = background(scenario, point, adapters, partial(policies, point), point["beside"])
    return {**point, **own, **timeline(scenario)}


def order(cases: Sequence[Case], round_number: int, seed: int) -> list[Case]:
    """The cases of one round, shuffled: every round of the campaign in another order, the same seed
    always in the same."""
    shuffled = list(cases)
    random.Random(f"{seed}/{round_number}").shuffle(shuffled)
    return shuffled
