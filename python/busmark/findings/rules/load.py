"""Load, streams and rates that were not as specified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from math import sqrt
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.rule import Observation, Rule, count, duration, part_of, share
from busmark.store.columns import TICK_NS

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.cpu_time import Cpu, CpuUse
    from busmark.findings.view import CaseView

MAX_OTHERS = 0.1
"""Share of the participants' CPUs that others may use. The kernel's own threads and the reader of
counters take some hundredths; a participant woken at a random moment meets a tenth in one case of
ten, and then the 90th percentile is the reader's."""

MIN_OTHERS_S = 2 * TICK_NS / 1e9
"""CPU time of others from which on it is known that there were any: user and kernel time of a CPU
each come in ticks of 10 ms."""

MIN_WAITING = 0.1
"""Share of the time in which a participant could have run that it waited for a CPU. Below it others
were there, but gave way."""

MEASURED = 0.9
"""Share of the counters' time that must have been measured: where less was, both are stated."""


def other_load(view: CaseView) -> Iterator[Observation]:
    if view.params.load:
        return  # as asked for; tables have what it reached
    seen = {n: met for n, use in view.cpu_use.items() if (met := _met(use)) is not None}
    if seen:
        waited_ns, words = max(seen.values())
        rounds = f"in {view.of_rounds(len(seen), view.cpu_use)}"
        yield Observation("warning", f"{words}; {rounds}", weight=waited_ns)


def _met(use: CpuUse) -> tuple[float, str] | None:
    """Return for how long a participant's thread waited for a CPU that others used, ns, and that
    in words; None: none did."""
    found = []
    for own in use.participants:
        others = use.others(own.cpus)
        # A thread whose group is throttled is able to run, too, and waits for no one else.
        waited = max(0.0, own.queued - use.throttled)
        if others is None or others < max(MAX_OTHERS, MIN_OTHERS_S / use.seconds):
            continue
        if waited <= 0.0 or waited / (waited + own.waiter) < MIN_WAITING:
            continue
        waited_ns, ran_ns = waited * use.seconds * 1e9, own.waiter * use.seconds * 1e9
        found.append(
            (
                waited_ns,
                f"a thread of participant {own.name} waited for a CPU for {duration(waited_ns)} "
                f"and ran for {duration(ran_ns)} of {_window(use)}, while other processes used "
                f"{share(round(others, 2))} of {_named(sorted(own.cpus))}",
            )
        )
    return max(found, default=None)


def _window(use: CpuUse) -> str:
    """Return the time that counters cover, and how much of it was measured if that is less."""
    window = duration(use.seconds * 1e9)
    if use.measured_s > MEASURED * use.seconds:
        return window
    return f"{window} ({duration(use.measured_s * 1e9)} of it measured)"


def _named(cpus: list[Cpu]) -> str:
    numbers = ", ".join(str(number) for _, number in cpus)
    node = cpus[0][0]
    return f"CPU{'s' if len(cpus) > 1 else ''} {numbers}{f' of node {node}' if node else ''}"


OTHER_LOAD = Rule(
    id="other-load",
    check_case=other_load,
    explains=(
        "rate-not-held",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
        "order-effects",
        "target-missed",
        "udp-drops",
        "loss-under-reliable",
        "overwritten",
        "loss-in-latency",
        "loop-stood-still",
    ),
    concerns=("tail",),
)


MIN_LOAD_SHARE = 0.9
"""Share of the requested load: load tools stay within a few per cent if they get the CPU."""


def load_missed(view: CaseView) -> Iterator[Observation]:
    """Warn of each load that was missed by itself: of two at once one may have been reached."""
    from busmark.store.columns import LOAD_UNITS

    for kind in LOAD_UNITS:
        asked = view.values(f"load_{kind}_asked", only_ok=False)
        achieved = view.values(f"load_{kind}_achieved", only_ok=False)
        shares = {
            number: achieved[number] / level
            for number, level in asked.items()
            if number in achieved and level
        }
        short = [value for value in shares.values() if value < MIN_LOAD_SHARE]
        if short:
            yield Observation(
                "warning",
                f"{_load_named(view, kind)}: {share(round(min(short), 3))} of it was reached in "
                f"the worst round, too little in {view.of_rounds(len(short), shares)}",
                weight=1.0 - min(short),
            )


def _load_named(view: CaseView, kind: str) -> str:
    """Return the load of this kind, as asked for."""
    texts = str(view.params.load).split("+")
    return next((text.strip() for text in texts if text.strip().lower().startswith(kind)), kind)


LOAD_MISSED = Rule(
    id="load-missed",
    check_case=load_missed,
    concerns=("load",),
)


MIN_STREAM_SHARE = 0.95
"""Least share of the intended rate that a background flow must reach."""

CHANCE = 5.0
"""Standard deviations: a Poisson stream falls so far short once in three million rounds."""

FULL = "recorder_full"

STREAM = "stream"
"""Begin of the names of flows that `stream_hz` asks for."""


def background_missed(view: CaseView) -> Iterator[Observation]:
    asked = {flow.name: (flow.qos, flow.arrivals) for flow in view.params.flows}
    if not asked and not view.params.stream_hz:
        return
    import polars as pl

    tables = [*_tables(view)]
    if not tables:
        return
    for (name,), own in pl.concat(tables).group_by("flow", maintain_order=True):
        if str(name).startswith(STREAM) and view.params.stream_hz:
            asked[str(name)] = view.params.stream_qos, "constant"
        if str(name) in asked:
            qos, arrivals = asked[str(name)]
            yield from _rate(str(name), own, poisson=arrivals == "poisson")
            reliable = qos.get("reliability") == "reliable"
            yield from _loss(str(name), own, reliable=reliable)
            yield from _ended(str(name), own)


def _tables(view: CaseView) -> Iterator[pl.DataFrame]:
    """Yield the table `flows` of each finished round; one that cannot be read is another rule's."""
    for one in view.finished["round"].to_list():
        with suppress(UserError):
            table = view.result.flows(view.case.id, one)
            if table is not None:
                yield table


def _rate(name: str, own: pl.DataFrame, *, poisson: bool) -> Iterator[Observation]:
    """Yield a warning if the slowest writer of the flow missed its rate."""
    import polars as pl

    asked, written = pl.col("theoretical_per_s"), pl.col("written_per_s")
    # What a writer writes goes to each of its readers.
    once = own.unique(["round", "writer"]).filter(asked > 0, written > 0)
    by_writer = once.group_by("writer").agg(
        asked.first(), pl.col("sent").sum(), (pl.col("sent") / written).sum().alias("seconds")
    )
    for _, rate, sent, seconds in by_writer.sort(pl.col("sent") / pl.col("seconds")).head(1).rows():
        expected, reached = rate * seconds, sent / seconds
        # A sample more or less is a matter of when the first and the last were due.
        chance = max(CHANCE * sqrt(expected) if poisson else 0.0, 1.0)
        if expected - sent > max((1.0 - MIN_STREAM_SHARE) * expected, chance):
            yield Observation(
                "warning",
                f"flow {name}: {part_of(reached, rate, 'samples/s written')}",
                weight=1.0 - reached / rate,
            )


def _loss(name: str, own: pl.DataFrame, *, reliable: bool) -> Iterator[Observation]:
    lost, expected = int(own["lost"].sum()), int(own["expected"].sum())
    if not lost:
        return
    yield Observation(
        "warning" if reliable else "note",
        f"flow {name}: {part_of(lost, expected, 'samples lost')}",
        weight=lost / expected,
        title="Samples of a background flow were lost",
        cause="The flow asks more of the middleware, of its queues or of the CPUs than they have "
        "while the measurement runs, or its quality of service lets samples go.",
        remedy="Judge the figures of the case together with this loss: what was lost was no load "
        "on the reader.",
    )


def _ended(name: str, own: pl.DataFrame) -> Iterator[Observation]:
    """Yield a warning if the flow ended before the measurement was over, for want of rows."""
    full = own.filter(ended=FULL)["round"].n_unique()
    if not full:
        return
    yield Observation(
        "warning",
        f"flow {name}: in {full} of {count(own['round'].n_unique(), 'round')}",
        title="A background flow ended early",
        cause="Its pings or batches came faster than rows were made for: with the last row a flow "
        "ends, so that the rest of the time was measured without it.",
        remedy="Raise `measure.max_samples`; or give pings a `rate_hz`, and batches more samples.",
    )


BACKGROUND_MISSED = Rule(
    id="background-missed",
    check_case=background_missed,
)


MIN_RATE_SHARE = 0.95
"""Share of the rate. A Poisson stream of 2,000 samples falls 5 % short in one round of 80."""


IMPORTED_CAUSE = (
    "The tool wrote fewer samples per second than requested. Its latencies are of the rate "
    "that was reached; if it stamps a sample when it really sends it, they leave out how late the "
    "writer was."
)
"""Cause for results of another tool, which may count latency from the actual sending."""
IMPORTED_REMEDY = (
    "Read the figures as measured at the rate that was reached, or measure again at a rate that "
    "the writer keeps."
)


def rate_not_held(view: CaseView) -> Iterator[Observation]:
    rate, written = (
        view.params.rate_hz,
        list(view.values("written_per_s", only_ok=False).values()),
    )
    senders = max(view.values("senders", only_ok=False).values(), default=None)
    # With a timeline the rate may be another later on; criteria.min_rate takes that into account.
    if not rate or not written or not senders or view.params.timeline:
        return
    asked = float(rate) * senders
    reached = sorted(written)[len(written) // 2]
    imported = view.result.manifest.source is not None
    # Another tool may cut the rate of each writer to whole samples per second.
    if reached + imported * senders < MIN_RATE_SHARE * asked:
        yield Observation(
            "warning",
            f"{part_of(float(reached), asked, 'samples/s written')}, the median of "
            f"{count(len(written), 'round')}",
            weight=1.0 - reached / asked,
            cause=IMPORTED_CAUSE if imported else "",
            remedy=IMPORTED_REMEDY if imported else "",
        )


RATE_NOT_HELD = Rule(
    id="rate-not-held",
    check_case=rate_not_held,
    of_imports=True,
    concerns=("latency", "written_per_s"),
)


def companion_trouble(view: CaseView) -> Iterator[Observation]:
    said = Counter(view.result.companion_findings.get(view.case.id, []))
    for (name, sentence), rounds in said.most_common():
        yield Observation("note", f"{name}, {count(rounds, 'round')}: {sentence}", weight=rounds)


COMPANION_TROUBLE = Rule(
    id="companion-trouble",
    check_case=companion_trouble,
    of_trials=True,
    early=None,
)
