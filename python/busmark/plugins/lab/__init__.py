"""Emulated networks: nodes on this machine, each a network namespace, joined by a switch."""

from busmark.plugins.lab.check import Measured, measure
from busmark.plugins.lab.lab import Lab, labs, lay_down, need, set_up
from busmark.links import Links, links

__all__ = ["Lab", "Links", "Measured", "labs", "lay_down", "links", "measure", "need", "set_up"]
