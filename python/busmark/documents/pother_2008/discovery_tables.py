"""Discovery in the columns of the slides."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.compare.campaign import Campaign
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.discovery import between_nodes
from busmark.documents.pother_2008.places import THERE, by_middleware
from busmark.documents.table import Table
from busmark.estimate.case import CaseSummary
from busmark.estimate.discovery import Discovery
from busmark.model.figure import Figure
from busmark.model.text import ABSENT, count, number

COLUMNS = (
    "New", "Where", "Loss of the link", "Endpoints there", "Creation-time, µs",
    "Discovery-time, µs", "So discovered, µs", "Lost before discovered",
)  # fmt: skip
STATED = ("New", "Where", *COLUMNS[4:])

CREATED = {"entity": "", "participant": " with participant"}


def discovery_tables(campaign: Campaign, cases: Sequence[CaseSummary]) -> list[Table]:
    """One for each middleware."""
    return [
        Table(
            group=f"{name}: discovery",
            title="Writer and reader discovery, writer at 1000 Hz, 40 bytes",
            columns=COLUMNS,
            rows=tuple(_row(case, case.discovery) for case in alike if case.discovery),
            note="Times of a typical round, from the begin of creation; discovery: to the first "
            "sample received. So discovered: from the end of creation. Lost: mean of all "
            "repetitions.",
        )
        for name, alike in by_middleware(campaign, cases).items()
    ]


def _row(case: CaseSummary, found: Discovery) -> tuple[str, ...]:
    return (
        f"{found.new}{CREATED.get(found.creates, '')}",
        "between nodes" if between_nodes(case) else "within one node",
        case.params.link_loss or "none",
        count(found.existing),
        _us(found.creation),
        _us(found.first_sample),
        _side(found.first_sample_after.value / 1e3 if found.first_sample_after else None),
        ABSENT if found.lost_before is None else number(found.lost_before.value),
    )


def _us(figure: Figure | None) -> str:
    return ABSENT if figure is None else number(figure.value / 1e3)


def _side(after: float | None) -> str:
    """ "237 before", "7 after"."""
    return ABSENT if after is None else f"{number(abs(after))} {'before' if after < 0 else 'after'}"


def stated_discovery() -> Table:
    """What the slides have of it."""
    return Table(
        group=THERE,
        title="Writer and reader discovery, writer at 1000 Hz, 40 bytes",
        columns=STATED,
        rows=tuple(
            (f"{each.new}{CREATED[each.creates]}", each.where, number(each.creation),
             number(each.discovery), _side(each.discovery - each.creation),
             ABSENT if each.lost is None else count(each.lost))
            for each in (*stated.CLUSTER, *stated.SPOTTED)
        ),
        note="A Linux cluster; and what the spotter printed on Windows XP, which does not say "
        "whether participants were created.",
    )  # fmt: skip
