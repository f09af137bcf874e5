"""Between two captures: the packet left one host long before it came to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from busmark.plugins.capture.late.trace import Evidence, Proof, Trace
from busmark.plugins.capture.late.wire import Packet

CAUSE = "on-link"


def find(trace: Trace) -> Iterator[Proof]:
    """The same packet in two files: addresses, protocol and numbers are equal."""
    wire = trace.wire
    for leg in trace.legs:
        left: dict[tuple[object, ...], Packet] = {}
        copies: Counter[tuple[object, ...]] = Counter()
        for each in leg.packets:
            if each.flow is None or each.time_ns > leg.end_ns:
                continue
            flow = wire.flows[each.flow]
            key = (flow.transport, flow.source, flow.destination, each.last_seq, each.stream_end)
            # The first copy there is the first copy here, also if more were sent.
            copies[(key, each.file)] += 1
            first = left.setdefault((key, copies[(key, each.file)]), each)
            if first.file != each.file:
                yield Proof(CAUSE, each.time_ns - first.time_ns,
                            f"it left with packet {first.packet} of {wire.files[first.file].name} "
                            f"and arrived with packet {each.packet} of "
                            f"{wire.files[each.file].name}",
                            (Evidence(first, "leaves"), Evidence(each, "arrives")))  # fmt: skip
