"""Documents signed as S/MIME: text beside its signature (DDS Security 1.1, 9.4.1.1)."""

from __future__ import annotations

import base64
import hashlib
import textwrap

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import pkcs7

from busmark.security.authority import Signed

HEADER = b"Content-Type: text/plain\r\n\r\n"
"""Stands before the text, and is signed with it."""


def canonical(text: str) -> bytes:
    """What is signed: the text as a part of MIME, its lines ended by CR and LF."""
    return HEADER + text.replace("\r\n", "\n").replace("\n", "\r\n").encode()


def sign(text: str, by: Signed) -> bytes:
    """The text with its signature, in the form that `openssl smime -sign -text` writes.

    The vendors read this form; the library's own differs from it in the ends of lines.
    """
    content = canonical(text)
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
