"""Whether a governance document protects what the profile of its name promises: a result says that
a case has run with that profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from busmark.security.elements import Element
from busmark.security.findings import GOVERNANCE, Finding
from busmark.security.governance import DOMAIN_RULE, TOPIC_RULE
from busmark.security.profiles import DDS
from busmark.security.reading import Rule, flag

TOPIC = "busmark_ping"
"""One of Busmark's topics: rules for others say nothing of a run."""
STRENGTH = {"SIGN": 1, "ENCRYPT": 2}
"""A kind of protection by its first word; either may end in `_WITH_ORIGIN_AUTHENTICATION`."""
ABSENT = "absent"


def found(path: Path, rules: Sequence[Rule]) -> Iterator[Finding]:
    """What is protected less; nothing for documents that have no profile's name."""
    if path.stem not in DDS:
        return
    for rule in rules:
        yield from _weaker(path, rule.element, rule.element, DOMAIN_RULE)
        yield from _weaker(path, rule.element, _topic_rule(rule.element), TOPIC_RULE)


def _topic_rule(rule: Element) -> Element | None:
    """The first that is about Busmark's topics: that one holds."""
    listed = (each for of in rule.all("topic_access_rules") for each in of.all("topic_rule"))
    return next(
        (each for each in listed if fnmatchcase(TOPIC, each.value("topic_expression"))), None
    )


def _weaker(
    path: Path, rule: Element, element: Element | None, keys: Sequence[str]
) -> Iterator[Finding]:
    for key in keys:
        promised = getattr(DDS[path.stem].governance, key)
        actual = element.value(key) if element else ""
        if isinstance(promised, bool):
            weak = promised and not (element and flag(element, key))
        else:
            weak = _strength(actual) < _strength(promised)
        if weak:
            line = ((element and element.first(key)) or element or rule).line
            told = str(promised).lower() if isinstance(promised, bool) else promised
            yield Finding(
                "weaker-than-promised", str(path), f"line {line}", GOVERNANCE,
                f"{key} is {actual or ABSENT}, but profile {path.stem} has {told}",
                "Sign a document that protects as much, or give it another name.",
            )  # fmt: skip


def _strength(kind: str) -> int:
    return STRENGTH.get(kind.upper().partition("_")[0], 0)
