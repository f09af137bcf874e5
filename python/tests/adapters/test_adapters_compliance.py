"""Who supports what: from capabilities, from the conformance suite, from old manifests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from declared_adapters import CAPABILITIES, declared, report

from busmark.adapters.compliance import Cell, Compliance, compliance
from busmark.adapters.conformance import (
    ACCEPTED_ONLY,
    BY_KIND,
    CHANGES,
    EVIDENCE,
    kept_form,
    remembered,
)
from busmark.adapters.known import known
from busmark.adapters.secured import SECURITY
from busmark.model.parameter import PROFILES
from busmark.scenario.security import UNSECURED

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "abi/busmark_adapter.h").read_text(encoding="utf-8")


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


def test_no_property_is_told_twice() -> None:
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


def test_a_value_that_only_a_newer_adapter_knows_has_a_row_of_its_own() -> None:
    whole = compliance({"paper": declared(features=["telepathy"]), "udp": declared()})
    assert [cell(whole, "features", "telepathy", i).state for i in (0, 1)] == ["no", "yes"]


def test_a_table_without_adapters_is_empty() -> None:
    assert compliance({}).columns == ()


def checked(**results: tuple[str, str]) -> Compliance:
    """The table of one adapter over which the suite ran."""
    kept = kept_form(report(**results))
    return compliance({"paper": declared(conformance=kept)})


def test_what_the_suite_saw_is_proved_with_its_evidence() -> None:
    whole = checked(c08_keep_all_keeps_all_samples=("passed", "all of 100"))
    assert cell(whole, "qos", "keep_all") == Cell("yes", "", "proved", "all of 100")
    assert list(whole.checked) == ["paper"]
    assert not whole.failed


def test_one_failed_test_of_a_property_makes_it_failed() -> None:
    whole = checked(
        c08_reliable_delivers_every_sample_in_order=("passed", "2000 samples"),
        c08_reliable_loses_nothing_on_a_lossy_network=("failed", "3 of 500 lost"),
    )
    assert cell(whole, "qos", "reliable").outcome == "failed"
    assert cell(whole, "qos", "reliable").told == "3 of 500 lost"
    assert whole.failed


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (("passed", "lifespan"), "proved"),
        (("passed", "deadline, lifespan not tested: no clock"), "untested"),
        (("failed", "lifespan: 3 samples came"), "failed"),
        (("failed", "deadline: none missed"), "untested"),
        (("skipped", "needs a peer"), "untested"),
    ],
)
def test_a_change_in_use_has_evidence_of_its_own(result: tuple[str, str], outcome: str) -> None:
    whole = checked(
        c08_lifespan_lets_old_samples_expire=("passed", "expired"),
        c26_set_qos_takes_effect_while_traffic_flows=result,
    )
    assert cell(whole, "qos", "lifespan").outcome == "proved"
    assert cell(whole, "set_qos", "lifespan").outcome == outcome


def test_what_could_not_be_tested_says_why() -> None:
    whole = checked(
        c08_keep_all_keeps_all_samples=("skipped", "needs waitset or poll"),
        c08_reliable_delivers_every_sample_in_order=("passed", "2000 samples"),
        c08_reliable_loses_nothing_on_a_lossy_network=("skipped", "needs root"),
    )
    assert cell(whole, "qos", "keep_all").outcome == "untested"
    assert cell(whole, "qos", "keep_all").told == "needs waitset or poll"
    assert cell(whole, "qos", "reliable").outcome == "proved"
    assert cell(whole, "qos", "reliable").told == "2000 samples; not tested here: needs root"


def test_what_has_no_effect_to_see_is_accepted_and_never_proved() -> None:
    whole = checked(c08_order_by_source_keeps_the_order_of_writing=("passed", "in order"))
    assert cell(whole, "qos", "order_by_source").outcome == "accepted"


def test_what_has_no_test_stays_declared() -> None:
    whole = checked(c01_every_call_gives_the_same_table=("passed", "same"))
    assert cell(whole, "features", "loans").outcome == "declared"
    assert cell(whole, "features", "batching") == Cell("no")


def test_a_failed_change_at_run_time_concerns_what_can_change() -> None:
    whole = checked(
        c08_lifespan_lets_old_samples_expire=("passed", "expired"),
        c08_keep_all_keeps_all_samples=("passed", "all"),
        c26_set_qos_takes_effect_while_traffic_flows=("failed", "nothing changed"),
    )
    assert cell(whole, "set_qos", "lifespan").outcome == "failed" and whole.failed
    assert cell(whole, "qos", "lifespan").outcome == "proved"


def test_a_disclosure_is_proved_by_what_was_seen_and_not_by_its_text() -> None:
    test = "c15_memory_does_not_grow_with_samples"
    seen = "resident memory grew by 900 KiB in 9000 samples"
    whole = checked(**{test: ("skipped", f"{seen}; BUSMARK_DISCLOSE_GROWS_BY_SAMPLE discloses it")})
    assert cell(whole, "disclosures", "grows_by_sample") == Cell("yes", "", "proved", seen)
    assert cell(whole, "disclosures", "allocates") == Cell("no")
    whole = checked(**{test: ("passed", "grew by 0 KiB")})
    unseen = Cell("yes", "", "untested", "not seen here: grew by 0 KiB")
    assert cell(whole, "disclosures", "grows_by_sample") == unseen
    whole = checked(**{test: ("skipped", "needs root")})
    assert cell(whole, "disclosures", "grows_by_sample").outcome == "untested"


def test_an_adapter_from_before_disclosures_is_not_said_to_have_none() -> None:
    old = {key: value for key, value in declared().items() if key != "disclosures"}
    assert cell(compliance({"udp": old}), "disclosures", "allocates") == Cell("unknown")


def test_every_disclosure_has_a_test() -> None:
    assert {f"disclosures.{value}" for value in enumerated("DISCLOSE")} <= set(EVIDENCE)


def test_every_test_that_is_evidence_exists() -> None:
    text = (ROOT / "crates/busmark-conformance/src/registry.rs").read_text(encoding="utf-8")
    named = {test for tests in [*EVIDENCE.values(), *BY_KIND.values(), CHANGES] for test in tests}
    for test in {*named, *ACCEPTED_ONLY}:
        assert f"::{test}," in text


def test_every_property_that_has_evidence_exists() -> None:
    kinds = {"qos": "QOS", "waits": "WAIT", "reach": "REACH", "features": "FEATURE"}
    kinds.update(payloads="PAYLOAD", disclosures="DISCLOSE")
    for name in EVIDENCE:
        kind, _, value = name.partition(".")
        known = SECURITY if kind == "security" else enumerated(kinds[kind])
        assert value in known, name


def test_scenarios_name_the_profiles_that_adapters_may_offer() -> None:
    assert {*SECURITY, UNSECURED} == {*PROFILES}


def test_every_qos_value_has_a_test() -> None:
    assert {f"qos.{value}" for value in enumerated("QOS")} <= set(EVIDENCE)


def test_as_json_the_cells_are_found_by_name() -> None:
    document = json.loads(json.dumps(compliance({"udp": declared()}).as_json()))
    qos = next(s for s in document["sections"] if s["id"] == "qos")
    row = next(r for r in qos["rows"] if r["key"] == "lifespan")
    assert row["cells"]["udp"]["state"] == "yes"


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"passed": 1'])
def test_a_damaged_memory_is_no_memory(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "busmark" / "conformance"
    folder.mkdir(parents=True)
    (folder / "abc.json").write_text(text)
    assert remembered("abc") is None
    assert remembered("def") is None
    assert remembered(None) is None


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
