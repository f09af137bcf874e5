"""What follows the tables of cases: pairs, own flows, levels, costs, matrices, findings, and what
was not measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from busmark.compare.campaign import Campaign
from busmark.compare.effects import LAYER, Effect
from busmark.compare.rounds import CPU, OF_QUANTITIES, SPENT
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.naming import (
    NAME,
    by_reason,
    cases_text,
    described,
    figure_of,
    placement_text,
)
from busmark.model.quantities.counters import COUNTERS, Counter
from busmark.model.stream import Pairs
from busmark.present.blocks.answer import UNMEASURED, growth, sizes
from busmark.present.blocks.details import COUNTERS_NOTE, COUNTERS_TITLE
from busmark.present.blocks.findings import findings
from busmark.present.blocks.flows import (
    LATENCY,
    LEVELS,
    NODES,
    OWN_FLOWS_NOTE,
    RATES,
    flow_rows,
    levels,
    nodes,
    ranked,
    ranked_by,
)
from busmark.present.blocks.rows import (
    Field,
    further_rows,
    listing,
    notes,
    sections,
    size,
    table,
)
from busmark.present.charts import pairs
from busmark.present.document import Block, Cell, Chart, Column, Row, Section, Table, Text

MOST_CASES = 12
"""Cases of which a table names the worst pairs, and whose levels are shown."""

INTEROPERABILITY = "Interoperability"

MOST_NAMED = 4
"""Labels that share a reason and are named."""

MOST_FLOWS = 40
"""Rows of flows of the scenario's own."""

MOST_EFFECTS = 60
"""Rows of a table of costs; comparisons (`busmark compare --by security`) have all."""

OF_FLOWS = (Field("Kind", "flow.kind", detail=True), *RATES, *LATENCY)


def further(campaign: Campaign) -> Iterator[Section]:
    """Yield the sections behind the tables of cases, in their order."""
    yield from _measured(campaign)
    yield from matrices(campaign)
    yield from costs(campaign)
    for last in (
        not_measured(campaign),
        findings(campaign),
        _counters(campaign),
        _made_by(campaign),
    ):
        if last is not None:
            yield last


def behind(campaign: Campaign) -> Iterator[Section]:
    """Yield the sections behind the list of cases on a page."""
    for section in (*_measured(campaign), _counters(campaign)):
        if section is not None:
            yield replace(section, part="Further figures")
    if last := not_measured(campaign):
        yield last


def _measured(campaign: Campaign) -> Iterator[Section]:
    for section in (
        sizes(campaign),
        growth(campaign),
        _pairs(campaign),
        _precision(campaign),
        _own_flows(campaign),
    ):
        if section is not None:
            yield section
    yield from _levels(campaign)


def _name(case: CaseSummary) -> str:
    size = text.size_text(case.size) if case.size is not None and NAME not in case.workload else ""
    return ", ".join(filter(None, (case.label, size, described(case.workload))))


def _pairs(campaign: Campaign) -> Section | None:
    """Show the slowest pair of each stream at a rate, and the one that lost most."""
    known = [(case, pairs) for case in campaign.cases if (pairs := case.pairs)][:MOST_CASES]
    if not known:
        return None
    any_lost = any(pairs.most_lost for _, pairs in known)
    thinned = any(pairs.recorded_every > 1 for _, pairs in known)
    statistic = {ranked_by(pairs) for _, pairs in known}
    name = f"its {statistic.pop()} one-way" if len(statistic) == 1 else "its one-way latency"
    fields = (
        Field("Case", lambda each: _name(each[0])),
        Field("Pairs", lambda each: each[1].count),
        Field("Slowest", lambda each: f"{each[1].slowest.writer} → {each[1].slowest.reader}"),
        Field(name, lambda each: ranked(each[1].slowest), "ns", kind="number"),
        Field("median of all pairs", lambda each: each[1].median_ns, "ns"),
        Field("Lost most", lambda each: _lossy(each[1]) if any_lost else None),
        Field("One sample recorded in", lambda each: each[1].recorded_every if thinned else None),
    )
    found = listing(known, fields, row=lambda each: Row(case=each[0].id))
    return Section("Pairs of writer and reader", [found])


def _lossy(pairs: Pairs) -> Cell:
    lossy = pairs.most_lost
    if not lossy:
        return Cell("none")
    share = text.percent_text(lossy.lost / lossy.expected)
    return Cell(f"{lossy.writer} → {lossy.reader}: {text.count(lossy.lost)} ({share})")


def _precision(campaign: Campaign) -> Section | None:
    """Return how far rounds were added, and how far a fixed number of them would have gone."""
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
        rows.append(
            (
                f"{test}, {statistic}",
                f"±{text.percent_text(target)}",
                f"{sum(p.reached for p in known)} of {len(known)}",
                text.duration(sum(p.spent_s for p in known)),
                _span(chosen, "s"),
                text.duration(sum(p.fixed_s for p in known if p.fixed_s)) if widths else None,
                "±" + _span([100 * width for width in widths], "%") if widths else None,
            )
        )
    titles = (
        "Interval of",
        "Wanted",
        "Reached in",
        "Time",
        "A round's length",
        "Time of a fixed schedule",
        "Its interval",
    )
    return Section("Precision", [table(titles, rows)])


def _span(values: Sequence[float], unit: str) -> str:
    if not values:
        return ""
    ends = dict.fromkeys(text.number(end) for end in (min(values), max(values)))
    return f"{' to '.join(ends)} {unit}"


def _own_flows(campaign: Campaign) -> Section | None:
    """List the scenario's background flows."""
    known = [row for case in campaign.cases for row in flow_rows(case)]
    if not known:
        return None
    fields = [Field("Flow", "flow.name"), *OF_FLOWS]
    if len({row.case.id for row in known}) > 1:
        fields = [Field("Case", lambda row: _name(row.case)), *fields]
    note = notes(OWN_FLOWS_NOTE)
    if len(known) > MOST_FLOWS:
        note.append(further_rows(len(known) - MOST_FLOWS, "`busmark show DIRECTORY#CASE`"))
    found = listing(
        known[:MOST_FLOWS],
        fields,
        note=note,
        key="own-flows",
        row=lambda each: Row(case=each.case.id),
    )
    return Section("Background flows", [found])


def _levels(campaign: Campaign) -> Iterator[Section]:
    """Yield what was to be read and was, and its cost on the nodes, of each case of
    applications."""
    for case in campaign.cases:
        if case.params.applications and not case.is_floor:
            for title, table in ((LEVELS, levels(case)), (NODES, nodes(case))):
                yield from sections(f"{title}: {_name(case)}", [table])


def matrices(campaign: Campaign) -> Iterator[Section]:
    """Yield adapter against adapter, a row for each writer and a column for each reader, and the
    pairs that do not work."""
    explained = set[str]()
    every = [
        (number, matrix, figure)
        for number, matrix in enumerate(campaign.interop)
        for figure in pairs.figures(matrix)
    ]
    for number, matrix, figure in every:
        names, rows = pairs.names(matrix), pairs.rows(matrix, figure)
        columns = [Column("writer \\ reader", [Cell(name) for name in names], "label")]
        cells = zip(*rows, strict=True)
        columns += [
            Column(name, own, "number", figure.unit) for name, own in zip(names, cells, strict=True)
        ]
        shape = pairs.heat(campaign, matrix, figure)
        key, title = f"interop-{figure.key}-{number}", f"{figure.title}: {matrix.workload}"
        charts = [Chart(key, title, [shape])] if shape else []
        unknown = any(cell == pairs.OUTSIDE for row in rows for cell in row)
        words = [figure.note, UNMEASURED if unknown else ""]
        own_notes = notes(*(each for each in words if each not in explained))
        explained |= {*words}
        yield Section(
            title,
            [*charts, Table(columns, [Row() for _ in names]), *own_notes],
            summary=f"{matrix.working} of {text.plural(len(matrix.cells), 'pair')} "
            f"{'works' if matrix.working == 1 else 'work'}",
            key=f"{key}-table",
            part=INTEROPERABILITY,
        )
    if dead := _dead(campaign):
        yield dead


class _Cost(NamedTuple):
    """A parameter whose cost has a section of its own."""

    parameter: str
    title: str
    names: tuple[str, str]
    """Names of the parameters that share a row, and of the one that varies."""
    note: str
    """Text that says which value is divided by which."""


COSTS = (
    _Cost("security", "What security costs", ("Middleware", "Protected"), "Secured over plain"),
    _Cost(
        LAYER,
        "What the layer costs",
        ("With", "Layer"),
        "Through the layer over the same library alone",
    ),
)

SPENT_HEADS = {
    CPU.name: CPU.heading,
    **{each.cost.name: each.cost.heading for each in OF_QUANTITIES if each.cost},
}


def costs(campaign: Campaign) -> Iterator[Section]:
    """Yield what security and layers cost: each case over the one without, equal in all else, with
    what else both spent."""
    for cost in COSTS:
        tests: dict[str, list[Effect]] = {}
        for effect in campaign.effects:
            if effect.parameter == cost.parameter:
                tests.setdefault(effect.test, []).append(effect)
        if tests:
            tables = [_cost(cost, test, own) for test, own in tests.items()]
            words = f"{cost.note}, round by round; above 1 is more."
            yield Section(cost.title, [*tables, *notes(words)], key=cost.parameter)


def _cost(cost: _Cost, test: str, effects: Sequence[Effect]) -> Table:
    shown = effects[:MOST_EFFECTS]
    several = len({_where(each) for each in effects}) > 1
    first, value = cost.names
    headline = figure_of(effects[0].figure)
    fields = [
        Field(first, lambda each: f"{each.label}, {_where(each)}" if several else each.label),
        Field(value, "value"),
        Field("Size", lambda each: size(each.size)),
        Field(f"{text.upper_first(headline)} ×", "versus.ratio", kind="ratio"),
        Field("p99 ×", "versus.p99", kind="ratio"),
        *map(_spent, SPENT),
    ]
    by = "adapter" if cost.parameter == LAYER else cost.parameter
    more = len(effects) - len(shown)
    left = [further_rows(more, f"`busmark compare --by {by}`")] if more > 0 else []
    return listing(
        shown,
        fields,
        test.capitalize(),
        note=left,
        row=lambda each: Row(case=each.versus.case),
        key=f"{cost.parameter}-{test}",
    )


def _spent(name: str) -> Field:
    return Field(f"{SPENT_HEADS[name]} ×", lambda effect: effect.spent.get(name), kind="ratio")


def _where(effect: Effect) -> str:
    placement = placement_text(effect.placement) if effect.placement else ""
    return ", ".join(filter(None, (placement, described(effect.workload))))


def _dead(campaign: Campaign) -> Section | None:
    dead = [
        (m, cell)
        for m in campaign.interop
        for cell in m.cells
        if cell.state not in ("works", "unsupported")
    ]
    if not dead:
        return None
    fields = (
        Field("Pair", lambda of: f"{of[0].titles[of[1].writer]} → {of[0].titles[of[1].reader]}"),
        Field("Workload", lambda of: f"{of[0].test}, {of[0].workload}"),
        Field("State", lambda of: of[1].state),
        Field("Reason", lambda of: of[1].reason or "no reason recorded"),
    )
    found = listing(dead, fields, key="dead", row=lambda of: Row(case=of[1].case))
    return Section("Pairs that do not work, or not wholly", [found], part=INTEROPERABILITY)


def _some(names: Sequence[str]) -> str:
    """Return the names, or the first of many and how many more there are."""
    kept = names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 1]
    more = [f"{len(names) - len(kept)} more"] if len(names) > len(kept) else []
    return text.joined([*kept, *more])


def not_measured(campaign: Campaign) -> Section | None:
    """Return what is unsupported, missing or unreadable, with its reason."""
    lacking = [case for case in campaign.cases if case.status == "unsupported"]
    labels = {case.id: case.label for case in lacking}
    rows = [
        (_some([*dict.fromkeys(labels[each] for each in ids)]), cases_text(ids), reason)
        for reason, ids in by_reason((case.id, case.reason or "") for case in lacking).items()
    ]
    rows += [(adapter, "", reason) for adapter, reason in campaign.missing_adapters.items()]
    blocks: list[Block] = []
    if rows:
        blocks.append(table(("What", "Cases", "Reason"), rows, key="not-measured"))
    blocks += [Text("line", {"line": problem}, style="warning") for problem in campaign.problems]
    if not blocks:
        return None
    return Section("Left out" if campaign.source else "Not measured", blocks, folded=True)


def _counters(campaign: Campaign) -> Section | None:
    """Return what the kernel counted of memory and of the network, without what is 0 everywhere."""
    counted = [case for case in campaign.cases if any(map(case.whole.row, COUNTERS))]
    if not counted:
        return None
    known = [one for one in COUNTERS if any(case.whole.row(one) for case in counted)]
    zero = [one.title for one in known if not any(c.whole.value(one) for c in counted)]
    fields = [Field("Case", "id")]
    fields += [_count(one) for one in known if one.title not in zero]
    note = f"{COUNTERS_NOTE} 0 in all cases: {text.joined(zero)}." if zero else COUNTERS_NOTE
    found = listing(counted, fields, note=note, key="counters", row=lambda case: Row(case=case.id))
    return Section(COUNTERS_TITLE, [found], folded=True, detail=True)


def _count(one: Counter) -> Field:
    return Field(one.title, lambda case: case.whole.counted(one), one.unit)


def _made_by(campaign: Campaign) -> Section:
    """Name the version and the command that made the result."""
    values: dict[str, object] = {
        "version": campaign.busmark_version,
        "utc": campaign.created_utc,
        "command": campaign.command,
    }
    return Section("", [Text("made_by", values, style="quiet")], detail=True)
