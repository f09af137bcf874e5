"""Two small campaigns: in one transport and QoS vary, in the other hardly anything does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from synthetic_campaign import Builder, samples_around

NAMES = {"udp": "UDP socket", "cyclonedds": "Cyclone DDS", "zenoh": "Zenoh"}
CHOICES = {
    "udp": ("unicast", {"reliability": "best_effort"}),
    "cyclonedds": ("multicast", {"reliability": "reliable", "history": "keep_last", "depth": 8}),
    "zenoh": ("tcp", {"reliability": "reliable", "history": "keep_all"}),
}


def varied(folder: Path) -> Path:
    """Three adapters that differ in transport, reliability and history; one loses samples."""
    build = Builder(folder)
    rng = np.random.default_rng(5)
    for size in (64, 1024):
        for adapter, (transport, qos) in CHOICES.items():
            case = build.case(
                f"{adapter}-{size}", adapter=adapter, transport=transport, qos=qos, size=size
            )
            for number in range(3):
                lost = 40 if adapter == "udp" else 0
                build.pings(case, number, samples_around(20_000, 3000, rng), lost=lost)
                build.system(case, number)
    return build.finish()


def alike(folder: Path) -> Path:
    """One middleware, two histories, and a floor; all else is the same."""
    build = Builder(folder)
    rng = np.random.default_rng(6)
    for depth in (1, 8):
        qos = {"reliability": "reliable", "history": "keep_last", "depth": depth}
        case = build.case(f"depth-{depth}", adapter="cyclonedds", transport="udp", qos=qos)
        for number in range(3):
            build.pings(case, number, samples_around(20_000, 300, rng))
    case = build.case("null", adapter="null", transport="memory")
    for number in range(3):
        build.pings(case, number, samples_around(200, 300, rng, 0.0))
    return build.finish()
