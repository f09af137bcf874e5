"""A whole campaign: rounds of all cases interleaved, each stored as soon as it is finished."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import signal
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from busmark.adapters import Adapter
from busmark.control import accounts, discoveries, goals, tables, waiting
from busmark.control.clocks import ClockOffsets, begins, clocks
from busmark.control.companions import counters
from busmark.control.early import EarlyFindings
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    LengthChosen,
    Listener,
    Remainder,
    ResultCloses,
    RoundBegins,
    RoundEnds,
    RoundFails,
    RoundGoesOn,
)
from busmark.control.hooks import RoundPackets, capture_hook, security_hook
from busmark.control.lengths import Lengths
from busmark.control.libraries import Libraries
from busmark.control.places import Places
from busmark.control.precision import (
    Decisions,
    affordable,
    next_trial,
    searches,
    spent_s,
    trial_figures,
    wanting,
)
from busmark.control.rates import table as batch_table
from busmark.control.round import OfParticipant, RoundData, RoundRunner, unsecured
from busmark.errors import RoundError
from busmark.findings import campaign_findings, combine
from busmark.nodes import Nodes
from busmark.plan import Pace, expected_s, order
from busmark.plan.extent import time_of
from busmark.processes import end_orphans, end_part
from busmark.scenario import Scenario
from busmark.store import Case, Result
from busmark.store.named import FOLDER
from busmark.store.result import file_stem
from busmark.store.rows import REST, Row, as_frame
from busmark.store.samples import round_trips
from busmark.store.tables import start_threads
from busmark.store.writer import LOGS, ResultWriter
from busmark.temporary import run_directory

NAME_LENGTH = 60
"""Longest name of a directory; the system allows 255 bytes, and a letter may have four."""


STORED = ("accounts", "intervals", "batches", "sent_batches", "discoveries", "goals")
"""Parts of a role's report that are in tables and not repeated in the events."""


@dataclass(frozen=True)
class StoredRound:
    """A finished round as it is stored."""

    row: dict[str, Any]
    frames: dict[str, pl.DataFrame | None]
    """Tables of the round by name; None: there is nothing of the kind."""


class RemainingCases(Collection[Case]):
    """The cases of rounds that follow, from the place `begin` in the first of these lists on. A
    view: of ten thousand cases no list is made after each round."""

    def __init__(self, *parts: Sequence[Case], begin: int = 0) -> None:
        self._parts = parts
        self._begin = begin

    def __len__(self) -> int:
        return sum(map(len, self._parts)) - self._begin

    def __iter__(self) -> Iterator[Case]:
        return itertools.islice(itertools.chain(*self._parts), self._begin, None)

    def __contains__(self, case: object) -> bool:
        return any(case is each for each in self)


@dataclass(frozen=True)
class Forecast:
    """The remainder of the campaign at some time."""

    remainder: Remainder
    end_s: float
    took_s: float

    def with_left(self, rounds: int, done: int) -> Remainder:
        """Return the remainder with this many rounds left and done."""
        share = rounds / max(self.remainder.rounds_left, 1)
        seconds = self.remainder.seconds_left * min(share, 1.0)
        return self.remainder.model_copy(
            update={"rounds_done": done, "rounds_left": rounds, "seconds_left": seconds}
        )


@contextlib.contextmanager
def _understood() -> Iterator[None]:
    """Turn an answer of a worker that cannot be into a failure of the round.

    Answers have the shape of the protocol by then, but numbers may be beyond all bounds and tables
    need not fit together.
    """
    try:
        yield
    except (
        ValueError,
        ArithmeticError,
        LookupError,
        TypeError,
        pl.exceptions.PolarsError,
    ) as error:
        first = str(error).partition("\n")[0][:200]
        text = f"what the participants reported does not fit together: {first}"
        raise RoundError("garbage", text) from error


class CampaignRun:
    """Runs what is missing of a result."""

    def __init__(
        self,
        scenario: Scenario,
        adapters: dict[str, Adapter],
        writer: ResultWriter,
        listeners: Sequence[Listener],
        nodes: Nodes | None = None,
        *,
        again: bool = False,
    ) -> None:
        """`again`: as many further rounds of each case as it has marked ones."""
        self.scenario = scenario
        self.adapters = adapters
        self.writer = writer
        self.listeners = listeners
        self.nodes = nodes or Nodes()
        """The user's nodes, which are left when the campaign ends."""
        self.cases = [case for case in writer.manifest.cases if case.status == "planned"]
        self._counted = [case for case in self.cases if not searches(case)]
        """Cases that have a number of rounds; the others have trials."""
        self._lengths = Lengths(scenario, self.cases, writer.rows.of_case)
        self._deciding = Decisions(scenario, writer.directory)
        self._position = max((row["order"] + 1 for row in writer.rows), default=0)
        self.first = self._position
        """Place of its first round in the order of all."""
        self._tried: dict[tuple[str, int], int] = {
            (row["case"], row["round"]): row["attempt"] + 1
            for row in writer.rows
            if row["status"] == "failed"
        }
        """Attempts of failed rounds before this campaign began or was resumed."""
        self._stopping = False
        self._seen: Forecast | None = None
        self._rounds_done = 0
        self._watched = any(getattr(listener, "watches", False) for listener in listeners)
        self._pace = Pace(self.cases, writer.rows)
        self._ended_s: float | None = None
        """Time at which the last attempt of this campaign ended."""
        stored = {name: known.get("sha256") for name, known in writer.manifest.adapters.items()}
        self._libraries = Libraries(adapters, stored)
        self._again = Counter(
            row["case"] for row in writer.rows if again and row["status"] == "marked"
        )
        self._early = EarlyFindings(writer.directory, writer.rows.of_case, writer.manifest.findings)

    def run(self) -> bool:
        """Run to the end; return False if the user interrupted it (finished rounds are stored)."""
        end_orphans()
        start_threads()
        waiting.start()
        places = Places(self.scenario, self.writer.event, self.adapters, self.nodes)
        try:
            with run_directory() as run_dir:
                documents: OfParticipant = unsecured
                if security := security_hook(self.cases):
                    own = security.CampaignDocuments(self.scenario, self.cases, run_dir)
                    own.check()
                    documents = own.for_participant
                runner = RoundRunner(
                    self.scenario,
                    self.adapters,
                    places,
                    run_dir,
                    self.writer.directory / LOGS,
                    documents=documents,
                    watched=self._watched,
                )
                return asyncio.run(self._run(runner))
        finally:
            end_part("round")
            places.close()

    def finish(self, *, complete: bool) -> Result:
        """Store the findings of all rounds, release the directory, and return the result."""
        writer = self.writer
        writer.settle()
        found = campaign_findings(Result(writer.directory))
        writer.manifest.findings = combine(writer.manifest.findings, found)
        if complete:
            writer.manifest.finished_utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        writer.save_manifest()
        writer.event("campaign_ends", complete=complete)
        writer.close()
        for gone in self._early.at_the_end(writer.manifest.findings):
            self._tell(gone)
        self._tell(
            ResultCloses(
                directory=writer.directory,
                complete=complete,
                findings=writer.manifest.findings,
            )
        )
        return Result(writer.directory)

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
        """Run the rounds of all cases, sweep after sweep; then more for those that want more."""
        for sweep in itertools.count():
            cases = self._missing([sweep])
            if sweep >= self.scenario.rounds.min:
                cases = self._further()
                known = {case.id for case in cases}
                cases += [case for case in self._repeated() if case.id not in known]
            cases += self._trials()
            if not cases and sweep >= self.scenario.rounds.min:
                return
            await self._sweep(runner, sweep, cases)

    def _repeated(self) -> list[Case]:
        """Return the cases of which a marked round is yet to be repeated, by a round of its own."""
        cases = [case for case in self._counted if self._again[case.id] > 0]
        self._again.subtract(case.id for case in cases)
        return cases

    def _further(self) -> list[Case]:
        """Return the cases that get a round beyond those that every case has."""
        rounds = self.scenario.rounds
        below = [
            self._lengths.sized(case)
            for case in self._counted
            if self._following(case) < rounds.max
        ]
        rows = [*self.writer.rows]
        wanted = wanting(below, rows, rounds)
        known = {case.id for case in wanted}
        others = [case for case in below if case.id not in known and self._may_take(case)]
        wanted += self._deciding.wanting(others, self._following)
        return affordable(wanted, rounds.budget_s - spent_s(rows)) if rounds.budget_s else wanted

    def _may_take(self, case: Case) -> bool:
        """Return whether the budget of the case has room for a round more."""
        budget_s = self.scenario.rounds.case_budget_s
        return not budget_s or spent_s(self._rows(case)) + expected_s(case) <= budget_s

    def _is_last(self, case: Case) -> bool:
        """Return whether the case gets no round beyond those that it has. While a campaign is
        within a sweep, that is not known of those that compete for its budget or are required to
        be decided."""
        rounds, done = self.scenario.rounds, self._following(case)
        if searches(case) or done < rounds.min or self._again[case.id] > 0:
            return False
        if done >= rounds.max:
            return True
        competes = rounds.budget_s or self.scenario.require
        return not competes and not wanting([self._lengths.sized(case)], self._rows(case), rounds)

    def _trials(self) -> list[Case]:
        """Return the next trial of every case that searches a rate."""
        trials = (
            next_trial(case, self._rows(case), self.scenario.capacity)
            for case in self.cases
            if searches(case)
        )
        return [case for case in trials if case is not None]

    async def _sweep(self, runner: RoundRunner, sweep: int, cases: list[Case]) -> None:
        """Run one round of each of these cases; postponed ones come last."""
        todo = {case.id: case for case in cases}
        # The order of all, so that it is the same after an interruption.
        everyone = order(self.cases, sweep, self.scenario.rounds.seed)
        shuffled = [todo[case.id] for case in everyone if case.id in todo]
        later = self._missing(range(sweep + 1, self.scenario.rounds.min))
        postponed: list[tuple[Case, int]] = []
        for index, case in enumerate(shuffled, start=1):
            further = searches(case) or sweep >= self.scenario.rounds.min
            number = self._following(case) if further else sweep
            self._libraries.check()
            if not await self._round(
                runner, case, number, RemainingCases(shuffled, later, begin=index)
            ):
                postponed.append((case, number))
        if postponed:
            await asyncio.sleep(self.scenario.run.hang_s)
        for case, number in postponed:
            await self._round(runner, case, number, RemainingCases(later), insist=True)

    def _rows(self, case: Case) -> list[Row]:
        return self.writer.rows.of_case(case.id)

    def _following(self, case: Case) -> int:
        """Return the number of the case's next round."""
        return max((row["round"] for row in self._rows(case)), default=-1) + 1

    def _begins(self) -> CampaignBegins:
        unsupported = [c for c in self.writer.manifest.cases if c.status == "unsupported"]
        planned = self._missing(range(self.scenario.rounds.min)) + self._trials()
        planned += [case for case in self._counted for _ in range(self._again[case.id])]
        wanted = {case.id for case in planned}
        # A failed round is tried again.
        done = sum(row["status"] != "failed" for row in self.writer.rows)
        self._rounds_done = done
        following = {case.id: self._following(case) for case in self.cases}
        least_s = sum(map(self._round_s, planned))
        time_s = time_of(self.scenario, self.cases, self._round_s, following)
        return CampaignBegins(
            directory=self.writer.directory,
            cases=self.cases,
            unsupported=unsupported,
            rounds_done=done,
            cases_done=sum(case.id not in wanted for case in self.cases),
            rounds_planned=len(planned),
            expected_s=max(least_s, time_s.least),
            longest_s=max(least_s, time_s.most),
            findings=self.writer.manifest.findings,
        )

    def _round_s(self, case: Case) -> float:
        """Return the expected time of the next round of a case, its capture included."""
        further_s = 0.0
        if self.scenario.of_plugin("capture") and not self._rows(case):
            captures = capture_hook()
            if captures.of_captures(self.scenario, self.adapters, [case]):
                further_s = captures.CAPTURE_S
        return self._pace.expected_s(case) + further_s

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

    def _fails(self, case: Case, number: int, attempt: int, reason: str, *, again: bool) -> None:
        self._rounds_done += not again
        self._tell(RoundFails(case=case, round=number, attempt=attempt, reason=reason, again=again))

    def _missing(self, rounds: Iterable[int]) -> list[Case]:
        """Return the cases with a number of rounds that still need these, round by round."""
        done = {(r["case"], r["round"]) for r in self.writer.rows if r["status"] != "failed"}
        given_up = {
            (r["case"], r["round"])
            for r in self.writer.rows
            if r["status"] == "failed" and r["attempt"] >= self._last_attempt(r["case"], r["round"])
        }
        over = done | given_up
        return [case for n in rounds for case in self._counted if (case.id, n) not in over]

    def _last_attempt(self, case: str, round_number: int) -> int:
        """Return the number of a round's last attempt. Resuming gives failed rounds a fresh set."""
        return self._tried.get((case, round_number), 0) + self.scenario.rounds.retries

    async def _round(
        self,
        runner: RoundRunner,
        case: Case,
        round_number: int,
        left: RemainingCases,
        *,
        insist: bool = False,
    ) -> bool:
        """Try a round until an attempt succeeds; `left` are the cases of the rounds that follow.

        Return False, unless it insists, if its attempts are to come later: a node that is gone may
        come back, and cases on others can be measured meanwhile.
        """
        failed = (
            row["attempt"]
            for row in self._rows(case)
            if row["round"] == round_number and row["status"] == "failed"
        )
        last = self._last_attempt(case.id, round_number)
        case = self._with_length(case, round_number)
        for attempt in range(max(failed, default=-1) + 1, last + 1):
            self._tell(RoundBegins(case=case, round=round_number, attempt=attempt))
            error = await self._attempt(runner, case, round_number, attempt, left, insist)
            if error is None:
                return True
            if error.kind == "node":
                return insist
        return True

    def _with_length(self, case: Case, round_number: int) -> Case:
        """Return the case with a length for its round; report a length that the run chose."""
        if chosen := self._lengths.news(case):
            self.writer.event(
                "length_chosen",
                case=case.id,
                round=round_number,
                measured_s=chosen.seconds,
                reason=chosen.why,
                **chosen.figures,
            )
            self._tell(
                LengthChosen(case=case, round=round_number, seconds=chosen.seconds, why=chosen.why)
            )
        return self._lengths.sized(case)

    async def _attempt(
        self,
        runner: RoundRunner,
        case: Case,
        round_number: int,
        attempt: int,
        left: RemainingCases,
        insist: bool,
    ) -> RoundError | None:
        """Make one attempt and store how it ended; return why it failed, None if it did not."""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        stem = file_stem(case.id, round_number)
        position, self._position = self._position, self._position + 1
        seed = random.Random(f"{self.scenario.rounds.seed}/{stem}").getrandbits(63)
        cookie = int(self.writer.manifest.cookie, 16)
        place = tables.AttemptPlace(case, round_number, attempt, position, started)
        self.writer.event(
            "round_begins", case=case.id, round=round_number, attempt=attempt, watched=self._watched
        )
        failed_s = [
            row["failed_s"]
            for row in self._rows(case)
            if row["round"] == round_number and row["failed_s"]
        ]
        begin_s = time.monotonic()
        try:
            data = await self._alone(runner, case, round_number, cookie, seed, stem)
            wire = RoundPackets()
            if data.captures:
                logs = self.writer.directory / LOGS
                wire = await capture_hook().decode(case, round_number, data, cookie, logs)
            with _understood():
                stored = self._stored(place, data, wire, seed, sum(failed_s) or None)
        except RoundError as error:
            reason = f"{error.kind}: {error}"
            if error.kind == "node" and not insist:
                # Nothing has begun, so it was no attempt.
                self.writer.event("postponed", case=case.id, round=round_number, reason=reason)
                self._fails(case, round_number, attempt, reason, again=True)
                return error
            self.writer.event(
                "round_failed",
                case=case.id,
                round=round_number,
                attempt=attempt,
                reason=reason,
                commands=_records(runner),
            )
            self.writer.keep_logs(case.id, round_number, attempt)
            spent = {"failed_s": sum(failed_s) + time.monotonic() - begin_s}
            self.writer.save_round(tables.row(place, "failed", reason, spent), {})
            again = attempt < self._last_attempt(case.id, round_number) and error.kind != "node"
            self._fails(case, round_number, attempt, reason, again=again)
            self._ended_s = time.monotonic()
            return error
        self.writer.keep_files(case.id, round_number, data.artefacts)
        self.writer.save_round(stored.row, stored.frames)
        ended_s = time.monotonic()
        self._pace.add(stored.row, None if self._ended_s is None else ended_s - self._ended_s)
        self._ended_s = ended_s
        self.writer.event(
            "round_ends",
            case=case.id,
            round=round_number,
            status=stored.row["status"],
            reason=stored.row["reason"],
            discovery_s=data.discovery.seconds,
            run=data.run,
            commands=_records(runner),
            companions=data.companions,
            load_on=data.load_on,
            captures=data.captures,
            roles=[{k: v for k, v in role.items() if k not in STORED} for role in data.roles],
        )
        troubles = [sentence for said in data.companions.values() for sentence in said]
        self._rounds_done += 1
        self._tell(
            RoundEnds(
                case=case,
                round=round_number,
                row=stored.row,
                rows=self._rows(case),
                left=self._remainder(left),
                is_last=self._is_last(case),
                troubles=troubles,
            )
        )
        if self.listeners:
            for news in self._early.after(case):
                self._tell(news)
        return None

    def _stored(
        self,
        place: tables.AttemptPlace,
        data: RoundData,
        wire: RoundPackets,
        seed: int,
        failed_s: float | None,
    ) -> StoredRound:
        """Return what is kept of a round that was run to its end."""
        case = place.case
        samples = tables.samples(case, place.round, data, seed)
        seen = batch_table(case, place.round, data, samples, tables.begin_ns(data))
        measured = tables.of_case(samples, data)
        own = tables.of_case(seen, data) if seen is not None and case.params.batch else None
        discovered = discoveries.table(case, place.round, data)
        of_action = goals.table(case, place.round, data)
        paired = data.two_clocks and discovered is None and of_action is None
        text = clocks(measured) if paired else ClockOffsets()
        figures = {
            **data.columns,
            **tables.summary(case, data, measured, own, discovered, of_action),
            **text.figures,
            **wire.figures,
            "failed_s": failed_s,
        }
        if searches(case):
            asked = self.scenario.capacity
            limit_ns = asked.max_p99_us * 1e3
            beyond = round_trips(measured, case.params).share_beyond(limit_ns) if limit_ns else None
            trial = {**figures, "beyond": beyond}
            figures |= trial_figures(case, trial, self._rows(case), asked)
            unmet = None
        else:
            unmet = text.trouble or tables.shortfall(figures, case, self.scenario.criteria)
        begin_ns = begins(data, tables.begin_ns(data), text.offset)
        row = tables.row(place, "marked" if unmet else "ok", unmet, figures)
        # Now, not when it is stored: a number may have no room in its column.
        as_frame([row])
        return StoredRound(row, {
            "samples": samples,
            "intervals": tables.intervals(case, place.round, data),
            "participants": accounts.participants(case, place.round, data),
            "changes": tables.changes(case, place.round, data),
            "flows": accounts.flows(case, place.round, data, samples),
            "batches": seen,
            "discoveries": discovered,
            "goals": of_action,
            "matches": accounts.table(case, place.round, data),
            **wire.frames,
            "system": counters.table(case, place.round, data.system, begin_ns),
        })  # fmt: skip

    def _remainder(self, left: RemainingCases) -> Remainder:
        """Return what is to come when these cases have their rounds yet. It takes time that grows
        with the cases: with thousands it is brought up to date now and then, and estimated
        between."""
        begin = time.monotonic()
        if self._seen and left and begin - self._seen.end_s < REST * self._seen.took_s:
            return self._seen.with_left(len(left), self._rounds_done)
        remainder = self._remainder_now(left)
        end = time.monotonic()
        self._seen = Forecast(remainder, end, end - begin)
        return remainder

    def _remainder_now(self, left: RemainingCases) -> Remainder:
        further = [*self._further(), *self._trials()]
        following = left or further
        unfinished = {case.id for case in [*left, *further]}
        return Remainder(
            rounds_done=self._rounds_done,
            cases_done=len(self.cases) - len(unfinished),
            rounds_left=len(following),
            seconds_left=sum(map(self._pace.expected_s, following)),
            more=bool(further),
        )

    async def _alone(
        self, runner: RoundRunner, case: Case, round_number: int, cookie: int, seed: int, stem: str
    ) -> RoundData:
        """Run a round, and end what it leaves: no daemon of a middleware meets the next."""
        telling = asyncio.create_task(self._goes_on(runner, case, round_number))
        try:
            return await runner.run(case, cookie, seed, stem)
        finally:
            telling.cancel()
            if commands := end_part("round"):
                self.writer.event(
                    "leftovers_ended", case=case.id, round=round_number, commands=commands
                )

    async def _goes_on(self, runner: RoundRunner, case: Case, round_number: int) -> None:
        """Report once a second that a round is under way."""
        expected = self._pace.expected_s(case)
        for seconds in itertools.count(1):
            await asyncio.sleep(1.0)
            live = runner.sights.latest() if runner.sights else None
            self._tell(
                RoundGoesOn(
                    case=case, round=round_number, seconds=seconds, expected_s=expected, live=live
                )
            )


def _records(runner: RoundRunner) -> list[dict[str, Any]]:
    return runner.commands.records if runner.commands else []


def default_directory(name: str) -> Path:
    """Return the directory of a result for which none is named, by its name and the time."""
    words = "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")[:NAME_LENGTH]
    return FOLDER / f"{words}-{time.strftime('%Y%m%d-%H%M%S')}"
