"""What a capture of a case holds: whether there is anything, which packets, and roughly how much.

The traffic of a run cannot be known by its ports: DDS, and most servers that a run starts, take
free ones. The filter therefore goes by protocol, and for DDS by the first bytes of every RTPS
message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from busmark.adapters import Adapter
from busmark.carriers import LOCAL, carrier, in_words
from busmark.facts import adapter_facts
from busmark.model.parameters import Parameters
from busmark.plan.counts import measured_s, of_flow
from busmark.plan.flows import PlannedFlow, flows
from busmark.plugins.capture.section import AUTO, CaptureSection
from busmark.scenario import HEADER_BYTES, Scenario
from busmark.store import Case

LOOPBACK = "lo"
"""The interface over which participants of one machine or node meet."""
CAPTURE_S = 0.7
"""Time that a capture adds to a round: until it has begun, and until the last packets have come."""
XRCE = "dds-xrce"
"""The family of adapters whose participants are clients of an agent."""
RTPS = 0x52545053
"""The word RTPS."""
OF_RTPS = (
    f"udp[8:4] = {RTPS:#x} or ip[6:2] & 0x1fff != 0 "
    f"or (ip6[6] = 17 and ip6[48:4] = {RTPS:#x}) or ip6[6] = 44"
)
"""Messages over UDP, and fragments of IP packets behind the first, which do not have the word."""
OF_UDP = "udp or ip[6:2] & 0x1fff != 0 or ip6[6] = 44"
BESIDES_BYTES = 150
"""Bytes of a packet with one sample besides the sample: headers down to Ethernet, heartbeat, time
stamp, the file's own."""
SHARE_REPLIES = 0.5
"""Packets that acknowledge, for each that carries a sample, where everything must come."""
MOST_PAYLOAD = 1400
"""Bytes that a packet carries on a network; on loopback it may be 64 KB, with fewer headers."""

Carried = tuple[str, str | None]
"""An adapter and what carries its samples; None: it does not say."""


def carried(
    params: Parameters, adapters: Mapping[str, Adapter]
) -> dict[tuple[str, str], str | None]:
    """Return what carries the samples of a case, by adapter and transport of its participants."""
    return {
        (own.adapter, own.transport): carrier(
            adapters[own.adapter].capabilities or {}, own.transport
        )
        for own in flows(params).participants
    }


def on_network(params: Parameters, adapters: Mapping[str, Adapter]) -> bool:
    """Return whether anything of a case can be captured."""
    found = carried(params, adapters)
    return any(each not in LOCAL for each in found.values()) or between_agents(params)


def between_agents(params: Parameters) -> bool:
    """Return whether DDS joins agents of DDS-XRCE, whatever carries their clients."""
    return any(own.apart and _family(own.adapter) == XRCE for own in flows(params).participants)


def nothing(params: Parameters, adapters: Mapping[str, Adapter]) -> str:
    """Return why nothing of such a case can be captured."""
    text = dict.fromkeys(
        f"transport {transport} of {name} ({in_words(transport, each)})"
        for (name, transport), each in carried(params, adapters).items()
    )
    return f"there is nothing to capture: {', '.join(text)} does not use the network"


def pattern(
    capture: CaptureSection,
    params: Parameters,
    adapters: Mapping[str, Adapter],
    addresses: Sequence[str] = (),
) -> str:
    """Return the filter of a case's captures; empty: everything.

    Args:
        addresses: addresses of all who take part, given on machines that others use as well.
    """
    if capture.filter != AUTO:
        return capture.filter
    protocols = _protocols(
        ((name, each) for (name, _), each in carried(params, adapters).items()),
        between_agents(params),
    )
    if not protocols:
        return ""
    both = " or ".join(protocols)
    if not addresses:
        return both
    hosts = " or ".join(f"host {address}" for address in dict.fromkeys(addresses))
    return f"({both}) and ({hosts}) and not tcp port 22"


def _family(adapter: str) -> str:
    return adapter_facts()[adapter].family if adapter in adapter_facts() else ""


def _protocols(found: Iterable[Carried], between: bool) -> list[str]:
    """Return a filter for each protocol, once; none where one is not known."""
    protocols: dict[str, None] = {}
    for name, each in found:
        family = _family(name)
        dds = family in ("dds", XRCE)
        if each in LOCAL:
            if between and family == XRCE:
                protocols[OF_RTPS] = None
            continue
        if each not in ("udp", "tcp"):
            return []
        if each == "tcp":
            protocols["tcp"] = None
        if dds:
            # Between agents of DDS-XRCE it is RTPS, whatever carries their clients.
            protocols[OF_RTPS] = None
        if each == "udp" and family != "dds":
            protocols[OF_UDP] = None
    if OF_UDP in protocols:
        protocols.pop(OF_RTPS, None)
    return list(protocols)


def expected_bytes(capture: CaptureSection, params: Parameters) -> float:
    """Estimate the bytes of one file of a round, without samples that are sent again."""
    length = measured_s(params) + params.warmup_s
    size = sum(_bytes(capture, flow, length, params) for flow in flows(params).flows)
    return min(size, float(capture.max_bytes))


def _bytes(capture: CaptureSection, flow: PlannedFlow, length: float, params: Parameters) -> float:
    samples = of_flow(flow, params, length).written
    # A response is one more sample, as the answer to a ping is.
    answers = {"pings": len(flow.answering), "service": 1}
    ways = len(flow.readers) + answers.get(flow.kind, 0)
    if flow.qos.get("reliability") == "reliable":
        ways = int(ways * (1 + SHARE_REPLIES) + 0.5)
    body = flow.size + HEADER_BYTES
    packets = -(-body // MOST_PAYLOAD)
    kept = body + packets * BESIDES_BYTES
    if capture.snap_length:
        kept = min(kept, packets * (capture.snap_length + BESIDES_BYTES // 4))
    return samples * max(ways, 1) * kept


def of_captures(
    scenario: Scenario, adapters: Mapping[str, Adapter], cases: Iterable[Case]
) -> dict[str, float]:
    """Estimate the bytes of a file of a round, by each case that is captured."""
    if scenario.of_plugin("capture") is None:
        return {}
    return {
        case.id: expected_bytes(scenario.of_plugin("capture"), case.params)
        for case in cases
        if on_network(case.params, adapters)
    }
