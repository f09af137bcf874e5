"""Damaged scenarios: read, and expanded into cases."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random
from typing import Any

from tools.mutations import values

from busmark.adapters import Adapter
from busmark.plan import expand, expected_s
from busmark.scenario import parse, shipped

CAPABILITIES: dict[str, Any] = {
    "transports": ["fast", "slow", "udp", "shm"],
    "payloads": ["octet", "long", "empty", "char", "short", "float", "struct", "any"],
    "waits": ["listener", "poll", "waitset"],
    "reach": ["process", "host", "network"],
    "qos": ["reliable", "best_effort", "keep_last", "keep_all", "lifespan", "partition"],
    "options": [{"key": "nodelay", "value": "true", "doc": ""}],
    "features": ["matched"],
    "max_body_bytes": 2**31,
}

OWN = """
name = "own"
[matrix]
adapter = "a"
peer = ["same", "b"]
size = [64, "uniform(1, 9)"]
test = "latency"
rate_hz = [100.5]
writer_on = "n1"
load = "cpu 50% + net 5mbit"
placement = "0+1"
[matrix.qos]
reliability = ["reliable", "default"]
depth = 4
[matrix.link]
rate = "100mbit"
loss = ["1%"]
delay = ["2ms"]
jitter = ["1ms"]
[matrix.option.a]
nodelay = [true, false]
[lab]
nodes = 3
[measure]
body_file = "body.bin"
[rounds]
min = 3
target = 0.1
budget_s = 100
[[participant]]
name = "node"
count = 3
on = "n2+n3"
cpus = "0"
fifo = 3
[participant.option]
nodelay = true
[[participant]]
name = "far"
adapter = "b"
on = "n1"
[[flow]]
name = "state"
writers = ["node", "active"]
readers = ["far", "node1", "passive"]
topics = 2
rate_hz = 12.5
arrivals = "poisson"
size = 32
qos.history = "keep_last"
qos.depth = 3
[[also]]
adapter = "c"
test = ["throughput", "capacity"]
size = "file"
load = ""
link.loss = ""
"""

OWN_OF = 8
"""One in this many is a shipped one: those have hundreds of cases."""


class Scenarios:
    """Scenarios that ship, and one with every kind of key."""

    def __init__(self, folder: Path) -> None:
        (folder / "body.bin").write_bytes(b"body")
        own = OWN.replace("body.bin", str(folder / "body.bin"))
        self.own = own
        self.shipped = [path.read_text(encoding="utf-8") for path in shipped().values()]

    def scenario(self, number: int, rng: Random) -> None:
        """Damage a scenario, as text or by `--set`, and expand it into cases."""
        text = self.own if rng.randrange(OWN_OF) else rng.choice(self.shipped)
        settings = []
        if rng.randrange(3):
            text = values.text(text, rng)
        else:
            keys = [
                p for p in values.places(tomllib.loads(text)) if all(isinstance(k, str) for k in p)
            ]
            for _ in range(rng.choice((1, 2))):
                settings.append(f"{'.'.join(rng.choice(keys))}={_toml(rng)}")
        scenario = parse(text, "scenario.toml", settings)
        adapters = {name: _adapter(name, rng) for name in scenario.adapters}
        for case in expand(scenario, adapters):
            if case.status == "planned":
                expected_s(case)


def _adapter(name: str, rng: Random) -> Adapter:
    if rng.randrange(10) == 0:
        return Adapter(name, Path(f"/lib{name}.so"), None, "is not here")
    return Adapter(name, Path(f"/lib{name}.so"), CAPABILITIES, None)


def _toml(rng: Random) -> str:
    odd = rng.choice(values.ODD)
    if isinstance(odd, bool):
        return str(odd).lower()
    return repr(odd) if isinstance(odd, int | float | list) else str(odd)
