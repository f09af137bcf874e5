"""Damaged answers: of workers to the controller, of the counters beside a round, and of a node
while it is set up. The round fails in words, or the node cannot be used; the campaign continues."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from tools.mutations import values

from busmark.adapters import resolve
from busmark.control import round as rounds
from busmark.control import tables
from busmark.control import worker as workers
from busmark.control.campaign_run import STORED, CampaignRun, _understood
from busmark.control.companions import counters
from busmark.control.hooks import RoundPackets
from busmark.control.places import Places
from busmark.errors import RoundError, UserError
from busmark.launcher import Start
from busmark.nodes import Address, Node, NodeDown, shell
from busmark.plan import expand
from busmark.scenario import parse
from busmark.store import Manifest
from busmark.store.writer import ResultWriter

SCENARIO = """
name = "answers"
[matrix]
adapter = "null"
test = {test}
size = 64
[measure]
duration_s = 0.02
warmup_s = 0.0
samples = 12
max_samples = 100
system_interval_s = {every}
[criteria]
min_samples = 1
[run]
hang_s = {hang_s}
"""
TESTS = ('"latency"', '"throughput"', '"throughput"\nbatch = 4')
LINE, BODY, ASKED = "line", "body", "asked"
Piece = tuple[str, bytes]


class Recording(workers.Worker):
    """A worker whose words are kept, by its name."""

    kept: dict[str, list[Piece]] = {}  # noqa: RUF012  # of the round that is under way

    async def call(self, deadline_s: float, cmd: str, **arguments: Any) -> Any:
        self.kept[self.name].append((ASKED, b""))
        return await super().call(deadline_s, cmd, **arguments)

    async def _line(self) -> bytes:
        line = await super()._line()
        self.kept.setdefault(self.name, []).append((LINE, line))
        return line

    async def _exactly(self, count: int) -> bytes:
        data = await super()._exactly(count)
        self.kept[self.name].append((BODY, data + b"\n"))
        return data


class Replaying(workers.Worker):
    """Recorded output of a worker, through the code that reads a process's output."""

    said: dict[str, list[Piece]] = {}  # noqa: RUF012  # of the round that is under way

    @classmethod
    async def start(cls, name: str, cpus: list[int], **how: Any) -> workers.Worker:
        output = asyncio.StreamReader(limit=workers.LINE_LIMIT)
        process = SimpleNamespace(
            stdin=_Answering(cls.said[name], output),
            stdout=output,
            pid=1 << 30,
            returncode=0,
            killed=None,
            kill=lambda: None,
            close=lambda: None,
        )
        worker = cls(name, process, how["log"])  # type: ignore[arg-type]
        async with worker._within(how["deadline_s"], "start"):
            await worker._greet()
        worker.listen()
        return worker


class _Answering:
    """What takes commands and says what was said to each of them; after the last it ends."""

    def __init__(self, pieces: list[Piece], output: asyncio.StreamReader) -> None:
        self.pieces, self.output = iter(pieces), output
        self.write(b"")  # what it says unasked

    def write(self, data: bytes) -> None:
        del data
        for kind, said in self.pieces:
            if kind == ASKED:
                return
            self.output.feed_data(said)
        self.output.feed_eof()

    async def drain(self) -> None:
        return None

    def close(self) -> None:
        return None


class Answers:
    """A round of each test, what counts beside it, and a node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "answers"
        self.folder.mkdir()
        self.loop = asyncio.new_event_loop()
        self.played = [self._recorded(number, test) for number, test in enumerate(TESTS)]
        self.readings = self._readings()
        self.node: list[str] = []
        with self._listening():
            self._use()

    def answer(self, number: int, rng: Random) -> None:
        """Damage one answer: of a worker, of the counters, or of a node."""
        (self._of_worker, self._of_worker, self._of_counters, self._of_node)[number % 4](rng)

    def _campaign(self, number: int, test: str, every: float, hang_s: float) -> CampaignRun:
        text = SCENARIO.format(test=test, every=every, hang_s=hang_s)
        scenario = parse(text, "answers.toml", [])
        adapters = resolve(scenario.adapters)
        manifest = Manifest(
            busmark_version="0",
            created_utc="",
            command="",
            seed=1,
            cookie="ff",
            scenario={},
            scenario_text="",
            hosts={},
            adapters={},
            cases=expand(scenario, adapters),
        )
        writer = ResultWriter.create(self.folder / f"{number}-{hang_s:g}", manifest)
        return CampaignRun(scenario, adapters, writer, [])

    def _recorded(self, number: int, test: str) -> tuple[CampaignRun, dict[str, list[Piece]]]:
        """Record the output of real workers in a real round."""
        Recording.kept = {}
        with mock.patch.object(rounds, "Worker", Recording):
            self._play(self._campaign(number, test, 0, 30.0))
        return self._campaign(number, test, 0, 0.5), Recording.kept

    def _play(self, campaign: CampaignRun) -> None:
        """Run a round, and compute the rows and records that are stored of it."""
        case, stem = campaign.cases[0], "x.r000"
        places = Places(campaign.scenario, lambda *_, **__: None, campaign.adapters)
        runner = rounds.RoundRunner(
            campaign.scenario, campaign.adapters, places, self.folder, self.folder
        )
        data = self.loop.run_until_complete(runner.run(case, 255, 1, stem))
        with _understood():
            found = campaign._stored(
                tables.AttemptPlace(case, 0, 0, 0, ""), data, RoundPackets(), 1, None
            )
        lines = [{k: v for k, v in role.items() if k not in STORED} for role in data.roles]
        json.dumps([data.run, lines, found.row])

    def _of_worker(self, rng: Random) -> None:
        campaign, whole = rng.choice(self.played)
        said = {name: list(pieces) for name, pieces in whole.items()}
        pieces = said[rng.choice(list(said))]
        at = rng.choice([at for at, (kind, _) in enumerate(pieces) if kind != ASKED])
        kind, data = pieces[at]
        if kind == BODY:
            data = values.octets(data, rng) + (b"" if rng.randrange(4) else b"\n")
        else:
            data = damaged(data.decode(), rng).replace("\n", " ").encode(errors="replace") + b"\n"
        pieces[at] = kind, data
        Replaying.said = said
        with mock.patch.object(rounds, "Worker", Replaying):
            try:
                self._play(campaign)
            except RoundError as error:
                raise UserError(str(error)) from None

    def _readings(self) -> list[str]:
        """Return the first three lines of the process that counts."""

        async def counted() -> None:
            begun = await counters.CounterProcess.start({1: "active"}, [], 0.02, self.folder)
            await asyncio.sleep(0.1)
            await begun.stop()

        self.loop.run_until_complete(counted())
        return (self.folder / "counters.jsonl").read_text().splitlines()[:3]

    def _of_counters(self, rng: Random) -> None:
        lines = list(self.readings)
        at = rng.randrange(len(lines))
        lines[at] = damaged(lines[at], rng)
        path = self.folder / "counters.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace")
        process: Any = SimpleNamespace(returncode=0, start=Start([]))
        rows = counters.CounterProcess(process, {1: "active"}, self.folder)._changes()
        case = self.played[0][0].cases[0]
        clocked = [{**row, "node": None, "clock": ""} for row in rows]
        try:
            with _understood():
                counters.table(case, 0, clocked, {"": 0})
        except RoundError as error:
            raise UserError(str(error)) from None

    @contextmanager
    def _listening(self, spoil: Random | None = None) -> Iterator[None]:
        """Keep the answers of a node; or replay them and spoil one, each as likely."""
        ask, place = shell.Shell.ask, [0]
        at = spoil.randrange(len(self.node)) if spoil else -1

        def asked(this: shell.Shell, script: str) -> str:
            place[0] += 1
            if spoil is None:
                self.node.append(ask(this, script))
                return self.node[-1]
            known = self.node[min(place[0], len(self.node)) - 1]
            return damaged(known, spoil) if place[0] - 1 == at else known

        with mock.patch.object(shell.Shell, "ask", asked):
            yield

    def _use(self) -> None:
        """Ask a node everything that a campaign asks of it."""
        node = Node("lab1", [], wanted=Address("lo", "127.0.0.1"))
        library = self.played[0][0].adapters["null"].path
        try:
            node.ready([library])
            json.dumps(node.facts.profile, allow_nan=False)
            node.lacks(library)
            node.counters()
        finally:
            node.close()

    def _of_node(self, rng: Random) -> None:
        """Use a node without a process: its shell is known by its recorded answers."""
        with (
            self._listening(rng),
            mock.patch.object(gzip, "compress", lambda *_: b""),  # nobody reads it
            mock.patch.multiple(
                shell.Shell, __init__=_born, close=lambda *_, **__: None, give=lambda *_: None
            ),
        ):
            try:
                self._use()
            except NodeDown as error:
                raise UserError(str(error)) from None


def _born(this: shell.Shell, *_: Any) -> None:
    """Stand in for the constructor of a shell, which asks its first question."""
    this.ask(":")


def damaged(text: str, rng: Random) -> str:
    """Change some values where the text is JSON, three times in four; else change the text."""
    try:
        document = json.loads(text)
    except ValueError:
        return values.text(text, rng)
    places = values.places(document)
    if not places or not rng.randrange(4):
        return values.text(text, rng)
    values.change(document, rng, places)
    return json.dumps(document)
