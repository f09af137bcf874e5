"""The scenario: what a user asks to be measured."""

from busmark.model.limits import statistic
from busmark.scenario.load import find, load, parse, reached, shipped
from busmark.scenario.matrix import SideSection, nodes_of, parse_side
from busmark.scenario.model import HEADER_BYTES, CapacitySection, Scenario
from busmark.scenario.requirement import Requirement

__all__ = [
    "HEADER_BYTES",
    "CapacitySection",
    "Requirement",
    "Scenario",
    "SideSection",
    "find",
    "load",
    "nodes_of",
    "parse",
    "parse_side",
    "reached",
    "shipped",
    "statistic",
]
