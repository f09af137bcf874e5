"""Servers and brokers at which participants meet, where the user has named none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from busmark.adapters import Adapter
from busmark.control.awaited import together
from busmark.control.companions.companion import Companion, Stage
from busmark.nodes import Node

if TYPE_CHECKING:
    from busmark.control.round import Seat


class Servers(Companion):
    """One worker for each server, which holds it."""

    name = "servers"
    span = "round"

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Whether participants meet at one."""
        return bool(stage.served)

    async def start(self) -> None:
        """Begins them all, then tells each of those who are served where theirs is."""
        stage = self.stage
        assert stage.launch
        servers = await together(*map(stage.launch, range(len(stage.served))))
        for those, server in zip(stage.served, servers, strict=True):
            first = those[0]
            result = await server.call(
                stage.scenario.run.hang_s, "serve", config=first.config,
                adapter=first.place.path(first.adapter.path),
            )  # fmt: skip
            address = ("server", str(result["address"]))
            for seat in those:
                seat.config["settings"] = [*seat.config["settings"], address]

    async def stop(self) -> None:
        """Ends them when their clients have gone."""
        await asyncio.gather(*(server.stop() for server in self.stage.servers))

    async def kill(self) -> list[tuple[Node, int]]:
        """Ends them at once."""
        for server in self.stage.servers:
            server.kill()
        await asyncio.gather(*(server.reap() for server in self.stage.servers))
        return [left for server in self.stage.servers for left in server.there]


def served(
    params: Mapping[str, Any], seats: Sequence[Seat], adapters: Mapping[str, Adapter]
) -> list[list[Seat]]:
    """Participants that meet at a server which the user has not named, by server: the case's own
    first."""
    of_case = (params["adapter"], params["peer"])
    groups: dict[str, list[Seat]] = {}
    for seat in seats:
        name = seat.adapter.name
        groups.setdefault(params["adapter"] if name in of_case else name, []).append(seat)
    return [
        # Whoever has the server's own adapter first: the other side may be another vendor's.
        sorted(those, key=lambda seat: seat.adapter.name != name)
        for name, those in groups.items()
        if "server" in (adapters[name].capabilities or {}).get("features", [])
        and not any(dict(seat.participant.settings).get("server") for seat in those)
    ]
