"""Sentences on where applications came to their limit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from busmark.compare.answers import breaking, load
from busmark.estimate.levels import levels
from test_levels import SIZE, WHO, flows

from busmark.model.parameters import Parameters


def case(applications: int, *, label: str = "A", status: str = "ok", **more: Any) -> Any:
    """On two nodes, one writer and two readers of a topic in each application."""
    params = {
        "applications": applications, "writer_on": "n1+n2", "topics": 1, "writers": 1, "readers": 2,
        "rate_hz": 10.0,
    }  # fmt: skip
    known: dict[str, Any] = {"levels": [], "attempts": [], "reason": None, "cpus_used": None}
    return SimpleNamespace(
        label=label,
        status=status,
        size=SIZE,
        params=Parameters.model_validate(params),
        **known | more,
    )


def test_the_load_is_what_all_readers_are_to_read() -> None:
    # 6 applications, each with 2 readers, of 6 writers of 10/s of 100 B.
    assert load(case(3)) == 12 * 6 * 10 * 100


def test_the_least_load_that_was_not_carried_is_named_with_who_fell_short() -> None:
    whole, slow = levels([flows(0)], [WHO], SIZE), levels([flows(0, 0.75)], [WHO], SIZE)
    (answer,) = breaking(
        [case(9, levels=slow), case(3, levels=slow), case(1, levels=whole), case(2, levels=whole)]
    )
    assert answer.sentence == (
        "A fell short at 6 applications, 10/s of 100 B by each writer (72.0 kB/s to be read): 2 of "
        "6 readers, 1 of 3 applications and 1 of 2 nodes read less than 98 % of it, the least 75 % "
        "(reader 15 of stream in app3 on n1) and 30 of 360 samples were lost."
    )


def test_what_was_carried_is_stated_with_the_most_that_was_asked_for() -> None:
    whole = levels([flows(0)], [WHO], SIZE)
    first, second = breaking([case(n, label=x, levels=whole) for x in "AB" for n in (2, 1)])
    assert first.sentence == (
        "A carried the traffic of 4 applications, 10/s of 100 B by each writer (32.0 kB/s to be "
        "read), the most that was asked for."
    )
    assert second.lead.startswith("B carried")


def test_a_case_that_did_not_come_to_measure_has_its_reason() -> None:
    why = "not matched: app1, match: reader of t: matched 3 of 4 within 1.0 s; app2, match: nothing"
    failed = case(2, status="failed", attempts=[SimpleNamespace(reason=why)])
    (answer,) = breaking([failed, case(1, levels=levels([flows(0)], [WHO], SIZE))])
    assert answer.rest.endswith(
        "to be read): not matched: app1, match: reader of t: matched 3 of 4 within 1.0 s."
    )


def test_nothing_is_said_of_cases_that_were_not_run_or_have_no_applications() -> None:
    other = SimpleNamespace(params=Parameters(rate_hz=1.0))
    assert breaking([case(1, status="unsupported"), case(1, status="not_run"), other]) == []  # type: ignore[list-item]
