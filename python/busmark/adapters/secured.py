"""What adapters may offer of security, in words."""

from __future__ import annotations

SECURITY = {
    "authentication": "participants prove who they are",
    "access_control": "and do only what their permissions allow",
    "discovery": "access control, and what is said of endpoints encrypted",
    "rtps_sign": "access control, and messages signed",
    "rtps_encrypt": "access control, and messages encrypted",
    "data_sign": "access control, and payloads signed",
    "data_encrypt": "access control, and payloads encrypted",
    "metadata_encrypt": "access control, and submessages encrypted",
    "all": "all of it encrypted",
    "tls": "TLS 1.3, both sides with certificates",
    "curve": "CURVE: both sides with key pairs of Curve25519",
}
"""The profiles of `matrix.security`."""
