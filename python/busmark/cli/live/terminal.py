"""The terminal on which a screen is painted: it may go, or take nothing any more, and the screen
ends all the same."""

from __future__ import annotations

import atexit
import os
import select
from queue import Full
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

LOOK_S = 0.2
"""Time between two attempts to write to a terminal that takes nothing."""
LAST_WORDS_S = 2.0
"""Time that a terminal gets to take what restores it."""


class Terminal(LinuxDriver):
    """Waits for a terminal that takes nothing only as long as it is not to end."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.leaving = False
        """Whether it is to end: set by a signal."""
        self._left_s = LAST_WORDS_S

    @property
    def is_gone(self) -> bool:
        """Return whether nobody is at the other end any more."""
        look = select.poll()
        look.register(self.fileno, 0)
        return any(found & (select.POLLHUP | select.POLLNVAL) for _, found in look.poll(0))

    def write(self, data: str) -> None:
        """Paint, unless nobody can see it."""
        self._put(data)

    def close(self) -> None:
        """Wait for the last painting, a short time: a terminal may take nothing any more."""
        self.leaving = True
        thread = self._writer_thread
        if thread is None:
            return
        self._put(None)
        thread.join(LAST_WORDS_S)
        if thread.is_alive() and not self.is_gone:
            # It writes to a terminal that takes nothing: that would hold up the end for ever.
            atexit.register(os._exit, 0)

    def _put(self, data: str | None) -> None:
        thread = self._writer_thread
        while thread is not None and thread.is_alive() and self._left_s > 0:
            try:
                thread._queue.put(data, timeout=LOOK_S)
            except Full:
                self._left_s -= LOOK_S if self.leaving else 0
            else:
                return

    def _run_input_thread(self) -> None:
        """Read keys until the terminal has gone."""
        try:
            self.run_input_thread()
        except OSError:
            # It has gone: that is looked at with each painting.
            return
