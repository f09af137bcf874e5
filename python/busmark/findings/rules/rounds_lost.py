"""Rounds without figures, or with figures that are not averaged in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    import polars as pl

    rounds = view.rows.height
    lost = view.rows.filter(pl.col("status") != "ok")
    if rounds == 0:
        yield Observation(
            "warning",
            "no round was begun",
            title="Cases were not measured",
            cause="The campaign ended, or was interrupted, before their turn came.",
            remedy="Run the campaign again with --resume.",
        )
    elif lost.height:
        yield Observation(
            "error" if lost.height == rounds else "warning",
            f"{lost.height} of {count(rounds, 'round')}: {_reasons(lost)}",
            weight=lost.height / rounds,
            title="No round is usable" if lost.height == rounds else "",
        )
    retried = int(view.rows["attempt"].fill_null(0).sum())
    if retried:
        why = Counter(view.result.failed_attempts.get(view.case.id, ["no reason recorded"]))
        reasons = ", ".join(f"{number} failed ({reason})" for reason, number in why.most_common())
        yield Observation(
            "note",
            f"{count(retried, 'further attempt')}: {reasons}",
            weight=retried,
            title="Rounds had to be repeated",
            cause="An attempt at a round failed and the round was tried again.",
            remedy="Read the errors in events.jsonl; intermittent failures often come with "
            "intermittent slowness.",
        )


def _reasons(rows: pl.DataFrame) -> str:
    """ "2 marked (lost samples), 1 failed (no match)", the most frequent first."""
    pairs = zip(rows["status"].to_list(), rows["reason"].to_list(), strict=True)
    frequent = Counter((status, reason or "no reason recorded") for status, reason in pairs)
    return ", ".join(
        f"{number} {status} ({reason})" for (status, reason), number in frequent.most_common()
    )


RULE = Rule(
    id="rounds-lost",
    title="Rounds were marked or failed",
    cause="A round that missed a criterion or did not end is kept, but left out of every "
    "estimate; the remaining rounds may look better than the truth.",
    remedy="Read the reasons and the errors in events.jsonl, then run again with --resume.",
    check_case=check_case,
    of_trials=True,
    concerns=("rounds",),
    early=None,
)
