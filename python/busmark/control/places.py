"""Where participants run: this machine's own network, or nodes of a lab that the run makes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from busmark.lab import Lab, labs, lay_down, measure, set_up
from busmark.lab.network import INTERFACE
from busmark.links import Links
from busmark.plan import links_of
from busmark.processes import Killed
from busmark.scenario import Scenario, nodes_of


@dataclass(frozen=True)
class Place:
    """Where one participant runs."""

    interface: str
    address: str
    prefix: list[str] = field(default_factory=list)
    """The command that runs another there."""


class Places:
    """The places of a campaign. Labs are made when a case first asks for such links, and stay until
    the campaign ends."""

    def __init__(self, scenario: Scenario, tell: Callable[..., None]) -> None:
        self._scenario = scenario
        self._tell = tell
        self._labs: dict[Links, Lab] = {}

    def of(self, params: dict[str, Any]) -> tuple[list[Place], list[Place]]:
        """Those of a case: of each subscriber, and of each publisher. Where there are more of them
        than nodes are named, nodes are taken in turn.

        Raises:
            UserError: its lab cannot be made.
            Killed: what makes or checks it was killed.
        """
        if params["writer_on"] is None:
            run = self._scenario.run
            here = Place(run.interface, run.address)
            return [here] * params["subscribers"], [here] * params["publishers"]
        lab = self._lab(links_of(params))
        passive, active = (
            [Place(INTERFACE, lab.address(node), lab.prefix(node))
             for node in itertools.islice(itertools.cycle(nodes_of(params[side])), params[count])]
            for side, count in (("reader_on", "subscribers"), ("writer_on", "publishers"))
        )  # fmt: skip
        return passive, active

    def around(self, params: dict[str, Any]) -> dict[str, Any]:
        """Between which nodes a network load of a case runs: two others, where there are."""
        if params["writer_on"] is None:
            return {"address": self._scenario.run.address}
        lab = self._lab(links_of(params))
        own = {*nodes_of(params["writer_on"]), *nodes_of(params["reader_on"])}
        others = [node for node in lab.nodes if node not in own]
        sender, receiver = others[:2] if len(others) > 1 else (lab.nodes[0], lab.nodes[-1])
        return {
            "sender": lab.prefix(sender),
            "receiver": lab.prefix(receiver),
            "address": lab.address(receiver),
        }

    def trouble(self, params: dict[str, Any]) -> str | None:
        """What is wrong with the network of a case, if anything."""
        if params["writer_on"] is None:
            return None
        lab = self._labs.get(links_of(params))
        return f"lab {lab.name}: {lab.complaint}" if lab and lab.complaint else None

    def _lab(self, links: Links) -> Lab:
        if links in self._labs and self._labs[links].complaint:
            self._remove(links)
        if links not in self._labs:
            name = f"r{os.getpid()}x{len(self._labs)}"
            lab = set_up(name, self._scenario.lab.nodes, links, owned=True)
            self._labs[links] = lab
            try:
                measured = measure(lab)
            except Killed:
                # Never used unchecked: it is made again.
                self._remove(links)
                raise
            self._tell(
                "lab", name=name, nodes=lab.size, links=links.model_dump(),
                measured=measured.model_dump(), departures=measured.departures(lab),
            )  # fmt: skip
        return self._labs[links]

    def close(self) -> None:
        """Removes the labs."""
        for links in list(self._labs):
            self._remove(links)

    def _remove(self, links: Links) -> None:
        lab = self._labs.pop(links)
        # The user may have been quicker.
        if lab.name in {each.name for each in labs()}:
            lay_down(lab.name)
