"""What a lab's links are really like: seen by traffic from the first node to the last."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from busmark.errors import UserError
from busmark.launcher import DEVNULL, PIPE, Launched, Start, python
from busmark.model.text import percent_text, set_percent_text
from busmark.plugins.lab import probe
from busmark.plugins.lab.lab import Lab
from busmark.processes import Killed, ending

TIMEOUT_S = 120.0
END_S = 20.0
"""Time after the sender's end from which on a receiver that has heard no end will hear none."""
LEAST_PATIENCE_S = 0.1
"""A ping without an answer within this time plus four delays is lost."""
HEADERS_BYTES = 14 + 20 + 8
"""Ethernet, IP and UDP, which a rate limit counts too."""
TOLERANCE = 0.1
"""Relative deviation of a rate or delay that is reported."""
SLACK_S = 2e-4
"""Time that this machine itself may add to a delay before it is reported."""


class LinkMeasurement(BaseModel):
    """The measurement of the link between two nodes."""

    rate_bit_s: float = Field(description="by UDP at full speed, with headers")
    loss: float = Field(description="share of datagrams lost, sent slowly")
    loss_interval: tuple[float, float] = Field(description="95 % (Wilson)")
    datagrams: int = Field(description="sent for it")
    round_trip_median_s: float
    round_trip_p99_s: float
    round_trips: int

    def departures(self, lab: Lab) -> list[str]:
        """Return the differences between the lab and what was asked for."""
        asked, found = lab.links, []
        if asked.rate_bit_s and abs(self.rate_bit_s / asked.rate_bit_s - 1) > TOLERANCE:
            found.append(
                f"the rate is {self.rate_bit_s / 1e6:.4g} Mbit/s, "
                f"asked for were {asked.rate_bit_s / 1e6:g}"
            )
        low, high = self.loss_interval
        if asked.burst:
            # Neighbours share their fate: as many independent ones as there are bursts.
            spread = 4 * (asked.loss * (1 - asked.loss) * 2 * asked.burst / self.datagrams) ** 0.5
            low, high = self.loss - spread, self.loss + spread
        if not low <= asked.loss <= high and abs(self.loss - asked.loss) > TOLERANCE * asked.loss:
            found.append(
                f"{percent_text(self.loss)} of the packets are lost, asked for were "
                f"{set_percent_text(asked.loss)}"
            )
        extra = self.round_trip_median_s - 2 * asked.delay_s
        if abs(extra) > max(SLACK_S, TOLERANCE * 2 * asked.delay_s):
            found.append(
                f"a round trip takes {self.round_trip_median_s * 1e3:.3f} ms, "
                f"asked for were {2e3 * asked.delay_s:g}"
            )
        return found


def measure(lab: Lab) -> LinkMeasurement:
    """Measure the way from the first node to the last, which takes some seconds.

    Raises:
        UserError: nothing gets through.
        Killed: what measures it was killed.
    """
    from scipy.stats import binomtest  # takes a second to load

    times = np.array(_exchange(lab, "ping")[0])
    if not len(times):
        raise _nothing_crosses(lab)
    sent, steady = _exchange(lab, "steady")
    lost = sent - min(steady["count"], sent)
    interval = binomtest(lost, sent).proportion_ci(method="wilson")
    _, flood = _exchange(lab, "flood")
    bits = (flood["count"] - 1) * (probe.FLOOD_BYTES + HEADERS_BYTES) * 8
    return LinkMeasurement(
        rate_bit_s=bits / flood["time_s"] / (1 - lab.links.loss) if flood["time_s"] else 0.0,
        loss=lost / sent,
        loss_interval=(interval.low, interval.high),
        datagrams=sent,
        round_trip_median_s=float(np.median(times)),
        round_trip_p99_s=float(np.quantile(times, 0.99)),
        round_trips=len(times),
    )


def _exchange(lab: Lab, task: str) -> tuple[Any, Any]:
    """Return what the sender and the receiver of this task saw; the receiver of pings has no
    end."""
    first, last = lab.nodes[0], lab.nodes[-1]
    with _probe(lab, last, "answer", lab.address(last)) as receiver:
        receiver.output.readline()
        with _probe(lab, first, task, lab.address(last)) as sender:
            said, complaint = sender.complete(TIMEOUT_S)
        seen = "null"
        if sender.returncode == 0 and task != "ping":
            try:
                seen, complaint = receiver.complete(END_S)
            except TimeoutError:
                raise _nothing_crosses(lab) from None
        for node, end in ((last, receiver), (first, sender)):
            if code := end.returncode:
                text = f"the check of lab {lab.name}, {task} on {node}: {ending(code)}"
                if code < 0:
                    # What was complained of is what its peer met then.
                    raise Killed(text)
                last_words = complaint.strip().rpartition("\n")[2]
                raise UserError(f"{text} {last_words}")
        return json.loads(said), json.loads(seen)


def _nothing_crosses(lab: Lab) -> Exception:
    if lab.complaint:
        return Killed(f"lab {lab.name}: {lab.complaint}")
    return UserError(
        f"no packet crosses the lab {lab.name}",
        remedy=f"Remove it with `busmark lab down {lab.name}` and make it again.",
    )


def _probe(lab: Lab, node: str, *arguments: str) -> Launched:
    # By its path: it needs nothing of this package, which takes long to load.
    command = [
        *lab.prefix(node),
        *python("-I", probe.__file__, *arguments),
        f"{LEAST_PATIENCE_S + 4 * lab.links.delay_s}",
    ]
    return Launched(Start(command), "lab", stdin=DEVNULL, stderr=PIPE)
