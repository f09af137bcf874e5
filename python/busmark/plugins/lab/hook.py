"""What a campaign needs of labs: see `busmark.control.hooks.Labs`."""

from busmark.plugins.lab.check import measure
from busmark.plugins.lab.lab import labs, lay_down, need, set_up
from busmark.plugins.lab.network import INTERFACE

__all__ = ["INTERFACE", "labs", "lay_down", "measure", "need", "set_up"]
