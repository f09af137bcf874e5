"""What is compared with what: directories, cases of them, or values of a parameter within one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from busmark.compare.measured import CaseMeasured, measured
from busmark.errors import UserError, nearest
from busmark.estimate import machines, rounds
from busmark.estimate.one_case import CaseAnalysis, CaseTask, analysed, case_params, record
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.naming import FLOOR_ADAPTER, NamedCase, meant
from busmark.model.parameters import Parameters
from busmark.model.text import joined
from busmark.store import Result

NAMES_AN_ADAPTER = ("adapter", "peer")


@dataclass(frozen=True, slots=True)
class SideCase:
    """A case with its rounds."""

    id: str
    params: Parameters
    flat: dim.Flat
    """Parameters by which the case is matched; adapters by the name that they declare."""
    status: str
    reason: str | None
    good: list[rounds.Row]
    """Rows of the rounds that count."""

    @property
    def test(self) -> str:
        """latency, throughput, capacity or discovery."""
        return str(self.params.test)

    @property
    def named(self) -> NamedCase:
        """Names of the case for an analysis, left empty: comparisons have their own."""
        return NamedCase("", {}, {}, self.params.adapter == FLOOR_ADAPTER, "", {})


class OpenResult:
    """A stored result with its analysis, read once for all sides that are of it."""

    def __init__(self, result: Result) -> None:
        self._result = result

    @cached_property
    def cases(self) -> dict[str, CaseSummary]:
        """Cases of the stored analysis; none if a part could not be read, so that notices report
        it."""
        # The analysis judges requirements, and these read sides.
        from busmark.compare.stored import StoredAnalysis

        found = StoredAnalysis(self._result).stored
        return {case.id: case for case in found.cases} if found and not found.problems else {}


@dataclass(frozen=True, slots=True)
class Side:
    """A set of cases under one name."""

    name: str
    result: Result
    known: OpenResult
    cases: dict[str, SideCase]
    single: bool = False
    """Whether it is one case, named by the user: it is compared with whatever the other side names.
    """

    def measured(self, case: SideCase) -> CaseMeasured:
        """Return all figures of a case. Rounds that cannot be read are left out, with a notice."""
        summary, problems = self.analysed(case)
        step_ns = self.result.manifest.hosts.get("", {}).get("clock_step_ns") or 0.0
        notices = [problem.partition("\n")[0] for problem in problems]
        return measured(summary, case.good, step_ns, notices)

    def analysed(self, case: SideCase) -> tuple[CaseSummary, list[str]]:
        """Return the analysis of a case, and which rounds could not be read."""
        if case.id in self.known.cases:
            return self.known.cases[case.id], []
        found = next(one for one in self.result.manifest.cases if one.id == case.id)
        common = CaseAnalysis(self.result)
        task = CaseTask(found, case.params, case.named, case.good)
        figures = analysed(common, task)
        return record(common, task, figures), [*figures.problems]


def select(arguments: Sequence[str], by: Sequence[str], baseline: str | None) -> list[Side]:
    """Return the sides that a command line names, the baseline first.

    Raises:
        UserError: a directory, case or parameter is not there, or there is nothing to compare.
    """
    facts = [name for name in by if name in machines.FACTS]
    if len(arguments) == 1:
        return _values_of(load(arguments[0], facts=facts), by, baseline)
    if baseline is not None:
        raise UserError(
            "several directories are given, and the first of them is the baseline",
            where=f"--baseline {baseline}",
            remedy="Leave it away, or name one directory with --by PARAMETER.",
        )
    # Names for tables: the last part of the path where that distinguishes them.
    last = [argument.rstrip("/").rpartition("/")[2] or argument for argument in arguments]
    names = last if len(set(last)) == len(last) else list(arguments)
    sides = [load(place, name, facts) for place, name in zip(arguments, names, strict=True)]
    for index, side in enumerate(sides):
        if any(_same_cases(side, other) for other in sides[:index]):
            raise UserError(
                "this is one campaign twice, and says nothing about a difference",
                where=arguments[index],
                remedy="Name two campaigns, two of its cases (DIR#CASE), or one directory with "
                "--by PARAMETER.",
            )
    _differ(sides, facts)
    return [_with_values(side, parameters(by, sides)) for side in sides]


def _differ(sides: Sequence[Side], facts: Sequence[str]) -> None:
    """Raise a `UserError` if machines are to be compared by a fact in which all are alike."""
    for fact in facts:
        values = {str(case.flat[fact]) for side in sides for case in side.cases.values()}
        if len(values) == 1:
            raise _one_machine(sides, fact, *values)


def _one_machine(sides: Sequence[Side], fact: str, value: str) -> UserError:
    """Return the error that there is nothing to compare, and by what the machines do differ."""
    differing = [
        other
        for other in machines.FACTS
        if len({value for side in sides for value in _values_of_fact(side, other)} - {None}) > 1
    ]
    where = joined([side.name for side in sides])
    remedy = f"Leave --by {fact} out."
    if differing:
        remedy += f" The machines differ by {joined(differing)}."
    message = f"all cases ran on one {machines.FACTS[fact]}: {value}"
    if value == machines.UNRECORDED:
        message = f"no case records its {machines.FACTS[fact]}"
    return UserError(message, where=where, remedy=remedy)


def _values_of_fact(side: Side, fact: str) -> list[str | None]:
    """Return a fact of the machine of every case."""
    manifest = side.result.manifest
    return [machines.fact_of(manifest, c.params, c.good, fact) for c in side.cases.values()]


def _with_values(side: Side, by: Sequence[str]) -> Side:
    """Return what is compared in its name, as far as all its cases have the same: "new (16
    KiB)"."""
    values = {tuple(_plain(case.flat.get(name)) for name in by) for case in side.cases.values()}
    if len(values) != 1 or not by:
        return side
    (only,) = values
    return replace(side, name=f"{side.name} ({_value_name(by, only, side.cases)})")


def further(arguments: Sequence[str], sides: Sequence[Side]) -> list[Side]:
    """Return further campaigns of the baseline, the first of `sides`.

    Raises:
        UserError: one is not there, or is among what is compared already.
    """
    found: list[Side] = []
    if arguments and len({id(side.result) for side in sides}) < 2:
        raise UserError(
            "what is compared is one campaign, whose rounds were interleaved",
            where=f"--repeat {arguments[0]}",
            remedy="Leave --repeat out: there is no session between the sides.",
        )
    for argument in arguments:
        side = load(argument)
        if any(_same_cases(side, other) for other in (*sides, *found)):
            raise UserError(
                "this campaign is compared already",
                where=f"--repeat {argument}",
                remedy="Name another campaign of what the baseline measured.",
            )
        found.append(side)
    return found


def _same_cases(one: Side, other: Side) -> bool:
    same = interleaved(one, other) or (
        one.result.directory.resolve() == other.result.directory.resolve()
    )
    return same and bool(one.cases.keys() & other.cases.keys())


def interleaved(one: Side, other: Side) -> bool:
    """Return whether rounds of both were run in turn, as in one campaign, unless it is imported."""
    first, second = one.result.manifest, other.result.manifest
    imported = first.source is not None or second.source is not None
    return not imported and first.cookie == second.cookie


def load(argument: str, name: str = "", facts: Sequence[str] = ()) -> Side:
    """Return the cases of DIR or DIR#CASE.

    Raises:
        UserError: the directory or the case is not there.
    """
    place, sign, wanted = argument.partition("#")
    # A directory may have the sign in its name.
    if sign and Path(argument).is_dir():
        place, wanted = argument, ""
    result = Result(Path(place))
    adapters = result.manifest.adapters
    rows = rounds.rows_of(result.cases)
    cases = {}
    for case in result.manifest.cases:
        attempts = rows.get(case.id, [])
        params = case_params(case, attempts)
        status, reason = rounds.verdict(case.status, case.reason, rounds.counts(attempts), attempts)
        good = [row for row in rounds.last_attempts(attempts) if row["status"] == "ok"]
        flat = dim.flatten(params.changed(**_declared(params, adapters)))
        for fact in facts:
            known = machines.fact_of(result.manifest, params, good, fact)
            flat[fact] = known or machines.UNRECORDED
        cases[case.id] = SideCase(case.id, params, flat, status, reason, good)
    if not wanted:
        return Side(name or place, result, OpenResult(result), cases)
    chosen = meant(cases, wanted)
    if not chosen:
        some = f"There is {joined(list(cases)[:5], 'or')}."
        raise UserError(
            f"no case {wanted!r}",
            where=place,
            remedy=nearest(wanted, cases, some, always="`busmark show` has all.", most=3),
        )
    single = len(chosen) == 1 and not set("*?[") & set(wanted)
    of_chosen = {c: cases[c] for c in chosen}
    return Side(name or argument, result, OpenResult(result), of_chosen, single=single)


def _declared(params: Parameters, adapters: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return adapters that were given as files, by the name that they declare; where two of a
    campaign
    declare the same, they keep their path."""
    declared = {path: str(found.get("name") or path) for path, found in adapters.items()}
    twice = {name for name in declared.values() if list(declared.values()).count(name) > 1}
    names = {}
    for role in NAMES_AN_ADAPTER:
        name = declared.get(str(getattr(params, role)))
        if name is not None and name not in twice:
            names[role] = name
    return names


def _values_of(whole: Side, by: Sequence[str], baseline: str | None) -> list[Side]:
    """Return a side for each value that the parameters have in one campaign."""
    if not by:
        raise UserError(
            "there is nothing to compare it with",
            where=whole.name,
            remedy="Name a second directory, or what to compare within this one: --by adapter.",
        )
    by = parameters(by, [whole])
    groups: dict[tuple[str, ...], dict[str, SideCase]] = {}
    several = {case.flat.get("adapter") for case in whole.cases.values()} - {FLOOR_ADAPTER}
    for case in whole.cases.values():
        if several and case.flat.get("adapter") == FLOOR_ADAPTER:
            continue
        values = tuple(_plain(case.flat.get(name)) for name in by)
        groups.setdefault(values, {})[case.id] = case
    if len(groups) < 2:
        (only,) = groups or [("",)]
        if len(by) == 1 and by[0] in machines.FACTS and groups:
            raise _one_machine([whole], by[0], *only)
        raise UserError(
            f"all cases have {joined([f'{n}={v}' for n, v in zip(by, only, strict=True)])}",
            where=f"--by {','.join(by)}",
            remedy=f"What varies: {joined(varying(whole)) or 'nothing'}.",
        )
    first = _chosen(baseline, by, list(groups)) if baseline is not None else next(iter(groups))
    ordered = [first, *(values for values in groups if values != first)]
    names = {values: _value_name(by, values, groups[values]) for values in ordered}
    # Numbers are rounded for people; sides are distinguished by their names.
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    exact = {values: _exact_name(by, values) for values, name in names.items() if name in shared}
    return [
        Side({**names, **exact}[values], whole.result, whole.known, groups[values])
        for values in ordered
    ]


def _exact_name(by: Sequence[str], values: tuple[str, ...]) -> str:
    """Return the name that `--baseline` takes: "rate_hz=2500.25"."""
    return ",".join(f"{name}={value}" for name, value in zip(by, values, strict=True))


def _plain(value: Any) -> str:
    return "none" if value is None else str(value)


def _value_name(by: Sequence[str], values: tuple[str, ...], cases: dict[str, SideCase]) -> str:
    flat = next(iter(cases.values())).flat
    if "peer" in by and flat.get("peer") is None:
        # Its peer is the adapter itself.
        flat = {**flat, "peer": flat.get("adapter")}
        values = tuple(str(flat[n]) if n == "peer" else v for n, v in zip(by, values, strict=True))
    texts = [
        value
        if flat.get(name) is None or name in (*NAMES_AN_ADAPTER, *machines.FACTS)
        else dim.choice_text(name, flat[name])
        for name, value in zip(by, values, strict=True)
    ]
    return " · ".join(texts)


def _chosen(baseline: str, by: Sequence[str], groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the group that "adapter=udp" names; the value alone will do."""
    parts = [part.strip() for part in baseline.split(",")]
    named = dict(part.split("=", 1) for part in parts if "=" in part)
    plain = [part for part in parts if "=" not in part]
    full = {name: value for key, value in named.items() for name in by if _is(key, name)}
    for values in groups:
        of_group = dict(zip(by, values, strict=True))
        fits = all(of_group[name] == value for name, value in full.items())
        if fits and len(full) == len(named) and all(value in values for value in plain):
            return values
    there = [_exact_name(by, values) for values in groups]
    raise UserError(
        f"no case has {baseline}", where="--baseline", remedy=f"There are {joined(there)}."
    )


def _is(key: str, name: str) -> bool:
    return key == name or name.endswith(f".{key}")


def parameters(by: Iterable[str], sides: Sequence[Side]) -> list[str]:
    """Return full names of parameters; the last part will do where it is the only one of its name.

    Raises:
        UserError: there is none, or several.
    """
    known = list(dict.fromkeys(n for s in sides for c in s.cases.values() for n in c.flat))
    found = []
    for key in by:
        fits = [key] if key in known else [name for name in known if _is(key, name)]
        if len(fits) != 1:
            there = fits or varying(*sides)
            listed = f"There is {joined(there, 'or')}." if there else ""
            raise UserError(
                f"{'several parameters are' if fits else 'no parameter is'} called {key!r}",
                where="--by",
                remedy=listed if fits else nearest(key, known, listed, most=3),
            )
        found += fits
    return found


def varying(*sides: Side) -> list[str]:
    """Return parameters that are not the same in all cases."""
    cases = [case.flat for side in sides for case in side.cases.values()]
    names = [n for n in ("adapter", "size", "placement") if len({str(f.get(n)) for f in cases}) > 1]
    return names + dim.varying(cases)
