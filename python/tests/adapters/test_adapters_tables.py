"""`busmark adapters` as it is read: complete, and no wider than the terminal."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from declared_adapters import adapter, declared, report
from rich.console import Console

from busmark.adapters import Adapter, compliance, known
from busmark.adapters.conformance import kept_form
from busmark.cli.adapter_list import draw_families
from busmark.cli.adapter_tables import draw_adapter, draw_compliance

COST = "a sample is copied element by element, both when it is written and when it is taken"


def drawn(draw: Callable[[Console], None], width: int) -> str:
    """What is printed where there are so many characters in a line."""
    stream = io.StringIO()
    draw(Console(file=stream, width=width))
    return stream.getvalue()


def release() -> list[Adapter]:
    """All of this release, one of them not usable, and a stranger."""
    names = [*known(), "stranger"]
    found = [adapter(name, cost=COST if name == "omniorb" else "") for name in names]
    return [
        adapter(a.name, reason="mosquitto is missing: apt-get install mosquitto")
        if a.name == "mqtt"
        else a
        for a in found
    ]


@pytest.mark.parametrize("width", [80, 120, 160])
@pytest.mark.parametrize("long", [False, True])
def test_the_list_fits_and_names_every_adapter(width: int, long: bool) -> None:
    found = release()
    text = drawn(lambda console: draw_families(found, console, long=long), width)
    for entry in found:
        assert any(line.strip().startswith(entry.name) for line in text.splitlines())
    lines = [line for line in text.splitlines() if not line.startswith(("Transports:", "mqtt:"))]
    assert max(map(len, lines)) <= width
    assert ("LGPL-2.1-or-later" in text) == long
    assert "seqpacket" in text


def test_the_short_list_has_a_line_for_each_and_says_which_can_be_used() -> None:
    found = [*release(), adapter("opendds", reason="opendds is not built here: build it")]
    text = drawn(lambda console: draw_families(found, console), 80)
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  ")}
    assert {name: row[1] for name, row in rows.items()} == {
        entry.name: "yes" if entry.usable else "no" for entry in found
    }
    # The version, and the transports with the default first.
    assert rows["cyclonedds"][-3:] == ["3.2", "udp", "seqpacket"]
    assert "\nopendds: not built here: build it\n" in text


def test_the_list_goes_by_family_and_gives_costs_and_reasons() -> None:
    text = drawn(lambda console: draw_families(release(), console, long=True), 160)
    places = [
        text.index(part)
        for part in (
            "\nDDS", "\n  cyclonedds", "\nCORBA", "\nShared memory", "\nPub/sub", "\nBaselines",
            "\n  null", "\nOthers", "\n  stranger", f"\n  omniorb: {COST}",
            "\nmqtt: mosquitto is missing: apt-get install mosquitto\n",
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert any(line.split() == ["mqtt", "not", "usable"] for line in text.splitlines())


def test_a_list_of_none_says_how_to_build_some() -> None:
    assert "make build" in drawn(lambda console: draw_families([], console), 80)


@pytest.mark.parametrize("width", [80, 160])
def test_one_in_full_has_every_property_and_every_option(width: int) -> None:
    text = drawn(lambda console: draw_adapter(adapter("udp", cost=COST), console), width)
    words = " ".join(text.split())
    for part in (
        "udp: Paper", "Paper 3.2", "apt-get install paper", COST, "/nowhere/libbusmark_udp.so",
        "lifespan old samples expire", "not supported: waitset",
        "udp the default", "pages = 7 How many pages [1] there are.", "adapters/udp/NOTES.md",
        "never run over this library",
    ):  # fmt: skip
        assert part in words, part
    assert max(map(len, text.splitlines())) <= max(width, 100)


def test_one_that_is_missing_says_why_and_what_is_known_of_it() -> None:
    text = drawn(lambda c: draw_adapter(adapter("rti", reason="it is missing"), c), 80)
    assert "rti: Paper\nnot usable: it is missing" in text
    assert "Paper 3.2" in text


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_fits_and_has_every_adapter_once(width: int) -> None:
    whole = compliance({name: declared() for name in known()})
    text = drawn(lambda console: draw_compliance(whole, console), width)
    assert max(map(len, text.splitlines())) <= width
    heads = [line.split() for line in text.splitlines() if set(line.split()) <= set(known())]
    assert [name for head in heads for name in head] == list(known())
    rows = [line.split() for line in text.splitlines() if line.startswith("  reliable ")]
    assert [len(row) - 1 for row in rows] == [len(head) for head in heads if head]
    assert {word for row in rows for word in row[1:]} == {"yes"}


def test_the_table_explains_the_marks_that_it_has_and_no_others() -> None:
    whole = compliance({"udp": declared()})
    text = drawn(lambda console: draw_compliance(whole, console), 80)
    assert "was not run over it" in text
    assert "seen not to hold" not in text


def test_what_was_checked_is_told_apart_from_what_is_declared() -> None:
    kept = kept_form(
        report(
            c08_keep_all_keeps_all_samples=("failed", "99 of 100"),
            c08_lifespan_lets_old_samples_expire=("passed", "expired"),
        )
    )
    whole = compliance({"udp": declared(conformance=kept), "tcp": declared()})
    text = drawn(lambda console: draw_compliance(whole, console), 80)
    made, _, changed = text.partition("QoS in use")
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}
    assert lines["keep_all"] == ["FAILED", "yes"]
    told = [
        line.split()[1:]
        for part in (made, changed)
        for line in part.splitlines()
        if line.strip().startswith("lifespan")
    ]
    assert told == [["proved", "yes"], ["declared", "yes"]]
    assert lines["loans"] == ["declared", "yes"]
    assert "conformance suite run over udp" in text
