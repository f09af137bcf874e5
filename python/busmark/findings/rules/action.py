"""Goals of an action without a result, and feedback that did not arrive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults, policy
from busmark.findings.rule import Observation, Rule, count, part_of, share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

TEST = "action"

SERIOUS = 0.01
"""Share of goals or feedback from which users notice the loss."""


def _is_action(view: CaseView) -> bool:
    return view.params.test == TEST and not injects_faults(view.capabilities)


def goals_without_result(view: CaseView) -> Iterator[Observation]:
    lost, sent = view.total("goals_without_result"), view.total("goals_sent")
    if not _is_action(view) or not lost or not sent:
        return
    evidence = part_of(lost, sent, "goals without a result")
    if late := min(view.total("late"), lost):
        evidence += f": of {count(late, 'goal')} it came too late"
    yield Observation("warning" if lost / sent >= SERIOUS else "note", evidence, weight=lost / sent)


GOALS_WITHOUT_RESULT = Rule(
    id="goals-without-result",
    check_case=goals_without_result,
    concerns=("goal_loss",),
)


def goals_refused(view: CaseView) -> Iterator[Observation]:
    refused, sent = view.total("goals_refused"), view.total("goals_sent")
    if _is_action(view) and refused and sent:
        yield Observation("warning", part_of(refused, sent, "goals refused"), weight=refused / sent)


GOALS_REFUSED = Rule(
    id="goals-refused",
    check_case=goals_refused,
    concerns=("goal_loss",),
)


def _feedback_lost(view: CaseView) -> int:
    return view.total("feedback_expected") - view.total("feedback_received")


def feedback_lost(view: CaseView) -> Iterator[Observation]:
    lost, sent = _feedback_lost(view), view.total("feedback_expected")
    if not _is_action(view) or lost <= 0:
        return
    yield Observation(
        "warning" if lost / sent >= SERIOUS else "note",
        part_of(lost, sent, "feedback messages lost"),
        weight=lost / sent,
    )


FEEDBACK_LOST = Rule(
    id="feedback-lost",
    check_case=feedback_lost,
    concerns=("feedback_loss",),
)


def feedback_overwritten(view: CaseView) -> Iterator[Observation]:
    lost, params = _feedback_lost(view), view.params
    if not _is_action(view) or lost <= 0 or policy(params, "history") != "keep_last":
        return
    if params.link_loss or policy(params, "reliability") == "best_effort":
        return  # there are other reasons for it
    depth = int(policy(params, "depth") or 0)
    under_way = (params.clients or 1) * (params.writers or 1) * (params.goals or 1)
    together = share(lost / view.total("feedback_expected"))
    yield Observation(
        "warning",
        f"{whole(lost)} feedback messages lost ({together}) although they are sent again; "
        f"{count(under_way, 'goal')} under way on one topic, of which history keeps the last "
        f"{whole(depth)}",
        weight=lost,
    )


FEEDBACK_OVERWRITTEN = Rule(
    id="feedback-overwritten",
    check_case=feedback_overwritten,
    explains=("feedback-lost",),
    concerns=("feedback_loss",),
)
