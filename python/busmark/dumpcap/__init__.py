"""Captures of traffic by Wireshark's dumpcap: here, behind a command prefix, or on a node."""

from busmark.dumpcap.permit import check, refusal
from busmark.dumpcap.said import Counts
from busmark.dumpcap.settings import Settings
from busmark.dumpcap.taking import CaptureFailed, DiskFull, Site, Taking

__all__ = [
    "CaptureFailed", "Counts", "DiskFull", "Settings", "Site", "Taking", "check", "refusal",
]  # fmt: skip
