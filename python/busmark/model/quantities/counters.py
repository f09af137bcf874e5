"""What the kernel counted of memory and of the network while a case was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from busmark.model.entry import Explained, Number

if TYPE_CHECKING:
    pass


class Counter(NamedTuple):
    """A counter: a column of the table `system`."""

    column: str
    scope: str
    """Scope of the rows that have it."""
    title: str
    meaning: str
    unit: str = ""
    is_trouble: bool = False
    """Whether a report mentions it where it is not 0."""

    @property
    def name(self) -> str:
        """Name of the quantity in the table of estimates."""
        return self.column

    @property
    def statistic(self) -> str:
        """Statistic over rounds: a sum."""
        return "count"


COUNTERS = (
    Counter("swap_in_pages", "host", "Pages from swap", "pages that the host brought in from swap",
            is_trouble=True),
    Counter("swap_out_pages", "host", "Pages to swap", "pages that the host put into swap",
            is_trouble=True),
    Counter("softnet_drops", "host", "Packets dropped before sockets",
            "packets dropped from the backlog of a CPU", is_trouble=True),
    Counter("udp_in_datagrams", "network", "UDP datagrams in", "UDP datagrams delivered"),
    Counter("udp_out_datagrams", "network", "UDP datagrams out", "UDP datagrams sent"),
    Counter("udp_rcvbuf_errors", "network", "UDP drops (receive buffer)",
            "UDP datagrams dropped because a receive buffer was full, at all sockets of the "
            "participants' networks, whoever owns them", is_trouble=True),
    Counter("udp_sndbuf_errors", "network", "UDP drops (send buffer)",
            "UDP datagrams not sent because a send buffer was full", is_trouble=True),
    Counter("udp_in_errors", "network", "UDP errors in",
            "UDP datagrams that could not be delivered, for any reason"),
    Counter("tcp_in_segments", "network", "TCP segments in", "TCP segments received"),
    Counter("tcp_segments", "network", "TCP segments out",
            "TCP segments sent, without retransmissions"),
    Counter("tcp_retransmits", "network", "TCP retransmissions", "TCP segments retransmitted",
            is_trouble=True),
    Counter("rx_bytes", "interface", "Interfaces in", "bytes received by interfaces", "B"),
    Counter("rx_packets", "interface", "Interface packets in", "packets received by interfaces"),
    Counter("rx_errors", "interface", "Interface errors in", "packets received damaged",
            is_trouble=True),
    Counter("rx_drops", "interface", "Interface drops in", "packets received and dropped",
            is_trouble=True),
    Counter("tx_bytes", "interface", "Interfaces out", "bytes sent by interfaces", "B"),
    Counter("tx_packets", "interface", "Interface packets out", "packets sent by interfaces"),
    Counter("tx_errors", "interface", "Interface errors out", "packets that could not be sent",
            is_trouble=True),
    Counter("tx_drops", "interface", "Interface drops out", "packets dropped instead of sent",
            is_trouble=True),
)  # fmt: skip

EXPLAINED = Explained(
    "Counters of the system",
    (),
    "What the kernel counted of swap, UDP, TCP and interfaces while the case was measured, in all "
    "rounds that count. Interfaces are all of the participants' networks, loopback among them.",
    "sum over the intervals that lie within the measured time, by nine tenths at least; null where "
    "a part of it is not known",
    "`system`",
    "Whose traffic and whose memory it was: other programs on the machine and in its networks "
    "count as well, so tables of cases have none of them. What the ends of a round add, before the "
    "first reading and after the last.",
    section="Resources",
)


OF_CASES = tuple(
    Number(
        key=one.column,
        unit=one.unit,
        meaning=f"{one.meaning}, in the measured time of the rounds that count",
        needs="system",
        frames=False,
        explained=(EXPLAINED,),
    )
    for one in COUNTERS
)
"""Quantities in the order of tables."""
