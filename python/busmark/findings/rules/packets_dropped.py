"""Packets that were dropped before any socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.carriers import LOCAL, carrier
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

WHERE = {
    "softnet_drops": "by the backlog of a CPU",
    "rx_drops": "by an interface in receiving",
    "tx_drops": "by an interface in sending",
}


def check_case(view: CaseView) -> Iterator[Observation]:
    if carrier(view.capabilities, view.params.transport) in LOCAL:
        return  # nothing of it was a packet of this case
    dropped = {column: sum(view.system(column).values()) for column in WHERE}
    total = sum(dropped.values())
    if total > 0:
        told = ", ".join(f"{whole(n)} {WHERE[column]}" for column, n in dropped.items() if n)
        lost = whole(view.total("lost"))
        rounds = count(view.finished.height, "round")
        yield Observation(
            "warning" if view.total("lost") else "note",
            f"{told} in {rounds}; {lost} samples lost",
            weight=total,
        )


RULE = Rule(
    id="packets-dropped",
    title="The kernel dropped packets",
    cause="They came faster than a CPU took them off its backlog, or than an interface could send "
    "(/proc/net/softnet_stat, /proc/net/dev). An interface also counts here what nobody on this "
    "machine listens to.",
    remedy="Lower the rate; or raise the backlog: `sudo sysctl -w "
    "net.core.netdev_max_backlog=10000`; or the interface's rings: `sudo ethtool -G IFACE rx 4096 "
    "tx 4096`.",
    check_case=check_case,
    explains=("loss-under-reliable", "rounds-lost"),
    concerns=("lost", "goodput_mbit_per_s"),
)
