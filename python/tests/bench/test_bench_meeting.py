"""The bench's rows on discovery: what is asked of both sides."""

from __future__ import annotations

import pytest

from busmark.model.parameters import Parameters
from busmark.plan.placement import applications
from catalogue import BARE, ENDPOINTS, OURS, groups, section
from meeting import _values
from ours import meeting
from task import MAIN, PROCESSES


def test_each_number_of_endpoints_is_a_row_with_a_target() -> None:
    found = [group for group in groups() if group.task and group.task.test == "discovery"]
    assert [group.task.endpoints for group in found if group.task] == [*ENDPOINTS]
    for group in found:
        (row,) = group.rows
        assert group.contestants == (OURS, BARE)
        assert group.identifier(row) == f"{group.name}/vs-bare-loop"
        assert group.title(row).endswith(f"endpoints in {PROCESSES} processes")
        assert section(group, row) == "Time to full discovery against bare programs"
        assert row.target and row.target.value == 1.1


@pytest.mark.parametrize("endpoints", ENDPOINTS)
def test_our_round_has_as_many_endpoints_as_the_bare_program(endpoints: int) -> None:
    (task,) = (g.task for g in groups() if g.task and g.task.endpoints == endpoints)
    (matrix,) = [matrix for _, matrix in meeting(task).matrices]
    assert (matrix.applications, matrix.writers, matrix.readers) == ([PROCESSES], [1], [1])
    assert applications(Parameters(applications=PROCESSES)) == PROCESSES
    assert matrix.topics[0] * PROCESSES * 2 == endpoints


def test_what_matched_before_the_last_was_made_took_until_it_was_made() -> None:
    assert _values(100, 400, 350) == {MAIN: 300.0, "made_ns": 300.0, "after_ns": 0.0}
    assert _values(100, 400, 450) == {MAIN: 350.0, "made_ns": 300.0, "after_ns": 50.0}
