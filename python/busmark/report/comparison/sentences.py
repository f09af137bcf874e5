"""Who is faster, in a sentence for each workload: what a command of one line ends with.

A sentence says "faster" only where the comparison does (`analysis.pairwise.verdict`: the interval
of the ratio has no 1, also with all other comparisons in mind), and where no finding says that a
figure is wrong. Baselines, such as plain sockets, are what others are held against: none is the
winner over a middleware.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.analysis import Campaign
from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.figures import Figure
from busmark.analysis.model import CaseSummary
from busmark.analysis.words.answer import spoilt_by
from busmark.analysis.words.ratios import inverse, ratio_text, verb
from busmark.analysis.words.text import number, percent_text, plural, size_text
from busmark.compare.model import Change, Comparison, Pair
from busmark.report.comparison.words import figure_name, share_text


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences about one figure."""

    title: str
    sentences: list[str]
    warning: str
    """Findings that distort some of the figures; empty: there are none."""


@dataclass(frozen=True, slots=True)
class Party:
    """One of two that are compared."""

    case: CaseSummary
    name: str
    is_baseline: bool

    def verb(self, several: str, one: str) -> str:
        """ "TCP sockets are", "Eclipse Zenoh is"."""
        return verb(self.name, several, one)


def groups(comparison: Comparison, campaign: Campaign) -> list[Group]:
    """All that was compared, by figure; the reference is the first that was named."""
    cases = {case.id: case for case in campaign.cases}
    by_figure: dict[str, list[tuple[Pair, Change]]] = {}
    for pair in comparison.pairs:
        headline = pair.headline
        if headline is not None and not pair.is_floor:
            by_figure.setdefault(figure_name(headline), []).append((pair, headline))
    found = []
    for name, pairs in by_figure.items():
        concerned = {
            case for pair, _ in pairs for case in (pair.baseline_case, pair.candidate_case)
        }
        sentences = [_sentence(*each, comparison, campaign, cases) for each in pairs]
        title = _title(name, [pair for pair, _ in pairs])
        found.append(Group(title, sentences, _warning(concerned, campaign)))
    return found


def _title(name: str, pairs: Sequence[Pair]) -> str:
    rounds = sorted({min(pair.baseline_rounds, pair.candidate_rounds) for pair in pairs})
    fewest = "" if len(rounds) == 1 else f"{rounds[0]} to "
    how = f"{fewest}{plural(rounds[-1], 'round')} each, interleaved"
    return f"{name[:1].upper()}{name[1:]} ({how}; 95 % intervals)"


def pairs_that_work(campaign: Campaign) -> list[str]:
    """For every matrix of writers and readers, how many pairs exchange all samples."""
    told = []
    for matrix in campaign.interop:
        tried = [cell for cell in matrix.cells if cell.state != "unsupported"]
        count = f"{matrix.working} of {plural(len(tried), 'pair')}"
        verb = "exchanges" if matrix.working == 1 else "exchange"
        sentence = f"{matrix.test}, {matrix.workload}: {count} {verb} all samples"
        if left := len(matrix.cells) - len(tried):
            sentence += f", {plural(left, 'pair')} unsupported"
        rest = [f"{c.writer} → {c.reader}: {c.state}" for c in tried if c.state != "works"]
        told.append("; ".join([sentence, *rest]))
    return told


def _warning(cases: set[str], campaign: Campaign) -> str:
    """The warnings about any of these cases, by their titles."""
    titles = dict.fromkeys(
        finding.title
        for finding in campaign.findings
        if finding.severity == "warning" and cases & set(finding.cases)
    )
    if not titles:
        return ""
    listed = "; ".join(titles)
    return f"{plural(len(titles), 'finding')} above may distort these figures: {listed}"


def _sentence(
    pair: Pair, headline: Change, comparison: Comparison, campaign: Campaign,
    cases: dict[str, CaseSummary],
) -> str:  # fmt: skip
    both = [cases[pair.baseline_case], cases[pair.candidate_case]]
    reference, candidate = (
        Party(case, name, case.is_baseline)
        for case, name in zip(both, _names(both, pair, comparison), strict=True)
    )
    wrong = _wrong(both, campaign)
    if wrong:
        told = f"undecided: {_against(headline, candidate, reference)}, but {wrong}"
    else:
        told = _told(pair, headline, reference, candidate, comparison)
    return f"{_where(pair, comparison)}: {told}."


def _names(both: Sequence[CaseSummary], pair: Pair, comparison: Comparison) -> list[str]:
    """Labels, which tell both apart; where they do not, the value that is compared."""
    labels = [case.label for case in both]
    if "peer" in comparison.by:
        return [label if "→" in label else f"{label} → itself" for label in labels]
    if labels[0] != labels[1]:
        return labels
    sides = (comparison.baseline.name, pair.candidate)
    return [f"{label} ({side})" for label, side in zip(labels, sides, strict=True)]


def _where(pair: Pair, comparison: Comparison) -> str:
    parts = [size_text(pair.size)] if pair.size is not None else []
    if "placement" not in comparison.by:
        parts.append(placement_text(pair.placement))
    told = " ".join(parts) or pair.test
    return f"{told}, {pair.workload}" if pair.workload else told


def _wrong(both: Sequence[CaseSummary], campaign: Campaign) -> str:
    """Errors among the findings: they say that figures are wrong."""
    errors = [finding for finding in campaign.findings if finding.severity == "error"]
    whole = [finding.title for finding in errors if not finding.cases]
    told = "; ".join(title[:1].lower() + title[1:] for title in whole)
    return told or spoilt_by(both, errors)


def _told(
    pair: Pair, headline: Change, reference: Party, candidate: Party, comparison: Comparison
) -> str:
    ratio = headline.change
    if headline.verdict in ("loses more", "loses less"):
        more, less = (candidate, reference)
        if headline.verdict == "loses less":
            more, less = less, more
        verb = more.verb("lose", "loses")
        return f"undecided: {more.name} {verb} more samples than {less.name}{_losses(pair)}"
    if headline.verdict == "equivalent" and ratio:
        margin = share_text(comparison.equivalent)
        one, other, turned = _at_least_1(ratio, candidate, reference)
        alike = f"{one.name} and {other.name} are equivalent within {margin}"
        return f"{alike}: {ratio_text(turned)}{_tail(pair, candidate)}"
    if headline.verdict not in ("faster", "slower") or ratio is None:
        why = _why(pair, headline, comparison)
        return f"undecided: {_against(headline, candidate, reference)}; {why}"
    winner, loser = (
        (candidate, reference) if headline.verdict == "faster" else (reference, candidate)
    )
    subject, other = winner, loser
    if winner.is_baseline and not loser.is_baseline:
        subject, other = loser, winner
    return f"{_ordered(headline, subject, other, candidate, winner)}{_tail(pair, subject)}"


def _why(pair: Pair, headline: Change, comparison: Comparison) -> str:
    """Why there is no verdict."""
    ratio, adjusted = headline.change, headline.p_adjusted
    if ratio is not None and ratio.low is not None and ratio.high is not None:
        if ratio.low <= 1.0 <= ratio.high:
            return "the interval includes 1"
        if adjusted is not None and adjusted > 1.0 - comparison.confidence:
            tests = plural(comparison.counted(pair.candidate).headline_tests, "comparison")
            return f"not significant after correction for {tests} (p = {number(adjusted, 3)})"
    return headline.reason or "the rounds do not decide it"


def _ordered(
    headline: Change, subject: Party, other: Party, candidate: Party, winner: Party
) -> str:
    """ "A is 1.34 [1.30, 1.38] × faster than B"; of goodput, how much A carries."""
    assert headline.change is not None
    if headline.quantity == "throughput":
        reference = other if subject is candidate else subject
        more, less, ratio = _at_least_1(headline.change, candidate, reference)
        verb = more.verb("carry", "carries")
        return f"{more.name} {verb} {ratio_text(ratio)} as much as {less.name}"
    # For latencies, the longer over the shorter: who is slower stands above.
    ratio = _oriented(headline.change, of_candidate=winner is not candidate)
    word = "faster" if subject is winner else "slower"
    return (
        f"{subject.name} {subject.verb('are', 'is')} {ratio_text(ratio)} {word} than {other.name}"
    )


def _against(headline: Change, candidate: Party, reference: Party) -> str:
    """Both values' ratio, without an order."""
    if headline.change is None:
        return f"{candidate.name} against {reference.name}"
    one, other, ratio = _at_least_1(headline.change, candidate, reference)
    return f"{one.name} against {other.name} {ratio_text(ratio)}"


def _tail(pair: Pair, subject: Party) -> str:
    """What the 99th percentile says of it."""
    tail = next((change for change in pair.headlines if change.name == "p99.latency"), None)
    if tail is None or pair.headline is None or pair.headline.quantity == "throughput":
        return ""
    if tail.verdict not in ("faster", "slower") or tail.change is None:
        return "; p99 within 2 %" if tail.verdict == "equivalent" else "; p99 undecided"
    of_candidate = subject.case.id == pair.candidate_case
    faster = (tail.verdict == "faster") == of_candidate
    slower_is_candidate = tail.verdict == "slower"
    ratio = _oriented(tail.change, of_candidate=slower_is_candidate)
    return f"; by p99 {ratio_text(ratio)} {'faster' if faster else 'slower'}"


def _losses(pair: Pair) -> str:
    loss = next((change for change in pair.changes if change.name == "loss"), None)
    if loss is None or loss.baseline is None or loss.candidate is None:
        return ", and what is lost has no latency"
    shares = sorted((loss.baseline.value, loss.candidate.value), reverse=True)
    told = " against ".join(map(percent_text, shares))
    return f" ({told}), and what is lost has no latency"


def _at_least_1(ratio: Figure, candidate: Party, reference: Party) -> tuple[Party, Party, Figure]:
    """Who is over whom, so that the ratio is at least 1."""
    if ratio.value >= 1.0:
        return candidate, reference, ratio
    return reference, candidate, inverse(ratio)


def _oriented(ratio: Figure, *, of_candidate: bool) -> Figure:
    """The candidate over the reference as it was found, or the other way round."""
    return ratio if of_candidate else inverse(ratio)
