"""Tables in the columns of the slides, the slides' own figures among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from busmark.compare.campaign import Campaign
from busmark.documents.document import Part
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.discovery_tables import discovery_tables, stated_discovery
from busmark.documents.pother_2008.latency import deviation, leg, mean
from busmark.documents.pother_2008.places import (
    CLASSES,
    THERE,
    by_middleware,
    middleware,
    part_of,
)
from busmark.documents.pother_2008.scalability_tables import (
    scalability_tables,
    stated_scalability,
)
from busmark.documents.select import parameters
from busmark.documents.table import Table
from busmark.documents.values import PerRound
from busmark.estimate.case import CaseSummary
from busmark.model.text import ABSENT, count, number

LEGS = ("Leg", "Best", "cnt", "min, µs", "avg, µs", "max, µs", "dev, µs")
JITTER = ("Class", "Transport priority", "Round trip, µs", "Jitter (dev), µs", "Rounds")
THROUGHPUT = (
    "Size, B", "Frequency, Hz", "Transmitters", "Receivers", "History", "Theoretical, samples/s",
    "Read, samples/s", "Lost", "Read, MB/s",
)  # fmt: skip

SENT = {"send source": "Send Source", "send": "Send", "send arrival": "Send Arrival",
        "echo source": "Echo Source", "echo": "Echo", "echo arrival": "Echo Arrival",
        "trip": "Trip", "inter-arrival": "Inter arrival"}  # fmt: skip
"""The slides' words for the legs that they print, in their order."""


def tables(campaign: Campaign) -> list[Table]:
    """Tables of each experiment that was measured, followed by what the slides have."""
    measured = [c for c in campaign.cases if c.latency or c.throughput or c.discovery]
    of = {part: [c for c in measured if part_of(c) == part] for part in get_args(Part)}
    found = [*_jitter(campaign, [*of["latency"], *of["determinism"]])]
    found += [_legs(campaign, case) for case in (*of["latency"], *of["determinism"])]
    found += _throughput(campaign, of["throughput"])
    found += discovery_tables(campaign, of["discovery"])
    found += scalability_tables(campaign, of["scalability"])
    if of["latency"] or of["determinism"]:
        found += [_stated_jitter(), *map(_stated_legs, stated.OUTPUTS)]
    if of["throughput"]:
        found.append(_stated_throughput())
    if of["discovery"]:
        found.append(stated_discovery())
    if of["scalability"]:
        found.append(stated_scalability())
    return found


def _class(fifo: object) -> str:
    return CLASSES.get(int(str(fifo or 0)), f"real-time {fifo}")


def _configuration(case: CaseSummary) -> str:
    flat = parameters(case)
    told = [_class(flat.get("fifo")), f"transport priority {flat['qos.transport_priority']}"]
    load = case.params.load
    beside = ["beside traffic"] if case.params.flows else []
    return ", ".join([*told, *beside, *([load] if load else [])])


def _jitter(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """Average and deviation of round trips, by class and priority, of each middleware."""
    found = []
    groups: dict[tuple[str, str], list[CaseSummary]] = {}
    for case in cases:
        beside = "beside traffic" if case.params.flows else "alone"
        load = case.params.load
        where = f"{beside}, {load}" if load else beside
        groups.setdefault((middleware(campaign, case), where), []).append(case)
    for (name, where), alike in groups.items():
        found.append(
            Table(
                group=f"{name}: round trip and jitter",
                title=f"Round trips at 1000 Hz, {where}",
                columns=JITTER,
                rows=tuple(_jitter_row(case) for case in alike),
                note="Jitter is the deviation of all trips, as on the slides; mean over rounds.",
            )
        )
    return found


def _jitter_row(case: CaseSummary) -> tuple[str, ...]:
    flat = parameters(case)
    trips, jitter = leg("trip", mean)(case), leg("trip", deviation)(case)
    return (
        _class(flat.get("fifo")), str(flat["qos.transport_priority"]), _average(trips),
        _average(jitter), str(len(trips)),
    )  # fmt: skip


def _average(values: PerRound) -> str:
    return number(sum(values.values()) / len(values) / 1e3) if values else ABSENT


def _legs(campaign: Campaign, case: CaseSummary) -> Table:
    """The eight legs of the slides; those that were not recorded have no row."""
    known = {one.name: one for one in (case.latency.leg_tables if case.latency else ())}
    rows = [
        (SENT[name], f"{part.percent:g} %", count(part.count),
         *(number(ns / 1e3) for ns in (part.min_ns, part.mean_ns, part.max_ns)),
         ABSENT if part.std_ns is None else number(part.std_ns / 1e3))
        for name in SENT if name in known for part in known[name].best
    ]  # fmt: skip
    return Table(
        group=f"{middleware(campaign, case)}: legs",
        title=_configuration(case),
        columns=LEGS,
        rows=tuple(rows),
        note="All rounds together. The best p % are the smallest p % of each leg by itself. "
        "Source: T1→T2, the call of write. Send, Echo: T2→T3. Arrival: T3→T4. Trip: T1→T4.",
    )


def _stated_jitter() -> Table:
    return Table(
        group=THERE,
        title="Network latency figures on Linux",
        columns=JITTER,
        rows=tuple(
            (_class(each.fifo), str(each.priority), number(each.round_trip),
             f"< {number(each.jitter)}", ABSENT)
            for each in stated.HEADLINES
        ),
        note="Two Linux hosts of 2008 and their network. The last row is the slide's headline; the "
        "output beside it has an average of 340 µs.",
    )  # fmt: skip


def _stated_legs(output: stated.Output) -> Table:
    return Table(
        group=THERE,
        title=f"Output of the transceiver: {output.title.lower()}",
        columns=LEGS,
        rows=tuple(
            (SENT[line.leg], f"{line.percent:g} %", count(line.count), str(line.least),
             str(line.average), str(line.greatest),
             ABSENT if line.deviation is None else f"{line.deviation:.2f}")
            for line in output.lines
        ),
        note="Send and Echo are left out: they were between two clocks 7.28 s apart. Rows that the "
        "published text has damaged are missing.",
    )  # fmt: skip


def _throughput(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    return [
        Table(
            group=f"{name}: throughput",
            title="Theoretical and read, at all receivers together",
            columns=THROUGHPUT,
            rows=tuple(_throughput_row(case) for case in alike),
            note="Theoretical: what the receivers would have read had nothing been lost, by the "
            "sequence numbers: read × (received + lost) / received. MB/s: 10⁶ B/s of bodies.",
        )
        for name, alike in by_middleware(campaign, cases).items()
    ]


def _throughput_row(case: CaseSummary) -> tuple[str, ...]:
    of, flat = case.throughput, parameters(case)
    assert of is not None
    read = of.samples_per_s.value if of.samples_per_s else None
    theoretical = None
    if read is not None and of.received and of.lost is not None:
        theoretical = read * (of.received + of.lost) / of.received
    history = str(flat.get("qos.history", ABSENT)).replace("_", "-")
    depth = f" {flat.get('qos.depth', 1)}" if history == "keep-last" else ""
    return (
        ABSENT if case.size is None else count(case.size),
        number(flat["rate_hz"]) if flat.get("rate_hz") else "full speed",
        str((flat.get("publishers") or 1) * (flat.get("writers") or 1)),
        str((flat.get("subscribers") or 1) * (flat.get("readers") or 1)),
        history + depth,
        ABSENT if theoretical is None else count(round(theoretical)),
        ABSENT if read is None else count(round(read)),
        ABSENT if of.lost is None else count(of.lost),
        ABSENT if read is None or not case.size else number(read * case.size / 1e6),
    )


def _stated_throughput() -> Table:
    return Table(
        group=THERE,
        title="Aggregate throughput of one node",
        columns=("Machine", "Read, MB/s"),
        rows=tuple((name, number(rate)) for name, rate in stated.AGGREGATE_MB_PER_S.items()),
        note="All receivers of the node together; the slides do not give their number or sizes.",
    )
