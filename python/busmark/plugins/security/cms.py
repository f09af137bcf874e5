"""Signatures of S/MIME documents, as far as DDS Security needs them (RFC 5652): read and verified.

The library signs, but verifies no signatures of PKCS #7.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import textwrap
from dataclasses import dataclass

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs7

from busmark.errors import UserError
from busmark.plugins.security.authority import SignedCertificate

HASHES: dict[bytes, hashes.HashAlgorithm] = {
    bytes.fromhex("608648016503040201"): hashes.SHA256(),
    bytes.fromhex("608648016503040202"): hashes.SHA384(),
    bytes.fromhex("608648016503040203"): hashes.SHA512(),
}
"""Hash algorithms by object identifier. A signature with any other, such as SHA-1, is not accepted.
"""
DIGEST = bytes.fromhex("2A864886F70D010904")
"""Object identifier of the attribute with the digest of what was signed."""
SEQUENCE, SET, ATTRIBUTES, OCTETS, OBJECT = 0x30, 0x31, 0xA0, 0x04, 0x06


@dataclass(frozen=True, slots=True)
class Value:
    """A value of DER."""

    tag: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """A signed document."""

    signed: bytes
    """The part that was signed, its header included."""
    signature: bytes

    @property
    def text(self) -> bytes:
        """The document without the header, lines ended by LF."""
        head, separator, body = _unix(self.signed).partition(b"\n\n")
        return (
            body if separator and head.lower().startswith(b"content-type:") else _unix(self.signed)
        )

    def by(self, certificate: x509.Certificate) -> bool:
        """Return whether this authority has signed exactly this text."""
        try:
            return any(_verified(self.signed, each, certificate) for each in _signers(self))
        except (ValueError, IndexError):
            return False


def read(content: bytes, where: str) -> Message:
    """Return the parts of a signed document."""
    wrong = UserError(
        "this is not a document signed as S/MIME",
        where=where,
        remedy="Sign it with `openssl smime -sign -text`.",
    )
    found = re.search(rb'boundary="?([^"\r\n;]{1,200})', content[:4096])
    if not found:
        raise wrong
    parts = re.split(rb"\r?\n--" + re.escape(found[1]) + rb"(?:--)?[ \t]*(?=\r?\n|$)", content)
    if len(parts) < 3:
        raise wrong
    encoded = _unix(parts[2]).lstrip(b"\n").partition(b"\n\n")[2]
    try:
        signature = base64.b64decode(b"".join(encoded.split()), validate=True)
    except binascii.Error as error:
        raise wrong from error
    return Message(re.sub(rb"^\r?\n", b"", parts[1], count=1), signature)


def _unix(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _values(data: bytes) -> list[Value]:
    """Return the values of DER, one after the other."""
    found, at = [], 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size >= 0x80:
            octets = size & 0x7F
            if not 1 <= octets <= 4:
                raise ValueError("length")
            size, at = int.from_bytes(data[at : at + octets], "big"), at + octets
        if at + size > len(data):
            raise ValueError("beyond the end")
        found.append(Value(tag, data[at : at + size]))
        at += size
    return found


def _signers(message: Message) -> list[list[Value]]:
    """Return what each signer has added (`SignerInfo`)."""
    wrapped = _values(_values(message.signature)[0].content)[1]
    data = _values(_values(wrapped.content)[0].content)
    return [_values(each.content) for each in _values(data[-1].content)]


def _verified(signed: bytes, signer: list[Value], certificate: x509.Certificate) -> bool:
    algorithm = HASHES.get(_values(signer[2].content)[0].content)
    if algorithm is None:
        return False
    text = _unix(signed).replace(b"\n", b"\r\n")
    rest = signer[3:]
    if rest[0].tag == ATTRIBUTES:
        hashed = hashes.Hash(algorithm)
        hashed.update(text)
        if _digest_of(rest[0].content) != hashed.finalize():
            return False
        size = len(rest[0].content)
        text = bytes([SET]) + _length(size) + rest[0].content
        rest = rest[1:]
    key, signature = certificate.public_key(), rest[1].content
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, text, ec.ECDSA(algorithm))
        elif isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, text, padding.PKCS1v15(), algorithm)
        else:
            return False
    except InvalidSignature:
        return False
    return True


def _digest_of(attributes: bytes) -> bytes | None:
    for each in _values(attributes):
        name, values = _values(each.content)[:2]
        if name.content == DIGEST:
            return _values(values.content)[0].content
    return None


def _length(size: int) -> bytes:
    if size < 0x80:
        return bytes([size])
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


HEADER = b"Content-Type: text/plain\r\n\r\n"
"""Header before the text, which is signed with it."""


def sign(text: str, by: SignedCertificate) -> bytes:
    """Return the text with its signature, in the form that `openssl smime -sign -text` writes.

    The vendors read this form; the library's own differs from it in the ends of lines.
    """
    # What is signed: the text as a part of MIME, its lines ended by CR and LF.
    content = HEADER + text.replace("\r\n", "\n").replace("\n", "\r\n").encode()
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content)
    signature = builder.add_signer(by.certificate, by.key, hashes.SHA256()).sign(
        serialization.Encoding.DER,
        [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary],
    )
    lines = "\n".join(textwrap.wrap(base64.b64encode(signature).decode(), 64))
    boundary = "----" + hashlib.sha256(signature).hexdigest()[:32].upper()
    head = (
        "MIME-Version: 1.0\n"
        'Content-Type: multipart/signed; protocol="application/x-pkcs7-signature"; '
        f'micalg="sha-256"; boundary="{boundary}"\n\n'
        f"This is an S/MIME signed message\n\n--{boundary}\n"
    )
    tail = (
        f"\n--{boundary}\n"
        'Content-Type: application/x-pkcs7-signature; name="smime.p7s"\n'
        "Content-Transfer-Encoding: base64\n"
        'Content-Disposition: attachment; filename="smime.p7s"\n\n'
        f"{lines}\n\n--{boundary}--\n\n"
    )
    return head.encode() + content + tail.encode()
