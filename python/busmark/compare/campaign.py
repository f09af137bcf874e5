"""The analysed campaign: the one document that every report draws.

It is also what `busmark show --json` prints; `Campaign.model_json_schema()` is its schema. Times
are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What is not known is null, never 0. `summarise`
makes it of a result directory, two cases in memory at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import log2
from statistics import median
from typing import Any, Literal, NamedTuple

from pydantic import Field

from busmark.compare.answers import Answer, breaking, carried, type_costs, unreached
from busmark.compare.effects import Effect, effects
from busmark.compare.fits import DiscoveryGrowth, SizeFit, growths, size_fits
from busmark.compare.matrix import PairMatrix, matrices
from busmark.compare.ranking import Group, Ranking, differing_choices, groups, rankings
from busmark.compare.requirements import RequirementVerdict, judge
from busmark.compare.rounds import Rounds
from busmark.errors import UserError
from busmark.estimate.all_cases import EarlyCases, every
from busmark.estimate.capacity import directions, rated_mbit_per_s, specified_mbit_per_s
from busmark.estimate.one_case import CaseFigures, inside, record, tasks_of
from busmark.estimate.rounds import Row
from busmark.facts import adapter_facts
from busmark.model import naming as dim
from busmark.model.case import CaseSummary, Floor
from busmark.model.entry import SERVICES
from busmark.model.figure import CONFIDENCE, Figure, Frozen
from busmark.model.figures import Figures
from busmark.model.limits import subject
from busmark.model.naming import Label, labels
from busmark.model.parameters import Parameters
from busmark.model.quantities.stream import GOODPUT, THEORETICAL
from busmark.model.stream import Paced
from busmark.plugin import keys
from busmark.scenario.requirement import RequireSection
from busmark.store import Manifest, Result
from busmark.store.manifest import Finding, Resumption, Source

VERSION = 3
"""Version of this document; raised when a reader of the older one would misread it."""


class RoundCommand(Frozen):
    """A command that was run before or after rounds."""

    when: Literal["prepare", "conclude"]
    """Before, or after."""
    command: str
    node: str | None
    """Node on which it was run; null: this machine."""
    runs: int
    failed: int
    median_s: float


class Campaign(Frozen):
    """A result, analysed."""

    version: int = VERSION
    name: str
    question: str | None
    keys: dict[str, Any] = Field(default={})
    """What the scenario says to plug-ins in one word, by their keys."""
    columns: dict[str, str] = Field(default={})
    """What the scenario wants the first table to have of each workload besides, by heading; figures
    are named as in limits."""
    answers: list[Answer]
    """Rates that were not reached, what types cost, what a mesh and a link carry; which is best is
    in `standings`, what parameters cost in `effects`."""
    requirements: list[RequirementVerdict] = Field(default=[])
    """Verdicts of cases on the scenario's `[[require]]`, requirement by requirement."""
    rankings: list[Ranking] = Field(default=[])
    """Who is best in each workload, by the ratios of interleaved rounds."""
    effects: list[Effect] = Field(default=[])
    """Cost of each further parameter that varies, with all others equal."""
    differing_choices: list[str]
    """Choices that are not in the labels, in which compared cases differ."""
    source: Source | None = None
    """Source of an imported result: files of which tools. Null: Busmark measured it itself."""
    created_utc: str
    finished_utc: str | None
    """Time at which the campaign ended; null: it is running or was interrupted."""
    busmark_version: str
    command: str
    seed: int
    scenario_text: str
    commands: list[RoundCommand] = Field(default=[])
    """Commands that were run around the rounds, in the order of the scenario."""
    criterion: dict[str, float]
    """The scenario's table `capacity`, for the test capacity."""
    confidence: float
    hosts: dict[str, dict[str, Any]]
    """Profile of the host on which the campaign began ("") and of further nodes."""
    resumptions: list[Resumption]
    """Rounds from which on it ran on another host."""
    adapters: dict[str, dict[str, Any]]
    missing_adapters: dict[str, str]
    findings: list[Finding]
    problems: list[str]
    """Parts of the result that could not be read."""
    labels: list[Label]
    groups: list[Group]
    interop: list[PairMatrix]
    """Adapter against adapter, one for each test and workload; empty where all pairs are alike."""
    growths: list[DiscoveryGrowth] = Field(default=[])
    """Growth of discovery times with the endpoints that are there; empty without a sweep of them.
    """
    fits: list[SizeFit] = Field(default=[])
    """Latency against size; for each curve of enough sizes."""
    cases: list[CaseSummary]

    def case(self, case_id: str) -> CaseSummary:
        """Return the case of this identifier."""
        return next(c for c in self.cases if c.id == case_id)


SAME_WORKLOAD = ("payload", "size", "arrivals", "rate_hz", "wait", "placement")
"""Parameters in which the floor should be equal, the most important first."""


class Floors:
    """Measured cases of the null adapter, by workload: a campaign may have thousands of both."""

    def __init__(self, floors: Mapping[str, dim.Flat]) -> None:
        self._by_test: dict[object, dict[str, dim.Flat]] = {}
        for case, flat in floors.items():
            self._by_test.setdefault(flat.get("test"), {})[case] = flat
        self._known: dict[tuple[str, ...], Floor | None] = {}
        for case, flat in sorted(floors.items()):
            self._known.setdefault(_key(flat), Floor(case=case, differs=[]))

    def nearest(self, flat: dim.Flat) -> Floor | None:
        """Return the nearest of the same test, in the order of `SAME_WORKLOAD`: payload first."""
        key = _key(flat)
        if key not in self._known:
            self._known[key] = self._search(flat)
        return self._known[key]

    def _search(self, flat: dim.Flat) -> Floor | None:
        candidates = self._by_test.get(flat.get("test"))
        if not candidates:
            return None
        case = min(candidates, key=lambda c: (_distance(flat, candidates[c]), c))
        differs = [name for name in SAME_WORKLOAD if candidates[case].get(name) != flat.get(name)]
        return Floor(case=case, differs=differs)


def _key(flat: dim.Flat) -> tuple[str, ...]:
    return tuple(repr(flat.get(name)) for name in ("test", *SAME_WORKLOAD))


def _distance(flat: dim.Flat, other: dim.Flat) -> Sequence[float]:
    """Return one number per parameter, 0 when equal, for a lexicographic comparison."""
    return [_gap(flat.get(name), other.get(name)) for name in SAME_WORKLOAD]


def _gap(mine: object, its: object) -> float:
    if mine == its:
        return 0.0
    if isinstance(mine, int | float) and isinstance(its, int | float):
        return abs(log2(mine + 1) - log2(its + 1))
    return 1.0


def with_network_capacity(cases: Sequence[CaseSummary]) -> list[CaseSummary]:
    """Return the cases with the rated capacity of their links, and the practical one: the greatest
    goodput of TCP at full speed over such links in the same campaign; for a search, over the same
    nodes."""
    filling = {name for name, facts in adapter_facts().items() if facts.practical_capacity}
    streams = [c for c in cases if c.adapter in filling and c.has_stream and not c.params.rate_hz]
    plain = [c for c in streams if GOODPUT.figure(c)]
    by_nodes, by_link = _greatest(plain, NODES + LINKS), _greatest(plain, LINKS)
    completed = []
    for case in cases:
        rated = rated_mbit_per_s(case.params)
        if case.capacity and case.test not in SERVICES:
            practical = by_nodes.get(_links(case, NODES + LINKS))
            limits = {"rated_mbit_per_s": rated, "practical_mbit_per_s": practical}
            case = case.model_copy(update=limits)
        elif case.has_stream and (goodput := GOODPUT.figure(case)):
            practical = by_link.get(_links(case, LINKS)) if rated else None
            limits = {"rated_mbit_per_s": rated, "practical_mbit_per_s": practical}
            paced = _paced(case.params, THEORETICAL.value(case), goodput)
            case = case.model_copy(update={"paced": paced, **limits})
        completed.append(case)
    return completed


def _greatest(cases: Sequence[CaseSummary], names: tuple[str, ...]) -> dict[tuple[Any, ...], float]:
    """Return the greatest goodput of cases with equal links: small samples do not fill them."""
    found: dict[tuple[Any, ...], float] = {}
    for case in cases:
        if goodput := GOODPUT.figure(case):
            key = _links(case, names)
            found[key] = max(found.get(key, 0.0), goodput.value)
    return found


def _paced(params: Parameters, theoretical: float | None, goodput: Figure) -> Paced | None:
    """Return the specified rate and the goodput that was carried; None at full speed."""
    if not params.rate_hz:
        return None
    specified = specified_mbit_per_s(params)
    mesh = params.applications or params.topology == "mesh"
    if mesh and theoretical is not None:
        # Everybody sends to everybody: the goodput is of all together, and so is what was asked.
        specified = theoretical * (params.size or 0) * 8 / 1e6
    return Paced(specified_mbit_per_s=specified, carried=_per_node(goodput, params))


NODES = ("writer_on", "reader_on")

LINKS = ("link_rate", "link_loss", "link_delay", "link_jitter", "link_burst", "link_reassembly")


def _links(case: CaseSummary, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(case.params, name) for name in names)


def _per_node(goodput: Figure, params: Parameters) -> Figure:
    """Return the goodput per node in one direction."""
    share = directions(params)
    limits = {
        name: None if value is None else value / share
        for name in ("value", "low", "high")
        for value in [getattr(goodput, name)]
    }
    return goodput.model_copy(update=limits)


LEFT_OUT = 8
"""Imported files, or parts of them, that were not read: more are counted."""

NOTHING = CaseFigures(Figures())


UNJUDGED = "requirements: "
"""Begin of the problem that keeps requirements from being judged."""


class Required(NamedTuple):
    """Verdicts on the scenario's requirements, and why there are none."""

    judged: list[RequirementVerdict]
    problems: list[str]


class Between(Frozen):
    """What several cases say together."""

    rankings: list[Ranking] = Field(default=[])
    effects: list[Effect] = Field(default=[])
    growths: list[DiscoveryGrowth] = Field(default=[])
    fits: list[SizeFit] = Field(default=[])


class KnownFigures(NamedTuple):
    """What is known of a result without its samples."""

    cases: Mapping[str, CaseFigures]
    required: Required
    between: Between


BASELINE = "baseline"
"""Family of adapters."""


def summarise(
    result: Result,
    *,
    with_series: bool = True,
    early: EarlyCases | None = None,
    known: KnownFigures | None = None,
) -> Campaign:
    """Analyse a result; without series its curves are left out. `early`: cases that are analysed
    already; `known`: what is known of all of them, so that no samples are read.

    Damaged or missing files are listed in `Campaign.problems`, the rest is used.
    """
    manifest = result.manifest
    common, tasks = tasks_of(result, with_series=with_series)
    rows = {task.case.id: task.rows for task in tasks if task.rows}
    flats = {task.case.id: dim.flatten(task.params) for task in tasks}
    source = manifest.source
    if known is None:
        found = every(common, tasks, early)
    else:
        found = [known.cases.get(task.case.id, NOTHING) for task in tasks]
    cases = [record(common, task, each) for task, each in zip(tasks, found, strict=True)]
    left_out = source.left_out if source else []
    problems = [inside(text, result.directory) for text in result.damage]
    problems += left_out[:LEFT_OUT]
    if more := len(left_out) - len(left_out[:LEFT_OUT]):
        problems.append(f"{more} more: left_out in manifest.json")
    problems += [problem for each in found for problem in each.problems]
    cases = with_network_capacity(_with_floors(cases, flats))
    cases = _with_baselines(cases, manifest.adapters)
    grouped = groups(cases)
    by_id = {case.id: case for case in cases}
    between = known.between if known else _between(cases, rows, manifest)
    required = known.required if known else _required(result, cases)
    problems += required.problems
    return Campaign(
        requirements=required.judged,
        name=str(manifest.scenario.get("name") or "unnamed campaign"),
        question=manifest.scenario.get("question") or None,
        keys={
            name: value
            for name, key in keys().items()
            if key.words and (value := manifest.scenario.get(name))
        },
        columns=_columns(manifest),
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
        **dict(between),
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
        cases=cases,
    )


def _between(
    cases: Sequence[CaseSummary], rows: Mapping[str, list[Row]], manifest: Manifest
) -> Between:
    step_ns = manifest.hosts.get("", {}).get("clock_step_ns") or 0.0
    counted = Rounds(cases, rows, interleaved=manifest.source is None, step_ns=step_ns)
    return Between(
        rankings=rankings(counted, manifest.findings),
        effects=effects(counted),
        growths=growths(cases, rows, manifest.seed),
        fits=size_fits(cases, manifest.seed),
    )


def _columns(manifest: Manifest) -> dict[str, str]:
    """Return the scenario's columns; without what this version knows no figure of."""
    found = {}
    for heading, figure in (manifest.scenario.get("columns") or {}).items():
        with suppress(UserError):
            subject(figure, "columns")
            found[heading] = figure
    return found


def _commands(result: Result) -> list[RoundCommand]:
    """Return the commands around rounds; none of them twice."""
    runs: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in result.commands:
        runs.setdefault((each["when"], each["command"], each["node"]), []).append(each)
    return [
        RoundCommand(
            when=when,
            command=command,
            node=node,
            runs=len(own),
            failed=sum(each["reason"] is not None for each in own),
            median_s=median(each["seconds"] for each in own),
        )
        for (when, command, node), own in runs.items()
        if when in ("prepare", "conclude")
    ]


def _required(result: Result, cases: list[CaseSummary]) -> Required:
    """Return what cases say to the requirements of the scenario."""
    written = result.manifest.scenario.get("require") or []
    if not written:
        return Required([], [])
    try:
        sections = [RequireSection.model_validate(each) for each in written]
        return Required(judge(result, cases, [each.requirement() for each in sections]), [])
    except (UserError, ValueError) as error:
        return Required([], [f"{UNJUDGED}{error}"])


def _declared(adapter: str, manifest: Manifest) -> str:
    """Return the adapter's own name, also where the scenario names a file of it."""
    return str(manifest.adapters.get(adapter, {}).get("name") or adapter)


def _with_baselines(
    cases: list[CaseSummary], adapters: Mapping[str, Mapping[str, Any]]
) -> list[CaseSummary]:
    """Return the cases, with baselines such as plain sockets marked."""
    return [
        case.model_copy(update={"is_baseline": _family(case.adapter, adapters) == BASELINE})
        for case in cases
    ]


def _family(adapter: str, adapters: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the family by the adapter's declared name; one unknown here is no baseline."""
    name = str(adapters.get(adapter, {}).get("name") or adapter)
    return adapter_facts()[name].family if name in adapter_facts() else ""


def _with_floors(cases: list[CaseSummary], flats: Mapping[str, dim.Flat]) -> list[CaseSummary]:
    """Give every case of a middleware the nearest measured case of the null adapter."""
    floors = Floors({c.id: flats[c.id] for c in cases if c.is_floor and c.headline is not None})
    return [
        c if c.is_floor else c.model_copy(update={"floor": floors.nearest(flats[c.id])})
        for c in cases
    ]
