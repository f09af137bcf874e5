"""Discovery on the wire while late samples were under way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

LEAST = 3
"""Late samples with discovery; fewer are accident."""
FACTOR = 3.0
"""How much more often than beside other samples: a late sample is longer under way, so that more
passes meanwhile in any case."""


def check_case(view: CaseView) -> Iterator[Observation]:
    found = view.late
    if found is None or found.discovery_late < LEAST or not found.ordinary:
        return
    late = found.discovery_late / found.unproved
    ordinary = found.discovery_ordinary / found.ordinary
    if late <= FACTOR * ordinary or found.discovery_packet is None:
        return
    packet = found.discovery_packet
    yield Observation(
        "note",
        f"{whole(found.discovery_late)} of {count(found.unproved, 'late sample')} without another "
        f"cause on the wire, {whole(found.discovery_ordinary)} of "
        f"{count(found.ordinary, 'other sample')}; such as packet {packet.packet} of {packet.file}",
        weight=late,
    )


RULE = Rule(
    id="late-discovery",
    title="Discovery was on the wire while late samples were under way",
    cause="Participants announced themselves or their endpoints while these samples were under "
    "way, more often than beside other samples. It coincides: packets do not prove that it is the "
    "reason.",
    remedy="Measure longer after the match; look at the announcement period of the middleware and "
    "for further participants in the domain.",
    check_case=check_case,
    early=None,
    concerns=("tail",),
)
