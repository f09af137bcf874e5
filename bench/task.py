"""What is measured, the same on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from busmark.model.parameters import Parameters
from busmark.plan import cpus_of

Test = Literal["latency", "throughput", "discovery", "service"]

ROUND_TRIPS = ("latency", "service")
"""Tests of exchanges."""

CALLED = ("rmw", "rmw-jazzy", "omniorb", "zenoh", "zeromq", "grpc", "nats")
"""Libraries whose bare loop calls a service of the library's own."""

Values = dict[str, float]
"""Figures of one measurement. The one that is compared is called `MAIN`."""

MAIN = "main"
HEADER_BYTES = 64
"""Header of every sample of Busmark, besides its body."""
STREAM_FRAME_BYTES = 5
"""Length before and one byte after a sample in the byte streams of the adapters tcp and uds."""
LENGTH_BYTES = 4
"""Bytes of the length before the octets of a CDR sequence."""


MATCH_TIMEOUT_S = 60.0
"""Patience with a discovery."""


class MeasurementError(Exception):
    """A measurement did not come about."""


@dataclass(frozen=True)
class Task:
    """A measurement of the bench, with its settings."""

    test: Test
    adapter: str
    size: int
    """Bytes of the body; `HEADER_BYTES` come on top."""
    placement: str
    wait: str = "listener"
    seconds: float | None = None
    """Length of the measured time; None: as the run says."""
    endpoints: int = 0
    """Endpoints that discover each other; 0 where the task is no discovery."""
    processes: int = 5
    """Among which the endpoints of a discovery are divided, each with a writer and a reader of
    every topic."""
    like: str | None = None
    """Peer whose settings are used, where they are not those that the library ships with."""
    security: str = "none"
    """Security profile of the participants."""

    @property
    def name(self) -> str:
        """Name of the task, with which the identifiers of its comparisons begin."""
        if self.test == "discovery":
            return f"discovery/{self.adapter}/{self.endpoints}-in-{self.processes}"
        like = f"/like-{self.like}" if self.like else ""
        secured = f"/{self.security}" if self.security != "none" else ""
        return (
            f"{self.test}/{self.adapter}/{self.size}B/{self.wait}/{self.placement}{like}{secured}"
        )

    @property
    def roles(self) -> tuple[str, str]:
        """What the passive and the active side of a bare loop do. Where it calls no service, what
        a service does takes it one ping and its pong."""
        if self.test == "throughput":
            return "sub", "pub"
        if self.test == "service" and self.adapter in CALLED:
            return "serve", "call"
        return "pong", "ping"

    @property
    def topics(self) -> int:
        """Topics of a discovery."""
        return self.endpoints // (2 * self.processes)

    @property
    def cpus(self) -> tuple[int, int]:
        """CPUs of the passive and of the active side."""
        if self.test == "discovery":
            return 0, 0
        passive, active = cpus_of(Parameters(placement=self.placement), 2)
        return passive[0], active[0]
