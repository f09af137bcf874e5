"""Captures of traffic by Wireshark's dumpcap: here, behind a command prefix, or on a node."""

from busmark.plugins.capture.dumpcap.permit import check, refusal
from busmark.plugins.capture.dumpcap.taking import (
    CaptureFailed,
    Counts,
    DiskFull,
    Settings,
    Site,
    Taking,
    run,
)

__all__ = [
    "CaptureFailed",
    "Counts",
    "DiskFull",
    "Settings",
    "Site",
    "Taking",
    "check",
    "refusal",
    "run",
]
