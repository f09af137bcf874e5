"""Authentication and keys that were exchanged while samples were measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    if view.params.security in (None, "none") or view.params.test == "discovery":
        return
    seen: dict[int, int] = {}
    for number in view.values("captured"):
        with suppress(UserError):
            table = view.result.wire(view.case.id, number)
            if table is not None:
                rows = table.filter(purpose="handshake")
                seen[number] = int(rows["window_packets"].sum())
    rounds = [packets for packets in seen.values() if packets]
    if rounds:
        yield Observation(
            "warning",
            f"{whole(sum(rounds))} packets of handshakes within the measured time, in "
            f"{len(rounds)} of {count(len(seen), 'captured round')}",
            weight=sum(rounds),
        )


RULE = Rule(
    id="handshake-in-measurement",
    title="Participants authenticated again during the measurement",
    cause="A participant was found late, or lost and found again, so that both prove who they are "
    "and exchange keys while samples are measured: that takes milliseconds of CPU time.",
    remedy="Look for a lease that ran out on a busy CPU, or lengthen `measure.warmup_s`.",
    check_case=check_case,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("latency", "tail"),
)
