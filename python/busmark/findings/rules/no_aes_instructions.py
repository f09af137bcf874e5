"""Encryption by a CPU without instructions for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

WITHOUT_AES = ("none", "authentication", "access_control", "curve")
"""Profiles by which no sample is encrypted or signed, and the one with another cipher."""


def check_plan(
    params: Parameters, profile: Profile, capabilities: Capabilities
) -> Iterator[Observation]:
    secured = params.security or "none"
    if secured not in WITHOUT_AES and profile.get("aes_instructions") is False:
        yield Observation("warning", "the CPU lists no instructions for AES, or none for GHASH")


RULE = Rule(
    id="no-aes-instructions",
    title="The CPU has no instructions for AES",
    cause="DDS Security and TLS encrypt and sign by AES in Galois/Counter Mode. Without the "
    "instructions (aes and pclmulqdq on x86, aes and pmull on ARM) that is computed in software, "
    "ten times slower or more.",
    remedy="Measure on the CPU that will be used. In a virtual machine let the hypervisor pass on "
    "the CPU's features.",
    check_plan=check_plan,
    concerns=("latency", "goodput_mbit_per_s"),
)
