"""The tables of cases: a table for each test and placement, a row for each case.

Columns come from the tables of quantities and statistics (`model`); what is the same in all rows
stands once below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from busmark.compare.campaign import Campaign
from busmark.compare.ranking import Group
from busmark.estimate.resources import loads_text, shares_text
from busmark.findings.registry import Flag, Flags, by_case, kinds
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.entry import SEARCHES, EstimatedQuantity, LatencySet, Number, Statistic
from busmark.model.naming import NAME, described, flatten, named_workloads, placement_short
from busmark.model.quantities.counters import COUNTERS
from busmark.model.quantities.host import UDP_SOCKET_DROPS
from busmark.model.quantities.latency import (
    HALF_ROUND_TRIP,
    ONE_WAY,
    PROBES_LOST,
    RESPONSE_TIME,
)
from busmark.model.quantities.parts import LOAD_ACHIEVED, LOAD_ROUNDS
from busmark.model.quantities.stream import BATCHES, LOST
from busmark.model.statistics import REPORTED
from busmark.model.stream import SEARCHED
from busmark.present import layout, same_in_all
from busmark.present.blocks.imported import reported_means
from busmark.present.blocks.rows import cell_of, fact, null_elsewhere
from busmark.present.document import ABSENT, Cell, Column, Row, Section, Table, Text
from busmark.present.figures import lost_text

TITLES = {
    "latency": "Round-trip latency",
    "throughput": "Throughput",
    "capacity": "Sustained throughput",
    "discovery": "Discovery",
    "service": "Response time",
    "service-capacity": "Sustained rate of requests",
    "action": "Actions",
}

OF_GOALS = (
    "from when a goal was to be sent; “− goal time”: less the time that a goal takes; the server "
    "publishes the first feedback at once"
)

TAIL = 50.0
"""Percentiles above this are called the tail."""

MOST_NAMED = 6
"""Rows named that are not complete for one reason."""

NUMBER = re.compile(r"\d[\d\N{NARROW NO-BREAK SPACE}.]*(?: samples?)?")
"""Numbers and counts in which two texts of the same reason may differ."""

Concerns = tuple[str, ...]
"""A column's figure, by the names that rules of findings have for it."""


def cases(campaign: Campaign) -> Iterator[Section]:
    """Return a section for each test and placement; unsupported cases are in none."""
    by_id = {case.id: case for case in campaign.cases}
    found, notes = by_case(kinds(campaign.findings)), list[Text]()
    for group in campaign.groups:
        heading = f"{TITLES.get(group.test, group.test)} {group.title}"
        blocks = list(_blocks(group, by_id, campaign, found))
        for place, block in enumerate(blocks):
            if isinstance(block, Table):
                # A note of a table before holds for this one, too.
                blocks[place] = replace(block, notes=[n for n in block.notes if n not in notes])
                notes += block.notes
        yield Section(heading, blocks)


def _blocks(
    group: Group, by_id: Mapping[str, CaseSummary], campaign: Campaign, found: Mapping[str, Flags]
) -> Iterator[Table | Text]:
    """Yield what is the same in all rows, the table, and why a row is not complete."""
    cases = _with_floors(group, by_id)
    made: list[tuple[Column, Concerns]] = [
        (Column(label_title(cases), [Cell(c.label, label=c.label) for c in cases], "label"), ())
    ]
    made += _dimensions(cases, "workload")
    choices = _dimensions(cases, "choices")
    made += [each for each in choices if not each[0].detail]
    made += _ways_of_services(cases, campaign)
    test = group.test if group.test in TITLES else "latency"
    made += _measured(test, cases)
    made += [
        (Column(title, [cell_of(one) for one in figures], "figure", "ns"), ())
        for title, figures in reported_means(cases).items()
    ]
    if any(load.value(LOAD_ROUNDS) for case in cases for load in case.parts("load")):
        made.append((Column("Load achieved", [_load(case) for case in cases]), ("load",)))
    made += _quantities(test, cases, behind=True)
    counted = "Trials" if group.test in SEARCHES else "Rounds"
    made.append((Column(counted, [_rounds(case) for case in cases], "count"), ("rounds",)))
    made += [each for each in choices if each[0].detail]
    if campaign.source is not None:
        # What a tool does not measure has no column.
        made = [
            each
            for each in made
            if each[0].kind != "figure" or any(cell != ABSENT for cell in each[0].cells)
        ]
    counts = not any(case.rounds.marked or case.rounds.failed for case in cases)
    facts = {each[0].title: fact for each in made if (fact := _fact(each[0], all_count=counts))}
    absences, without = _absences([column for column, _ in made])
    made = [each for each in made if each[0].title not in {*facts, *without}]
    columns = _marked(cases, made, found)
    groups = _row_groups(cases)
    rows = [
        Row(
            "floor" if case.is_floor else "baseline" if case.is_baseline else "",
            groups.get(case.id, ""),
            case.id,
            "" if case.status == "ok" else case.status.replace("_", " "),
        )
        for case in cases
    ]
    captions = (_fitting(each, columns) for each in _notes(group, cases, campaign))
    notes = [*filter(None, captions), *_legend(cases, found)]
    yield from _alike(group, cases, facts)
    yield Table(columns, rows, notes=notes, key=f"{group.test}-{group.placement}".replace(",", "-"))
    yield from (*absences, *remarks(cases))


def _row_groups(cases: Sequence[CaseSummary]) -> dict[str, str]:
    """Return the heading above the rows of a case's workload: its name with what that stands for,
    else its size where there are several."""
    named = named_workloads(flatten(case.params) for case in cases if not case.is_floor)
    if named:
        return {
            case.id: f"{name}: {named[name]}" if name in named else ""
            for case in cases
            if (name := case.workload.get(NAME, ""))
        }
    several = len({case.size for case in cases}) > 1
    return {case.id: text.size_text(case.size) for case in cases if several}


def goes_by_topics(case: CaseSummary, campaign: Campaign) -> bool:
    """Return whether services of the case go by two topics, because its adapter has none."""
    features = campaign.adapters.get(case.adapter, {}).get("features") or ()
    has_services = case.has_requests or (case.test == "action" and bool(case.rounds.ok))
    return has_services and "services" not in features


def _ways_of_services(
    cases: Sequence[CaseSummary], campaign: Campaign
) -> Iterator[tuple[Column, Concerns]]:
    """Yield whose services these are, where they differ in that."""
    ways = ["by two topics" if goes_by_topics(case, campaign) else "its own" for case in cases]
    if len(set(ways)) > 1:
        yield Column("Service", [Cell(way) for way in ways]), ()


def label_title(cases: Sequence[CaseSummary]) -> str:
    """Return the heading of a column of labels: what they are."""
    titles = [case.label_title for case in cases if not case.is_floor]
    return max(titles, key=len, default="Middleware")


def _with_floors(group: Group, by_id: Mapping[str, CaseSummary]) -> list[CaseSummary]:
    """Return the group's cases; each floor follows the last case of its size."""
    cases = [by_id[case] for case in group.cases]
    floors = [by_id[case] for case in group.floors]
    ordered: list[CaseSummary] = []
    for index, case in enumerate(cases):
        ordered.append(case)
        if index + 1 == len(cases) or cases[index + 1].size != case.size:
            ordered += [floor for floor in floors if floor.size == case.size]
    known = {case.id for case in ordered}
    return ordered + [floor for floor in floors if floor.id not in known]


def _dimensions(
    cases: Sequence[CaseSummary], attribute: Literal["workload", "choices"]
) -> list[tuple[Column, Concerns]]:
    """Return what varies between the cases; the size is part of the workload."""
    compared = [case for case in cases if not case.is_floor] or list(cases)
    columns: list[tuple[Column, Concerns]] = []
    if attribute == "workload" and len(cases) == 1 and cases[0].size is not None:
        size = Cell(cases[0].size, text=text.size_text(cases[0].size), unit="B")
        columns.append((Column("Size", [size], "count"), ()))
    for name in dict.fromkeys(name for case in compared for name in getattr(case, attribute)):
        values = [getattr(case, attribute).get(name, text.ABSENT) for case in cases]
        if name == NAME:
            continue  # It stands above its rows.
        if len({v for v, c in zip(values, cases, strict=True) if not c.is_floor}) > 1:
            minor = attribute == "choices" and name not in same_in_all.SEEN
            cells = [Cell(note="not set") if v == text.ABSENT else Cell(v) for v in values]
            columns.append((Column(name.capitalize(), cells, detail=minor), ()))
    return columns


def _measured(test: str, cases: Sequence[CaseSummary]) -> Iterator[tuple[Column, Concerns]]:
    """Yield what the tables of quantities and statistics have for a table of this test."""
    if test == "latency":
        yield from _statistics(cases, HALF_ROUND_TRIP)
    if test == "service":
        yield from _statistics(cases, RESPONSE_TIME)
    if test == "throughput" and {c.answer for c in cases} == {"latency"}:
        # They are ranked by it, and shown where there is room for little.
        yield from ((replace(c, detail=False), of) for c, of in _statistics(cases, ONE_WAY))
        for column, of in _quantities(test, cases, behind=False):
            yield replace(column, detail=column.title != same_in_all.LOST), of
        return
    yield from _quantities(test, cases, behind=False)
    if test == "throughput":
        yield from _statistics(cases, ONE_WAY)
    if test in SEARCHES:
        known = [case.capacity for case in cases]
        confirmed = [
            Cell(k.confirmed, text=f"{k.confirmed} of {k.confirm}") if k else ABSENT for k in known
        ]
        yield Column("Confirmed", confirmed, "count"), ()
        yield Column("Limited by", [Cell(k.limited_by) if k else ABSENT for k in known]), ()


def _statistics(cases: Sequence[CaseSummary], of: LatencySet) -> Iterator[tuple[Column, Concerns]]:
    """Yield statistics of pings or probes, all in the unit of the median."""
    found = [of.in_case(case) for case in cases]
    first = ""
    for one in REPORTED:
        heading = layout.of_latency(one, of)
        figures = [one.figure(distribution) for distribution in found]
        if not heading or not (heading.when == "always" or any(figures)):
            continue
        cells = [
            Cell(float("inf"), text=lost)
            if (lost := lost_text(case, one.key))
            else cell_of(figure)
            if figure
            else Cell(note=_why_absent(one, of, case))
            for figure, case in zip(figures, cases, strict=True)
        ]
        first = first or heading.text
        tail = ("tail",) if (one.percent or 0) > TAIL else ()
        column = Column(heading.text, cells, "figure", "ns", detail=heading.minor, scale=first)
        yield column, (one.key, "latency", *tail)


def _why_absent(one: Statistic, of: LatencySet, case: CaseSummary) -> str:
    times = case.times(of.quantity) if of is ONE_WAY else of.in_case(case)
    row = times.row(one.name) if times else None
    return (row.reason or "") if row else ""


def _quantities(
    test: str, cases: Sequence[CaseSummary], *, behind: bool
) -> Iterator[tuple[Column, Concerns]]:
    """Yield the columns of quantities that are no latencies of single samples; `behind`: those
    behind all measured figures."""
    for one, heading in layout.columns(test, behind=behind):
        if isinstance(one, Number):
            column = _numbers(one, heading, cases)
        else:
            column = _estimates(one, heading, cases)
        known = [cell.value for cell in column.cells if cell.value is not None]
        if {"always": True, "known": bool(known), "some": any(known)}[heading.when]:
            yield column, (one.key,)


def _estimates(
    one: EstimatedQuantity, heading: layout.Heading, cases: Sequence[CaseSummary]
) -> Column:
    figures = [one.figure(case) for case in cases]
    cells = [
        cell_of(figure) if figure else _without(heading, case)
        for figure, case in zip(figures, cases, strict=True)
    ]
    kind: Literal["figure", "number"] = "figure"
    if not heading.interval:
        kind, cells = "number", [replace(cell, low=None, high=None) for cell in cells]
    return Column(heading.text, cells, kind, one.unit, detail=heading.minor)


def _numbers(one: Number, heading: layout.Heading, cases: Sequence[CaseSummary]) -> Column:
    """Return a column of numbers, each with its share of the total unless it is none or unknown."""
    cells = []
    for case in cases:
        value, total = one.value(case), one.of(case) if one.of else None
        if value is None:
            cells.append(_without(heading, case))
            continue
        share = f"({text.percent_text(value / total)})" if value and total else ""
        number = case.whole.counted(heading.second) if heading.second else 0
        more = f"{share} {text.count(number)} {heading.word}" if number else share
        cells.append(Cell(value, more=more.strip()))
    return Column(
        heading.text, cells, "number" if one.unit else "count", one.unit, detail=heading.minor
    )


def _without(heading: layout.Heading, case: CaseSummary) -> Cell:
    return Cell(note=heading.absent if case.rounds.ok else "")


def _load(case: CaseSummary) -> Cell:
    """Return the cell of a load, sorted by its level where there is one; two have no order."""
    loads = case.parts("load")
    shares = shares_text(case.params, loads)
    return Cell(
        loads[0].value(LOAD_ACHIEVED) if len(loads) == 1 else None,
        text=loads_text(loads),
        more=f"({shares})" if shares else "",
    )


def _rounds(case: CaseSummary) -> Cell:
    counts = case.rounds
    total = counts.ok + counts.marked + counts.failed
    if not total:
        return ABSENT
    shown = text.count(counts.ok) if counts.ok == total else f"{counts.ok} of {total}"
    if case.precision and not case.precision.reached:
        width = case.precision.relative_half_width
        sentence = (
            f"\N{PLUS-MINUS SIGN}{text.percent_text(width)}" if width is not None else "no interval"
        )
        shown += f", {sentence}"
    return Cell(counts.ok, text=shown)


def _fact(column: Column, *, all_count: bool) -> str:
    """Return what all cells of a column say, where that needs no column. `all_count`: no round was
    left out, in which samples may have been lost."""
    if column.kind != "count" or len(column.cells) < 2:
        return ""
    first = column.cells[0]
    if any(cell != first for cell in column.cells) or first.value is None:
        return ""
    if column.title == "Rounds" and first.text == text.count(int(float(first.value))):
        return text.plural(int(float(first.value)), "round")
    if column.title != same_in_all.LOST or first.value != 0:
        return ""
    return "none lost" if all_count else "none lost in rounds that count"


def _absences(columns: Sequence[Column]) -> tuple[list[Text], list[str]]:
    """Return why there are no values, a line for each reason that differs in more than its numbers,
    and the titles of columns without any."""
    without = [c.title for c in columns if all(is_absent(cell) and cell.note for cell in c.cells)]
    reasons: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for column in columns:
        sign = "No" if column.title in without else f"{text.ABSENT} in"
        for cell in column.cells:
            if is_absent(cell) and cell.note:
                alike = reasons.setdefault((sign, NUMBER.sub("0", cell.note)), [])
                alike.append((column.title, cell.note))
    lines = []
    for (sign, _), found in reasons.items():
        titles, notes = (dict.fromkeys(each) for each in zip(*found, strict=True))
        such = "for example, " if len(notes) > 1 else ""
        lines.append(fact(f"{sign} {text.joined([*titles])}", f"{such}{next(iter(notes))}"))
    return lines, without


def is_absent(cell: Cell) -> bool:
    """Return whether a cell shows an em dash."""
    return cell.value is None and not cell.text


def _marked(
    cases: Sequence[CaseSummary],
    made: Sequence[tuple[Column, Concerns]],
    found: Mapping[str, Flags],
) -> list[Column]:
    """Put the marks of findings on the figures in question; on a row's first cell where it has none
    of them."""
    marks: dict[tuple[int, int], list[str]] = {}
    for row, case in enumerate(cases):
        for flag in found[case.id].flags if case.id in found else ():
            for place in _concerned(made, flag):
                marks.setdefault((place, row), []).append(flag.mark)
    return [
        replace(
            column,
            cells=[
                replace(cell, marks=tuple(marks.get((place, row), ())))
                for row, cell in enumerate(column.cells)
            ],
        )
        for place, (column, _) in enumerate(made)
    ]


def _concerned(made: Sequence[tuple[Column, Concerns]], flag: Flag) -> list[int]:
    """Find the columns of the figures in question; of a group of figures the first, so that the
    marks of one finding do not widen every column."""
    named = [n for n, (_, of) in enumerate(made) if of and of[0] in flag.concerns]
    groups = [
        n for n, (_, of) in enumerate(made) if n not in named and set(of) & set(flag.concerns)
    ]
    return (named or groups[:1]) or [0]


def remarks(cases: Iterable[CaseSummary], placed: bool = False) -> Iterator[Text]:
    """Yield why rows are not complete, each reason once; with the placement of each case where a
    table has several."""
    alike: dict[str, list[str]] = {}
    for case in cases:
        if case.reason:
            sized = case.size is not None and NAME not in case.workload
            size = text.size_text(case.size) if sized else ""
            where = placement_short(case.placement) if placed else ""
            parts = (case.label, size, described(case.workload), where)
            why = f"{case.status.replace('_', ' ')}, {case.reason}"
            alike.setdefault(why, []).append(", ".join(filter(None, parts)))
    for why, names in alike.items():
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        yield fact("; ".join([*names[:MOST_NAMED], *more]), why, "")


def _alike(group: Group, cases: Sequence[CaseSummary], facts: Mapping[str, str]) -> Iterator[Text]:
    """Yield what is the same in all rows: it stands once, above them."""
    floors = [case for case in cases if case.is_floor]
    configured = same_in_all.facts(cases)
    if floors and len(floors) < len(cases):
        if configured:
            yield fact("All rows but the null adapter's", ", ".join(configured))
        configured = []
    sizes = {case.size for case in cases}
    size = text.size_text(sizes.pop()) if len(cases) > len(sizes) == 1 else text.ABSENT
    if alike := [*([] if size == text.ABSENT else [size]), *configured, *facts.values()]:
        title = "All rows" if len(cases) > 1 else "Configuration"
        yield fact(title, ", ".join(alike))
    yield from null_elsewhere((group.placement, floor) for floor in floors)


def _legend(cases: Sequence[CaseSummary], found: Mapping[str, Flags]) -> Iterator[Text]:
    """Yield what the marks of a table mean."""
    flags = [flag for case in cases if case.id in found for flag in found[case.id].flags]
    known = {flag.kind.letter: flag.kind for flag in flags}
    ordered = sorted(known.values(), key=lambda kind: (len(kind.letter), kind.letter))
    if ordered:
        yield Text("see", {"marks": "; ".join(f"{kind.mark} {kind.title}" for kind in ordered)})


EXPLAINS: Mapping[str, tuple[str, ...]] = {
    "half": ("RTT/2",),
    "goodput": ("Goodput",),
    "batches": ("Goodput",),
    "lost": ("Lost", "lost", "Median", "RTT", "p9"),
    "creation": ("− creation",),
}
"""Captions, and words of which a title must have one: a caption stands where its column does."""


def _fitting(caption: Text, columns: Sequence[Column]) -> Text | None:
    """Return the caption if the table has what it explains: intervals, or a column."""
    words = EXPLAINS.get(caption.template)
    if words and not any(word in each.title for each in columns for word in words):
        return None
    bracketed = any(cell.low is not None for column in columns for cell in column.cells)
    return caption if bracketed or caption.template != "typical" else None


def _notes(group: Group, cases: Sequence[CaseSummary], campaign: Campaign) -> Iterator[Text]:
    """Yield what is to be known of the figures of a table."""
    level = text.set_percent_text(campaign.confidence)
    if campaign.source is not None and {case.rounds.ok for case in cases} == {1}:
        yield Text("one_run")
    elif group.test in SEARCHES:
        yield from _criterion(group.test, campaign)
    elif group.test == "discovery":
        yield Text("discovery")
        yield Text("typical", {"level": level})
    elif group.test == "action":
        yield fact("Times", OF_GOALS)
        yield Text("typical", {"level": level})
    else:
        yield Text("typical", {"level": level})
    arrivals = sorted({case.arrivals for case in cases if case.arrivals})
    if group.test == "service" and arrivals == ["closed"]:
        yield fact("Arrivals", OF_REQUESTS)
    elif models := [ARRIVALS[one] for one in arrivals if one in ARRIVALS]:
        yield fact("Arrivals", text.joined(models))
    of_pings = any(case.has_pings and LOST.value(case) for case in cases)
    if of_pings or any(PROBES_LOST.value(case) for case in cases):
        yield Text("lost")
    unknown = {case.label: None for case in cases if case.one_way and case.one_way.loss is None}
    if unknown:
        yield fact(
            "One-way latencies of what arrived alone, where probes may be among the lost",
            text.joined([*unknown]),
        )
    if any(BATCHES.value(case) is not None for case in cases):
        yield Text("batches")
    if any(UDP_SOCKET_DROPS.value(case) for case in cases):
        yield fact("UDP drops", "at the participants' sockets, warm-up included")
    if of_all := [
        f"{one.title} {text.count(total)}"
        for one in COUNTERS
        if one.is_trouble and (total := sum(case.whole.counted(one) or 0 for case in cases))
    ]:
        yield fact(WHOLE, text.joined(of_all))
    for title, known, more in (
        (
            "Changes in the middle of every round",
            [c.params.timeline for c in cases],
            "; figures are over all phases, `busmark show DIRECTORY#CASE` has each",
        ),
        ("At the same time", [c.params.background for c in cases], ""),
    ):
        if what := list(dict.fromkeys(str(one) for one in known if one)):
            yield fact(title, f"{text.joined(what)}{more}")


WHOLE = (
    "Whole machine and its networks in the measured time of all rows together, other programs "
    "included"
)


OF_REQUESTS = "closed loop (a request waits for its response)"

ARRIVALS = {
    "closed": "closed loop (a ping waits for its pong)",
    "open": "open loop (from the intended time of sending)",
    "paced": "at a rate (from the actual sending)",
}


def _criterion(test: str, campaign: Campaign) -> Iterator[Text]:
    """Yield what had to be met, and how it was found."""
    limits, words = campaign.criterion, SEARCHED[test]
    if not limits:
        yield fact("Criterion of a rate", "not known, for the manifest does not have it")
        return
    yield Text(
        "criterion",
        {
            "samples": words.samples,
            "lost": words.lost,
            "senders": words.senders,
            "receivers": words.receivers,
            "max_loss": text.percent_text(limits["max_loss"]),
            "keeps_up": text.percent_text(limits["keeps_up"]),
            "confidence": text.percent_text(limits["confidence"]),
        },
    )
    if limits["max_p99_us"]:
        yield fact(f"99th percentile of the {words.time}", f"at most {limits['max_p99_us']:g} µs")
