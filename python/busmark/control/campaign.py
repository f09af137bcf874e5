"""A whole campaign: rounds of all cases interleaved, each stored as soon as it is finished."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import signal
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from busmark.adapters import Adapter
from busmark.control import counting, tables
from busmark.control.capacity import next_trial, searches, trial_figures
from busmark.control.clocks import Clocks, begins, clocks
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    Listener,
    Outlook,
    RoundBegins,
    RoundEnds,
    RoundFails,
)
from busmark.control.failure import RoundError
from busmark.control.places import Places
from busmark.control.precision import wanting
from busmark.control.round import RoundData, RoundRunner
from busmark.control.rundir import run_directory
from busmark.nodes import Nodes
from busmark.plan import expected_s, order
from busmark.processes import end_orphans, end_part
from busmark.scenario import Scenario
from busmark.store import Case
from busmark.store.result import file_stem
from busmark.store.writer import ResultWriter

NAME_LENGTH = 60
"""Of a directory; the system allows 255 bytes, and a letter may have four."""


class Campaign:
    """Runs what is missing of a result."""

    def __init__(
        self,
        scenario: Scenario,
        adapters: dict[str, Adapter],
        writer: ResultWriter,
        listeners: Sequence[Listener],
        nodes: Nodes | None = None,
    ) -> None:
        self.scenario = scenario
        self.adapters = adapters
        self.writer = writer
        self.listeners = listeners
        self.nodes = nodes or Nodes()
        """Those of the user's; they are left when the campaign ends."""
        self.cases = [case for case in writer.manifest.cases if case.status == "planned"]
        self._counted = [case for case in self.cases if not searches(case)]
        """Cases that have a number of rounds; the others have trials."""
        self._position = max((row["order"] + 1 for row in writer.rows), default=0)
        self._tried: dict[tuple[str, int], int] = {
            (row["case"], row["round"]): row["attempt"] + 1
            for row in writer.rows
            if row["status"] == "failed"
        }
        """Attempts of failed rounds before this campaign began or was gone on with."""
        self._stopping = False

    def run(self) -> bool:
        """Runs to the end; False if the user interrupted it (the finished rounds are stored)."""
        end_orphans()
        places = Places(self.scenario, self.writer.event, self.adapters, self.nodes)
        try:
            with run_directory() as run_dir:
                runner = RoundRunner(
                    self.scenario, self.adapters, places, run_dir, self.writer.directory / "logs"
                )
                return asyncio.run(self._run(runner))
        finally:
            end_part("round")
            places.close()

    async def _run(self, runner: RoundRunner) -> bool:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt, task)
        finished = False
        try:
            self._tell(self._begins())
            await self._all_rounds(runner)
            finished = True
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
            self._tell(CampaignEnds(interrupted=not finished))
        return finished

    async def _all_rounds(self, runner: RoundRunner) -> None:
        """The rounds of all cases, sweep after sweep; then more for those that want more."""
        for sweep in itertools.count():
            cases = self._missing(sweep)
            if sweep >= self.scenario.rounds.min:
                cases = self._further()
            cases += self._trials()
            if not cases and sweep >= self.scenario.rounds.min:
                return
            await self._sweep(runner, sweep, cases)

    def _further(self) -> list[Case]:
        """Cases that get a round beyond those that every case has."""
        rounds = self.scenario.rounds
        below = [case for case in self._counted if self._following(case) < rounds.max]
        return wanting(below, self.writer.rows, rounds)

    def _trials(self) -> list[Case]:
        """The next trial of every case that searches a rate."""
        trials = (
            next_trial(case, self._rows(case), self.scenario.capacity)
            for case in self.cases if searches(case)
        )  # fmt: skip
        return [case for case in trials if case is not None]

    async def _sweep(self, runner: RoundRunner, sweep: int, cases: list[Case]) -> None:
        """One round of each of these cases."""
        todo = {case.id: case for case in cases}
        # The order of all, so that it is the same after an interruption.
        everyone = order(self.cases, sweep, self.scenario.rounds.seed)
        shuffled = [todo[case.id] for case in everyone if case.id in todo]
        later = [c for n in range(sweep + 1, self.scenario.rounds.min) for c in self._missing(n)]
        postponed: list[tuple[Case, int]] = []
        for index, case in enumerate(shuffled):
            further = searches(case) or sweep >= self.scenario.rounds.min
            number = self._following(case) if further else sweep
            if not await self._round(runner, case, number, [*shuffled[index + 1 :], *later]):
                postponed.append((case, number))
        if postponed:
            await asyncio.sleep(self.scenario.run.hang_s)
        for case, number in postponed:
            await self._round(runner, case, number, later, insist=True)

    def _rows(self, case: Case) -> list[dict[str, Any]]:
        return [row for row in self.writer.rows if row["case"] == case.id]

    def _following(self, case: Case) -> int:
        """Number of the case's next round."""
        return max((row["round"] for row in self._rows(case)), default=-1) + 1

    def _begins(self) -> CampaignBegins:
        unsupported = [c for c in self.writer.manifest.cases if c.status == "unsupported"]
        planned = [c for n in range(self.scenario.rounds.min) for c in self._missing(n)]
        planned += self._trials()
        return CampaignBegins(
            self.cases, unsupported, len(self.writer.rows), len(planned),
            sum(map(expected_s, planned)),
        )  # fmt: skip

    def _interrupt(self, task: asyncio.Task[bool]) -> None:
        # Once: a second signal must not interrupt the ending of processes.
        if not self._stopping:
            self._stopping = True
            task.cancel()

    def _tell(self, event: Event) -> None:
        for listener in self.listeners:
            # Whoever watches may go away: a closed terminal, `| head`.
            with contextlib.suppress(OSError):
                listener.on(event)

    def _missing(self, round_number: int) -> list[Case]:
        """Cases that still need this round, of those that every case has."""
        done = {(r["case"], r["round"]) for r in self.writer.rows if r["status"] != "failed"}
        given_up = {
            (r["case"], r["round"]) for r in self.writer.rows
            if r["status"] == "failed"
            and r["attempt"] >= self._last_attempt(r["case"], r["round"])
        }  # fmt: skip
        return [case for case in self._counted if (case.id, round_number) not in done | given_up]

    def _last_attempt(self, case: str, round_number: int) -> int:
        """Number of the last attempt at a round. Going on gives failed rounds a fresh set."""
        return self._tried.get((case, round_number), 0) + self.scenario.rounds.retries

    async def _round(
        self, runner: RoundRunner, case: Case, round_number: int, left: list[Case], *,
        insist: bool = False,
    ) -> bool:  # fmt: skip
        """Attempts at a round; `left` are the cases of those that follow.

        False, unless it insists, if they are to come later: a node that is gone may come back, and
        cases on others can be measured meanwhile.
        """
        failed = (row["attempt"] for row in self._rows(case)
                  if row["round"] == round_number and row["status"] == "failed")  # fmt: skip
        last = self._last_attempt(case.id, round_number)
        for attempt in range(max(failed, default=-1) + 1, last + 1):
            self._tell(RoundBegins(case, round_number, attempt))
            error = await self._attempt(runner, case, round_number, attempt, left, insist)
            if error is None:
                return True
            if error.kind == "node":
                return insist
        return True

    async def _attempt(
        self, runner: RoundRunner, case: Case, round_number: int, attempt: int, left: list[Case],
        insist: bool,
    ) -> RoundError | None:  # fmt: skip
        """One attempt; why it failed, if it did."""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        stem = file_stem(case.id, round_number)
        position, self._position = self._position, self._position + 1
        seed = random.Random(f"{self.scenario.rounds.seed}/{stem}").getrandbits(63)
        cookie = int(self.writer.manifest.cookie, 16)
        place = tables.Place(case, round_number, attempt, position, started)
        self.writer.event("round_begins", case=case.id, round=round_number, attempt=attempt)
        failed_s = [
            row["failed_s"] for row in self._rows(case)
            if row["round"] == round_number and row["failed_s"]
        ]  # fmt: skip
        begin_s = time.monotonic()
        try:
            data = await self._alone(runner.run(case, cookie, seed, stem), case, round_number)
            frame = tables.samples(case, round_number, data)
        except RoundError as error:
            reason = f"{error.kind}: {error}"
            if error.kind == "node" and not insist:
                # Nothing has begun, so it was no attempt.
                self.writer.event("postponed", case=case.id, round=round_number, reason=reason)
                self._tell(RoundFails(case, round_number, attempt, reason, again=True))
                return error
            self.writer.event(
                "round_failed", case=case.id, round=round_number, attempt=attempt, reason=reason
            )
            self.writer.keep_logs(case.id, round_number, attempt)
            spent = {"failed_s": sum(failed_s) + time.monotonic() - begin_s}
            self.writer.save_round(tables.row(place, "failed", reason, spent), None, None)
            again = attempt < self._last_attempt(case.id, round_number) and error.kind != "node"
            self._tell(RoundFails(case, round_number, attempt, reason, again))
            return error
        told = clocks(frame) if data.two_clocks else Clocks()
        figures = {**tables.summary(case, data, frame), **told.figures}
        figures["failed_s"] = sum(failed_s) or None
        if searches(case):
            figures |= trial_figures(case, figures, self._rows(case), self.scenario.capacity)
            unmet = None
        else:
            unmet = told.trouble or tables.shortfall(figures, case, self.scenario.criteria)
        row = tables.row(place, "marked" if unmet else "ok", unmet, figures)
        begin_ns = begins(data, tables.begin_ns(data), told.offset)
        system = counting.table(case, round_number, data.system, begin_ns)
        intervals = tables.intervals(case, round_number, data)
        self.writer.save_round(row, frame, intervals, system)
        self.writer.event(
            "round_ends", case=case.id, round=round_number, status=row["status"], reason=unmet,
            discovery_s=data.discovery_s, run=data.run, system_problem=data.system_problem,
            load_on=data.load_on,
            roles=[{k: v for k, v in role.items() if k != "intervals"} for role in data.roles],
        )  # fmt: skip
        self._tell(RoundEnds(case, round_number, row, self._rows(case), self._outlook(left)))
        return None

    def _outlook(self, left: list[Case]) -> Outlook:
        """What is to come when these cases have their rounds yet."""
        further = [*self._further(), *self._trials()]
        following = left or further
        unfinished = {case.id for case in [*left, *further]}
        return Outlook(
            cases_done=len(self.cases) - len(unfinished), rounds_left=len(following),
            seconds_left=sum(map(expected_s, following)), more=bool(further),
        )  # fmt: skip

    async def _alone(
        self, running: Coroutine[Any, Any, RoundData], case: Case, round_number: int
    ) -> RoundData:
        """A round, after which nothing of it runs: no daemon of a middleware meets the next."""
        try:
            return await running
        finally:
            if commands := end_part("round"):
                self.writer.event(
                    "leftovers_ended", case=case.id, round=round_number, commands=commands
                )


def default_directory(name: str) -> Path:
    """Where a result goes when no directory is named."""
    words = "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")[:NAME_LENGTH]
    return Path("busmark-results") / f"{words}-{time.strftime('%Y%m%d-%H%M%S')}"
