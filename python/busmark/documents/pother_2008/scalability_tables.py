"""Scalability in the terms of the slides: throughput by reader, application, node and system, and
what it costs nodes."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.compare.campaign import Campaign
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.places import THERE, by_middleware
from busmark.documents.select import parameters
from busmark.documents.table import Table
from busmark.estimate.case import CaseSummary
from busmark.estimate.levels import Scope
from busmark.model.figure import Figure
from busmark.model.text import ABSENT, count, number

LEVELS: dict[Scope, str] = {
    "reader": "reader", "participant": "application", "node": "node", "system": "system",
}  # fmt: skip
CONFIGURATION = (
    "Applications of a node", "Size, B", "Frequency, Hz", "Reliability", "Latency budget, ms",
)  # fmt: skip
THROUGHPUT = (*CONFIGURATION, *(name.capitalize() for name in LEVELS.values()))
TRAFFIC = (
    *CONFIGURATION, "Written by all, kB/s", "Sent by all nodes, kB/s",
    "Received by all nodes, kB/s", "Samples per packet", "CPUs busy",
)  # fmt: skip


def scalability_tables(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """Throughput and traffic of each middleware."""
    found = []
    for name, alike in by_middleware(campaign, cases).items():
        found.append(
            Table(
                group=f"{name}: scalability",
                title="Throughput, calculated / read, kB/s",
                columns=THROUGHPUT,
                rows=tuple(_throughput(case) for case in alike),
                note="Bodies; means of the members of a level. 4 nodes; each application has a "
                "writer and three readers of each of 10 topics.",
            )
        )
        found.append(
            Table(
                group=f"{name}: scalability",
                title="Traffic and load",
                columns=TRAFFIC,
                rows=tuple(_traffic(case) for case in alike),
                note="Sent and received: by the interfaces of all nodes together, with headers, "
                "acknowledgements and discovery. Samples per packet: written over sent packets.",
            )
        )
    return found


def _configuration(case: CaseSummary) -> tuple[str, ...]:
    flat = parameters(case)
    budget = flat.get("qos.latency_budget_s")
    return (
        count(flat["applications"]),
        ABSENT if case.size is None else count(case.size),
        number(flat["rate_hz"]) if flat.get("rate_hz") else "full speed",
        str(flat.get("qos.reliability", ABSENT)).replace("_", " "),
        number(budget * 1e3) if budget else "0",
    )


def _throughput(case: CaseSummary) -> tuple[str, ...]:
    known = {level.scope: level for level in case.levels}
    told = []
    for scope in LEVELS:
        level = known.get(scope)
        asked = level.theoretical_bytes_per_s if level else None
        told.append(f"{_kb(asked)} / {_kb(_value(level.read_bytes_per_s if level else None))}")
    return (*_configuration(case), *told)


def _traffic(case: CaseSummary) -> tuple[str, ...]:
    whole = next((each for each in case.nodes if each.scope == "system"), None)
    if whole is None:
        return (*_configuration(case), *(ABSENT for _ in TRAFFIC[len(CONFIGURATION) :]))
    written = _value(whole.written_per_s)
    packed = _value(whole.samples_per_packet)
    busy = _value(whole.cpu)
    return (
        *_configuration(case),
        _kb(None if written is None or case.size is None else written * case.size),
        _kb(_value(whole.tx_bytes_per_s)),
        _kb(_value(whole.rx_bytes_per_s)),
        ABSENT if packed is None else number(packed),
        ABSENT if busy is None else number(busy),
    )


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _kb(bytes_per_s: float | None) -> str:
    return ABSENT if bytes_per_s is None else number(bytes_per_s / 1e3)


def stated_scalability() -> Table:
    """What the slides calculate for their system, and measured."""
    calculated = stated.CALCULATED_KB_PER_S
    rows = [(f"{each}, calculated", number(rate)) for each, rate in calculated.items()]
    return Table(
        group=THERE,
        title="Scalability: 10 applications on each of 4 nodes, 1000 B at 2 Hz",
        columns=("Throughput of bodies", "kB/s"),
        rows=(
            *rows,
            ("system, measured", number(calculated["system"])),
            ("sent by a node, calculated", number(stated.SENT_KB_PER_S)),
            ("received by a node, calculated", number(stated.RECEIVED_KB_PER_S)),
        ),
        note=f"Below 50 % load of CPUs on four blades with two Opterons of 2.4 GHz. {stated.PACKED}"
        " samples are packed together, with a latency budget of 200 ms.",
    )
