"""The table of parameters: what a case consists of, a row each.

Everything that is to be known of a parameter besides its type in a scenario file is here: its
column in stored tables, its part in names of cases, its label, its role in comparisons, what an
adapter must be able to do for it. `plan`, `store`, `analysis` and `compare` take it from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "int", "float", "bool"]

Role = Literal["workload", "choice", "effort", "derived", "told"]
"""workload: must be equal wherever two cases are compared. choice: what may be compared. effort:
how long is measured and how much is recorded, not what. derived: follows from other parameters.
told: structures that other parameters tell in words."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a case; `qos.NAME` is a policy."""

    name: str
    kind: Kind = "text"
    column: str = ""
    """Meaning of its column in stored tables; empty: it has none of its own."""
    unit: str = ""
    """The unit of the column."""
    role: Role = "workload"
    label: str = ""
    """For people, where the name does not do."""
    suffix: str = ""
    """What stands behind its value in the name of a case."""
    named: bool = True
    """Whether it may be in the name of a case: not what is always shown, or the same in all."""
    alone: bool = False
    """Whether a policy's values name it: `best_effort`."""
    apart: bool = False
    """Whether reports show it in a way of its own."""
    settled: bool = False
    """Whether a plan says how its default was settled."""
    follows: tuple[str, ...] = ()
    """Parameters that it follows from, unless the scenario says otherwise."""
    leads: tuple[str, ...] = ()
    """Parameters that differ where this one does, and need not be equal in a comparison by it."""
    of_adapter: bool = False
    """Whether it follows from the adapter, and need not be equal where adapters are compared."""
    default: Any = None
    """What it is where a scenario does not say, other than nothing, and what was measured before
    there was such a parameter."""
    needs: str | Mapping[str, str] = field(default_factory=dict)
    """Capability of the adapter that it needs: for any value, or by value."""


P = Parameter

PARAMETERS = (
    P("test", "text", "latency, throughput, capacity or discovery", apart=True, named=False),
    P("adapter", "text", "name of the adapter", apart=True, named=False),
    P("transport", "text", "transport of the adapter", role="choice", settled=True,
      of_adapter=True),
    P("profile", "text", "default or tuned", role="choice", default="default"),
    P("payload", "text", "kind of the body's elements", default="octet"),
    P("size", "int", "body of a sample, without the 64-byte header", "B", apart=True, suffix="B"),
    P("wait", "text", "listener, waitset or poll", role="choice", settled=True),
    P("placement", "text",
        "same, different, free, or the CPUs by number; unstated: an "
        "imported source does not say", apart=True, settled=True),
    P("fifo", "int", "SCHED_FIFO priority of the participants; 0: ordinary scheduling",
      role="choice", suffix="fifo", label="real-time priority"),
    P("peer_fifo", "int", "SCHED_FIFO priority of the subscribers; null: the same",
      role="choice", suffix="peerfifo", label="real-time priority of subscribers"),
    P("control", "text",
        "how participants are driven: pipe, or bus: by topics of the "
        "middleware under test; null: pipe, and the scenario does not speak"
        " of it", role="choice", suffix="driven", label="control"),
    P("security", "text",
        "security profile of the participants, or none; null: none, and the"
        " scenario does not speak of it", role="choice", settled=True),
    P("arrivals", "text",
        "closed, constant or poisson; paced: an imported source sent at a "
        "rate, and counted from the actual sending", follows=("rate_hz",), default="closed"),
    P("rate_hz", "float", "intended rate; null in a closed loop or at full speed", "1/s",
      suffix="Hz"),
    P("qos", "text", "QoS as asked for, JSON", role="choice"),
    P("peer", "text", "adapter of the ponger or receiver; null: the same", role="choice",
      apart=True, leads=("peer_transport", "peer_wait", "peer_settings")),
    P("peer_transport", "text", "transport of the peer; null where it is the same adapter",
      role="choice", label="transport of the peer", follows=("adapter", "peer", "transport"),
      of_adapter=True),
    P("peer_wait", "text", "wait strategy of the peer; null where it is the same adapter",
      apart=True, named=False),
    P("size_distribution", "text", "distribution of sizes, of which size is the mean"),
    P("topics", "int", "topics at once", suffix="topics", default=1),
    P("writers", "int", "writers of each topic in each publisher", suffix="writers", default=1),
    P("readers", "int", "readers of each topic in each subscriber", suffix="readers", default=1),
    P("publishers", "int", "participants that ping or write; null: applications",
      suffix="publishers", default=1),
    P("subscribers", "int", "participants that answer or read; null: applications",
      suffix="subscribers", default=1),
    P("topology", "text", "one_way, bidirectional, or mesh: applications", default="one_way"),
    P("applications", "int",
        "participants on each node that write and read every topic; null: "
        "publishers and subscribers", suffix="applications"),
    P("batch", "int", "samples of a batch; null where the stream runs free", suffix="batch"),
    P("batch_ack", "text",
        "what readers acknowledge of a batch: ends, or each: every sample "
        "too; null without batches", label="acknowledged", default="ends"),
    P("stream_hz", "float", "rate of a stream beside the pings; null: none", "1/s",
      suffix="Hzstream", label="stream beside"),
    P("beside", "text", "flows of the scenario beside the measured ones; null: none",
      named=False, label="flows beside"),
    P("timeline", "text",
        "what changes in the middle of every round, see the table "
        "`changes`; null: nothing", named=False),
    P("instances", "int", "instances of a keyed topic; null without a key", suffix="instances",
      needs="keys"),
    P("filter_below", "int", "readers ask for instances below this; null: for all",
      suffix="filter", needs="content_filter"),
    P("new", "text",
        "which endpoint is new, writer or reader; null but in a discovery "
        "test"),
    P("creates", "text",
        "what is created with it: entity (nothing), publisher or "
        "participant; null likewise"),
    P("existing", "int", "endpoints that are there already; null likewise", suffix="existing",
      label="endpoints there"),
    P("writer_on", "text", "nodes of the publishers, joined by +; null without a lab"),
    P("reader_on", "text", "nodes of the subscribers, joined by +; null without a lab"),
    P("link_rate", "text", "rate of the lab's links, as asked for; null: no limit"),
    P("link_loss", "text", "share of packets that they lose, as asked for; null: none",
      suffix="loss"),
    P("link_delay", "text", "delay between any two nodes, as asked for; null: none",
      suffix="delay"),
    P("link_jitter", "text", "greatest deviation from it, as asked for; null: none",
      suffix="jitter"),
    P("link_burst", "float", "packets lost in a row, as asked for; null: one by one",
      suffix="burst"),
    P("link_reassembly", "text", "tuned where nodes reassemble IP fragments so; else null"),
    P("load", "text", "background load, as asked for; null: none"),
    P("load_on", "text", "the user's nodes on which it runs, as asked for; null: default"),
    P("deployment", role="choice", named=False, of_adapter=True),
    P("settings", role="choice", of_adapter=True),
    P("peer_settings", role="choice", of_adapter=True),
    P("network", named=False),
    P("stream_qos", role="derived", named=False),
    P("resident_counts", role="told", named=False),
    P("participants", role="told", named=False),
    P("flows", role="told", named=False),
    P("chosen_flows", role="told", suffix="beside"),
    P("changes", role="told", named=False),
    P("side", role="choice", leads=("side_environment", "side_prefix")),
    P("side_environment", apart=True, named=False),
    P("side_prefix", apart=True, named=False),
    P("ends_after", suffix="samples", label="samples of a round"),
    P("duration_s", role="effort"),
    P("warmup_s", role="effort"),
    P("samples", role="effort"),
    P("probe_every", role="effort"),
    P("interval_s", role="effort", default=0.1),
    P("seed", role="effort"),
    P("statistic", role="effort"),
    P("echo_source", role="effort"),
    P("timeout_s", default=1.0),
    P("max_samples", default=200000),
    P("qos.reliability", role="choice", label="reliability", settled=True, alone=True,
      needs={"reliable": "reliable", "best_effort": "best_effort"}),
    P("qos.history", role="choice", label="history", leads=("qos.depth",), settled=True,
      alone=True, needs={"keep_all": "keep_all", "keep_last": "keep_last"}),
    P("qos.depth", role="choice", label="depth",
      follows=("qos.history", "publishers", "subscribers"), settled=True),
    P("qos.durability", role="choice", label="durability", alone=True,
      needs={"volatile": "volatile", "transient_local": "transient_local"}),
    P("qos.lifespan_s", role="choice", needs="lifespan"),
    P("qos.deadline_s", role="choice", needs="deadline"),
    P("qos.latency_budget_s", role="choice", needs="latency_budget"),
    P("qos.transport_priority", role="choice", needs="transport_priority"),
    P("qos.partition", role="choice", needs="partition"),
    P("qos.ownership_strength", role="choice", needs="ownership_strength"),
    P("qos.destination_order", role="choice", needs={"source": "order_by_source"}),
    P("qos.max_samples", role="choice", needs="resource_limits"),
    P("qos.time_based_filter_s", role="choice", needs="time_based_filter"),
)  # fmt: skip
"""In the order of stored columns, then those without; policies last."""

NAME_ORDER = (
    "peer", "transport", "peer_transport", "payload", "size", "size_distribution", "wait",
    "placement", "profile", "security",
    "rate_hz", "arrivals", "applications", "topics", "writers", "readers", "publishers",
    "subscribers", "topology",
    "batch", "batch_ack", "stream_hz", "instances", "filter_below", "new", "creates", "existing",
    "writer_on", "reader_on",
    "link_rate", "link_loss", "link_delay", "link_jitter", "link_burst", "link_reassembly",
    "load", "load_on",
)  # fmt: skip
"""Parameters in the order of a case's name; all others follow them."""

STORED = tuple(each for each in PARAMETERS if each.column)
"""Those with a column of their own, in the order of the columns."""

POLICIES = {
    each.name.removeprefix("qos."): each for each in PARAMETERS if each.name.startswith("qos.")
}
"""QoS policies by name."""

BY_NAME = {each.name: each for each in PARAMETERS}


def having(role: Role) -> frozenset[str]:
    """Return the names of the parameters of a role."""
    return frozenset(each.name for each in PARAMETERS if each.role == role)
