"""A way to a node that answers nonsense: told in words, within bounded time and memory."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from busmark.adapters import libraries
from busmark.nodes import Address, Node, NodeDown

pytestmark = pytest.mark.usefixtures("small_worker")

RELAY = Path(__file__).with_name("hostile_relay.py")
PATIENCE_S = 20.0
STEPS = 16
"""More answers than setting up a node and looking at it takes."""
APART = int(os.environ.get("BUSMARK_TEST_STEPS_APART", "4"))
"""Every fault is at one in so many of them, each at others."""

TRIES = 50

WORDS = [
    "nothing", "no JSON", "deep JSON", "wrong types", "other types", "huge numbers", "odd digits",
    "bytes", "files", "a banner", "it exits", "half an answer", "a strange code",
]  # fmt: skip
MAY_PASS = ("a banner", "files", "bytes", "odd digits")
"""What may be left out, or is no more than a strange fact."""
ENDLESS = {
    "a line without end": "it prints without end",
    "lines without end": "it prints without end",
    "errors without end": "it prints without end on standard error",
    "a code without end": "it prints without end",
    "it closes its output": "it has closed its output",
    "a trickle": "an answer has no end within",
}


def node(fault: str, step: int, patience_s: float = PATIENCE_S) -> Node:
    prefix = [sys.executable, "-IS", str(RELAY), fault, str(step)]
    return Node("lab1", prefix, wanted=Address("lo", "127.0.0.1"), patience_s=patience_s)


def used(asked: Node) -> None:
    """Ask a node for all that a campaign asks of it before and around a round."""
    library = libraries().get("null")
    try:
        asked.ready([library] if library else [])
        json.dumps(asked.facts.profile, allow_nan=False)
        if library:
            reason = asked.lacks(library)
            assert reason is None or isinstance(reason, str)
        asked.counters()
        asked.hurry(1 << 30)
    finally:
        asked.close()


def cleared(scratch: Path) -> None:
    """Start shells until the folder of one that was killed is removed, once that has gone."""
    for _ in range(TRIES):
        used(node("nothing", 1000))
        if not list((scratch / "tmp").glob("busmark-node-*")):
            return
        time.sleep(0.1)
    pytest.fail("a folder of a killed shell is still there")


@pytest.mark.parametrize("fault", WORDS)
def test_nonsense_at_any_step_is_reported(fault: str, scratch: Path) -> None:
    text = 0
    for step in range(WORDS.index(fault) % APART, STEPS, APART):
        try:
            used(node(fault, step))
        except NodeDown as error:
            assert error.where == "nodes.lab1" and error.remedy
            assert len(error.message) < 1000
            text += 1
    assert text or fault in MAY_PASS
    cleared(scratch)


@pytest.mark.parametrize(("fault", "says"), ENDLESS.items())
def test_an_answer_without_end_is_given_up(fault: str, says: str, scratch: Path) -> None:
    """Every other fault is in the first answer, others in a later one."""
    step = 6 * (list(ENDLESS).index(fault) % 2)
    with pytest.raises(NodeDown) as error:
        used(node(fault, step, 2.0 if fault == "a trickle" else PATIENCE_S))
    assert says in error.value.message
    cleared(scratch)


def test_a_relay_that_spoils_nothing_is_a_node() -> None:
    used(node("nothing", 1000))
