"""The scenario: what a user asks to be measured."""

from busmark.model.limits import statistic
from busmark.scenario.load import find, in_present_names, load, parse, reached, shipped
from busmark.scenario.matrix import SideSection, nodes_of, parse_side
from busmark.scenario.model import HEADER_BYTES, Capacity, Scenario
from busmark.scenario.requirement import Requirement
from busmark.scenario.section import CaptureSection

__all__ = [
    "HEADER_BYTES",
    "Capacity",
    "CaptureSection",
    "Requirement",
    "Scenario",
    "SideSection",
    "find",
    "in_present_names",
    "load",
    "nodes_of",
    "parse",
    "parse_side",
    "reached",
    "shipped",
    "statistic",
]
