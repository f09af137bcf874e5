"""Busmark's own side: one round in fresh processes, by the controller's own code."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from busmark.adapters import Adapter, adapter_facts, libraries, resolve
from busmark.control import tables
from busmark.control.places import Places
from busmark.control.roles import participant_config
from busmark.control.round import RoundData, RoundRunner, unsecured
from busmark.control.worker import Worker
from busmark.errors import RoundError, UserError
from busmark.plan import cpus_of, expand
from busmark.plan.flows import flows
from busmark.scenario import Scenario
from busmark.store import Case
from documents import of_side
from task import MAIN, MATCH_TIMEOUT_S, ROUND_TRIPS, MeasurementError, Task, Values

DOMAIN = 71
PARTICIPANTS = 2
"""Participants of a round; a server comes after them."""
ROWS_PER_S = 400_000
"""More round trips than any middleware makes."""
NS = 1e9
PEER_SETTINGS = {
    ("sockperf", "latency"): {"connection": "shared"},
    ("ddsperf", "latency"): {"multiple_receive_threads": "true"},
    ("ddsperf", "throughput"): {"multiple_receive_threads": "true", "write_batching": "true"},
}
"""Options of our adapter, and of the bare loop, by which they do what the peer does without being
asked."""
SETTINGS = {"omnievents": {"cycle_ns": "1000000"}}
"""As shipped a channel hands events on every 100 ms, and a round would have hardly a round trip.
The bare loop has the same."""
FASTDDS_STREAM = {"heartbeat_period_ms": "10", "socket_buffer_bytes": str(4 << 20)}
STREAM_SETTINGS = {
    "fastdds": FASTDDS_STREAM,
    "fastdds-jazzy": FASTDDS_STREAM,
    "fastdds3": FASTDDS_STREAM,
    "rmw": {"socket_buffer_bytes": str(4 << 20)},
    "rmw-jazzy": {"socket_buffer_bytes": str(4 << 20)},
    "opendds": {"profile": "tuned"},
    "rti": {"profile": "tuned"},
    "rustdds": {"send_window": "64"},
    "zerodds": {"heartbeat_response_delay_ms": "0", "nack_response_delay_ms": "0"},
}
"""Without these a stream rests again and again, as the library ships, and a round tells how often
it did. The bare loops have the same."""
PROFILE = "profile"
"""Among settings: not an option, but the adapter's profile."""


Runner = TypeVar("Runner", bound=RoundRunner)


class Ours:
    """Runs Busmark's rounds."""

    def __init__(self, seconds: float, warmup_s: float, folder: Path) -> None:
        self._seconds = seconds
        self._warmup_s = warmup_s
        self._folder = folder
        self.adapters: dict[str, Adapter] = {}
        self._asyncio = asyncio.Runner()
        self._count = 0

    def close(self) -> None:
        """End what is left of a round that was interrupted."""
        self._asyncio.close()

    def unavailable(self, task: Task) -> str | None:
        """Return the reason why this cannot be measured here; None if it can."""
        try:
            return self.case(task)[1].reason
        except UserError as error:
            return str(error)

    def settings(self, task: Task) -> dict[str, str]:
        """Return the settings unlike the shipped ones: the profile, and options that it has."""
        options = (self._adapter(task.adapter).capabilities or {}).get("options", [])
        known = {PROFILE, *(option["key"] for option in options)}
        return {key: value for key, value in wanted(task).items() if key in known}

    def measure(self, task: Task) -> Values:
        """Run one round and return its figures."""
        scenario, case = self.case(task)
        data = self.round(scenario, case, RoundRunner)[1]
        frame = tables.samples(case, 0, data)
        return values(task, tables.summary(case, data, frame))

    def round(self, scenario: Scenario, case: Case, kind: type[Runner]) -> tuple[Runner, RoundData]:
        """Run a round; return its runner and its data."""
        self._count += 1
        places, folder = Places(scenario, _silent), self._folder
        documents = of_side(folder) if case.params.security_profile else unsecured
        runner = kind(scenario, self.adapters, places, folder, folder, documents=documents)
        work = runner.run(case, secrets.randbits(64), self._count, f"ours-{self._count}")
        try:
            return runner, self._asyncio.run(work)
        except (RoundError, UserError) as error:
            raise MeasurementError(str(error)) from None

    @contextmanager
    def server(self, task: Task) -> Iterator[str | None]:
        """Run the server of this task on a round's CPU; yield its address, None without one."""
        features = (self._adapter(task.adapter).capabilities or {}).get("features", [])
        if "server" not in features:
            yield None
            return
        scenario, case = self.case(task)
        parts = flows(case.params)
        first, (place, *_) = (
            parts.participants[0],
            Places(scenario, _silent).participant_places(case.params, parts),
        )
        config = participant_config(
            first, case.params.profile, scenario.run, str(self._folder), place
        )
        adapter = str(self.adapters[task.adapter].path)
        log, hang_s = self._folder / "server.log", scenario.run.hang_s
        cpu = cpus_of(case.params, PARTICIPANTS + 1)[-1]
        start = Worker.start("server", cpu, fifo=0, lock=False, log=log, deadline_s=hang_s)
        try:
            worker = self._asyncio.run(start)
            try:
                call = worker.call(hang_s, "serve", adapter=adapter, config=config)
                yield str(self._asyncio.run(call)["address"])
            finally:
                self._asyncio.run(worker.stop())
        except RoundError as error:
            raise MeasurementError(str(error)) from None

    def _adapter(self, name: str) -> Adapter:
        if name not in self.adapters:
            if name not in libraries():
                raise UserError(adapter_facts()[name].reason)
            self.adapters.update(resolve([name]))
        return self.adapters[name]

    def case(self, task: Task) -> tuple[Scenario, Case]:
        """Return the scenario of a task, and its case."""
        self._adapter(task.adapter)
        seconds, settings = task.seconds or self._seconds, self.settings(task)
        if task.test == "discovery":
            scenario = meeting(task)
            return scenario, expand(scenario, self.adapters)[0]
        matrix: dict[str, Any] = {
            "adapter": task.adapter,
            "test": task.test,
            "size": task.size,
            "wait": task.wait,
            "placement": task.placement,
            "profile": settings.pop(PROFILE, "default"),
            "option": {task.adapter: settings},
            "security": task.security,
        }
        scenario = Scenario.model_validate(
            {
                "name": "bench",
                # No latency probes: the bare loops and the peers have none.
                "measure": {
                    "duration_s": seconds,
                    "warmup_s": self._warmup_s,
                    "probe_every": 0,
                    "max_samples": max(10_000, int(seconds * ROWS_PER_S)),
                },
                "matrix": matrix,
                "run": {"domain": DOMAIN, "hang_s": 10},
            }
        )
        return scenario, expand(scenario, self.adapters)[0]


def meeting(task: Task) -> Scenario:
    """Return a scenario: per process a writer and a reader of each topic; then a short stream."""
    return Scenario.model_validate({
        "name": "bench",
        "measure": {"duration_s": 0.1, "warmup_s": 0.0, "probe_every": 0},
        "matrix": {"adapter": task.adapter, "test": "throughput", "applications": task.processes,
                   "topics": task.topics, "rate_hz": 10.0, "size": 64, "placement": "free"},
        "criteria": {"match_timeout_s": MATCH_TIMEOUT_S, "min_rate": 0, "min_samples": 1},
        "run": {"domain": DOMAIN, "hang_s": 60},
    })  # fmt: skip


def _silent(*_: Any, **__: Any) -> None:
    """Ignore messages about labs; the bench has none."""


def wanted(task: Task) -> dict[str, str]:
    """Return the settings that make our adapter equal to the other side."""
    streams = STREAM_SETTINGS.get(task.adapter, {}) if task.test == "throughput" else {}
    return {
        **SETTINGS.get(task.adapter, {}),
        **streams,
        **of_peer(task),
    }


def of_peer(task: Task) -> dict[str, str]:
    """Return the settings of the peer that the task is like."""
    return PEER_SETTINGS.get((task.like or "", task.test), {})


def values(task: Task, row: dict[str, Any]) -> Values:
    """Return the figures from a round's summary; raise `MeasurementError` where it has none."""
    if task.test in ROUND_TRIPS:
        main, samples = row["median_ns"], 2 * row["sent"]
    else:
        main, samples = row["samples_per_s"], row["sent"]
    if not main or not row["measured_s"]:
        raise MeasurementError(f"no figure: {row['samples']} samples, {row['received']} received")
    figures = {
        MAIN: main,
        "overhead_s": row["overhead_s"],
        "ns_per_sample": row["measured_s"] * NS / samples,
        "lost": row["lost"],
    }
    if task.test == "latency":
        figures["half_ns"] = main / 2
    return figures
