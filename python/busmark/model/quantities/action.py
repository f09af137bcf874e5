"""Goals of an action: how long until each is accepted, under way and over, and what is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from busmark import stats
from busmark.model.entry import STUDENT, Compared, EstimatedQuantity, Explained, Number
from busmark.model.quantities.service import cpu_per, per_s

if TYPE_CHECKING:
    from busmark.model.entry import Row

ACTION = ("action",)

EXPLAINED_TIMES = Explained(
    "Times of a goal",
    ("goal_accepted", "first_feedback", "result_delay", "result_reply", "cancel_answered"),
    "How long a client of an action waits: until its goal is accepted, until the first feedback, "
    "which the server publishes at once, and until the result, less the time that every goal "
    "takes. `result_reply` is the part of the result's delay after the goal's end at the "
    "server. "
    "A goal that is to be cancelled has no `result_delay`, but the time until that is answered.",
    "`accepted_ns`; `first_feedback_ns`; `result_ns` − `goal_time_s`; `result_ns` − `ended_ns`; "
    "`cancel_answered_ns` − `cancel_sent_ns`: median and 99th percentile of the goals of each "
    "round, one without counting as later than any. " + STUDENT,
    "`goals`",
    "What of `result_delay` is the middleware's: it contains how late the server, which waits for "
    "further goals, wakes up at the end of a goal.",
    section="Action",
)


def _times(
    key: str, meaning: str, word: str, *, explained: tuple[Explained, ...] = ()
) -> tuple[EstimatedQuantity, EstimatedQuantity]:
    """Return the median and the 99th percentile of a time of goals."""

    def compared(name: str, words: str) -> Compared:
        return Compared(
            name=name,
            word=words,
            tests=ACTION,
            more="slower",
            less="faster",
            otherwise="no round has one",
            of_round=lambda row, params: row.get(f"{name}_ns"),
        )

    return (
        EstimatedQuantity(
            key=key,
            unit="ns",
            suffix="_ns",
            meaning=f"median time {meaning}",
            tests=ACTION,
            compared=compared(key, word),
            explained=explained,
        ),
        EstimatedQuantity(
            key=f"{key}_p99",
            quantity=key,
            statistic="p99",
            unit="ns",
            suffix="_ns",
            meaning=f"99th percentile of the time {meaning}",
            tests=ACTION,
        ),
    )


ACCEPTED, ACCEPTED_P99 = _times(
    "goal_accepted",
    "from when a goal was to be sent to the response that accepts it",
    "time until a goal is accepted",
    explained=(EXPLAINED_TIMES,),
)
FIRST_FEEDBACK, FIRST_FEEDBACK_P99 = _times(
    "first_feedback",
    "from when a goal was to be sent to its first feedback",
    "time until the first feedback",
)
RESULT_DELAY, RESULT_DELAY_P99 = _times(
    "result_delay",
    "from when a goal was to be sent to its result, less the time of a goal; of goals that were "
    "not cancelled",
    "time until the result beyond the goal's own",
)
RESULT_REPLY, RESULT_REPLY_P99 = _times(
    "result_reply",
    "from a goal's end at the server to its result in the client's hands",
    "time from the end of a goal to its result",
)
CANCEL_ANSWERED, CANCEL_ANSWERED_P99 = _times(
    "cancel_answered",
    "from the request to cancel a goal to its answer",
    "time until cancelling is answered",
)

FEEDBACK_LATENCY = EstimatedQuantity(
    key="feedback_latency",
    statistic="mean",
    unit="ns",
    suffix="_ns",
    meaning="mean time from the sending of a feedback message to its reception; the median over "
    "rounds",
    tests=ACTION,
)
FEEDBACK_LATENCY_MAX = EstimatedQuantity(
    key="feedback_latency_max",
    quantity="feedback_latency",
    statistic="max",
    unit="ns",
    suffix="_ns",
    meaning="longest of these times in a round; the median over rounds",
    tests=ACTION,
)

SENT, CANCELS, FEEDBACK = ("goals_sent",), ("cancels_sent",), ("feedback_received",)

TO_THEIR_END = ("goals_succeeded", "goals_without_result")
"""Goals that were accepted and not cancelled."""

TIMES = (
    (SENT, (ACCEPTED, ACCEPTED_P99, FIRST_FEEDBACK, FIRST_FEEDBACK_P99)),
    (FEEDBACK, (FEEDBACK_LATENCY, FEEDBACK_LATENCY_MAX)),
    (TO_THEIR_END, (RESULT_DELAY, RESULT_DELAY_P99, RESULT_REPLY, RESULT_REPLY_P99)),
    (CANCELS, (CANCEL_ANSWERED, CANCEL_ANSWERED_P99)),
)
"""Columns of `cases` that count samples, and the times that these have; each is a column, too."""

COMPLETED = ("goals_succeeded", "goals_cancelled")

GOAL_RATE = EstimatedQuantity(
    key="goal_rate",
    unit="1/s",
    suffix="_per_s",
    meaning="goals that had their result in time, in a second, of all clients together",
    tests=ACTION,
    more_is_better=True,
    also=("goals",),
    compared=Compared(
        name="goal_rate",
        word="goals completed",
        tests=ACTION,
        more="faster",
        less="slower",
        otherwise="no goal had a result",
        of_round=per_s(*COMPLETED),
        unit=lambda params: "1/s",
        counted="goals_sent",
    ),
)
FEEDBACK_RATE = EstimatedQuantity(
    key="feedback_rate",
    unit="1/s",
    suffix="_per_s",
    meaning="feedback messages received in a second, of all clients together",
    tests=ACTION,
    more_is_better=True,
)

RATES = ((GOAL_RATE, COMPLETED), (FEEDBACK_RATE, FEEDBACK))
"""Rates, and the columns of `cases` whose sum in a second each is."""

Share = Callable[["Row"], tuple[int, int] | None]


def _lost(what: str) -> Share:
    """Return the function that counts what was lost of these messages, and all of a round; None
    where there were none."""

    def of_round(row: Row) -> tuple[int, int] | None:
        expected = row.get(f"{what}_expected") or 0
        lost = max(expected - (row.get(f"{what}_received") or 0), 0)
        return (lost, expected) if expected else None

    return of_round


def _goals_lost(row: Row) -> tuple[int, int] | None:
    sent = row.get("goals_sent") or 0
    return (row.get("goals_without_result") or 0, sent) if sent else None


def _share(
    key: str,
    meaning: str,
    word: str,
    of_round: Share,
    explained: tuple[Explained, ...] = (),
) -> EstimatedQuantity:
    return EstimatedQuantity(
        key=key,
        statistic="mean",
        unit="1",
        within=stats.SHARE,
        meaning=meaning,
        tests=ACTION,
        compared=Compared(
            name=key,
            word=word,
            tests=ACTION,
            more="loses more",
            less="loses less",
            otherwise="no round has one",
            share_of_round=of_round,
        ),
        explained=explained,
    )


GOAL_LOSS = _share(
    "goal_loss",
    "goals without a result of those sent, 0 to 1",
    "goals without a result",
    _goals_lost,
)
FEEDBACK_LOSS = _share(
    "feedback_loss",
    "feedback messages that did not reach the client, of those that the server sent of goals that "
    "have a result, 0 to 1",
    "feedback lost",
    _lost("feedback"),
    explained=(
        Explained(
            "Goals and feedback lost",
            ("goal_loss", "feedback_loss", "status_loss", "goals_without_result"),
            "A goal is lost that is neither refused nor has its result within "
            "`measure.timeout_s`, after it was sent if it was not accepted, else after its own "
            "time. Feedback is compared with what the server says in its result that it had sent.",
            "lost / sent of each round; the mean over rounds, with Student's interval",
            "`cases`: `goals_sent`, `goals_without_result`, `feedback_expected`, "
            "`feedback_received`, `statuses_expected`, `statuses_received`",
            "Feedback of goals without a result. The last status of a goal may come after its "
            "result.",
            section="Action",
        ),
    ),
)
STATUS_LOSS = _share(
    "status_loss",
    "status messages that did not reach the client, of three for each goal that has a result, 0 "
    "to 1",
    "status lost",
    _lost("statuses"),
)

LOSSES = (
    (GOAL_LOSS, _goals_lost),
    (FEEDBACK_LOSS, _lost("feedback")),
    (STATUS_LOSS, _lost("statuses")),
)

GOALS = Number(key="goals_sent", meaning="goals sent in the measured time", tests=ACTION)
CANCELLED = Number(
    key="goals_cancelled", meaning="goals with the result that they were cancelled", tests=ACTION
)
REFUSED = Number(
    key="goals_refused",
    meaning="goals that the server, or the middleware within the time-out, refused",
    tests=ACTION,
)
WITHOUT_RESULT = Number(
    key="goals_without_result",
    meaning="goals that were neither refused nor had a result in time",
    tests=ACTION,
)
LATE = Number(
    key="late_results",
    meaning="results that came after their time-out, so that their goals have none",
    tests=ACTION,
)
IGNORED = Number(
    key="ignored_goals",
    meaning="goals without a response that clients sent before their first response, although they "
    "had matched the server, where the middleware counts it",
    tests=ACTION,
)

COUNTED = {
    GOALS: "goals_sent",
    CANCELLED: "goals_cancelled",
    REFUSED: "goals_refused",
    WITHOUT_RESULT: "goals_without_result",
    LATE: "late",
    IGNORED: "ignored",
}
"""Columns of the table `cases` whose sums these are."""

CPU_PER_GOAL = Number(
    key="cpu_per_goal",
    unit="ns",
    statistic="value",
    meaning="CPU time that clients and server together took for each goal that had a result, with "
    "its feedback: `cpu` over `goal_rate`",
    tests=ACTION,
    pick=cpu_per(GOAL_RATE),
)

OF_CASES = (
    *(time for _, times in TIMES for time in times),
    *(rate for rate, _ in RATES),
    *(loss for loss, _ in LOSSES),
    *COUNTED,
    CPU_PER_GOAL,
)
"""Quantities in the order of tables."""
