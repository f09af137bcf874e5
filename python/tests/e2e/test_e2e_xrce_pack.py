"""The pack of DDS-XRCE 2022: every deployment and condition through real clients and agents."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from e2e_harness import DOMAIN, Lab, need_adapters, rows

from busmark.store import Result

PACKETS = 20
FEW = (
    f"matrix.ends_after={PACKETS}", "matrix.rate_hz=50", "rounds.min=1",
    "criteria.match_timeout_s=60", f"run.domain={DOMAIN}",
)  # fmt: skip
HOPS = {1: ["rtps", "xrce"], 2: ["xrce", "rtps", "xrce"], 3: ["xrce", "xrce"]}


@pytest.mark.usefixtures("allowed")
def test_the_quick_pack_gives_the_papers_tables(lab: Lab) -> None:
    need_adapters("zerodds-xrce", "cyclonedds")
    settings = [word for setting in FEW for word in ("--set", setting)]
    ended = lab.busmark("run", "xrce-2022", "--out", "result", *settings)
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    status = {row["case"]: row["status"] for row in rows(lab.folder / "result")}
    assert [*status.values()] == ["ok"] * 12, status
    all_have_counters(lab.folder / "result")
    found = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    for case in found:
        figures = [row for row in case["figures"] if row["scope"] == "participant"]
        assert {"active", "passive"} < {row["of"] for row in figures}
        (route,) = case["plugins"]["capture"]["routes"]
        agents = case["params"]["settings"].get("agents", "1")
        deployment = 1 if case["adapter"] == "cyclonedds" else 2 if agents == "2" else 3
        assert [hop["protocol"] for hop in route["hops"]] == HOPS[deployment]
        assert (route["entered"], route["arrived"]) == (PACKETS, PACKETS)
        if "reliable" in case["id"]:
            assert route["confirmed_by"] == "ACKNACK"
            # What packets show lies within what the application saw.
            assert route["latency"]["greatest"] <= route["application"]["greatest"]
    shown = lab.busmark("show", "result", "--document")
    assert shown.code == 0, shown.text
    for text in ("deployment 2 (client, two agents, client)", "TCP-R 20p", "Std. Dev. (ms)",
                 "The paper's own", "Number of Recv."):  # fmt: skip
        assert text in shown.out
    page = (lab.folder / "result" / "report" / "comparison.html").read_text(encoding="utf-8")
    assert "TCP with reliable streams has two families of latencies" in page


def all_have_counters(directory: Path) -> None:
    """Check that each round has counters of the host and of every participant, however few packets
    end it, and that its middleware's servers have some, too."""
    result = Result(directory)
    for row in rows(directory):
        found = result.system(row["case"], row["round"])
        assert found is not None, row["case"]
        assert {"host", "cpu", "network", "process"} <= {*found["scope"]}, row["case"]
        named = {*found.filter(pl.col("scope") == "process")["participant"]}
        servers = 2 if row["case"].endswith("agents2") else 1
        assert len(named - {"active", "passive", "counters"}) >= servers, (row["case"], named)
        assert {"active", "passive"} <= named, row["case"]
        assert found["duration_ns"].min() > 0, row["case"]


@pytest.mark.usefixtures("allowed")
def test_clients_of_deployment_1_are_at_the_agents_of_the_paper(lab: Lab) -> None:
    """Clients 1 and 2, of which 2 is measured, are at the first agent, 3 and 4 at the second
    (Table 2): each packet says to which port it goes."""
    need_adapters("zerodds-xrce", "cyclonedds")
    settings = [word for setting in (*FEW, "measure.duration_s=0.5") for word in ("--set", setting)]
    ended = lab.busmark(
        "run", "xrce-2022/full", "--out", "result", "--only", "*-cyclonedds-*-reliable-*", *settings
    )
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    result = Result(lab.folder / "result")
    table = rows(result.directory)
    assert [(row["peer_transport"], row["status"]) for row in table] == [
        ("udp", "ok"), ("tcp", "ok"),
    ]  # fmt: skip
    for row in table:
        hops = result.table("hops", row["case"], 0)
        assert hops is not None
        xrce = hops.filter(pl.col("protocol") == "xrce")

        def ends(flow: str, of: pl.DataFrame = xrce) -> tuple[str, str]:
            """Return both ends of the only connection on which samples of this flow passed."""
            found = of.filter(pl.col("flow") == flow).select("source", "destination").unique()
            ((source, destination),) = found.rows()
            return source, destination

        (first, client_2), (client_1, also_first) = ends("stream"), ends("temperature")
        client_3, second = ends("altitude")
        assert first == also_first != second
        (path,) = (result.directory / "artefacts").glob(f"{row['case']}.*.pcapng")
        flows = json.loads(lab.busmark("capture", "analyse", path, "--json").out)["flows"]
        clients = {
            agent: {
                each["source"]
                for each in flows
                if each["destination"] == agent and "xrce" in each["protocols"]
            }
            for agent in (first, second)
        }
        assert clients[first] == {client_1, client_2}
        # Client 4 reads Pressure, which nobody writes: the second agent has it beside client 3.
        assert client_3 in clients[second] and len(clients[second]) == 2
