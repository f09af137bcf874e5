"""What clients of an action recorded: the table `goals`, and figures of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from busmark.model.parameters import Parameters
from busmark.store import Case
from busmark.store.columns import polars_schema
from busmark.store.samples import RoundLatencies

if TYPE_CHECKING:
    from busmark.control.round import RoundData

TEST = "action"

STATUSES = 3
"""Statuses that a server publishes of a goal: accepted, executing, and how it ended."""

NS = 1e9


def table(case: Case, number: int, data: RoundData) -> pl.DataFrame | None:
    """Return one row for each goal, client after client; None where no action is measured."""
    if case.params.test != TEST:
        return None
    schema = polars_schema("goals")
    begin = min((int(report["begin_ns"]) for report in data.run), default=0)
    start, one_clock = pl.col("intended_ns"), data.one_clock
    none = pl.lit(None, pl.Int64())
    # By the server's clock.
    feedback = pl.col("feedback_total_ns") / pl.col("feedback")
    found = [
        role["goals"].select(
            pl.lit(case.id).alias("case"),
            pl.lit(number).alias("round"),
            pl.lit(data.flows.ends[role["writer"]][1].participant.name).alias("participant"),
            pl.lit(role["writer"]).alias("client"),
            pl.col("number").alias("goal"),
            (start - begin if one_clock else start - start.first()).alias("start_ns"),
            (pl.col("sent_ns") - start).alias("sent_ns"),
            (pl.col("accepted_ns") - start).alias("accepted_ns"),
            (pl.col("first_feedback_ns") - start).alias("first_feedback_ns"),
            pl.col("feedback"),
            pl.col("feedback_sent"),
            (pl.when(pl.col("feedback") > 0).then(feedback) if one_clock else none).alias(
                "feedback_mean_ns"
            ),
            (
                pl.when(pl.col("feedback") > 0).then(pl.col("feedback_most_ns"))
                if one_clock
                else none
            ).alias("feedback_max_ns"),
            pl.col("statuses"),
            (pl.col("cancel_sent_ns") - start).alias("cancel_sent_ns"),
            (pl.col("cancel_answered_ns") - start).alias("cancel_answered_ns"),
            ((pl.col("ended_ns") - start) if one_clock else none).alias("ended_ns"),
            (pl.col("result_ns") - start).alias("result_ns"),
            pl.when("refused")
            .then(pl.lit("refused"))
            .when(pl.col("result_ns").is_null())
            .then(None)
            .when("cancelled")
            .then(pl.lit("cancelled"))
            .otherwise(pl.lit("succeeded"))
            .alias("outcome"),
        )
        for role in data.roles
        if role["goals"] is not None
    ]
    if not found:
        return pl.DataFrame(schema=schema)
    whole: pl.DataFrame = pl.concat(found)
    return whole.select(pl.col(name).cast(kind) for name, kind in schema.items())


def accepted_ns(seen: pl.DataFrame) -> RoundLatencies:
    """Return the times until goals were accepted, in order."""
    return _latencies(seen, pl.col("accepted_ns"))


def _latencies(of: pl.DataFrame, time: pl.Expr) -> RoundLatencies:
    """Return these times of goals; one without counts as later than any."""
    values = of.select(time.cast(pl.Float64()).alias("ns")).to_series()
    return RoundLatencies(values.drop_nulls().to_numpy(), values.null_count())


def figures(seen: pl.DataFrame, params: Parameters) -> dict[str, Any]:
    """Return the columns of `cases` about the goals of a round."""
    outcome = pl.col("outcome")
    over = seen.filter(outcome.is_in(["succeeded", "cancelled"]))
    asked = seen.filter(pl.col("cancel_sent_ns").is_not_null())
    # Those that were to be cancelled are not, where they end sooner.
    to_their_end = seen.filter(pl.col("cancel_sent_ns").is_null() & outcome.ne_missing("refused"))
    goal_ns = (params.goal_time_s or 0.0) * NS
    fed = seen if params.feedback_hz and params.goal_time_s else seen.clear()
    times = {
        "goal_accepted": accepted_ns(seen),
        "first_feedback": _latencies(fed, pl.col("first_feedback_ns")),
        "result_delay": _latencies(to_their_end, pl.col("result_ns") - goal_ns),
        "result_reply": _latencies(to_their_end, pl.col("result_ns") - pl.col("ended_ns"))
        if to_their_end["ended_ns"].count()
        else _latencies(seen.clear(), pl.col("result_ns")),
        "cancel_answered": _latencies(
            asked, pl.col("cancel_answered_ns") - pl.col("cancel_sent_ns")
        ),
    }
    heard = seen.filter(pl.col("feedback_mean_ns").is_not_null())
    total = int(heard["feedback"].sum())
    weighed = float((heard["feedback_mean_ns"] * heard["feedback"]).sum())
    return {
        "goals_sent": seen.height,
        "goals_succeeded": seen.filter(outcome == "succeeded").height,
        "goals_cancelled": seen.filter(outcome == "cancelled").height,
        "goals_refused": seen.filter(outcome == "refused").height,
        "goals_without_result": seen.filter(outcome.is_null()).height,
        "cancels_sent": asked.height,
        "cancels_unanswered": asked["cancel_answered_ns"].null_count(),
        "feedback_expected": int(over["feedback_sent"].sum()),
        "feedback_received": int(over["feedback"].sum()),
        "statuses_expected": STATUSES * over.height,
        "statuses_received": int(over["statuses"].sum()),
        **{
            f"{name}{'_p99' if which == 99.0 else ''}_ns": own.statistic(which)
            for name, own in times.items()
            for which in ("median", 99.0)
        },
        "feedback_latency_ns": weighed / total if total else None,
        "feedback_latency_max_ns": heard["feedback_max_ns"].max(),
    }
