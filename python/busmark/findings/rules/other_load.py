"""Other processes on the participants' CPUs, or beside them, during the measurement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, share

if TYPE_CHECKING:
    from busmark.findings.cpu_time import Cpu, CpuUse
    from busmark.findings.view import CaseView

MAX_OTHERS = 0.1
"""Share of the participants' CPUs that others may use. The kernel's own threads and the reader of
counters take some hundredths; a participant woken at a random moment meets a tenth in one case of
ten, and then the 90th percentile is theirs."""

MIN_WAITING = 0.1
"""Share of the time in which a participant could have run that it waited for a CPU. Below it others
were there, but gave way."""

MAX_BESIDE = 0.5
"""Share of a CPU without participants that others may use: no participant waits for it, but memory,
caches, frequency and, in a virtual machine, the host are shared."""


def check_case(view: CaseView) -> Iterator[Observation]:
    if view.params.load:
        return  # as asked for; what it reached stands beside the figures
    seen = {n: met for n, use in view.cpu_use.items() if (met := _met(use)) is not None}
    if seen:
        others, told = max(seen.values())
        rounds = f"in {len(seen)} of {count(len(view.cpu_use), 'round')}"
        yield Observation("warning", f"{told}; {rounds}", weight=others)
        return
    beside = [most for use in view.cpu_use.values() if (most := _beside(use)) is not None]
    if beside:
        share_used, cpu = max(beside)
        yield Observation(
            "note",
            f"others used {share(round(share_used, 3))} of {_named([cpu])}, on which no "
            f"participant runs; more than {share(MAX_BESIDE)} in {len(beside)} of "
            f"{count(len(view.cpu_use), 'round')}",
            weight=share_used,
            title="Other processes ran on CPUs beside the participants'",
            cause="They compete for caches and memory, change the frequency, and in a virtual "
            "machine take the host's time.",
            remedy=REMEDY,
        )


def _met(use: CpuUse) -> tuple[float, str] | None:
    """The share that others used of a participant's CPUs, and what it waited; None: it met none."""
    found = []
    for own in use.participants:
        others = use.others(own.cpus)
        waiting = own.queued / (own.queued + own.run) if own.queued else 0.0
        if others is None or others < MAX_OTHERS or waiting < MIN_WAITING:
            continue
        found.append((
            others,
            f"others used {share(round(others, 3))} of {_named(sorted(own.cpus))}; {own.name} ran "
            f"for {duration(own.run * use.seconds * 1e9)} and waited for a CPU for "
            f"{duration(own.queued * use.seconds * 1e9)} of {duration(use.seconds * 1e9)}",
        ))  # fmt: skip
    return max(found, default=None)


def _beside(use: CpuUse) -> tuple[float, Cpu] | None:
    found = [(used, cpu) for cpu, used in use.beside().items() if used > MAX_BESIDE]
    return max(found, default=None)


def _named(cpus: list[Cpu]) -> str:
    numbers = ", ".join(str(number) for _, number in cpus)
    node = cpus[0][0]
    return f"CPU{'s' if len(cpus) > 1 else ''} {numbers}{f' of node {node}' if node else ''}"


REMEDY = (
    "See who it is while the campaign runs, `ps -eo psr,pcpu,pid,args --sort=-pcpu | head`; end "
    "it, or keep the participants' CPUs free of it (`isolcpus`, a cpuset)."
)

RULE = Rule(
    id="other-load",
    title="Other processes took turns with the participants on their CPUs",
    cause="A thread that wakes up while another runs waits for its turn, up to milliseconds: the "
          "other work determines the upper percentiles.",
    remedy=REMEDY,
    check_case=check_case,
    explains=(
        "rate-not-held", "rounds-disagree", "bimodal", "non-stationary", "order-effects",
        "target-missed", "udp-drops", "loss-under-reliable",
        "loss-in-latency", "loop-stood-still",
    ),
    concerns=("tail",),
)  # fmt: skip
