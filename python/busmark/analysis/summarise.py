"""From a result directory to the analysed campaign, two cases in memory at a time."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any, NamedTuple

from busmark.adapters.known import known
from busmark.analysis.across import dimensions as dim
from busmark.analysis.across.contest import Rounds, standings
from busmark.analysis.across.effects import effects
from busmark.analysis.across.fits import size_fits
from busmark.analysis.across.floor import Floors
from busmark.analysis.across.grouping import differing_choices, groups
from busmark.analysis.across.growth import growths
from busmark.analysis.across.interop import matrices
from busmark.analysis.across.judged import Judged
from busmark.analysis.across.overall import carried
from busmark.analysis.across.repeated import repeated
from busmark.analysis.across.type_cost import type_costs
from busmark.analysis.beside import Helper, every
from busmark.analysis.case import series
from busmark.analysis.case.capacity import with_network_capacity
from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.model import Campaign, CaseSummary, RoundCommand
from busmark.analysis.one_case import CaseAnalysis, Task
from busmark.analysis.read import rounds
from busmark.analysis.words.breaking import breaking
from busmark.analysis.words.naming import labels, name_cases
from busmark.analysis.words.unreached import unreached
from busmark.errors import UserError
from busmark.model.parameters import Parameters
from busmark.store import Case, Manifest, Result

LEFT_OUT = 8
"""Imported files, or parts of them, that were not read: more are counted."""
BASELINE = "baseline"
"""Family of adapters."""


def summarise(
    result: Result, *, with_series: bool = True, helper: Helper | None = None
) -> Campaign:
    """Analyse a result; without series the plots' points are left out. A `helper` takes a part of
    the cases.

    Damaged or missing files are listed in `Campaign.problems`, the rest is used.
    """
    manifest = result.manifest
    rows = rounds.rows_of(result.cases)
    params = {case.id: case_params(case, rows.get(case.id, [])) for case in manifest.cases}
    flats = {case: dim.flatten(p) for case, p in params.items()}
    unsupported = {case.id for case in manifest.cases if case.status == "unsupported"}
    named = name_cases(flats, manifest.adapters, unsupported)
    thinning = series.Thinning.of(
        cases=sum(c.status == "planned" for c in manifest.cases),
        rounds=sum(map(len, rows.values())),
    )

    source = manifest.source
    tools = {f.name: f.tool for f in source.files} if source else {}

    common = CaseAnalysis(result, with_series, thinning, tools)
    tasks = [Task(c, params[c.id], named[c.id], rows.get(c.id, [])) for c in manifest.cases]
    found = every(common, tasks, helper)
    cases = [case for case, _ in found]
    left_out = source.left_out if source else []
    problems = [*result.damage, *left_out[:LEFT_OUT]]
    if more := len(left_out) - len(left_out[:LEFT_OUT]):
        problems.append(f"{more} more: left_out in manifest.json")
    problems += [problem for _, told in found for problem in told]
    cases = with_network_capacity(_with_floors(cases, flats))
    cases = _with_baselines(cases, manifest.adapters)
    cases, in_perftest = repeated(result, cases, manifest.scenario.get("document"))
    grouped = groups(cases)
    by_id = {case.id: case for case in cases}
    fits = size_fits(cases, manifest.seed)
    step_ns = manifest.hosts.get("", {}).get("clock_step_ns") or 0.0
    counted = Rounds(cases, rows, interleaved=source is None, step_ns=step_ns)
    ranked, costs = standings(counted, manifest.findings), effects(counted)
    required = _required(result, cases)
    problems += required.problems
    return Campaign(
        requirements=required.judged,
        name=str(manifest.scenario.get("name") or "unnamed campaign"),
        question=manifest.scenario.get("question") or None,
        document=manifest.scenario.get("document") or None,
        answers=[
            *unreached(cases),
            *type_costs(cases, manifest.adapters),
            *breaking(cases),
            *(
                each
                for group in grouped
                for each in carried(group, [by_id[c] for c in group.cases])
            ),
        ],
        standings=ranked,
        effects=costs,
        differing_choices=differing_choices(grouped, by_id),
        source=manifest.source,
        created_utc=manifest.created_utc,
        finished_utc=manifest.finished_utc,
        busmark_version=manifest.busmark_version,
        command=manifest.command,
        seed=manifest.seed,
        scenario_text=manifest.scenario_text,
        commands=_commands(result),
        criterion=manifest.scenario.get("capacity") or {},
        confidence=CONFIDENCE,
        hosts=manifest.hosts,
        resumptions=manifest.resumptions,
        adapters=manifest.adapters,
        missing_adapters=manifest.missing_adapters,
        findings=manifest.findings,
        problems=problems,
        labels=labels([(c.label, _declared(c.adapter, manifest), c.is_floor) for c in cases]),
        groups=grouped,
        interop=matrices(cases, manifest.adapters),
        growths=growths(cases, rows, manifest.seed),
        fits=fits,
        cases=cases,
        perftest=in_perftest,
    )


def _commands(result: Result) -> list[RoundCommand]:
    """Return the commands around rounds; none of them twice."""
    runs: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in result.commands:
        runs.setdefault((each["when"], each["command"], each["node"]), []).append(each)
    return [
        RoundCommand(
            when=when, command=command, node=node, runs=len(own),
            failed=sum(each["reason"] is not None for each in own),
            median_s=median(each["seconds"] for each in own),
        )
        for (when, command, node), own in runs.items()
        if when in ("prepare", "conclude")
    ]  # fmt: skip


class _Required(NamedTuple):
    judged: list[Judged]
    problems: list[str]


def _required(result: Result, cases: list[CaseSummary]) -> _Required:
    """What cases say to the requirements of the scenario."""
    written = result.manifest.scenario.get("require") or []
    if not written:
        return _Required([], [])
    # Only here: what judges rests on the analysis itself.
    from busmark.compare.requirements import judge
    from busmark.scenario.requirement import RequireSection

    try:
        sections = [RequireSection.model_validate(each) for each in written]
        return _Required(judge(result, cases, [each.requirement() for each in sections]), [])
    except (UserError, ValueError) as error:
        return _Required([], [f"requirements: {error}"])


def _declared(adapter: str, manifest: Manifest) -> str:
    """The adapter's own name, also where the scenario names a file of it."""
    return str(manifest.adapters.get(adapter, {}).get("name") or adapter)


def case_params(case: Case, rows: list[rounds.Row]) -> Parameters:
    """Parameters from the manifest, completed by what the rounds say."""
    known = ("test", "adapter", "placement", "size")
    first = rows[0] if rows else {}
    absent = [name for name in known if name not in case.params.model_fields_set]
    return case.params.changed(
        **{name: first[name] for name in absent if first.get(name) is not None}
    )


def _with_baselines(
    cases: list[CaseSummary], adapters: Mapping[str, Mapping[str, Any]]
) -> list[CaseSummary]:
    """Those of plain sockets and other baselines are marked."""
    return [
        case.model_copy(update={"is_baseline": _family(case.adapter, adapters) == BASELINE})
        for case in cases
    ]


def _family(adapter: str, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """By the name that the adapter declares; one that this release does not know is no baseline."""
    name = str(adapters.get(adapter, {}).get("name") or adapter)
    return known()[name].family if name in known() else ""


def _with_floors(cases: list[CaseSummary], flats: Mapping[str, dim.Flat]) -> list[CaseSummary]:
    """Every case of a middleware gets the nearest measured case of the null adapter."""
    floors = Floors({c.id: flats[c.id] for c in cases if c.is_floor and c.headline is not None})
    return [
        c if c.is_floor else c.model_copy(update={"floor": floors.nearest(flats[c.id])})
        for c in cases
    ]
