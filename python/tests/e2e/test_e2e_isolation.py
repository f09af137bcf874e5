"""Runs of one machine do not meet: neither two campaigns, nor a campaign and whoever writes on its
topics."""

from __future__ import annotations

import json
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import (
    DOMAIN,
    PATIENCE_S,
    WATCHDOG_S,
    Lab,
    end,
    need_adapters,
    real_worker,
    rows,
    scenario,
)

from busmark.adapters import environment, libraries
from busmark.store import Result

ADAPTERS = sorted(libraries())
SIZES = {"one": 64, "two": 4096}
"""Bytes of bodies, by the name of a campaign; every adapter can carry both."""


def campaign(lab: Lab, name: str, other: str) -> list[dict[str, Any]]:
    """Run a round of every adapter that is here, each when the other campaign does."""
    own, theirs = (shlex.quote(str(lab.scratch / each)) for each in (name, other))
    meet = (
        f"n=$(ls {own}.* 2>/dev/null | wc -l); touch {own}.$n; "
        f"until [ -e {theirs}.$n -o -e {theirs}.over ]; do sleep 0.02; done"
    )
    text = scenario(
        f"adapter = {json.dumps(ADAPTERS)}\nsize = {SIZES[name]}",
        measure="duration_s = 0.3\nwarmup_s = 0.02\nmax_samples = 5000",
        rounds="min = 1\nmax = 1\nretries = 0\nseed = 1",
        run=f"prepare = {json.dumps(meet)}",
    )
    path = lab.scenario(text, f"{name}.toml")
    # Either waits for the other: on a busy machine for longer than a command of one campaign takes.
    ended = end(lab.start("run", path, "--out", name), 5 * WATCHDOG_S)
    (lab.scratch / f"{name}.over").touch()
    assert ended.code == 0, ended.text
    return rows(lab.folder / name)


@pytest.fixture(scope="module")
def campaigns(shared_lab: Lab) -> dict[str, list[dict[str, Any]]]:
    with ThreadPoolExecutor() as pool:
        pairs = (("one", "two"), ("two", "one"))
        both = [pool.submit(campaign, shared_lab, *pair) for pair in pairs]
        return {name: each.result() for (name, _), each in zip(pairs, both, strict=True)}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_two_campaigns_at_once_have_figures_and_do_not_meet(
    shared_lab: Lab, campaigns: dict[str, list[dict[str, Any]]], adapter: str
) -> None:
    for name, size in SIZES.items():
        own = [row for row in campaigns[name] if row["adapter"] == adapter]
        if not own:
            pytest.skip("cannot be used here")
        (row,) = own
        assert (row["status"], row["size"], row["foreign"]) == ("ok", size, 0), row["reason"]
        assert row["samples"] > 0 and row["corrupted"] == 0
        findings = Result(shared_lab.folder / name).manifest.findings
        assert "foreign-traffic" not in {each.id for each in findings}


def asked(role: dict[str, Any], cookie: str, scratch: Path) -> list[dict[str, Any]]:
    """Return what a worker is asked until its endpoint has found the other's."""
    topic = role["topic"]
    config = {
        "domain": DOMAIN, "interface_name": "lo", "interface_address": "127.0.0.1",
        "transport": "udp", "profile": "default", "run_dir": str(scratch), "settings": [],
    }  # fmt: skip
    return [
        {"cmd": "prepare", "adapter": str(libraries()["cyclonedds"].absolute()), "cookie": cookie,
         "yields": False, "participants": [{"config": config, "roles": [role]}]},
        {"cmd": "setup"},
        {"cmd": "match", "timeout_s": PATIENCE_S,
         "expect": {topic: {"writers": 1, "readers": 1}}},
        {"cmd": "start"},
    ]  # fmt: skip


class Asked:
    """A worker, driven by hand."""

    def __init__(self, lab: Lab) -> None:
        self._process = subprocess.Popen(
            [real_worker(), "participate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**environment(), **lab.environment},
        )  # fmt: skip
        self._process.stdout.readline()

    def ask(self, **command: Any) -> Any:
        """Return the result of a command, past whatever else it says."""
        self._process.stdin.write(json.dumps({"id": 1, **command}).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            reply = json.loads(self._process.stdout.readline())
            if "frame" in reply:
                self._process.stdout.read(reply["bytes"] + 1)
            if "ok" in reply:
                assert reply["ok"], reply["error"]
                return reply.get("result")

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(WATCHDOG_S)
        self._process.stdout.close()


def test_what_others_write_on_a_topic_is_foreign_however_large_and_blamed_on_nobody(
    lab: Lab,
) -> None:
    need_adapters("cyclonedds")
    # With its history the writer reaches a reader that has yet to meet it when it begins.
    qos = {"reliable": True, "keep_all": True, "transient_local": True}
    stream = {"payload": "octet", "wait": "listener", "qos": qos, "verify": True}
    shared = {"topic": "shared", "echo": "", "interval_ns": 10**9, "probe_every": 0}
    timing = {"arrivals": "constant", "rate_hz": 100, "seed": 1, "warmup_ns": 0,
              "duration_ns": 10**11, "samples": 20, "capacity": 100,
              "timeout_ns": 10**9}  # fmt: skip
    receiver = {"role": "receiver", "writer": 2, "from": [1], **shared, "batch": 0,
                "stream": {**stream, "size": SIZES["one"]}, "capacity": 100,
                "intervals": 200}  # fmt: skip
    transmitter = {"role": "transmitter", "writer": 1, **shared, "schedule": timing,
                   "stream": {**stream, "size": SIZES["two"]}}  # fmt: skip
    with Asked(lab) as reader, Asked(lab) as writer:
        for of_reader, of_writer in zip(
            asked(receiver, "a" * 16, lab.scratch), asked(transmitter, "b" * 16, lab.scratch),
            strict=True,
        ):  # fmt: skip
            with ThreadPoolExecutor() as pool:
                both = pool.submit(reader.ask, **of_reader), pool.submit(writer.ask, **of_writer)
                for each in both:
                    each.result()
        sent = writer.ask(cmd="run")[0]["sent"]
        reader.ask(cmd="drain", expect=[], idle_s=1.0, limit_s=PATIENCE_S)
        (report,) = reader.ask(cmd="collect")
    assert sent == 20
    assert (report["foreign"], report["corrupted"]) == (sent, 0)
