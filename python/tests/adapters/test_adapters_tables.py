"""`busmark adapters` as documents: complete, true of what is declared, and as reviewed."""

from __future__ import annotations

from declared_adapters import adapter, declared, report

from busmark.adapters import Adapter, compliance, known
from busmark.adapters.conformance import kept_form
from busmark.present.blocks.adapters import in_full, listing, supports
from busmark.present.document import Table

COST = "a sample is copied element by element, both when it is written and when it is taken"


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
    assert "make build" in str(listing([]).sections[0].blocks[0])


def test_one_that_cannot_be_used_says_why_and_what_is_known_of_it() -> None:
    made = in_full(adapter("rti", reason="it is missing"))
    assert "it is missing" in str(made.sections[0].blocks[0])
    assert "Paper 3.2" in values(next(made.sections[1].tables), "Value")


def test_the_table_has_every_adapter_once() -> None:
    table, _ = supports(compliance({name: declared() for name in known()}))
    assert [column.title for column in table.columns[1:]] == list(known())


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
