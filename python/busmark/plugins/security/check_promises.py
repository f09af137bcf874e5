"""Whether a governance document protects just what the profile of its name promises: a result says
that a case has run with that profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from busmark.plugins.security.elements import Element
from busmark.plugins.security.findings import GOVERNANCE, Finding
from busmark.plugins.security.governance import DOMAIN_RULE, TOPIC_RULE
from busmark.plugins.security.profiles import DDS, KINDS, NOTHING
from busmark.plugins.security.reading import Rule, flag

TOPIC = "busmark_ping"
"""One of Busmark's topics: rules for others say nothing of a run."""
OPENS = "allow_unauthenticated_participants"
"""The one key whose `true` protects less."""
ABSENT = "absent"


def found(path: Path, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Return what is protected less, or more; nothing for documents that have no profile's name."""
    if path.stem not in DDS:
        return
    for rule in rules:
        yield from _differing(path, rule.element, rule.element, DOMAIN_RULE)
        yield from _differing(path, rule.element, _topic_rule(rule), TOPIC_RULE)


def _topic_rule(rule: Rule) -> Element | None:
    """Return the first that is about Busmark's topics: that one holds."""
    matching = (e for e in rule.topic_rules if fnmatchcase(TOPIC, e.value("topic_expression")))
    return next(matching, None)


def _differing(
    path: Path, rule: Element, element: Element | None, keys: Sequence[str]
) -> Iterator[Finding]:
    for key in keys:
        promised = getattr(DDS[path.stem].governance, key)
        said = element.value(key) if element else ""
        actual: bool | str
        if isinstance(promised, bool):
            actual = element is not None and flag(element, key)
            less = actual == (key == OPENS)
        else:
            actual = said or NOTHING
            less = KINDS.index(actual) < KINDS.index(promised)
        if actual != promised:
            word = str(promised).lower() if isinstance(promised, bool) else promised
            line = ((element and element.first(key)) or element or rule).line
            yield Finding(
                f"{'weaker' if less else 'stronger'}-than-promised", str(path), f"line {line}",
                GOVERNANCE, f"{key} is {said or ABSENT}, but profile {path.stem} has {word}",
                "Sign a document that protects as the profile does, or give it another name.",
            )  # fmt: skip
