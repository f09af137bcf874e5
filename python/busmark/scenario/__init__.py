"""The scenario: what a user asks to be measured."""

from busmark.scenario.load import load, parse
from busmark.scenario.model import ELEMENT_BYTES, HEADER_BYTES, Scenario

__all__ = ["ELEMENT_BYTES", "HEADER_BYTES", "Scenario", "load", "parse"]
