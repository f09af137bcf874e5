"""The controller: starts workers, drives rounds, stores what comes back."""

from busmark.control.clocks import clocks
from busmark.control.lengths import next_length
from busmark.control.precision import next_trial, shortfall, spread, trial_figures, wanting
from busmark.control.rates import rates
from busmark.control.round import RoundData

__all__ = [
    "RoundData",
    "clocks",
    "next_length",
    "next_trial",
    "rates",
    "shortfall",
    "spread",
    "trial_figures",
    "wanting",
]
