"""Secured campaigns: documents of the run, of the user, on nodes; and what cannot be used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from e2e_harness import DOMAIN, Lab, need_adapters, rows, scenario
from nodes_harness import on_nodes

from busmark.adapters import libraries

PASSPHRASE = "Not-To-Be-Seen-4711"
SHORT = "duration_s = 0.2\nwarmup_s = 0.05\nmax_samples = 5000"


def secured(adapter: str, profile: str, more: str = "") -> str:
    matrix = f'adapter = "{adapter}"\nsecurity = ["none", "{profile}"]'
    return scenario(matrix, measure=SHORT, rounds="min = 1", also=more)


def made(lab: Lab, *options: str) -> Path:
    """Make a directory of documents for the tests' domain."""
    ended = lab.busmark("security", "init", "keys", "--domain", str(DOMAIN), *options)
    assert ended.code == 0, ended.text
    return lab.folder / "keys"


def texts(*folders: Path) -> bytes:
    """Return all that is in these folders."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert files
    return b"".join(file.read_bytes() for file in files)


def assert_no_secrets(*folders: Path) -> None:
    content = texts(*folders)
    assert PASSPHRASE.encode() not in content
    assert b"PRIVATE KEY" not in content


PROFILES = {
    "tcp": "tls", "mqtt": "tls", "nats": "tls", "zenoh": "tls", "zeromq": "curve",
    "cyclonedds": "all", "fastdds": "all",
}  # fmt: skip


def test_a_run_makes_the_documents_itself_and_leaves_none(lab: Lab) -> None:
    vendors = ("cyclonedds", "fastdds")
    need_adapters("tcp", *vendors)
    profiles = {name: own for name, own in PROFILES.items() if name in libraries()}
    also = "".join(
        f'[[also]]\nadapter = "{name}"\nsecurity = ["none", "{profile}"]\n'
        for name, profile in profiles.items() if name != "tcp"
    )  # fmt: skip
    # Whichever of two vendors writes.
    also += f'[[also]]\nadapter = {[*vendors]}\npeer = {[*vendors]}\nsecurity = "all"'
    lab.campaign(secured("tcp", "tls", also))
    found = {
        (row["adapter"], row["peer"] or row["adapter"], row["security"]): row["status"]
        for row in rows(lab.folder / "result")
    }
    asked = [(name, name, each) for name, own in profiles.items() for each in ("none", own)]
    asked += [(*vendors, "all"), (*vendors[::-1], "all")]
    assert found == dict.fromkeys(asked, "ok")
    assert_no_secrets(lab.folder / "result")
    lab.assert_nothing_left()


def test_of_two_vendors_the_wrong_one_begins_no_handshake(lab: Lab) -> None:
    """With documents of the user's, names of subjects decide which side begins."""
    need_adapters("cyclonedds", "fastdds")
    made(lab)
    table = '[security]\ndirectory = "keys"\n'
    allowed = []
    for writer, reader in (("cyclonedds", "fastdds"), ("fastdds", "cyclonedds")):
        matrix = f'adapter = "{writer}"\npeer = "{reader}"\nsecurity = "all"'
        path = lab.scenario(scenario(matrix, measure=SHORT, rounds="min = 1", also=table),
                            f"by-{writer}.toml")  # fmt: skip
        ended = lab.quickly("plan", path.name)
        allowed += [path] * (ended.code == 0)
        assert ended.code == 0 or "would begin the handshake" in ended.err, ended.text
    (path,) = allowed
    assert lab.busmark("run", path, "--out", "result").code == 0


def test_encrypted_keys_of_the_user_are_used_on_nodes_and_stay_nowhere(lab: Lab) -> None:
    need_adapters("tcp")
    (lab.folder / "pass").write_text(f"{PASSPHRASE}\n")
    made(lab, "--passphrase-file", "pass")
    table = '\n[security]\ndirectory = "keys"\npassphrase_file = "pass"\n'
    text = on_nodes({"left": "env", "right": "env"},
                    'adapter = "tcp"\nsecurity = ["none", "tls"]', measure=SHORT)  # fmt: skip
    ended = lab.campaign(text + table)
    assert {(row["security"], row["nodes"]) for row in rows(lab.folder / "result")} == {
        ("none", "right;left"), ("tls", "right;left"),
    }  # fmt: skip
    assert_no_secrets(lab.folder / "result")
    assert PASSPHRASE not in ended.text
    assert b"PRIVATE KEY" not in b"".join(
        file.read_bytes() for file in lab.scratch.rglob("*")
        if file.is_file() and file.stat().st_size < 100_000
    )  # fmt: skip
    lab.assert_nothing_left()


def test_a_wrong_passphrase_is_reported_with_the_file_and_never_shown(lab: Lab) -> None:
    need_adapters("tcp")
    (lab.folder / "pass").write_text(f"{PASSPHRASE}\n")
    (lab.folder / "wrong").write_text(f"not{PASSPHRASE}\n")
    made(lab, "--passphrase-file", "pass")
    ended = lab.campaign(
        secured("tcp", "tls", '[security]\ndirectory = "keys"\npassphrase_file = "wrong"\n'), code=2
    )
    assert "key.pem" in ended.err and PASSPHRASE not in ended.text


def test_a_server_that_takes_no_passphrase_is_refused_before_the_run(lab: Lab) -> None:
    need_adapters("mqtt")
    (lab.folder / "pass").write_text(f"{PASSPHRASE}\n")
    made(lab, "--passphrase-file", "pass")
    ended = lab.campaign(
        secured("mqtt", "tls", '[security]\ndirectory = "keys"\npassphrase_file = "pass"\n'), code=2
    )
    assert "MQTT (mosquitto) takes no passphrase" in ended.err and PASSPHRASE not in ended.text


def test_expired_documents_are_refused_before_the_run_begins(lab: Lab) -> None:
    need_adapters("tcp")
    keys = made(lab)
    expired(keys / "participants" / "passive" / "certificate.pem", keys / "ca")
    ended = lab.campaign(secured("tcp", "tls", '[security]\ndirectory = "keys"\n'), code=2)
    assert "expired on" in ended.err and "passive" in ended.err


def expired(certificate: Path, authority: Path) -> None:
    """Put in its place a certificate of the same key and subject, of yesterday."""
    old = x509.load_pem_x509_certificate(certificate.read_bytes())
    signer = x509.load_pem_x509_certificate((authority / "identity_ca.pem").read_bytes())
    key = serialization.load_pem_private_key((authority / "identity_ca.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    now = datetime.now(UTC)
    new = (
        x509.CertificateBuilder(subject_name=old.subject, issuer_name=signer.subject,
                                public_key=old.public_key(), serial_number=1)
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now - timedelta(days=1))
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    certificate.write_bytes(new.public_bytes(serialization.Encoding.PEM))


def test_the_plan_says_who_has_no_security_and_how_it_is_had(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(secured("udp", "tls"))
    ended = lab.busmark("plan", "scenario.toml")
    assert ended.code == 0
    assert "no security profile tls: udp: the adapter has none" in ended.out


def test_documents_that_do_not_allow_the_topics_are_refused_by_plan_and_run(lab: Lab) -> None:
    need_adapters("cyclonedds")
    made(lab, "--publish", "foo")
    lab.scenario(secured("cyclonedds", "all", '[security]\ndirectory = "keys"'))
    for command in (["plan", "scenario.toml"], ["run", "scenario.toml", "--out", "result"]):
        ended = lab.busmark(*command)
        assert ended.code == 2, ended.text
        assert "may not publish busmark_ping" in ended.err
    assert not (lab.folder / "result").exists()
