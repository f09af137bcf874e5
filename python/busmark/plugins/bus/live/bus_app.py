"""What screens of a bus share, and a process on the bus for what their keys ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from busmark.cli.live.app import LiveApp
from busmark.cli.live.columns import R
from busmark.cli.live.values import plural
from busmark.errors import UserError
from busmark.plugins.bus.seen import Observer
from busmark.plugins.bus.watching import Watching
from busmark.plugins.bus.words import STRANGE

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.caller import Caller


NOBODY = """nobody is on this bus yet. In another terminal:
  busmark bus participant --adapter NAME --app 3
  busmark bus start … (see busmark bus --help)"""


class BusApp(LiveApp[R]):
    """Takes in what is said on a bus."""

    EMPTY = NOBODY
    GROUP = "busmark bus"

    def __init__(self, watching: Watching, bus: Attachment, **options: Any) -> None:
        super().__init__(**options)
        self.watching, self._bus = watching, bus
        self._painted_s = -1.0

    def state(self) -> Observer:
        """Return all that was seen."""
        return self.watching.seen

    def take(self) -> bool:
        """Take in what has come; return whether to paint, at least once a second for its times."""
        taken = self.watching.take()
        now = time.monotonic()
        if not taken and now - self._painted_s < 1.0:
            return False
        self._painted_s = now
        return True

    def heading(self, state: Observer) -> str:
        """Return command, bus, and the counts of participants, troubles and dropped messages."""
        there = sum(each.is_there for each in state.participants.values())
        gone = sum(each.gone for each in state.participants.values())
        parts = [
            self.command,
            self._bus.words(),
            plural(there, "participant"),
            f"{gone} gone" if gone else "",
            plural(len(state.troubles), "trouble"),
            f"{state.dropped:,} messages dropped" if state.dropped else "",
        ]
        return "  ".join(part for part in parts if part)


T = TypeVar("T")
Asked = tuple[Callable[["Caller"], None], Callable[[str], None]]
"""A task, and the function that receives the reason where it failed."""
LEAVING_S = 10.0
"""Time that it gets to leave the bus."""


def words(error: UserError) -> str:
    """Return message and remedy, without the option that it is about: nobody has typed one."""
    return f"{error.message}. {error.remedy}" if error.remedy else error.message


class Hand:
    """Does one thing after the other, on a thread of its own. It joins the bus for the first, and
    again after its process has ended."""

    def __init__(
        self,
        bus: Attachment,
        post: Callable[[Callable[[], None]], None],
        check: Callable[[Attachment], None] = lambda _: None,
    ) -> None:
        """Prepare to work on a bus. `post` has a function called by whoever paints; `check` raises
        a `UserError` for a bus that is of no use."""
        self._bus, self.post, self._check = bus, post, check
        self._jobs: SimpleQueue[Asked | None] = SimpleQueue()
        self._caller: Caller | None = None
        self._thread: threading.Thread | None = None
        self.leaving = threading.Event()
        """Set when it is to end: what takes long looks at it."""

    def ask(
        self, job: Callable[[Caller], T], then: Callable[[T], None], failed: Callable[[str], None]
    ) -> None:
        """Give the thread a job; `then` gets its result, or `failed` the reason why it has none."""

        def work(caller: Caller) -> None:
            found = job(caller)
            self.post(lambda: then(found))

        self._jobs.put((work, lambda why: self.post(lambda: failed(why))))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def leave(self) -> None:
        """End the thread's work, whatever it does."""
        self.leaving.set()
        self._jobs.put(None)
        if caller := self._caller:
            caller.leave()

    def left(self) -> None:
        """Wait until the thread has ended, for `LEAVING_S` at most."""
        if self._thread is not None:
            self._thread.join(LEAVING_S)

    def _work(self) -> None:
        job = self._jobs.get()
        while job is not None and not self.leaving.is_set():
            job = self._on_the_bus(job)

    def _on_the_bus(self, job: Asked | None) -> Asked | None:
        """Join, and do jobs as long as the process is there; return the first job that is left."""
        from busmark.plugins.bus.caller import Caller

        assert job is not None
        failed = job[1]
        try:
            self._check(self._bus)
            with Caller.on(self._bus) as caller:
                self._caller = caller
                while job is not None and caller.is_there and not self.leaving.is_set():
                    work, failed = job
                    # What was said since the last one is of no concern to this.
                    caller.take_heard()
                    try:
                        work(caller)
                    except UserError as error:
                        failed(words(error))
                    except STRANGE as error:
                        failed(f"an answer cannot be read: {error!r}")
                    job = self._jobs.get()
            return job
        except UserError as error:
            # The bus cannot be joined.
            failed(words(error))
        finally:
            self._caller = None
        return self._jobs.get()
