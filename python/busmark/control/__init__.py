"""The controller: starts workers, drives rounds, stores what comes back."""

from busmark.control import tables
from busmark.control.clocks import clocks
from busmark.control.lengths import next_length
from busmark.control.precision import next_trial, shortfall, spread, trial_figures, wanting
from busmark.control.rates import answered_per_s, rates
from busmark.control.records import completed
from busmark.control.round import RoundData
from busmark.control.worker import RESULTS, Frame, check, last_words, read

__all__ = [
    "RESULTS",
    "Frame",
    "RoundData",
    "answered_per_s",
    "check",
    "clocks",
    "completed",
    "last_words",
    "next_length",
    "next_trial",
    "rates",
    "read",
    "shortfall",
    "spread",
    "tables",
    "trial_figures",
    "wanting",
]
