"""What becomes of a scenario: cases with their parameters, flows and participants, or a reason.

`golden/plans.txt` has the plan of each, reviewed; a parameter is listed where the plain plan has
another value.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_adapters import adapter, unusable
from pydantic import ValidationError
from seams import reviewed

from busmark.errors import UserError
from busmark.plan import PlannedFlow, expand, flows, of_run, topics
from busmark.scenario import Scenario, load, parse, parse_side
from busmark.store import Case

LIBRARY = "./new/libbusmark_paper.so"
NETWORK = {"reach": ["process", "host", "network"]}
SLATE = {"transports": ["slate"], "waits": ["poll"], "qos": ["best_effort"], **NETWORK}
CHANGEABLE = {"qos_mutable": ["lifespan", "deadline"], **NETWORK}
PROFILES = {"qos": ["reliable", "best_effort", "keep_last", "keep_all"]}
NEAR = {"transports": ["fast", "near"], "carriers": {"fast": "udp", "near": "memory"}}
BUFFERS = {"options": [{"key": key, "value": "0", "doc": ""}
                       for key in ("receive_buffer_bytes", "send_buffer_bytes")]}  # fmt: skip
SECURED = {
    "zeromq": {"transports": ["tcp", "ipc", "inproc"], "security": ["curve"]},
    "zenoh": {"transports": ["tcp", "unix"], "security": ["tls"]},
    "opendds": {"transports": ["udp", "tcp"], "security": ["authentication"]},
    "fastdds": {"transports": ["udp"], "security": ["all", "data_encrypt"],
                "middleware_version": "eProsima Fast DDS 2.9.1",
                "options": [{"key": key, "value": "auto", "doc": ""}
                            for key in ("data_sharing", "discovery")]},
    "cyclonedds": {"transports": ["udp"], "security": ["all", "data_encrypt"]},
}  # fmt: skip
DISCOVERY = {"test": "discovery", "existing": [0, 7]}
STATE = {"name": "state", "rate_hz": 1.0, "writers": ["a"], "readers": []}
VIDEO = {"name": "video", "rate_hz": 1.0, "writers": ["b"], "readers": ["passive"]}
OWN = {"name": "f", "rate_hz": 1.0, "writers": ["p"]}
MESH = {"test": "throughput", "placement": "free", "rate_hz": 2}
MANY = {**MESH, "applications": 10, "topics": 10, "readers": 3, "size": 1000}
STREAM = {"test": "throughput"}
TWO = {"publishers": 2, "placement": "free"}


def plan(matrix: dict[str, Any] | None = None, adapters: dict[str, dict[str, Any]] | None = None,
         **scenario: Any) -> dict[str, Any]:  # fmt: skip
    """Return a scenario, and what its adapters can do otherwise than the ones on paper."""
    return {"matrix": matrix or {}, "adapters": adapters or {}, **scenario}


def flow(**keys: Any) -> dict[str, Any]:
    """Return a plan with a flow from `a` to `b`, of which there are two."""
    matrix, several = keys.pop("matrix", {}), {"name": "b", "count": 2}
    return plan(matrix, {"paper": NETWORK}, participant=[{"name": "a"}, several],
                flow=[{"name": "f", "writers": ["a"], "readers": ["b"], **keys}])  # fmt: skip


def change(matrix: dict[str, Any] | None = None, *timeline: dict[str, Any], **more: Any) -> Any:
    """Return a plan at a rate, with a flow in the background, in which something changes."""
    return plan({"rate_hz": 100.0, **(matrix or {})}, {"paper": CHANGEABLE, "stone": NETWORK},
                timeline=list(timeline), flow=[{"name": "video", "rate_hz": 10.0, "topics": 2}],
                **more)  # fmt: skip


PLANS: dict[str, dict[str, Any]] = {
    "every list is a dimension":
        plan({"size": [1, 2, 3], "wait": ["listener", "poll"], "rate_hz": [0, 10]}),
    "further matrices inherit": plan(DISCOVERY, {"paper": {"features": ["matched"]}},
                                     also=[{"existing": [10, 20]}, {"test": "latency"}]),
    "the name of a workload stands for what its cases have in common": plan(
        {**STREAM, "adapter": ["paper", "stone"], "workload": "Imu", "size": 324, "rate_hz": 200.0,
         "wait": ["listener", "poll"]},
        also=[{"workload": "Image best effort", "size": 900, "rate_hz": 30.0,
               "qos": {"reliability": "best_effort"}},
              {"workload": "Image best effort", "adapter": "stone", "size": 901}]),
    "implementations of rmw that are not here share a reason": plan(
        {"adapter": ["rmw", "rmw-jazzy"], "transport": "shipped",
         "option": {name: {"implementation": ["rmw_fastrtps_cpp", "rmw_none_cpp", "rmw_nonedds"]}
                    for name in ("rmw", "rmw-jazzy")}},
        {name: {"transports": ["shipped"],
                "options": [{"key": "implementation", "value": "", "doc": ""}]}
         for name in ("rmw", "rmw-jazzy")}),
    "endpoints that are there bear on discovery alone":
        plan({**DISCOVERY, "test": ["discovery", "latency"]}, {"paper": {"features": ["matched"]}}),
    "a further matrix has its own endpoints": plan(
        {"test": "latency"}, {"paper": {"features": ["matched"]}},
        also=[{**DISCOVERY, "existing": 10}]),
    "a stream keeps all where it can":
        plan({**STREAM, "qos": {"reliability": ["default", "best_effort"]}}),
    "a stream without QoS": plan(STREAM, {"paper": {"qos": []}}),
    **{f"a profile of ROS with {name or 'nothing'}":
       plan({"qos": {"profile": "sensor_data", **name}}, {"paper": PROFILES})
       for name in ({}, {"reliability": "reliable"}, {"history": "keep_all"}, {"depth": 7})},
    "within one process": plan({}, {"paper": {"reach": ["process"]}}),
    "options are of their adapter": plan(
        {"adapter": ["paper", "other"], "option": {"paper": {"nodelay": [True, False]}}}),
    **{f"unsupported: {json.dumps(more | {key: value})}": plan({key: value, **more})
       for key, value, more in (
           ("transport", "pigeon", {}), ("payload", "struct", {"size": 16}),
           ("wait", "waitset", {}), ("size", 1001, {}), ("size", 6, {"payload": "long"}),
           ("qos", {"deadline_s": 1}, {}), ("qos", {"durability": "volatile"}, {}),
           ("qos", {"destination_order": "source"}, {}),
           ("option", {"paper": {"colour": "red"}}, {}), ("placement", "4711", {}),
           ("batch", 10, {}), ("stream_hz", 10.0, STREAM),
           ("batch", 10, {**STREAM, "rate_hz": 10.0}),
           ("subscribers", 60, {"placement": "different"}), ("instances", 4, {"peer": "stone"}),
           ("filter_below", 2, {**STREAM, "peer": "stone"}), ("writers", 2, {"peer": "stone"}),
           ("readers", 2, {"peer": "stone"}), ("peer", "gone", {}), ("adapter", "gone", {}))},
    "a transport within a process": plan({"transport": ["near", "fast"]}, {"paper": NEAR}),
    "a transport within a process on two CPUs":
        plan({"transport": "near", "placement": "0+1"}, {"paper": NEAR}),
    "too many cases":
        plan({"size": [*range(10_000)], "rate_hz": [float(n) for n in range(1, 1000)]}),
    "a word that chooses no case": plan(only=["paper", "zenoh"]),
    "the other side's transport": plan(
        {"peer": "stone", "transport": "slow", "peer_transport": ["same", "slate"]},
        {"paper": {"transports": ["slow"]}, "stone": {"transports": ["slate", "slow"]}}),
    "every pair once": plan({"adapter": ["paper", "stone"], "peer": ["paper", "stone", "same"]}),
    "the other side's defaults": plan({"peer": "stone"}, {"stone": {"transports": ["slow", "fast"],
                                                                    "waits": ["poll"]}}),
    "the other side lacks a transport":
        plan({"peer": "stone", "transport": "fast"}, {"stone": {"transports": ["slow"]}}),
    "the other side lacks a policy":
        plan({"peer": "stone", "qos": {"lifespan_s": 1.0}}, {"stone": {"qos": ["reliable"]}}),
    "a distribution is known by its mean": plan({"size": "uniform(100, 300)"}),
    "tuned buffers": plan({"adapter": "udp", "socket_buffers": ["os", "tuned"]}, {"udp": BUFFERS}),
    "a buffer that is asked for stands": plan(
        {"adapter": "udp", "socket_buffers": "tuned",
         "option": {"udp.receive_buffer_bytes": ["65536"]}}, {"udp": BUFFERS}),
    "no option for buffers": plan({"socket_buffers": ["os", "tuned"]}, {"paper": {"options": []}}),
    "an open loop keeps all": plan({"rate_hz": 500.0}),
    "an open loop of best effort": plan({"rate_hz": 500.0, "qos": {"reliability": "best_effort"}},
                                        measure={"timeout_s": 0.5}),
    "an open loop without keep-all": plan(
        {"rate_hz": 500.0}, {"paper": {"qos": ["reliable", "keep_last"]}},
        measure={"timeout_s": 0.5}),
    "a history that is named":
        plan({"rate_hz": 500.0, "qos": {"history": "keep_last", "depth": 3}}),
    "a depth that is named": plan({"rate_hz": 500.0, "qos": {"depth": 3}}),
    "memory has a limit": plan({"rate_hz": 1e6, "qos": {"reliability": "best_effort"}}),
    "without history": plan({"rate_hz": 500.0}, {"paper": {"qos": ["reliable"]}}),
    "names with QoS": plan({"qos": {"reliability": ["reliable", "best_effort"],
                                    "history": ["keep_last", "keep_all"]}}),
    "names with numbers": plan({"qos": {"lifespan_s": [0, 0.5, 10], "depth": [1, 5]}}),
    "names without what another adapter lacks": plan(
        {"adapter": ["paper", "other"], "test": ["latency", "throughput"]},
        {"other": {"qos": ["best_effort"], "options": []}}),
    "names without a depth that nobody chose": plan({"subscribers": [1, 3]}),
    "a default and what it stands for": plan(
        {"qos": {"reliability": ["default", "reliable"], "history": ["keep_last"]}}),
    "no batch is acknowledged": plan({**STREAM, "batch": 0, "batch_ack": ["ends", "each"]}),
    "batches are acknowledged": plan({**STREAM, "batch": 10, "batch_ack": ["ends", "each"]}),
    **{f"two publishers, {json.dumps(matrix)}": plan({**TWO, **matrix}) for matrix in (
        {}, {"topics": 2}, {"topology": "bidirectional"}, {"stream_hz": 10.0},
        {**STREAM, "batch": 5}, {**STREAM, "topics": 2, "topology": "bidirectional"})},
    "existing endpoints of the scenario's participants": plan(
        {"test": "discovery", "existing": [0, 12]}, {"paper": {"features": ["matched"], **NETWORK}},
        participant=[{"name": "there", "count": 3}]),
    "existing endpoints that cannot be shared": plan(
        {"test": "discovery", "existing": 10}, {"paper": {"features": ["matched"], **NETWORK}},
        participant=[{"name": "there", "count": 3}]),
    **{f"{name} with {profile} by {key}": plan(
        {"adapter": name, "security": ["none", profile],
         **({key: values} if key == "transport" else {"option": {name: {key: values}}})}, SECURED)
       for name, profile, key, values in (
           ("zeromq", "curve", "transport", ["tcp", "ipc", "inproc"]),
           ("zenoh", "tls", "transport", ["tcp", "unix"]),
           ("opendds", "authentication", "transport", ["udp", "tcp"]),
           ("fastdds", "all", "data_sharing", ["off", "on"]),
           ("fastdds", "all", "discovery", ["auto", "server"]))},
    # Answers go back, so a round trip needs both directions.
    "a pair that never matches in one direction": plan(
        {"adapter": ["cyclonedds", "fastdds"], "peer": ["cyclonedds", "fastdds"],
         "test": ["latency", "throughput"], "security": ["all", "data_encrypt"]}, SECURED,
        measure={"probe_echo": False}),
    "a flow of the scenario's own": plan({"size": [64, 128]}, {"paper": NETWORK},
                                         flow=[{"name": "state", "rate_hz": 10.0}]),
    "defaults of participants are the case's": plan(
        {"transport": "slow", "option": {"paper": {"nodelay": True}}},
        {"paper": NETWORK, "stone": SLATE}, run={"fifo": 3},
        flow=[{"name": "state", "rate_hz": 1.0, "writers": ["a"], "readers": ["b"]}],
        participant=[{"name": "a"}, {"name": "b", "adapter": "stone", "option": {"nodelay": False},
                                     "fifo": 7}]),
    "one name for all that are alike": plan(
        {}, {"paper": NETWORK}, participant=[{"name": "n", "count": 3}],
        flow=[{"name": "mesh", "rate_hz": 5.0, "topics": 2, "writers": ["n"],
               "readers": ["n", "passive"]}]),
    **{f"own: {json.dumps(of_flow | own)}": plan(
        {}, {"paper": NETWORK}, flow=[OWN | of_flow], participant=[{"name": "p", **own}])
       for of_flow, own in (
           ({"size": 2000}, {}), ({"payload": "struct"}, {}),
           ({"qos": {"durability": "transient_local"}}, {}), ({"readers": ["passive2"]}, {}),
           ({}, {"option": {"nonsense": 1}}), ({}, {"transport": "smoke"}),
           ({}, {"cpus": "4096"}))},
    "own, of an adapter within one process": plan(
        {}, {"inner": {"reach": ["process"]}}, flow=[OWN],
        participant=[{"name": "p", "adapter": "inner"}]),
    "own, with an adapter within one process": plan(
        {}, {"paper": {"reach": ["process"]}}, flow=[OWN],
        participant=[{"name": "p", "cpus": "0"}]),
    **{f"background: {chosen}": plan(
        {"background": chosen}, {"paper": NETWORK}, flow=[STATE, VIDEO],
        participant=[{"name": "a"}, {"name": "b"}])
       for chosen in (["none", "state", "state+video", "all"], "stat", "none+video")},
    **{f"own flow: {json.dumps(keys)}": flow(**keys) for keys in (
        {"rate_hz": 10.0}, {"kind": "pings"}, {"kind": "pings", "rate_hz": 100}, {},
        {"writers": [], "readers": []}, {"rate_hz": 1, "readers": [], "probe_every": 10},
        {"readers": [], "kind": "pings"}, {"kind": "batches", "batch": 5, "rate_hz": 1},
        {"kind": "batches"}, {"kind": "pings", "batch": 5}, {"rate_hz": 1, "batch_ack": "each"},
        {"kind": "pings", "probe_every": 5}, {"kind": "pings", "arrivals": "poisson"},
        {"rate_hz": 0, "arrivals": "poisson"}, {"rate_hz": 1, "echo": ["b1"]},
        {"rate_hz": 1, "probe_every": 9, "echo": ["b1", "b2"]},
        {"rate_hz": 1, "probe_every": 9, "echo": ["b"]},
        {"kind": "batches", "batch": 5, "echo": ["b1"]}, {"kind": "pings", "echo": ["a"]},
        {"kind": "ping"},
        {"kind": "pings", "readers": ["passive", "b"], "echo": ["passive2"]},
        {"rate_hz": 1, "probe_every": 5, "readers": ["b", "passive"], "echo": ["passive"],
         "matrix": {"subscribers": 2}})},
    # 4 nodes × 10 applications × (10 writers + 30 readers): 80 kB/s to 96 MB/s. Counters of 48,000
    # pairs over twice ten seconds: 0.24 s are as many as fit, so 0.5 s.
    **{f"a mesh of {n} applications a node": plan(
        {**MANY, "applications": n}, {"paper": NETWORK}, lab={"nodes": 4},
        measure={"duration_s": 10.0}) for n in (1, 10)},
    "a mesh on some nodes": plan(
        {**MESH, "applications": [1, 5], "applications_on": ["n1+n2", "n1+n2+n3"]},
        {"paper": NETWORK}, lab={"nodes": 3}),
    **{f"a mesh with {json.dumps(matrix)}": plan(
        {**MESH, "applications": 2, **matrix}, {"paper": NETWORK}, lab={"nodes": 4})
       for matrix in (
           {"test": "latency"}, {"publishers": 3}, {"topology": "bidirectional"}, {"batch": 10},
           {"writer_on": "n2"}, {"applications_on": "n9"},
           {"applications": 0, "applications_on": "n1"})},
    "a mesh on nodes without nodes":
        plan({**MESH, "applications": 2, "applications_on": "n1"}, {"paper": NETWORK}),
    **{f"timeline: {json.dumps([*timeline, more])}": change({}, *timeline, **more)
       for timeline, more in (
           ([{"at_s": 1.0}], {}), ([{"at_s": 1.0, "link": "down"}], {}),
           ([], {"answer": "recovery"}), ([], {"answer": "latency"}),
           ([{"at_s": 1.0, "link": "up"}], {"lab": {"nodes": 2}}),
           ([{"at_s": 1.0, "link": "down", "rate_hz": 5.0}], {}), ([{"at_s": 0, "rate_hz": 5}], {}),
           ([{"at_s": 1.0, "rate_hz": 0.0}], {}), ([{"at_s": 1.0, "rate_hz": 1e-9}], {}),
           ([{"at_s": 2.0, "rate_hz": 5.0}], {}),
           ([{"at_s": 1.0, "rate_hz": 5.0, "flow": "vide"}], {}),
           ([{"at_s": 1.0, "qos": {"reliability": "reliable"}}], {}),
           ([{"at_s": 1.0, "qos": {"lifespan_s": 0.0}}], {}),
           ([{"at_s": 1.0, "rate_hz": 5.0}], {"measure": {"samples": 5}}),
           ([{"at_s": 1.0, "rate_hz": 5.0}],
            {"measure": {"duration_s": "auto"}, "rounds": {"target": 0.1}}),
           ([{"at_s": 1.5, "flow": "video", "rate_hz": 40.0},
             {"at_s": 0.5, "rate_hz": 200.0, "qos": {"lifespan_s": 0.25}}], {}))},
    "timeline: recovery of a stream without a step": change(STREAM, answer="recovery"),
    **{f"change: {json.dumps([matrix, of])}": change(matrix, {"at_s": 1.0, **of})
       for matrix, of in (
           ({"rate_hz": 0.0}, {"rate_hz": 5.0}), ({"rate_hz": 0.0, **STREAM}, {"rate_hz": 5.0}),
           ({}, {"rate_hz": 5.0, "flow": "stream"}), ({}, {"qos": {"partition": "a"}}),
           ({"adapter": "stone"}, {"qos": {"lifespan_s": 1.0}}),
           ({"test": "capacity", "rate_hz": 0.0}, {"rate_hz": 5.0}),
           ({"stream_hz": 7.0}, {"flow": "stream", "rate_hz": 5.0}))},
    **{f"sides {baseline} and {candidate}": plan(
        matrix, sides={"baseline": baseline, "candidate": candidate})
       for baseline, candidate, matrix in (
           ("paper", "stone", {"size": [64, 128]}),
           ("as-is", "as-is nodelay=false env:A_B='x y' -- nice -n 5", {}),
           ("paper", LIBRARY, {"option": {"paper": {"nodelay": ["false"]}}}))},
}  # fmt: skip


def planned(asked: dict[str, Any]) -> list[Case]:
    sides, adapters = asked.get("sides", {}), asked["adapters"]
    document = {k: v for k, v in asked.items() if k not in ("sides", "adapters")}
    document["matrix"] = {"adapter": "paper", **asked["matrix"]}
    scenario = Scenario.model_validate({"name": "x", **document})
    if sides:
        scenario = scenario.with_sides({k: parse_side(v, k) for k, v in sides.items()})
    known = {name: adapter(name, **adapters.get(name, {}))
             for name in ("paper", "stone", "other", *adapters)}  # fmt: skip
    gone = unusable("gone", "gone is not built here")
    return expand(scenario, known | {"gone": gone, LIBRARY: adapter()})


def listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) < 9 else f"{len(names)} of {len({*names})}"


def text_of(asked: dict[str, Any], plain: dict[str, Any]) -> str:
    """Return the cases of a plan, or why it is refused."""
    try:
        cases = planned(asked)
    except ValidationError as error:
        found = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        return f"refused: {'; '.join(found)}\n"
    except UserError as error:
        return f"refused: {error}\n"
    lines = []
    for case in cases:
        lines.append(f"{case.id}: {case.status}{': ' if case.reason else ''}{case.reason or ''}")
        own = {k: v for k, v in case.params.declared().items() if plain.get(k, ...) != v}
        hidden = ("flows", "participants", "changes")
        lines.append(f"  {json.dumps({k: v for k, v in own.items() if k not in hidden})}")
        if case.status == "unsupported" or not (own.keys() - {"size", "rate_hz", "qos"}):
            continue
        round_ = flows(case.params)
        assert len(round_.ends) == sum(len([*each.ends]) for each in round_.flows)
        named, own = topics(round_), topics(of_run(round_, "aa"))
        assert_of_run(named, own, "aa")
        for each in round_.participants if len(round_.participants) < 9 else ():
            there = named[each.name]
            lines.append(
                f"  {each.name}: {each.adapter} {each.transport} {each.wait} "
                f"fifo {each.fifo} {json.dumps(each.settings)}, writes "
                f"{listed(sorted(there.written)) or 'nothing'}, reads "
                f"{listed(sorted(there.read)) or 'nothing'}"
            )
        for each in round_.flows:
            ends = (listed([end.participant.name for end in side])
                    for side in (each.writers, each.readers))  # fmt: skip
            background = " background" * each.background
            there = f", {each.endpoints} of each" * bool(each.endpoints)
            lines.append(f"  {each.name}{background}: {' → '.join(ends)}, {each.rate_hz:g}/s of "
                         f"{each.size} B, {json.dumps(each.qos)}{there}")  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def assert_of_run(named: dict[str, Any], own: dict[str, Any], run: str) -> None:
    """Check that every topic has the run's identity, and that each end is where it was."""
    for name, one in named.items():
        for before, after in ((one.written, own[name].written), (one.read, own[name].read)):
            assert not before & after and all(run in topic.split("_") for topic in after)
            assert {topic.replace(f"_{run}", "") for topic in after} == before


def test_plans_are_as_reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3})
    (case,) = planned(plan())
    plain = case.params.declared()
    text = f"the plain plan: {json.dumps(plain)}\n"
    for name, asked in PLANS.items():
        text += f"\n## {name}\n{text_of(asked, plain)}"
    reviewed(Path(__file__).parent / "golden" / "plans.txt", text)


def cases(matrix: dict[str, Any]) -> list[Case]:
    return planned(plan(matrix))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    sizes=st.lists(st.integers(0, 2000), min_size=1, max_size=4),
    payloads=st.lists(st.sampled_from(["octet", "long", "struct", "empty"]), min_size=1),
    rates=st.lists(st.sampled_from([0.0, 0.25, 10.0, 10.0001, 1e6, 1e6 + 1, 1e9]), min_size=1,
                   max_size=3),
    placements=st.lists(st.sampled_from(["same", "free", "0", "0+0"]), min_size=1, max_size=2),
    arrivals=st.lists(st.sampled_from(["constant", "poisson"]), min_size=1, max_size=2),
    reliability=st.lists(st.sampled_from(["default", "reliable", "best_effort"]), min_size=1,
                         max_size=2),
    depth=st.lists(st.integers(1, 3), min_size=1, max_size=2),
    nodelay=st.lists(st.sampled_from(["true", "false"]), min_size=1, max_size=2),
)  # fmt: skip
def test_cases_have_names_of_their_own_that_are_fit_for_files(
    sizes: list[int], payloads: list[str], rates: list[float], placements: list[str],
    arrivals: list[str], reliability: list[str], depth: list[int], nodelay: list[str],
) -> None:  # fmt: skip
    qos = {"reliability": reliability, "depth": depth, "history": ["keep_last"]}
    found = cases({"size": sizes, "payload": payloads, "rate_hz": rates, "placement": placements,
                   "arrivals": arrivals, "qos": qos,
                   "option": {"paper.nodelay": nodelay}})  # fmt: skip
    names = [case.id for case in found]
    assert len({name[4:] for name in names}) == len(names)
    assert all("/" not in name and "+" not in name for name in names)
    assert [int(name.partition("-")[0]) for name in names] == [*range(len(names))]


def test_a_name_that_would_be_too_long_for_a_file_is_cut_and_still_its_own() -> None:
    parts = ["/".join(["domain"] * 40) + last for last in ("a", "b")]
    names = {case.id[4:] for case in cases({"qos": {"partition": parts}})}
    assert len(names) == 2 and all(len(name) <= 160 for name in names)


def of_file(file: Path, name: str = "paper", **matrix: Any) -> Case:
    """Plan the case whose bodies have the bytes of a file."""
    able = {"payloads": ["octet", "long", "type"] if name == "paper" else ["octet"]}
    (case,) = planned(plan({"adapter": name, "payload": "octet", "size": "file", **matrix},
                           {name: able}, measure={"body_file": str(file)}))  # fmt: skip
    return case


def test_a_body_is_that_of_its_file(tmp_path: Path) -> None:
    value = tmp_path / "value.cdr"
    value.write_bytes(bytes(12))
    assert of_file(value).params.size == 12 and of_file(value).params.body_file == str(value)
    assert "octet" in str(of_file(value, size=64, payload="long").reason)
    for size in ("file", 12):
        assert of_file(value, payload="type", size=size).reason is None
    for size in (8, "uniform(1, 4)"):
        reason = of_file(value, payload="type", size=size).reason
        assert reason == 'payload type: needs size = "file", and the value in measure.body_file'
    assert of_file(value, "stone", payload="type").reason == (
        "payload type: not compiled with a type of yours: busmark type build"
    )
    assert "no IDL compiler" in str(of_file(value, "rustdds", payload="type").reason)


@given(sent=st.integers(0, 5000), instances=st.integers(1, 50), below=st.integers(0, 60))
def test_what_a_filter_admits_is_counted_as_if_one_by_one(
    sent: int, instances: int, below: int
) -> None:
    flow = PlannedFlow(
        name="stream", topic="there", writers=[], readers=[], rate_hz=0.0, arrivals="constant",
        payload="octet", size=64, qos={}, instances=instances, filter_below=below,
    )  # fmt: skip
    expected = sum(seq % instances < below for seq in range(sent)) if below else sent
    assert flow.admitted_samples(sent) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "names nothing"), ("paper stone", "neither"), ("paper --", "no command"),
        ("paper 'x", "not words"), ("paper env:=1", "neither"), ("paper env:A", "neither"),
    ],
)  # fmt: skip
def test_a_side_that_is_none_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        parse_side(text, "CANDIDATE")


def test_a_file_may_have_sides_but_not_one() -> None:
    text = 'name = "x"\n[matrix]\nadapter = "paper"\n[sides.old]\nadapter = "paper"\n'
    with pytest.raises(UserError, match="one side alone"):
        parse(text, "x.toml", [])
    both = parse(text + '[sides.new]\nprefix = "nice"\n', "x.toml", [])
    assert list(both.sides) == ["old", "new"]


def test_a_flow_that_is_refused_names_file_and_key(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('name = "x"\n[matrix]\nadapter = "tcp"\n[[flow]]\nname = "f"\n')
    with pytest.raises(UserError) as refused:
        load(path)
    text = str(refused.value)
    assert "a stream needs a rate" in text and "own.toml" in text and "flow" in text
