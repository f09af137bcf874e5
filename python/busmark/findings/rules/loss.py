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
    title="Rounds were marked or failed",
    cause="A round that missed a criterion or did not end is kept, but left out of every "
    "estimate; the remaining rounds may look better than the truth.",
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
    title="Writes to the server failed during the measurement",
    cause="All participants of this middleware communicate through a server (a broker). Writes "
    "fail when it restarts, ends, or closes their connections; samples in transit are lost, "
    "and the round with them.",
    remedy="Look in the server's log for the time of `round_failed` in events.jsonl; keep the "
    "server from being restarted or updated while a campaign runs.",
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
    title="Samples of finished rounds cannot be read",
    cause="A file of the result directory is missing or damaged.",
    remedy="Copy the directory again from the machine that measured it, or delete the files of "
    "these rounds: `busmark run --resume --out DIR` then measures them again.",
    check_case=samples_unreadable,
    of_trials=True,
    early=None,
)


RATE = "criteria.min_rate"
"""In the reason of a round that fell behind its rate."""


def loss_under_reliable(view: CaseView) -> Iterator[Observation]:
    # What still waits in queues at the end of a hopeless rate is late, and by then counted as lost.
    reasons = view.values("reason", only_ok=False)
    behind = {number for number, why in reasons.items() if RATE in why}
    lost, sent, expected = (
        sum(n for number, n in view.values(column, only_ok=False).items() if number not in behind)
        for column in ("lost", "sent", "expected")
    )
    if (
        lost <= 0
        or not is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
    ):
        return
    if _drops_as_asked(view.params):
        return
    due = max(expected, sent)  # each sample is to come to each of its readers
    part = lost / due if due else 1.0
    evidence = f"{whole(lost)} of {whole(due)} samples lost ({share(part)})"
    # Then no newer sample can have taken the place of a lost one.
    closed_loop = view.params.test == "latency" and not has_rate(view.params)
    everything = is_stream(view.capabilities) or policy(view.params, "history") == "keep_all"
    if closed_loop or everything:
        yield Observation("error", evidence, weight=part)
    else:
        where = lost_where(view)
        yield Observation(
            "warning",
            f"{evidence}; {where}" if where else evidence,
            weight=part,
            title="Samples were overwritten under reliable keep-last",
            cause="With history keep-last (the default of DDS) a writer or reader replaces samples "
            "that have not been taken when new ones come faster; reliability does not cover them.",
            remedy='Ask for `qos.history = "keep_all"`, a greater depth, or a lower rate.',
        )


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
    title="Samples were lost although delivery is reliable",
    cause="The middleware gave up on samples: a reader that was not matched yet, a resource "
    "limit, a write that timed out, or a defect. Its figures describe a smaller job.",
    remedy="Look at the first lost sequence numbers: losses at the start mean that a reader was "
    "not matched. Raise resource limits and blocking time; compare with another adapter "
    "before reporting a defect.",
    check_case=loss_under_reliable,
    concerns=("lost",),
)


def overwritten(view: CaseView) -> Iterator[Observation]:
    lost = view.total("lost")
    expected = view.total("expected") or view.total("sent")
    if (
        view.params.test == "latency"
        or not lost
        or is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
        or policy(view.params, "history")
        not in (("keep_last",) if _keeps_all(view) else KEEPS_LAST)
    ):
        return
    where = lost_where(view) or _shallow(view)
    if not where:
        return
    part = lost / expected if expected else 1.0
    yield Observation(
        "note",
        f"{whole(lost)} of {whole(expected)} samples were not read ({share(part)}); {where}",
        weight=part,
    )


KEEPS_LAST = ("keep_last", None)
"""Where nothing else is asked for, DDS keeps the last sample."""


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
    title="Readers did not get all that was written",
    cause="Under best effort with keep-last, samples are lost on the way, for instance at a full "
    "socket buffer, or are replaced in the reader's history by newer ones that come faster than "
    "it takes them. Sequence numbers show both as missing.",
    remedy='Where readers shall see every sample: `qos.history = "keep_all"`, a greater depth, a '
    "lower rate, or reliable delivery. Where the latest is enough, nothing.",
    check_case=overwritten,
    concerns=("lost",),
)


NOTABLE = 0.001
"""Share of pings lost that moves the 99.9th percentile."""

SERIOUS = 0.01
"""One that moves the 99th."""


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
    evidence = f"{whole(lost)} of {whole(sent)} pings lost ({share(part)})"
    severity: Severity = "warning" if part >= SERIOUS else "note"
    waits = has_rate(view.params) and policy(view.params, "history") == "keep_last"
    # Where links were asked to lose, a guess at histories would accuse another.
    if waits and not view.params.link_loss:
        yield Observation(
            severity,
            evidence,
            weight=part,
            title="Pings were lost, perhaps overwritten while they waited",
            cause="With history keep-last a newer ping replaces one that has not been taken. A "
            "stall of the reader then loses the pings that waited longest. They count as later "
            "than any that came back.",
            remedy='Ask for `qos.history = "keep_all"`, or a depth that holds the pings of the '
            "longest stall.",
        )
    else:
        yield Observation(severity, evidence, weight=part)


LOSS_IN_LATENCY = Rule(
    id="loss-in-latency",
    title="Pings of a latency test were lost",
    cause="A ping that nobody answered has no latency. It counts as later than any that came "
    "back, so the percentiles beyond the share lost have no value; mean, minimum and "
    "maximum cover only the pings that came back.",
    remedy="Lower the rate, enlarge buffers, or ask for reliable delivery with keep-all; compare "
    "latencies only between cases that lose equally little.",
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
    title="Stalls took much of the closed loop's time (coordinated omission)",
    cause="A closed loop sends nothing while it waits, so a stall of any length is one sample: "
    "median and percentiles hardly show it. An application that sends on its own schedule "
    "would have met every one of these stalls.",
    remedy="Look for what stopped the participants (CPU limit, other work, a stopped process). To "
    "have stalls charged to every sample that they delay, ask for an open loop: `rate_hz`.",
    check_case=loop_stood_still,
    concerns=("tail",),
)


def corrupted(view: CaseView) -> Iterator[Observation]:
    corrupted = view.total("corrupted")
    if corrupted > 0 and not injects_faults(view.capabilities):
        received = whole(view.total("received"))
        looked = "" if view.params.verify else ", of which one in a thousand was looked at"
        yield Observation(
            "error", f"{whole(corrupted)} of {received} samples differ{looked}", weight=corrupted
        )


CORRUPTED = Rule(
    id="corrupted",
    title="Samples arrived with wrong content",
    cause="A buffer was reused too early, a conversion is wrong, or a body was not sent.",
    remedy="Run `busmark adapter check NAME`; do not use these figures.",
    check_case=corrupted,
    of_trials=True,
    concerns=("corrupted",),
)


def duplicates_or_reorder(view: CaseView) -> Iterator[Observation]:
    twice, disordered = view.total("duplicated"), view.total("out_of_order")
    if twice + disordered <= 0 or injects_faults(view.capabilities):
        return
    evidence = (
        f"{whole(twice)} duplicated and {whole(disordered)} out of order of "
        f"{whole(view.total('received'))} received"
    )
    if is_reliable(view.params, view.capabilities):
        yield Observation("error", evidence, weight=twice + disordered)
    else:
        yield Observation(
            "note",
            evidence,
            weight=twice + disordered,
            title="Best-effort samples were duplicated or out of order",
            cause="Without reliability the network's reordering and duplicates reach the reader "
            "unchanged.",
            remedy="Count them as what the application would have to deal with.",
        )


DUPLICATES_OR_REORDER = Rule(
    id="duplicates-or-reorder",
    title="Reliable samples were duplicated or out of order",
    cause="The middleware passed on a repeated transmission, or two paths carried one writer's "
    "samples.",
    remedy="Run `busmark adapter check NAME`; look for two interfaces or transports in use at "
    "once.",
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
    title="The measurement ended because the recorder was full",
    cause="More samples came than the recorder can hold, so only the first part of the requested "
    "time was measured.",
    remedy="Shorten `duration_s`, or set `samples` to what is needed.",
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
    yield Observation(
        "warning",
        f"{whole(missing)} of {whole(total)} batches{size} ({share(missing / total)})",
        weight=missing / total,
    )


UNACKNOWLEDGED_BATCHES = Rule(
    id="unacknowledged-batches",
    title="The end of a batch was not acknowledged",
    cause="The end of a batch is sent up to five times, and from some reader no acknowledgement "
    "came in time: the end or its acknowledgement was lost each time, or the reader was still busy "
    "with the samples before it. Where the end never came as first sent, the time of the batch is "
    "until the last of its samples that did.",
    remedy="Make batches smaller (`batch`), give the readers larger buffers, or use reliable "
    "delivery. Raise `measure.timeout_s` where nothing is lost and readers are only slow.",
    check_case=unacknowledged_batches,
    concerns=("batch_time",),
)
