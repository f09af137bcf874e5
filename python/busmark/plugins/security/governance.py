"""Governance documents: what is protected in a domain (DDS Security 1.1, 9.4.1.2)."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.plugins.security import domains as numbers
from busmark.plugins.security.domains import Domains
from busmark.plugins.security.profiles import Governance

SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_governance.xsd"
DOMAIN_RULE = (
    "allow_unauthenticated_participants", "enable_join_access_control",
    "discovery_protection_kind", "liveliness_protection_kind", "rtps_protection_kind",
)  # fmt: skip
"""What is said of a domain, in the order of the schema."""
TOPIC_RULE = (
    "enable_discovery_protection", "enable_liveliness_protection", "enable_read_access_control",
    "enable_write_access_control", "metadata_protection_kind", "data_protection_kind",
)  # fmt: skip
"""What is said of a topic, in the order of the schema."""


def document(governance: Governance, domains: Sequence[Domains]) -> str:
    """Return the document, which has one rule for all topics."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:noNamespaceSchemaLocation="{SCHEMA}">
  <domain_access_rules>
    <domain_rule>
{numbers.xml(domains, "      ")}
{_elements(governance, DOMAIN_RULE, "      ")}
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
{_elements(governance, TOPIC_RULE, "          ")}
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"""


def _elements(governance: Governance, names: Sequence[str], indent: str) -> str:
    values = ((name, getattr(governance, name)) for name in names)
    return "\n".join(
        f"{indent}<{name}>{str(value).lower() if isinstance(value, bool) else value}</{name}>"
        for name, value in values
    )
