"""Whether permissions let a participant do what a run asks of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from busmark.errors import UserError
from busmark.plan import ANY_RUN
from busmark.plugins.security import reading
from busmark.plugins.security.authority import subject_of
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.domains import Domains, covered
from busmark.plugins.security.reading import Criteria, Element, Grant

WAYS = {"publish": "publish", "subscribe": "subscribe to"}
"""Elements of a rule, and the words for them."""


def check_rights(
    documents: Documents, participant: str, domain: int, topics: Mapping[str, Collection[str]]
) -> None:
    """Refuse permissions with which an endpoint could not be made.

    Args:
        documents: the directory.
        participant: whose permissions.
        domain: of the run.
        topics: those it must be able to `publish` and to `subscribe`, of a run that has not begun.

    Raises:
        UserError: the first topic that is not allowed.
    """
    at = documents.layout
    path = at.permissions(participant)
    subject = subject_of(reading.certificate_of(at.certificate(participant)))
    _, root = reading.signed(path)
    own = next(each for each in reading.grants(root, path) if same_subject(each.subject, subject))
    for what, wanted in topics.items():
        for topic in sorted(wanted):
            if not allowed(own, domain, what, topic):
                # The rest of the name is the run's own.
                pattern = f"{topic.partition(ANY_RUN)[0]}*"
                raise UserError(
                    f"{participant} may not {WAYS[what]} {pattern}, which the run needs",
                    where=f"{path}, line {own.element.line}",
                    remedy=f"Allow {pattern}, in no or any partition, and sign the document again; "
                    f"or make documents without --{what}: they allow every topic of Busmark's.",
                )


def allowed(grant: Grant, domain: int, what: str, topic: str) -> bool:
    """Return whether the subject of a grant may `publish` a topic, or `subscribe` to it, in the
    partition without a name. The first rule that speaks of it holds, and the default where there is
    none (DDS Security 1.1, 9.4.1.3)."""
    own = Domains(domain, domain)
    for rule in grant.rules:
        criteria = rule.criteria(what) if covered(own, rule.domains) else []
        if any(_speaks_of(topic, each) for each in criteria):
            return rule.allows
    return grant.default == "ALLOW"


def _speaks_of(topic: str, criteria: Criteria) -> bool:
    return _matches(topic, criteria.topics) and (
        not criteria.partitions or _matches("", criteria.partitions)
    )


def _matches(name: str, patterns: Sequence[Element]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in reading.texts(patterns))


def same_subject(one: str, other: str) -> bool:
    """Return whether two names are equal but for blanks behind commas."""
    first, second = ([part.strip() for part in text.split(",")] for text in (one, other))
    return first == second
