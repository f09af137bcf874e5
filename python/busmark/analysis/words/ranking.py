"""Who is fastest, in a sentence for each workload and in one over all of them.

"Fastest" is said of the middleware under test alone, and only where every other one that was
compared is shown to be worse (`across.contest`). Baselines are named as references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from busmark.analysis.across.contest import value_of
from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.across.standing import Place, Standing
from busmark.analysis.figures import Figure
from busmark.analysis.model import TIMES, Answer, CaseSummary
from busmark.analysis.words.naming import described
from busmark.analysis.words.ratios import inverse, range_text, ratio_text, verb
from busmark.analysis.words.text import SCALES, TIME, figure_text, joined, plural, size_text

Cases = Mapping[str, CaseSummary]

MOST_NAMED = 3
"""Labels in one sentence; the rest is in the table."""

FIGURES = {
    "latency": "median RTT/2", "throughput": "goodput", "capacity": "sustained goodput",
    "discovery": "median time to the first sample", "one_way": "median one-way latency",
    "matching": "time until all had matched",
    "recovery": "time from the last change to the next sample",
}  # fmt: skip
"""By kind of headline."""

FASTEST = {"discovery": " in discovery", "one_way": " one way", "matching": " in matching",
    "recovery": " to recover",
}  # fmt: skip
"""What follows "fastest"; without a word it is of round trips, which most workloads are."""


def figure_of(kind: str) -> str:
    """What is compared."""
    return FIGURES.get(kind, FIGURES["latency"])


def where_of(standing: Standing) -> str:
    """ "64 B on one CPU, payload struct"."""
    told = dict(standing.workload)
    if standing.test == "throughput":
        # At full speed samples do not arrive by any model.
        told.pop("arrivals", None)
    size = "a size not stated" if standing.size is None else size_text(standing.size)
    return ", ".join(filter(None, (f"{size} {placement_text(standing.placement)}",
                                   described(told))))  # fmt: skip


def sentence(standing: Standing, cases: Cases) -> Answer | None:
    """What can be said of one workload; None where nothing was measured."""
    if standing.leader is None:
        return _uncompared(standing, cases)
    parts = [_nearest(standing, cases), _doubted(standing, cases), _reference(standing, cases)]
    if standing.outcome in ("tie", "undecided"):
        parts = [_ties(standing, cases), _behind(standing, cases), parts[2]]
    told = "; ".join(filter(None, parts))
    alone = [p for p in standing.places if p.role == "not compared"]
    apart = f". Not compared: {_named_alone(alone, cases)}" if alone else ""
    return Answer(lead=_lead(standing, cases), rest=(f" ({told})" if told else "") + apart + ".")


def _lead(standing: Standing, cases: Cases) -> str:
    leader = cases[standing.leader or ""]
    where, value = where_of(standing), value_of(leader)
    latency, fastest = standing.figure in TIMES, _fastest(standing)
    if standing.open:
        none = fastest if latency else f"highest {figure_of(standing.figure)}"
        told = f"No {none} can be named at {where}: {standing.open}"
        return told if leader.label in standing.open else f"{told}; {leader.label}: {value}"
    if standing.outcome in ("tie", "undecided"):
        names = [f"{cases[c].label} ({value_of(cases[c])})" for c in standing.best[:MOST_NAMED]]
        if (hidden := len(standing.best) - MOST_NAMED) > 0:
            names.append(f"{hidden} more")
        what = fastest if latency else f"the highest {figure_of(standing.figure)}"
        if standing.outcome == "undecided":
            return f"Undecided which is {what} at {where}: {joined(names)}"
        return f"Tie for {what} at {where}: {joined(names)}"
    if standing.outcome == "ahead":
        measured = "" if latency else f" in {figure_of(standing.figure)}"
        return f"Ahead{measured} at {where}: {leader.label}, {value}"
    if standing.others:
        what = fastest.capitalize() if latency else f"Highest {figure_of(standing.figure)}"
        return f"{what} at {where}: {leader.label}, {value}"
    label = _subject(leader.label, cases)
    return f"{label} at {where}: {figure_of(standing.figure)} {_with_interval(leader)}"


def _fastest(standing: Standing) -> str:
    kind = " baseline" if standing.only_baselines else ""
    return f"fastest{kind}{FASTEST.get(standing.figure, '')}"


def _subject(label: str, cases: Cases) -> str:
    """A label as the first word: a choice has no name whose letters are its own."""
    named = any(label.startswith(case.middleware) for case in cases.values())
    return label if named else label[:1].upper() + label[1:]


def _with_interval(case: CaseSummary) -> str:
    found = case.headline.figure if case.headline else None
    return figure_text(found, SCALES[found.unit] if found else TIME)


def _nearest(standing: Standing, cases: Cases) -> str:
    """How far the next is behind."""
    if not standing.others:
        return ""
    return _than(standing, standing.others[0], cases)


def _doubted(standing: Standing, cases: Cases) -> str:
    """Behind the next, those that are not shown to be worse once all workloads are in mind."""
    if standing.outcome != "ahead":
        return ""
    named = [cases[p.case].label for p in standing.others[1:]
             if p.to_leader and p.to_leader.verdict == "undecided"]  # fmt: skip
    return f"not significant over all workloads against {joined(named)}" if named else ""


def _than(standing: Standing, other: Place, cases: Cases) -> str:
    """ "1.60 [1.52, 1.71] × faster than TCP sockets", only where that is shown."""
    versus, label = other.to_leader, cases[other.case].label
    if versus is None or versus.ratio is None:
        return f"{label}: {versus.reason}" if versus and versus.reason else ""
    if versus.verdict == "loses more":
        return f"{label} {verb(label, 'lose', 'loses')} more samples"
    shown = versus.verdict == "slower"
    doubt = "not significant over all workloads" if versus.excludes_1 else "undecided"
    if standing.figure not in TIMES:
        told = f"{ratio_text(inverse(versus.ratio))} as much as {label}"
        return told if shown else f"{told}, {doubt}"
    if shown:
        return f"{ratio_text(versus.ratio)} faster than {label}{_tail(other)}"
    return f"{label}: {ratio_text(versus.ratio)} the {figure_of(standing.figure)}, {doubt}"


def _tail(other: Place) -> str:
    """What the 99th percentile says of the leader, where it does not say the same."""
    versus = other.to_leader
    if versus is None or versus.p99 is None or versus.p99_verdict != "faster":
        return ""
    return f", but by p99 {ratio_text(inverse(versus.p99))} slower"


def _ties(standing: Standing, cases: Cases) -> str:
    """The ratio of the one that ties with the leader, where that is one."""
    tied = [p for p in standing.others if p.case in standing.best]
    versus = tied[0].to_leader if len(tied) == 1 else None
    if versus is None or versus.ratio is None:
        return ""
    equal = ", equivalent within 2 %" if versus.verdict == "equivalent" else ""
    return f"their ratio: {ratio_text(versus.ratio)}{equal}"


def _behind(standing: Standing, cases: Cases) -> str:
    """The first behind those that tie."""
    rest = [p for p in standing.others if p.case not in standing.best and _behind_by(p)]
    ratio = _behind_by(rest[0]) if rest else None
    if ratio is None:
        return ""
    label = cases[rest[0].case].label
    if standing.figure not in TIMES:
        return f"the first carries {ratio_text(inverse(ratio))} as much as {label}"
    return f"{label} {verb(label, 'are', 'is')} {ratio_text(ratio)} slower than the first"


def _behind_by(place: Place | None) -> Figure | None:
    """The ratio to the leader of one that is shown to be behind."""
    versus = place.to_leader if place else None
    return versus.ratio if versus and versus.verdict == "slower" else None


def _reference(standing: Standing, cases: Cases) -> str:
    """ "2.31 [2.20, 2.41] × the median RTT/2 of UDP sockets (baseline)"."""
    place = standing.place(standing.reference or "")
    if place is None or place.to_leader is None or place.to_leader.ratio is None:
        return ""
    ratio, label = inverse(place.to_leader.ratio), cases[place.case].label
    open_ = "undecided: " if place.to_leader.verdict == "undecided" else ""
    if ratio.value < 1.0:
        what = figure_of(standing.figure)
        return f"{open_}{label} (baseline): {ratio_text(place.to_leader.ratio)} this {what}"
    return f"{open_}{ratio_text(ratio)} the {figure_of(standing.figure)} of {label} (baseline)"


def _uncompared(standing: Standing, cases: Cases) -> Answer | None:
    """Values without an order."""
    alone = [p for p in standing.places if p.role == "not compared"]
    what = figure_of(standing.figure)
    if not alone:
        return None
    if len(alone) == 1:
        case = cases[alone[0].case]
        label = _subject(case.label, cases)
        lead = f"{label} at {where_of(standing)}: {what} {_with_interval(case)}"
        return Answer(lead=lead, rest=f" ({alone[0].reason}).")
    lead = f"Not compared at {where_of(standing)}, {what}: {_named_alone(alone, cases)}"
    return Answer(lead=lead, rest=".")


def _named_alone(alone: Sequence[Place], cases: Cases) -> str:
    shown = alone[:MOST_NAMED]
    reasons = list(dict.fromkeys(p.reason or "" for p in shown))
    names = [f"{cases[p.case].label} ({value_of(cases[p.case])})" for p in shown]
    if len(reasons) > 1:
        names = [f"{name}: {p.reason}" for name, p in zip(names, shown, strict=True)]
    hidden = len(alone) - len(names)
    told = joined([*names, f"{hidden} more"] if hidden > 0 else names)
    return told if len(reasons) > 1 else f"{told}, as {reasons[0]}"


def overview(standings: Sequence[Standing], cases: Cases) -> list[Answer]:
    """In one sentence how several workloads of one test ended; nothing for a single one."""
    led = [s for s in standings if s.leader is not None]
    if len(led) < 2:
        return []
    labels = {cases[p.case].label for s in led for p in s.places if p.role == "compared"}
    if len(labels) == 1:
        return [_of_one(led, cases)]
    winners = {id(s): name for s in led if (name := winner(s, cases))}
    wins = Counter(winners.values())
    if not wins:
        return [_without_winner(led, cases)]
    return [_won(led, winners, wins, cases)]


def winner(standing: Standing, cases: Cases) -> str:
    """Label of the best; where several labels of one middleware tie, and there are others, the
    middleware; else empty."""
    labels = [cases[case].label for case in standing.best]
    if standing.outcome == "best":
        return labels[0]
    following = _next(standing, cases)
    if standing.outcome not in ("tie", "undecided") or not _behind_by(following):
        return ""
    middleware = {cases[case].middleware for case in standing.best}
    compared = {cases[p.case].middleware for p in standing.places if p.role == "compared"}
    return middleware.pop() if len(middleware) == 1 < len(compared) else ""


def _next(standing: Standing, cases: Cases) -> Place | None:
    """The first one behind the best."""
    return next((p for p in standing.others if p.case not in standing.best), None)


def _of_one(led: Sequence[Standing], cases: Cases) -> Answer:
    """Sentence about one label: its values at both ends, and how far it is from the reference."""
    like = [s for s in led if (s.placement, s.workload) == (led[0].placement, led[0].workload)]
    like.sort(key=lambda s: s.size or 0)
    told = [
        f"{value_of(cases[s.leader or ''])} at {size_text(s.size)}"
        for s in like[:1] + like[1:][-1:]
    ]
    where = where_of(like[0]).removeprefix(size_text(like[0].size))
    label, what = cases[led[0].leader or ""].label, figure_of(led[0].figure)
    lead = f"{_subject(label, cases)}: {what} {joined(told)}{where}"
    held = _held(led)
    if not held:
        return Answer(lead=lead, rest=".")
    names = list(dict.fromkeys(cases[s.reference or ""].label for s, _ in held))
    ratios = [ratio for _, ratio in held]
    rest = f"; {range_text(ratios)} the {what} of {joined(names)} (baseline)"
    if all(ratio.value < 1.0 for ratio in ratios):
        turned = range_text([inverse(ratio) for ratio in ratios])
        rest = f"; {joined(names)} (baseline): {turned} this {what}"
    against = [s.place(s.reference or "") for s, _ in held]
    open_ = sum(bool(p and p.to_leader and p.to_leader.verdict == "undecided") for p in against)
    undecided = f", {open_} undecided" if open_ else ""
    return Answer(lead=lead, rest=f"{rest} over {plural(len(held), 'workload')}{undecided}.")


def _held(led: Sequence[Standing]) -> list[tuple[Standing, Figure]]:
    """The leader over the reference, of each workload in which both were measured."""
    found = []
    for standing in led:
        place = standing.place(standing.reference or "")
        if place and place.to_leader and place.to_leader.ratio:
            found.append((standing, inverse(place.to_leader.ratio)))
    return found


def _won(
    led: Sequence[Standing], winners: Mapping[int, str], wins: Counter[str], cases: Cases
) -> Answer:
    (name, most), *others = sorted(wins.items(), key=lambda item: (-item[1], item[0]))
    test, figure, total = led[0].test, led[0].figure, len(led)
    share = f"{most} of {total}" if most < total else "both" if total == 2 else f"all {total}"
    best = "fastest" if figure in TIMES else f"ahead in {figure_of(figure)}"
    kind = "Baselines only: " if led[0].only_baselines else ""
    if _is_of_several(name, wins, cases):
        who = f"{kind}Several rows of {name} are"
    else:
        subject = name if kind else _subject(name, cases)
        who = f"{kind}{subject} {verb(name, 'are', 'is')}"
    lead = f"{who} {best} in {share} {test} workloads"
    behind = [_next(s, cases) for s in led if winners.get(id(s)) == name]
    ahead = [ratio for p in behind if (ratio := _behind_by(p))]
    if ahead and figure in TIMES:
        lead += f", {range_text(ahead)} faster than the next"
    elif ahead:
        lead += f", {range_text([inverse(r) for r in ahead])} as much as the next"
    return Answer(lead=lead, rest="; ".join(["", *_further(name, others, led, cases)]) + ".")


def _is_of_several(name: str, winners: Iterable[str], cases: Cases) -> bool:
    """Whether a middleware, of which several rows tie, has a row that is a winner of its own: one
    name must not be taken for the other."""
    own = {case.label for case in cases.values() if case.middleware == name}
    return name not in own and not own.isdisjoint(winners)


def _further(
    best: str, others: Sequence[tuple[str, int]], led: Sequence[Standing], cases: Cases
) -> list[str]:
    """How the other workloads ended."""
    rest = [s for s in led if not winner(s, cases)]
    ahead = Counter(cases[s.leader or ""].label for s in rest if s.outcome == "ahead")
    parts = []
    # The subject comes before the others.
    if own := ahead.pop(best, 0):
        parts.append(f"ahead in {own} more, but not significantly")
    names = [best, *(name for name, _ in others)]
    parts += [
        f"several rows of {name} in {count}" if _is_of_several(name, names, cases)
        else f"{name} in {count}"
        for name, count in others[:MOST_NAMED]
    ]  # fmt: skip
    if len(others) > MOST_NAMED:
        parts.append(f"others in {sum(count for _, count in others[MOST_NAMED:])}")
    for name, count in ahead.most_common(MOST_NAMED):
        parts.append(f"{name} ahead in {count}, but not significantly")
    if ties := sum(s.outcome == "tie" for s in rest):
        parts.append(plural(ties, "tie"))
    if undecided := sum(s.outcome in ("undecided", "open", "alone") for s in rest):
        parts.append(f"{undecided} undecided")
    return parts


def _without_winner(led: Sequence[Standing], cases: Cases) -> Answer:
    kind = "Baselines only: " if led[0].only_baselines else ""
    what = "fastest" if led[0].figure in TIMES else f"the highest {figure_of(led[0].figure)}"
    total = plural(len(led), f"{led[0].test} workload")
    if any(s.outcome != "tie" for s in led):
        rest = "; ".join(["", *_further("", [], led, cases)])
        return Answer(lead=f"{kind}No clear winner over {total}", rest=f"{rest}.")
    names = Counter(cases[c].label for s in led for c in s.best)
    told = [name if count == len(led) else f"{name} in {count}"
            for name, count in names.most_common(MOST_NAMED)]  # fmt: skip
    if (hidden := len(names) - len(told)) > 0:
        told.append(f"{hidden} more")
    every = "both" if len(led) == 2 else f"all {len(led)}"
    lead = f"{kind}Tie for {what} in {every} {led[0].test} workloads"
    return Answer(lead=lead, rest=f": {joined(told)}.")
