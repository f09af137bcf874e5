"""Captures of traffic by Wireshark's dumpcap: here, behind a command prefix, or on a node."""

from busmark.dumpcap.permit import check, question, refusal
from busmark.dumpcap.said import Counts, counts
from busmark.dumpcap.settings import Settings
from busmark.dumpcap.taking import CaptureFailed, DiskFull, Site, Taking, join

__all__ = [
    "CaptureFailed",
    "Counts",
    "DiskFull",
    "Settings",
    "Site",
    "Taking",
    "check",
    "counts",
    "join",
    "question",
    "refusal",
]
