"""How long a round takes: a model of its parts, each of which is stated.

The parts were fitted to rounds of the packs that ship; how well they do is tested against recorded
ones. While a campaign runs, `Pace` replaces them by what its own rounds took.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from busmark.facts import adapter_facts, order_of
from busmark.load import parse as parse_load
from busmark.model.parameters import Parameters
from busmark.plan.counts import PING_S, SAMPLE_S, counts, measured_s
from busmark.plan.flows import flows
from busmark.plan.placement import is_mesh, participants
from busmark.plan.unsupported import links_of
from busmark.store import Case

EXISTING_S = 0.002
"""Warm-up for each endpoint that is there already in a discovery test: time for all others to know
it."""
ROUND_S = 0.2
"""Fixed time of every round: setting up, collecting, storing."""
PARTICIPANT_S = 0.09
"""Time of each process: its start, the loading of its library, its end."""
DRAIN_S = 0.5
"""How long a stream that may lose samples is waited for after its last."""
LOAD_S = {"cpu": 0.2, "net": 0.4, "disk": 0.8}
"""Time until a background load of this kind runs, s."""


def assumed(adapters: Collection[str]) -> str:
    """Return the model in a sentence, for campaigns of these adapters."""
    slow: dict[float, list[str]] = {}
    for name in sorted(adapters, key=order_of):
        if seconds := _matching_s(name):
            slow.setdefault(seconds, []).append(name)
    more = [f"{seconds:g} s more for {', '.join(names)}" for seconds, names in slow.items()]
    each = [f"{ROUND_S:g} s for each round and {PARTICIPANT_S:g} s for each process", *more]
    return (
        f"{', '.join(each)}; where `samples` end a round, {PING_S * 1e6:.0f} µs for a ping and "
        f"{SAMPLE_S * 1e6:.0f} µs for a sample at full speed; {DRAIN_S:g} s after streams that may "
        "lose; no round failing, and no reliable sample lost, for which a round waits 10 s."
    )


def _matching_s(adapter: str) -> float:
    facts = adapter_facts().get(adapter)
    return facts.matching_s if facts else 0.0


def is_chosen(case: Case) -> bool:
    """Return whether the run chooses how long the rounds of the case measure."""
    return case.status == "planned" and case.params.duration_s is None


UNHURRIED = ("latency", "discovery", "action")
"""Tests whose samples wait for each other, so that none queue."""


def _crossing_s(params: Parameters) -> float:
    """Return what the links of the lab take to carry what is sent at a rate: a writer is held up by
    them."""
    if not params.rate_hz or not params.link_rate or params.test in UNHURRIED:
        return 0.0
    if is_mesh(params):
        return 0.0  # by how many links a sample goes is the middleware's affair
    bits_per_s = links_of(params).rate_bit_s
    if not bits_per_s:
        return 0.0
    # Readers of one participant have one link, and each direction has its own.
    shared = params.readers * (2 if params.topology == "bidirectional" else 1)
    octets = sum(one.read * one.flow.size for one in counts(params)) / shared
    return octets * 8 / bits_per_s


def overhead_s(params: Parameters) -> float:
    """Return what comes before and after."""
    processes = 1 if params.deployment == "one" else participants(params)
    seconds = ROUND_S + PARTICIPANT_S * (processes + len(params.participants))
    names = {params.adapter, params.peer, *(own.adapter for own in params.participants)}
    seconds += max(_matching_s(str(name)) for name in names)
    # They are made, and then warmed up for.
    seconds += 2 * (params.existing or 0) * EXISTING_S
    streams = [params.qos] if params.test not in UNHURRIED else []
    # Pings wait for their answers; whoever only reads them waits like any reader.
    streams += [flow.qos for flow in params.flows if flow.kind != "pings" or flow.echo]
    if any(qos.get("reliability") == "best_effort" for qos in streams):
        seconds += DRAIN_S
    return seconds + sum(LOAD_S[load.kind] for load in parse_load(params.load or ""))


def expected_s(case: Case) -> float:
    """Return the expected time of one round of the case, s."""
    params = case.params
    length = max(measured_s(params), _crossing_s(params))
    return float(params.warmup_s) + length + overhead_s(params)


class Pace:
    """The time that rounds really take, learnt from finished ones. The cost of learning from one
    more, or of asking, grows neither with their number nor with the number of cases."""

    def __init__(self, cases: Iterable[Case], rows: Iterable[Mapping[str, Any]]) -> None:
        self._cases = {case.id: case for case in cases}
        self._models: dict[str, float] = {}
        """Time that the model expects of the cases that have rounds."""
        self._by_case: dict[str, list[float]] = {}
        self._measured: dict[str, list[float]] = {}
        self._by_adapter: dict[str, tuple[float, float]] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Mapping[str, Any], lasted_s: float | None = None) -> None:
        """Learn from a new round; a failed one teaches nothing. `lasted_s` is the time since the
        round or attempt before, with storing and looking in between, which the row does not have;
        None: the sum of the row's parts."""
        if lasted_s is None:
            lasted_s = sum(row[part] or 0.0 for part in ("warmup_s", "measured_s", "overhead_s"))
        took = lasted_s + (row["failed_s"] or 0.0)
        case = self._cases.get(row["case"])
        if row["status"] == "failed" or case is None or not took:
            return
        adapter = case.params.adapter
        if case.id not in self._models:
            self._models[case.id] = expected_s(case)
        self._by_case.setdefault(case.id, []).append(took)
        self._measured.setdefault(case.id, []).append(row["measured_s"] or 0.0)
        taken, expected = self._by_adapter.get(adapter, (0.0, 0.0))
        self._by_adapter[adapter] = taken + took, expected + self._models[case.id]

    def expected_s(self, case: Case) -> float:
        """Return the expected time of the case's next round, s: as its own rounds took, else as the
        model says, corrected by how far rounds of the adapter, or else all, departed from it."""
        if own := self._by_case.get(case.id):
            longer = 0.0
            if chosen := case.params.chosen_s:
                measured = self._measured[case.id]
                longer = chosen - sum(measured) / len(measured)
            return max(sum(own) / len(own) + longer, 0.0)
        known = self._by_adapter.get(case.params.adapter)
        like = [known] if known else [*self._by_adapter.values()]
        taken, expected = (sum(part) for part in zip(*like, strict=True)) if like else (1.0, 1.0)
        return expected_s(case) * taken / expected


MOST_COUNTERS = 4_000_000
"""Counters of all readers of a case, each for every writer that it hears: 64 MB, allocated before
the round begins so that nothing is allocated during the measurement."""


def interval_s(params: Parameters) -> float:
    """Return `measure.interval_s`, or where that makes too many counters the next longer one of 1,
    2 or 5 times a power of ten. A round may last twice as long as is measured, by its drain."""
    asked = float(params.interval_s)
    pairs = sum(len(flow.writers) * len(flow.readers) for flow in flows(params).flows)
    least = 2 * (params.duration_s or 0.0) * pairs / MOST_COUNTERS
    return asked if asked >= least else _round_up(least)


def _round_up(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))
