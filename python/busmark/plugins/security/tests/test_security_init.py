"""`busmark security init`, checked by OpenSSL."""

from __future__ import annotations

import contextlib
import ctypes
import stat
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from security_command import busmark, openssl

from busmark.errors import UserError
from busmark.plugins.security.authority import curve_pair, curve_public, z85_decode, z85_encode
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import Layout, create, open_directory
from busmark.plugins.security.domains import Domains, covered
from busmark.plugins.security.profiles import DDS, PROFILES

PASSPHRASE = "correct horse"
PAIRS = {
    "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID": "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs",
    "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7": "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
}
"""Public and secret keys that ZeroMQ's manual page zmq_curve publishes as test keys."""


@pytest.fixture(scope="module", params=["ecdsa-p256", "rsa-2048"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    folder = tmp_path_factory.mktemp("made")
    (folder / "pass").write_text(PASSPHRASE + "\n")
    ended = busmark(
        "init",
        "keys",
        "--algorithm",
        request.param,
        "--participant",
        "active",
        "--participant",
        "passive",
        "--domain",
        "3",
        "--domain",
        "10-12",
        "--publish",
        "a&b*",
        "--passphrase-file",
        "pass",
        cwd=folder,
    )
    assert ended.code == 0, ended.text
    assert PASSPHRASE not in ended.text
    return Layout(folder / "keys")


def test_openssl_verifies_every_signed_document(made: Layout) -> None:
    signed = sorted(made.directory.rglob("*.p7s"))
    assert len(signed) == len(DDS) + 2
    for path in signed:
        text = openssl("smime", "-verify", "-text", "-in", path, "-CAfile", made.permissions_ca)
        assert text == path.with_suffix(".xml").read_text()


def test_the_form_is_the_one_that_openssl_writes(made: Layout, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.p7s"
    openssl(
        "smime",
        "-sign",
        "-text",
        "-in",
        made.governance("all", "xml"),
        "-out",
        theirs,
        "-signer",
        made.permissions_ca,
        "-inkey",
        made.permissions_ca_key,
        "-passin",
        f"pass:{PASSPHRASE}",
    )

    def form(path: Path) -> list[bytes]:
        content = path.read_bytes()
        boundary = content.partition(b'boundary="')[2].partition(b'"')[0]
        head = content.replace(boundary, b"BOUNDARY").partition(b"base64\n")[0]
        return head.split(b"\n")

    assert form(made.governance("all")) == form(theirs)


def test_openssl_verifies_identities_and_opens_their_keys(made: Layout) -> None:
    for name in ("active", "passive"):
        openssl("verify", "-CAfile", made.identity_ca, made.certificate(name))
        key = openssl("pkey", "-in", made.key(name), "-passin", f"pass:{PASSPHRASE}", "-pubout")
        assert key == openssl("x509", "-in", made.certificate(name), "-noout", "-pubkey")


def test_permissions_name_the_subject_as_openssl_does(made: Layout) -> None:
    for name in ("active", "passive"):
        found = openssl(
            "x509", "-in", made.certificate(name), "-noout", "-subject", "-nameopt", "RFC2253"
        )
        document = xml.parse(made.permissions(name, "xml"))
        assert f"subject={document.findtext('.//subject_name')}" == found.strip()
        assert document.findtext(".//publish/topics/topic") == "a&b*"
        assert document.findtext(".//default") == "DENY"


def test_only_the_owner_reads_anything_and_no_secret_is_in_the_description(made: Layout) -> None:
    for path in made.directory.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    assert PASSPHRASE not in made.description.read_text()


def test_documents_of_a_participant_are_the_fields_of_the_contract(made: Layout) -> None:
    documents = open_directory(made.directory, PASSPHRASE)
    assert PASSPHRASE not in repr(documents) + repr(documents.for_participant("active", "all"))
    for profile in PROFILES:
        found = documents.for_participant("active", profile)
        assert (found is None) == (profile == "none")
        if found is not None:
            assert Path(found.private_key).is_file()
            assert bool(found.governance) == (profile in DDS)
            assert found.password == ("" if profile == "curve" else PASSPHRASE)


@pytest.mark.parametrize(("participant", "profile"), [("nobody", "all"), ("active", "al")])
def test_who_or_what_is_not_there_is_refused(made: Layout, participant: str, profile: str) -> None:
    with pytest.raises(UserError):
        open_directory(made.directory).for_participant(participant, profile)


def test_each_profile_adds_one_protection(tmp_path: Path) -> None:
    create(tmp_path / "keys", DocumentRequest(participants=("a",)))
    at = Layout(tmp_path / "keys")
    plain = xml.parse(at.governance("access_control", "xml"))
    for profile, element in (
        ("rtps_sign", "rtps"),
        ("rtps_encrypt", "rtps"),
        ("data_sign", "data"),
        ("data_encrypt", "data"),
        ("metadata_encrypt", "metadata"),
        ("discovery", "discovery"),
    ):
        document = xml.parse(at.governance(profile, "xml"))
        differ = {
            ours.tag: ours.text
            for ours, theirs in zip(document.iter(), plain.iter(), strict=True)
            if ours.text != theirs.text
        }
        expected = {f"{element}_protection_kind": "SIGN" if "sign" in profile else "ENCRYPT"}
        if profile == "discovery":
            expected["enable_discovery_protection"] = "true"
        assert differ == expected


def test_an_existing_directory_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    ended = busmark("init", "keys", cwd=tmp_path)
    assert ended.code == 2
    assert "exists already" in ended.text
    assert [path.name for path in tmp_path.rglob("*")] == ["keys"]


@pytest.mark.parametrize(
    "words",
    [
        ["--domain", "231"],
        ["--domain", "5-3"],
        ["--domain", "x"],
        ["--participant", "../x"],
        ["--participant", "a", "--participant", "a"],
        ["--publish", "a\nb"],
        ["--days", "0"],
        ["--passphrase-file", "missing"],
        ["--algorithm", "rsa-512"],
    ],
)
def test_bad_input_makes_nothing(tmp_path: Path, words: list[str]) -> None:
    ended = busmark("init", "keys", *words, cwd=tmp_path)
    assert ended.code == 2
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    ended = busmark("init", "no/keys", cwd=tmp_path)
    assert ended.code == 2


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("busmark.plugins.security.directory.description.text", full)
    with pytest.raises(UserError, match="No space"):
        create(tmp_path / "keys", DocumentRequest(participants=("a",)))
    assert not list(tmp_path.iterdir())


def test_keys_of_curve_are_the_published_ones() -> None:
    assert {curve_public(secret): secret for secret in PAIRS.values()} == PAIRS
    public, secret = curve_pair()
    assert curve_public(secret) == public
    assert z85_encode(bytes.fromhex("864FD26FB559F75B")) == "HelloWorld"


def test_keys_of_curve_are_those_that_libzmq_makes() -> None:
    try:
        library = ctypes.CDLL("libzmq.so.5")
    except OSError:
        pytest.skip("libzmq is not installed")
    made = ctypes.create_string_buffer(41), ctypes.create_string_buffer(41)
    for _ in range(20):
        assert library.zmq_curve_keypair(*made) == 0
        assert curve_public(made[1].value.decode()) == made[0].value.decode()
        public, secret = curve_pair()
        assert library.zmq_curve_public(made[0], secret.encode()) == 0
        assert made[0].value.decode() == public


@given(st.binary().filter(lambda data: len(data) % 4 == 0))
def test_z85_returns_what_went_in(data: bytes) -> None:
    assert z85_decode(z85_encode(data)) == data


@given(st.text())
def test_z85_reads_or_refuses(text: str) -> None:
    with contextlib.suppress(UserError):
        assert z85_encode(z85_decode(text)) == text


numbers = st.integers(0, 230)


@settings(max_examples=50)
@given(numbers, numbers, numbers, numbers)
def test_domains_are_covered_by_those_around_them(a: int, b: int, c: int, d: int) -> None:
    inner, outer = Domains(*sorted((a, b))), Domains(*sorted((c, d)))
    assert Domains.parse(str(inner)) == inner
    assert covered(inner, [outer]) == (outer.first <= inner.first and inner.last <= outer.last)
