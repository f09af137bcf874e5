"""Servers and brokers at which participants meet, where the user has named none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from busmark.adapters import Adapter
from busmark.carriers import meets_at_server
from busmark.control.companions.companion import Companion, Stage
from busmark.control.roles import ACTIVE
from busmark.control.waiting import together
from busmark.model.parameters import Parameters
from busmark.nodes import Node

if TYPE_CHECKING:
    from busmark.control.round import Seat

LINES = "lines"
"""The option of a middleware whose server has a line for each participant: how many."""


class Servers(Companion):
    """The servers of a round, each held by one worker."""

    name = "servers"
    span = "round"

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Return whether participants meet at one."""
        return bool(stage.served)

    async def start(self) -> None:
        """Start all, then give each participant that is served the address of its server."""
        stage = self.stage
        assert stage.launch
        servers = await together(*map(stage.launch, range(len(stage.served))))
        for those, server in zip(stage.served, servers, strict=True):
            first = those[0]
            result = await server.call(
                stage.scenario.run.hang_s,
                "serve",
                config=serving(those),
                adapter=first.place.path(first.adapter.path),
            )
            address = ("server", str(result["address"]))
            for seat in those:
                seat.config["settings"] = [*seat.config["settings"], address]

    async def stop(self) -> None:
        """End the servers when their clients have gone."""
        await asyncio.gather(*(server.stop() for server in self.stage.servers))

    async def kill(self) -> list[tuple[Node, int]]:
        """End the servers at once; return the processes that may remain on nodes."""
        for server in self.stage.servers:
            server.kill()
        await asyncio.gather(*(server.reap() for server in self.stage.servers))
        return [left for server in self.stage.servers for left in server.remains]


def served(
    params: Parameters, seats: Sequence[Seat], adapters: Mapping[str, Adapter]
) -> list[list[Seat]]:
    """Return the participants that meet at a server which the user has not named, by server: those
    with its own adapter first. Where the option `agents` asks for two servers, those that ping or
    write are at the first and all others at the second, so that every exchange passes both, but
    for those whose server the scenario names."""
    groups: dict[tuple[str, int], list[Seat]] = {}
    for seat in seats:
        host = _host(seat, params, adapters)
        if host:
            apart = seat.participant.apart
            # Each side's agents are of its own kind.
            of = seat.adapter.name if apart and _serves(seat) else host
            by_side = 2 if apart and not seat.does(ACTIVE) else 1
            groups.setdefault((of, seat.participant.server or by_side), []).append(seat)
    return [
        # Whoever has the server's own adapter first: the other side may be another vendor's.
        sorted(those, key=lambda seat: seat.adapter.name != name)
        for (name, _), those in groups.items()
        if not any(dict(seat.participant.settings).get("server") for seat in those)
    ]


def serving(those: Sequence[Seat]) -> dict[str, Any]:
    """Return how a server for these is started: as the first of them attaches, with a line for
    each."""
    first = those[0]
    if LINES not in _options(first.adapter) or LINES in dict(first.participant.settings):
        return first.config
    settings = [*first.config["settings"], (LINES, str(len(those)))]
    return {**first.config, "settings": settings}


def _host(seat: Seat, params: Parameters, adapters: Mapping[str, Adapter]) -> str | None:
    """Return whose server this participant meets others at: adapter and peer share one."""
    name = seat.adapter.name
    of_case = {params.peer: params.peer_settings, params.adapter: params.settings}
    if name in of_case and "server" in _options(adapters[name]):
        return next(
            (
                each
                for each in (params.adapter, params.peer)
                if each and meets_at_server(adapters[each].capabilities, of_case[each])
            ),
            None,
        )
    return name if _serves(seat) else None


def _serves(seat: Seat) -> bool:
    return meets_at_server(seat.adapter.capabilities, dict(seat.participant.settings))


def _options(adapter: Adapter) -> set[str]:
    return {option["key"] for option in (adapter.capabilities or {}).get("options", [])}
