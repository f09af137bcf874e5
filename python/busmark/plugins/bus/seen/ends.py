"""Ends of tests: each writer or reader of a participant's test, and how it goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from busmark.plugins.bus.seen.unread import Unread, numbers, read
from busmark.plugins.bus.words import KINDS, STRANGE, WRITERS_OF_APP, Message

SILENT_S = 6.0
"""Whoever has said nothing for this time, though asked, is shown as silent."""
GONE_S = 15.0
"""Whoever has said nothing for this time, though asked more than once, is shown as gone."""
FEWEST_ASKED = 3
"""Times that a participant is asked before it is held to be gone."""


@dataclass
class Participant:
    """A participant on the bus, as far as it was heard."""

    app: int
    group: int | None
    instance: int
    """Number of the instance, another for each process."""
    member: dict[str, Any] | None = None
    """Adapter, middleware, transport, domain, host, process; None: not heard yet."""
    joined_ns: int | None = None
    """When it joined, ns since 1970 by the clock of its host."""
    found_s: float | None = None
    """Time from when it joined to when that was heard here, by one clock; None: it was there
    before, or is on another host."""
    said_ns: int = 0
    """When it said its last word, ns since 1970 by the clock of its host."""
    heard_s: float = 0.0
    """When its last word came here, seconds of a monotonic clock."""
    looked_s: float = 0.0
    """When it was last looked at, by the same clock."""
    asked: int = 0
    """How often it was asked for its tests since then."""
    listed_ns: int = 0
    """When it last said which tests it has."""
    knows_its_tests: bool = False
    """Whether that still holds, as far as is known."""
    left: bool = False
    """Whether it said that it leaves."""
    gone: bool = False
    """Whether it has said nothing for long, though asked."""
    tests: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    """Tests by kind and number, as it described them."""

    def state(self, now_s: float) -> str:
        """Return its state: there, silent, gone or left."""
        if self.left or self.gone:
            return "left" if self.left else "gone"
        return "silent" if self.asked and now_s - self.heard_s > SILENT_S else "there"

    @property
    def is_there(self) -> bool:
        """Return whether it is still held to take part."""
        return not self.left and not self.gone

    def word(self, key: str) -> str:
        """Return what it says of itself under this key; empty: not known."""
        value = (self.member or {}).get(key)
        return "" if value is None else str(value)


KEPT = 10
"""Looks that are kept: as many seconds where live figures come once a second."""
NOW = 5
"""Number of latest looks whose figures are shown as the present ones."""
FEWEST_OF_TAIL = 100
"""Round trips below which there is no 99th percentile."""
FEWEST_OF_FAR_TAIL = 1000
"""Round trips below which there is no 99.9th percentile."""

Times = NDArray[np.int64]


class Looks:
    """The latest looks, each with its round trips in ascending order, ns."""

    def __init__(self) -> None:
        self._looks: deque[Times] = deque(maxlen=KEPT)
        self._now: Times | None = None
        """Times of the latest looks together, until another look comes; None: to be computed."""

    def add(self, round_trips_ns: Any) -> float | None:
        """Take in a look, be it read or not, and return its median, ns; None: it is empty.

        Raises:
            TypeError, ValueError, OverflowError: these are no round trips.
        """
        times = numbers(round_trips_ns)
        if not len(times):
            return None
        times.sort()
        self._looks.append(times)
        self._now = None
        return float(times[len(times) // 2])

    def all(self) -> Times:
        """Return the times of all looks, in ascending order; perhaps empty."""
        return _together(list(self._looks))

    def now(self) -> Times:
        """Return the times of the last seconds, in ascending order; perhaps empty."""
        if self._now is None:
            self._now = _together(list(self._looks)[-NOW:])
        return self._now

    @property
    def median_ns(self) -> float | None:
        """Median of the last seconds; None: nothing was looked at."""
        return quantile(self.now(), 0.5)

    @property
    def p99_ns(self) -> float | None:
        """99th percentile of the last seconds; None: too few were looked at."""
        return quantile(self.now(), 0.99, FEWEST_OF_TAIL)


def _together(looks: list[Times]) -> Times:
    if not looks:
        return np.empty(0, dtype=np.int64)
    return looks[0] if len(looks) == 1 else np.sort(np.concatenate(looks))


def quantile(ascending: Times, share: float, fewest: int = 1) -> float | None:
    """Return the value that this share of the others does not exceed; None below `fewest`."""
    if len(ascending) < fewest:
        return None
    return float(ascending[min(int(share * len(ascending)), len(ascending) - 1)])


ENDS = 32
"""Ends of one kind that it can have: numbers begin anew after this many."""
TREND = 120
"""Live figures that are kept for a sparkline."""
NS = 1e9

Key = tuple[int, str, int, int]
"""Instance, kind, test, end."""


@dataclass
class End:
    """A writer or a reader of a test. What is None is not known, or not yet."""

    participant: Participant
    kind: str
    test: int
    number: int
    """Among the ends of this test and kind that the participant has, from 0."""
    state: str = "running"
    """starting, running, paused, ending, ended, failed."""
    at_ns: int = 0
    """When its last figures were sent, ns since 1970 by the clock of its host."""
    begun_ns: int = 0
    """When it was first heard of."""
    size_bytes: int | None = None
    peers: tuple[int, ...] = ()
    """Applications at the other end, as far as they are known."""
    ordered_hz: float | None = None
    """Rate in its definition; None: as fast as it goes."""
    rate_hz: float | None = None
    """Round trips, or samples read, in a second of the last interval."""
    theoretical_hz: float | None = None
    """Rate of samples sent to a receiver, by sequence numbers, or by the rates of its writers; the
    ordered rate of a transceiver."""
    by_number: bool = False
    """Whether that is by sequence numbers."""
    looked_at: int = 0
    """Pings of which it was seen an interval later whether they had been answered."""
    unanswered: int = 0
    bytes_per_s: float | None = None
    """Bytes of bodies read in a second of the last interval."""
    received: int | None = None
    """Samples in all, at its end."""
    missing: int | None = None
    """Samples in all that were sent and did not come: at its end, or so far."""
    looks: Looks = field(default_factory=Looks)
    trend: deque[float] = field(default_factory=lambda: deque(maxlen=TREND))
    """Median round trip of each look, ns; of a receiver its rate."""
    error: str = ""
    _segments: Unread | dict[str, list[Message]] = field(default_factory=dict)

    @property
    def segments(self) -> dict[str, list[Message]]:
        """Segments by name, with one entry for each best share."""
        if isinstance(self._segments, Unread):
            try:
                self._segments = _segments(read(self._segments))
            except STRANGE:
                self._segments = {}
        return self._segments

    @property
    def key(self) -> Key:
        """Return the key of this endpoint."""
        return self.participant.instance, self.kind, self.test, self.number

    def status(self, now_s: float) -> str:
        """Return its state; of a test that ran, silent, gone or left as its participant is."""
        if self.state in ("ended", "failed") or self.participant.is_there:
            silent = self.is_live and self.participant.state(now_s) == "silent"
            return "silent" if silent else self.state
        return self.participant.state(now_s)

    @property
    def is_live(self) -> bool:
        """Return whether it may still change."""
        return self.state not in ("ended", "failed") and self.participant.is_there

    @property
    def lost(self) -> float | None:
        """Share of what was looked at, or counted, that was not answered or did not come."""
        if self.received is not None and self.missing is not None:
            total = self.received + self.missing
            return self.missing / total if total else None
        return self.unanswered / self.looked_at if self.looked_at else None

    @property
    def share(self) -> float | None:
        """Rate as a share of the theoretical one."""
        if self.rate_hz is None or not self.theoretical_hz:
            return None
        return self.rate_hz / self.theoretical_hz

    def counted(self, counts: list[Message], seconds: float) -> None:
        """Take in the counts of an interval, one for each writer."""
        # Plain loops: this is most of what a watcher of many ends does.
        samples = 0
        for count in counts:
            samples += count["samples"]
        self.rate_hz = samples / seconds
        if self.kind != "receiver":
            return
        self.trend.append(self.rate_hz)
        if len(counts) != len(self.peers):
            self.peers = apps(count["writer"] for count in counts)
        if self.by_number or counts[0].get("theoretical") is not None:
            self._by_number(counts, seconds)

    def _by_number(self, counts: list[Message], seconds: float) -> None:
        """Take in what should have come, by sequence numbers."""
        theoretical = missing = read = 0
        for count in counts:
            theoretical += count["theoretical"]
            missing += count["missing"]
            read += count["bytes"]
        self.by_number = True
        self.theoretical_hz, self.missing = theoretical / seconds, missing
        self.bytes_per_s = read / seconds

    def seen(self, look: Message) -> None:
        """Take in a look at its pings."""
        self.looked_at += int(look["asked"])
        self.unanswered += int(look["unanswered"])
        if (median := self.looks.add(look["round_trips_ns"])) is not None:
            self.trend.append(median)
        if segments := look.get("segments"):
            self._segments = segments if isinstance(segments, Unread) else _segments(segments)

    def described(self, test: Message) -> None:
        """Take in its definition."""
        self.size_bytes = test["size"]
        self.ordered_hz = test["rate_hz"] or None
        if test["from"]:
            self.peers = test["from"]

    def accounted(self, role: Message) -> None:
        """Take in what a role has recorded: at its end, or so far."""
        self.received, self.missing = int(role["received"]), int(role["missing"])
        if segments := role.get("segments"):
            self._segments = _segments(segments)


def definition(test: Message) -> Message:
    """Return a test as a participant describes it, each value of its type.

    Raises:
        LookupError, TypeError, ValueError, ArithmeticError: no participant has written it.
    """
    if test["kind"] not in KINDS:
        raise ValueError(test["kind"])
    return {
        "kind": test["kind"],
        "test": int(test["test"]),
        "state": str(test["state"]),
        "size": int(test["size"]),
        "rate_hz": float(test["rate_hz"]),
        "from": tuple(int(app) for app in test["from"]),
        "count": min(int(test["count"]), ENDS),
    }


def _segments(segments: Message) -> dict[str, list[Message]]:
    return {str(name): list(best) for name, best in segments.items()}


def end_of(role: int) -> int:
    """Return the number of an end, by the number of its writer."""
    return role % ENDS


def apps(writers: Iterable[int]) -> tuple[int, ...]:
    """Return the applications that these writers belong to, in ascending order."""
    return tuple(sorted({writer // WRITERS_OF_APP for writer in writers}))
