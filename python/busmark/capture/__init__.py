"""Captures of network traffic: what they say of RTPS and DDS-XRCE without Busmark's own header."""

from busmark.capture.analysis import analyse
from busmark.capture.model import Analysis, Hop, Spread, Way

__all__ = ["Analysis", "Hop", "Spread", "Way", "analyse"]
