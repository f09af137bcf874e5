"""Opening a campaign: its nodes are made ready, and a result directory is new or resumed."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from busmark import __version__
from busmark.adapters import Adapter, resolve
from busmark.control.campaign_run import CampaignRun
from busmark.control.events import Listener
from busmark.control.hooks import capture_hook, check_plugins, lab_hook
from busmark.control.libraries import check_same
from busmark.control.places import files_of
from busmark.errors import UserError
from busmark.findings import combine, host_findings, plan_findings
from busmark.host.needs import disk
from busmark.host.profile import differences, profile
from busmark.load import lack, question
from busmark.load import parse as parse_load
from busmark.nodes import Address, Node, Nodes
from busmark.plan import expand, expected_s, load_names, unsupported
from busmark.plan.flows import adapters_of, nodes_named
from busmark.plan.refusals import check_asked
from busmark.scenario import Scenario, reached
from busmark.store import Case, Finding, Manifest, Resumption
from busmark.store.manifest import MANIFEST
from busmark.store.writer import ResultWriter


def nodes_of(scenario: Scenario) -> Nodes:
    """Return the nodes of the scenario, without reaching one."""
    return Nodes(
        Node(
            name,
            shlex.split(node.prefix),
            wanted=Address(node.interface, node.address),
            group=node.group,
            patience_s=scenario.run.hang_s,
        )
        for name, node in scenario.nodes.items()
    )


def equip(nodes: Nodes, cases: list[Case], adapters: dict[str, Adapter]) -> list[Node]:
    """Reach every node on which a planned case runs, and send the files that it needs there. A case
    whose adapter or load cannot be used on a node becomes unsupported.

    Returns:
        The nodes in use.

    Raises:
        NodeDown: one that cannot be used.
    """
    planned = [
        case for case in cases if case.params.network == "nodes" and case.status == "planned"
    ]
    files: dict[str, set[Path]] = {}
    for case in planned:
        for name in nodes_named(case.params):
            files.setdefault(name, set()).update(files_of(case.params, adapters))
        for load in parse_load(case.params.load or ""):
            for name in load_names(case.params, load, nodes.names):
                files.setdefault(name, set())
    members = {name: nodes.usable([name], paths) for name, paths in files.items()}
    lacks: dict[tuple[Node, Path], str | None] = {}
    for case in planned:
        named = adapters_of(case.params)
        for node in (node for name in nodes_named(case.params) for node in members[name]):
            for path in sorted(adapters[name].path for name in named):
                if (node, path) not in lacks:
                    lacks[node, path] = node.lacks(path)
                if reason := lacks[node, path]:
                    case.status, case.reason = "unsupported", f"on node {node.name}: {reason}"
        if case.status == "planned" and (reason := _no_load(case, nodes, members)):
            case.status, case.reason = "unsupported", reason
    return list(dict.fromkeys(node for each in members.values() for node in each))


def _no_load(case: Case, nodes: Nodes, members: dict[str, list[Node]]) -> str | None:
    """Return why a case's background load cannot be had on a node; None if it can."""
    for load in parse_load(case.params.load or ""):
        for name in load_names(case.params, load, nodes.names):
            for node in members[name]:
                if not node.asked(question(load)).strip():
                    return f"on node {node.name}: {lack(load)}"
    return None


def profiles(used: list[Node]) -> dict[str, dict[str, Any]]:
    """Return the profile of each node, and how it was reached, by the node's name."""
    return {node.name: {**node.facts.profile, **node.reached_by} for node in used}


def profiles_of(used: list[Node]) -> Callable[[Case], dict[str, dict[str, Any]]]:
    """Return a function that gives the profiles of the nodes on which a case may run, by name."""

    def of_nodes(case: Case) -> dict[str, dict[str, Any]]:
        if case.params.network != "nodes":
            return {}
        named = nodes_named(case.params)
        return {
            node.name: node.facts.profile
            for node in used
            if node.name in named or node.group in named
        }

    return of_nodes


def findings(used: list[Node], here: dict[str, Any]) -> list[Finding]:
    """Return what is wrong with the machines of these nodes, each looked at once."""
    systems = {node.facts.system: node for node in used}
    systems.pop(here["boot_id"], None)
    return [
        finding
        for node in systems.values()
        for finding in host_findings(node.facts.profile, node=node.name)
    ]


def plan(scenario: Scenario) -> tuple[dict[str, Adapter], list[Case]]:
    """Return the adapters that a scenario names, by name, and its cases."""
    adapters = resolve(scenario.adapters, where="matrix.adapter")
    return adapters, expand(scenario, adapters)


def _check_budget(scenario: Scenario, cases: list[Case]) -> None:
    rounds = scenario.rounds
    runs = [expected_s(case) * rounds.min for case in cases if case.status == "planned"]
    for key, least_s in (("budget_s", sum(runs)), ("case_budget_s", max(runs))):
        budget_s = getattr(rounds, key)
        if budget_s and least_s > budget_s:
            raise UserError(
                f"{rounds.min} rounds take about {least_s:.0f} s, more than {budget_s:g} s",
                where=f"rounds.{key}",
                remedy="Raise it, measure shorter, or take out values from [matrix].",
            )


def begin(scenario: Scenario, text: str, directory: Path, listeners: list[Listener]) -> CampaignRun:
    """Begin a new campaign in a new result directory."""
    adapters, cases = plan(scenario)
    check_runnable(cases)
    _check_budget(scenario, cases)
    check_asked(scenario, cases)
    _check_lab(cases)
    check_plugins(scenario, cases)
    nodes = nodes_of(scenario)
    try:
        used = equip(nodes, cases, adapters)
        check_runnable(cases)
        if scenario.of_plugin("capture"):
            capture_hook().check(scenario, cases, adapters, used)
        if problem := disk(directory)[1]:
            what, _, remedy = problem.partition(": ")
            raise UserError(what, where=str(directory), remedy=remedy)
        manifest = _manifest(scenario, text, cases, adapters, used)
        writer = ResultWriter.create(directory, manifest)
    except BaseException:
        nodes.close()
        raise
    return CampaignRun(scenario, adapters, writer, listeners, nodes)


def missing(
    scenario: Scenario, cases: list[Case], adapters: Mapping[str, Adapter]
) -> Iterator[UserError]:
    """Yield what this machine lacks for the campaign, such as the tools of labs and captures, with
    the command that installs it: what `begin` refuses."""
    checks: list[Callable[[], None]] = [lambda: _check_lab(cases)]
    if scenario.of_plugin("capture"):
        checks.append(lambda: capture_hook().check(scenario, cases, adapters))
    for check in checks:
        try:
            check()
        except UserError as error:
            yield error


def _check_lab(cases: list[Case]) -> None:
    if any(case.status == "planned" and case.params.network == "lab" for case in cases):
        lab_hook().need()


def check_runnable(cases: list[Case]) -> None:
    """Raise `UserError` with the reasons if no case can run."""
    if not any(case.status == "planned" for case in cases):
        reasons = sorted({_reason(case) for case in cases})
        raise UserError(
            "no case of the scenario can run here:\n  " + "\n  ".join(reasons[:5]),
            remedy="See `busmark adapters` for what is here and what each can do.",
        )


def _manifest(
    scenario: Scenario, text: str, cases: list[Case], adapters: dict[str, Adapter], used: list[Node]
) -> Manifest:
    manifest = Manifest(
        busmark_version=__version__,
        created_utc=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        command=shlex.join(["busmark", *sys.argv[1:]]),
        seed=scenario.rounds.seed,
        cookie=f"{secrets.randbits(64):016x}",
        scenario=scenario.model_dump(mode="json"),
        scenario_text=text,
        cases=cases,
        hosts={"": profile(), **profiles(used)},
        adapters={name: adapter.stored() for name, adapter in adapters.items()},
        missing_adapters={n: a.reason for n, a in adapters.items() if a.reason},
    )
    manifest.findings = _beforehand(manifest, used)
    return manifest


def resume(
    scenario: Scenario | None,
    directory: Path,
    listeners: list[Listener],
    nodes: Sequence[str] = (),
    *,
    marked: bool = False,
) -> CampaignRun:
    """Resume the campaign of a directory, from its own manifest.

    Its nodes are reached as the scenario says where it is given, else as the last time; `nodes` are
    other prefixes, `NAME=PREFIX`. With `marked`, each marked round is repeated by a further one and
    remains marked.
    """
    writer = ResultWriter.resume(directory)
    try:
        if marked and not any(row["status"] == "marked" for row in writer.rows):
            raise UserError(
                "no round is marked",
                where=str(directory),
                remedy="`busmark run --resume --out DIR` runs what is missing or failed.",
            )
        return _go_on(scenario, writer, listeners, nodes, marked)
    except BaseException:
        writer.close()
        raise


def _go_on(
    scenario: Scenario | None,
    writer: ResultWriter,
    listeners: list[Listener],
    given: Sequence[str],
    marked: bool,
) -> CampaignRun:
    directory = writer.directory
    stored = _stored_scenario(writer)
    if scenario is not None and scenario != reached(stored, prefixes(scenario)):
        raise UserError(
            "the directory holds a campaign of another scenario",
            where=str(directory),
            remedy="Resume without changes to the scenario, or name another directory with --out.",
        )
    last = prefixes_of(writer.manifest)
    stored = scenario or reached(reached(stored, last), given)
    known = {name: entry.get("sha256") for name, entry in writer.manifest.adapters.items()}
    # Before one of them is loaded: the directory may be a stranger's, and name any library.
    adapters = resolve(stored.adapters, lambda name, path: check_same(name, path, known.get(name)))
    for name, adapter in adapters.items():
        check_same(name, adapter.path, known.get(name))
    _must_run_here(writer, adapters)
    _check_lab(writer.manifest.cases)
    nodes = nodes_of(stored)
    try:
        used = equip(nodes, writer.manifest.cases, adapters)
        if stored.of_plugin("capture"):
            capture_hook().check(stored, writer.manifest.cases, adapters, used)
        writer.event("resumed", rounds=len(writer.rows))
        note(writer, used)
        # Findings of earlier rounds are made anew at the end, as far as they still hold.
        writer.manifest.findings = _beforehand(writer.manifest, used)
        writer.save_manifest()
    except BaseException:
        nodes.close()
        raise
    return CampaignRun(stored, adapters, writer, listeners, nodes, again=marked)


def _must_run_here(writer: ResultWriter, adapters: dict[str, Adapter]) -> None:
    """Raise `UserError` if a case that could run where the campaign began cannot run here."""
    planned = [case for case in writer.manifest.cases if case.status == "planned"]
    refused = [(c.id, reason) for c in planned if (reason := unsupported(c.params, adapters))]
    if refused:
        raise UserError(
            f"{len(refused)} of its {len(planned)} cases cannot run on this machine, such as "
            f"{refused[0][0]}: {refused[0][1]}",
            where=str(writer.directory),
            remedy="Go on where it began, or begin a new campaign here.",
        )


def _beforehand(manifest: Manifest, used: list[Node]) -> list[Finding]:
    """Return what the hosts, the nodes in use and the plan show without any round."""
    planned = [case for case in manifest.cases if case.status == "planned"]
    host = manifest.hosts.get("", {})
    return combine(
        host_findings(host),
        findings(used, host),
        plan_findings(planned, host, manifest.adapters, profiles_of(used)),
        *(host_findings(r.host, node=str(r.host.get("hostname"))) for r in manifest.resumptions),
    )


def _reason(case: Case) -> str:
    """Return why a case cannot run; the adapter's own path is not said twice."""
    adapter, reason = str(case.params.adapter), str(case.reason)
    return reason if reason.startswith(adapter) else f"{adapter}: {reason}"


def _stored_scenario(writer: ResultWriter) -> Scenario:
    try:
        return Scenario.model_validate(writer.manifest.scenario)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UserError(
            f"the scenario of this result is not one of this Busmark: {key}: {first['msg']}",
            where=str(writer.directory / MANIFEST),
            remedy=f"Go on with Busmark {writer.manifest.busmark_version}, which began it.",
        ) from None


def prefixes(scenario: Scenario) -> list[str]:
    """Return how a scenario reaches its nodes, as NAME=PREFIX."""
    return [f"{name}={node.prefix}" for name, node in scenario.nodes.items()]


def prefixes_of(manifest: Manifest) -> list[str]:
    """Return how its nodes were reached the last time, where that is not as it began; as
    NAME=PREFIX."""
    known = {
        name: host["prefix"]
        for resumption in manifest.resumptions
        for name, host in resumption.nodes.items()
    }
    return [f"{name}={prefix}" for name, prefix in known.items()]


def note(writer: ResultWriter, used: list[Node]) -> None:
    """Note a resumption if this machine's profile differs from the one of earlier rounds, or nodes
    are other machines or reached in another way: this machine's profile, and those nodes'."""
    manifest, host = writer.manifest, profile()
    nodes = {
        name: found
        for name, found in profiles(used).items()
        if _is_other(_last(manifest, name), found)
    }
    if nodes or differences(_last(manifest, "") or {}, host):
        first = max((row["order"] + 1 for row in writer.rows), default=0)
        utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        manifest.resumptions.append(Resumption(utc=utc, first_order=first, host=host, nodes=nodes))


def _last(manifest: Manifest, name: str) -> dict[str, Any] | None:
    """Return the latest profile of a node, or of this machine (""); None where there is none."""
    latest = manifest.hosts.get(name)
    for resumption in manifest.resumptions:
        latest = resumption.nodes.get(name, latest) if name else resumption.host
    return latest


def _is_other(before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    if before is None or before.get("prefix") != now["prefix"]:
        return True
    return bool(differences(before, now))
