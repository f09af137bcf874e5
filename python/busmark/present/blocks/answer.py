"""The answer of a campaign: who stands where in each workload, and what each parameter costs.

Middleware under test comes first, best first; baselines and the floor stand below it. A ratio is
over the leader of its column, by the ratios of interleaved rounds (`compare.ranking`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, log

from busmark.compare.campaign import Campaign
from busmark.compare.effects import WITH_SPENT, Effect
from busmark.compare.fits import WORKLOAD, DiscoveryGrowth
from busmark.compare.ranking import Ranking
from busmark.compare.rounds import Versus
from busmark.compare.verdict import ALONE, BETTER, EQUIVALENT, WORSE
from busmark.facts import known_as, library_of
from busmark.findings.registry import Flags, by_case, kinds
from busmark.model import text
from busmark.model.case import TIMES, CaseSummary
from busmark.model.distribution import AMONG_LOST, Distribution
from busmark.model.entry import SEARCHES
from busmark.model.figure import LATENCY_OF, Figure
from busmark.model.limits import Subject, subject
from busmark.model.naming import (
    FLOOR_LABEL,
    NAME,
    described,
    figure_of,
    flatten,
    named_workloads,
    placement_short,
)
from busmark.model.quantities import LOST
from busmark.present.blocks.cases import is_absent, remarks
from busmark.present.blocks.imported import reported_means
from busmark.present.blocks.rows import (
    Field,
    cell_of,
    fact,
    further_rows,
    labelled,
    listing,
    null_elsewhere,
)
from busmark.present.blocks.rows import notes as line
from busmark.present.document import (
    ABSENT,
    Cell,
    Column,
    Kind,
    Role,
    Row,
    Section,
    Table,
    Text,
    Verdict,
)
from busmark.present.figures import SIGNS, in_words, lost_text, ratio_text

MOST_WORKLOADS = 12
MOST_LABELS = 12
MOST_EFFECTS = MOST_FITS = 12

BASELINES = "Baselines"

NOT_AFTER_HOLM = f"{ALONE}, but not after Holm's correction for all comparisons"
"""Their intervals, which are not corrected, may leave out 1."""

NO_RATE = "without a rate that met the criterion"
"""How a case has no figure of which all trials of the search failed."""

OF_SEARCHES = "of the rates that searches found"
"""What is paired in the effect of a choice where rounds are trials."""

UNMEASURED = f"{text.ABSENT}: not measured."

NAMES = {
    "latency": ("median",),
    "response": ("median",),
    "one_way": ("median", "latency"),
    "throughput": ("goodput_mbit_per_s",),
    "capacity": ("goodput_mbit_per_s",),
    "service-capacity": ("request_rate",),
}
"""Figures that findings concern, by what a case is judged by."""

Workload = tuple[str, str, int | None, tuple[tuple[str, str], ...]]
"""Test, placement, size and further parameters."""

Members = Mapping[str, CaseSummary]
"""Cases of a workload by label."""


def answer(campaign: Campaign) -> Section | None:
    """Return who is best in each workload and what parameters cost; None without any figure."""
    known = workloads(campaign)
    blocks: list[Table | Text] = [_ranking(campaign, known)] if known else []
    blocks += [Text("line", {"line": found.sentence}) for found in campaign.answers]
    effects = _effects(campaign)
    if campaign.differing_choices and (blocks or effects):
        names = text.joined(campaign.differing_choices)
        blocks.append(fact("Settings that differ between the rows", names))
    if effects:
        blocks.append(effects)
    if not blocks and (means := reported_means(campaign.cases)):
        blocks.append(_means(campaign.cases, means))
    elif not blocks and campaign.cases:
        counts = Counter(
            NO_RATE if case.capacity else case.status.replace("_", " ") for case in campaign.cases
        )
        blocks.append(fact("No case has a figure", in_words(counts), ""))
    return Section("Answer", blocks) if blocks else None


def answering(campaign: Campaign) -> set[str]:
    """Return the cases whose figures are the answer: of the workloads, else those with a mean."""
    members = [case for own in workloads(campaign).values() for case in own.values()]
    if not members and (means := reported_means(campaign.cases)):
        members = [
            case
            for case, *figures in zip(campaign.cases, *means.values(), strict=True)
            if any(figures)
        ]
    return {case.id for case in members if not case.is_floor}


def _means(cases: Sequence[CaseSummary], means: Mapping[str, Sequence[Figure | None]]) -> Table:
    """Return the means that a source states, which ranks nothing: they have no percentiles."""
    columns = [Column("Case", [Cell(case.label, label=case.label) for case in cases], "label")]
    columns += [
        Column(title, [cell_of(each) for each in figures], "figure", "ns")
        for title, figures in means.items()
    ]
    return Table(columns, [Row(case=case.id) for case in cases], brief=True)


def workloads(campaign: Campaign) -> dict[Workload, dict[str, CaseSummary]]:
    """Return the cases with a figure by workload and label, in the order of the tables."""
    by_id = {case.id: case for case in campaign.cases}
    found: dict[Workload, dict[str, CaseSummary]] = {}
    for key, case in _placed(campaign):
        # A case of which most is lost has no latency, and must not be missing for that.
        if case.headline is not None or (case.answer == "latency" and case.has_stream):
            found.setdefault(key, {}).setdefault(case.label, case)
    if not campaign.columns:
        found = {
            key: members
            for key, members in found.items()
            if any(case.headline for case in members.values())
        }
    for key, members in found.items():
        floors = {case.floor.case: None for case in members.values() if case.floor}
        if len(floors) == 1 and _measures(by_id[next(iter(floors))], key):
            members[FLOOR_LABEL] = by_id[next(iter(floors))]
    return found


def _placed(campaign: Campaign) -> Iterator[tuple[Workload, CaseSummary]]:
    by_id = {case.id: case for case in campaign.cases}
    for group in campaign.groups:
        for case in map(by_id.__getitem__, group.cases):
            yield (group.test, group.placement, case.size, tuple(case.workload.items())), case


def _measures(floor: CaseSummary, workload: Workload) -> bool:
    """Return whether the null adapter's case is of this workload: of its size, and of whatever else
    varies. It may wait otherwise, and be on one CPU."""
    _, _, size, further = workload
    asked = {name: value for name, value in further if name != "wait"}
    return floor.size == size and all(floor.workload.get(n) == v for n, v in asked.items())


def representative(known: Sequence[Workload]) -> list[Workload]:
    """Return the workloads that say most, in their order: of each test and placement in turn the
    smallest size, then the largest, then those between."""
    groups: dict[tuple[str, str], list[Workload]] = {}
    for workload in known:
        groups.setdefault(workload[:2], []).append(workload)
    queues = []
    for members in groups.values():
        first = list(dict.fromkeys((members[0], members[-1], members[len(members) // 2])))
        queues.append([*first, *(each for each in members if each not in first)])
    chosen: list[Workload] = []
    for place in range(max(map(len, queues))):
        chosen += [queue[place] for queue in queues if place < len(queue)]
    kept = set(chosen[:MOST_WORKLOADS])
    return [workload for workload in known if workload in kept]


def _ranking(campaign: Campaign, known: Mapping[Workload, Members]) -> Table:
    shown = representative(list(known))
    every = list(_labels(campaign, known, shown))
    middleware = [label for label, role in every if role == ""]
    hidden = {*middleware} - _foremost(middleware, [known[workload] for workload in shown])
    labels = [(label, role) for label, role in every if label not in hidden]
    adapters = {label.text: label.adapter for label in campaign.labels}
    title = next((c.label_title for c in campaign.cases if not c.is_floor), "Middleware")
    names = [
        Cell(_versioned(label, campaign.adapters.get(adapters.get(label, ""), {})), label=label)
        for label, _ in labels
    ]
    columns = [Column(title, names, "label")]
    found = by_case(kinds(campaign.findings))
    rankings = {_key(ranking): ranking for ranking in campaign.rankings}
    several = _several_placements(shown)
    for workload in shown:
        cases = [known[workload].get(label) for label, _ in labels]
        where, ranking = _where(workload, known), rankings.get(workload)
        if campaign.columns:
            group = f"{where}, {placement_short(workload[1])}" if several else where
            columns += _own_columns(campaign, group, cases, ranking, found)
        else:
            columns += _workload(where, workload[1], cases, ranking, found)
    notes = _meanings(campaign)
    if any(column.kind == "ratio" for column in columns):
        shares = {"margin": EQUIVALENT, "level": campaign.confidence}
        notes.append(Text("ratio", {name: text.set_percent_text(s) for name, s in shares.items()}))
    for workload in shown:
        if (ranking := rankings.get(workload)) and ranking.open:
            where = ", ".join(filter(None, (_where(workload, known), placement_short(workload[1]))))
            notes.append(fact(f"Undecided which is best at {where}", ranking.open))
    notes += _undecided(columns, [rankings.get(workload) for workload in shown])
    for what, some, all_ in (
        ("workloads", len(shown), len(known)),
        ("rows", len(labels), len(every)),
    ):
        if some < all_:
            notes.append(fact("Shown", f"{some} of {all_} {what}; the tables below have all"))
    notes += _absent(columns, campaign.columns)
    if _has_holes([column for column in columns if column.unit]):
        notes += _holes(campaign, {label for label, _ in labels}, known, shown)
    floors = ((workload[1], known[workload].get(FLOOR_LABEL)) for workload in shown)
    notes += null_elsewhere((placement, floor) for placement, floor in floors if floor)
    apart = BASELINES if any(role == "baseline" for _, role in labels) else ""
    rows = [Row(role, apart if role else "") for _, role in labels]
    return Table(columns, rows, notes=notes, key="answer", brief=True)


def _meanings(campaign: Campaign) -> list[Text]:
    """Return what the names of workloads stand for, what the columns that the scenario asks for
    measure, and the libraries behind names of middleware."""
    compared = [c for c in campaign.cases if not c.is_floor and c.status != "unsupported"]
    figures = {heading: subject(of, heading) for heading, of in campaign.columns.items()}
    of_all = [heading for heading, of in figures.items() if of.percent is not None]
    meant = named_workloads(flatten(case.params) for case in compared)
    meant |= {text.joined(of_all): OF_ALL} if of_all else {}
    meant |= {heading: of.row.meaning for heading, of in figures.items() if heading not in of_all}
    for case in compared:
        declared = campaign.adapters.get(case.adapter, {})
        name, version = (str(declared.get(key) or "") for key in ("name", "middleware_version"))
        if known := known_as(name, version, case.params.settings):
            meant[known] = library_of(name, version, case.params.settings)
    notes = [fact(what, meaning) for what, meaning in meant.items()]
    if campaign.columns:
        reasons = dict.fromkeys(c.reason for c in campaign.cases if c.status == "unsupported")
        notes += [fact("Not measured", reason) for reason in reasons if reason]
    return notes


OF_ALL = "of the samples of all rounds together; a lost sample is later than any that arrived"


def _absent(columns: Sequence[Column], titles: Iterable[str]) -> Iterator[Text]:
    """Yield why columns of these titles lack values, one reason each."""
    for title in titles:
        cells = (cell for column in columns if column.title == title for cell in column.cells)
        if reason := next((cell.note for cell in cells if is_absent(cell) and cell.note), ""):
            yield fact(f"{text.ABSENT} in {title}", reason)


def _holes(
    campaign: Campaign,
    labels: Collection[str],
    known: Mapping[Workload, Members],
    shown: Collection[Workload],
) -> Iterator[Text]:
    """Yield why cases that ran have no figure, and that others were not measured."""
    ran = [
        case
        for workload, case in _placed(campaign)
        if workload in shown and case.label in labels and case.label not in known[workload]
        if case.reason and case.rounds.marked + case.rounds.failed
    ]
    yield from remarks(ran, placed=_several_placements(shown))
    missing = sum(label not in known[workload] for workload in shown for label in labels)
    if not ran or missing > len(ran):
        yield from line(UNMEASURED)


def _several_placements(workloads: Iterable[Workload]) -> bool:
    return len({placement for _, placement, *_ in workloads}) > 1


def _has_holes(columns: Sequence[Column]) -> bool:
    """Return whether a row lacks a figure in a group of columns in which it has another: it is not
    shown where it has none."""
    groups: dict[str, list[Column]] = {}
    for column in columns:
        groups.setdefault(column.group, []).append(column)
    rows = [row for own in groups.values() for row in zip(*(c.cells for c in own), strict=True)]
    return any(ABSENT in row and any(cell != ABSENT for cell in row) for row in rows)


def _undecided(columns: Sequence[Column], found: Sequence[Ranking | None]) -> Iterator[Text]:
    """Yield why there are no ratios, and why some could not be computed; each reason once."""
    cells = [cell for column in columns if column.kind == "ratio" for cell in column.cells]
    for reason in dict.fromkeys(c.note for c in cells if c.verdict == "undecided" and not c.value):
        if reason:
            yield fact(SIGNS["undecided"], reason)
    if any(c.verdict == "undecided" and c.note.startswith(ALONE) for c in cells):
        yield fact(f"Some {SIGNS['undecided']}", NOT_AFTER_HOLM)
    alone = [ranking for ranking in found if ranking and not ranking.leader]
    several = (place for ranking in alone if len(ranking.places) > 1 for place in ranking.places)
    for why in dict.fromkeys(place.reason for place in several):
        if why:
            yield fact("No ratio", why)


def _versioned(label: str, declared: Mapping[str, object]) -> str:
    """Add the version of its middleware to a label, behind the name."""
    title = str(declared.get("title") or "")
    number = version(declared)
    if not title or not number:
        return label
    name, _, last = title.rpartition(" ")
    # "Fast DDS 3", of version 3.2.2.
    name = name if number.startswith(f"{last}.") else title
    return label.replace(title, f"{name} {number}", 1)


def _key(ranking: Ranking) -> Workload:
    return (ranking.test, ranking.placement, ranking.size, tuple(ranking.workload.items()))


def _labels(
    campaign: Campaign, known: Mapping[Workload, Members], shown: Sequence[Workload]
) -> Iterator[tuple[str, Role]]:
    """Return labels with their roles: middleware by its figure of the first workload, without one
    there by the figure of the next; then baselines, then the floor."""
    costs: dict[str, list[float]] = {}
    roles: dict[str, Role] = {}
    only_baselines = all(c.is_baseline for c in campaign.cases if not c.is_floor)
    for place, workload in enumerate(shown):
        for label, case in known[workload].items():
            costs.setdefault(label, [inf] * len(shown))[place] = _cost(case)
            is_baseline = case.is_baseline and not only_baselines
            roles[label] = "floor" if label == FLOOR_LABEL else "baseline" if is_baseline else ""
    order: tuple[Role, ...] = ("", "baseline", "floor")
    ranked = sorted(costs, key=lambda label: (order.index(roles[label]), costs[label], label))
    return ((label, roles[label]) for label in ranked)


def _foremost(labels: Sequence[str], workloads: Sequence[Members]) -> set[str]:
    """Choose as many labels as there are rows: those that come first in any workload, so that the
    best of each is among them."""
    first = dict.fromkeys(labels, len(labels))
    for members in workloads:
        own = [label for label in labels if label in members]
        own.sort(key=lambda label: _cost(members[label]))
        first |= {label: min(first[label], place) for place, label in enumerate(own)}
    return {*sorted(labels, key=first.__getitem__)[:MOST_LABELS]}


def _cost(case: CaseSummary) -> float:
    """Return the case's figure so that smaller is better; infinite without one."""
    found = case.headline
    value = found.figure.value if found else inf
    if found is None or found.is_time:
        return value
    return 1 / value if value else inf


def _where(workload: Workload, among: Iterable[Workload]) -> str:
    """Name it, or its size, and what it differs in from others of its test and placement."""
    *_, size, further = workload
    others = [dict(other[3]) for other in among if other[:2] == workload[:2]]
    own = {
        name: value
        for name, value in further
        if name == NAME or any(o.get(name) != value for o in others)
    }
    sized = size is not None and NAME not in own
    parts = (text.size_text(size) if sized else "", described(own))
    return ", ".join(filter(None, parts))


def _workload(
    where: str,
    placement: str,
    cases: Sequence[CaseSummary | None],
    ranking: Ranking | None,
    found: Mapping[str, Flags],
) -> Iterator[Column]:
    """Yield the figure of each label, and its ratio to the leader's."""
    headline = next(case.headline for case in cases if case and case.headline)
    what = figure_of(headline.kind)
    group = f"{text.upper_first(what)}, {placement_short(placement)}"
    cells = [_marked(_figure(case), case, found) for case in cases]
    yield Column(where, cells, "figure", headline.figure.unit, group=group, scale=group)
    if ranking and (ratios := _ratios(cases, ranking)):
        yield Column("×", ratios, "ratio", group=group)


def _ratios(cases: Sequence[CaseSummary | None], ranking: Ranking) -> list[Cell]:
    """Return the ratio of each case to the leader's; none where nothing is compared."""
    if len([case for case in cases if case and not case.is_floor]) < 2:
        return []
    ratios = [_ratio(case, ranking) for case in cases]
    return ratios if any(cell.verdict not in ("", "reference") for cell in ratios) else []


def _own_columns(
    campaign: Campaign,
    group: str,
    cases: Sequence[CaseSummary | None],
    ranking: Ranking | None,
    found: Mapping[str, Flags],
) -> Iterator[Column]:
    """Yield the figure by which the cases of a workload are ranked, its ratio to the leader's, and
    what the scenario asks for besides."""
    headline = next((case.headline for case in cases if case and case.headline), None)
    kind, unit = (headline.kind, headline.figure.unit) if headline else ("one_way", "ns")
    first = text.upper_first(figure_of(kind))
    cells = [_marked(_figure(case), case, found) for case in cases]
    cells = [replace(cell, text=LOST_TEXT if cell.text else "", more="") for cell in cells]
    yield Column(first, cells, "figure", unit if _has_values(cells) else "", group=group)
    if ranking and (ratios := _ratios(cases, ranking)):
        yield Column("×", ratios, "ratio", group=group)
    for heading, name in campaign.columns.items():
        of = subject(name, heading)
        besides = [_besides(case, of) for case in cases]
        shown: Kind = "figure" if any(cell.low is not None for cell in besides) else "number"
        scale = first if of.unit == unit else ""
        own = of.unit if _has_values(besides) else ""
        yield Column(heading, besides, shown, own, group=group, scale=scale)


def _has_values(cells: Sequence[Cell]) -> bool:
    return any(cell.value is not None for cell in cells)


LOST_TEXT = "lost"
"""Text of a latency that falls among the samples that were lost."""


def _besides(case: CaseSummary | None, of: Subject) -> Cell:
    """Return a figure of a case that a limit could be on."""
    if case is None:
        return ABSENT
    quantity = LATENCY_OF.get(case.test, "one_way") if of.quantity == "latency" else of.quantity
    times = case.times(quantity) if of.row.of_samples else None
    hidden = _is_lost(times, of) if times else of.row.of_samples and lost_text(case, "median")
    if hidden:
        return Cell(text=LOST_TEXT, note=hidden)
    if times and of.percent is not None:
        rung = next((each for each in times.percentiles if each.percent == of.percent), None)
        if rung is None or rung.value_ns is None:
            return Cell(note=FEW_OF_ALL)
        return Cell(rung.value_ns, rung.low_ns, rung.high_ns)
    row = case.whole.rows.get((quantity, of.statistic))
    return Cell(row.value, row.low, row.high, note=row.reason or "") if row else ABSENT


FEW_OF_ALL = "fewer than ten independent samples of all rounds lie beyond it"


def _is_lost(times: Distribution, of: Subject) -> str:
    """Return why a statistic of a latency has no value, where that is what was lost."""
    pooled = [each for each in times.percentiles if each.percent == of.percent and each.lost]
    row = times.row("median" if of.percent is not None else of.statistic)
    return AMONG_LOST if pooled else (row.reason or "") if row and row.bound == "lower" else ""


def _figure(case: CaseSummary | None) -> Cell:
    if case is None:
        return ABSENT
    if case.headline is None:
        return Cell(text=lost_text(case, "median"), note=case.reason or "", case=case.id)
    figure = case.headline.figure
    # The share that the tables show: of all rounds together.
    lost, due = LOST.value(case), LOST.of(case) if LOST.of else None
    word = "unanswered" if case.has_requests else "lost"
    more = f"{word} {text.percent_text(lost / due)}" if lost and due and not case.has_pings else ""
    return Cell(figure.value, figure.low, figure.high, more=more, case=case.id)


def _marked(cell: Cell, case: CaseSummary | None, found: Mapping[str, Flags]) -> Cell:
    """Return the cell with the marks of what spoils its figure."""
    if case is None or case.id not in found or case.headline is None:
        return cell
    names = {*NAMES.get(case.headline.kind, ()), case.headline.kind, "rounds"}
    marks = [
        flag.mark
        for flag in found[case.id].flags
        if flag.severity != "note" and (not flag.concerns or names & {*flag.concerns})
    ]
    return replace(cell, marks=tuple(marks))


def _ratio(case: CaseSummary | None, ranking: Ranking) -> Cell:
    if case is None or case.is_floor:
        return ABSENT
    if case.id == ranking.leader:
        return Cell(1.0, verdict="reference")
    place = ranking.place(case.id)
    if place is not None and place.role == "not compared":
        return Cell(text="not compared", note=place.reason or "")
    if place is None or place.to_leader is None:
        return ABSENT
    return ratio_cell(place.to_leader)


def ratio_cell(versus: Versus) -> Cell:
    """Return the ratio with its verdict; the 99th percentile behind it where that says something
    else."""
    verdict, ratio = verdict_of(versus.verdict), versus.ratio
    tail = verdict_of(versus.p99_verdict) if versus.p99_verdict else verdict
    more = ""
    if (
        versus.p99
        and versus.p99.value > 0
        and tail in ("better", "worse")
        and tail != verdict
        and abs(log(versus.p99.value)) > log(1 + EQUIVALENT)
    ):
        more = f"p99 {ratio_text(Cell(versus.p99.value))}"
    if "loses" in versus.verdict:
        return Cell(text=versus.verdict, verdict=verdict, more=more, note=versus.reason or "")
    if ratio is None:
        return Cell(verdict="undecided", more=more, note=versus.reason or "")
    return Cell(
        ratio.value, ratio.low, ratio.high, verdict=verdict, more=more, note=versus.reason or ""
    )


def verdict_of(verdict: str) -> Verdict:
    """Return what the interval of a ratio allows to be said."""
    if verdict in WORSE:
        return "worse"
    if verdict in BETTER:
        return "better"
    return "equivalent" if verdict == "equivalent" else "undecided"


def version(declared: Mapping[str, object]) -> str:
    """Return the version of a middleware without its name, as its adapter declares it."""
    sentence = str(declared.get("middleware_version") or "")
    words = sentence.split()
    numbered = [word for word in words if word.removeprefix("v")[:1].isdigit()]
    return numbered[0].rstrip(",;") if numbered else ""


def _effects(campaign: Campaign) -> Table | None:
    """Return what each value of a parameter costs over another: a row for each middleware, in the
    order of the questions, what costs most first."""
    found: dict[tuple[str, str, str, str, str], list[Effect]] = {}
    for effect in campaign.effects:
        if effect.parameter not in WITH_SPENT and not _is_as_specified(effect):
            key = (effect.parameter, effect.value, effect.reference, effect.label, effect.figure)
            found.setdefault(key, []).append(effect)
    if not found:
        return None
    asked = [case.headline.kind for case in campaign.cases if case.headline]
    first = {kind: place for place, kind in reversed([*enumerate(dict.fromkeys(asked))])}
    ordered = sorted(
        found.items(), key=lambda each: (first.get(each[0][4], len(first)), -_largest(each[1]))
    )
    kept = ordered[:MOST_EFFECTS]
    fields = (
        Field("With", lambda each: each[0][1]),
        Field("Instead of", lambda each: each[0][2]),
        Field("Middleware", lambda each: each[0][3]),
        Field("Figure", lambda each: figure_of(each[0][4])),
        Field("Least ×", lambda each: _extreme(each[1], min), kind="ratio"),
        Field("Most ×", lambda each: _extreme(each[1], max), kind="ratio"),
        Field("Pairs", lambda each: Cell(len(each[1]), more=_counts(each[1]))),
    )
    searched = {figure in SEARCHES for *_, figure in found}
    pairs = text.joined([OF_SEARCHES if each else "round by round" for each in sorted(searched)])
    notes = [Text("effects", {"pairs": pairs}), *_not_paired(campaign, found.values())]
    if len(found) > len(kept):
        notes.append(further_rows(len(found) - len(kept)))
    return listing(kept, fields, "What each choice costs", note=notes, key="effects")


def _not_paired(campaign: Campaign, found: Iterable[Sequence[Effect]]) -> Iterator[Text]:
    """Name middleware without an effect, and why."""
    paired = {campaign.case(each.versus.case).middleware for own in found for each in own}
    others = [
        c for c in campaign.cases if c.headline and not c.is_floor and c.middleware not in paired
    ]
    for title, is_baseline in (
        ("Baselines are not in this table", True),
        ("Without two cases that differ in one of these alone", False),
    ):
        if names := dict.fromkeys(c.middleware for c in others if c.is_baseline == is_baseline):
            yield fact(title, text.joined([*names]))


def sizes(campaign: Campaign) -> Section | None:
    """Return how latency grows with the size of the body: overhead and time per byte."""
    fits = [fit for fit in campaign.fits if not campaign.case(fit.cases[0]).is_floor][:MOST_FITS]
    if not fits:
        return None
    fields = (
        Field("Middleware", lambda fit: _with_workload(campaign.case(fit.cases[0]))),
        Field("Transport", lambda fit: campaign.case(fit.cases[0]).choices.get("transport")),
        Field("Placement", lambda fit: placement_short(fit.placement)),
        Field("Overhead", "overhead", "ns", kind="figure"),
        Field("Per byte", "slope", "ns/B", kind="figure"),
        Field("Departure", "departure", "1"),
    )
    table = listing(fits, fields, note=[Text("sizes")], key="sizes")
    return Section("Median RTT/2 against size", [table])


def _with_workload(case: CaseSummary) -> Cell:
    return Cell(", ".join(filter(None, (case.label, described(case.workload)))), label=case.label)


def growth(campaign: Campaign) -> Section | None:
    """Return how discovery grows with the endpoints that are there already."""

    def where(of: DiscoveryGrowth) -> Row:
        case = campaign.case(of.cases[0])
        rest = described({k: v for k, v in case.workload.items() if k != WORKLOAD})
        return Row(group=", ".join(filter(None, (placement_short(of.placement), rest))))

    fields = (
        Field("Middleware", labelled),
        Field("Until", lambda of: of.figure.replace("_", " ")),
        Field("Exponent", "exponent", kind="figure"),
        Field("Farthest off at", lambda of: None if of.exponent else of.farthest),
        Field("Times the law", lambda of: None if of.exponent else of.farthest_factor),
    )
    note = (
        "Time as a power of the number of endpoints, without the case of none. 0: the number does "
        "not matter; 1: the time is proportional to it; —: no power law describes it."
    )
    table = listing(campaign.growths, fields, note=note, key="growth", row=where)
    return Section("Discovery against existing endpoints", [table]) if table.rows else None


def _is_as_specified(effect: Effect) -> bool:
    """Return whether both have just the goodput that the rate gives, which says nothing of a
    cost."""
    paced = effect.figure not in TIMES and effect.rate_hz is not None
    return paced and effect.versus.verdict == "equivalent"


def _largest(effects: Iterable[Effect]) -> float:
    """Return the largest change of those that are decided, as a logarithm."""
    known = (e.versus for e in effects if e.versus.verdict != "undecided")
    return max((abs(log(v.ratio.value)) for v in known if v.ratio and v.ratio.value > 0), default=0)


def _extreme(effects: Iterable[Effect], which: Callable[..., Versus]) -> Cell:
    """Return the decided comparison with the smallest or largest ratio."""
    known = [e.versus for e in effects if e.versus.ratio and e.versus.verdict != "undecided"]
    if not known:
        return Cell(verdict="undecided")
    chosen = which(known, key=lambda one: one.ratio.value if one.ratio else 0)
    return replace(ratio_cell(chosen), more="")


def _counts(effects: Sequence[Effect]) -> str:
    """Return how many of them are decided."""
    undecided = sum(effect.versus.verdict == "undecided" for effect in effects)
    return f"({text.count(undecided)} undecided)" if undecided else ""
