"""Tables in the columns of the slides: what was measured, then the figures of the slides."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.entry import PartQuantity
from busmark.model.quantities import parts
from busmark.model.quantities.discovery import (
    CREATION_TIME,
    FIRST_SAMPLE,
    FIRST_SAMPLE_AFTER,
    LOST_BEFORE,
    REPETITIONS,
)
from busmark.model.quantities.stream import LOST, READ, RECEIVED
from busmark.model.text import ABSENT, number
from busmark.plugins.papers.document import (
    Columns,
    Content,
    GroupedTable,
    Part,
    fixed,
    micro,
    table,
)
from busmark.plugins.papers.pother_2008 import published
from busmark.plugins.papers.pother_2008.discovery import between_nodes
from busmark.plugins.papers.pother_2008.places import (
    CLASSES,
    THERE,
    by_middleware,
    middleware,
    part_of,
)
from busmark.plugins.papers.pother_2008.statements import deviation, mean, segment
from busmark.plugins.papers.select import PerRound, parameters


def tables(campaign: Campaign) -> list[GroupedTable]:
    """Return the tables of each experiment that was measured, then the tables of the slides."""
    measured = [c for c in campaign.cases if c.has_pings or c.has_stream or REPETITIONS.value(c)]
    of = {part: [c for c in measured if part_of(c) == part] for part in get_args(Part)}
    trips = [*of["latency"], *of["determinism"]]
    found = [*_jitter(campaign, trips), *(_segments(campaign, case) for case in trips)]
    for part, title, columns, note in MEASURED:
        for name, alike in by_middleware(campaign, of[part]).items():
            found.append(table(f"{name}: {part}", title, columns, alike, note))
    if trips:
        found += [_published_jitter(), *map(_published_segments, published.OUTPUTS)]
    found += [made for part, made in PUBLISHED if of[part]]
    return [*found, *_portability(campaign)] if measured else found


# Latency and determinism.

JITTER: Columns[CaseSummary] = {
    "Class": lambda case: _class(parameters(case).get("fifo")),
    "Transport priority": lambda case: int(parameters(case)["qos.transport_priority"]),
    "Round trip, µs": lambda case: _average(segment("trip", mean)(case)),
    "Jitter (dev), µs": lambda case: _average(segment("trip", deviation)(case)),
    "Rounds": lambda case: len(segment("trip", mean)(case)),
}
SENT = {
    "send source": "Send Source",
    "send": "Send",
    "send arrival": "Send Arrival",
    "echo source": "Echo Source",
    "echo": "Echo",
    "echo arrival": "Echo Arrival",
    "trip": "Trip",
    "inter-arrival": "Inter arrival",
}
"""The slides' words for the segments that they print, in their order."""


def _class(fifo: object) -> str:
    return CLASSES.get(int(str(fifo or 0)), f"real-time {fifo}")


def _average(values: PerRound) -> float | None:
    return micro(sum(values.values()) / len(values)) if values else None


def _jitter(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[GroupedTable]:
    """Return average and deviation of round trips, by class and priority, of each middleware."""
    groups: dict[tuple[str, str], list[CaseSummary]] = {}
    for case in cases:
        where = ["with traffic" if case.params.flows else "alone"]
        where += [case.params.load] if case.params.load else []
        groups.setdefault((middleware(campaign, case), ", ".join(where)), []).append(case)
    return [
        table(
            f"{name}: round trip and jitter",
            f"Round trips at 1000 Hz, {where}",
            JITTER,
            alike,
            "Jitter is the deviation of all trips, as on the slides; mean over rounds.",
        )
        for (name, where), alike in groups.items()
    ]


def _segments(campaign: Campaign, case: CaseSummary) -> GroupedTable:
    """Return the eight segments of the slides; those that were not recorded have no row."""
    flat = parameters(case)
    title = [_class(flat.get("fifo")), f"transport priority {flat['qos.transport_priority']}"]
    title += ["with traffic"] if case.params.flows else []
    title += [case.params.load] if case.params.load else []
    known = {one.name: one for one in case.segment_tables}
    return table(
        f"{middleware(campaign, case)}: segments",
        ", ".join(title),
        {
            "Segment": lambda row: SENT[row[0]],
            "Best": lambda row: f"{row[1].percent:g} %",
            "cnt": lambda row: row[1].count,
            "min, µs": lambda row: micro(row[1].min_ns),
            "avg, µs": lambda row: micro(row[1].mean_ns),
            "max, µs": lambda row: micro(row[1].max_ns),
            "dev, µs": lambda row: micro(row[1].std_ns),
        },
        [(name, best) for name in SENT if name in known for best in known[name].best],
        "All rounds together. The best p % are the smallest p % of each segment by itself. "
        "Source: T1→T2, the call of write. Send, Echo: T2→T3, below zero where a sample was "
        "delivered before the call of write returned. Arrival: T3→T4. Trip: T1→T4.",
    )


def _published_jitter() -> GroupedTable:
    columns: Columns[published.Headline] = {
        "Class": lambda each: _class(each.fifo),
        "Transport priority": lambda each: each.priority,
        "Round trip, µs": lambda each: each.round_trip,
        "Jitter (dev), µs": lambda each: f"< {number(each.jitter)}",
        "Rounds": lambda each: None,
    }
    return table(
        THERE,
        "Network latency figures on Linux",
        columns,
        published.HEADLINES,
        "Two Linux hosts of 2008 and their network. The last row is the slide's headline; the "
        "output next to it has an average of 340 µs.",
    )


def _published_segments(output: published.Output) -> GroupedTable:
    columns: Columns[published.Line] = {
        "Segment": lambda line: SENT[line.segment],
        "Best": lambda line: f"{line.percent:g} %",
        "cnt": lambda line: line.count,
        "min, µs": lambda line: line.least,
        "avg, µs": lambda line: line.average,
        "max, µs": lambda line: line.greatest,
        "dev, µs": lambda line: fixed(line.deviation, 2),
    }
    return table(
        THERE,
        f"Output of the transceiver: {output.title.lower()}",
        columns,
        output.lines,
        "Send and Echo are left out: they were between two clocks 7.28 s apart. Rows that the "
        "published text has damaged are missing.",
    )


# API compliance and portability.


def _has(key: str, value: str) -> Callable[[Mapping[str, Any]], Content]:
    def declared(adapter: Mapping[str, Any]) -> Content:
        listed = adapter.get(key)
        return None if listed is None else "yes" if value in listed else "no"

    return declared


def _number(key: str) -> Callable[[Mapping[str, Any]], Content]:
    return lambda adapter: None if adapter.get(key) is None else len(adapter[key])


def _meeting(adapter: Mapping[str, Any]) -> Content:
    features = adapter.get("features")
    if features is None:
        return None
    if "server" in features:
        # Where a server is one way of several, an option chooses it.
        keys = {option.get("key") for option in adapter.get("options") or []}
        return "none; a server where `discovery` asks for it" if "discovery" in keys else "a server"
    carried = {"locators", "writer_locators"}.intersection(features)
    return "locators, which Busmark carries" if carried else "none"


PORTABILITY: Columns[Mapping[str, Any]] = {
    "Middleware": lambda adapter: adapter.get("title"),
    "Required App. Transport Config": _meeting,
    "Key Declaration": _has("features", "keys"),
    "WaitSets": _has("waits", "waitset"),
    "Listeners": _has("waits", "listener"),
    "QoS policies": _number("qos"),
    "Changed in use": _number("qos_mutable"),
}


def _portability(campaign: Campaign) -> list[GroupedTable]:
    """Return what adapters declare, and the slide of three products."""
    declared = [
        {**each, "title": each.get("title") or name}
        for name, each in campaign.adapters.items()
        if name != "null"
    ]
    columns: Columns[published.Compliance] = {
        "Property": lambda row: row.title,
        "DDS1": lambda row: row.dds1,
        "DDS2": lambda row: row.dds2,
        "DDS3": lambda row: row.dds3,
    }
    title = "API compliance and portability"
    return [
        table(
            title,
            "Declared by the adapters",
            PORTABILITY,
            declared,
            "`busmark adapters --table` has every property, and which of them the conformance "
            "suite has proved; `busmark bus` shows and changes entities, QoS and data of "
            "participants that run.",
        ),
        *_interfaces(campaign),
        table(THERE, title, columns, published.COMPLIANCE),
    ]


def _interfaces(campaign: Campaign) -> list[GroupedTable]:
    """Return the rows of the slides for the interfaces to which the adapters are written."""
    known = tomllib.loads(Path(__file__).with_name("api.toml").read_text(encoding="utf-8"))
    names = dict.fromkeys(known["same_as"].get(name, name) for name in campaign.adapters)
    own = [name for name in names if name in known["language"]]
    if not own:
        return []
    columns: Columns[Mapping[str, str]] = {
        "Slide": lambda row: row["slide"],
        "Property": lambda row: row["title"],
        **{
            f"{name}: {known['language'][name]}": lambda row, name=name: row[name]  # type: ignore[misc]
            for name in own
        },
    }
    note = (
        "The programming interface that each adapter uses, as its headers and documents have it; "
        "middleware that is no DDS, and adapters by sockets, have none of this."
    )
    return [table("API compliance and portability", "The interfaces", columns, known["row"], note)]


# Throughput and scalability.


def _rate(case: CaseSummary) -> Content:
    return case.params.rate_hz or "full speed"


def _read(case: CaseSummary) -> float | None:
    return case.whole.value(READ)


def _ends(*names: str) -> Callable[[CaseSummary], Content]:
    def value(case: CaseSummary) -> Content:
        one, other = (parameters(case).get(name) or 1 for name in names)
        return int(one * other)

    return value


def _history(case: CaseSummary) -> Content:
    flat = parameters(case)
    history = str(flat.get("qos.history", ABSENT)).replace("_", "-")
    return f"{history} {flat.get('qos.depth', 1)}" if history == "keep-last" else history


def _theoretical(case: CaseSummary) -> Content:
    received, lost, read = RECEIVED.value(case), LOST.value(case), _read(case)
    if read is None or not received or lost is None:
        return None
    return round(read * (received + lost) / received)


def _read_mb_per_s(case: CaseSummary) -> Content:
    read = _read(case)
    return None if read is None or not case.size else read * case.size / 1e6


def _read_per_s(case: CaseSummary) -> Content:
    read = _read(case)
    return None if read is None else round(read)


THROUGHPUT: Columns[CaseSummary] = {
    "Size, B": lambda case: case.size,
    "Frequency, Hz": _rate,
    "Transmitters": _ends("publishers", "writers"),
    "Receivers": _ends("subscribers", "readers"),
    "History": _history,
    "Theoretical, samples/s": _theoretical,
    "Read, samples/s": _read_per_s,
    "Lost": lambda case: LOST.value(case) if case.has_stream else None,
    "Read, MB/s": _read_mb_per_s,
}


def _budget(case: CaseSummary) -> Content:
    budget = parameters(case).get("qos.latency_budget_s")
    return float(budget) * 1e3 if budget else 0


CONFIGURATION: Columns[CaseSummary] = {
    "Applications of a node": lambda case: case.params.applications,
    "Size, B": lambda case: case.size,
    "Frequency, Hz": _rate,
    "Reliability": lambda case: str(parameters(case).get("qos.reliability", ABSENT)).replace(
        "_", " "
    ),
    "Latency budget, ms": _budget,
}
LEVELS = {
    "Reader": "reader",
    "Application": "participant",
    "Node": "node",
    "System": "system",
}


def _level(scope: str) -> Callable[[CaseSummary], Content]:
    def value(case: CaseSummary) -> Content:
        level = next((each for each in case.parts("level") if each.of == scope), None)
        calculated = level.value(parts.THEORETICAL_BYTES) if level else None
        read = level.figure(parts.READ_BYTES) if level else None
        return f"{number(micro(calculated))} / {number(micro(read))}"

    return value


def _of_all(
    quantity: PartQuantity, factor: Callable[[CaseSummary], float]
) -> Callable[..., Content]:
    """Return a figure of all nodes together."""

    def value(case: CaseSummary) -> Content:
        whole = next((each for each in case.parts("system") if each.row(parts.PARTICIPANTS)), None)
        found = whole.figure(quantity) if whole else None
        return found.value * factor(case) if found else None

    return value


TRAFFIC: Columns[CaseSummary] = {
    **CONFIGURATION,
    "Written by all, kB/s": _of_all(parts.WRITE_RATE, lambda case: (case.size or 0) / 1e3),
    "Sent by all nodes, kB/s": _of_all(parts.TX_BYTES, lambda _: 1e-3),
    "Received by all nodes, kB/s": _of_all(parts.RX_BYTES, lambda _: 1e-3),
    "Samples per packet": _of_all(parts.SAMPLES_PER_PACKET, lambda _: 1.0),
    "CPUs busy": _of_all(parts.CPU, lambda _: 1.0),
}


# Discovery.

CREATED = {"entity": "", "participant": " with participant"}


def _side(after_us: float | None) -> Content:
    """Return such as "237 before" or "7 after"; None where it is not known."""
    if after_us is None:
        return None
    return f"{number(abs(after_us))} {'before' if after_us < 0 else 'after'}"


def _new(case: CaseSummary) -> Content:
    params = case.params
    return f"{params.new}{CREATED.get(str(params.creates), '')}"


DISCOVERY: Columns[CaseSummary] = {
    "New": _new,
    "Where": lambda case: "between nodes" if between_nodes(case) else "within one node",
    "Loss of the link": lambda case: case.params.link_loss or "none",
    "Existing endpoints": lambda case: case.params.existing or 0,
    "Creation-time, µs": lambda case: micro(CREATION_TIME.figure(case)),
    "Discovery-time, µs": lambda case: micro(FIRST_SAMPLE.figure(case)),
    "So discovered, µs": lambda case: _side(micro(FIRST_SAMPLE_AFTER.figure(case))),
    "Lost before discovered": LOST_BEFORE.figure,
}
DISCOVERED: Columns[published.DiscoveryTimes] = {
    "New": lambda each: f"{each.new}{CREATED[each.creates]}",
    "Where": lambda each: each.where,
    "Creation-time, µs": lambda each: each.creation,
    "Discovery-time, µs": lambda each: each.discovery,
    "So discovered, µs": lambda each: _side(each.discovery - each.creation),
    "Lost before discovered": lambda each: each.lost,
}


MEASURED: tuple[tuple[Part, str, Columns[CaseSummary], str], ...] = (
    ("throughput", "Theoretical and read, at all receivers together", THROUGHPUT,
     "Theoretical: what the receivers would have read had nothing been lost, by the sequence "
     "numbers: read × (received + lost) / received. MB/s: 10⁶ B/s of bodies."),
    ("discovery", "Writer and reader discovery, writer at 1000 Hz, 40 bytes", DISCOVERY,
     "Times of a typical round, from the start of creation; discovery: to the first sample "
     "received. So discovered: from the end of creation. Lost: mean of all repetitions."),
    ("scalability", "Throughput, calculated / read, kB/s",
     {**CONFIGURATION, **{title: _level(scope) for title, scope in LEVELS.items()}},
     "Bodies; means of the members of a level. 4 nodes; each application has a writer and three "
     "readers of each of 10 topics."),
    ("scalability", "Traffic and load", TRAFFIC,
     "Sent and received: by the interfaces of all nodes together, with headers, acknowledgements "
     "and discovery. Samples per packet: written over sent packets."),
)  # fmt: skip
"""Tables of each middleware: experiment, title, columns, note."""

_RATE: Columns[tuple[str, float]] = {
    "Throughput of bodies": lambda row: row[0],
    "kB/s": lambda row: row[1],
}
_OF_MACHINE: Columns[tuple[str, float]] = {
    "Machine": lambda row: row[0],
    "Read, MB/s": lambda row: row[1],
}

PUBLISHED: tuple[tuple[Part, GroupedTable], ...] = (
    ("throughput", table(
        THERE, "Aggregate throughput of one node", _OF_MACHINE,
        published.AGGREGATE_MB_PER_S.items(),
        "All receivers of the node together; the slides do not give their number or sizes.")),
    ("discovery", table(
        THERE, "Writer and reader discovery, writer at 1000 Hz, 40 bytes", DISCOVERED,
        (*published.CLUSTER, *published.SPOTTED),
        "A Linux cluster; and what the spotter printed on Windows XP, which does not say whether "
        "participants were created.")),
    ("scalability", table(
        THERE, "Scalability: 10 applications on each of 4 nodes, 1000 B at 2 Hz", _RATE,
        (
            *((f"{each}, calculated", rate)
              for each, rate in published.CALCULATED_KB_PER_S.items()),
            ("system, measured", published.CALCULATED_KB_PER_S["system"]),
            ("sent by a node, calculated", published.SENT_KB_PER_S),
            ("received by a node, calculated", published.RECEIVED_KB_PER_S),
        ),
        "Below 50 % load of CPUs on four blades with two Opterons of 2.4 GHz. "
        f"{published.PACKED} samples are packed together, with a latency budget of 200 ms.")),
)  # fmt: skip
"""Figures of the slides, by experiment; of latency see above."""
