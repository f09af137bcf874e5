"""How much shared memory the samples of a case take when the queue is full."""

from __future__ import annotations

from collections.abc import Mapping

from busmark.adapters import Adapter
from busmark.carriers import SHARED_MEMORY, carrier
from busmark.model.parameters import Parameters
from busmark.plan.flows import Flow, Participant, flows

LOANED = 2
"""Samples in the hands of writer and reader, beside those in the queue."""


def stored_bytes(params: Parameters, adapters: Mapping[str, Adapter]) -> int:
    """Bytes in use at most, all writers together, where the memory grows with the samples; 0 where
    it does not, or the adapter does not say."""
    if not any(
        _grows(adapters[name], transport) for name, transport, _ in params.attachments[:2]
    ):  # fmt: skip
        return 0
    total = 0
    for flow in flows(params).flows:
        for end in flow.writers:
            total += _samples(flow, end.participant, adapters) * flow.size
        if flow.kind != "stream":
            own = [end.participant for end in flow.answering]
            total += flow.size * sum(_of(each, adapters) for each in own)
    return total


def _grows(adapter: Adapter, transport: str) -> bool:
    can = adapter.capabilities or {}
    return bool(can.get("stored_samples")) and carrier(can, transport) == SHARED_MEMORY


def _of(participant: Participant, adapters: Mapping[str, Adapter]) -> bool:
    return _grows(adapters[participant.adapter], participant.transport)


def _samples(flow: Flow, writer: Participant, adapters: Mapping[str, Adapter]) -> int:
    """Samples of one writer. The queue fills up only where nothing paces the writer."""
    if not _of(writer, adapters):
        return 0
    if flow.kind not in ("stream", "batches"):
        return 1
    if flow.rate_hz or writer.settings:
        return LOANED
    if flow.qos.get("history") != "keep_all":
        return int(flow.qos.get("depth", 1)) + LOANED
    can = adapters[writer.adapter].capabilities or {}
    fitting = can["stored_bytes"] // max(flow.size, 1)
    return int(min(max(fitting, 2), can["stored_samples"])) + LOANED
