"""`busmark security show` and `check`: every fault is planted, and found with its clause."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import ssl
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given
from hypothesis import strategies as st
from security_command import busmark, openssl

from busmark.errors import UserError
from busmark.plugins.security import cms, reading
from busmark.plugins.security.authority import SignedCertificate, Validity, identity
from busmark.plugins.security.authority import authority as certificate_authority
from busmark.plugins.security.checks import check
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import Layout, create, open_directory
from busmark.plugins.security.domains import Domains
from busmark.plugins.security.hook import Use, check_use

NOW = datetime.now(UTC)
WANTED = DocumentRequest(participants=("a", "b"), domains=(Domains(3, 5),))


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create(tmp_path_factory.mktemp("clean") / "keys", WANTED).directory


@pytest.fixture
def at(clean: Path, tmp_path: Path) -> Layout:
    return Layout(Path(shutil.copytree(clean, tmp_path / "keys")))


def signed_again(at: Layout, path: Path, old: str, new: str) -> None:
    """Change a document, and have OpenSSL sign it as its owner would."""
    plain = path.with_suffix(".xml")
    text = plain.read_text()
    assert old in text
    plain.write_text(text.replace(old, new))
    openssl(
        "smime",
        "-sign",
        "-text",
        "-in",
        plain,
        "-out",
        path,
        "-signer",
        at.permissions_ca,
        "-inkey",
        at.permissions_ca_key,
    )


def own_authority(at: Layout) -> SignedCertificate:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(at.identity_ca_key.read_bytes(), None)
    certificate = x509.load_pem_x509_certificate(at.identity_ca.read_bytes())
    return SignedCertificate(certificate, key)  # type: ignore[arg-type]


def new_identity(at: Layout, begins: int, ends: int, by: SignedCertificate | None = None) -> None:
    validity = Validity(NOW + timedelta(days=begins), NOW + timedelta(days=ends))
    made = identity("a", "ecdsa-p256", validity, by or own_authority(at))
    at.certificate("a").write_bytes(made.certificate_pem)
    at.key("a").write_bytes(made.key_pem(None))


def foreign(at: Layout) -> None:
    validity = Validity(NOW - timedelta(days=1), NOW + timedelta(days=1))
    new_identity(at, -1, 1, certificate_authority("Identity CA", "ecdsa-p256", validity))


def weak(at: Layout) -> None:
    by = own_authority(at)
    old = x509.load_pem_x509_certificate(at.certificate("a").read_bytes())
    key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    built = (
        x509.CertificateBuilder()
        .subject_name(old.subject)
        .issuer_name(by.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=1))
    )
    made = SignedCertificate(built.sign(by.key, hashes.SHA256()), key)
    at.certificate("a").write_bytes(made.certificate_pem)
    at.key("a").write_bytes(made.key_pem(None))


def octets(old: bytes, new: bytes) -> Callable[[Layout], None]:
    """Return a change of a certificate that puts `new`, as many octets, where `old` is first."""

    def plant(at: Layout) -> None:
        path = at.certificate("a")
        whole = ssl.PEM_cert_to_DER_cert(path.read_text())
        assert old in whole
        path.write_text(ssl.DER_cert_to_PEM_cert(whole.replace(old, new, 1)))

    return plant


def tampered(at: Layout) -> None:
    path = at.governance("all")
    path.write_bytes(path.read_bytes().replace(b">ENCRYPT<", b">NONE<", 1))


def by_another(at: Layout) -> None:
    openssl(
        "smime",
        "-sign",
        "-text",
        "-in",
        at.permissions("a", "xml"),
        "-out",
        at.permissions("a"),
        "-signer",
        at.identity_ca,
        "-inkey",
        at.identity_ca_key,
    )


def change(old: str, new: str, *, governance: bool = False) -> Callable[[Layout], None]:
    def plant(at: Layout) -> None:
        path = at.governance("all") if governance else at.permissions("a")
        signed_again(at, path, old, new)

    return plant


def unknown(at: Layout) -> None:
    """Put another digit into the identifier of ECDSA by SHA-256, in both of its places."""
    for _ in range(2):
        octets(bytes.fromhex("2a8648ce3d040302"), bytes.fromhex("2a8648fc3d040302"))(at)


def no_authority(at: Layout) -> None:
    by = own_authority(at)
    built = (
        x509.CertificateBuilder()
        .subject_name(by.certificate.subject)
        .issuer_name(by.certificate.subject)
        .public_key(by.key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    )
    at.identity_ca.write_bytes(
        SignedCertificate(built.sign(by.key, hashes.SHA256()), by.key).certificate_pem
    )


TOPIC = "<topic>busmark*</topic>"
WRITE = "<enable_write_access_control>{}<"
PLANTED: dict[str, tuple[Callable[[Layout], object], str, str]] = {
    "expired certificate": (lambda at: new_identity(at, -9, -3), "expired", "9.3.1"),
    "certificate of later": (lambda at: new_identity(at, 3, 9), "not-yet-valid", "9.3.1"),
    "other authority": (foreign, "wrong-authority", "9.3.1"),
    "other key": (lambda at: shutil.copy(at.key("b"), at.key("a")), "wrong-key", "9.3.1"),
    "other CA key": (lambda at: shutil.copy(at.identity_ca_key, at.permissions_ca_key),
                     "wrong-key", "9.4.1.1"),
    "weak key": (weak, "weak-key", "9.3.1"),
    "unknown signature": (unknown, "weak-signature", "9.3.1"),
    "open key": (lambda at: at.key("a").chmod(0o640), "open-key", "9.3.1"),
    "open key of CURVE": (lambda at: at.curve_secret("a").chmod(0o604), "open-key", ""),
    "key of CURVE of another": (lambda at: shutil.copy(at.curve_secret("b"), at.curve_secret("a")),
                                "wrong-key", ""),
    "key of CURVE that nobody accepts": (lambda at: at.curve_allowed.write_text("# nobody\n"),
                                         "not-allowed", ""),
    "governance of a weaker profile": (
        lambda at: [shutil.copy(at.governance("authentication", of), at.governance("all", of))
                    for of in ("xml", "p7s")],
        "weaker-than-promised", "9.4.1.2"),
    "no permissions needed to write": (change(WRITE.format("true"), WRITE.format("false"),
                                              governance=True), "weaker-than-promised", "9.4.1.2"),
    "authority that is none": (no_authority, "not-an-authority", "9.3.1"),
    "tampered": (tampered, "wrong-signature", "9.4.1.2"),
    "signed by another": (by_another, "wrong-signature", "9.4.1.3"),
    "not signed again": (lambda at: at.permissions("a", "xml").write_text("<dds/>"),
                         "not-signed-again", "9.4.1.3"),
    "other subject": (change("CN=a,", "CN=b,"), "wrong-subject", "9.4.1.3"),
    "expired permissions": (change("<not_after>2", "<not_after>1"), "expired", "9.4.1.3"),
    "permissions of later": (change("<not_before>2", "<not_before>3"), "not-yet-valid",
                             "9.4.1.3"),
    "governance of another domain": (change("<max>5<", "<max>4<", governance=True),
                                     "domain-not-covered", "9.4.1.2"),
    "permissions of another domain": (change("<max>5<", "<max>4<"), "domain-not-covered",
                                      "9.4.1.3"),
    "default allow": (change(">DENY<", ">ALLOW<"), "default-allow", "9.4.1.3"),
    "all topics": (change(TOPIC, "<topic>*</topic>"), "all-topics", "8.4.1"),
    "three stars": (change(TOPIC, "<topic>***</topic>"), "all-topics", "8.4.1"),
    "all topics but hidden ones": (change(TOPIC, "<topic>[!.]*</topic>"), "all-topics", "8.4.1"),
    "strangers": (change("participants>false<", "participants>true<", governance=True),
                  "strangers-allowed", "9.4.1.2"),
}  # fmt: skip


def every_domain(at: Layout) -> None:
    path = at.permissions("a")
    signed_again(at, path, "<max>5</max>", "")
    signed_again(at, path, "<min>3</min>", "<min>0</min>")


PLANTED["all domains"] = (every_domain, "all-domains", "8.4.1")


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_with_its_clause(at: Layout, fault: str) -> None:
    plant, kind, clause = PLANTED[fault]
    plant(at)
    ended = busmark("check", at.directory, "--json", cwd=at.directory.parent)
    assert ended.code == 1, ended.text
    found = json.loads(ended.out)
    assert (kind, clause) in {(each["kind"], each["clause"]) for each in found}
    assert all(Path(each["file"]).exists() and each["remedy"] for each in found)


def test_a_run_refuses_governance_that_is_weaker_than_its_profile(at: Layout) -> None:
    shutil.copy(at.governance("rtps_sign"), at.governance("all"))
    documents = open_directory(at.directory)
    with pytest.raises(UserError, match="is NONE, but profile all has ENCRYPT"):
        check_use(documents, [Use("a", "all")], 4)
    check_use(documents, [Use("a", "rtps_sign")], 4)


def test_a_run_refuses_governance_that_is_stronger_than_its_profile(at: Layout) -> None:
    shutil.copy(at.governance("all"), at.governance("access_control"))
    documents = open_directory(at.directory)
    assert "stronger-than-promised" in {each.kind for each in check(documents)}
    with pytest.raises(UserError, match="is ENCRYPT, but profile access_control has NONE"):
        check_use(documents, [Use("a", "access_control")], 4)
    signed_again(
        at,
        at.governance("all"),
        "<rtps_protection_kind>ENCRYPT<",
        "<rtps_protection_kind>ENCRYPT_WITH_ORIGIN_AUTHENTICATION<",
    )
    with pytest.raises(UserError, match="ENCRYPT_WITH_ORIGIN_AUTHENTICATION, but profile all"):
        check_use(documents, [Use("a", "all")], 4)


def test_documents_that_init_made_and_that_are_gone_are_named(at: Layout) -> None:
    at.governance("all").unlink()
    shutil.rmtree(at.participant("b"))
    found = check(open_directory(at.directory))
    gone = {each.file for each in found if each.kind == "missing"}
    assert gone == {str(at.governance("all")), str(at.participant("b"))}
    at.description.unlink()
    assert "missing" not in {each.kind for each in check(open_directory(at.directory))}


@pytest.mark.parametrize("text", ["garbage", "0" * 35, "\x00" * 40])
def test_what_is_no_key_of_curve_is_bad_input(at: Layout, text: str) -> None:
    at.curve_secret("a").write_text(text)
    ended = busmark("check", at.directory, cwd=at.directory.parent)
    assert ended.code == 2 and str(at.curve_secret("a")) in ended.text, ended.text


def test_a_clean_directory_has_no_findings(at: Layout) -> None:
    ended = busmark("check", at.directory, cwd=at.directory.parent)
    assert (ended.code, "no findings" in ended.out) == (0, True), ended.out
    assert busmark("check", at.directory, "--json", cwd=at.directory.parent).out == "[]\n"


def test_a_directory_without_a_description_is_checked_as_well(at: Layout) -> None:
    at.description.unlink()
    assert check(open_directory(at.directory)) == []


def test_all_is_expired_when_its_time_is_over(at: Layout) -> None:
    found = check(open_directory(at.directory), NOW + timedelta(days=400))
    assert [each.kind for each in found] == ["expired"] * 6


def spoil(name: str) -> Callable[[Layout], object]:
    return lambda at: getattr(at, name)("a").write_bytes(b"\x00 spoilt")


BAD: dict[str, Callable[[Layout], object]] = {
    "missing key": lambda at: at.key("a").unlink(),
    "missing certificate": lambda at: at.certificate("a").unlink(),
    "corrupt key": spoil("key"),
    "corrupt certificate": spoil("certificate"),
    "corrupt issuer": octets(b"Identity", b"Identit\xff"),
    "corrupt permissions": spoil("permissions"),
    "no governance": lambda at: shutil.rmtree(at.governance_folder),
    "description is not TOML": lambda at: at.description.write_text("= 3"),
    "no participants": lambda at: shutil.rmtree(at.participants),
    "not XML": change("</permissions>", ""),
    "not a domain": change("<min>3<", "<min>x<"),
    "no time": change("<not_after>", "<not_after>x"),
    "entities": change("<dds ", '<!DOCTYPE dds [<!ENTITY a "b">]>\n<dds '),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_names_file_and_remedy(at: Layout, fault: str) -> None:
    BAD[fault](at)
    ended = busmark("check", at.directory, cwd=at.directory.parent)
    assert ended.code == 2, ended.out
    assert str(at.directory) in ended.text


def test_a_wrong_or_missing_passphrase_is_reported(tmp_path: Path) -> None:
    create(tmp_path / "keys", replace(WANTED, passphrase="right"))
    (tmp_path / "wrong").write_text("wrong\n")
    (tmp_path / "right").write_text("right\n")
    assert "encrypted" in busmark("check", "keys", cwd=tmp_path).text
    wrong = busmark("check", "keys", "--passphrase-file", "wrong", cwd=tmp_path)
    assert (wrong.code, "passphrase is wrong" in wrong.text) == (2, True)
    assert busmark("check", "keys", "--passphrase-file", "right", cwd=tmp_path).code == 0


def test_a_directory_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    for command in ("show", "check"):
        ended = busmark(command, "no", cwd=tmp_path)
        assert ended.code == 2


def test_show_says_who_may_do_what(at: Layout) -> None:
    ended = busmark("show", at.directory, cwd=at.directory.parent)
    assert ended.code == 0, ended.text
    assert "may publish busmark*, subscribe to busmark*, in domain 3-5" in ended.out
    shown = json.loads(busmark("show", at.directory, "--json", cwd=at.directory.parent).out)
    assert [each["name"] for each in shown["participants"]] == ["a", "b"]
    rules = {each["profile"]: each["rules"][0] for each in shown["profiles"]}
    for profile, of_domain, of_topic in (
        ("authentication", {}, {}),
        ("data_sign", {}, {"payloads": "signed"}),
        ("rtps_encrypt", {"RTPS messages": "encrypted"}, {}),
    ):
        assert rules[profile]["protected"] == of_domain
        (topic,) = rules[profile]["topics"]
        assert (topic["topic"], topic["protected"]) == ("*", of_topic)


def test_show_tells_topics_partitions_and_denials_apart(at: Layout) -> None:
    first = """<topic_access_rules><topic_rule><topic_expression>busmark*</topic_expression>
      <enable_discovery_protection>false</enable_discovery_protection>
      <metadata_protection_kind>SIGN_WITH_ORIGIN_AUTHENTICATION</metadata_protection_kind></topic_rule>"""
    signed_again(at, at.governance("all"), "<topic_access_rules>", first)
    path = at.permissions("a")
    deny = "<deny_rule><domains><id>3</id></domains><publish><topics><topic>x</topic></topics>"
    signed_again(at, path, "<allow_rule>", f"{deny}</publish></deny_rule><allow_rule>")
    partitions = "<publish><partitions><partition>p</partition></partitions>"
    signed_again(at, path, "<publish>\n", f"{partitions}\n")
    text = busmark("show", at.directory, cwd=at.directory.parent).out
    assert "topic busmark*: submessages signed for each receiver; no permissions needed\n" in text
    assert "topic *: submessages encrypted; payloads encrypted; permissions needed to" in text
    assert "must not publish x, in domain 3, until" in text
    assert "may publish busmark* in partition p, subscribe to busmark*, in domain 3-5" in text


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("<rtps_protection_kind>ENCRYPT", "<rtps_protection_kind>encrypt", "'encrypt', but must"),
        (
            "<data_protection_kind>ENCRYPT",
            "<data_protection_kind>SIGN_WITH_ORIGIN_AUTHENTICATION",
            "data_protection_kind is 'SIGN_WITH_ORIGIN_AUTHENTICATION', but must be NONE or SIGN",
        ),
        (">true</enable_join", ">True</enable_join", "'True', but must be true or false"),
    ],
)
def test_values_are_spelt_as_vendors_read_them(at: Layout, old: str, new: str, text: str) -> None:
    signed_again(at, at.governance("all"), old, new)
    ended = busmark("check", at.directory, cwd=at.directory.parent)
    assert ended.code == 2
    assert text in ended.text and "all.p7s, line " in ended.text


@pytest.mark.parametrize("new", ["<default>deny</default>", ""])
def test_a_grant_says_what_else_holds(at: Layout, new: str) -> None:
    signed_again(at, at.permissions("a"), "<default>DENY</default>", new)
    for command in ("show", "check"):
        ended = busmark(command, at.directory, cwd=at.directory.parent)
        assert ended.code == 2
        assert "the default of this grant must be ALLOW or DENY" in ended.text


def test_tls_and_curve_need_no_documents_of_dds(at: Layout) -> None:
    documents = open_directory(at.directory)
    for path in (at.permissions_ca, at.permissions_ca_key, at.description):
        path.unlink()
    shutil.rmtree(at.governance_folder)
    check_use(documents, [Use("a", "tls"), Use("b", "curve")], 0)
    assert not check(open_directory(at.directory))
    at.identity_ca.unlink()
    check_use(documents, [Use("a", "curve")], 0)
    assert not check(open_directory(at.directory))


def test_keys_of_curve_that_are_gone_are_named(at: Layout) -> None:
    at.curve_secret("a").unlink()
    (gone,) = check(open_directory(at.directory))
    assert (gone.kind, gone.file) == ("missing", str(at.curve_secret("a")))


def test_a_grant_without_rules_is_no_fault_of_the_domain(at: Layout) -> None:
    text = at.permissions("a", "xml").read_text()
    rules = text[text.index("<allow_rule>") : text.index("</allow_rule>") + len("</allow_rule>")]
    signed_again(at, at.permissions("a"), rules, "")
    documents = open_directory(at.directory)
    with pytest.raises(UserError, match="domain 4 is not covered, nor is any other"):
        check_use(documents, [Use("a", "all")], 4)
    signed_again(at, at.permissions("a"), "DENY", "ALLOW")
    check_use(documents, [Use("a", "all", publish=("busmark_ping",))], 4)


@given(st.binary(max_size=300))
def test_anything_is_read_or_refused(data: bytes) -> None:
    for read in (lambda: reading.parse(data, "x"), lambda: cms.read(data, "x")):
        with contextlib.suppress(UserError):
            read()


@given(st.integers(0), st.integers(0, 255))
def test_no_changed_octet_of_text_or_signature_passes_for_signed(
    clean: Path, at_: int, octet: int
) -> None:
    path = Layout(clean).permissions("a")
    ca = x509.load_pem_x509_certificate(Layout(clean).permissions_ca.read_bytes())
    message = cms.read(path.read_bytes(), "x")
    place = at_ % len(message.signed)
    signed = message.signed[:place] + bytes([octet]) + message.signed[place + 1 :]
    same = signed.replace(b"\r\n", b"\n") == message.signed.replace(b"\r\n", b"\n")
    assert replace(message, signed=signed).by(ca) == same
    place = at_ % len(message.signature)
    spoilt = message.signature[:place] + bytes([octet]) + message.signature[place + 1 :]
    replace(message, signature=spoilt).by(ca)


@pytest.mark.parametrize("name", ["ca/identity_ca.pem", "security.toml"])
def test_a_pipe_in_the_place_of_a_document_is_refused_at_once(at: Layout, name: str) -> None:
    path = at.directory / name
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UserError, match="not a regular file"):
        check(open_directory(at.directory))
