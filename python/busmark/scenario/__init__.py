"""The scenario: what a user asks to be measured."""

from busmark.scenario.capture import CaptureSection
from busmark.scenario.load import load, parse, reached
from busmark.scenario.matrix import nodes_of
from busmark.scenario.model import HEADER_BYTES, Scenario
from busmark.scenario.sides import SideSection, parse_side
from busmark.scenario.statistic import statistic

__all__ = [
    "HEADER_BYTES", "CaptureSection", "Scenario", "SideSection", "load",
    "nodes_of", "parse", "parse_side", "reached",
    "statistic",
]  # fmt: skip
