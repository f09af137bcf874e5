"""Captures of network traffic: what they say of RTPS and DDS-XRCE without Busmark's own header."""

from busmark.plugins.capture.analysis import analyse
from busmark.plugins.capture.model import Analysis, Hop, Spread, Way

__all__ = ["Analysis", "Hop", "Spread", "Way", "analyse"]
