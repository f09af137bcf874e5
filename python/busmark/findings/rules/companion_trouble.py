"""What ran beside the participants and did not do all it was to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    said = Counter(view.result.companion_findings.get(view.case.id, []))
    for (name, sentence), rounds in said.most_common():
        yield Observation("note", f"{name}, {count(rounds, 'round')}: {sentence}", weight=rounds)


RULE = Rule(
    id="companion-trouble",
    title="A process beside the measurement reported a problem",
    cause="Readings of the kernel's counters, background loads, captures and servers run "
    "beside the participants. One of them reports that its work is incomplete. This does not "
    "change the latencies and rates of the round; figures and findings that depend on it may be "
    "missing.",
    remedy="Leave a CPU for the processes beside the participants, or lengthen `warmup_s`; on a "
    "node, look at the end of its log in `logs/`.",
    check_case=check_case,
    of_trials=True,
    early=None,
)
