"""Rounds and samples that were lost, damaged, doubled or could not be recorded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from busmark.carriers import meets_at_server
from busmark.findings.params import (
    has_rate,
    injects_faults,
    is_reliable,
    is_stream,
    lost_where,
    policy,
)
from busmark.findings.rule import (
    Observation,
    Rule,
    Severity,
    count,
    duration,
    part_of,
    share,
    whole,
)

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters


def rounds_lost(view: CaseView) -> Iterator[Observation]:
    import polars as pl

    rounds = view.rows.height
    lost = view.rows.filter(pl.col("status") != "ok")
    if rounds == 0:
        yield Observation(
            "warning",
            "no round was begun",
            title="Cases were not measured",
            cause="The campaign ended, or was interrupted, before their turn came.",
            remedy="`busmark run --resume --out DIR` runs them.",
        )
    elif lost.height:
        yield Observation(
            "error" if lost.height == rounds else "warning",
            f"{lost.height} of {count(rounds, 'round')} ({share(lost.height / rounds)}): "
            f"{_reasons(lost)}",
            weight=lost.height / rounds,
            title="No round is usable" if lost.height == rounds else "",
            remedy=(how := f"{READ} {_repeat({*lost['status']})}"),
            group=how,
        )
    retried = int(view.rows["attempt"].fill_null(0).sum())
    if retried:
        why = Counter(view.result.failed_attempts.get(view.case.id, ["no reason recorded"]))
        reasons = ", ".join(f"{number} failed ({reason})" for reason, number in why.most_common())
        yield Observation(
            "note",
            f"{count(retried, 'further attempt')}: {reasons}",
            weight=retried,
            title="Rounds had to be repeated",
            cause="An attempt at a round failed and the round was tried again.",
            remedy="Read the errors in events.jsonl; intermittent failures often come with "
            "intermittent slowness.",
        )


def _reasons(rows: pl.DataFrame) -> str:
    """Count reasons, the most frequent first: "2 marked (lost samples), 1 failed (no match)"."""
    pairs = zip(rows["status"].to_list(), rows["reason"].to_list(), strict=True)
    frequent = Counter((status, reason or "no reason recorded") for status, reason in pairs)
    return ", ".join(
        f"{number} {status} ({reason})" for (status, reason), number in frequent.most_common()
    )


READ = "Read the reasons, and the errors in events.jsonl."


def _repeat(statuses: Collection[str]) -> str:
    """Return which command repeats rounds that ended so."""
    noun = " and ".join(each for each in ("marked", "failed") if each in statuses)
    if "marked" in statuses:
        return f"`busmark run --resume --marked --out DIR` repeats {noun} rounds."
    return f"`busmark run --resume --out DIR` repeats {noun} rounds."


ROUNDS_LOST = Rule(
    id="rounds-lost",
    remedy=f"{READ} {_repeat(('marked', 'failed'))}",
    check_case=rounds_lost,
    of_trials=True,
    concerns=("rounds",),
    early=None,
)


BROKEN = re.compile(r"write failed|server: the worker died|connection|not reachable", re.IGNORECASE)
"""Reasons of failed attempts that a lost connection to the server gives."""


def server_lost(view: CaseView) -> Iterator[Observation]:
    if not meets_at_server(view.capabilities, view.params.settings):
        return
    failed = view.result.failed_attempts.get(view.case.id, [])
    broken = Counter(reason for reason in failed if BROKEN.search(reason))
    total = sum(broken.values())
    if total:
        server = view.params.settings.get("server")
        where = f"server {server}; " if server else ""
        reasons = ", ".join(f"{number} × {reason}" for reason, number in broken.most_common())
        yield Observation("warning", f"{where}{count(total, 'attempt')}: {reasons}", weight=total)


SERVER_LOST = Rule(
    id="server-lost",
    check_case=server_lost,
    of_trials=True,
    explains=("rounds-lost",),
    concerns=("rounds",),
    early=None,
)


def samples_unreadable(view: CaseView) -> Iterator[Observation]:
    _ = view.latencies
    if view.unreadable:
        rounds = len(view.unreadable)
        yield Observation("error", f"{count(rounds, 'round')}: {view.unreadable[0]}", weight=rounds)


SAMPLES_UNREADABLE = Rule(
    id="samples-unreadable",
    check_case=samples_unreadable,
    of_trials=True,
    early=None,
)


RATE = "criteria.min_rate"
"""Criterion that the reason of a round names which fell behind its rate."""


def loss_under_reliable(view: CaseView) -> Iterator[Observation]:
    lost, due = _undelivered(view)
    if view.params.test != "service" and lost > 0 and not _may_overwrite(view):
        part = lost / due
        evidence = part_of(lost, due, "samples lost") + view.of_marked("lost", lost)
        yield Observation("error", evidence, weight=part)


def _undelivered(view: CaseView) -> tuple[int, int]:
    """Return how many samples a reliable case lost, of how many; none where it may lose some."""
    # What still waits in queues at the end of a hopeless rate is late, and by then counted as lost.
    reasons = view.values("reason", only_ok=False)
    behind = {number for number, why in reasons.items() if RATE in why}
    lost, sent, expected = (
        sum(n for number, n in view.values(column, only_ok=False).items() if number not in behind)
        for column in ("lost", "sent", "expected")
    )
    if (
        not is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
        or _drops_as_asked(view.params)
    ):
        return 0, 0
    return lost, max(expected, sent, lost)  # each sample is to come to each of its readers


def _may_overwrite(view: CaseView) -> bool:
    """Return whether a newer sample may have taken the place of a lost one."""
    closed_loop = view.params.test == "latency" and not has_rate(view.params)
    everything = is_stream(view.capabilities) or policy(view.params, "history") == "keep_all"
    return not closed_loop and not everything


def _drops_as_asked(params: Parameters) -> bool:
    """Return whether the QoS thins samples out on purpose. If several writers own their instances
    exclusively, a reader hears one of them."""
    from busmark.model.parameters import POLICIES  # Rules are listed without it.

    changed = {name for change in params.changes for name in change.qos}
    if any(POLICIES[name].drops for name in changed & POLICIES.keys()):
        return True
    exclusive = bool(params.policy("ownership_strength"))
    writers = (params.publishers or 1) * (params.writers or 1)
    dropping = [name for name, each in POLICIES.items() if each.drops == "always"]
    return any(params.policy(name) for name in dropping) or (exclusive and writers > 1)


LOSS_UNDER_RELIABLE = Rule(
    id="loss-under-reliable",
    check_case=loss_under_reliable,
    concerns=("lost",),
)


def overwritten(view: CaseView) -> Iterator[Observation]:
    severity: Severity = "note"
    if view.params.test == "service":
        return  # `requests-overwritten` knows whose responses take room
    if is_reliable(view.params, view.capabilities):
        severity = "warning"
        lost, due = _undelivered(view) if _may_overwrite(view) else (0, 0)
        where = lost_where(view)
    else:
        lost, due = _replaced(view)
        where = lost_where(view) or _shallow(view)
    if lost > 0 and (where or severity == "warning"):
        part = lost / due
        evidence = part_of(lost, due, "samples not read") + view.of_marked("lost", lost)
        yield Observation(severity, f"{evidence}; {where}" if where else evidence, weight=part)


def _replaced(view: CaseView) -> tuple[int, int]:
    """Return how many samples a stream under best effort and keep-last lost, of how many."""
    lost = view.total("lost")
    if (
        view.params.test == "latency"
        or injects_faults(view.capabilities)
        or policy(view.params, "history")
        not in (("keep_last",) if _keeps_all(view) else KEEPS_LAST)
    ):
        return 0, 0
    return lost, view.total("expected") or view.total("sent") or lost


KEEPS_LAST = ("keep_last", None)
"""Histories that keep the last samples only: DDS does where nothing else is asked for."""


def _keeps_all(view: CaseView) -> bool:
    """Return whether an adapter has no such history, and so none by default."""
    return "keep_last" not in (view.capabilities.get("qos") or ())


def _shallow(view: CaseView) -> str:
    """Return what is known where nobody counts: more writers than a reader keeps samples of, and
    sockets that dropped nothing. Empty otherwise."""
    depth, writers = int(view.params.policy("depth") or 1), _writers(view)
    dropped = view.values("udp_socket_drops", only_ok=False)
    if writers <= depth or not dropped or any(dropped.values()) or view.params.instances:
        return ""
    kept = "sample" if depth == 1 else f"{depth} samples"
    return (
        f"no socket of the participants dropped a datagram, and a reader keeps the last {kept} "
        f"of {writers} writers together"
    )


def _writers(view: CaseView) -> int:
    """Return the number of writers that a reader hears on its topic."""
    params = view.params
    if not params.applications:
        return int(params.publishers or 1) * int(params.writers or 1)
    nodes = len(str(params.writer_on or "").split("+"))
    return int(params.applications) * nodes * int(params.writers or 1)


OVERWRITTEN = Rule(
    id="overwritten",
    check_case=overwritten,
    concerns=("lost",),
)


NOTABLE = 0.001
"""Share of pings lost that moves the 99.9th percentile."""

SERIOUS = 0.01
"""Loss that moves the 99th percentile."""


def loss_in_latency(view: CaseView) -> Iterator[Observation]:
    lost, sent = view.total("lost"), view.total("sent")
    if view.params.test != "latency" or injects_faults(view.capabilities) or not sent:
        return
    if is_reliable(view.params, view.capabilities):
        # Worse than a fact of the latencies: `loss-under-reliable` names it.
        return
    part = lost / sent
    if part < NOTABLE:
        return
    evidence = part_of(lost, sent, "pings lost") + view.of_marked("lost", lost)
    severity: Severity = "warning" if part >= SERIOUS else "note"
    yield Observation(severity, evidence, weight=part)


LOSS_IN_LATENCY = Rule(
    id="loss-in-latency",
    check_case=loss_in_latency,
    concerns=("lost", "tail"),
)


MOST_STILL = 0.15
"""Share of a round's time in stalls from which it is reported."""

LONG = 50.0
"""Times the median from which on a ping is a stall,"""

LEAST_NS = 10e6
"""and time that it takes at least: what a scheduler does in its ordinary course is shorter."""

FEW = 0.01
"""Largest share of pings that are stalls: more of them are a second mode of operation."""

LEAST_PINGS = 100


def loop_stood_still(view: CaseView) -> Iterator[Observation]:
    if view.params.test != "latency" or has_rate(view.params):
        return
    lost = view.values("lost")
    timeout_ns = float(view.params.timeout_s or 0.0) * 1e9
    worst: tuple[float, int, int, float] | None = None
    for number, series in view.latencies.items():
        gone = int(lost.get(number, 0))
        total = float(series.sum()) + gone * timeout_ns
        if series.size + gone < LEAST_PINGS or total <= 0.0:
            continue
        ordered = sorted(series.tolist())
        limit = max(LONG * ordered[len(ordered) // 2], LEAST_NS)
        stalls = [value for value in ordered if value >= limit] + [timeout_ns] * gone
        part = sum(stalls) / total
        if stalls and len(stalls) <= FEW * (series.size + gone) and part >= MOST_STILL:
            found = (part, number, len(stalls), sum(stalls))
            worst = max(worst, found) if worst else found
    if worst is None:
        return
    part, number, count, still_ns = worst
    pings = "1 ping" if count == 1 else f"{whole(count)} pings"
    yield Observation(
        "warning",
        f"in round {number}, {pings} took {duration(still_ns)}, {share(part)} of the sum of all "
        "round trips",
        weight=part,
    )


LOOP_STOOD_STILL = Rule(
    id="loop-stood-still",
    check_case=loop_stood_still,
    concerns=("tail",),
)


def corrupted(view: CaseView) -> Iterator[Observation]:
    corrupted = view.total("corrupted")
    if corrupted > 0 and not injects_faults(view.capabilities):
        evidence = part_of(corrupted, max(view.total("received"), corrupted), "samples differ")
        evidence += "" if view.params.verify else "; one in a thousand was looked at"
        yield Observation("error", evidence, weight=corrupted)


CORRUPTED = Rule(
    id="corrupted",
    check_case=corrupted,
    of_trials=True,
    concerns=("corrupted",),
)


def duplicates_or_reorder(view: CaseView) -> Iterator[Observation]:
    twice, disordered = view.total("duplicated"), view.total("out_of_order")
    reliable = is_reliable(view.params, view.capabilities)
    if reliable and twice + disordered > 0 and not injects_faults(view.capabilities):
        yield Observation(
            "error",
            f"{whole(twice)} duplicated and {whole(disordered)} out of order of "
            f"{whole(view.total('received'))} received",
            weight=twice + disordered,
        )


DUPLICATES_OR_REORDER = Rule(
    id="duplicates-or-reorder",
    check_case=duplicates_or_reorder,
    of_trials=True,
    concerns=("duplicated", "out_of_order"),
)


FULL = "recorder_full"
PLENTY = 100_000
"""Samples of a round that support its 99.99th percentile: a shorter time then costs little."""


def recorder_full(view: CaseView) -> Iterator[Observation]:
    ended = view.values("ended", only_ok=False)
    lengths, asked = view.values("measured_s", only_ok=False), view.params.duration_s
    # A writer far behind its rate fills the recorder long after the time that was asked for: what
    # is amiss there is the rate.
    full = [
        number
        for number, how in ended.items()
        if how == FULL and not (asked and lengths.get(number, 0.0) >= asked)
    ]
    if not full:
        return
    shortest = min((lengths[number] for number in full if number in lengths), default=None)
    evidence = view.of_rounds(len(full), ended)
    if shortest is not None:
        evidence += f", after {shortest:.2f} s" + (f" of {asked:g} s" if asked else "")
    recorded = view.values("samples", only_ok=False)
    fewest = min((recorded[number] for number in full if number in recorded), default=0)
    yield Observation("note" if fewest >= PLENTY else "warning", evidence, weight=len(full))


RECORDER_FULL = Rule(
    id="recorder-full",
    check_case=recorder_full,
    concerns=("samples",),
)


def unacknowledged_batches(view: CaseView) -> Iterator[Observation]:
    missing = view.total("batches_unacknowledged")
    total = missing + view.total("batches")
    if not missing or injects_faults(view.capabilities):
        return
    batch = view.params.batch
    size = f" of {whole(batch)} samples" if isinstance(batch, int) else ""
    evidence = part_of(missing, total, f"batches{size}")
    yield Observation("warning", evidence, weight=missing / total)


UNACKNOWLEDGED_BATCHES = Rule(
    id="unacknowledged-batches",
    check_case=unacknowledged_batches,
    concerns=("batch_time",),
)
