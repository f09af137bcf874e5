"""Result directories in the real format with latencies made to order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.adapters import Adapter
from busmark.findings import campaign_findings, combine
from busmark.model.parameters import POLICIES, Parameters
from busmark.plan import expand
from busmark.scenario import Scenario
from busmark.store import Case, Finding, Manifest, Result, file_stem, polars_schema

Series = NDArray[np.float64]
MS = 1e6

_SOCKETS = ({"key": "receive_buffer_bytes", "value": "0", "doc": ""},)
_NODELAY = {"key": "nodelay", "value": "true", "doc": ""}
_DDS = ("best_effort", "reliable", "keep_last", "keep_all", "lifespan", "ownership_strength",
        "order_by_source", "time_based_filter")  # fmt: skip
_STREAM = ("reliable", "keep_all")
_UDP = {"unicast": "udp", "multicast": "udp"}
CAPABILITIES: dict[str, dict[str, Any]] = {
    name: {
        "transports": list(carriers), "carriers": carriers,
        "payloads": ["octet"], "waits": ["listener", "waitset", "poll"],
        "reach": ["process", "host", "network"], "qos": list(qos), "options": list(options),
        "features": [], "max_body_bytes": 1 << 24,
        "security": ["rtps_encrypt", "data_encrypt", "authentication", "tls"],
    }
    for name, carriers, qos, options in (
        ("tcp", {"tcp": "tcp"}, _STREAM, (*_SOCKETS, _NODELAY)),
        ("udp", _UDP, ("best_effort",), _SOCKETS),
        ("uds", {"stream": "local"}, _STREAM, ()), ("null", {"memory": "memory"}, _STREAM, ()),
        ("x", {"t": "tcp"}, (), ()), ("cyclonedds", {"udp": "udp", "tcp": "tcp"}, _DDS, ()),
        ("fastdds", {"udp": "udp", "tcp": "tcp", "shm": "shared_memory"}, _DDS, ()),
        ("mqtt", {"tcp": "tcp"}, ("best_effort", "reliable"), ()),
    )
}  # fmt: skip
"""What adapters of these names declare, as far as a plan and its findings ask."""

ADAPTERS = {name: {**can, "options": []} for name, can in CAPABILITIES.items()}
"""The same without options, by which a finding's remedy is the system's."""


def params(
    adapter: str = "tcp", *, fifo: int = 0, nodes: bool = False, lab: int = 0,
    measure: dict[str, Any] | None = None, **matrix: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return the parameters of a case as the plan settles them: a key of `matrix` that no scenario
    has is an error, so a test cannot ask what no campaign can.

    `settings` are the adapter's options, `flow` flows of the scenario's own, `timeline` its
    changes, `measure` keys of that section; with `nodes` the user has the nodes left, right and
    far, and `lab` is the number of the run's own nodes.
    """
    settings, flow = matrix.pop("settings", {}), matrix.pop("flow", [])
    timeline = matrix.pop("timeline", [])
    scenario = Scenario.model_validate({
        "name": "planted",
        "matrix": {"adapter": adapter, "option": {adapter: settings} if settings else {}, **matrix},
        "measure": {"duration_s": 2.0, **(measure or {})},
        "run": {"fifo": fifo},
        "lab": {"nodes": lab},
        "flow": flow,
        "timeline": timeline,
        "nodes": {n: {"prefix": "true"} for n in ("left", "right", "far")} if nodes else {},
    })  # fmt: skip
    can = {n: Adapter(n, Path(f"/lib{n}.so"), c, None) for n, c in CAPABILITIES.items()}
    (case,) = expand(scenario, can)
    return case.params.declared()


LATENCY = params()
THROUGHPUT = params("udp", test="throughput", placement="different")
CLEAN_ROW: dict[str, Any] = {
    "attempt": 0,
    "status": "ok",
    "sent": 2000,
    "received": 2000,
    "lost": 0,
    "duplicated": 0,
    "out_of_order": 0,
    "foreign": 0,
    "corrupted": 0,
    "measured_s": 2.0,
    "udp_rcvbuf_errors": 0,
    "cpu_busy": 0.5,
    "steal": 0.0,
    "ended": "duration",
}


def checked(asked: dict[str, Any]) -> dict[str, Any]:
    """Check that these parameters are all that a plan emits and no others; return them."""
    fields = Parameters.model_fields.keys()
    assert LATENCY.keys() <= asked.keys() <= fields, LATENCY.keys() ^ asked.keys()
    assert asked["qos"].keys() <= POLICIES.keys(), asked["qos"]
    return asked


def clean(
    seed: int, samples: int = 2000, rounds: int = 3, median_ns: float = 20_000.0
) -> list[Series]:
    """Draw log-normal latencies: one mode, no trend, rounds that agree."""
    generator = np.random.default_rng(seed)
    return [median_ns * np.exp(0.1 * generator.standard_normal(samples)) for _ in range(rounds)]


class Planted:
    """A campaign under construction."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.cases: list[Case] = []
        self.rows: list[dict[str, Any]] = []
        self.adapters = dict(ADAPTERS)
        self.scenario: dict[str, Any] = {}
        self.hosts: dict[str, dict[str, Any]] = {}
        (directory / "samples").mkdir(parents=True)

    def case(
        self,
        name: str,
        latencies: Sequence[Series] = (),
        params: dict[str, Any] | None = None,
        *,
        role: str = "pinger",
        rows: int = 0,
        period_ns: int = 0,
        **columns: Any,
    ) -> Planted:
        """Add a case with one round for each series, or `rows` rounds without samples.

        Samples are sent one after the other, or each `period_ns` after the one before it.
        `columns` replace the columns of every round's row; a list gives one value per round.
        """
        self.cases.append(Case(id=name, params=checked(params or LATENCY), status="planned"))
        for number in range(len(latencies) or rows):
            row = {"case": name, "round": number, **CLEAN_ROW}
            if latencies:
                row["samples"] = len(latencies[number])
                self._write(name, number, latencies[number], role, period_ns)
            for column, value in columns.items():
                row[column] = value[number] if isinstance(value, list) else value
            self.rows.append(row)
        return self

    def _write(
        self, name: str, number: int, latency: Series, role: str, period_ns: int
    ) -> None:  # fmt: skip
        count = len(latency)
        sent = np.concatenate([[0.0], np.cumsum(np.abs(latency))[:-1]]).astype(np.int64)
        if period_ns:
            sent = np.arange(count) * period_ns
        data = {
            "case": [name] * count,
            "round": [number] * count,
            "role": [role] * count,
            "seq": np.arange(count),
            "intended_ns": sent,
            "sent_ns": sent,
            "written_ns": sent + 1000,
            "read_ns": sent + latency.astype(np.int64),
            "flags": np.zeros(count, dtype=np.int64),
        }
        frame = pl.DataFrame(data, schema_overrides=_schema("samples", data))
        frame.write_parquet(self.directory / "samples" / f"{file_stem(name, number)}.parquet")

    def system(self, case: str, number: int, /, **counts: Sequence[Any]) -> Planted:
        """Write the system's counters of one round of a case: values by column."""
        data = {"case": [case], "round": [number], **counts}
        length = max(map(len, counts.values()))
        columns = {k: list(v) * length if len(v) == 1 else list(v) for k, v in data.items()}
        (self.directory / "system").mkdir(exist_ok=True)
        frame = pl.DataFrame(columns, schema_overrides=_schema("system", columns))
        frame.write_parquet(self.directory / "system" / f"{file_stem(case, number)}.parquet")
        return self

    def wire(self, case: str, number: int, **window_packets: int) -> Planted:
        """Write the packets of the measured time of a captured round, by purpose."""
        rows = [
            {"case": case, "round": number, "purpose": purpose, "packets": packets,
             "wire_bytes": packets * 100, "window_packets": packets,
             "window_wire_bytes": packets * 100}
            for purpose, packets in window_packets.items()
        ]  # fmt: skip
        (self.directory / "wire").mkdir(exist_ok=True)
        frame = pl.DataFrame(rows, schema=polars_schema("wire"))
        frame.write_parquet(self.directory / "wire" / f"{file_stem(case, number)}.parquet")
        return self

    def slow_writes(self, name: str, number: int, took_ns: NDArray[np.int64]) -> Planted:
        """Give the recorded samples of a round these times within `write`."""
        path = self.directory / "samples" / f"{file_stem(name, number)}.parquet"
        frame = pl.read_parquet(path)
        written = frame["sent_ns"] + pl.Series(took_ns)
        frame.with_columns(written.alias("written_ns")).write_parquet(path)
        return self

    def cpu_time(
        self,
        name: str,
        number: int,
        participants: dict[str, tuple[float, float]],
        busy: Sequence[float] = (),
        seconds: float = 2.0,
        idle: float | None = None,
    ) -> Planted:
        """Write two intervals of a round as the counters would show them: of the one thread of each
        participant the shares of time in which it ran and waited for a CPU, of each CPU from 0 the
        share in which anybody ran on it, by ticks, and the idle share, as measured."""
        rows = []
        length = int(seconds * 1e9 / 2)
        for interval in range(2):
            common = {"interval": interval, "start_ns": interval * length, "duration_ns": length}
            for process, (who, (run, queued)) in enumerate(participants.items(), start=100):
                own = {**common, "participant": who, "process": process}
                times = {"run_ns": int(run * length), "queued_ns": int(queued * length)}
                rows.append({**own, "scope": "thread", "thread": process, **times})
                rows.append({**own, "scope": "process", "user_ns": 0, "system_ns": 0})
            for cpu, used in enumerate(busy):
                times = {"user_ns": int(used * length), "system_ns": 0}
                if idle is not None:
                    times["idle_ns"] = int(idle * length)
                rows.append({**common, "scope": "cpu", "name": str(cpu), **times})
        names = list(dict.fromkeys(column for row in rows for column in row))
        return self.system(
            name, number, **{column: [row.get(column) for row in rows] for column in names}
        )

    def result(self) -> Result:
        """Write the table of rounds and the manifest, and open the directory."""
        if self.rows:
            schema = _schema("cases", {key: 0 for row in self.rows for key in row})
            pl.DataFrame(
                self.rows, schema_overrides=schema, infer_schema_length=None
            ).write_parquet(self.directory / "cases.parquet")
        manifest = Manifest(
            busmark_version="0",
            created_utc="2025-01-01T00:00:00Z",
            command="busmark run",
            seed=1,
            cookie="1",
            scenario=self.scenario,
            scenario_text="",
            cases=self.cases,
            hosts=self.hosts,
            adapters=self.adapters,
        )
        (self.directory / "manifest.json").write_text(manifest.model_dump_json())
        return Result(self.directory)

    def findings(self) -> list[Finding]:
        """Return the findings of all rules in this campaign."""
        return combine(campaign_findings(self.result()))

    def findings_of(self, rule_id: str) -> list[Finding]:
        """Return the findings of one rule."""
        return [finding for finding in self.findings() if finding.id == rule_id]


def _schema(table: str, data: dict[str, Any]) -> dict[str, pl.DataType]:
    return {name: kind for name, kind in polars_schema(table).items() if name in data}


Planting = tuple[str, dict[str, Any], dict[str, Any], str | None, str]
"""A rule, parameters of a case, columns of its three rounds, the severity of the rule's only
finding (None: there is none), and what the finding has in its title, evidence or remedy: texts
between bars."""


def finds(campaign: Planted, planting: Planting) -> None:
    """Assert that the rule finds what is planted, and nothing else."""
    rule, asked, columns, severity, texts = planting
    latencies = clean(1) if asked["test"] == "latency" else ()
    campaign.case("a", latencies, asked, rows=3, **columns)
    found = campaign.findings_of(rule)
    assert [each.severity for each in found] == ([severity] if severity else [])
    for each in found:
        whole = f"{each.title}: {each.evidence}: {each.remedy}"
        whole = whole.replace("\N{NARROW NO-BREAK SPACE}", " ")
        assert [text for text in texts.split("|") if text not in whole] == [], whole
