"""Small campaigns: QoS varies, hardly anything does, nothing succeeds, or names are odd."""

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


def failed(folder: Path) -> Path:
    """Three adapters and two sizes, of which no round succeeded."""
    build = Builder(folder)
    for adapter in NAMES:
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(2):
                reason = f"the responder ended with signal {11 - number}"
                build.row(case, number, "failed", reason=reason)
    return build.finish()


ODD_NAMES = {
    "udp": "Quoted \"DDS\" 'x' <b>&amp;", "tcp": "two\nlines", "zenoh": "עברית مرحبا",
    "cyclonedds": "日本語ミドルウェア", "fastdds": "a_name_" + 10 * "without_a_space_",
}  # fmt: skip


def named(folder: Path) -> Path:
    """Middleware with names that are hard to show, all equally fast: all samples are equal."""
    build = Builder(folder)
    for adapter in ODD_NAMES:
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, size=size)
            for number in range(2):
                build.pings(case, number, np.full(1500, 20_000.0))
    titles = {name: {"name": name, "title": title} for name, title in ODD_NAMES.items()}
    return build.finish(adapters=titles)
