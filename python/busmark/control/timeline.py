"""Changes in the middle of a round: commands to roles that run, each at its time, and which phase
a row belongs to."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from busmark.control.events import EVERY_NS
from busmark.control.protocol import Event
from busmark.control.roles import qos_settings
from busmark.control.waiting import in_thread
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.model.flow import TimelineChange
from busmark.model.parameters import POLICIES, Parameters
from busmark.plan.flows import Flows, PlannedFlow
from busmark.plan.timeline import changed, phases, values


@dataclass(frozen=True)
class Moment:
    """A change of one end of a flow."""

    phase: int
    """Number of the phase that began with it, from 1."""
    asked_ns: int
    """Time at which it was asked for, from the start of the measured time."""
    flow: str
    number: int
    """Number of the end."""
    change: str
    """Setting that was changed."""
    taken_ns: int
    """Time at which it took effect at all endpoints of the end, by the clock of its host."""


class Phases:
    """The phases of a round."""

    def __init__(self, moments: Sequence[Moment], *, one_clock: bool) -> None:
        self._moments = moments
        self._one_clock = one_clock
        self._last = max((each.phase for each in moments), default=0)

    def __bool__(self) -> bool:
        """Return whether there was more than one."""
        return self._last > 0

    def begins(self, number: int) -> list[int] | None:
        """Return when each phase but the first began for an end: with its own change, else with the
        first of the others'; None where another clock than its own must show it."""
        found = []
        for phase in range(1, self._last + 1):
            of = [each for each in self._moments if each.phase == phase]
            own = [each.taken_ns for each in of if each.number == number]
            if not own and not self._one_clock:
                return None
            found.append(min(own or [each.taken_ns for each in of]))
        return found

    def of_samples(self, frame: pl.DataFrame) -> pl.Series:
        """Return the phases of samples, by when each was sent; null if that is not known."""
        phase = pl.Series("phase", [None] * frame.height, dtype=pl.Int64)
        if not self:
            return phase
        for number in frame["writer"].unique().drop_nulls():
            begins = self.begins(number)
            if begins is None:
                continue
            own = (frame["writer"] == number) & frame["sent_ns"].is_not_null()
            found = np.searchsorted(begins, frame["sent_ns"].fill_null(0).to_numpy(), side="right")
            phase = phase.zip_with(~own, pl.Series(found, dtype=pl.Int64))
        return phase

    def of_intervals(
        self, number: int, starts_ns: npt.NDArray[np.int64], width_ns: int
    ) -> list[int | None]:
        """Return the phases of intervals of this writer's samples, by their starts; None if a phase
        begins within one."""
        begins = self.begins(number) if self else None
        if begins is None:
            return [None] * len(starts_ns)
        first = np.searchsorted(begins, starts_ns, side="right")
        last = np.searchsorted(begins, starts_ns + width_ns - 1, side="right")
        return [int(a) if a == b else None for a, b in zip(first, last, strict=True)]


def change_rows(moments: Sequence[Moment], names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return rows of the table `changes` but for case and round; `names`: participants by end."""
    return [
        {
            "phase": each.phase,
            "participant": names.get(each.number),
            "flow": each.flow,
            "writer": each.number,
            "change": each.change,
            "asked_ns": each.asked_ns,
            "taken_ns": each.taken_ns,
        }
        for each in moments
    ]


NS = 1e9

ANNOUNCED_S = 0.2
"""Time in which participants hear that an endpoint has changed, which discovery announces."""


class Timeline:
    """The changes in a round of a case; most cases have none."""

    def __init__(self, params: Parameters, flows: Flows, cut: Callable[[bool], None]) -> None:
        """Change nothing yet; `cut` takes the links of the case's lab down, or up again."""
        self.moments: list[Moment] = []
        """Changes as they took effect."""
        self._flows = flows
        self._steps = phases(params)
        self._qos = {flow.name: dict(flow.qos) for flow in flows.flows}
        self._owners: dict[int, Worker] = {}
        self._cut = cut
        self._links = threading.Lock()
        self._is_cut = False
        self._is_over = False

    @property
    def watching(self) -> dict[str, Any]:
        """Arguments of `run`: events are asked for only where they are needed."""
        return {"every_ns": EVERY_NS} if self._steps else {}

    async def background(
        self, running: Awaitable[list[Any]], owners: Mapping[int, Worker], deadline_s: float
    ) -> list[Any]:
        """Return what `running` yields, the roles that run meanwhile being changed at their times.
        Each of them is known to a worker by its number.

        Raises:
            RoundError: a change could not be made.
        """
        if not self._steps:
            return await running
        self._owners = dict(owners)
        begun: asyncio.Future[tuple[int, Worker]] = asyncio.get_running_loop().create_future()
        for worker in {*owners.values()}:
            worker.listeners.append(self._listener(worker, begun))
        run = asyncio.ensure_future(running)
        change = asyncio.create_task(self._change(run, begun, deadline_s))
        try:
            await asyncio.wait({run, change}, return_when=asyncio.FIRST_EXCEPTION)
            if change.done():
                change.result()
            return await run
        finally:
            run.cancel()
            change.cancel()
            self._is_over = True
            if self._is_cut:
                # The lab is the next round's, too.
                await in_thread(self._take_links, False)

    def _take_links(self, down: bool) -> None:
        """Cut or restore links one at a time: a round may end while they are being taken down."""
        with self._links:
            if not (down and self._is_over):
                self._cut(down)

    def _listener(self, worker: Worker, begun: asyncio.Future[tuple[int, Worker]]) -> Any:
        def hear(event: Event) -> None:
            measured = not self._flows.background(event.get("writer", 0))
            if event["event"] == "progress" and measured and not begun.done():
                begun.set_result((event.get("begin_ns", 0), worker))

        return hear

    async def _change(
        self, run: asyncio.Future[Any], begun: asyncio.Future[tuple[int, Worker]], deadline_s: float
    ) -> None:
        """Make all changes, one after the other."""
        await asyncio.wait({run, begun}, return_when=asyncio.FIRST_COMPLETED)
        begin_ns, worker = begun.result() if begun.done() else (0, None)
        # On another node the clock is another: then the news of the start has to do for it.
        since_ns = time.monotonic_ns() if worker is None or worker.node else begin_ns
        for phase, (at_s, changes) in enumerate(self._steps, start=1):
            await _wait(run, at_s - (time.monotonic_ns() - since_ns) / NS, at_s)
            for change in changes:
                await self._make(phase, change, run, deadline_s)

    async def _make(
        self, phase: int, change: TimelineChange, run: asyncio.Future[Any], deadline_s: float
    ) -> None:
        """Make one change: one policy after the other, then the rate."""
        flows, words = changed(change, self._flows), ", ".join(values(change))
        taken: dict[int, int] = {}
        if change.link:
            self._is_cut = change.link == "down"
            await in_thread(self._take_links, self._is_cut)
            # All nodes of a lab have the clock of this machine.
            taken = dict.fromkeys(self._flows.ends, time.monotonic_ns())
        if change.server:
            serving = {"serving": change.server == "up"}
            servers = [end.number for flow in flows for end in flow.readers]
            taken = await self._set(dict.fromkeys(servers, serving), deadline_s)
        for name, value in change.qos.items():
            qos, found = qos_settings({name: value}), dict[int, int]()
            for number, sides in enumerate(self._sides(flows, name, value)):
                if number:
                    await _wait(run, ANNOUNCED_S, change.at_s)
                ends = {
                    end.number: {"qos": qos, **side} for flow, side in sides for end in flow.ends
                }
                found |= await self._set(ends, deadline_s)
            if not found:
                text = f"no writer and no reader took {name} = {value} while it ran"
                raise RoundError("unsupported", text)
            taken |= found
        if change.rate_hz is not None:
            rate: dict[str, Any] = {"rate_hz": change.rate_hz}
            writers = [end.number for flow in flows for end in flow.writers]
            taken |= await self._set(dict.fromkeys(writers, rate), deadline_s)
        self.moments += [
            Moment(phase, round(change.at_s * NS), flow.name, end.number, words, taken[end.number])
            for flow in flows
            for end in flow.ends
            if end.number in taken
        ]

    def _sides(
        self, flows: Sequence[PlannedFlow], name: str, value: Any
    ) -> list[list[tuple[PlannedFlow, dict[str, str]]]]:
        """Return the steps in which a policy changes, each with its flows and the side of them that
        changes. Where writer and reader match only if the writer offers at most what the reader
        asks for, they match all the time: a lower value is the writer's first, a higher one the
        reader's. Any other policy changes at all endpoints at once."""
        unless_asked = POLICIES[name].unless_asked
        if unless_asked is None:
            return [[(flow, {}) for flow in flows]]
        steps: list[list[tuple[PlannedFlow, dict[str, str]]]] = [[], []]
        for flow in flows:
            lower = value < (self._qos[flow.name].get(name) or unless_asked)
            order = ("writers", "readers") if lower else ("readers", "writers")
            for step, side in zip(steps, order, strict=True):
                step.append((flow, {"side": side}))
            self._qos[flow.name][name] = value
        return steps

    async def _set(self, ends: Mapping[int, dict[str, Any]], deadline_s: float) -> dict[int, int]:
        """Change ends, all at once; return when it took effect at each that has changed."""
        results = await asyncio.gather(
            *(
                self._owners[number].call(deadline_s, "set", writer=number, **what)
                for number, what in ends.items()
            )
        )
        return {
            number: result["at_ns"]
            for (number, what), result in zip(ends.items(), results, strict=True)
            if {"rate_hz", "serving"} & what.keys() or result["changed"]
        }


async def _wait(run: asyncio.Future[Any], seconds: float, at_s: float) -> None:
    """Wait until a step of the change at `at_s` is due.

    Raises:
        RoundError: what was being measured has ended before.
    """
    await asyncio.wait({run}, timeout=max(seconds, 0.0))
    if run.done() and not run.cancelled() and run.exception() is None:
        raise RoundError(
            "unchanged",
            f"the measurement had ended before the change at {at_s:g} s (measure.duration_s"
            " and measure.max_samples end it)",
        )
