"""The screen of `busmark spot`."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.plugins.bus.seen import End, Participant, Seen
from busmark.plugins.bus.live.bus_app import BusApp
from busmark.plugins.bus.live.ends_detail import detail
from busmark.plugins.bus.live.spot_table import COLUMNS, Spotted, since_s, spotted, style
from busmark.cli.live.values import clock, value


class SpotApp(BusApp[Spotted]):
    """A line for each participant and test."""

    NAME = "spot"
    COLUMNS = COLUMNS

    def rows(self, state: Seen) -> list[Spotted]:
        """Participants with their tests below them."""
        return list(spotted(state))

    def detail(self, state: Seen, row: Spotted, width: int, height: int) -> list[Text]:
        """All that is known of it."""
        if isinstance(row.of, End):
            return detail(row.of, width, height)
        if isinstance(row.of, dict):
            return _foreign(row.of)
        return _participant(row, row.of)

    @staticmethod
    def key_of(row: Any) -> Any:
        """The key of what is spotted."""
        return row.key

    @staticmethod
    def style_of(row: Any) -> Style:
        """By its state."""
        return style(row)

    @staticmethod
    def words_of(row: Any) -> str:
        """All words of its line."""
        return f"{row.kind} {row.who} {row.where} {row.what} {row.state}"


def _foreign(one: dict[str, Any]) -> list[Text]:
    words = ("name", "host", "process", "vendor", "topic", "type_name", "more")
    return [
        Text(f"foreign {one['kind']} {one['key']}", style="bold"),
        Text(", ".join(f"{word} {one[word]}" for word in words if one.get(word))),
        Text(f"discovered at {clock(one['since_ns'])}"),
    ]  # fmt: skip


def _participant(row: Spotted, who: Participant) -> list[Text]:
    group = "no group" if who.group is None else f"group {who.group}"
    known = [f"{key} {found}" for key, found in (who.member or {}).items() if key != "tests"]
    there = since_s(row)
    joined = (
        f"joined at {clock(who.joined_ns)}, {there:,.0f} s ago" if there is not None
        else "joined before this watcher, at a time that is not known"
    )  # fmt: skip
    if who.found_s is not None:
        joined += f"; heard here {value(1e3 * who.found_s)} ms later"
    tests = ", ".join(f"{kind} {test}" for kind, test in sorted(who.tests)) or "none"
    return [
        Text(f"app {who.app} · {group} · {row.state}", style="bold"),
        Text(", ".join(known)), Text(joined),
        Text(f"last word at {clock(who.said_ns)} by its clock"), Text(f"tests: {tests}"),
        Text(f"number of this process on the bus: {who.instance}"),
    ]  # fmt: skip
