"""Figures of secured cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters


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
