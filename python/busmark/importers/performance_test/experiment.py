"""What both forms say of an experiment, and the run that it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import polars as pl

from busmark.importers.model import Half, Quantity, Run, Stated, Statistic
from busmark.importers.numbers import column
from busmark.importers.parts import Part, whole_run

MIDDLEWARE = {
    "CYCLONEDDS": ("cyclonedds", "Cyclone DDS"),
    "CYCLONEDDS_CXX": ("cyclonedds", "Cyclone DDS C++"),
    "FASTDDS": ("fastdds", "Fast DDS"),
    "FASTRTPS": ("fastdds", "Fast RTPS"),
    "CONNEXTDDS": ("rti", "RTI Connext"),
    "CONNEXTDDSMICRO": ("rti_micro", "RTI Connext Micro"),
    "ICEORYX": ("iceoryx", "iceoryx"),
    "OPENDDS": ("opendds", "OpenDDS"),
    "ECAL_RAW": ("ecal", "eCAL"),
    "ECAL_PROTO": ("ecal", "eCAL"),
}
"""By means of communication: the adapter's name, and the middleware's."""

RMW = {
    "rmw_cyclonedds_cpp": ("cyclonedds", "Cyclone DDS"),
    "rmw_fastrtps_cpp": ("fastdds", "Fast DDS"),
    "rmw_fastrtps_dynamic_cpp": ("fastdds", "Fast DDS"),
    "rmw_connextdds": ("rti", "RTI Connext"),
    "rmw_connext_cpp": ("rti", "RTI Connext"),
    "rmw_iceoryx_cpp": ("iceoryx", "iceoryx"),
    "rmw_zenoh_cpp": ("zenoh", "Zenoh"),
}
"""The same of what ROS 2 runs on."""

_MESSAGE = re.compile(r"(?:Array|Struct|BoundedSequence)(\d+)([km]?)", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1024, "m": 1024 * 1024}


@dataclass(frozen=True, slots=True)
class Row:
    """About a second. Rates are of samples per second; what is None is not there."""

    end_s: float
    length_s: float
    received_per_s: float
    sent_per_s: float
    lost_per_s: float
    count: int
    """Latencies in it."""
    mean_ns: float | None
    min_ns: float | None
    max_ns: float | None
    variance_ns2: float | None
    line: int


@dataclass(slots=True)
class Experiment:
    """One file."""

    means: str
    rmw: str = ""
    version: str | None = None
    message: str | None = None
    rate_hz: float | None = None
    publishers: int | None = None
    subscribers: int | None = None
    roundtrip: str = "None"
    qos: dict[str, Any] = field(default_factory=dict)
    alike: str = ""
    """What another process of the same run states too, and is no parameter."""
    switches: dict[str, bool] = field(default_factory=dict)
    """Settings that are on."""
    ignored_s: float | None = None
    """Rows at the begin that the tool left out."""
    rows: list[Row] = field(default_factory=list)

    @property
    def by_ros(self) -> bool:
        """Whether ROS 2 was between the tool and the middleware."""
        return self.means.upper().startswith(("RCLCPP", "ROS2"))

    @property
    def named(self) -> tuple[str, str]:
        """Adapter and title."""
        if self.by_ros:
            adapter, title = RMW.get(self.rmw, (self.rmw.removeprefix("rmw_") or "ros2", "ROS 2"))
            return adapter, f"{title} in ROS 2" if title != "ROS 2" else title
        lower = self.means.lower() or "unknown"
        return MIDDLEWARE.get(self.means.upper().replace("-", "_"), (lower, self.means))

    @property
    def title(self) -> str:
        """The middleware's name."""
        return self.named[1]

    @property
    def quantity(self) -> Quantity:
        """With a relay every latency is a whole round trip."""
        return "round_trip" if self.roundtrip.lower() == "main" else "one_way"

    def run(self) -> Run:
        """Parameters, figures of all rows together, and of each."""
        round_trips = self.quantity == "round_trip"
        params: dict[str, Any] = {"test": "latency" if round_trips else "throughput"}
        params |= {"adapter": self.named[0], "size": _size(self.message), "rate_hz": self.rate_hz}
        # A process without one of them says nothing of how many another process has.
        params |= {"publishers": self.publishers or None, "subscribers": self.subscribers or None}
        params["qos"] = self.qos
        params["settings"] = {"message": self.message} if self.message else {}
        params["settings"] |= self.switches
        if self.by_ros:
            params["settings"]["communicator"] = self.means.lower().replace("-", "_")
        if round_trips:
            params["arrivals"] = "paced" if self.rate_hz else "unstated"
        run = Run({k: v for k, v in params.items() if v not in (None, {})})
        run.line = self.rows[0].line if self.rows else 1
        run.half = self.half
        run.values = self._values(run.params.get("size"))
        if self.qos.get("durability") != "transient_local":
            # With it, a sample may be from before this process began.
            run.length_s = self.rows[-1].end_s
        run.stated = self._stated()
        run.intervals = _intervals(self.rows, run.params.get("size"))
        return run

    @property
    def half(self) -> Half | None:
        """Which half this is, where the publishers or the subscribers are another process's."""
        if self.publishers and self.subscribers == 0:
            return Half("written", self.alike)
        return Half("read", self.alike) if self.subscribers and self.publishers == 0 else None

    def _values(self, size: int | None) -> dict[str, Any]:
        """Counts are the sums of the rates of all rows, and rates their means over time."""
        seconds = sum(row.length_s for row in self.rows)
        if not seconds:
            return {}
        received, sent, lost = (
            round(sum(getattr(row, name) for row in self.rows))
            for name in ("received_per_s", "sent_per_s", "lost_per_s")
        )
        read_per_s, written_per_s = (
            sum(getattr(row, name) * row.length_s for row in self.rows) / seconds
            for name in ("received_per_s", "sent_per_s")
        )
        values: dict[str, Any] = {"measured_s": seconds}
        if received or self.subscribers:
            values |= {"received": received, "samples_per_s": read_per_s}
            if size is not None:
                values["mbit_per_s"] = read_per_s * size * 8 / 1e6
        if received:
            # Before the first sample nothing counts as lost, however many were sent.
            values |= {"lost": lost, "expected": received + lost}
        if sent or self.publishers:
            values |= {"sent": sent, "written_per_s": written_per_s}
        return values

    def _stated(self) -> list[Stated]:
        parts: list[Part] = []
        stated: list[Stated] = []
        for row in self.rows:
            if not row.count or row.mean_ns is None:
                continue
            parts.append(Part(row.count, row.mean_ns, row.min_ns, row.max_ns, row.variance_ns2))
            deviation = None if row.variance_ns2 is None else sqrt(row.variance_ns2)
            start = max(0.0, row.end_s - row.length_s)
            figures: dict[Statistic, float | None] = {
                "mean": row.mean_ns, "std": deviation, "min": row.min_ns, "max": row.max_ns,
            }  # fmt: skip
            stated += [
                Stated(
                    self.quantity, statistic, value, None, row.count, start, row.length_s, row.line
                )
                for statistic, value in figures.items()
                if value is not None
            ]
        return [*whole_run(self.quantity, parts), *stated]


def _size(message: str | None) -> int | None:
    """Size of messages whose name states it: Array1k holds 1024 octets."""
    found = _MESSAGE.fullmatch(message or "")
    return int(found[1]) * _FACTORS[found[2].lower()] if found else None


def _intervals(rows: Sequence[Row], size: int | None) -> pl.DataFrame | None:
    if size is None or not any(row.received_per_s for row in rows):
        return None
    counts = [round(row.received_per_s * row.length_s) for row in rows]
    return pl.DataFrame(
        {
            "role": ["receiver"] * len(rows),
            "writer": [0] * len(rows),
            "start_ns": column(round(max(0.0, row.end_s - row.length_s) * 1e9) for row in rows),
            "duration_ns": column(round(row.length_s * 1e9) for row in rows),
            "samples": column(counts),
            "bytes": column(count * size for count in counts),
        }
    )
