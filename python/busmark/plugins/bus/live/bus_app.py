"""What screens of a bus share."""

from __future__ import annotations

import time
from typing import Any

from busmark.plugins.bus.seen import Seen
from busmark.plugins.bus.watching import Watching
from busmark.cli.live.app import LiveApp
from busmark.cli.live.columns import R
from busmark.cli.live.values import plural

NOBODY = """nobody is on this bus yet. In another terminal:
  busmark participant --adapter NAME --app 3
  busmark bus start … (see busmark bus --help)"""


class BusApp(LiveApp[R]):
    """Takes in what is said on a bus."""

    EMPTY = NOBODY

    def __init__(self, watching: Watching, place: str, **options: Any) -> None:
        super().__init__(**options)
        self.watching = watching
        self._place = place
        self._painted_s = -1.0

    def state(self) -> Seen:
        """All that was seen."""
        return self.watching.seen

    def take(self) -> bool:
        """Takes in what has come; without anything it is painted once a second, for times."""
        taken = self.watching.take()
        now = time.monotonic()
        if not taken and now - self._painted_s < 1.0:
            return False
        self._painted_s = now
        return True

    def heading(self, state: Seen) -> str:
        """Where, how many, since when."""
        there = sum(each.is_there for each in state.participants.values())
        gone = sum(each.gone for each in state.participants.values())
        parts = [
            f"busmark {self.NAME}", self._place, plural(there, "participant"),
            f"{gone} gone" if gone else "", plural(len(state.troubles), "trouble"),
            f"{state.dropped:,} messages dropped" if state.dropped else "",
        ]  # fmt: skip
        return "  ".join(part for part in parts if part)
