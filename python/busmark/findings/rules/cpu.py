"""CPU time: who had too little of it, and where participants ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import ceil, inf
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.params import at_full_speed, has_rate
from busmark.findings.rule import (
    Capabilities,
    Observation,
    Profile,
    Rule,
    count,
    duration,
    listed,
    number,
    share,
)
from busmark.findings.rules.host import usable
from busmark.host.proc import cpu_list
from busmark.store.columns import TICK_NS

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.cpu_time import CpuUse, Throttling
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters

SATURATED = 0.95
"""Share of the time that one thread ran, or that participants pinned on one CPU ran together. A
round's begin and end are not busy, so one that never rests shows somewhat less than 1."""

MIN_HELD = 0.95
"""Share of the rate: a writer that reaches it has time left, however long it spins before each
sample."""

LATE_GAPS = 1.0
"""Gaps between two samples. A median sample that is sent later than that waited for the one before,
so the writer is behind for good."""


def saturated_core(view: CaseView) -> Iterator[Observation]:
    params = view.params
    if params.test != "throughput" and not has_rate(params):
        return
    used = {number: _used(use) for number, use in view.cpu_use.items()}
    full = {number: most for number, most in used.items() if most[0] >= SATURATED}
    if full and has_rate(params):
        # A writer with a rate spins until the next sample is due: its run time alone says nothing.
        behind = _behind(view)
        full = {n: most for n, most in full.items() if n in behind or _reader_full(view, n)}
    if not full:
        return
    most, who = max(full.values())
    evidence = (
        f"{who} {share(round(min(most, 1.0), 3))} of the time, at least {share(SATURATED)} in "
        f"{view.of_rounds(len(full), used)}"
    )
    if has_rate(params) and (late := max(view.lateness.values(), default=None)) is not None:
        evidence += f"; the median sample is sent {duration(late)} after its time"
    weight = min(most, 1.0)
    if params.wait == "poll":
        yield Observation("note", evidence, weight, *POLLING)
    elif params.placement == "same" and params.network != "nodes":
        possible = can_differ(params, view.hosts)
        remedy = 'Compare with placement "different".' if possible else OVERLOAD
        yield Observation("note", evidence, weight, *SHARED, remedy, "" if possible else "crowded")
    elif not has_rate(params):
        yield Observation("note", evidence, weight, *FULL_SPEED)
    else:
        yield Observation("warning", evidence, weight)


def _used(use: CpuUse) -> tuple[float, str]:
    """Return the greatest share of a CPU's time that participants used, and who did, in words."""
    threads = [(own.thread, f"a thread of participant {own.name} ran") for own in use.participants]
    cpus = [
        (used, f"participants ran on CPU {number}{f' of node {node}' if node else ''}")
        for (node, number), used in use.common.items()
    ]
    return max([*threads, *cpus])


def _reader_full(view: CaseView, number: int) -> bool:
    """Return whether a thread of the passive side, which has no rate to wait for, never rested."""
    own = view.cpu_use[number].participants
    return view.params.wait != "poll" and any(
        each.thread >= SATURATED for each in own if each.name.startswith("passive")
    )


def _behind(view: CaseView) -> set[int]:
    """Return the rounds in which writers did not keep up with their rate."""
    rate = view.params.rate_hz or 0.0
    senders = view.values("senders", only_ok=False)
    written = view.values("written_per_s", only_ok=False)
    short = {n for n, r in written.items() if r < MIN_HELD * rate * (senders.get(n) or 1)}
    late = {n for n, late_ns in view.lateness.items() if late_ns * rate / 1e9 > LATE_GAPS}
    return short | late


POLLING = (
    "A CPU is always busy because the reader polls",
    "Polling takes all the time there is; the counter cannot tell whether any was left.",
    "To see what the middleware itself needs, measure with a waitset or listener.",
)
SHARED = (
    "The participants' common CPU is saturated",
    'With placement "same" writer and reader share one CPU, and together they used all of '
    "it: the figure is what one CPU can do for both sides together.",
)
OVERLOAD = "Say so next to the figure: there is no CPU for each participant."
"""Remedy where placement "different" is impossible."""
FULL_SPEED = (
    "Throughput is limited by one CPU",
    "At full speed something has to be the limit, and here it is a CPU, not the network: the rate "
    "says what the middleware costs on this CPU.",
    "Say so next to the figure; to see the network's limit use larger samples or batches.",
)

SATURATED_CORE = Rule(
    id="saturated-core",
    check_case=saturated_core,
    explains=("rate-not-held", "non-stationary", "loss-under-reliable", "overwritten", "udp-drops"),
    concerns=("cpus_used",),
)


def on_one_node(params: Parameters) -> int:
    """Return the greatest number of participants that share a machine."""
    publishers, subscribers = params.active or 1, params.subscribers or 1
    if params.applications:
        nodes = 1 if params.network == "nodes" else len(str(params.writer_on).split("+"))
        return int(params.applications) * nodes
    if params.network != "nodes":
        return publishers + subscribers
    writing, reading = (
        str(getattr(params, side)).split("+") for side in ("writer_on", "reader_on")
    )
    # Taken in turn, where there are more of them than nodes.
    each = (ceil(publishers / len(writing)), ceil(subscribers / len(reading)))
    return sum(each) if set(writing) & set(reading) else max(each)


def can_differ(params: Parameters, profiles: Iterable[Profile]) -> bool:
    """Return whether placement "different" is possible: a CPU for each participant."""
    cpus = [known for profile in profiles if (known := usable(profile)) is not None]
    return params.deployment != "one" and min(cpus, default=inf) >= on_one_node(params)


def placement_impossible_planned(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    placement, cpus = str(params.placement or ""), profile.get("cpus_allowed")
    named = set((placement[:1].isdigit() and cpu_list(placement.replace("+", ","))) or ())
    absent = named - set(named if cpus is None else cpus)
    # On nodes each has its own: which of the CPUs is wanted where is known when the round begins.
    lacking = absent == named if params.network == "nodes" else absent
    alone = placement == "different" and usable(profile) == 1 and on_one_node(params) > 1
    if alone or (absent and lacking):
        known = f"CPU {listed(cpus)}" if cpus else count(usable(profile) or 0, "CPU")
        yield Observation("error", f'placement "{placement}" with {known} usable')


PLACEMENT_IMPOSSIBLE = Rule(
    id="placement-impossible",
    check_plan=placement_impossible_planned,
)


CROWDED = (
    'Use placement "same", or a machine with a CPU for each participant, and compare within one '
    "placement only."
)
"""Remedy where placement "different" is impossible."""

FREE = "free"


def unpinned_planned(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    if params.placement == FREE:
        yield from _unpinned(params, [profile])


def unpinned(view: CaseView) -> Iterator[Observation]:
    if view.params.placement == FREE:
        yield from _unpinned(view.params, view.hosts)


def _unpinned(params: Parameters, profiles: Iterable[Profile]) -> Iterator[Observation]:
    evidence = f'placement "{FREE}"'
    if can_differ(params, profiles):
        yield Observation("warning", evidence)
    else:
        yield Observation("warning", evidence, remedy=CROWDED, group="crowded")


UNPINNED = Rule(
    id="unpinned",
    check_plan=unpinned_planned,
    check_case=unpinned,
    explains=("rounds-disagree", "bimodal", "target-missed"),
)


def cpu_limit(view: CaseView) -> Iterator[Observation]:
    held: dict[tuple[str, str], list[Throttling]] = {}
    for groups in view.throttling.values():
        for each in groups:
            held.setdefault((each.node, each.group), []).append(each)
    if not held:
        return
    (node, group), rounds = max(held.items(), key=lambda item: sum(e.periods for e in item[1]))
    periods, last = sum(each.periods for each in rounds), rounds[-1]
    evidence = (
        f"{_group(node, group)} was throttled in "
        f"{count(periods, 'period')} of {view.of_rounds(len(rounds), view.throttling)}, "
        f"for {duration(sum(each.held_ns for each in rounds))} summed over CPUs"
    )
    if last.quota_ns and last.period_ns:
        evidence += (
            f"; it may use {duration(last.quota_ns)} of CPU time in each {duration(last.period_ns)}"
        )
    if others := [name for _, name in held if name != group]:
        evidence += f"; throttled, too: {listed(others)}"
    yield Observation("warning", evidence, periods, remedy=_raise(last.file), group=str(last.file))


def _group(node: str, group: str) -> str:
    named = f"control group {group}" if group else "a control group"
    return f"{named} of node {node}" if node else named


def _raise(file: str | None) -> str:
    """Return what to do about the limit in a file; empty where it is not known which."""
    return (
        f"Raise the CPU limit of the container, pod or slice, which is in `{file}`, or remove it."
        if file
        else ""
    )


CPU_LIMIT = Rule(
    id="cpu-limit",
    check_case=cpu_limit,
    explains=(
        "rate-not-held",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
        "target-missed",
        "udp-drops",
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "loop-stood-still",
    ),
    concerns=("tail",),
)


MAX_STEAL = 0.01
"""Share of a CPU's time: above it, the 99th percentile is the hypervisor's."""


def steal_time(view: CaseView) -> Iterator[Observation]:
    stolen, lengths = _stolen(view), view.values("measured_s")
    # Two readings differ by up to one tick more than was stolen: much of a short round.
    tick_s = TICK_NS / 1e9
    much = [
        value
        for number, value in stolen.items()
        if value - tick_s / (lengths.get(number) or inf) > MAX_STEAL
    ]
    if much:
        yield Observation(
            "warning",
            # Upwards: what is above the limit must not read as if it were at it.
            f"up to {share(ceil(max(much) * 1e3) / 1e3)} of a CPU's time stolen, more than "
            f"{share(MAX_STEAL)} in {view.of_rounds(len(much), stolen)}",
            weight=max(much),
        )


def _stolen(view: CaseView) -> dict[int, float]:
    """Return the stolen share by round, for the CPU from which most was taken: among CPUs on which
    participants may run, or among all where theirs are not known."""
    found = dict(view.values("steal"))
    for each, use in view.cpu_use.items():
        own = [share for cpu, share in use.stolen.items() if cpu in use.taken]
        if each in found and own:
            found[each] = max(own)
    return found


STEAL_TIME = Rule(
    id="steal-time",
    check_case=steal_time,
    explains=(
        "rate-not-held",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
        "target-missed",
        "udp-drops",
        "loss-under-reliable",
        "overwritten",
        "order-effects",
    ),
    concerns=("tail",),
)


MAX_BUSY = 0.5
"""Share of the time in which the busiest thread ran or waited for a CPU. At full speed somebody
should be busy throughout; below a half the writer waited for longer than it worked."""


def writers_waited(view: CaseView) -> Iterator[Observation]:
    if not at_full_speed(view.params) or _limited(view.params):
        return
    # What ran in the intervals of the counters ran in the measured time at most, however short.
    busiest = {
        number: max(
            (
                (own.run + own.queued + use.throttled) * use.seconds / use.measured_s,
                own.thread * use.seconds / use.measured_s,
            )
            for own in use.participants
        )
        for number, use in view.cpu_use.items()
        if use.measured_s
    }
    idle = [thread for busy, thread in busiest.values() if busy < MAX_BUSY]
    if not idle or len(idle) * 2 <= len(busiest):
        return
    evidence = (
        f"the busiest thread ran at most {share(round(max(idle), 4))} of the measured time, in "
        f"{view.of_rounds(len(idle), busiest)}"
    )
    rates = sorted(view.values("written_per_s", only_ok=False).values())
    if rates:
        evidence += f"; {number(rates[len(rates) // 2])} samples/s written"
    if (longest := view.longest_write) is not None:
        evidence += f"; the longest recorded write took {duration(longest)}"
    yield Observation("warning", evidence, weight=1.0 - max(idle))


def _limited(params: Parameters) -> bool:
    """Return whether something else bounds the stream on purpose: pauses between batches, a
    link."""
    link = params.link_rate or params.link_delay or params.network == "nodes"
    return bool(params.batch or link or params.load)


WRITERS_WAITED = Rule(
    id="writers-waited",
    check_case=writers_waited,
    explains=("rounds-disagree", "bimodal", "non-stationary", "target-missed"),
    concerns=("goodput_mbit_per_s",),
)


def participant_stopped(view: CaseView) -> Iterator[Observation]:
    if stopped := view.stopped:
        at, names = next(iter(stopped.items()))
        yield Observation(
            "warning",
            f"{listed(names)} in round {at}; "
            f"{view.of_rounds(len(stopped), view.finished['round'].to_list())}",
            weight=len(stopped),
        )


PARTICIPANT_STOPPED = Rule(
    id="participant-stopped",
    check_case=participant_stopped,
    of_trials=True,
    explains=(
        "loop-stood-still",
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "rounds-lost",
        "rate-not-held",
        "udp-drops",
        "non-stationary",
        "rounds-disagree",
        "bimodal",
    ),
    concerns=("latency", "lost"),
)


def participant_unwatched(view: CaseView) -> Iterator[Observation]:
    unwatched: dict[int, list[str]] = {}
    for at in view.finished["round"].to_list() if view.params.side_prefix else ():
        with suppress(UserError):
            table = view.result.participants(view.case.id, at)
            if table is not None and (names := _unwatched(table)):
                unwatched[at] = names
    if unwatched:
        at, names = next(iter(unwatched.items()))
        yield Observation(
            "note",
            f"`{view.params.side_prefix}` remains before {listed(names)}; {len(unwatched)} of "
            f"{count(view.finished.height, 'round')}",
            weight=len(unwatched),
        )


def _unwatched(table: pl.DataFrame) -> list[str]:
    here = table.filter(table["node"].is_null() & table["stopped"].is_null())
    return here["participant"].to_list()


PARTICIPANT_UNWATCHED = Rule(id="participant-unwatched", check_case=participant_unwatched)
