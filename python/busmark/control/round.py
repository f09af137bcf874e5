"""One round of one case: fresh processes, discovery, warm-up, measurement, collection."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from busmark.adapters import Adapter
from busmark.control.around import Commands, change, changed, offsets, placed, take
from busmark.control.companions import Companion, Companions, Stage, companions
from busmark.control.companions.servers import served
from busmark.control.discoveries import UNKNOWN, Discovery, SightingRelay, discovery
from busmark.control.events import EVERY_NS, Sights
from busmark.control.places import ParticipantPlace, Places
from busmark.control.protocol import Matched
from busmark.control.records import SAMPLES, completed
from busmark.control.roles import ACTIVE, PASSIVE, participant_config, roles
from busmark.control.timeline import Moment, Timeline
from busmark.control.waiting import in_thread, together
from busmark.control.worker import Frame, Worker
from busmark.errors import RoundError
from busmark.load import Kind
from busmark.model.parameters import Parameters
from busmark.nodes import end_there
from busmark.plan import cpus_of, shares_cpu
from busmark.plan.counts import record_every
from busmark.plan.duration import EXISTING_S
from busmark.plan.flows import NOTHING, Flows, PlannedParticipant, flows, of_run, run_identity
from busmark.plan.placement import numbers_of
from busmark.processes import Killed
from busmark.scenario import Scenario
from busmark.store import Case

MANY_ENDPOINTS = 100
"""Endpoints of a round for which `run.hang_s` is granted once more while they are made."""
DRAIN_IDLE_S = 0.5
"""Time without a sample after the last write, after which no more will come."""
RELIABLE_IDLE_S = 10.0
"""The same time where everything must come: a pause is a busy machine or a retransmission, for
which a writer may wait as long as its heartbeat period (3 s in the RTPS specification and in Fast
DDS)."""
REPAIR_IDLE_S = 4.0
"""The same time where lost samples are repaired, but may be overwritten first: a heartbeat period,
and the way."""
NOTICED_S = 0.1
"""Time within which the kernel reports the end of a worker that another worker has noticed."""


OfParticipant = Callable[[Parameters, str], dict[str, Any] | None]
"""Security documents of a participant of a case, by its name."""


def unsecured(_params: Parameters, _participant: str) -> None:
    """Return None: no participant has documents."""


@dataclass(frozen=True)
class Seat:
    """One participant of a round."""

    participant: PlannedParticipant
    adapter: Adapter
    roles: list[dict[str, Any]]
    place: ParticipantPlace
    config: dict[str, Any]

    def does(self, roles: frozenset[str], flows: Flows | None = None) -> bool:
        """Return whether the participant has one of these roles; with `flows`, in a measured
        flow."""
        return any(
            role["role"] in roles and not (flows and flows.background(role["writer"]))
            for role in self.roles
        )


@dataclass
class RoundData:
    """Data that a round yields, before anything is computed from them."""

    flows: Flows = NOTHING
    """Who took part, and what went from whom to whom."""
    participants: list[dict[str, Any]] = field(default_factory=list)
    """For each participant, the columns of the table `participants` besides its case and round."""
    run: list[dict[str, Any]] = field(default_factory=list)
    """Reports of the active roles."""
    roles: list[dict[str, Any]] = field(default_factory=list)
    """Reports of all roles."""
    frames: list[Frame] = field(default_factory=list)
    changes: list[Moment] = field(default_factory=list)
    """Changes in the middle of the round."""
    counters: dict[str, Any] = field(default_factory=dict)
    """Changes of the host's counters while it ran."""
    changed: str | None = None
    """Properties of the machine, or of where workers may run, that were not the same at its end."""
    clocks: dict[str, int | str | None] = field(default_factory=dict)
    """Columns about this machine's clocks."""
    system: list[dict[str, Any]] = field(default_factory=list)
    """Counters over time, as `busmark.host.readings.changes` gives them."""
    companions: dict[str, list[str]] = field(default_factory=dict)
    """Reports of companions, in sentences, by name of the companion."""
    columns: dict[str, Any] = field(default_factory=dict)
    """Columns of plug-ins in the round's row of `cases`, from their companions."""
    captures: list[dict[str, Any]] = field(default_factory=list)
    """Files of packets, each with interface, filter, and the counts of dumpcap."""
    artefacts: dict[str, Path] = field(default_factory=dict)
    """Files that they made, by the end of the name under which they are kept."""
    cpus: str = ""
    nodes: str | None = None
    """The user's node of each participant, in the order of `cpus`."""
    one_clock: bool = True
    """Whether all participants have the same clock; otherwise only differences at one of them are
    exact."""
    record_every: int | None = None
    """One in this many samples of streams at a rate was recorded by each of its readers; 0: one of
    them had too little room. None: none was to be recorded."""
    asking_clock: str | None = ""
    """The clock of all that ping or write; None where they have several."""
    answering_clock: str | None = ""
    """Clock of all that answer or read."""
    ready_ns: int = 0
    """Time at which the last endpoint was there."""
    matched: dict[str, Matched] = field(default_factory=dict)
    """Times at which the endpoints of each process had found their counterparts, by its
    participants."""
    discovery: Discovery = UNKNOWN
    """Time from the moment when the last endpoint was there until all had found each other."""
    total_s: float = 0.0
    loads: dict[Kind, float | None] = field(default_factory=dict)
    """Level that each background load achieved, in its unit; with nodes, the lowest among them."""
    load_on: dict[Kind, dict[str, float | None]] = field(default_factory=dict)
    """Level that each background load achieved on each node."""

    def rate_changes(self, flow: str) -> bool:
        """Return whether it has no rate that was the same all the time."""
        return any(each.flow == flow and "rate_hz" in each.change for each in self.changes)

    def expected(self, *, background: bool = False) -> int:
        """Return how many samples of streams all readers together should have received."""
        return sum(
            self.flows.to_be_read(report["writer"], report["sent"])
            for report in self.run
            if self.flows.background(report["writer"]) == background
        )

    @property
    def two_clocks(self) -> bool:
        """Return whether those that ask have one clock and those that answer another: their offset
        can be determined."""
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
        kinds: Sequence[type[Companion]] | None = None,
        *,
        documents: OfParticipant = unsecured,
        watched: bool = False,
    ) -> None:
        """Run no round yet.

        Args:
            kinds: companions; by default all.
            documents: security documents of participants.
            watched: workers tell once a second how the round goes.
        """
        self.scenario = scenario
        self.places = places
        self.adapters = adapters
        self.run_dir = run_dir
        self._log_dir = log_dir
        self._companions = companions() if kinds is None else kinds
        self._documents = documents
        self._watched = watched
        self.sights: Sights | None = None
        """Sights of the current round."""
        self.commands: Commands | None = None
        """Commands around the current round."""

    async def run(self, case: Case, cookie: int, seed: int, stem: str) -> RoundData:
        """Run one round, with the commands around it.

        Raises:
            RoundError: it, or one of them, has failed.
        """
        self.commands = Commands(self.scenario, self.places, case.params, self.run_dir)
        async with self.commands.around():
            return await self._round(case, cookie, seed, stem)

    async def _round(self, case: Case, cookie: int, seed: int, stem: str) -> RoundData:
        """Run one round; raise `RoundError` if it fails. In any case no process of it is left."""
        begin = time.monotonic()
        data = RoundData()
        self.sights = None
        stage = Stage(case.params, self.scenario, self.places, self.run_dir, data, self._log_dir)
        companions, workers = Companions(stage, self._companions), stage.workers
        try:
            await self._measure(cookie, seed, stem, stage, companions)
            if trouble := self.places.trouble(case.params):
                raise RoundError("lab", trouble)
            await asyncio.gather(*(worker.stop() for worker in workers))
            await companions.stop("round")
            await companions.stop("all")
        except BaseException as error:
            ended = _ended((*workers, *stage.servers), error)
            # All at once, before anything else can interrupt.
            for worker in workers:
                worker.kill()
            left = await companions.kill()
            await asyncio.gather(*(worker.reap() for worker in workers))
            left += [each for worker in workers for each in worker.remains]
            down = await in_thread(end_there, left)
            if isinstance(error, RoundError | Killed):
                cause = self._cause(error, case, ended)
                if down:
                    cause = RoundError(cause.kind, f"{cause}; {down.where}: {down.message}")
                raise cause from error
            raise
        data.total_s = time.monotonic() - begin
        return data

    def _cause(self, error: RoundError | Killed, case: Case, ended: list[str]) -> RoundError:
        """Return why a round failed: a lab that has broken down is the cause of whatever was
        noticed."""
        if trouble := self.places.trouble(case.params):
            return RoundError("lab", trouble)
        if ended and isinstance(error, RoundError) and error.kind != "died":
            return RoundError("died", f"{ended[0]}; {error}")
        return RoundError("died", str(error)) if isinstance(error, Killed) else error

    async def _measure(
        self, cookie: int, seed: int, stem: str, stage: Stage, companions: Companions
    ) -> None:
        params, data, hang = stage.params, stage.data, self.scenario.run.hang_s
        data.flows = of_run(flows(params), run_identity(cookie))
        places = await in_thread(self.places.participant_places, params, data.flows)
        if len({place.clock for place in places}) == 1:
            data.record_every = record_every(data.flows, params)
        timing = params.changed(record_every=data.record_every)
        stage.seats = self._seats(timing, data.flows, seed, places)
        stage.served = served(params, stage.seats, self.adapters)
        await companions.start("all")
        shares = _processes(params, stage.seats)
        starts = self._starts(stem, shares, stage)
        *participants, _ = await together(*starts, companions.start("round"))
        await self._prepare(params, cookie, shares, participants)
        data.ready_ns = await self._setup(shares, participants, data)
        names = [",".join(seat.participant.name for seat in seats) for seats in shares]
        data.matched = dict(zip(names, await self._match(participants), strict=True))
        if data.one_clock:
            data.discovery = discovery([*data.matched.values()], data.ready_ns)
        await companions.start("measurement")
        occupied = [seat.place for seat in stage.seats]
        watching = self._watch(params, data.flows, participants)
        await _all(participants, hang, "start", **watching)
        before = await in_thread(take, occupied, participants)
        settling = (params.existing or 0) * EXISTING_S
        length = params.warmup_s + settling + params.length_s
        active = [
            worker
            for worker, share in zip(participants, shares, strict=True)
            if any(seat.does(ACTIVE) for seat in share)
        ]
        timeline = Timeline(params, data.flows, partial(self.places.cut, params))
        # The timeouts of the middleware itself come first: a blocked write, a lost ping.
        running = _all(
            active, length + hang + params.timeout_s, "run", **{**watching, **timeline.watching}
        )
        beginning = asyncio.create_task(companions.mark(params.warmup_s + settling))
        owners = {
            role["writer"]: worker
            for worker, share in zip(participants, shares, strict=True)
            for seat in share
            for role in seat.roles
        }
        relayed = SightingRelay(data.flows, owners, hang)
        try:
            for reports in await timeline.background(running, owners, hang + params.timeout_s):
                data.run += reports
        finally:
            beginning.cancel()
        await companions.mark()
        data.changes = timeline.moments
        await relayed.stop()
        flow_of = {number: flow for number, (flow, _) in data.flows.ends.items()}
        if foreign := [r["writer"] for r in data.run if r["writer"] not in flow_of]:
            raise RoundError("garbage", f"a report of writer {foreign[0]}, which nobody has")
        expect = [
            {"writer": r["writer"], "sent": flow_of[r["writer"]].admitted_samples(r["sent"])}
            for r in data.run
        ]
        # Repair may be so slow that there is no end of it.
        await asyncio.gather(
            *(
                worker.call(
                    2 * hang + length,
                    "drain",
                    expect=expect,
                    limit_s=hang + length,
                    idle_s=_idle_s(share, data.flows),
                )
                for worker, share in zip(participants, shares, strict=True)
                if any(seat.does(PASSIVE) for seat in share)
            )
        )
        after = await in_thread(take, occupied, participants)
        data.counters = change(before, after)
        data.changed, data.clocks = changed(before, after), offsets(before, after)
        where = placed(before, after)
        for worker, share in zip(participants, shares, strict=True):
            own = {seat.participant.name for seat in share}
            for row in data.participants:
                if row["participant"] in own:
                    row |= where.get(worker.name, {})
        await companions.stop("measurement")
        for reports in await _all(participants, hang + length, "collect"):
            data.roles += reports
        frames = [frame for worker in participants for frame in worker.frames]
        data.roles = completed(data.roles, frames)
        if any(role["unrecorded"] for role in data.roles):
            data.record_every = 0
        data.frames = [frame for frame in frames if frame.kind == SAMPLES]

    def _watch(self, params: Parameters, case: Flows, workers: list[Worker]) -> dict[str, Any]:
        """Return arguments of `start` and `run` that make workers report the round, and listen."""
        if not self._watched:
            return {}
        self.sights = Sights(params, case)
        for number, worker in enumerate(workers):
            worker.listeners.append(self.sights.listener(number))
        return {"every_ns": EVERY_NS}

    def _seats(
        self, params: Parameters, case: Flows, seed: int, places: list[ParticipantPlace]
    ) -> list[Seat]:
        """Return the seats of a case's participants, subscribers first."""
        does = roles(case, params, seed)
        return [
            Seat(
                own,
                self.adapters[own.adapter],
                place.roles(does[own]),
                place,
                self._config(params, own, place),
            )
            for own, place in zip(case.participants, places, strict=True)
        ]

    def _config(
        self, params: Parameters, own: PlannedParticipant, place: ParticipantPlace
    ) -> dict[str, Any]:
        run_dir = place.run_dir(self.run_dir)
        config = participant_config(own, params.profile, self.scenario.run, run_dir, place)
        documents = self._documents(params, own.name)
        if documents is None:
            return config
        return {**config, "security": place.documents(documents)}

    def _starts(
        self, stem: str, shares: list[list[Seat]], stage: Stage
    ) -> list[Coroutine[Any, Any, Worker]]:
        """Return how the participants are started, passive first; and on the stage, how workers are
        that hold a server. What was started is there, whatever happens to the others."""
        params, data = stage.params, stage.data
        names = [
            seats[0].participant.name if len(seats) == 1 else "participants" for seats in shares
        ]
        firsts = [seats[0] for seats in (*shares, *stage.served)]
        places = [seat.place for seat in firsts]
        names += [
            f"server{number}" if number > 1 else "server"
            for number, _ in enumerate(stage.served, start=1)
        ]
        cpus = _cpus(params, firsts, len(shares))
        data.one_clock = len({place.clock for place in places}) == 1
        seats = stage.seats
        data.asking_clock, data.answering_clock = (
            _clock(seats, ways, data.flows) for ways in (ACTIVE, PASSIVE)
        )
        data.nodes = ";".join(place.node.name for place in places if place.node) or None
        data.cpus = ";".join(",".join(map(str, own)) for own in cpus)
        run = self.scenario.run

        words = shlex.split(params.side_environment or "")
        variables = {name: value for name, _, value in (word.partition("=") for word in words)}

        async def start(number: int, fifo: int, among: list[Worker]) -> Worker:
            name, place = names[number], places[number]
            how: dict[str, Any] = {
                "fifo": fifo,
                "lock": run.lock_memory,
                "deadline_s": run.hang_s,
                "prefix": [*place.prefix, *shlex.split(params.side_prefix or "")],
                "environment_too": variables,
                "log": self._log_dir / f"{stem}.{name}.log",
            }
            worker = await Worker.start(name, cpus[number], node=place.node, **how)
            first, together = firsts[number], len(shares[number]) if number < len(shares) else 1
            worker.faults = [
                fault
                for fault in first.adapter.faults()
                if fault.occurs(first.config["transport"], together, dict(first.config["settings"]))
            ]
            among.append(worker)
            return worker

        stage.launch = lambda number: start(len(shares) + number, params.fifo, stage.servers)
        return [
            start(number, share[0].participant.fifo, stage.workers)
            for number, share in enumerate(shares)
        ]

    async def _prepare(
        self, params: Parameters, cookie: int, shares: list[list[Seat]], workers: list[Worker]
    ) -> None:
        """Send every worker its participants and roles."""
        # The scenario's own participants and roles may be on anybody's CPU.
        yields = shares_cpu(params) or bool(params.participants or params.flows)
        await asyncio.gather(
            *(
                worker.call(
                    self.scenario.run.hang_s,
                    "prepare",
                    cookie=f"{cookie:016x}",
                    adapter=seats[0].place.path(seats[0].adapter.path),
                    yields=yields,
                    participants=[{"config": seat.config, "roles": seat.roles} for seat in seats],
                )
                for worker, seats in zip(workers, shares, strict=True)
            )
        )

    async def _setup(self, shares: list[list[Seat]], workers: list[Worker], data: RoundData) -> int:
        """Make all endpoints; return when the last was there, in ns."""
        # Each is announced to all others, so that many take longer.
        endpoints = sum(
            role.get("endpoints", 1) for seats in shares for seat in seats for role in seat.roles
        )
        hang = self.scenario.run.hang_s * (1 + endpoints / MANY_ENDPOINTS)
        results = await _all(workers, hang, "setup")
        data.participants = [
            {
                "participant": seat.participant.name,
                "adapter": seat.adapter.name,
                "transport": seat.config["transport"],
                "node": seat.place.name,
                "process": worker.process_there or worker.pid,
                "cpus": ",".join(map(str, worker.cpus)) or None,
                "fifo": seat.participant.fifo,
                "monotonic_ns": result["clocks"]["monotonic_ns"],
                "realtime_ns": result["clocks"]["realtime_ns"],
                "realtime_bound_ns": result["clocks"]["bound_ns"],
            }
            for worker, seats, result in zip(workers, shares, results, strict=True)
            for seat in seats
        ]
        for worker, result in zip(workers, results, strict=True):
            worker.recorder_bytes = result["recorder_bytes"]
        self._expect: dict[str, dict[str, int]] = {}
        for result in results:
            for topic, ends in result["endpoints"].items():
                total = self._expect.setdefault(topic, {"writers": 0, "readers": 0})
                for kind in total:
                    total[kind] += ends[kind]
        readers = _gathered(result["locators"] for result in results)
        writers = _gathered(result["writer_locators"] for result in results)
        if readers or writers:
            # Each worker connects its own endpoints, to the other side's.
            await _all(workers, hang, "connect", locators=readers, writer_locators=writers)
        return max(int(result["ready_ns"]) for result in results)

    async def _match(self, workers: list[Worker]) -> list[Matched]:
        """Wait until all endpoints have found each other; return when, worker by worker."""
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
        return [cast(Matched, answer) for answer in answers]


def _processes(params: Parameters, seats: list[Seat]) -> list[list[Seat]]:
    """Return which participants are one process: each is its own, where the middleware reaches
    another."""
    if params.deployment != "one":
        return [[seat] for seat in seats]
    together = [seat for seat in seats if seat.adapter.name == params.adapter]
    return [together, *([seat] for seat in seats if seat not in together)]


def _cpus(params: Parameters, firsts: list[Seat], shares: int) -> list[list[int]]:
    """Return the CPUs of each process: participants, then servers. The matrix's have them as its
    placement says, their server is the next; the scenario's own have what they name."""
    of_matrix = [
        number
        for number, seat in enumerate(firsts)
        if seat.participant.side or (number >= shares and seat.adapter.name == params.adapter)
    ]
    usable = [firsts[number].place.cpus for number in of_matrix]
    placed = dict(zip(of_matrix, cpus_of(params, len(of_matrix), usable), strict=True))
    return [
        placed[number] if number in placed else numbers_of(seat.participant.cpus)
        for number, seat in enumerate(firsts)
    ]


def _gathered(found: Iterable[dict[str, list[str]]]) -> dict[str, list[str]]:
    """Gather the locators of all workers, by topic."""
    gathered: dict[str, list[str]] = {}
    for of_worker in found:
        for topic, locators in of_worker.items():
            gathered.setdefault(topic, []).extend(locators)
    return gathered


def _clock(seats: list[Seat], ways: frozenset[str], flows: Flows) -> str | None:
    """Return the one clock of those who do this in measured flows; None where they have several."""
    found = {seat.place.clock for seat in seats if seat.does(ways, flows)}
    return found.pop() if len(found) == 1 else None


def _idle_s(share: list[Seat], flows: Flows) -> float:
    """Return how long these participants wait after their last sample, by what they read
    themselves."""
    numbers = (role["writer"] for seat in share for role in seat.roles if role["role"] in PASSIVE)
    read = [flow for number in numbers if (flow := flows.flow_of(number))]
    return max((_repair_s(flow.qos) for flow in read), default=DRAIN_IDLE_S)


def _repair_s(qos: dict[str, Any]) -> float:
    """Return how long a sample that was lost may take until it comes after all."""
    if qos.get("reliability") != "reliable":
        return DRAIN_IDLE_S
    return REPAIR_IDLE_S if qos.get("history") == "keep_last" else RELIABLE_IDLE_S


def _ended(processes: Sequence[Worker], error: BaseException) -> list[str]:
    """Return which of these were ended by a signal, and how, where a round fails with `error`: a
    partner may have noticed before the kernel reports it, for a process loses its sockets first."""
    noticed = isinstance(error, RoundError) and error.kind not in ("died", "hung")
    patience = time.monotonic() + (NOTICED_S if noticed else 0.0)
    while True:
        found = [each.how_died(how) for each in processes if (how := each.ended)]
        if found or time.monotonic() >= patience:
            return found
        # Without a turn of the loop: nothing may interrupt before all are ended.
        time.sleep(NOTICED_S / 20)


async def _all(workers: list[Worker], deadline_s: float, cmd: str, **arguments: Any) -> list[Any]:
    """Send the same command to every worker at once; return their answers."""
    calls = (worker.call(deadline_s, cmd, **arguments) for worker in workers)
    return list(await asyncio.gather(*calls))
