"""The screen of `busmark bus watch`."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from rich.text import Text

from busmark.plugins.bus.live.asked import ChosenTest
from busmark.plugins.bus.live.ends import COLUMNS, detail, style
from busmark.plugins.bus.live.tuner_app import TunerApp
from busmark.plugins.bus.seen import End, Seen

TOPICS = {"transceiver": "ping", "transponder": "ping", "transmitter": "data", "receiver": "data"}
"""Ends of the names of the topics on which they send, or are sent to."""


class WatchApp(TunerApp[End]):
    """A line for each end of a test."""

    NAME = "watch"
    COLUMNS = COLUMNS

    def rows(self, state: Seen) -> list[End]:
        """By application, test and kind."""
        return sorted(state.ends.values(), key=_place)

    def detail(self, state: Seen, row: End, width: int, height: int) -> list[Text]:
        """Histogram, percentiles, segments."""
        return detail(row, width, height)

    def test_of(self, row: End) -> ChosenTest:
        """The test that it belongs to."""
        return ChosenTest(row.participant.app, row.test, row.kind, row.ordered_hz)

    def topic_of(self, row: End) -> str:
        """The topic of its pings, or its stream."""
        return f"busmark_bus_{row.test}_{TOPICS[row.kind]}"

    @staticmethod
    def key_of(row: Any) -> Any:
        """Participant, kind, test and number."""
        return row.key

    @staticmethod
    def style_of(row: Any) -> Style:
        """By its state."""
        return style(row)

    @staticmethod
    def words_of(row: Any) -> str:
        """Who it is, and how it goes."""
        who = row.participant
        return (
            f"app {who.app} group {who.group} test {row.test} {row.kind} "
            f"{row.status(who.looked_s)} {who.word('adapter')} {who.word('host')} "
            f"{' '.join(map(str, row.peers))}"
        )


def _place(end: End) -> tuple[int, int, str, int, int]:
    who = end.participant
    return who.app, end.test, end.kind, end.number, who.instance
