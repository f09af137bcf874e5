"""What runs beside a round begins and ends in the order of the list, whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from control_fakes import begin

from busmark.adapters import libraries, resolve
from busmark.control.companions import Companion, Stage, companions
from busmark.control.places import Places
from busmark.control.round import RoundData, RoundRunner
from busmark.errors import RoundError
from busmark.launcher import Launched, Start
from busmark.nodes import Node
from busmark.plan import expand
from busmark.processes import Process, end_part, process
from busmark.scenario import parse
from busmark.store import Case

SCENARIO = """
name = "beside"
[matrix]
adapter = "null"
size = 8
[measure]
duration_s = 0.05
warmup_s = 0.0
samples = 10
[run]
hang_s = 60
"""


class Sleeper(Companion):
    """A process that sleeps, and notes what becomes of it."""

    name = "sleeper"
    span = "measurement"
    notes: list[str] = []  # noqa: RUF012  # of all of them
    processes: list[Process] = []  # noqa: RUF012

    async def start(self) -> None:
        self._sleeper = Launched(Start(["sleep", "1000"]), "round")
        self.processes.append(process(self._sleeper.pid))
        self.notes.append(f"{self.name} starts")

    async def stop(self) -> None:
        self._sleeper.stop()
        self.notes.append(f"{self.name} stops")

    async def kill(self) -> list[tuple[Node, int]]:
        self._sleeper.stop()
        self.notes.append(f"{self.name} is killed")
        return []

    def artefacts(self) -> dict[str, Path]:
        path = self.stage.folder / self.name
        path.write_text(self.name)
        return {"txt": path}

    def findings(self) -> list[str]:
        return ["slept well"]


class Whole(Sleeper):
    name, span = "whole", "round"


class Unwanted(Sleeper):
    name = "unwanted"

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        return stage.params.size != 8


class Lame(Sleeper):
    name = "lame"

    async def start(self) -> None:
        await super().start()
        raise RoundError("load", "it is lame")


class Absent(Sleeper):
    name = "absent"

    async def start(self) -> None:
        self._sleeper = Launched(Start(["sleep", "1000"]), "round")
        self.notes.append("absent starts")
        Launched(Start(["/no/such/tool"]), "round")


class Stubborn(Sleeper):
    name = "stubborn"

    async def stop(self) -> None:
        raise RoundError("load", "it does not end")


class Slow(Sleeper):
    name = "slow"

    async def start(self) -> None:
        await super().start()
        await asyncio.Event().wait()


class Resisting(Sleeper):
    name = "resisting"

    async def kill(self) -> list[tuple[Node, int]]:
        await super().kill()
        raise OSError("it resists")


class Striking(Sleeper):
    name = "striking"

    async def start(self) -> None:
        await super().start()
        for worker in self.stage.workers:
            os.kill(worker.pid, signal.SIGKILL)


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    if "null" not in libraries():
        pytest.skip("needs the worker: make build")
    Sleeper.notes.clear()
    Sleeper.processes.clear()
    yield
    assert not any(each.alive for each in Sleeper.processes)
    assert end_part("round") == []


def prepared(folder: Path, *kinds: type[Companion]) -> tuple[RoundRunner, Case]:
    scenario = parse(SCENARIO, "beside.toml", [])
    adapters = resolve(scenario.adapters)
    places = Places(scenario, lambda *_, **__: None, adapters)
    # Among them, where a new one is added.
    runner = RoundRunner(scenario, adapters, places, folder, folder, (*kinds, *companions()))
    return runner, expand(scenario, adapters)[0]


def conduct(folder: Path, *kinds: type[Companion]) -> RoundData:
    runner, case = prepared(folder, *kinds)
    return asyncio.run(runner.run(case, 255, 1, "x.r000"))


def test_they_begin_and_end_in_the_order_of_the_list(tmp_path: Path) -> None:
    data = conduct(tmp_path, Whole, Sleeper, Unwanted)
    assert Sleeper.notes == ["whole starts", "sleeper starts", "sleeper stops", "whole stops"]
    assert data.companions == {"sleeper": ["slept well"], "whole": ["slept well"]}
    assert data.artefacts == {"sleeper.txt": tmp_path / "sleeper", "whole.txt": tmp_path / "whole"}
    assert data.system, "the others work beside them"


@pytest.mark.parametrize(
    ("kind", "says", "notes"),
    [
        (Lame, "it is lame", ["lame starts", "whole is killed", "sleeper is killed",
                              "lame is killed"]),
        (Absent, "absent: .*No such file or directory: '/no/such/tool'",
         ["absent starts", "whole is killed", "sleeper is killed", "absent is killed"]),
        (Stubborn, "it does not end", ["stubborn starts", "sleeper stops", "whole is killed",
                                       "stubborn is killed"]),
    ],
)  # fmt: skip
def test_where_one_fails_the_round_does_and_all_that_have_begun_are_ended(
    kind: type[Companion], says: str, notes: list[str], tmp_path: Path
) -> None:
    with pytest.raises(RoundError, match=says):
        conduct(tmp_path, Whole, Sleeper, kind)
    assert Sleeper.notes == ["whole starts", "sleeper starts", *notes]


def test_where_the_round_fails_they_are_ended_also_if_one_resists(tmp_path: Path) -> None:
    with pytest.raises(RoundError, match=r"the worker died \(killed by SIGKILL\)"):
        conduct(tmp_path, Whole, Resisting, Sleeper, Striking)
    assert Sleeper.notes[4:7] == ["whole is killed", "resisting is killed", "sleeper is killed"]


def test_an_interruption_while_one_begins_ends_it_too(tmp_path: Path) -> None:
    async def interrupt() -> None:
        runner, case = prepared(tmp_path, Whole, Slow, Sleeper)
        task = asyncio.create_task(runner.run(case, 255, 1, "x.r000"))
        await until(lambda: "slow starts" in Sleeper.notes)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert Sleeper.notes == ["whole starts", "slow starts", "whole is killed", "slow is killed"]


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60.0):
        while not is_so():
            await asyncio.sleep(0.01)


def test_what_they_leave_becomes_part_of_the_result(tmp_path: Path) -> None:
    writer = begin(tmp_path / "result")
    for text in ("first", "second"):
        (made := tmp_path / "capture").write_text(text)
        writer.keep_files("000-x", 0, {"capture.pcapng": made})
        assert not made.exists()
    writer.close()
    (kept,) = (tmp_path / "result" / "artefacts").iterdir()
    assert (kept.name, kept.read_text()) == ("000-x.r000.capture.pcapng", "second")
