"""Where participants run: this machine's own network, nodes of a lab that the run makes, or nodes
of the user's."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.control.hooks import Lab, lab_hook
from busmark.errors import RoundError
from busmark.links import Links
from busmark.load import Load
from busmark.model.parameters import Parameters
from busmark.nodes import Node, NodeDown, Nodes
from busmark.plan import links_of, load_names
from busmark.plan.flows import Flows, adapters_of, nodes_named
from busmark.plugin import hooked
from busmark.processes import Killed
from busmark.scenario import Scenario, nodes_of

SIDES = ("reader_on", "writer_on")


@dataclass(frozen=True)
class ParticipantPlace:
    """The place where one participant runs."""

    interface: str
    address: str
    prefix: list[str] = field(default_factory=list)
    """Command that runs another command on the node; empty: on this machine."""
    node: Node | None = None
    """The user's node: a place with its own files."""
    lab_node: str | None = None
    """Node of the run's lab."""

    @property
    def name(self) -> str | None:
        """Name of the node; None: this machine's own network."""
        return self.node.name if self.node else self.lab_node

    @property
    def clock(self) -> str:
        """Places of one round on which this is the same have one CLOCK_MONOTONIC."""
        return self.node.facts.clock if self.node else ""

    @property
    def cpus(self) -> list[int]:
        """Return the CPUs of the node on which participants may run; empty: as on this machine."""
        return (self.node.facts.profile["cpus_allowed"] or []) if self.node else []

    def path(self, path: Path) -> str:
        """Return the path that a file of this machine has on the node."""
        return self.node.path(path) if self.node else str(path)

    def run_dir(self, here: Path) -> str:
        """Return the folder for sockets on the node."""
        return self.node.run_dir if self.node else str(here)

    def documents(self, documents: dict[str, Any]) -> dict[str, Any]:
        """Send a participant's security documents there; return them with their paths there.

        Raises:
            RoundError: they cannot be taken there.
        """
        node = self.node
        if node is None:
            return documents
        try:
            return {
                name: node.keep(Path(value)) if value and name not in NO_FILES else value
                for name, value in documents.items()
            }
        except (NodeDown, OSError) as error:
            raise RoundError("node", f"security documents of {node.name}: {error}") from None

    def roles(self, roles: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the roles with the paths that files have on the node."""
        if self.node is None:
            return roles
        return [{**role, "stream": self._stream(role["stream"])} for role in roles]

    def _stream(self, stream: dict[str, Any]) -> dict[str, Any]:
        body = stream["body_file"]
        return {**stream, "body_file": self.path(Path(body)) if body else None}


NO_FILES = ("profile", "password")
"""Keys of security documents that are not files."""


def files_of(params: Parameters, adapters: dict[str, Adapter]) -> list[Path]:
    """Return the files that a case needs on its nodes, besides the worker."""
    files = [adapters[name].path for name in adapters_of(params)]
    return files + ([Path(params.body_file)] if params.body_file else [])


class Places:
    """The places of a campaign. Labs are made when a case first asks for such links, and stay until
    the campaign ends."""

    def __init__(
        self,
        scenario: Scenario,
        tell: Callable[..., None],
        adapters: dict[str, Adapter] | None = None,
        nodes: Nodes | None = None,
    ) -> None:
        self._scenario = scenario
        self._adapters = adapters or {}
        self._nodes = nodes or Nodes()
        self._tell = tell
        self._visits: dict[str, int] = {}
        self._labs: dict[Links, Lab] = {}
        self._lab_numbers = itertools.count()
        # Removes what killed runs have left, also where this one makes no lab.
        if hooked("lab"):
            lab_hook().labs()

    def participant_places(self, params: Parameters, flows: Flows) -> list[ParticipantPlace]:
        """Return the places of a case, one for each participant. Where there are more of a side
        than nodes are named, nodes are taken in turn.

        Raises:
            UserError: its lab cannot be made.
            Killed: what makes or checks it was killed.
            RoundError: a node of the user's cannot be used.
        """
        sides = {side: itertools.cycle(self._on(params, getattr(params, side))) for side in SIDES}
        return [
            next(sides[own.side]) if own.side else self._on(params, own.on)[0]
            for own in flows.participants
        ]

    def _on(self, params: Parameters, named: str | None) -> list[ParticipantPlace]:
        """Return the places on these nodes, each once; None: on this machine."""
        if named is None:
            return [ParticipantPlace(self._scenario.run.interface, self._scenario.run.address)]
        if params.network == "nodes":
            return self._on_nodes(nodes_of(named), files_of(params, self._adapters))
        lab = self._lab(links_of(params))
        return [
            ParticipantPlace(
                lab_hook().INTERFACE, lab.address(node), lab.prefix(node), lab_node=node
            )
            for node in nodes_of(named)
        ]

    def _on_nodes(self, names: list[str], files: list[Path]) -> list[ParticipantPlace]:
        try:
            nodes = self._nodes.usable(names, files)
        except NodeDown as error:
            raise RoundError("node", f"{error.where}: {error.message}") from None
        for node in nodes:
            if self._visits.get(node.name) != node.visits:
                self._visits[node.name] = node.visits
                self._tell("node", name=node.name, sent_bytes=node.sent_bytes, **node.reached_by)
        return [
            ParticipantPlace(n.facts.address.interface, n.facts.address.address, node=n)
            for n in nodes
        ]

    def at(self, params: Parameters, node: str) -> ParticipantPlace:
        """Return a node of the lab or of the user's by its name; empty: this machine.

        Raises:
            RoundError: a node of the user's cannot be used.
        """
        if node and params.network != "nodes":
            lab = self._lab(links_of(params))
            return ParticipantPlace(
                lab_hook().INTERFACE, lab.address(node), lab.prefix(node), lab_node=node
            )
        return self._on(params, node or None)[0]

    def loaded(
        self, params: Parameters, load: Load, occupied: Sequence[ParticipantPlace]
    ) -> list[ParticipantPlace]:
        """Return the user's nodes on which a load of a case runs: of a group those that are
        `occupied` by participants, or one. A network load runs from the first to the last.

        Raises:
            RoundError: one cannot be used.
        """
        in_use = {place.node for place in occupied}
        found: list[ParticipantPlace] = []
        for name in load_names(params, load, [*self._scenario.nodes]):
            there = self._on_nodes([name], [])
            found += [place for place in there if place.node in in_use] or there[:1]
        return found

    def around(self, params: Parameters) -> list[tuple[list[str], str]]:
        """Return from where to where a network load of a case runs, each a command prefix and an
        address: between two other nodes of its lab, where there are such."""
        if params.writer_on is None:
            return [([], self._scenario.run.address)]
        lab = self._lab(links_of(params))
        own = nodes_named(params)
        others = [node for node in lab.nodes if node not in own]
        sender, receiver = others[:2] if len(others) > 1 else (lab.nodes[0], lab.nodes[-1])
        return [(lab.prefix(node), lab.address(node)) for node in (sender, receiver)]

    def cut(self, params: Parameters, down: bool) -> None:
        """Take the links of a case's lab down, or up again."""
        self._lab(links_of(params)).cut(down=down)

    def trouble(self, params: Parameters) -> str | None:
        """Return what is wrong with the network of a case, if anything."""
        if params.writer_on is None:
            return None
        lab = self._labs.get(links_of(params))
        return f"lab {lab.name}: {lab.complaint}" if lab and lab.complaint else None

    def _lab(self, links: Links) -> Lab:
        if links in self._labs and self._labs[links].complaint:
            self._remove(links)
        if links not in self._labs:
            name = f"r{os.getpid()}x{next(self._lab_numbers)}"
            lab = lab_hook().set_up(name, self._scenario.lab.nodes, links, owned=True)
            self._labs[links] = lab
            try:
                measured = lab_hook().measure(lab)
            except Killed:
                # Never used unchecked: it is made again.
                self._remove(links)
                raise
            self._tell(
                "lab",
                name=name,
                nodes=lab.size,
                links=links.model_dump(),
                measured=measured.model_dump(),
                departures=measured.departures(lab),
            )
        return self._labs[links]

    def close(self) -> None:
        """Remove the labs, and close the nodes."""
        self._nodes.close()
        for links in list(self._labs):
            self._remove(links)

    def _remove(self, links: Links) -> None:
        lab = self._labs.pop(links)
        # The user may have been quicker.
        if lab.name in {each.name for each in lab_hook().labs()}:
            lab_hook().lay_down(lab.name)
