"""Participants that are driven over the bus: by topics of the middleware under test, not by their
pipe.

The worker attaches as its participant when it starts, and takes its commands through that
attachment. Its gateway is another process here: what is written to its input comes out at the
worker, and the other way round. So everything else is as for a pipe.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from busmark.adapters import environment, not_startable
from busmark.adapters import worker as worker_path
from busmark.control.awaited import Piped, end_of, ended
from busmark.control.worker import LAST_WORDS_S, LINE_LIMIT, STOP_S, Worker, last_words
from busmark.errors import RoundError
from busmark.launcher import Start
from busmark.processes import ending

PATIENCE = 0.6
"""Share of `run.hang_s` after which the gateway says that the bus is stuck: before the controller
only knows that no answer came."""


@dataclass(frozen=True)
class Bus:
    """How a participant and its gateway meet."""

    library: Path
    config: dict[str, Any]
    """As the participant attaches."""
    pipe: int
    """A number that no other pipe on this bus has."""
    hang_s: float

    def of_worker(self) -> list[str]:
        """Arguments of the participant's worker."""
        return ["--library", str(self.library), *self._common()]

    def of_gateway(self) -> list[str]:
        """Those of its gateway."""
        return [
            "gateway", str(self.library), *self._common(),
            "--patience", f"{PATIENCE * self.hang_s:g}",
        ]  # fmt: skip

    def _common(self) -> list[str]:
        return ["--config", json.dumps(self.config), "--pipe", f"{self.pipe:x}"]


class Driven(Worker):
    """A worker that is driven over the bus."""

    _gateway: Piped
    _gateway_log: Path

    @classmethod
    async def start_on(
        cls, bus: Bus, name: str, cpus: list[int], *, log: Path, prefix: list[str],
        place: list[str], environment_too: Mapping[str, str], **how: Any,
    ) -> Self:  # fmt: skip
        """Starts the worker and its gateway, as `Worker.start`. `place`: the part of the prefix
        that brings a process to the participant's network."""
        log_of_gateway = log.with_name(f"{log.stem}.gateway.log")
        start = Start(
            [*place, str(worker_path()), *bus.of_gateway()], {**environment(), **environment_too}
        )
        try:
            gateway = await Piped.start_piped(start, "round", log_of_gateway, LINE_LIMIT)
        except OSError as error:
            raise not_startable(worker_path(), error) from None

        async def meet(worker: Worker) -> None:
            assert isinstance(worker, cls)
            worker._take_over(gateway, log_of_gateway)
            await worker._greet()

        try:
            worker = await cls.start(
                name, cpus, log=log, prefix=prefix, environment_too=environment_too,
                more=bus.of_worker(), meet=meet, **how,
            )  # fmt: skip
        except BaseException:
            gateway.kill()
            await _gone(gateway, log_of_gateway)
            raise
        assert isinstance(worker, cls)
        return worker

    def _take_over(self, gateway: Piped, log: Path) -> None:
        """From now on commands and answers go through the gateway."""
        self._gateway, self._gateway_log = gateway, log
        self._input, self._output = gateway.stdin, gateway.stdout
        self._gateway_gone = end_of(gateway.pid)
        # The end of either ends the round.
        self._gateway_gone.add_done_callback(lambda _: self._either_gone())

    def _either_gone(self) -> None:
        if not self._gone.done():
            self._gone.set_result(None)

    async def _died(self) -> RoundError:
        code = await ended(self._process, 0.0)
        if code is None and (how := await ended(self._gateway, LAST_WORDS_S)) is not None:
            said = _said(self._gateway_log)
            words = f": {said.removeprefix('busmark-worker: ')}" if said else f" ({ending(how)})"
            return RoundError("died", f"{self.who}: its control over the bus ended{words}")
        return await super()._died()

    async def stop(self) -> None:
        """Lets both end by themselves, then ends what is left of them."""
        self._hear_no_more()
        # By the end of what the gateway carries, which it waits for to be heard.
        self._input.close()
        await ended(self._process, STOP_S)
        await ended(self._gateway, STOP_S)
        self.kill()
        await self.reap()

    def kill(self) -> None:
        """Ends both, at once."""
        super().kill()
        if gateway := getattr(self, "_gateway", None):
            gateway.kill()

    async def reap(self) -> None:
        """Waits until both are gone."""
        await super().reap()
        if gateway := getattr(self, "_gateway", None):
            self._gateway_gone.cancel()
            await _gone(gateway, self._gateway_log)


async def _gone(gateway: Piped, log: Path) -> None:
    """Waits until a killed gateway is gone; a log that says nothing goes too."""
    await ended(gateway, STOP_S)
    gateway.close()
    with contextlib.suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()


def _said(log: Path) -> str:
    """Last words of a gateway."""
    try:
        return last_words(log.read_text(errors="replace").strip().splitlines())
    except OSError:
        return ""
