"""Certificate authorities, and identities that they sign: X.509, PKCS #8, and keys of CURVE."""

from __future__ import annotations

import base64
import hashlib
import string
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from busmark.errors import UserError

Algorithm = Literal["ecdsa-p256", "rsa-2048"]
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
ORGANISATION = "Busmark"


@dataclass(frozen=True, slots=True)
class SignedCertificate:
    """A certificate with its private key."""

    certificate: x509.Certificate
    key: Key

    @property
    def certificate_pem(self) -> bytes:
        """The certificate as PEM."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self, passphrase: bytes | None) -> bytes:
        """Return the private key: PKCS #8 as PEM, encrypted if there is a passphrase."""
        how: serialization.KeySerializationEncryption = (
            serialization.BestAvailableEncryption(passphrase)
            if passphrase
            else serialization.NoEncryption()
        )
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, how
        )


@dataclass(frozen=True, slots=True)
class Validity:
    """A period of validity."""

    not_before: datetime
    not_after: datetime


def authority(name: str, algorithm: Algorithm, validity: Validity) -> SignedCertificate:
    """Return a certificate authority that signs itself."""
    key = _new_key(algorithm)
    subject = _subject(name)
    usage = _usage(digital_signature=True, key_cert_sign=True, crl_sign=True)
    built = (
        _builder(subject, subject, key, validity)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
    )
    return SignedCertificate(built.sign(key, hashes.SHA256()), key)


def identity(
    name: str, algorithm: Algorithm, validity: Validity, by: SignedCertificate
) -> SignedCertificate:
    """Return a participant's identity, signed by an authority."""
    key = _new_key(algorithm)
    signer = by.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    purposes = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
    built = (
        _builder(_subject(name), by.certificate.subject, key, validity)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(signer), critical=False
        )
    )
    return SignedCertificate(built.sign(by.key, hashes.SHA256()), key)


def subject_of(certificate: x509.Certificate) -> str:
    """Return the subject as RFC 2253 writes it, which is how permissions name it."""
    return certificate.subject.rfc4514_string()


def handshake_order(name: str) -> bytes:
    """Return what decides who begins the handshake, the participant with the lesser value: GUIDs
    are compared, which begin with a digest of the subject (DDS Security 1.1, 9.3.3)."""
    return order_of(_subject(name))


def order_of(subject: x509.Name) -> bytes:
    """Return the same for a subject."""
    return hashlib.sha256(subject.public_bytes()).digest()


def curve_pair() -> tuple[str, str]:
    """Return a public and a secret key of CURVE, as text."""
    secret = x25519.X25519PrivateKey.generate()
    return z85_encode(secret.public_key().public_bytes_raw()), z85_encode(
        secret.private_bytes_raw()
    )


def curve_public(secret: str, where: str = "") -> str:
    """Return the public key of a secret key."""
    key = x25519.X25519PrivateKey.from_private_bytes(z85_decode(secret, where))
    return z85_encode(key.public_key().public_bytes_raw())


def _new_key(algorithm: Algorithm) -> Key:
    if algorithm == "rsa-2048":
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return ec.generate_private_key(ec.SECP256R1())


def _subject(name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANISATION),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Key, validity: Validity
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(validity.not_before)
        .not_valid_after(validity.not_after)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _usage(**used: bool) -> x509.KeyUsage:
    names = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(**{name: used.get(name, False) for name in names})


Z85 = string.digits + string.ascii_letters + ".-:+=^!/*?&<>()[]{}@%$#"
"""Characters in which ZeroMQ writes keys (RFC 32 of ZeroMQ), five for four bytes."""
_BASE_85 = string.digits + string.ascii_letters.swapcase() + "!#$%&()*+-;<=>?@^_`{|}~"
"""Digits of base 85 in the library's order."""


def z85_encode(data: bytes) -> str:
    """Return the text of bytes, whose number is a multiple of four."""
    if len(data) % 4:
        raise ValueError("Z85 encodes multiples of four bytes")
    return base64.b85encode(data).decode().translate(str.maketrans(_BASE_85, Z85))


def z85_decode(text: str, where: str = "") -> bytes:
    """Return the bytes of a text."""
    try:
        if len(text) % 5 or not set(text) <= set(Z85):
            raise ValueError
        return base64.b85decode(text.translate(str.maketrans(Z85, _BASE_85)))
    except ValueError:
        raise UserError(
            "this is not a key in Z85", where=where, remedy="A key is 40 characters of Z85."
        ) from None
