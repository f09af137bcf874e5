"""One round of one case: fresh processes, discovery, warm-up, measurement, collection."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.control.failure import RoundError
from busmark.control.kernels import change, read
from busmark.control.loads import LoadThere
from busmark.control.loads import start as start_load_there
from busmark.control.places import Place, Places
from busmark.control.remains import clear
from busmark.control.roles import ACTIVE, PASSIVE, Roles, admitted, participant_config, roles
from busmark.control.watch import Watch
from busmark.control.worker import Frame, Worker
from busmark.load import Load, Running
from busmark.load import parse as parse_load
from busmark.load import start as start_load
from busmark.plan import cpus_of, shares_cpu
from busmark.processes import Killed
from busmark.scenario import Scenario
from busmark.store import Case

DRAIN_IDLE_S = 0.5
"""No sample for so long after the last write: no more will come."""
RELIABLE_IDLE_S = 10.0
"""The same where everything must come: a pause is a busy machine or a retransmission, for which a
writer may wait as long as its heartbeat period (3 s in the RTPS specification and in Fast DDS)."""


@dataclass(frozen=True)
class Seat:
    """One participant of a round."""

    name: str
    adapter: Adapter
    roles: list[dict[str, Any]]
    place: Place
    config: dict[str, Any]

    def does(self, roles: frozenset[str]) -> bool:
        """Whether it has one of these roles."""
        return any(role["role"] in roles for role in self.roles)


@dataclass
class RoundData:
    """What a round yields, before anything is computed from it."""

    run: list[dict[str, Any]] = field(default_factory=list)
    """Reports of the active roles."""
    roles: list[dict[str, Any]] = field(default_factory=list)
    """Reports of all roles."""
    frames: list[Frame] = field(default_factory=list)
    counters: dict[str, Any] = field(default_factory=dict)
    """Changes of the host's counters while it ran."""
    system: list[dict[str, Any]] = field(default_factory=list)
    """Counters over time, as `busmark.host.readings.changes` gives them."""
    system_problem: str | None = None
    """Why some are missing though they were asked for."""
    cpus: str = ""
    nodes: str | None = None
    """Of the user's: that of each participant, in the order of `cpus`."""
    one_clock: bool = True
    """Whether all participants have the same; else only differences at one of them are exact."""
    asking_clock: str | None = ""
    """The clock of all that ping or write; None where they have several."""
    answering_clock: str | None = ""
    """Of all that answer or read."""
    expected: int = 0
    """Samples that all readers together should have received; 0 where none counts."""
    discovery_s: float | None = None
    """From the moment when the last endpoint was there until all had found each other."""
    total_s: float = 0.0
    load_achieved: float | None = None
    """By the background load, in the unit of its level; on nodes where it came to least."""
    load_on: dict[str, float | None] = field(default_factory=dict)
    """The same on each node."""

    @property
    def two_clocks(self) -> bool:
        """Whether those that ask have one clock and those that answer another: their offset can be
        told."""
        both = {self.asking_clock, self.answering_clock}
        return len(both) == 2 and None not in both


class RoundRunner:
    """Runs rounds of a scenario, one after the other."""

    def __init__(
        self,
        scenario: Scenario,
        adapters: dict[str, Adapter],
        places: Places,
        run_dir: Path,
        log_dir: Path,
    ) -> None:
        self.scenario = scenario
        self.places = places
        self.adapters = adapters
        self.run_dir = run_dir
        self.log_dir = log_dir
        self._load: Running | LoadThere | None = None
        self._watch = Watch()

    async def run(self, case: Case, cookie: int, seed: int, stem: str) -> RoundData:
        """One round. Raises `RoundError`; in any case no process of the round is left."""
        begin = time.monotonic()
        data = RoundData()
        workers: list[Worker] = []
        try:
            await self._measure(case, cookie, seed, stem, workers, data)
            if trouble := self.places.trouble(case.params):
                raise RoundError("lab", trouble)
            await asyncio.gather(*(worker.stop() for worker in workers))
        except BaseException as error:
            # A partner may have noticed before the controller does.
            ended = [
                f"{each.who}: the worker died ({each.ended})" for each in workers if each.ended
            ]
            # All at once, before anything else can interrupt.
            for worker in workers:
                worker.kill()
            if self._load:
                self._load.kill()
                self._load = None
            counting = await self._watch.abandon()
            await asyncio.gather(*(worker.reap() for worker in workers))
            down = await asyncio.to_thread(clear, workers, counting)
            if isinstance(error, RoundError | Killed):
                cause = self._cause(error, case, ended)
                if down:
                    cause = RoundError(cause.kind, f"{cause}; {down.where}: {down.message}")
                raise cause from error
            raise
        data.total_s = time.monotonic() - begin
        return data

    def _cause(self, error: RoundError | Killed, case: Case, ended: list[str]) -> RoundError:
        """Why a round failed: a lab that has broken down is the cause of whatever was noticed."""
        if trouble := self.places.trouble(case.params):
            return RoundError("lab", trouble)
        if ended and isinstance(error, RoundError) and error.kind != "died":
            return RoundError("died", f"{ended[0]}; {error}")
        return RoundError("died", str(error)) if isinstance(error, Killed) else error

    async def _measure(self, case: Case, cookie: int, seed: int, stem: str,
                       workers: list[Worker], data: RoundData) -> None:  # fmt: skip
        params, hang = case.params, self.scenario.run.hang_s
        sides = roles(params, seed)
        places = await asyncio.to_thread(self.places.of, params)
        seats = self._seats(params, sides, places)
        shares = [seats] if params["deployment"] == "one" else [[seat] for seat in seats]
        started = await self._start(params, stem, shares, workers, data)
        participants = started[: len(shares)]
        if len(started) > len(shares):
            address = await self._serve(params, seats[0].place, started[-1])
            for seat in seats:
                seat.config["settings"] = [*seat.config["settings"], ("server", address)]
        ready_ns = await self._setup(params, cookie, shares, participants)
        discovery_s = await self._match(participants, ready_ns)
        data.discovery_s = discovery_s if data.one_clock else None
        # Before the load: afterwards there may be no idle CPU for a first reading.
        self._watch = Watch()
        if every_s := self.scenario.measure.system_interval_s:
            await self._watch.start(workers, every_s, self.run_dir)
        if load := parse_load(params["load"] or ""):
            self._load = await asyncio.to_thread(self._begin_load, load, params, seats)
        await _all(participants, hang, "start")
        occupied = [seat.place for seat in seats]
        before = await asyncio.to_thread(read, occupied, participants)
        length = params["warmup_s"] + params["duration_s"]
        active, passive = ([worker for worker, share in zip(participants, shares, strict=True)
                            if any(seat.does(ways) for seat in share)]
                           for ways in (ACTIVE, PASSIVE))  # fmt: skip
        # The timeouts of the middleware itself come first: a blocked write, a lost ping.
        for reports in await _all(active, length + hang + params["timeout_s"], "run"):
            data.run += reports
        expect = [{"writer": r["writer"], "sent": admitted(params, r["sent"])} for r in data.run]
        data.expected = sum(sides.readers_of.get(by["writer"], 0) * by["sent"] for by in expect)
        idle_s = RELIABLE_IDLE_S if _everything_comes(params["qos"]) else DRAIN_IDLE_S
        # Repair may be so slow that there is no end of it.
        await _all(
            passive, 2 * hang + length, "drain", expect=expect, idle_s=idle_s, limit_s=hang + length
        )
        data.counters = change(before, await asyncio.to_thread(read, occupied, participants))
        data.system = await self._watch.stop()
        data.system_problem = "; ".join(self._watch.problems) or None
        if self._load:
            data.load_achieved = await asyncio.to_thread(self._load.stop)
            data.load_on = self._load.on if isinstance(self._load, LoadThere) else {}
            self._load = None
        for reports in await _all(participants, hang + length, "collect"):
            data.roles += reports
        data.frames = [frame for worker in participants for frame in worker.frames]

    def _seats(self, params: dict[str, Any], sides: Roles,
               places: tuple[list[Place], list[Place]]) -> list[Seat]:  # fmt: skip
        """Participants of a case, passive ones first."""
        seats = []
        for name, side, there in zip(("passive", "active"), sides, places, strict=True):
            peer = name == "passive"
            adapter = (params["peer"] if peer else None) or params["adapter"]
            for number, (own, place) in enumerate(zip(side, there, strict=True), start=1):
                shown = f"{name}{number}" if len(side) > 1 else name
                config = self._config(params, place, peer=peer)
                seats.append(Seat(shown, self.adapters[adapter], place.roles(own), place, config))
        return seats

    def _config(
        self, params: dict[str, Any], place: Place, *, peer: bool = False
    ) -> dict[str, Any]:
        run_dir = place.run_dir(self.run_dir)
        return participant_config(params, self.scenario.run, run_dir, place, peer=peer)

    async def _start(self, params: dict[str, Any], stem: str, shares: list[list[Seat]],
                     workers: list[Worker], data: RoundData) -> list[Worker]:  # fmt: skip
        """Starts the participants, passive first, and at last the worker that holds the server, if
        any. What was started is among `workers`, whatever happens to the others."""
        names = [seats[0].name if len(seats) == 1 else "participants" for seats in shares]
        places = [seats[0].place for seats in shares]
        if self._needs_server(params):
            names.append("server")
            places.append(places[0])
        cpus = cpus_of(params, len(names), [place.cpus for place in places])
        data.one_clock = len({place.clock for place in places}) == 1
        seats = [seat for share in shares for seat in share]
        data.asking_clock, data.answering_clock = _clock(seats, ACTIVE), _clock(seats, PASSIVE)
        data.nodes = ";".join(place.node.name for place in places if place.node) or None
        data.cpus = ";".join(",".join(map(str, own)) for own in cpus)
        run = self.scenario.run

        async def start(name: str, own: list[int], place: Place) -> Worker:
            log = self.log_dir / f"{stem}.{name}.log"
            worker = await Worker.start(
                name, own, prefix=place.prefix, node=place.node, fifo=run.fifo,
                lock=run.lock_memory, log=log, deadline_s=run.hang_s,
            )  # fmt: skip
            workers.append(worker)
            return worker

        starts = [start(*those) for those in zip(names, cpus, places, strict=True)]
        found = await asyncio.gather(*starts, return_exceptions=True)
        for worker in found:
            if isinstance(worker, BaseException):
                raise worker
        return [worker for worker in found if isinstance(worker, Worker)]

    def _begin_load(
        self, load: Load, params: dict[str, Any], seats: list[Seat]
    ) -> Running | LoadThere:
        if params["network"] != "nodes":
            return start_load(load, self.run_dir, **self.places.around(params))
        nodes = self.places.loaded(params, [seat.place for seat in seats])
        # By itself it ends when nobody can have been waiting for it any more.
        limit_s = 10 * (params["warmup_s"] + params["duration_s"] + self.scenario.run.hang_s)
        return start_load_there(load, nodes, self.run_dir, limit_s)

    def _needs_server(self, params: dict[str, Any]) -> bool:
        """Whether participants meet at a server that the user has not named."""
        features = (self.adapters[params["adapter"]].capabilities or {}).get("features", [])
        return "server" in features and not params["settings"].get("server")

    async def _serve(self, params: dict[str, Any], place: Place, server: Worker) -> str:
        result = await server.call(
            self.scenario.run.hang_s, "serve",
            adapter=place.path(self.adapters[params["adapter"]].path),
            config=self._config(params, place),
        )  # fmt: skip
        return str(result["address"])

    async def _setup(self, params: dict[str, Any], cookie: int, shares: list[list[Seat]],
                     workers: list[Worker]) -> int:  # fmt: skip
        """Makes all endpoints; when the last was there, ns."""
        hang = self.scenario.run.hang_s
        results = await asyncio.gather(
            *(
                worker.call(
                    hang, "setup", cookie=f"{cookie:016x}",
                    adapter=seats[0].place.path(seats[0].adapter.path), yields=shares_cpu(params),
                    participants=[{"config": seat.config, "roles": seat.roles} for seat in seats],
                )
                for worker, seats in zip(workers, shares, strict=True)
            )
        )  # fmt: skip
        locators: dict[str, list[str]] = {}
        self._expect: dict[str, dict[str, int]] = {}
        for result in results:
            for topic, found in result["locators"].items():
                locators.setdefault(topic, []).extend(found)
            for topic, ends in result["endpoints"].items():
                total = self._expect.setdefault(topic, {"writers": 0, "readers": 0})
                for kind in total:
                    total[kind] += ends[kind]
        if locators:
            await _all(workers, hang, "connect", locators=locators)
        return max(int(result["ready_ns"]) for result in results)

    async def _match(self, workers: list[Worker], ready_ns: int) -> float | None:
        """Waits until all endpoints have found each other; how long that took from the moment when
        the last was there, s. None where the middleware cannot tell."""
        timeout_s = self.scenario.criteria.match_timeout_s
        deadline_s = timeout_s * 4 + self.scenario.run.hang_s
        answers = await asyncio.gather(
            *(
                worker.call(deadline_s, "match", timeout_s=timeout_s, expect=self._expect)
                for worker in workers
            ),
            return_exceptions=True,
        )
        # Both sides' view of discovery, where one waits in vain.
        late = [a for a in answers if isinstance(a, RoundError) and a.kind == "timeout"]
        for answer in answers:
            if isinstance(answer, BaseException) and answer not in late:
                raise answer
        if late:
            raise RoundError("unmatched", f"not matched: {'; '.join(map(str, late))}")
        results: list[dict[str, Any]] = [a for a in answers if isinstance(a, dict)]
        if any(result["unknown"] for result in results):
            return None
        return max(0, max(int(result["matched_ns"]) for result in results) - ready_ns) / 1e9


def _clock(seats: list[Seat], ways: frozenset[str]) -> str | None:
    """The one clock of those who do this; None where they have several."""
    found = {seat.place.clock for seat in seats if seat.does(ways)}
    return found.pop() if len(found) == 1 else None


def _everything_comes(qos: dict[str, Any]) -> bool:
    return qos.get("reliability") == "reliable" and qos.get("history") != "keep_last"


async def _all(workers: list[Worker], deadline_s: float, cmd: str, **arguments: Any) -> list[Any]:
    """The same command to every worker at once."""
    calls = (worker.call(deadline_s, cmd, **arguments) for worker in workers)
    return list(await asyncio.gather(*calls))
