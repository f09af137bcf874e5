"""What the middleware has found on a bus, as a table: participants, and their writers and readers.
Foreign ones are shown, and marked as such."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.cli.live.columns import GridColumn, View
from busmark.cli.live.values import ABSENT, clock, plural
from busmark.plugins.bus.attachment import Attachment
from busmark.plugins.bus.caller import Caller, Message
from busmark.plugins.bus.commands.found import WAIT_S, Filter, announced, changes, rank, whose
from busmark.plugins.bus.found import CONTROL, BusContents, Owner, following, look, test_of, vendor
from busmark.plugins.bus.live.bus_app import Hand

GONE_S = 30.0
"""Time for which an entity that has gone is shown."""
STYLES = {"foreign": Style(color="cyan"), "gone": Style(dim=True, italic=True)}
KINDS = {
    ("ping", "writer"): "transceiver",
    ("ping", "reader"): "transponder",
    ("pong", "writer"): "transponder",
    ("pong", "reader"): "transceiver",
    ("data", "writer"): "transmitter",
    ("data", "reader"): "receiver",
    ("echo", "writer"): "receiver",
    ("echo", "reader"): "transmitter",
}
"""Kind of the test that an endpoint of ours belongs to, by the end of its topic's name."""


@dataclass(frozen=True)
class Row:
    """A participant, writer or reader."""

    entity: Message
    owner: Owner
    test: int | None
    since_ns: int | None = None
    """When it came; None: it was there at the first look."""
    gone_ns: int | None = None

    @property
    def kind(self) -> str:
        """participant, writer, reader."""
        return str(self.entity["kind"])

    @property
    def topic(self) -> str:
        """The topic of a writer or reader; empty for a participant."""
        return str(self.entity["topic"])

    @property
    def is_foreign(self) -> bool:
        """Return whether it is not Busmark's."""
        return self.owner.what == "foreign"

    @property
    def test_kind(self) -> str | None:
        """Kind of the test that it belongs to."""
        known = KINDS.get((self.topic.rpartition("_")[2], self.kind))
        return None if self.test is None else known

    @property
    def place(self) -> str:
        """Host and process of a participant, as far as it announces them."""
        words = (self.entity["host"], self.entity["process"] or self.entity["name"])
        return " ".join(filter(None, words)) or ABSENT

    @property
    def what(self) -> str:
        """Topic, or where the participant runs."""
        return self.place if self.kind == "participant" else self.topic

    @property
    def qos(self) -> str:
        """Policies as they are announced; for a participant its vendor."""
        if self.kind == "participant":
            return vendor(self.entity["vendor"])
        return announced(self.entity)


@dataclass
class EntityRow:
    """The columns that are shown of an entity."""

    rows: Sequence[Row] = ()
    settled: bool = False
    looked: bool = False
    """Whether there was a look at all."""


@dataclass
class Looks:
    """Makes rows of looks, one after the other."""

    shown: Filter
    _before: BusContents | None = None
    _since: dict[str, int] = field(default_factory=dict)
    _gone: dict[str, Row] = field(default_factory=dict)
    _listed: EntityRow | None = None

    def rows(self, found: BusContents) -> EntityRow:
        """Return everything that is there, and what has gone a short time ago."""
        before, listed = self._before, self._listed
        if before is not None and listed is not None:
            same = before.entities == found.entities and len(before.answers) == len(found.answers)
            if same and not self._gone:
                return listed
            self._changed(before, found)
        self._before = found
        old = found.at_realtime_ns - GONE_S * 1e9
        self._gone = {key: row for key, row in self._gone.items() if (row.gone_ns or 0) > old}
        self._listed = EntityRow(
            [*self._present_rows(found), *self._gone.values()], found.settled, True
        )
        return self._listed

    def _changed(self, before: BusContents, now: BusContents) -> None:
        for sign, entity, whole in changes(before, now, self.shown):
            key = entity["key"]
            if sign == "+":
                self._since[key] = now.at_realtime_ns
                self._gone.pop(key, None)
            else:
                owner = whole.owners()[entity["participant"]]
                self._gone[key] = Row(
                    entity,
                    owner,
                    test_of(entity, owner),
                    self._since.pop(key, None),
                    now.at_realtime_ns,
                )

    def _present_rows(self, found: BusContents) -> Iterator[Row]:
        owners = found.owners()
        participants = self.shown.participants(found)
        participants.sort(key=lambda one: rank(owners[one["key"]]))
        for one in (*participants, *self.shown.endpoints(found)):
            owner = owners[one["participant"]]
            yield Row(one, owner, test_of(one, owner), self._since.get(one["key"]))


def _whose(row: Row) -> str:
    """Return the owner in words; foreign ones are distinguished by the start of their keys."""
    return whose(row.owner).partition("…")[0] if row.is_foreign else row.owner.words()


def _state(row: Row) -> str:
    return "gone" if row.gone_ns else "foreign" if row.is_foreign else "there"


COLUMNS: list[GridColumn[Row]] = [
    GridColumn("kind", "kind", 11, lambda r, _: r.kind, lambda r: r.kind, left=True),
    GridColumn("whose", "whose", 16, lambda r, _: _whose(r), lambda r: whose(r.owner), left=True),
    GridColumn("test", "test", 5, lambda r, _: ABSENT if r.test is None else str(r.test),
           lambda r: r.test, rank=3),
    GridColumn("topic", "topic, or process", 21, lambda r, _: r.what, lambda r: r.what, left=True,
           grows=True),
    GridColumn("type", "type", 20, lambda r, _: r.entity["type_name"] or ABSENT,
           lambda r: r.entity["type_name"] or None, left=True, rank=2),
    GridColumn("qos", "QoS, or vendor", 20, lambda r, _: r.qos or ABSENT, lambda r: r.qos or None,
           left=True, grows=True, rank=1),
    GridColumn("state", "state", 7, lambda r, _: _state(r), _state, left=True, rank=5),
    GridColumn("since_ns", "since", 8, lambda r, _: clock(r.gone_ns or r.since_ns),
           lambda r: r.since_ns, rank=6),
]  # fmt: skip


class EntitiesView(View[Row]):
    """A line for each participant, writer and reader."""

    NAME = "watch-entities"
    COLUMNS = COLUMNS
    FOOTER = (
        "q quit  ? help  e tests  c change  n new  x stop  l look  i inject  / search  a all  "
        "p pause  < > sort  r reverse  d detail  s save"
    )

    def __init__(self, bus: Attachment, hand: Hand, painted: Callable[[], None]) -> None:
        """Begin with an empty table; `painted` is called when there is something new."""
        self._bus, self._hand, self._painted = bus, hand, painted
        self._listed = EntityRow()
        self._note = ""
        self.everything = False
        """The topics by which participants are driven are shown, too."""
        self._round = 0
        """Number of the latest look; results of earlier looks are dropped."""

    def begin(self) -> None:
        """Look at the bus, and follow what comes and goes, until `end`."""
        self._round += 1
        self._note = "looking for what is on the bus …"
        number, looks = self._round, Looks(Filter(None, False, self.everything))

        def job(caller: Caller) -> None:
            found = look(caller, WAIT_S)
            for now in chain([found], following(caller, found)):
                if self._hand.leaving.is_set() or number != self._round:
                    return
                self._hand.post(partial(self._show_rows, number, looks.rows(now)))

        def failed(why: str) -> None:
            if number == self._round:
                self._listed, self._note = EntityRow(), why
                self._painted()

        self._hand.ask(job, lambda _: None, failed)

    def end(self) -> None:
        """Stop looking at the bus."""
        self._round += 1

    def _show_rows(self, number: int, listed: EntityRow) -> None:
        if number == self._round:
            self._listed, self._note = listed, "nothing is on the bus"
            self._painted()

    @property
    def empty(self) -> str:
        """Return what is under way, or what went wrong."""
        return self._note

    def state(self) -> EntityRow:
        """Return what is listed."""
        return self._listed

    def rows(self, state: EntityRow) -> list[Row]:
        """Return participants, then writers and readers by topic, then what has gone."""
        return list(state.rows)

    def heading(self, state: EntityRow) -> str:
        """Return how many there are."""
        there = [row for row in state.rows if not row.gone_ns]
        if not state.looked:
            return f"entities  {self._bus.words()}  looking …"
        participants, writers, readers = _counts(there, "participant", "writer", "reader")
        topics = plural(len({row.topic for row in there if row.kind != "participant"}), "topic")
        foreign = sum(row.is_foreign for row in there if row.kind == "participant")
        parts = [
            "entities",
            f"{participants}, {foreign} foreign",
            writers,
            readers,
            topics,
            self._bus.words(),
        ]
        return "  ".join(parts)

    def detail(self, state: EntityRow, row: Row, width: int, height: int) -> list[Text]:
        """Return all that is announced of an entity, as lines."""
        one = row.entity
        head = [
            one["kind"],
            whose(row.owner),
            "gone" if row.gone_ns else "",
            "foreign: shown, never changed" if row.is_foreign else "",
        ]
        if row.kind == "participant":
            lines = _of_participant(state, row)
        else:
            lines = _of_endpoint(state, row)
        lines += [("key", one["key"]), ("since", clock(row.since_ns) if row.since_ns else "")]
        found = [Text(" · ".join(filter(None, head)), style="bold")]
        for name, text in lines:
            if text:
                for place, line in enumerate(textwrap.wrap(text, max(20, width - 10))):
                    found.append(Text(f"{'' if place else name:8} {line}"))
        return found[:height]

    key_of = staticmethod(lambda row: row.entity["key"])

    @staticmethod
    def style_of(row: Any) -> Style:
        """Return a colour for foreign rows, dim for what has gone; participants are bold."""
        found = STYLES.get(_state(row), Style())
        return found + Style(bold=True) if row.kind == "participant" else found

    @staticmethod
    def words_of(row: Any) -> str:
        """Return all words of a row's line."""
        test = f"test {row.test}" if row.test is not None else ""
        return (
            f"{row.kind} {whose(row.owner)} {row.what} {row.entity['type_name']} {row.qos} "
            f"{_state(row)} {test}"
        )


def _counts(rows: Sequence[Row], *kinds: str) -> list[str]:
    return [plural(sum(row.kind == kind for row in rows), kind) for kind in kinds]


def _of_participant(state: EntityRow, row: Row) -> list[tuple[str, str]]:
    one = row.entity
    mine = [each for each in state.rows if each.entity["participant"] == one["key"]]
    topics = sorted({each.topic for each in mine if each.kind != "participant"})
    return [
        ("vendor", vendor(one["vendor"])),
        ("host", one["host"]),
        ("process", one["process"]),
        ("name", one["name"]),
        ("has", ", ".join(_counts(mine, "writer", "reader"))),
        ("topics", ", ".join(topics)),
    ]


def _of_endpoint(state: EntityRow, row: Row) -> list[tuple[str, str]]:
    one = row.entity
    there = [each for each in state.rows if each.topic == row.topic and not each.gone_ns]
    counts = ", ".join(_counts(there, "writer", "reader"))
    driven = "by which participants are driven" if row.topic in CONTROL else ""
    test = f"{row.test_kind} {row.test}" if row.test is not None and row.test_kind else ""
    return [
        ("topic", "; ".join(filter(None, (row.topic, driven, counts)))),
        ("test", test),
        ("type", one["type_name"]),
        ("QoS", row.qos),
        ("name", one["name"]),
        ("vendor", vendor(one["vendor"])),
    ]
