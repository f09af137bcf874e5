"""Whose security documents the participants of a campaign use."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from busmark.adapters import Adapter
from busmark.plugins.security.campaign import SecurityDocuments, check_directory
from busmark.errors import UserError
from busmark.plan import expand
from busmark.scenario import Scenario
from busmark.plugins.security.description import Wanted
from busmark.plugins.security.directory import create
from busmark.store import Case

CAPABILITIES: dict[str, Any] = {
    "transports": ["udp"],
    "payloads": ["octet"],
    "waits": ["listener"],
    "reach": ["process", "host"],
    "qos": [],
    "options": [],
    "features": ["security"],
    "max_body_bytes": 1000,
    "security": ["all"],
}


def adapter(name: str) -> Adapter:
    return Adapter(name, Path(f"/lib{name}.so"), CAPABILITIES, None)


def secured(matrix: dict[str, Any], directory: str = "") -> tuple[Scenario, list[Case]]:
    security = {"directory": directory} if directory else {}
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": {"security": "all", **matrix}, "security": security}
    )
    found = expand(scenario, {name: adapter(name) for name in ("cyclonedds", "fastdds")})
    assert all(case.status == "planned" for case in found), [case.reason for case in found]
    return scenario, found


def begins_like(documents: dict[str, Any] | None) -> bytes:
    """What GUIDs are compared by: the lesser one's participant begins the handshake."""
    assert documents is not None
    certificate = x509.load_pem_x509_certificate(Path(documents["certificate"]).read_bytes())
    return hashlib.sha256(certificate.subject.public_bytes()).digest()


def test_fast_dds_begins_no_handshake_with_another_vendor(tmp_path: Path) -> None:
    both = ["cyclonedds", "fastdds"]
    scenario, cases = secured({"adapter": both, "peer": both})
    documents = SecurityDocuments(scenario, cases, tmp_path)
    documents.check()
    mixed = {case.params.adapter: case.params for case in cases if case.params.peer}
    assert sorted(mixed) == both
    for name, fast, other in (
        ("fastdds", "active", "passive"),
        ("cyclonedds", "passive", "active"),
    ):
        beginning = begins_like(documents.of(mixed[name], other))
        assert beginning < begins_like(documents.of(mixed[name], fast))


def test_among_themselves_participants_have_their_own_names(tmp_path: Path) -> None:
    scenario, cases = secured({"adapter": "fastdds"})
    documents = SecurityDocuments(scenario, cases, tmp_path)
    found = documents.of(cases[0].params, "active")
    assert found is not None and Path(found["certificate"]).parent.name == "active"
    made = (tmp_path / "security" / "participants").iterdir()
    assert sorted(each.name for each in made) == ["active", "passive"]


def test_documents_of_the_users_are_taken_by_the_participants_names(tmp_path: Path) -> None:
    own = create(tmp_path / "own", Wanted(participants=["active", "passive"])).directory
    scenario, cases = secured({"adapter": "fastdds", "peer": "cyclonedds"}, str(own))
    found = SecurityDocuments(scenario, cases, tmp_path).of(cases[0].params, "active")
    assert (
        found is not None and Path(found["certificate"]).parent == own / "participants" / "active"
    )


def test_a_pair_whose_handshake_the_wrong_one_would_begin_is_refused(tmp_path: Path) -> None:
    own = create(tmp_path / "own", Wanted(participants=["active", "passive"])).directory
    outcomes = []
    for writer, reader in (("fastdds", "cyclonedds"), ("cyclonedds", "fastdds")):
        scenario, cases = secured({"adapter": writer, "peer": reader}, str(own))
        try:
            SecurityDocuments(scenario, cases, tmp_path).check()
            outcomes.append("may run")
        except UserError as error:
            assert "would begin the handshake" in str(error) and "certificate.pem" in str(error)
            outcomes.append("refused")
    assert sorted(outcomes) == ["may run", "refused"], "the order of two subjects has one side"


def test_a_directory_is_looked_at_before_a_result_is_begun(tmp_path: Path) -> None:
    scenario, cases = secured({"adapter": "fastdds"}, str(tmp_path / "absent"))
    with pytest.raises(UserError, match="security init"):
        check_directory(scenario, cases)
    assert not (tmp_path / "absent").exists()
