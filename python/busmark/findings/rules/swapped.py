"""Memory that went to disk or came from it while it was measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    came, went = view.system("swap_in_pages"), view.system("swap_out_pages")
    total = sum(came.values()) + sum(went.values())
    if total > 0:
        yield Observation(
            "warning",
            f"{whole(sum(came.values()))} pages came from swap and {whole(sum(went.values()))} "
            f"went there in {count(len(came.keys() | went.keys()), 'round')}",
            weight=total,
        )


RULE = Rule(
    id="swapped",
    title="Memory was swapped while it was measured",
    cause="Memory is short (pswpin and pswpout of /proc/vmstat): who touches a page on disk waits "
    "milliseconds.",
    remedy="End what fills the memory, then `sudo swapoff -a && sudo swapon -a`; or measure with "
    "`run.lock_memory = true`.",
    check_case=check_case,
)
