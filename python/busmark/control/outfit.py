"""The nodes of a campaign, made ready before its first round."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.control.places import files_of
from busmark.findings import host_findings
from busmark.load import lack, question
from busmark.load import parse as parse_load
from busmark.nodes import Address, Node, Nodes
from busmark.plan import load_names
from busmark.plan.flows import adapters_of, nodes_named
from busmark.scenario import Scenario
from busmark.store import Case
from busmark.store.manifest import Finding


def nodes(scenario: Scenario) -> Nodes:
    """Those of the scenario; none is reached yet."""
    return Nodes(
        Node(
            name, shlex.split(node.prefix), wanted=Address(node.interface, node.address),
            group=node.group, patience_s=scenario.run.hang_s,
        )
        for name, node in scenario.nodes.items()
    )  # fmt: skip


def equip(nodes: Nodes, cases: list[Case], adapters: dict[str, Adapter]) -> list[Node]:
    """Reaches every node on which a planned case runs, and sends what it needs there. A case whose
    adapter cannot be used on a node becomes unsupported.

    Returns:
        The nodes in use.

    Raises:
        NodeDown: one that cannot be used.
    """
    planned = [case for case in cases if case.params.network == "nodes"
               and case.status == "planned"]  # fmt: skip
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
    """Why a case's background load cannot be had on a node; None if it can."""
    for load in parse_load(case.params.load or ""):
        for name in load_names(case.params, load, nodes.names):
            for node in members[name]:
                if not node.asked(question(load)).strip():
                    return f"on node {node.name}: {lack(load)}"
    return None


def profiles(used: list[Node]) -> dict[str, dict[str, Any]]:
    """Profile of each node by its name, and how it was reached."""
    return {node.name: {**node.facts.profile, **node.reached_by} for node in used}


def profiles_of(used: list[Node]) -> Callable[[Case], dict[str, dict[str, Any]]]:
    """Tells the profiles of the nodes on which a case may run, by name."""

    def of(case: Case) -> dict[str, dict[str, Any]]:
        if case.params.network != "nodes":
            return {}
        named = nodes_named(case.params)
        return {
            node.name: node.facts.profile
            for node in used
            if node.name in named or node.group in named
        }

    return of


def findings(used: list[Node], here: dict[str, Any]) -> list[Finding]:
    """What is wrong with the machines of these nodes, each looked at once."""
    systems = {node.facts.system: node for node in used}
    systems.pop(here["boot_id"], None)
    return [
        finding
        for node in systems.values()
        for finding in host_findings(node.facts.profile, node=node.name)
    ]
