"""What passes the network in a round, in pcapng files."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Any

from busmark.control.companions.companion import Companion, Stage
from busmark.control.places import ParticipantPlace
from busmark.control.waiting import in_thread, together
from busmark.errors import RoundError, UserError
from busmark.launcher import Start
from busmark.nodes import Node
from busmark.plan import cpus_of, spare_cpus
from busmark.plan.placement import numbers_of
from busmark.plugins.capture.dumpcap import CaptureFailed, DiskFull, Settings, Site, Taking
from busmark.plugins.capture.planned import LOOPBACK, on_network, pattern

UNFINISHED = "unfinished.capture."
"""Beginning of the name until the round is over."""


class Capture(Companion):
    """One dumpcap for each interface that traffic of the round passes."""

    name = "capture"
    span = "all"

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._taken: dict[str, Taking] = {}
        """Captures by the end of the name of their file."""
        self._nodes: dict[str, str | None] = {}

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Return whether it is asked for, and the round uses the network."""
        if stage.scenario.of_plugin("capture") is None:
            return False
        return on_network(stage.params, {seat.adapter.name: seat.adapter for seat in stage.seats})

    async def start(self) -> None:
        """Begin on all interfaces; packets are captured when this returns."""
        capture, stage = self.stage.scenario.of_plugin("capture"), self.stage
        assert capture is not None
        adapters = {seat.adapter.name: seat.adapter for seat in stage.seats}
        shared = stage.params.network == "nodes"
        addresses = [seat.place.address for seat in stage.seats] if shared else []
        for place, interface in interfaces(stage):
            # On loopback all are at home, whatever their address is.
            text = pattern(
                capture, stage.params, adapters, () if interface == LOOPBACK else addresses
            )
            how = Settings(
                text, capture.snap_length, capture.max_bytes, capture.ring, capture.buffer_bytes
            )
            end = ".".join(part for part in (place.name, interface, "pcapng") if part)
            path = stage.results / f"{UNFINISHED}{end}"
            said = stage.folder / f"capture.{end.removesuffix('.pcapng')}.txt"
            site = _site(place)
            self._taken[end] = Taking(site, interface, how, path, said, self._cpus(place))
            self._nodes[end] = place.name
        try:
            await together(*(in_thread(each.start) for each in self._taken.values()))
        except CaptureFailed as error:
            raise _raised(error, stage.results) from None

    def _cpus(self, place: ParticipantPlace) -> list[int]:
        """Return the CPUs of the place's machine that no participant uses, where there are such."""
        seats = self.stage.seats
        matrix = [seat for seat in seats if seat.participant.side]
        placed = cpus_of(self.stage.params, len(matrix), [seat.place.cpus for seat in matrix])
        used = [
            placed[matrix.index(seat)] if seat in matrix else numbers_of(seat.participant.cpus)
            for seat in seats
            if seat.place.clock == place.clock
        ]
        return spare_cpus(used, place.cpus)

    async def stop(self) -> None:
        """End the captures, and store what was counted."""
        try:
            await together(*(in_thread(each.stop) for each in self._taken.values()))
        except CaptureFailed as error:
            raise _raised(error, self.stage.results) from None
        self.stage.data.captures = [self._row(end, each) for end, each in self._taken.items()]

    def _row(self, end: str, taken: Taking) -> dict[str, Any]:
        """Return what the event of the round says of one file."""
        assert taken.counts is not None
        return {
            "file": end,
            "node": self._nodes[end],
            "interface": taken.interface,
            "filter": taken.settings.filter,
            "snap_length": taken.settings.snap_length,
            "bytes": taken.path.stat().st_size,
            **asdict(taken.counts),
        }

    async def kill(self) -> list[tuple[Node, int]]:
        """End the captures at once. Captures on nodes are ended by the shell that has them."""
        await asyncio.gather(*(in_thread(each.kill) for each in self._taken.values()))
        return []

    def artefacts(self) -> dict[str, Path]:
        """Return the files, by the ends of their names."""
        return {end: each.path for end, each in self._taken.items()}

    def findings(self) -> list[str]:
        """Return why one is incomplete, besides packets that were dropped."""
        return [problem for each in self._taken.values() for problem in each.problems]


def interfaces(stage: Stage) -> list[tuple[ParticipantPlace, str]]:
    """List each interface once: the interfaces of all participants; and loopback where several of
    them, or one and a server, have one network."""
    places = [seat.place for seat in stage.seats] + [own[0].place for own in stage.served]
    # Places on which this is the same have one network.
    networks = [p.node.facts.network if p.node else p.lab_node or "" for p in places]
    found: dict[tuple[str, str], ParticipantPlace] = {}
    for place, network in zip(places, networks, strict=True):
        found.setdefault((network, place.interface), place)
        if networks.count(network) > 1:
            found.setdefault((network, LOOPBACK), place)
    return [(place, interface) for (_, interface), place in found.items()]


def _site(place: ParticipantPlace) -> Site:
    node = place.node
    if node is None:
        return Site(lambda words: Start([*place.prefix, *words]))
    return Site(node.command, node.name, node.run_dir, node.patience_s)


def _raised(error: CaptureFailed, folder: Path) -> UserError | RoundError:
    """Return an error: a full disk ends the campaign, anything else the round."""
    if isinstance(error, DiskFull):
        return UserError(
            str(error),
            where=str(folder),
            remedy="The rounds finished so far are kept. Make room, or set capture.max_bytes or "
            "capture.snap_length lower, and continue with `busmark run --resume "
            "--out DIR`.",
        )
    return RoundError("companion", str(error))
