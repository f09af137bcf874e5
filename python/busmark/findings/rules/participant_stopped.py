"""Participants whose process a signal stopped during a round."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, listed

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    stopped: dict[int, list[str]] = {}
    for number in view.finished["round"].to_list():
        with suppress(UserError):
            table = view.result.participants(view.case.id, number)
            if table is not None and (names := _stopped(table)):
                stopped[number] = names
    if stopped:
        number, names = next(iter(stopped.items()))
        yield Observation(
            "warning",
            f"{listed(names)} in round {number}; "
            f"{len(stopped)} of {count(view.finished.height, 'round')}",
            weight=len(stopped),
        )


def _stopped(table: pl.DataFrame) -> list[str]:
    return table.filter(table["stopped"].fill_null(False))["participant"].to_list()


RULE = Rule(
    id="participant-stopped",
    title="A participant was stopped during the measurement",
    cause="A signal (SIGSTOP, or a terminal's stop) held its process until another let it "
    "continue. Nothing was sent or read meanwhile: what was due then is late, or lost where a "
    "queue was full.",
    remedy="Find out who sends the signal (a debugger, job control, a supervisor), and run again.",
    check_case=check_case,
    of_trials=True,
    explains=(
        "loop-stood-still", "loss-under-reliable", "overwritten", "loss-in-latency", "rounds-lost",
        "rate-not-held", "udp-drops", "non-stationary", "rounds-disagree", "bimodal",
    ),
    concerns=("latency", "lost"),
)  # fmt: skip
