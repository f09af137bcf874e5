"""Damaged input of every kind is answered in words: no traceback, no long wait, little memory.

The same inputs each time. `python tools/mutate.py KIND --first N --inputs 1` repeats one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from busmark.adapters import libraries

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.mutations.many import KINDS, READING, met, outcome

INPUTS = {kind: 150 for kind in (*KINDS, *READING)} | {"security": 30}
"""Some seconds for each kind; signatures take their time."""


@pytest.mark.parametrize("kind", INPUTS)
def test_damaged_input_is_answered_in_words(kind: str) -> None:
    if kind in ("protocol", "read-answer") and "null" not in libraries():
        pytest.skip("needs the worker: make build")
    if kind == "idl":
        pytest.importorskip("cyclonedds", reason="busmark type build needs it")
    found = outcome([kind], INPUTS[kind])[kind]
    assert found["inputs"] == INPUTS[kind]
    assert met(found), json.dumps(found, indent=1)


def test_an_input_that_fails_is_found_and_named() -> None:
    """The harness itself: a fault, a long wait and much memory are each noticed."""
    whole = {"inputs": 1, "refused": 0, "slowest_s": 1.0, "peak_bytes": 1 << 20, "faults": {}}
    assert met(whole)
    assert not met(whole | {"faults": {"TypeError at x.py:1": {}}})
    assert not met(whole | {"slowest_s": 10.5})
    assert not met(whole | {"peak_bytes": (1 << 30) + 1})
