"""Permissions documents: what a participant may do (DDS Security 1.1, 9.4.1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from busmark.plugins.security import domains as numbers
from busmark.plugins.security.authority import Validity
from busmark.plugins.security.domains import Domains

SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_permissions.xsd"
TIME = "%Y-%m-%dT%H:%M:%S"
"""As the vendors read it: in UTC, without a zone."""


def document(
    name: str, subject: str, validity: Validity, domains: Sequence[Domains],
    publish: Sequence[str], subscribe: Sequence[str],
) -> str:  # fmt: skip
    """The document with the one grant of a participant: what is not allowed is denied."""
    allowed = (("publish", publish), ("subscribe", subscribe))
    rules = "\n".join(_criteria(what, topics) for what, topics in allowed if topics)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:noNamespaceSchemaLocation="{SCHEMA}">
  <permissions>
    <grant name={quoteattr(name)}>
      <subject_name>{escape(subject)}</subject_name>
      <validity>
        <not_before>{validity.not_before.strftime(TIME)}</not_before>
        <not_after>{validity.not_after.strftime(TIME)}</not_after>
      </validity>
      <allow_rule>
{numbers.xml(domains, "        ")}
{rules}
      </allow_rule>
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"""


def _criteria(name: str, topics: Sequence[str]) -> str:
    lines = "\n".join(f"            <topic>{escape(topic)}</topic>" for topic in topics)
    return f"""        <{name}>
          <topics>
{lines}
          </topics>
        </{name}>"""
