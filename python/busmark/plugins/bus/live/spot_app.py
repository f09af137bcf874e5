"""The screen of `busmark bus spot`: participants with their tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.cli.live.columns import GridColumn
from busmark.cli.live.values import ABSENT, clock, count, value
from busmark.plugins.bus.live.bus_app import BusApp
from busmark.plugins.bus.live.ends import STYLES, detail
from busmark.plugins.bus.seen import End, Observer, Participant


@dataclass(frozen=True)
class SpotRow:
    """A line: a participant, or an end of its test."""

    kind: str
    who: str
    where: str
    what: str
    state: str
    since_ns: int | None
    found_ms: float | None
    of: Participant | End | dict[str, Any]
    """A dictionary: an entity of a foreign program, as announced."""

    @property
    def key(self) -> object:
        """Return the key of this row."""
        if isinstance(self.of, dict):
            return self.of["key"]
        if isinstance(self.of, Participant):
            return self.of.instance
        return self.of.key


def spotted(seen: Observer) -> Iterator[SpotRow]:
    """Yield a row for every participant, its tests below it; then foreign programs."""
    ends: dict[int, list[End]] = {}
    for end in seen.ends.values():
        ends.setdefault(end.participant.instance, []).append(end)
    for each in sorted(seen.participants.values(), key=lambda p: (p.app, p.instance)):
        yield _participant(each, ends.get(each.instance, []))
        for end in sorted(ends.get(each.instance, ()), key=lambda e: (e.test, e.kind, e.number)):
            yield _end(end)
    yield from map(_foreign, sorted(seen.foreign.values(), key=_foreign_order))


def _foreign_order(one: dict[str, Any]) -> tuple[str, bool, str, str]:
    """Return a sort key: participants, each with its writers and readers by topic."""
    whole = one["kind"] == "participant"
    return (
        one["key"] if whole else one["participant"],
        not whole,
        one.get("topic") or "",
        one["key"],
    )


def _foreign(one: dict[str, Any]) -> SpotRow:
    if one["kind"] == "participant":
        where = f"{one['host'] or ''} {one['process'] or one['name'] or ''}".strip()
        kind, what = "participant", one["vendor"]
    else:
        kind, where, what = f" {one['kind']}", one["topic"], one["type_name"]
    return SpotRow(
        kind, "foreign", where or ABSENT, what or ABSENT, "there", one["since_ns"], None, one
    )


def _participant(each: Participant, ends: list[End]) -> SpotRow:
    group = f" group {each.group}" if each.group is not None else ""
    live = sum(end.is_live for end in ends)
    what = f"{each.word('middleware') or each.word('adapter')}, {each.word('transport')}"
    return SpotRow(
        "participant",
        f"app {each.app}{group}",
        f"{each.word('host')} {each.word('pid')}".strip() or ABSENT,
        (what if each.member else ABSENT) + (f", {live} ends" if live else ""),
        each.state(each.looked_s),
        each.joined_ns,
        None if each.found_s is None else 1e3 * each.found_s,
        each,
    )


def _end(end: End) -> SpotRow:
    number = f".{end.number + 1}" if end.number else ""
    parts = [
        f"{count(end.size_bytes)} B" if end.size_bytes is not None else "",
        f"{value(end.ordered_hz)}/s" if end.ordered_hz else "",
        f"with app {','.join(map(str, end.peers))}" if end.peers else "",
    ]
    return SpotRow(
        f" {end.kind}",
        f"app {end.participant.app}",
        f"test {end.test}{number}",
        ", ".join(part for part in parts if part),
        end.status(end.participant.looked_s),
        end.begun_ns,
        None,
        end,
    )


def style(row: SpotRow) -> Style:
    """Return red for what is gone, dim for what has ended; participants are bold."""
    found = STYLES.get(row.state, Style())
    return found + Style(bold=True) if isinstance(row.of, Participant) else found


COLUMNS: list[GridColumn[SpotRow]] = [
    GridColumn("kind", "kind", 13, lambda s, _: s.kind, lambda s: s.kind.strip(), left=True),
    GridColumn("who", "who", 14, lambda s, _: s.who, lambda s: s.who, left=True),
    GridColumn("where", "where", 12, lambda s, _: s.where, lambda s: s.where, left=True, grows=True,
           rank=1),
    GridColumn("what", "what", 10, lambda s, _: s.what, lambda s: s.what, left=True, grows=True,
           rank=2),
    GridColumn("state", "state", 8, lambda s, _: s.state, lambda s: s.state, left=True),
    GridColumn("since_ns", "since", 8, lambda s, _: clock(s.since_ns), lambda s: s.since_ns),
    GridColumn("found_in_ms", "found ms", 8, lambda s, _: value(s.found_ms), lambda s: s.found_ms),
]  # fmt: skip


class SpotApp(BusApp[SpotRow]):
    """A line for each participant and test."""

    NAME = "spot"
    COLUMNS = COLUMNS

    def rows(self, state: Observer) -> list[SpotRow]:
        """Return participants with their tests below them, then foreign programs."""
        return list(spotted(state))

    def detail(self, state: Observer, row: SpotRow, width: int, height: int) -> list[Text]:
        """Return all that is known of a row, as lines."""
        if isinstance(row.of, End):
            return detail(row.of, width, height)
        if isinstance(row.of, dict):
            return _foreign_lines(row.of)
        return _participant_lines(row, row.of)

    key_of = staticmethod(lambda row: row.key)
    style_of = staticmethod(lambda row: style(row))

    @staticmethod
    def words_of(row: Any) -> str:
        """Return all words of a row's line."""
        return f"{row.kind} {row.who} {row.where} {row.what} {row.state}"


def _foreign_lines(one: dict[str, Any]) -> list[Text]:
    words = ("name", "host", "process", "vendor", "topic", "type_name", "more")
    return [
        Text(f"foreign {one['kind']} {one['key']}", style="bold"),
        Text(", ".join(f"{word} {one[word]}" for word in words if one.get(word))),
        Text(f"discovered at {clock(one['since_ns'])}"),
    ]


def _participant_lines(row: SpotRow, who: Participant) -> list[Text]:
    group = "no group" if who.group is None else f"group {who.group}"
    known = [f"{key} {found}" for key, found in (who.member or {}).items() if key != "tests"]
    # By the clocks of its host and of this one.
    joined = (
        f"joined at {clock(who.joined_ns)}, {max(0.0, time.time() - row.since_ns / 1e9):,.0f} s ago"
        if row.since_ns
        else "joined before this watcher, at a time that is not known"
    )
    if who.found_s is not None:
        joined += f"; heard here {value(1e3 * who.found_s)} ms later"
    tests = ", ".join(f"{kind} {test}" for kind, test in sorted(who.tests)) or "none"
    return [
        Text(f"app {who.app} · {group} · {row.state}", style="bold"),
        Text(", ".join(known)),
        Text(joined),
        Text(f"last word at {clock(who.said_ns)} by its clock"),
        Text(f"tests: {tests}"),
        Text(f"number of this process on the bus: {who.instance}"),
    ]
