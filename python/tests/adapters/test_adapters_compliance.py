"""Who supports what: from capabilities, from the conformance suite, from old manifests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from busmark.adapters import (
    EVIDENCE,
    AdapterProperty,
    Compliance,
    adapter_facts,
    compliance,
    kept_form,
)

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "abi/busmark_adapter.h").read_text(encoding="utf-8")


CAPABILITIES: dict[str, Any] = {
    "title": "Paper",
    "version": "0.1.0",
    "middleware_version": "Paper 3.2",
    "licence": "LGPL-2.1-or-later",
    "install": "apt-get install paper",
    "cost": "",
    "tuned": "buffers 4 MiB",
    "transports": ["udp", "seqpacket"],
    "carriers": {"udp": "udp", "seqpacket": "local"},
    "waits": ["listener", "poll"],
    "reach": ["process", "host"],
    "payloads": ["octet", "struct"],
    "qos": ["reliable", "keep_all", "lifespan", "order_by_source"],
    "qos_mutable": ["lifespan"],
    "features": ["matched", "write_in_listener", "loans", "keys"],
    "disclosures": ["grows_by_sample"],
    "security": [],
    "max_body_bytes": 65_431,
    "options": [{"key": "pages", "value": "7", "doc": "How many pages [1] there are."}],
}


def declared(**changes: Any) -> dict[str, Any]:
    """Return the capabilities as in a manifest, with `changes`."""
    return {**CAPABILITIES, **changes}


def report(**results: tuple[str, str]) -> dict[str, Any]:
    """Return a report of the conformance suite as `busmark adapter check --json` prints it."""
    outcomes = [outcome for outcome, _ in results.values()]
    return {
        "adapter": "paper",
        **{kind: outcomes.count(kind) for kind in ("passed", "failed", "skipped")},
        "results": [
            {"test": test, "outcome": outcome, "detail": detail, "clause": "C0", "title": ""}
            for test, (outcome, detail) in results.items()
        ],
    }


def cell(whole: Compliance, section: str, key: str, column: int = 0) -> AdapterProperty:
    return next(row for row in whole.section(section).rows if row.key == key).cells[column]


def enumerated(prefix: str) -> list[str]:
    """Return the names of an enumeration of the contract, as capabilities write them."""
    found = re.findall(rf"^ +BUSMARK_{prefix}_(\w+) = ", HEADER, re.MULTILINE)
    return [name.lower() for name in found]


def test_every_value_of_the_contract_has_a_row_with_its_meaning() -> None:
    whole = compliance({"paper": declared(transports=[])})
    rows = {row.key: row.meaning for section in whole.sections for row in section.rows}
    for prefix in ("QOS", "WAIT", "PAYLOAD", "REACH", "FEATURE", "DISCLOSE"):
        names = enumerated(prefix)
        assert names
        for name in names:
            assert rows[name], name


def test_no_property_is_reported_twice() -> None:
    whole = compliance({"paper": declared()})
    keys = [(section.id, row.key) for section in whole.sections for row in section.rows]
    assert len(keys) == len(set(keys))


def test_cells_say_what_is_declared() -> None:
    whole = compliance({"paper": declared()})
    assert cell(whole, "qos", "reliable") == AdapterProperty("yes")
    assert cell(whole, "qos", "lifespan") == AdapterProperty("yes")
    assert cell(whole, "set_qos", "lifespan") == AdapterProperty("yes")
    assert cell(whole, "qos", "deadline") == AdapterProperty("no")
    assert cell(whole, "transports", "udp") == AdapterProperty("yes", "default")
    assert cell(whole, "transports", "seqpacket") == AdapterProperty("yes")
    assert cell(whole, "listeners", "write_in_listener") == AdapterProperty("yes")
    assert cell(whole, "listeners", "synchronous") == AdapterProperty("no")
    assert cell(whole, "features", "loans") == AdapterProperty("yes")
    assert cell(whole, "facts", "largest_body").text == "65 431 B"
    assert cell(whole, "facts", "cost").text == "none"
    assert cell(whole, "facts", "licence").text == "LGPL-2.1-or-later"
    assert not whole.checked


def test_columns_are_in_the_order_of_the_release_and_strangers_come_last() -> None:
    names = ["./libbusmark_mine.so", "udp", "mqtt", "cyclonedds"]
    whole = compliance({name: declared() for name in names})
    assert [c.name for c in whole.columns] == ["cyclonedds", "mqtt", "udp", "./libbusmark_mine.so"]
    assert [c.family for c in whole.columns] == ["dds", "pub/sub", "baseline", "other"]


def test_what_was_never_stored_is_unknown_and_not_a_no() -> None:
    whole = compliance({"udp": {}, "tcp": {"waits": ["poll"]}})
    assert cell(whole, "qos", "reliable") == AdapterProperty("unknown")
    assert cell(whole, "waits", "poll", 0) == AdapterProperty("unknown")
    assert cell(whole, "waits", "poll", 1) == AdapterProperty("yes")
    assert cell(whole, "facts", "largest_body") == AdapterProperty("unknown")


def checked(**results: tuple[str, str]) -> Compliance:
    """Return the table of one adapter for which the suite had these results."""
    kept = kept_form(report(**results))
    return compliance({"paper": declared(conformance=kept)})


def test_what_the_suite_saw_is_proved_with_its_evidence() -> None:
    whole = checked(c08_keep_all_keeps_all_samples=("passed", "all of 100"))
    assert cell(whole, "qos", "keep_all") == AdapterProperty("yes", "", "proved", "all of 100")
    assert list(whole.checked) == ["paper"]
    assert not whole.failed


RELIABLE = "c08_reliable_delivers_every_sample_in_order"
LOSSY = "c08_reliable_loses_nothing_on_a_lossy_network"
KEEP_ALL = "c08_keep_all_keeps_all_samples"
LIFESPAN = {"c08_lifespan_lets_old_samples_expire": ("passed", "expired")}
CHANGE = "c26_set_qos_takes_effect_while_traffic_flows"
GROWTH = "c15_memory_does_not_grow_with_samples"
GREW = "resident memory grew by 900 KiB in 9000 samples"
DISCLOSED = f"{GREW}; BUSMARK_DISCLOSE_GROWS_BY_SAMPLE discloses it"
ORDER = "c08_order_by_source_keeps_the_order_of_writing"

SEEN: list[tuple[dict[str, tuple[str, str]], str, str, str, str]] = [
    ({RELIABLE: ("passed", "2000 samples"), LOSSY: ("failed", "3 of 500 lost")},
     "qos", "reliable", "failed", "3 of 500 lost"),
    ({RELIABLE: ("passed", "2000 samples"), LOSSY: ("skipped", "needs root")},
     "qos", "reliable", "proved", "2000 samples; not tested here: needs root"),
    ({KEEP_ALL: ("skipped", "needs waitset")}, "qos", "keep_all", "untested", "needs waitset"),
    ({ORDER: ("passed", "in order")}, "qos", "order_by_source", "accepted", "in order"),
    *(({**LIFESPAN, CHANGE: result}, "set_qos", "lifespan", outcome, result[1])
      for result, outcome in (
          (("passed", "lifespan"), "proved"), (("failed", "lifespan: 3 samples came"), "failed"),
          (("failed", "nothing changed"), "failed"), (("skipped", "no clock"), "untested"),
          (("passed", "deadline, lifespan not tested: no clock"), "untested"),
          (("skipped", "needs a peer"), "untested"))),
    ({**LIFESPAN, CHANGE: ("failed", "nothing changed")}, "qos", "lifespan", "proved", "expired"),
    ({GROWTH: ("skipped", DISCLOSED)}, "disclosures", "grows_by_sample", "proved", GREW),
    ({GROWTH: ("passed", "grew by 0 KiB")}, "disclosures", "grows_by_sample", "untested",
     "not seen here: grew by 0 KiB"),
    ({GROWTH: ("skipped", "needs root")}, "disclosures", "grows_by_sample", "untested",
     "needs root"),
]  # fmt: skip
"""What the suite found, and what becomes of a cell by it."""


@pytest.mark.parametrize(("results", "section", "key", "outcome", "note"), SEEN)
def test_a_cell_has_the_evidence_of_its_own_tests(
    results: dict[str, tuple[str, str]], section: str, key: str, outcome: str, note: str
) -> None:
    found = cell(checked(**results), section, key)
    assert (found.outcome, found.note) == (outcome, note)


def test_what_has_no_test_stays_declared() -> None:
    whole = checked(c01_every_call_gives_the_same_table=("passed", "same"))
    assert cell(whole, "features", "loans").outcome == "declared"
    assert cell(whole, "features", "batching") == AdapterProperty("no")


def test_an_adapter_from_before_disclosures_is_not_said_to_have_none() -> None:
    old = {key: value for key, value in declared().items() if key != "disclosures"}
    assert cell(compliance({"udp": old}), "disclosures", "allocates") == AdapterProperty("unknown")


def test_every_disclosure_has_a_test() -> None:
    assert {f"disclosures.{value}" for value in enumerated("DISCLOSE")} <= set(EVIDENCE)


def test_every_test_that_is_evidence_exists() -> None:
    text = (ROOT / "crates/busmark-conformance/src/registry.rs").read_text(encoding="utf-8")
    for test in {test for tests in EVIDENCE.values() for test in tests}:
        assert f"::{test}," in text


def test_every_property_that_has_evidence_exists() -> None:
    kinds = {"qos": "QOS", "waits": "WAIT", "reach": "REACH", "features": "FEATURE"}
    kinds.update(payloads="PAYLOAD", disclosures="DISCLOSE")
    for name in EVIDENCE:
        kind, _, value = name.partition(".")
        assert kind == "security" or value in enumerated(kinds[kind]), name


def test_every_qos_value_has_a_test() -> None:
    assert {f"qos.{value}" for value in enumerated("QOS")} <= set(EVIDENCE)


def test_as_json_the_cells_are_found_by_name() -> None:
    document = json.loads(json.dumps(compliance({"udp": declared()}).as_json()))
    qos = next(s for s in document["sections"] if s["id"] == "qos")
    row = next(r for r in qos["rows"] if r["key"] == "lifespan")
    assert row["cells"]["udp"]["state"] == "yes"


def test_the_families_and_folders_of_the_release_exist() -> None:
    families = {"dds", "dds-xrce", "corba", "shared memory", "pub/sub", "rpc", "baseline"}
    for entry in adapter_facts().values():
        assert entry.family in families
        assert (ROOT / entry.notes).parent.is_dir(), entry.name


def test_what_is_declared_on_paper_is_complete() -> None:
    record = json.loads((ROOT / "docs/reference/adapters.json").read_text(encoding="utf-8"))
    for capabilities in record.values():
        # Those whose memory grows with the samples say how far.
        grows = {"stored_samples", "stored_bytes"} & set(capabilities)
        assert len(grows) in (0, 2)
        # Those with services of their own say how far these go.
        services = {name for name in capabilities if name.startswith("service_")}
        assert bool(services) == ("services" in capabilities["features"])
        assert {*CAPABILITIES, "name"} == set(capabilities) - grows - services
