"""What a resident saw of a newcomer, handed to the newcomer: so a repetition of a discovery test
ends.

Moments were taken before, where they happened; how long the way through here takes is in none.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from busmark.control.protocol import Event
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.plan.flows import Flow, Flows


class Relayed:
    """Passes on sightings of one round; nothing where no discovery is measured."""

    def __init__(self, flows: Flows, owners: Mapping[int, Worker], deadline_s: float) -> None:
        """`owners`: the worker of each role, by its number."""
        self._calls: set[asyncio.Task[None]] = set()
        self._deadline_s = deadline_s
        for flow in flows.flows:
            if flow.kind == "discovery":
                self._pass(flow, owners)

    def _pass(self, flow: Flow, owners: Mapping[int, Worker]) -> None:
        """Between both ends, either way: only a resident has something to say."""
        writer, reader = flow.writers[0].number, flow.readers[0].number
        other = {writer: reader, reader: writer}

        def hear(event: Event) -> None:
            if event["event"] == "sighting" and (seen := event.get("writer", 0)) in other:
                newcomer = other[seen]
                told = self._told(owners[newcomer], newcomer, event)
                task = asyncio.get_running_loop().create_task(told)
                self._calls.add(task)
                task.add_done_callback(self._calls.discard)

        for worker in {owners[writer], owners[reader]}:
            worker.listeners.append(hear)

    async def _told(self, worker: Worker, newcomer: int, event: Event) -> None:
        # A newcomer that has died fails its `run`, which says why.
        with contextlib.suppress(RoundError):
            await worker.call(
                self._deadline_s, "set", writer=newcomer, sighting=event.get("sighting")
            )

    async def stop(self) -> None:
        """Ends what is under way."""
        for call in [*self._calls]:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
