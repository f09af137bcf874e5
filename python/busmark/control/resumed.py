"""Where a campaign is resumed: on which machine, on which nodes, and how they are reached."""

from __future__ import annotations

import time
from typing import Any

from busmark.control import outfit
from busmark.host.differences import differences
from busmark.host.profile import profile
from busmark.nodes import Node
from busmark.scenario import Scenario
from busmark.store import Manifest, Resumption
from busmark.store.writer import ResultWriter


def prefixes(scenario: Scenario) -> list[str]:
    """How a scenario reaches its nodes, as NAME=PREFIX."""
    return [f"{name}={node.prefix}" for name, node in scenario.nodes.items()]


def prefixes_of(manifest: Manifest) -> list[str]:
    """How its nodes were reached the last time, where that is not as it began; as NAME=PREFIX."""
    known = {
        name: host["prefix"]
        for resumption in manifest.resumptions
        for name, host in resumption.nodes.items()
    }
    return [f"{name}={prefix}" for name, prefix in known.items()]


def note(writer: ResultWriter, used: list[Node]) -> None:
    """Keeps the profile of this machine if it differs from the one of earlier rounds, and the
    profiles of nodes that are other machines or reached in another way."""
    manifest, host = writer.manifest, profile()
    nodes = {
        name: found
        for name, found in outfit.profiles(used).items()
        if _is_other(_last(manifest, name), found)
    }
    if nodes or differences(_last(manifest, "") or {}, host):
        first = max((row["order"] + 1 for row in writer.rows), default=0)
        utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        manifest.resumptions.append(Resumption(utc=utc, first_order=first, host=host, nodes=nodes))


def _last(manifest: Manifest, name: str) -> dict[str, Any] | None:
    """The latest profile of a node, or of this machine ("")."""
    latest = manifest.hosts.get(name)
    for resumption in manifest.resumptions:
        latest = resumption.nodes.get(name, latest) if name else resumption.host
    return latest


def _is_other(before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    if before is None or before.get("prefix") != now["prefix"]:
        return True
    return bool(differences(before, now))
