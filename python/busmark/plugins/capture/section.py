"""What a scenario says of captures."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from busmark.scenario.section import ScenarioSection

AUTO = "auto"
"""The filter that the adapters of a case make."""
LARGEST_PACKET = 262_144
"""Bytes that dumpcap keeps of a packet at most."""


class CaptureSection(ScenarioSection):
    """`[capture]`, or `capture = true`: every round keeps one pcapng file for each interface that
    its traffic passes, from dumpcap."""

    filter: str = Field(
        default=AUTO,
        max_length=4000,
        description='which packets are kept, as pcap-filter(7) has it; "auto": those that the '
        "adapters of a case send, as far as that can be said; empty: all",
    )
    snap_length: int = Field(
        default=0,
        ge=0,
        le=LARGEST_PACKET,
        description="bytes that are kept of each packet; 0: all. Samples are recognised by their "
        "payload where it is kept",
    )
    max_bytes: int = Field(
        default=1 << 30,
        ge=100_000,
        le=1 << 40,
        description="size of a file at which the capture of a round ends",
    )
    ring: bool = Field(
        default=False,
        description="at that size the oldest packets are dropped, a quarter of the file at a time, "
        "and the capture continues",
    )
    buffer_bytes: int = Field(
        default=32 << 20,
        ge=1 << 20,
        le=1 << 31,
        description="the kernel's buffer for packets that dumpcap has not yet taken, for each "
        "interface; in whole MiB",
    )


def wanted(value: Any) -> Any:
    """Turn `true` into a table in which nothing is changed, and `false` into none."""
    if value is True:
        return {}
    if value is False or value is None:
        return None
    if not isinstance(value, dict | CaptureSection):
        raise ValueError(f"should be true, false, or a table, not {value!r}")
    return value


CaptureKey = Annotated[CaptureSection | None, BeforeValidator(wanted)]
