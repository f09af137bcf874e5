"""Secured samples that travel in many packets, each protected by itself."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

EACH_BY_ITSELF = ("rtps_sign", "rtps_encrypt", "metadata_encrypt", "all")
"""Profiles by which messages or submessages are protected. A payload is protected whole, before it
is cut."""

MIN_PACKETS = 4.0
"""Packets for each sample; acknowledgements and heartbeats are among them."""


def check_case(view: CaseView) -> Iterator[Observation]:
    size = view.params.size
    if view.params.security not in EACH_BY_ITSELF or not isinstance(size, int):
        return
    packets, bytes_ = view.values("wire_packets"), view.values("wire_bytes")
    latency = view.params.test == "latency"
    samples = view.values("samples" if latency else "received")
    each = [
        (packets[n] / exchanged, bytes_[n] / packets[n])
        for n in packets.keys() & bytes_.keys() & samples.keys()
        if (exchanged := samples[n] * (2 if latency else 1)) and packets[n]
    ]
    if not each:
        return
    per_sample = median(many for many, _ in each)
    length = median(long for _, long in each)
    if per_sample >= MIN_PACKETS and length * 2 < size:
        yield Observation(
            "note",
            f"{per_sample:.1f} packets of {whole(round(length))} B on average for each sample of "
            f"{whole(size)} B, in {count(len(each), 'captured round')}",
            weight=per_sample,
        )


RULE = Rule(
    id="small-fragments",
    title="Secured samples travel in small fragments",
    cause="Messages or submessages are protected (governance), so each fragment of a sample has a "
    "header, a tag and a run of the cipher of its own.",
    remedy="Let the middleware send larger fragments, where the network carries them "
    "(Cyclone DDS: General/FragmentSize and MaxMessageSize; Fast DDS: maxMessageSize of the "
    "transport), or protect payloads alone (data_encrypt): these are encrypted before they are "
    "cut.",
    check_case=check_case,
)
