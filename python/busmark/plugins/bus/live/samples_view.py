"""Samples of one topic, as a table: the latest first."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from busmark.cli.live.columns import GridColumn, View
from busmark.cli.live.values import ABSENT, count, plural
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.caller import Caller, Message
from busmark.plugins.bus.commands.found import WAIT_S
from busmark.plugins.bus.commands.samples import begin_peek, moment, words_of_body, words_of_flags
from busmark.plugins.bus.live.bus_app import Hand
from busmark.plugins.bus.words import WRITERS_OF_APP

MOST = 1000
"""Samples that are kept."""
TAKEN_S = 0.2
"""Samples that come within this time are handed over together."""
BYTES_OF_LINE = 16


@dataclass
class Samples:
    """Samples of a topic that have come."""

    latest: deque[Message] = field(default_factory=lambda: deque(maxlen=MOST))
    came: int = 0


def _body(row: Message, width: int) -> str:
    return words_of_body(row["sample"], max(1, (width - 1) // 3)) or ABSENT


def _flags(row: Message, _: int = 0) -> str:
    return ", ".join(words_of_flags(row["sample"]["flags"])) or ABSENT


COLUMNS: list[GridColumn[Message]] = [
    GridColumn("at_realtime_ns", "time", 12, lambda m, _: moment(m["at_realtime_ns"]),
           lambda m: m["at_realtime_ns"]),
    GridColumn("number", "number", 9, lambda m, _: count(m["sample"]["number"]),
           lambda m: m["sample"]["number"], rank=2),
    GridColumn("writer", "writer", 6, lambda m, _: str(m["sample"]["writer"]),
           lambda m: m["sample"]["writer"]),
    GridColumn("seq", "seq", 11, lambda m, _: count(m["sample"]["seq"]),
           lambda m: m["sample"]["seq"]),
    GridColumn("bytes", "bytes", 7, lambda m, _: count(m["sample"]["bytes"]),
           lambda m: m["sample"]["bytes"]),
    GridColumn("flags", "flags", 8, _flags, lambda m: _flags(m), left=True, rank=1),
    GridColumn("body", "body", 20, _body, lambda m: words_of_body(m["sample"], 64), left=True,
           grows=True),
]  # fmt: skip


class SamplesView(View[Message]):
    """A line for each sample. A reader of this view's own takes them, until it is closed."""

    NAME = "watch-samples"
    COLUMNS = COLUMNS
    FOLLOWS = True
    FOOTER = (
        "q quit  ? help  Esc back  i inject  p pause  / search  < > sort  r reverse  d detail  "
        "s save"
    )

    def __init__(
        self,
        bus: Attachment,
        topic: str,
        hand: Hand,
        painted: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        """Begin without samples; `failed` is called with a sentence where none can be read."""
        self.topic = topic
        self._bus, self._hand, self._painted, self._failed = bus, hand, painted, failed
        self._samples = Samples()
        self._reads = False

    def begin(self) -> None:
        """Join the topic, and take its samples until `end`."""

        def job(caller: Caller) -> None:
            begin_peek(caller, self._bus, self.topic, WAIT_S)
            self._hand.post(self._joined)
            while not self._hand.leaving.is_set():
                if taken := _taken(caller):
                    self._hand.post(lambda taken=taken: self._took(taken))  # type: ignore[misc]

        self._hand.ask(job, lambda _: None, self._failed)

    def end(self) -> None:
        """Leave the topic."""
        self._hand.leave()

    def _joined(self) -> None:
        self._reads = True
        self._painted()

    def _took(self, taken: list[Message]) -> None:
        self._samples.latest.extendleft(taken)
        self._samples.came = max(self._samples.came, taken[-1]["sample"]["number"])
        self._painted()

    @property
    def empty(self) -> str:
        """Return what is under way."""
        return "no sample has come yet" if self._reads else f"looking for writers of {self.topic} …"

    def state(self) -> Samples:
        """Return what has come."""
        return self._samples

    def rows(self, state: Samples) -> list[Message]:
        """Return the samples, the latest first."""
        return list(state.latest)

    def heading(self, state: Samples) -> str:
        """Return the topic, and how many samples came."""
        kept = f", the latest {MOST:,} shown" if state.came > MOST else ""
        return f"samples of {self.topic}  {state.came:,} came{kept}  {self._bus.words()}"

    def detail(self, state: Samples, row: Message, width: int, height: int) -> list[Text]:
        """Return the header of a sample, and the start of its body."""
        sample = row["sample"]
        head = f"sample {sample['number']} of {self.topic} · {moment(row['at_realtime_ns'])}"
        lines = [
            Text(head, style="bold"),
            Text(f"{_writer(sample['writer'])}; sequence number {count(sample['seq'])}"),
            Text(
                f"sent at {count(sample['sent_ns'])} ns by its writer's clock, "
                f"cookie {sample['cookie']}"
            ),
        ]
        body = bytes(sample["body"])
        shown = f", the first {len(body)}" if len(body) < sample["bytes"] else ""
        lines.append(
            Text(f"body of {plural(sample['bytes'], 'byte')}{shown}; flags: {_flags(row)}")
        )
        for at in range(0, len(body), BYTES_OF_LINE):
            part = body[at : at + BYTES_OF_LINE]
            words = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
            lines.append(Text(f"{at:4}  {part.hex(' '):{3 * BYTES_OF_LINE}} {words}"))
        return lines[:height]

    key_of = staticmethod(lambda row: row["sample"]["number"])

    @staticmethod
    def words_of(row: Any) -> str:
        """Return all words of a row's line."""
        sample = row["sample"]
        return f"writer {sample['writer']} seq {sample['seq']} {_flags(row)} {_body(row, 200)}"


def _writer(number: int) -> str:
    """Name a writer and its application; injected samples have none."""
    if not number:
        return "writer 0, as of injected samples"
    app, place = divmod(number, WRITERS_OF_APP)
    return f"writer {number}, which is {place} of app {app}"


def _taken(caller: Caller) -> list[Message]:
    """Return the samples that come within `TAKEN_S`."""
    taken: list[Message] = []
    end = time.monotonic() + TAKEN_S
    while (left := end - time.monotonic()) > 0 and len(taken) < MOST:
        if (message := caller.text("sample", left)) is not None:
            taken.append(message)
    # What participants say meanwhile is heard elsewhere.
    caller.take_heard()
    return taken
