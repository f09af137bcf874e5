"""What a campaign needs of captures: see `busmark.control.hooks.Captures`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from busmark.adapters import Adapter
from busmark.errors import UserError
from busmark.nodes import Node
from busmark.plan.captured import LOOPBACK, nothing, on_network, pattern
from busmark.plugins.capture import dumpcap
from busmark.plugins.capture.dumpcap.permit import question
from busmark.plugins.capture.hops import decode
from busmark.scenario import CaptureSection, Scenario
from busmark.store import Case

__all__ = ["check", "decode"]


def check(
    scenario: Scenario, cases: Sequence[Case], adapters: Mapping[str, Adapter],
    nodes: Sequence[Node] = (),
) -> None:  # fmt: skip
    """Ask dumpcap here, where cases run here or in a lab, and on these nodes.

    Raises:
        UserError: there is nothing to capture, or it cannot be captured.
    """
    capture = scenario.capture
    planned = [case for case in cases if case.status == "planned"]
    if capture is None or not planned:
        return
    seen = [case for case in planned if on_network(case.params, adapters)]
    if not seen:
        raise UserError(
            nothing(planned[0].params, adapters), where="capture",
            remedy="Leave `capture` out, or measure a transport that uses the network: `busmark "
            "adapters` lists them.",
        )  # fmt: skip
    _check_here(scenario, capture, seen, adapters)
    remote = [case for case in seen if case.params.network == "nodes"]
    for node in nodes if remote else ():
        text, interface = pattern(capture, remote[0].params, adapters), node.facts.address.interface
        where = f"nodes.{node.name}"
        if reason := dumpcap.refusal(node.asked(question(interface, text)), interface, text, where):
            raise reason


def _check_here(
    scenario: Scenario, capture: CaptureSection, seen: Sequence[Case],
    adapters: Mapping[str, Adapter],
) -> None:  # fmt: skip
    asked = {
        # A lab's interfaces are not there yet.
        (scenario.run.interface if case.params.writer_on is None else LOOPBACK,
         pattern(capture, case.params, adapters))
        for case in seen if case.params.network != "nodes"
    }  # fmt: skip
    for interface, text in sorted(asked):
        dumpcap.check(interface, text)
