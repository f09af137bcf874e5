"""Whether permissions let a participant do what a run asks of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import create
from busmark.plugins.security.domains import Domains
from busmark.plugins.security.hook import Use, check_use
from busmark.plugins.security.reading import grants, parse
from busmark.plugins.security.rights import allowed, check_rights

ALLOW = """<allow_rule><domains><id>3</id></domains>
  <publish>{partitions}<topics><topic>{topic}</topic></topics></publish></allow_rule>"""
DENY = ALLOW.replace("allow_rule", "deny_rule")


def may(rules: str, topic: str, *, default: str = "DENY", domain: int = 3) -> bool:
    text = f"""<dds><permissions><grant name="a"><subject_name>CN=a</subject_name>
      <validity><not_before>2025-01-01T00:00:00</not_before>
      <not_after>2035-01-01T00:00:00</not_after></validity>{rules}
      <default>{default}</default></grant></permissions></dds>"""
    (grant,) = grants(parse(text.encode(), "x"), Path("x"))
    return allowed(grant, domain, "publish", topic)


def test_a_run_whose_topics_are_not_allowed_is_refused_before_it_begins(tmp_path: Path) -> None:
    wanted = DocumentRequest(
        participants=("a",), domains=(Domains(3, 5),), publish=("foo",), subscribe=("busmark_pong",)
    )
    documents = create(tmp_path / "keys", wanted)
    check_rights(documents, "a", 4, {"publish": ["foo"], "subscribe": ["busmark_pong"]})
    use = Use("a", "all", publish=("busmark_ping",), subscribe=("busmark_pong",))
    with pytest.raises(UserError, match="a may not publish busmark_ping") as refused:
        check_use(documents, [use], 4)
    assert refused.value.where.startswith(str(documents.layout.permissions("a")))
    # Nothing is asked of permissions where participants only prove who they are.
    check_use(documents, [Use("a", "authentication", publish=("busmark_ping",))], 4)


def test_damaged_keys_of_curve_are_refused_before_the_run(tmp_path: Path) -> None:
    documents = create(tmp_path / "keys", DocumentRequest(participants=("a", "b")))
    documents.layout.curve_secret("b").write_text("garbage\n")
    check_use(documents, [Use("a", "curve"), Use("b", "all")], 0)
    with pytest.raises(UserError, match="not a key"):
        check_use(documents, [Use("a", "curve"), Use("b", "curve")], 0)
    documents.layout.curve_public("a").write_text(documents.layout.curve_public("b").read_text())
    with pytest.raises(UserError, match="not the public key of"):
        check_use(documents, [Use("a", "curve")], 0)
