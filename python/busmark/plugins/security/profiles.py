"""The security profiles: their names, what each is for, and what its governance document says.

Each profile of DDS Security after `access_control` adds one protection to it, so that its cost can
be measured by itself; `all` is their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from busmark.plugins.security import domains as numbers
from busmark.plugins.security.domains import Domains

Kind = Literal["NONE", "SIGN", "ENCRYPT"]
NOTHING = "NONE"
KINDS = (
    NOTHING,
    "SIGN",
    "SIGN_WITH_ORIGIN_AUTHENTICATION",
    "ENCRYPT",
    "ENCRYPT_WITH_ORIGIN_AUTHENTICATION",
)
"""Values for a protection in a governance document, from the least to the most."""
BASIC_KINDS = (NOTHING, "SIGN", "ENCRYPT")
"""Values for the protection of payloads."""


@dataclass(frozen=True, slots=True)
class Governance:
    """Contents of a governance document about its domains (DDS Security 1.1, 9.4.1.2), and about
    topics."""

    enable_join_access_control: bool = True
    discovery_protection_kind: Kind = "NONE"
    liveliness_protection_kind: Kind = "NONE"
    rtps_protection_kind: Kind = "NONE"
    enable_discovery_protection: bool = False
    enable_liveliness_protection: bool = False
    enable_read_access_control: bool = True
    enable_write_access_control: bool = True
    metadata_protection_kind: Kind = "NONE"
    data_protection_kind: Kind = "NONE"
    allow_unauthenticated_participants: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """One way to secure a participant."""

    name: str
    explanation: str
    governance: Governance | None = None
    """Governance; None: no profile of DDS Security."""


NONE = "none"
AUTHENTICATION = "authentication"
TLS = "tls"
CURVE = "curve"

_ALL = (
    Profile(AUTHENTICATION, "Participants prove who they are; nothing else is protected.",
            Governance(enable_join_access_control=False, enable_read_access_control=False,
                       enable_write_access_control=False)),
    Profile("access_control", "Participants prove who they are, and do only what they may.",
            Governance()),
    Profile("discovery", "As access_control; what is said of endpoints is encrypted.",
            Governance(discovery_protection_kind="ENCRYPT", enable_discovery_protection=True)),
    Profile("rtps_sign", "As access_control; each RTPS message is signed.",
            Governance(rtps_protection_kind="SIGN")),
    Profile("rtps_encrypt", "As access_control; each RTPS message is encrypted.",
            Governance(rtps_protection_kind="ENCRYPT")),
    Profile("data_sign", "As access_control; the payload of each sample is signed.",
            Governance(data_protection_kind="SIGN")),
    Profile("data_encrypt", "As access_control; the payload of each sample is encrypted.",
            Governance(data_protection_kind="ENCRYPT")),
    Profile("metadata_encrypt", "As access_control; each submessage is encrypted.",
            Governance(metadata_protection_kind="ENCRYPT")),
    Profile("all", "Discovery, liveliness, messages, submessages and payloads are encrypted.",
            Governance(
                discovery_protection_kind="ENCRYPT", liveliness_protection_kind="ENCRYPT",
                rtps_protection_kind="ENCRYPT", metadata_protection_kind="ENCRYPT",
                data_protection_kind="ENCRYPT", enable_discovery_protection=True,
                enable_liveliness_protection=True)),
)  # fmt: skip

DDS = {profile.name: profile for profile in _ALL}
"""The profiles of DDS Security, in the order in which they are shown."""

PROFILES = {
    NONE: Profile(NONE, "Nothing is protected; there are no documents."),
    **DDS,
    TLS: Profile(TLS, "TLS, in which both sides prove who they are by X.509 certificates."),
    CURVE: Profile(CURVE, "CURVE of ZeroMQ: both sides have a key pair of Curve25519."),
}
"""All profiles."""


SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_governance.xsd"
DOMAIN_RULE = (
    "allow_unauthenticated_participants",
    "enable_join_access_control",
    "discovery_protection_kind",
    "liveliness_protection_kind",
    "rtps_protection_kind",
)
"""Elements about a domain, in the order of the schema."""
TOPIC_RULE = (
    "enable_discovery_protection",
    "enable_liveliness_protection",
    "enable_read_access_control",
    "enable_write_access_control",
    "metadata_protection_kind",
    "data_protection_kind",
)
"""Elements about a topic, in the order of the schema."""


def governance(what: Governance, domains: Sequence[Domains]) -> str:
    """Return a governance document, which has one rule for all topics."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:noNamespaceSchemaLocation="{SCHEMA}">
  <domain_access_rules>
    <domain_rule>
{numbers.xml(domains, "      ")}
{_elements(what, DOMAIN_RULE, "      ")}
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
{_elements(what, TOPIC_RULE, "          ")}
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"""


def _elements(what: Governance, names: Sequence[str], indent: str) -> str:
    values = ((name, getattr(what, name)) for name in names)
    return "\n".join(
        f"{indent}<{name}>{str(value).lower() if isinstance(value, bool) else value}</{name}>"
        for name, value in values
    )
