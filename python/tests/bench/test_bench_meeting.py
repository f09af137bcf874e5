"""The bench's rows on discovery: what is asked of both sides."""

from __future__ import annotations

from catalogue import BARE, DISCOVERIES, OURS, groups, section
from meeting import _values
from task import MAIN


def test_each_number_of_endpoints_is_a_row_with_a_target() -> None:
    found = [group for group in groups() if group.task and group.task.test == "discovery"]
    tasks = [group.task for group in found if group.task]
    assert [(task.endpoints, task.processes) for task in tasks] == [*DISCOVERIES]
    for group, task in zip(found, tasks, strict=True):
        (row,) = group.rows
        assert group.contestants == (OURS, BARE)
        assert group.identifier(row) == f"{group.name}/vs-bare-loop"
        assert group.title(row).endswith(f"endpoints in {task.processes} processes")
        assert section(group, row) == "Time to full discovery against bare programs"
        assert row.target and row.target.value == 1.1


def test_what_matched_before_the_last_was_made_took_until_it_was_made() -> None:
    assert _values(100, 400, 350) == {MAIN: 300.0, "made_ns": 300.0, "after_ns": 0.0}
    assert _values(100, 400, 450) == {MAIN: 350.0, "made_ns": 300.0, "after_ns": 50.0}
