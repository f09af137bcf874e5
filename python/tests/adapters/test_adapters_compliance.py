"""Who supports what: from capabilities, from the conformance suite, from old manifests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from busmark.adapters import EVIDENCE, Cell, Compliance, compliance, kept_form, known

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
    """Capabilities as in a manifest."""
    return {**CAPABILITIES, **changes}


def report(**results: tuple[str, str]) -> dict[str, Any]:
    """A report of the conformance suite, as `busmark adapter check --json` prints it."""
    outcomes = [outcome for outcome, _ in results.values()]
    return {
        "adapter": "paper",
        **{kind: outcomes.count(kind) for kind in ("passed", "failed", "skipped")},
        "results": [
            {"test": test, "outcome": outcome, "detail": detail, "clause": "C0", "title": ""}
            for test, (outcome, detail) in results.items()
        ],
    }


def cell(whole: Compliance, section: str, key: str, column: int = 0) -> Cell:
    """One cell."""
    return next(row for row in whole.section(section).rows if row.key == key).cells[column]


def enumerated(prefix: str) -> list[str]:
    """Names of the contract's enumerations, as capabilities write them."""
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
    assert cell(whole, "qos", "reliable") == Cell("yes")
    assert cell(whole, "qos", "lifespan") == Cell("yes")
    assert cell(whole, "set_qos", "lifespan") == Cell("yes")
    assert cell(whole, "qos", "deadline") == Cell("no")
    assert cell(whole, "transports", "udp") == Cell("yes", "default")
    assert cell(whole, "transports", "seqpacket") == Cell("yes")
    assert cell(whole, "listeners", "write_in_listener") == Cell("yes")
    assert cell(whole, "listeners", "synchronous") == Cell("no")
    assert cell(whole, "features", "loans") == Cell("yes")
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
    assert cell(whole, "qos", "reliable") == Cell("unknown")
    assert cell(whole, "waits", "poll", 0) == Cell("unknown")
    assert cell(whole, "waits", "poll", 1) == Cell("yes")
    assert cell(whole, "facts", "largest_body") == Cell("unknown")


def checked(**results: tuple[str, str]) -> Compliance:
    """The table of one adapter over which the suite ran."""
    kept = kept_form(report(**results))
    return compliance({"paper": declared(conformance=kept)})


def test_what_the_suite_saw_is_proved_with_its_evidence() -> None:
    whole = checked(c08_keep_all_keeps_all_samples=("passed", "all of 100"))
    assert cell(whole, "qos", "keep_all") == Cell("yes", "", "proved", "all of 100")
    assert list(whole.checked) == ["paper"]
    assert not whole.failed


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
    families = {"dds", "dds-xrce", "corba", "shared memory", "pub/sub", "baseline"}
    for entry in known().values():
        assert entry.family in families
        assert (ROOT / entry.notes).parent.is_dir(), entry.name


def test_what_is_declared_on_paper_is_complete() -> None:
    record = json.loads((ROOT / "docs/reference/adapters.json").read_text(encoding="utf-8"))
    for capabilities in record.values():
        # Those whose memory grows with the samples say how far.
        grows = {"stored_samples", "stored_bytes"} & set(capabilities)
        assert len(grows) in (0, 2)
        assert {*CAPABILITIES, "name"} == set(capabilities) - grows
