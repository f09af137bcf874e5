"""`busmark run --watch`: the campaign in a process of its own, and a screen that shows its events.

So the controller of the campaign does not wait while the screen is painted."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from busmark.cli.live.start import on_a_screen, run
from busmark.cli.output import echo, lenient
from busmark.errors import UserError
from busmark.launcher import PIPE, Launched, Start, python

ENDING_S = 60.0
"""Time that a campaign whose screen has gone gets to end."""


def conduct_watched(arguments: Sequence[str]) -> int:
    """Run `busmark run --json` with these arguments, and show it; return its exit code.

    Raises:
        UserError: this is no terminal.
    """
    if not on_a_screen(plain=False, as_json=False):
        raise UserError(
            "--watch paints a terminal, and this is none",
            remedy="Leave it out: --json prints events as lines.",
        )
    from busmark.cli.live.campaign_app import CampaignApp

    command = python("-m", "busmark", "run", "--json", *arguments)
    campaign = _Campaign(Launched(Start(command), None, stderr=PIPE))
    app = CampaignApp(campaign.take, campaign.interrupt)
    try:
        run(app)
    finally:
        code = campaign.end()
    return _text(app.state().directory, code, campaign.errors)


def _text(directory: str, code: int, errors: list[str]) -> int:
    """Print the end of a run, its tables and last lines or its errors; return the exit code."""
    lenient()
    if not directory or code == 2:
        echo("\n".join(errors), err=True)
        return code
    from busmark.cli.console import Console
    from busmark.compare.stored import StoredAnalysis
    from busmark.present.blocks.report import document
    from busmark.present.sinks.terminal import show
    from busmark.store import Result

    result = Result(Path(directory))
    with suppress(UserError):
        show(document(StoredAnalysis(result).figures), Console())
    for line in errors:
        if line.startswith(("Go on with", "Report", "Comparison")) or " with: busmark " in line:
            echo(line, err=True)
    return code


class _Campaign:
    """The process, its events, and what it says besides."""

    def __init__(self, process: Launched) -> None:
        self.errors: list[str] = []
        self._process = process
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._over = False
        process.end_input()
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError), os.fdopen(os.dup(self._process.output.fileno())) as out:
            for line in out:
                with suppress(ValueError):
                    self._events.put(from_json(line))
        self._events.put(None)

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError), os.fdopen(os.dup(self._process.errors.fileno())) as err:
            for line in err:
                self.errors.append(line.rstrip("\n"))
                del self.errors[:-200]

    def take(self) -> tuple[list[dict[str, Any]], bool]:
        """Return the events that have come, and whether there are no more."""
        found = []
        with suppress(queue.Empty):
            while True:
                event = self._events.get_nowait()
                if event is None:
                    self._over = True
                else:
                    found.append(event)
        return found, self._over

    def interrupt(self) -> None:
        """Interrupt the process as Ctrl-C does: finished rounds are kept."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def end(self) -> int:
        """Interrupt it unless it is over, and wait; return its exit code, 2 after a signal."""
        if not self._over:
            self.interrupt()
        code = self._process.wait(ENDING_S)
        for reader in self._readers:
            reader.join(2.0)
        self._process.stop()
        return code if code is not None and code >= 0 else 2
