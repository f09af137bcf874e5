"""What follows the tables of cases: pairs, own flows, levels, costs, matrices, findings, and what
was not measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from busmark.analysis.across.effects import WITH_SPENT
from busmark.analysis.case.timed_pairs import Pairs
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.analysis.words.naming import described
from busmark.findings.kinds import Flags, kinds, worst
from busmark.findings.kinds import Kind as Found
from busmark.present.blocks.answer import sizes
from busmark.present.charts.flagged import examined
from busmark.present.document import (
    ABSENT,
    Block,
    Cell,
    Column,
    Kind,
    Row,
    Section,
    Style,
    Table,
    Text,
)
from busmark.report.html import blocks as legacy
from busmark.report.interop import dead_cells, heat_maps

MOST_CASES = 12
"""Cases of which a table names the worst pairs, and whose levels are shown."""

SIGNS = frozenset("0123456789—−-+±<>≤≥[")
"""With which a number begins, or what stands in its place."""

STYLES: dict[str, Style] = {"error": "error", "warning": "warning", "note": "note"}


def further(campaign: Campaign) -> Iterator[Section]:
    """Return the sections behind the tables of cases, in their order."""
    for section in (
        sizes(campaign),
        _pairs(campaign), _precision(campaign), _own_flows(campaign), *_levels(campaign),
        *_matrices(campaign), *_costs(campaign), _dead(campaign), _not_measured(campaign),
        findings(campaign), _counters(campaign), _made_by(campaign),
    ):  # fmt: skip
        if section is not None:
            yield section


def of_block(
    block: legacy.Block, *, with_note: bool = True, details: Collection[str] = ()
) -> list[Block]:
    """Return a small table of text as a table of a document; `details`: headings of columns that
    may be left out where there is no room."""
    columns = []
    for place, head in enumerate(block.heads):
        cells = [Cell(text=row[place]) if row[place] else Cell("") for row in block.rows]
        numbers = sum(row[place][:1] in SIGNS for row in block.rows) * 2 > len(block.rows)
        kind: Kind = "label" if place == 0 else "number" if numbers else "text"
        columns.append(Column(head, cells, kind, detail=head in details))
    made: list[Block] = [Table(columns, [Row() for _ in block.rows])]
    if block.note and with_note:
        made.append(Text("note", {"note": block.note}, style="quiet"))
    return made


def _name(case: CaseSummary) -> str:
    size = text.size_text(case.size) if case.size is not None else ""
    return ", ".join(filter(None, (case.label, size, described(case.workload))))


def _pairs(campaign: Campaign) -> Section | None:
    """The slowest pair of each stream at a rate, and the one that lost most."""
    known = [
        (case, case.throughput.pairs)
        for case in campaign.cases
        if case.throughput and case.throughput.pairs
    ][:MOST_CASES]
    if not known:
        return None
    statistic = {_ranked_by(pairs) for _, pairs in known}
    name = f"its {statistic.pop()} one-way" if len(statistic) == 1 else "its one-way latency"
    columns = [
        Column("Case", [Cell(_name(case)) for case, _ in known], "label"),
        Column("Pairs", [Cell(pairs.count) for _, pairs in known], "count"),
        Column("Slowest", [Cell(f"{p.slowest.writer} → {p.slowest.reader}") for _, p in known]),
        Column(name, [_slowest(pairs) for _, pairs in known], "number", "ns"),
        Column("median pair", [Cell(pairs.median_ns) for _, pairs in known], "number", "ns"),
    ]
    if any(pairs.most_lost for _, pairs in known):
        columns.append(Column("Lost most", [_lossy(pairs) for _, pairs in known]))
    if any(pairs.recorded_every > 1 for _, pairs in known):
        every = [Cell(pairs.recorded_every) for _, pairs in known]
        columns.append(Column("One sample recorded in", every, "count"))
    return Section(
        "Pairs of writer and reader", [Table(columns, [Row(case=c.id) for c, _ in known])]
    )


def _ranked_by(pairs: Pairs) -> str:
    return "median" if pairs.percent == 50.0 else f"p{pairs.percent:g}"


def _slowest(pairs: Pairs) -> Cell:
    ranked = pairs.slowest.ranked_ns
    return Cell(float("inf"), text="among the lost") if ranked is None else Cell(ranked)


def _lossy(pairs: Pairs) -> Cell:
    lossy = pairs.most_lost
    if not lossy:
        return Cell("none")
    share = text.percent_text(lossy.lost / lossy.expected)
    return Cell(f"{lossy.writer} → {lossy.reader}: {text.count(lossy.lost)} ({share})")


def _precision(campaign: Campaign) -> Section | None:
    """How far rounds were added, and how far a fixed number of them would have gone."""
    by_goal: dict[tuple[str, str, float], list[CaseSummary]] = {}
    for case in campaign.cases:
        if case.precision:
            key = (case.test, case.precision.statistic, case.precision.target)
            by_goal.setdefault(key, []).append(case)
    if not by_goal:
        return None
    rows = []
    for (test, statistic, target), own in by_goal.items():
        known = [case.precision for case in own if case.precision]
        widths = [w for p in known if (w := p.fixed_relative_half_width) is not None]
        chosen = [end for p in known if p.chosen_s for end in p.chosen_s]
        rows.append([
            Cell(f"{test}, {statistic}"), Cell(f"±{text.percent_text(target)}"),
            Cell(f"{sum(p.reached for p in known)} of {len(known)}"),
            Cell(text.duration(sum(p.spent_s for p in known))),
            Cell(_span(chosen, "s") or None),
            Cell(text.duration(sum(p.fixed_s for p in known if p.fixed_s)) if widths else None),
            Cell("±" + _span([100 * width for width in widths], "%") if widths else None),
        ])  # fmt: skip
    titles = ("Interval of", "Wanted", "Reached in", "Time", "A round's length",
              "Time of a fixed schedule", "Its interval")  # fmt: skip
    columns = [
        Column(title, [row[place] for row in rows], "text" if place else "label")
        for place, title in enumerate(titles)
        if any(row[place].value for row in rows)
    ]
    return Section("Precision", [Table(columns, [Row() for _ in rows])])


def _span(values: Sequence[float], unit: str) -> str:
    if not values:
        return ""
    ends = dict.fromkeys(text.number(end) for end in (min(values), max(values)))
    return f"{' to '.join(ends)} {unit}"


def _own_flows(campaign: Campaign) -> Section | None:
    """The scenario's own flows that ran beside what is measured."""
    if not any(case.own_flows for case in campaign.cases):
        return None
    from busmark.report.html.beside_flows import DISPENSABLE, TITLE, beside_block

    block = beside_block(campaign, [case.id for case in campaign.cases if case.own_flows])
    return Section(TITLE, of_block(block, details=DISPENSABLE)) if block else None


def _levels(campaign: Campaign) -> Iterator[Section]:
    """Applications: what was to be read and was, and what it cost the nodes, of each case."""
    meshes = [case for case in campaign.cases if case.params.applications and not case.is_floor]
    if not meshes:
        return
    from busmark.report.html.levels import level_blocks

    for number, case in enumerate(meshes):
        for block in level_blocks(case):
            title = f"{block.title}: {_name(case)}" if len(meshes) > 1 else block.title
            last = number == len(meshes) - 1
            yield Section(title, of_block(block, with_note=last))


def _matrices(campaign: Campaign) -> Iterator[Section]:
    """Adapter against adapter: a row for each writer, a column for each reader."""
    maps = heat_maps(campaign)
    for number, heat in enumerate(maps):
        matrix = campaign.interop[number * len(campaign.interop) // len(maps)]
        working = sum(cell.state == "works" for cell in matrix.cells)
        columns = [Column("writer \\ reader", [Cell(name) for name in heat.names], "label")]
        for place, name in enumerate(heat.names):
            fields = [cells[place] for _, cells in heat.rows]
            cells = [
                Cell(text=field.text, note=field.note) if field else ABSENT for field in fields
            ]
            columns.append(Column(name, cells, "number"))
        note = Text("note", {"note": heat.note}, style="quiet")
        table = Table(columns, [Row() for _ in heat.names], key=heat.id)
        yield Section(
            heat.title,
            [table, note],
            summary=f"{working} of {text.plural(len(matrix.cells), 'pair')} work",
        )


def _costs(campaign: Campaign) -> Iterator[Section]:
    """What security and layers cost, where a case has them."""
    if not any(effect.parameter in WITH_SPENT for effect in campaign.effects):
        return
    from busmark.report.html.spent_costs import spent_costs

    for part in spent_costs(campaign):
        for block in part.blocks:
            yield Section(block.title, of_block(block))


def _dead(campaign: Campaign) -> Section | None:
    dead = [one for one in dead_cells(campaign) if one.state != "unsupported"]
    if not dead:
        return None
    columns = [
        Column("Pair", [Cell(f"{one.writer} → {one.reader}") for one in dead], "label"),
        Column("Workload", [Cell(f"{one.test}, {one.workload}") for one in dead]),
        Column("State", [Cell(one.state) for one in dead]),
        Column("Reason", [Cell(one.reason) for one in dead]),
    ]
    table = Table(columns, [Row(case=one.case) for one in dead], key="dead")
    return Section("Pairs that do not work, or not wholly", [table])


def _not_measured(campaign: Campaign) -> Section | None:
    """What is unsupported, missing or unreadable, with its reason."""
    alike: dict[tuple[str, str], list[str]] = {}
    for case in campaign.cases:
        if case.status == "unsupported":
            alike.setdefault((case.label, case.reason or ""), []).append(case.id)
    rows = [
        (label, ids[0] if len(ids) == 1 else text.plural(len(ids), "case"), reason)
        for (label, reason), ids in alike.items()
    ]
    rows += [(adapter, "", reason) for adapter, reason in campaign.missing_adapters.items()]
    blocks: list[Block] = []
    if rows:
        columns = [
            Column(title, [Cell(row[place] or None) for row in rows], "text" if place else "label")
            for place, title in enumerate(("What", "Cases", "Reason"))
            if any(row[place] for row in rows)
        ]
        blocks.append(Table(columns, [Row() for _ in rows], key="not-measured"))
    blocks += [Text("note", {"note": problem}, style="warning") for problem in campaign.problems]
    if not blocks:
        return None
    return Section("Left out" if campaign.source else "Not measured", blocks, folded=True)


def _counters(campaign: Campaign) -> Section | None:
    """What the kernel counted of memory and of the network, without what is 0 everywhere."""
    from busmark.report.html.counters import counters_block

    block = counters_block(campaign.cases)
    if block is None:
        return None
    return Section(block.title, of_block(block), folded=True, detail=True)


def _made_by(campaign: Campaign) -> Section:
    """The version and the command that made the result."""
    values: dict[str, object] = {
        "version": campaign.busmark_version, "utc": campaign.created_utc,
        "command": campaign.command,
    }  # fmt: skip
    return Section("", [Text("made_by", values, style="quiet")], detail=True)


def findings(campaign: Campaign) -> Section | None:
    """Return each kind once: in how many cases, where it is worst, and what to do."""
    found = kinds(campaign.findings)
    if not found:
        return None
    letters = {kind.title: kind.letter or kind.title for kind in found}
    of = examined(campaign)
    blocks: list[Block] = []
    for kind in found:
        blocks.append(_kind(kind, of))
        if kind.severity == "note":
            continue
        blocks.append(Text("indented", {"line": _worst(kind)}))
        if kind.explains:
            explained = ", ".join(letters.get(each, each) for each in kind.explains)
            blocks.append(Text("indented", {"line": f"may also explain {explained}"}))
        for remedy in kind.remedies[:1]:
            blocks.append(Text("indented", {"line": f"remedy: {remedy}"}))
    return Section("Findings", [*blocks, Text("explained", style="quiet")], folded=True)


def all_findings(campaign: Campaign, cases: Sequence[str] = ()) -> list[Section]:
    """Return all that is known of each kind; with `cases`, of those that concern these, and there.

    A section for each kind: causes, evidence in each case, remedies.
    """
    found = [k for k in kinds(campaign.findings) if not cases or set(cases) & set(k.cases)]
    if not found:
        what = "these cases" if cases else "this result"
        return [Section("", [Text("no_findings", {"what": what})])]
    return [Section("", list(_everything(kind, examined(campaign), cases))) for kind in found]


def _everything(kind: Found, of: int, cases: Sequence[str]) -> Iterator[Block]:
    yield _kind(kind, of)
    flags = kind.flags()
    for part in kind.findings:
        which = f"{len(part.cases)}, {part.severity}: " if len(kind.findings) > 1 else ""
        yield Text("indented", {"line": f"cause: {which}{part.cause}"})
        if not part.cases:
            yield Text("indented", {"line": f"evidence: {part.evidence}"})
        yield Text("indented", {"line": f"remedy: {part.remedy}"})
        for case in part.cases:
            if not cases or case in cases:
                evidence = flags[case].evidence
                line = f"{case}: {evidence}" if evidence else case
                yield Text("indented", {"line": f"  {line}"})
    if kind.explains:
        yield Text("indented", {"line": f"may also explain: {'; '.join(kind.explains)}"})


def on_case(case: str, found: Mapping[str, Flags]) -> Section | None:
    """Return the findings on one case, a paragraph each."""
    if case not in found:
        return None
    flags = found[case].flags
    return Section(
        "Findings", [Text("line", {"line": f.told}, style=STYLES[f.severity]) for f in flags]
    )


def _kind(kind: Found, of: int) -> Text:
    """ "!b warning: The kernel dropped UDP datagrams, in 2 of 37 cases"."""
    mark = f"{kind.mark} " if kind.mark else ""
    line = f"{mark}{kind.severity}: {kind.counted(of)}"
    return Text("line", {"line": line}, style=STYLES[kind.severity])


def _worst(kind: Found) -> str:
    case, evidence = worst(kind.findings[0])
    if not case:
        return evidence
    return f"{'worst in ' if len(kind.cases) > 1 else ''}{case}: {evidence}"
