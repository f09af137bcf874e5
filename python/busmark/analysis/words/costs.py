"""What a parameter costs, in sentences: "Reliable costs 1.12 [1.08, 1.16] × the RTT/2 of …"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from busmark.analysis.across.dimensions import choice_text, placement_text, title
from busmark.analysis.across.effects import parameters
from busmark.analysis.across.spent import BYTES, SPENT
from busmark.analysis.across.standing import Effect
from busmark.analysis.figures import Figure
from busmark.analysis.model import TIMES, Answer
from busmark.analysis.words.naming import described
from busmark.analysis.words.ranking import figure_of
from busmark.analysis.words.ratios import inverse, range_text, ratio_text
from busmark.analysis.words.text import plural, size_text
from busmark.model.parameter import PROFILES

MOST_NAMED = 2
"""Labels in one sentence."""

MOST_VALUES = 2
"""Sentences of one parameter and test; the tables have all its values."""

LEVELS = {"security": [choice_text("security", profile) for profile in PROFILES]}
"""Values from the least to the most, by parameter; of all others as the cases have them."""

STEM = 6
"""Letters by which a word of the question matches a parameter: "reliability", "reliable"."""


def costs(effects: Sequence[Effect]) -> dict[str, list[Answer]]:
    """By parameter, a sentence for each test and pair of values: first one for each test. Before
    them one about bytes, where packets were captured: whoever captures asks for it."""
    found: dict[str, list[Answer]] = {}
    for name in parameters(effects):
        alike: dict[tuple[str, str, str], list[Effect]] = {}
        for effect in effects:
            if effect.parameter == name:
                key = (effect.test, effect.value, effect.reference)
                alike.setdefault(key, []).append(effect)
        by_test: dict[str, list[Answer]] = {test: [] for test, *_ in alike}
        # For values that grow, the last against the first says most.
        for test, value, reference in sorted(alike, key=lambda key: _level(name, key[1]))[::-1]:
            if telling := [e for e in alike[test, value, reference] if not _is_as_asked(e)]:
                by_test[test].append(_sentence(telling))
        in_turn = zip_longest(*(of_test[:MOST_VALUES] for of_test in by_test.values()))
        sentences = [told for turn in in_turn for told in turn if told]
        found[name] = [*_on_the_wire(name, effects), *sentences]
    return found


def _on_the_wire(name: str, effects: Sequence[Effect]) -> list[Answer]:
    """What the last of the values costs in bytes; nothing where that is not known."""
    known = [e for e in effects if e.parameter == name and BYTES in e.spent]
    if not known:
        return []
    last = max(known, key=lambda effect: _level(name, effect.value))
    alike = [
        e for e in known
        if (e.test, e.value, e.reference) == (last.test, last.value, last.reference)
    ]  # fmt: skip
    return [_told(alike, ("cost", "costs"), SPENT[BYTES], _bytes, lambda _: "")]


def _bytes(effect: Effect) -> Figure | None:
    return effect.spent.get(BYTES)


def _level(name: str, value: str) -> int:
    levels = LEVELS.get(name, ())
    return levels.index(value) if value in levels else -1


def _is_as_asked(effect: Effect) -> bool:
    """Whether both have just the goodput that was asked for, which says nothing of a cost."""
    paced = effect.figure not in TIMES and effect.rate_hz is not None
    return paced and effect.versus.verdict == "equivalent"


def is_asked(parameter: str, question: str) -> bool:
    """Whether the title or the question of a scenario is about a parameter."""
    asked = question.lower().replace("-", " ")
    words = [word[:STEM] for word in title(parameter).lower().split()]
    return any(word in asked for word in words) or (
        parameter.startswith("qos.") and "qos" in asked.split()
    )


def _sentence(effects: Sequence[Effect]) -> Answer:
    """Sentence about what was measured."""
    first = effects[0]
    verbs = ("cost", "costs") if first.figure in TIMES else ("carry", "carries")
    return _told(effects, verbs, figure_of(first.figure), lambda e: e.versus.ratio, _doubt)


def _told(
    effects: Sequence[Effect], verbs: tuple[str, str], what: str,
    ratio_of: Callable[[Effect], Figure | None], doubt: Callable[[Effect], str],
) -> Answer:  # fmt: skip
    """Sentence about the middle size, for each label; and the range over all. The value whose
    ratio is at least 1 is the subject."""
    first = _middle(effects)
    own = ratio_of(first)
    turned = own is not None and own.value < 1.0

    def oriented(ratio: Figure) -> Figure:
        return inverse(ratio) if turned else ratio

    def told(effect: Effect) -> str:
        ratio = ratio_of(effect)
        if ratio is None:
            return "an unknown multiple of"
        ratio = oriented(ratio)
        if ratio.value < 1.0:
            return f"the other way round {ratio_text(inverse(ratio))}"
        return ratio_text(ratio)

    same = [e for e in effects if _where(e) == _where(first)]
    shown = list({e.label: e for e in same}.values())[:MOST_NAMED]
    where = _where(first)
    subject, other = (first.value, first.reference)[:: -1 if turned else 1]
    verb = verbs[0 if subject.endswith("CPUs") else 1]
    lead = f"{_capital(subject)} {verb} {told(first)} the {what} of {other}"
    lead += f" with {first.label}{doubt(first)}"
    if doubt(first) and _is_open(first):
        lead = f"Undecided: {subject} against {other}, {told(first)} the {what} with {first.label}"
        lead += doubt(first).removesuffix(" (undecided)")
    others = [
        f"{told(e).removesuffix(' of')} with {e.label}{doubt(e)}"
        for e in shown
        if e.label != first.label
    ]
    rest = f" and {others[0]}" if len(others) == 1 else "".join(f", {other}" for other in others)
    rest += f", at {where}" if where else ""
    known = [(e, oriented(ratio)) for e in effects if (ratio := ratio_of(e))]
    if len(known) > len(shown):
        told_apart = [ratio for e, ratio in known if not (doubt(e) and _is_open(e))]
        rest += f" ({_over(told_apart, len(known))})"
    return Answer(lead=lead, rest=f"{rest}.")


def _is_open(effect: Effect) -> bool:
    return effect.versus.verdict == "undecided"


def _over(ratios: Sequence[Figure], compared: int) -> str:
    """The range of the ratios that differ or are equivalent, out of all that were compared: an open
    one would widen it by chance."""
    left = compared - len(ratios)
    if not ratios:
        return f"none of {plural(compared, 'comparison')} is significant"
    found = f"{range_text(ratios)} over {plural(len(ratios), 'comparison')}"
    return f"{found}; {left} more {'is' if left == 1 else 'are'} not significant" if left else found


def _middle(effects: Sequence[Effect]) -> Effect:
    """One that stands for all: of the middle size of those with a ratio."""
    known = [e for e in effects if e.versus.ratio] or list(effects)
    sizes = sorted({e.size or 0 for e in known})
    middle = sizes[len(sizes) // 2]
    return next(e for e in known if (e.size or 0) == middle)


def _where(effect: Effect) -> str:
    parts = [size_text(effect.size)] if effect.size is not None else []
    parts += [placement_text(effect.placement)] if effect.placement else []
    return ", ".join(filter(None, (" ".join(parts), described(effect.workload))))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _doubt(effect: Effect) -> str:
    """What keeps a ratio from being a difference."""
    versus = effect.versus
    if versus.ratio is None:
        return f" ({versus.reason})"
    if versus.verdict == "equivalent":
        return " (equivalent within 2 %)"
    if _is_open(effect):
        includes = versus.ratio.low is None or versus.ratio.low <= 1.0 <= (versus.ratio.high or 1.0)
        return " (undecided)" if includes else " (not significant after correction)"
    return f" (and {versus.verdict})" if versus.verdict.startswith("loses") else ""
