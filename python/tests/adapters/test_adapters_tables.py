"""`busmark adapters` as documents: complete, true of what is declared, and as reviewed."""

from __future__ import annotations

import io

import pytest
from declared_adapters import adapter, declared, report

from busmark.adapters import Adapter, compliance, known
from busmark.adapters.conformance import kept_form
from busmark.present.blocks.adapters import in_full, listing, supports
from busmark.present.document import Document, Section, Table
from busmark.present.sinks.terminal import show
from busmark.report.roomy import RoomyConsole

COST = "a sample is copied element by element, both when it is written and when it is taken"


def drawn(document: Document, width: int) -> str:
    """What is printed where there are so many characters in a line."""
    out = io.StringIO()
    show(document, RoomyConsole(file=out, width=width, force_terminal=True, color_system=None))
    return out.getvalue()


def release() -> list[Adapter]:
    """All of this release, one of them not usable, and a stranger."""
    found = [adapter(name, cost=COST if name == "omniorb" else "") for name in known()]
    reason = "mosquitto is missing: apt-get install mosquitto"
    found = [adapter(a.name, reason=reason) if a.name == "mqtt" else a for a in found]
    return [*found, adapter("stranger")]


def values(table: Table, title: str) -> list[object]:
    return [
        cell.value for column in table.columns if column.title == title for cell in column.cells
    ]


@pytest.mark.parametrize("width", [80, 120, 160])
@pytest.mark.parametrize("long", [False, True])
def test_the_list_fits_and_names_every_adapter(width: int, long: bool) -> None:
    text = drawn(listing(release(), long=long), width)
    for entry in release():
        assert any(line.startswith(entry.name) for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= width
    assert ("LGPL-2.1-or-later" in text) == long
    assert "seqpacket" in text


def test_the_list_goes_by_family_and_gives_versions_costs_and_reasons() -> None:
    made = listing(release(), long=True)
    rows, costs, missing = (table for section in made.sections for table in section.tables)
    names = values(rows, "Adapter")
    groups = dict.fromkeys(row.group for row in rows.rows)
    assert list(groups) == ["DDS", "DDS-XRCE", "CORBA", "Shared memory", "Pub/sub", "Baselines",
                            "Others"]  # fmt: skip
    assert names == [entry.name for entry in release()], "within a family as in known.toml"
    ready = dict(zip(names, values(rows, "Ready"), strict=True))
    assert ready == {entry.name: "yes" if entry.usable else "no" for entry in release()}
    assert values(costs, "Cost") == [COST]
    assert values(missing, "Reason") == ["mosquitto is missing: apt-get install mosquitto"]
    (short, *_) = (table for section in listing(release()).sections for table in section.tables)
    assert (
        values(short, "Version")[0] == "3.2" and values(short, "Transports")[0] == "udp seqpacket"
    )


def test_a_list_of_none_says_how_to_build_some() -> None:
    assert "make build" in drawn(listing([]), 80)


def test_one_in_full_has_every_fact_property_and_option() -> None:
    text = " ".join(drawn(in_full(adapter("udp", cost=COST)), 160).split())
    for part in (
        "udp: Paper", "Paper 3.2", "apt-get install paper", COST, "lifespan old samples",
        "/nowhere/libbusmark_udp.so", "pages 7 How many pages [1] there are.", "udp default",
        "adapters/udp/NOTES.md", "never run over this library",
    ):  # fmt: skip
        assert part in text, part
    missing = drawn(in_full(adapter("rti", reason="it is missing")), 80)
    assert "Not usable here: it is missing" in missing and "Paper 3.2" in missing


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_fits_and_has_every_adapter_once(width: int) -> None:
    table, _ = supports(compliance({name: declared() for name in known()}))
    text = drawn(Document("", [], [Section("", [table])]), width)
    assert max(map(len, text.splitlines())) <= width
    heads = [line.split()[1:] for line in text.splitlines() if line.startswith("Property")]
    assert [name for head in heads for name in head] == list(known())


def test_the_table_says_what_was_checked_and_explains_its_words_and_no_others() -> None:
    kept = kept_form(
        report(
            c08_keep_all_keeps_all_samples=("failed", "99 of 100"),
            c08_lifespan_lets_old_samples_expire=("passed", "expired"),
        )
    )
    table, words = supports(compliance({"udp": declared(conformance=kept), "tcp": declared()}))
    rows = [
        (row.group, key) for row, key in zip(table.rows, values(table, "Property"), strict=True)
    ]
    pairs = zip(values(table, "udp"), values(table, "tcp"), strict=True)
    found = dict(zip(rows, pairs, strict=True))
    assert found["QoS at creation", "keep_all"] == ("FAILED", "yes")
    assert found["QoS at creation", "lifespan"] == ("proved", "yes")
    assert found["QoS in use (set_qos)", "lifespan"] == ("declared", "yes")
    assert found["Features", "loans"] == ("declared", "yes")
    assert "udp" in str(table.notes[0])
    assert set(values(words, "Word")) == {word for pair in found.values() for word in pair}
