"""The pack of DDS-XRCE 2022: every deployment and condition through real clients and agents."""

from __future__ import annotations

import json

import pytest
from e2e_harness import DOMAIN, Lab, need_adapters, rows

PACKETS = 20
HOPS = {1: ["rtps", "xrce"], 2: ["xrce", "rtps", "xrce"], 3: ["xrce", "xrce"]}


@pytest.mark.usefixtures("allowed")
def test_the_quick_pack_gives_the_papers_tables(lab: Lab) -> None:
    need_adapters("zerodds-xrce", "cyclonedds")
    few = (
        f"matrix.ends_after={PACKETS}", "matrix.rate_hz=50", "rounds.min=1",
        "criteria.match_timeout_s=60", f"run.domain={DOMAIN}",
    )  # fmt: skip
    settings = [word for setting in few for word in ("--set", setting)]
    ended = lab.busmark("run", "xrce-2022", "--out", "result", *settings)
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    status = {row["case"]: row["status"] for row in rows(lab.folder / "result")}
    assert [*status.values()] == ["ok"] * 12, status
    found = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    for case in found:
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
