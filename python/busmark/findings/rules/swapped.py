"""Memory that went to disk or came from it during the measurement."""

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
    if total <= 0:
        return
    evidence = (
        f"{whole(sum(came.values()))} pages came from swap and {whole(sum(went.values()))} went "
        f"there in {count(len(came.keys() | went.keys()), 'round')}"
    )
    waited = view.major_faults
    if waited is None:
        yield Observation("warning", evidence, weight=total)
    elif waited:
        evidence += f"; participants waited for a disk {whole(waited)} times"
        yield Observation("warning", evidence, weight=total)
    else:
        evidence += "; no participant waited for a disk"
        yield Observation("note", evidence, weight=total, title=OTHERS, cause=OTHERS_CAUSE)


OTHERS = "Memory of other processes was swapped during the measurement"
OTHERS_CAUSE = (
    "Memory is short (pswpin and pswpout of /proc/vmstat). Participants had no major page fault; "
    "the disk's interrupts and the kernel's search for pages took time of the CPUs."
)


RULE = Rule(
    id="swapped",
    title="Memory was swapped during the measurement",
    cause="Memory is short (pswpin and pswpout of /proc/vmstat): a thread that touches a page on "
          "disk waits milliseconds.",
    remedy="End what fills the memory, then `sudo swapoff -a && sudo swapon -a`; or measure with "
    "`run.lock_memory = true`.",
    check_case=check_case,
    explains=(
        "rate-not-held", "rounds-disagree", "bimodal", "non-stationary", "target-missed",
        "udp-drops", "loss-under-reliable",
    ),
    concerns=("tail",),
)  # fmt: skip
