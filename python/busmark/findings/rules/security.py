"""Figures of secured cases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.rule import Capabilities, Observation, Profile, Rule, count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters


def handshake_in_measurement(view: CaseView) -> Iterator[Observation]:
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


HANDSHAKE_IN_MEASUREMENT = Rule(
    id="handshake-in-measurement",
    check_case=handshake_in_measurement,
    explains=("non-stationary", "bimodal", "rounds-disagree"),
    concerns=("latency", "tail"),
)


WITHOUT_AES = ("none", "authentication", "access_control", "curve")
"""Profiles by which no sample is encrypted or signed, and the one with another cipher."""


def no_aes_instructions_planned(
    params: Parameters, profile: Profile, capabilities: Capabilities
) -> Iterator[Observation]:
    secured = params.security or "none"
    if secured not in WITHOUT_AES and profile.get("aes_instructions") is False:
        yield Observation("warning", "the CPU lists no instructions for AES, or none for GHASH")


NO_AES_INSTRUCTIONS = Rule(
    id="no-aes-instructions",
    check_plan=no_aes_instructions_planned,
    concerns=("latency", "goodput_mbit_per_s"),
)
