"""What writers wrote and readers read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark import stats
from busmark.model.entry import (
    SEARCHES,
    STUDENT,
    Compared,
    EstimatedQuantity,
    Explained,
    Number,
    Row,
)

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary
    from busmark.model.parameters import Parameters


def _goodput_of_round(row: Row, params: Parameters) -> float | None:
    value: float | None = row["mbit_per_s" if params.size else "samples_per_s"]
    return value


_GOODPUT_COMPARED = Compared(
    name="goodput.throughput",
    word="goodput",
    tests=("throughput",),
    more="faster",
    less="slower",
    otherwise="no round has one",
    of_round=_goodput_of_round,
    # In samples/s where bodies are empty. The ratio is the same.
    unit=lambda params: "Mbit/s" if params.size else "1/s",
    counted="received",
)

GOODPUT = EstimatedQuantity(
    key="goodput_mbit_per_s",
    quantity="goodput",
    also=("throughput", "bandwidth"),
    unit="Mbit/s",
    more_is_better=True,
    meaning="goodput of bodies at the readers; of the test capacity at the sustained rate",
    tests=("throughput", "capacity"),
    compared=_GOODPUT_COMPARED,
    explained=(
        Explained(
            "Goodput",
            ("mbit_per_s", "samples_per_s"),
            "Distinct samples and their bodies, counted at the reader. Mbit/s is 10⁶ bit/s.",
            "(n − 1) / t for n samples of a flow, t = t_last − t_first but no less than "
            "was written; × size × 8 / 10⁶. Flows at a rate are added; at full speed t "
            "is the time in which at least one ran. For batches: received / time in "
            "which at least one was under way. " + STUDENT,
            "interval counters of the receiver; `batches`",
            "Bytes on the wire: the 64-byte header, protocol headers and repeats are not in it.",
            section="Throughput",
        ),
    ),
)

THEORETICAL = Number(
    key="theoretical_per_s",
    quantity="theoretical_rate",
    statistic="value",
    unit="1/s",
    meaning="what readers would receive if every writer kept its rate and nothing were lost; null "
    "at full speed",
    tests=("throughput",),
    explained=(
        Explained(
            "Theoretical",
            ("theoretical_per_s",),
            "What all readers together would receive if every writer kept its rate and nothing "
            "were lost.",
            "rate × writers × readers of each, × the share that a filter lets through",
            "the scenario",
            "What the middleware could do.",
            section="Throughput",
        ),
    ),
)

NUMBERED = EstimatedQuantity(
    key="numbered_per_s",
    quantity="numbered_rate",
    unit="1/s",
    meaning="what all readers together would have read had nothing been lost, by the sequence "
    "numbers",
    tests=("throughput",),
    explained=(
        Explained(
            "Expected",
            ("numbered_per_s",),
            "What all readers together would have read had nothing been lost, by the sequence "
            "numbers of what was written: the theoretical throughput of older suites.",
            "read × expected / received, of each round. " + STUDENT,
            "account of sequence numbers at each receiver, what its writers sent",
            "Where samples were lost: on the way, or overwritten in a history.",
            section="Throughput",
        ),
    ),
)

WRITTEN = EstimatedQuantity(
    key="written_per_s",
    quantity="write_rate",
    also=("written",),
    unit="1/s",
    more_is_better=True,
    meaning="rate of the writers",
    tests=("throughput",),
    explained=(
        Explained(
            "Written",
            ("written_per_s",),
            "Rate of the writers.",
            "sent / (end of the last write − start of the measured time), added as goodput is; at "
            "a rate (sent − 1) / (T1 of the last − start of the measured time); in batches sent / "
            "time in which a batch was being written. " + STUDENT,
            "the transmitter's report",
            "Delivery. A writer without back-pressure may be far above the reader.",
            section="Throughput",
        ),
    ),
)

READ = EstimatedQuantity(
    key="samples_per_s",
    quantity="read_rate",
    names=("samples_per_s.throughput",),
    also=("samples_per_s", "rate"),
    unit="1/s",
    more_is_better=True,
    meaning="goodput at the readers, all together",
    tests=("throughput",),
)

DRAIN = EstimatedQuantity(
    key="drain_ns",
    quantity="drain",
    unit="ns",
    meaning="time from the end of writing to the arrival of the last sample",
    tests=("throughput",),
    explained=(
        Explained(
            "Drain",
            ("drain_ns",),
            "Time in which samples still arrived after the last was written.",
            "Arrival of the last sample of a flow − end of its last write, of the flow where that "
            "is longest. " + STUDENT,
            "the receiver's count, and the transmitter's report",
            "Which samples: about drain × rate of the writers were in flight at the end. Where the "
            "last ones took longer than the first, goodput is below that rate, and none is lost.",
            section="Throughput",
        ),
    ),
)


SENT = Number(
    key="sent",
    meaning="samples written in those that count, after warm-up",
    tests=("latency", "throughput", "service"),
    explained=(
        Explained(
            "Sent and lost pings",
            ("sent", "lost"),
            "Pings written in the measured time; how many of them got no pong.",
            "count of rows; count of rows without `read_ns`",
            "samples, role `pinger`",
            "Which way a sample was lost. In a closed loop a lost ping also costs `timeout_s` of "
            "silence.",
            section="Latency",
        ),
        Explained(
            "Sent, received, lost",
            ("sent", "received", "lost", "loss"),
            "Samples written in the measured time; distinct ones of them received; the rest.",
            "lost = sent − received, counted when all have come or nothing new has for a while. "
            "Share: " + STUDENT,
            "the reader's sequence ledger",
            "Why. Losses under best effort are the protocol's right; under reliable see the "
            "finding `loss-under-reliable`.",
            section="Throughput",
        ),
    ),
)

RECEIVED = Number(
    key="received",
    meaning="samples of a stream that arrived; null in a latency case",
    tests=("throughput",),
)


def _due(case: CaseSummary) -> int | None:
    """Return the pings sent, or the samples that all readers together should have received."""
    received, lost = RECEIVED.value(case), LOST.value(case)
    if received is None or lost is None:
        return case.whole.counted(SENT)
    return int(received + lost)


LOST = Number(
    key="lost",
    meaning="of the expected ones, those that never arrived; of pings, those whose pong never came",
    tests=("latency", "throughput", "service"),
    of=_due,
)

DUPLICATED = Number(
    key="duplicated",
    meaning="arrived again; null in a latency case",
    tests=("throughput",),
    explained=(
        Explained(
            "Duplicated, out of order",
            ("duplicated", "out_of_order"),
            "Samples received again; distinct samples received after a later one of the same "
            "writer.",
            "exact for samples less than 65 472 numbers late; a late sample is reordered, never "
            "lost",
            "the reader's sequence ledger",
            "Arrivals later than that window: they are counted as ancient in `events.jsonl` only.",
            section="Throughput",
        ),
    ),
)

OUT_OF_ORDER = Number(
    key="out_of_order",
    meaning="arrived after a later one; null in a latency case",
    tests=("throughput",),
)

FOREIGN = Number(
    key="foreign",
    meaning="without the run's cookie, or of a writer that nobody announced",
    tests=("throughput",),
    frames=False,
    explained=(
        Explained(
            "Foreign",
            ("foreign",),
            "Samples without the run's cookie, or of a writer that nobody announced.",
            "count",
            "the reader",
            "Whose they are. They enter no other figure.",
            section="Throughput",
        ),
    ),
)

CORRUPTED = Number(
    key="corrupted",
    meaning="bodies that differ from what was written",
    tests=("throughput",),
    frames=False,
    explained=(
        Explained(
            "Corrupted",
            ("corrupted",),
            "Bodies that differ from what was written. With `measure.verify` every body is "
            "compared; without it one in a thousand, chosen at random by the run's cookie. Writers "
            "give those samples contents of their own, so that a body that was not sent cannot be "
            "known at the reader; they are compared after the stamps of their sample, a ping's by "
            "a piece of 256 bytes after its pong is sent. Null where bodies are not seen: payloads "
            "`empty` and `type`.",
            "count",
            "the reader",
            "Errors in headers. Verification costs time per byte; leave it off for figures.",
            section="Throughput",
        ),
    ),
)


LOSS_OF_ALL = Number(
    key="loss_of_all",
    quantity="loss",
    statistic="value",
    unit="1",
    within=stats.SHARE,
    meaning="lost samples of the expected ones, 0 to 1",
    tests=("latency", "throughput", "service"),
    frames=False,
)


def _delivered(case: CaseSummary) -> float | None:
    """Return the share of the samples of all rounds together."""
    lost, due = LOST.value(case), _due(case) if case.test == "throughput" else None
    return None if lost is None or not due else 1.0 - lost / due


DELIVERED = Number(
    key="delivered",
    statistic="value",
    unit="1",
    within=stats.SHARE,
    meaning="share of the samples due at readers that arrived, in all rounds together",
    tests=("throughput",),
    pick=_delivered,
)

BATCHES = Number(
    key="batches",
    meaning="batches written; null where the stream runs free",
    tests=("throughput",),
    needs="batch",
    explained=(
        Explained(
            "Batches",
            ("batches",),
            "How many were written, how many were not acknowledged, and the time of a batch.",
            "time: from a batch's start to its end at the reader, without time-outs; mean of each "
            "round. " + STUDENT,
            "`batches`; samples, role `batcher`",
            "What the handshake costs: pauses between batches are in no figure.",
            section="Throughput",
        ),
    ),
)

UNACKNOWLEDGED = Number(
    key="batches_unacknowledged",
    meaning="of these, batches whose end some reader did not acknowledge",
    tests=("throughput",),
    needs="batch",
)

SAMPLES_ACKNOWLEDGED = Number(
    key="samples_acknowledged",
    meaning="samples of batches that every reader acknowledged; null if none is to be acknowledged",
    tests=("throughput",),
    needs="batch",
    frames=False,
)

BATCH_TIME = EstimatedQuantity(
    key="batch_time",
    unit="ns",
    suffix="_ns",
    meaning="time of a batch at a reader, from its start to its end",
    tests=("throughput",),
    needs="batch",
)


def _lost_of_round(row: Row) -> tuple[int, int] | None:
    expected = row.get("expected") or row["sent"]
    return (row["lost"], expected) if expected and row["lost"] is not None else None


LOSS = EstimatedQuantity(
    key="loss",
    statistic="mean",
    unit="1",
    within=stats.SHARE,
    meaning="lost samples of the expected ones, 0 to 1",
    tests=("latency", "throughput", "service"),
    compared=Compared(
        name="loss",
        word="loss",
        tests=("latency", "throughput", "service"),
        more="loses more",
        less="loses less",
        otherwise="no round has one",
        share_of_round=_lost_of_round,
    ),
)

SUSTAINED_RATE = EstimatedQuantity(
    key="sustained_rate_per_s",
    quantity="sustained_rate",
    also=("capacity",),
    unit="1/s",
    more_is_better=True,
    meaning="greatest rate of each writer, or of each client of a service, that met the criterion",
    tests=SEARCHES,
)

OF_CASES = (
    GOODPUT,
    THEORETICAL,
    NUMBERED,
    WRITTEN,
    READ,
    DRAIN,
    SENT,
    RECEIVED,
    LOST,
    DUPLICATED,
    OUT_OF_ORDER,
    FOREIGN,
    CORRUPTED,
    LOSS_OF_ALL,
    DELIVERED,
    BATCHES,
    UNACKNOWLEDGED,
    SAMPLES_ACKNOWLEDGED,
    BATCH_TIME,
    LOSS,
    SUSTAINED_RATE,
)
"""Quantities in the order of tables."""
