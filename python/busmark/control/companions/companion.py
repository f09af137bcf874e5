"""What a companion of a round is, and how the companions of a round are started and stopped."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from busmark.control.places import Places
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.model.parameters import Parameters
from busmark.nodes import Node
from busmark.scenario import Scenario

if TYPE_CHECKING:
    from busmark.control.round import RoundData, Seat

Span = Literal["all", "round", "measurement"]
"""Time for which a companion runs: from before there is any process of the round until after the
last; while there are participants; or from their match until everything that was sent has arrived.
"""


@dataclass
class Stage:
    """A round, as its companions see it."""

    params: Parameters
    """Parameters of its case."""
    scenario: Scenario
    places: Places
    folder: Path
    """Folder on this machine, for files. What is to be kept is among the artefacts."""
    data: RoundData
    """Data that the round yields."""
    results: Path = field(default_factory=Path)
    """A folder for files too, on the disk of the result: for what may be large."""
    seats: list[Seat] = field(default_factory=list)
    """Seats of its participants."""
    served: list[list[Seat]] = field(default_factory=list)
    """Seats of the participants that meet at a server which the run starts, by server."""
    workers: list[Worker] = field(default_factory=list)
    """Workers of its participants."""
    servers: list[Worker] = field(default_factory=list)
    launch: Callable[[int], Awaitable[Worker]] | None = None
    """Starts the worker of one of the servers."""


class Companion(ABC):
    """Runs beside the participants of one round, here or on their nodes."""

    name: ClassVar[str]
    """Name, as part of the names of files and in events."""
    span: ClassVar[Span]

    def __init__(self, stage: Stage) -> None:
        """Begin nothing yet."""
        self.stage = stage

    @classmethod
    def wanted(cls, stage: Stage) -> bool:
        """Return whether the round has it."""
        del stage
        return True

    @abstractmethod
    async def start(self) -> None:
        """Start it; it is at work when this returns.

        Raises:
            RoundError, Killed: it cannot, and neither can the round.
        """

    @abstractmethod
    async def stop(self) -> None:
        """End it in good order. Its results go to `stage.data`, or to `artefacts` and `findings`.

        Raises:
            RoundError, Killed: without it the round means nothing.
        """

    def mark(self) -> None:
        """Note that the measurement begins, or has ended; nothing by default."""
        return

    @abstractmethod
    async def kill(self) -> list[tuple[Node, int]]:
        """End it at once, however far it has come, also while it begins or ends; return the
        processes that may remain on nodes, by node and number."""

    def artefacts(self) -> dict[str, Path]:
        """Return the files that it has made, by the end of the name under which the result keeps
        them; known when it has ended."""
        return {}

    def findings(self) -> list[str]:
        """Return what it has to say of itself, such as what it could not do; known when it has
        ended."""
        return []


class Companions:
    """The companions of one round."""

    def __init__(self, stage: Stage, kinds: Sequence[type[Companion]]) -> None:
        """Begin nothing yet; `kinds`: in the order in which they begin and end."""
        self._stage = stage
        self._kinds = kinds
        self._begun: list[Companion] = []

    async def start(self, span: Span) -> None:
        """Start the companions of this span that the round has, one after the other."""
        for kind in self._kinds:
            if kind.span == span and kind.wanted(self._stage):
                each = kind(self._stage)
                # Before it begins: whatever interrupts it, it is ended.
                self._begun.append(each)
                with _text(each):
                    await each.start()

    async def stop(self, span: Span) -> None:
        """End the companions of this span, and take over what they leave."""
        for each in [each for each in self._begun if each.span == span]:
            with _text(each):
                await each.stop()
            self._begun.remove(each)
            data = self._stage.data
            data.artefacts |= {f"{each.name}.{end}": path for end, path in each.artefacts().items()}
            if found := each.findings():
                data.companions[each.name] = found

    async def mark(self, after_s: float = 0.0) -> None:
        """Tell all that have begun, after this time, that the measurement begins or has ended."""
        await asyncio.sleep(after_s)
        for each in self._begun:
            each.mark()

    async def kill(self) -> list[tuple[Node, int]]:
        """End all that have begun, at once; return what may remain on nodes. One that resists does
        not stop the others; its remains here are ended by their mark when the round is over."""
        begun, self._begun = self._begun, []
        found = await asyncio.gather(*(each.kill() for each in begun), return_exceptions=True)
        return [left for each in found if not isinstance(each, BaseException) for left in each]


@contextlib.contextmanager
def _text(companion: Companion) -> Iterator[None]:
    """Turn a refusal of the system, such as a tool that is not there, into a failure of the
    round."""
    try:
        yield
    except OSError as error:
        raise RoundError("companion", f"{companion.name}: {error}") from error
