"""Captures that were asked for in cases that do not use the network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import LOCAL, carrier, in_words
from busmark.findings.rule import Observation, Rule

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    if not view.result.manifest.scenario.get("capture") or not view.finished.height:
        return
    carried = carrier(view.capabilities, view.params.transport)
    if carried in LOCAL and not view.values("captured", only_ok=False):
        transport = view.params.transport
        yield Observation("note", f"transport {transport}: {in_words(transport, carried)}")


RULE = Rule(
    id="capture-nothing",
    title="There was nothing to capture",
    cause="The transport carries samples within the host and not over the network, so that there "
    "are no packets. The rounds were run without a capture.",
    remedy="Capture a transport that uses the network.",
    check_case=check_case,
    of_trials=True,
    early=None,
)
