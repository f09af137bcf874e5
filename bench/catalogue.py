"""Everything that is compared, and what is promised of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from compare import AT_LEAST, AT_MOST, Target
from task import CALLED, HEADER_BYTES, MAIN, STREAM_FRAME_BYTES, Task, Test

OURS, BARE, SOCKPERF, DDSPERF, IPERF3 = "busmark", "bare loop", "sockperf", "ddsperf", "iperf3"
INLINED = "bare loop, inlined"
"""The system call is in the loop itself, without the C library's function around it."""
LAYER = "bare loop, vendor's layer"
"""The bare loop over the library below the adapter's own layer, for orientation."""
HELP, PYTHON = "busmark --help", "python -c pass"

TARGETS = {
    ("latency", BARE): Target(AT_MOST, 1.02),
    ("latency", INLINED): None,
    ("service", BARE): Target(AT_MOST, 1.02),
    ("throughput", BARE): Target(AT_LEAST, 0.98),
    ("discovery", BARE): Target(AT_MOST, 1.1),
}
PEER_TARGETS = {"latency": Target(AT_MOST, 1.00), "throughput": Target(AT_LEAST, 1.00)}
NULL_NS = Target(AT_MOST, 60)
OVERHEAD_S = Target(AT_MOST, 0.5)
START_UP_S = Target(AT_MOST, 0.2)

IPERF3_BLOCK = 128 * 1024
"""iperf3's own default for TCP."""
LIBRARIES = {
    "fastdds": "listener",
    "fastdds-jazzy": "listener",
    "fastdds3": "listener",
    "rmw": "listener",
    "rmw-jazzy": "listener",
    "rti": "listener",
    "opendds": "listener",
    "omniorb": "listener",
    "omnievents": "listener",
    "iceoryx2": "waitset",
    "zenoh": "listener",
    "mqtt": "listener",
    "nats": "listener",
    "zeromq": "waitset",
    "dustdds": "listener",
    "zerodds": "listener",
    "rustdds": "waitset",
}
"""Further libraries that have a bare loop: how a reader usually waits."""
LAYERS = {"rmw": "fastdds3", "rmw-jazzy": "fastdds-jazzy"}
"""Adapters of a layer over a library that has an adapter of its own."""
SECURED = ("cyclonedds", "fastdds")
"""Libraries whose bare loop takes security documents."""
PROTECTIONS = ("rtps_encrypt", "all")
CLIENTS = {"microxrcedds": Target(AT_MOST, 1.05)}
"""Libraries that reach DDS through a server, and what is promised of their round trips. The server
decides their throughput, so that has no row."""
STREAM_BYTES = {"dustdds": 1024, "rustdds": 1024}
"""Sizes of their streams; Dust DDS and RustDDS lose fragments of larger samples."""
STREAM_DEFAULT_BYTES = 16384
SERVICES = ("udp", "tcp", "uds", "cyclonedds", *CALLED)
"""Adapters whose response time stands beside a bare loop. For sockets, which have services of their
own, and for a service by two topics that is a round trip with the same messages."""
PLACEMENTS = ("same", "different")
UNITS = {"latency": "ns", "service": "ns", "throughput": "samples/s", "discovery": "ns"}
DISCOVERIES = ((100, 5), (400, 5), (1600, 5), (80, 40))
"""Writers and readers that discover each other, and among how many processes they are divided."""


@dataclass(frozen=True)
class Ratio:
    """A row that compares with somebody else, and is judged by the ratio."""

    other: str
    target: Target | None
    """None: for orientation."""
    mine: str = OURS
    """Contestant that is compared with `other`."""


@dataclass(frozen=True)
class Limit:
    """A row about one of our own figures, judged by its value."""

    figure: str
    title: str
    key: str
    unit: str
    target: Target
    other: str | None = None
    """Contestant that is measured too, for orientation."""


Row = Ratio | Limit


@dataclass(frozen=True)
class Group:
    """Contestants that do the same task, back to back in every round."""

    name: str
    task: Task | None
    contestants: tuple[str, ...]
    rows: tuple[Row, ...]

    def title(self, row: Row) -> str:
        """Return the title of a row, for readers."""
        if isinstance(row, Limit):
            return row.title
        assert self.task is not None
        if self.task.test == "discovery":
            task = self.task
            return f"{task.adapter}, {task.endpoints} endpoints in {task.processes} processes"
        wait = "" if self.task.wait == "listener" else f", {self.task.wait}"
        security = "" if self.task.security == "none" else f", {self.task.security}"
        return f"{self.task.adapter}, {self.task.size} B{wait}{security}"

    def identifier(self, row: Row) -> str:
        """Return the identifier of a row, also in the file of notes."""
        if isinstance(row, Limit):
            return f"{self.name}/{row.figure}"
        mine = "" if row.mine == OURS else f"{_word(row.mine)}-"
        return f"{self.name}/{mine}vs-{_word(row.other)}"


def _word(name: str) -> str:
    """Return the word for a contestant within an identifier."""
    return name.replace(",", "").replace("'", "").replace(" ", "-")


def against(task: Task, *others: str) -> Group:
    """Return the group of a task that we and these others do."""
    rows = tuple(
        Ratio(other, TARGETS.get((task.test, other), PEER_TARGETS.get(task.test)))
        for other in others
    )
    return Group(task.name, task, (OURS, *others), rows)


def layered(task: Task) -> Group:
    """Return the group of a layer's task: beside its own bare loop, and both beside the bare loop
    of the library below, which shows the cost of the layer."""
    group = against(task, BARE)
    if task.adapter not in LAYERS:
        return group
    more = (Ratio(LAYER, None), Ratio(LAYER, None, mine=BARE))
    return replace(group, contestants=(OURS, BARE, LAYER), rows=(*group.rows, *more))


def like(task: Task, peer: str) -> Group:
    """Return a task's group with a peer's settings: ours, bare loop, peer. The bare loop beside the
    peer shows the effect of the library or its version, ours beside the bare loop our own."""
    group = against(replace(task, like=peer), BARE, peer)
    return replace(group, rows=(*group.rows, Ratio(peer, None, mine=BARE)))


SECTIONS = {
    ("latency", True): "Round trip against bare loops",
    ("latency", False): "Round trip against peers",
    ("service", True): "Response time against bare loops",
    ("throughput", True): "Throughput against bare loops",
    ("throughput", False): "Throughput against peers",
    ("discovery", True): "Time to full discovery against bare programs",
}
HARNESS = "What Busmark itself costs"
BARE_SECTION = "Bare loops against peers"


def section(group: Group, row: Row) -> str:
    """Return the section of the report that shows a row."""
    if isinstance(row, Limit) or group.task is None:
        return HARNESS
    if row.mine != OURS:
        return BARE_SECTION
    return SECTIONS[group.task.test, row.other in (BARE, INLINED)]


def groups() -> Iterator[Group]:
    """Yield all groups, in the order of the report."""
    for placement in PLACEMENTS:
        yield from _latency(placement)
    for placement in PLACEMENTS:
        for adapter in SERVICES:
            yield against(Task("service", adapter, 64, placement, "waitset"), BARE)
    for placement in PLACEMENTS:
        yield from _throughput(placement)
    for endpoints, processes in DISCOVERIES:
        task = Task("discovery", "cyclonedds", 0, "free", endpoints=endpoints, processes=processes)
        yield against(task, BARE)
    yield from _harness()


def _latency(placement: str) -> Iterator[Group]:
    more = {"udp": (INLINED, SOCKPERF), "tcp": (INLINED, SOCKPERF), "uds": (INLINED,)}
    for adapter in ("udp", "tcp", "uds", "cyclonedds"):
        small = Task("latency", adapter, 64, placement)
        yield against(small, BARE, *more.get(adapter, ()))
        yield against(replace(small, wait="waitset"), BARE)
        yield against(replace(small, size=1024), BARE)
    for adapter, wait in LIBRARIES.items():
        yield layered(Task("latency", adapter, 64, placement, wait))
    for adapter in SECURED:
        for profile in PROTECTIONS:
            yield against(Task("latency", adapter, 64, placement, security=profile), BARE)
    for adapter, target in CLIENTS.items():
        task = Task("latency", adapter, 64, placement)
        yield Group(task.name, task, (OURS, BARE), (Ratio(BARE, target),))
    yield like(Task("latency", "tcp", 64, placement), SOCKPERF)
    yield like(Task("latency", "cyclonedds", 64, placement), DDSPERF)


def _throughput(placement: str) -> Iterator[Group]:
    for adapter in ("udp", "tcp", "uds"):
        yield against(Task("throughput", adapter, 1024, placement), BARE)
    for size in (1024, 8192):
        task = Task("throughput", "cyclonedds", size, placement)
        yield against(task, BARE)
        yield like(task, DDSPERF)
    if placement == "different":
        for adapter, wait in LIBRARIES.items():
            size = STREAM_BYTES.get(adapter, STREAM_DEFAULT_BYTES)
            yield against(Task("throughput", adapter, size, placement, wait), BARE)
    block = IPERF3_BLOCK - HEADER_BYTES - STREAM_FRAME_BYTES
    yield against(Task("throughput", "tcp", block, placement), IPERF3)


NULL_ROWS: tuple[tuple[Test, *tuple[tuple[str, str, str], ...]], ...] = (
    (
        "throughput",
        (
            "per-sample",
            "null adapter, a sample of a stream (stamp, ledger, count)",
            "ns_per_sample",
        ),
    ),
    (
        "latency",
        ("half", "null adapter, half of the median round trip (stamp, ledger)", "half_ns"),
        (
            "per-sample",
            "null adapter, half of a whole turn (stamp, ledger, record)",
            "ns_per_sample",
        ),
    ),
)
"""Identifier, title and figure of the rows of each test of the null adapter."""


def _harness() -> Iterator[Group]:
    """Yield the groups that measure the cost of Busmark itself."""
    for test, *rows in NULL_ROWS:
        task = Task(test, "null", 64, "same")
        limits = [Limit(figure, title, key, "ns", NULL_NS) for figure, title, key in rows]
        yield Group(task.name, task, (OURS,), tuple(limits))
    for adapter in ("udp", "cyclonedds"):
        task = Task("latency", adapter, 64, "same", seconds=1.0)
        title = f"a round of {adapter} beyond its measuring time of 1 s"
        row = Limit("overhead", title, "overhead_s", "s", OVERHEAD_S)
        yield Group(f"round/{adapter}", task, (OURS,), (row,))
    start = Limit("help", f"`{HELP}`, beside `{PYTHON}`", MAIN, "s", START_UP_S, other=PYTHON)
    yield Group("start-up", None, (HELP, PYTHON), (start,))
