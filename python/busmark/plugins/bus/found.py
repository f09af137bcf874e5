"""What the middleware has discovered on a bus, as one of its participants sees it: ours with their
applications and tests, and everybody else's. What others have made is listed, never changed."""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from busmark.model.parameters import POLICIES

if TYPE_CHECKING:
    from busmark.plugins.bus.caller import Caller, Message

CONTROL = frozenset(f"busmark_bus_{name}" for name in ("orders", "news", "live", "troubles"))
"""Topics by which participants are driven."""
TEST_TOPIC = re.compile(r"busmark_bus_(\d+)_(?:ping|pong|data|echo)")

VENDORS = {
    0x0101: "RTI Connext DDS",
    0x0102: "OpenSplice",
    0x0103: "OpenDDS",
    0x0105: "InterCOM DDS",
    0x0106: "CoreDX DDS",
    0x010A: "RTI Connext Micro",
    0x010B: "Vortex Cafe",
    0x010F: "Fast DDS",
    0x0110: "Cyclone DDS",
    0x0111: "GurumDDS",
    0x0112: "RustDDS",
    0x0113: "ZRDDS",
    0x0114: "Dust DDS",
    0x01F0: "ZeroDDS",
}
"""Vendors by RTPS vendor id, as the DDS Foundation lists them; ZeroDDS is not in its list."""

QUIET_S = 2.0
"""Discovery is over when nothing has come or gone for this time."""
LOOK_S = 0.2
"""Time between two queries until discovery is over."""
FOLLOW_S = 0.5
"""Time between two queries while changes are followed."""
ANSWER_S = 5.0
"""Time that our participants get to say who they are."""

PAYLOADS = {
    f"busmark::{kind.capitalize()}Sample": kind
    for kind in ("empty", "octet", "char", "short", "float", "long", "struct", "any")
}
"""Payload kinds by the name of their type. No other type is read or written."""
KEYED = "busmark::KeyedSample"


@dataclass(frozen=True)
class Owner:
    """The owner of a participant."""

    key: str
    what: str
    """application, command (such as `busmark bus`), this command, or foreign."""
    app: int | None = None
    group: int | None = None
    tests: tuple[Message, ...] = ()
    """Tests, as the answers to `list` have them."""

    def words(self) -> str:
        """Return the owner in words, such as `app 3 (group 1)`."""
        if self.app is None:
            return self.what
        return f"app {self.app}" + (f" (group {self.group})" if self.group is not None else "")


@dataclass(frozen=True)
class BusContents:
    """Contents of a bus at one moment."""

    entities: Sequence[Message]
    answers: Sequence[Message]
    """Answers of our participants to the order `list`."""
    at_realtime_ns: int
    settled: bool
    """Whether nothing had come or gone for `QUIET_S`."""

    @property
    def participants(self) -> list[Message]:
        """Participants that were discovered on the bus."""
        return [one for one in self.entities if one["kind"] == "participant"]

    @property
    def endpoints(self) -> list[Message]:
        """Writers and readers, by topic."""
        found = [one for one in self.entities if one["kind"] != "participant"]
        return sorted(found, key=lambda one: (one["topic"], one["kind"] == "reader", one["key"]))

    def owners(self) -> dict[str, Owner]:
        """Return the owner of each participant, by its key, even where only endpoints name it."""
        known = {one["key"]: one for one in self.participants}
        keys = [*known, *(one["participant"] for one in self.endpoints)]
        return {key: self._owner(key, known.get(key)) for key in keys}

    def _owner(self, key: str, participant: Message | None) -> Owner:
        if participant is not None and participant["own"]:
            return Owner(key, "this command")
        for answer in self.answers:
            result = answer["result"]
            if _is(result, key, participant):
                tests = tuple(
                    test
                    for test in result.get("tests") or ()
                    if isinstance(test, dict) and {"kind", "test"} <= test.keys()
                )
                return Owner(key, "application", answer["app"], answer.get("group"), tests)
        topics = {
            (one["topic"], one["kind"]) for one in self.endpoints if one["participant"] == key
        }
        # The topic of orders has a writer as long as an order may be answered.
        listens = {("busmark_bus_news", "reader"), ("busmark_bus_troubles", "reader")} <= topics
        if ("busmark_bus_orders", "writer") in topics or listens:
            return Owner(key, "busmark command")
        if ("busmark_bus_news", "writer") in topics:
            return Owner(key, "busmark bus participant that does not answer")
        return Owner(key, "foreign")


def _is(result: Message, key: str, participant: Message | None) -> bool:
    """Return whether this answer comes from that participant: by its key; where its adapter does
    not list its own, by host and process."""
    if result.get("participant"):
        return bool(result["participant"] == key)
    if participant is None or not participant["host"]:
        return False
    process = participant["process"].split(" ", 1)[0]
    return (participant["host"], process) == (result.get("host"), str(result.get("pid")))


def look(caller: Caller, within_s: float) -> BusContents:
    """Return what is on the bus when discovery has settled, or after this time; ask our
    participants who they are.

    Raises:
        UserError: the adapter does not list what is on the bus.
    """
    number = caller.order("all", {"cmd": "list"})
    begin = time.monotonic()
    keys: set[str] = set()
    since = begin
    while True:
        seen = caller.entities()
        now = time.monotonic()
        if (new := {one["key"] for one in seen["entities"]}) != keys:
            keys, since = new, now
        settled = now - since >= QUIET_S
        if settled or now - begin >= within_s:
            break
        time.sleep(LOOK_S)
    answers = {answer["instance"]: answer for answer in caller.answered(number)}
    expected = {
        one["participant"]
        for one in seen["entities"]
        if one["topic"] == "busmark_bus_orders" and one["kind"] == "reader" and not one["own"]
    }
    end = time.monotonic() + ANSWER_S
    while len(answers) < len(expected) and (left := end - time.monotonic()) > 0:
        for answer in caller.answers(number, left, 0.0):
            answers.setdefault(answer["instance"], answer)
            break
        else:
            break
    lines = [answer for answer in answers.values() if answer["ok"]]
    return BusContents(seen["entities"], lines, seen["at_realtime_ns"], settled)


def following(caller: Caller, found: BusContents) -> Iterator[BusContents]:
    """Yield what is on the bus from then on, look by look.

    Raises:
        UserError: the process on the bus has ended.
    """
    answers = list(found.answers)
    while True:
        time.sleep(FOLLOW_S)
        seen = caller.entities()
        # Who has joined since says so by itself.
        answers += [
            {**one, "result": one["member"]}
            for one in caller.take_heard()
            if one.get("news") == "joined"
            and isinstance(one.get("app"), int)
            and isinstance(one.get("member"), dict)
        ]
        yield BusContents(seen["entities"], answers, seen["at_realtime_ns"], True)


class Foreign:
    """Entities of foreign programs, as they come and go."""

    def __init__(self) -> None:
        self.there: dict[str, Message] = {}
        """Entities by key, as `as_json` describes them; with `since_ns`, when they were discovered
        here."""
        self._since_ns: dict[str, int] = {}

    def look(self, seen: Message, answers: Sequence[Message]) -> Iterator[Message]:
        """Yield what has come and gone, as messages, by what the middleware has discovered now."""
        at = int(seen["at_realtime_ns"])
        text = as_json(BusContents(seen["entities"], answers, at, True))
        described = [{"kind": "participant", **one} for one in text["participants"]]
        foreign = {
            one["key"]: one for one in (*described, *text["endpoints"]) if one["whose"] == "foreign"
        }
        self._since_ns = {key: self._since_ns.get(key, at) for key in foreign}
        for key in [key for key in self.there if key not in foreign]:
            yield {"news": "went", "at_realtime_ns": at, **self.there.pop(key)}
        for key, since_ns in self._since_ns.items():
            # Whose a participant is shows by its endpoints, which are discovered after it.
            if key not in self.there and at - since_ns >= QUIET_S * 1e9:
                self.there[key] = {**foreign[key], "since_ns": since_ns}
                yield {"news": "came", "at_realtime_ns": at, **self.there[key]}


def vendor(number: int) -> str:
    """Return the name of an RTPS vendor id, or the id where it has no name; empty for 0."""
    return VENDORS.get(number, f"vendor 0x{number:04x}") if number else ""


def test_of(endpoint: Message, owner: Owner) -> int | None:
    """Return the number of the test that an endpoint of ours belongs to; None: to none."""
    match = TEST_TOPIC.fullmatch(endpoint["topic"]) if owner.what == "application" else None
    return int(match[1]) if match else None


def on_topic(endpoints: Iterable[Message], pattern: str) -> list[Message]:
    """Return those on topics of this name; `*` and `?` stand for other characters."""
    return [one for one in endpoints if fnmatch.fnmatchcase(one["topic"], pattern)]


def qos_words(qos: Message | None) -> str:
    """Return QoS in a scenario's words, such as `reliable, transient_local, deadline_s:0.1`."""
    if qos is None:
        return ""
    words = [yes if qos[key] else no for key, yes, no in (
        ("reliable", "reliable", "best_effort"), ("transient_local", "transient_local", "volatile"),
        ("keep_all", "keep_all", f"keep_last:{qos['depth']}"),
    ) if qos.get(key) is not None]  # fmt: skip
    for name, policy in POLICIES.items():
        value = qos.get(policy.setting)
        if value is not None and name != "depth" and not policy.switch:
            words.append(f"{name}:{value / 1e9:g}" if name.endswith("_s") else f"{name}:{value}")
    if qos.get("order_by_source"):
        words.append("destination_order:source")
    return ", ".join(words)


def payload_of(type_name: str) -> tuple[str, bool] | None:
    """Return the payload kind of a type of Busmark's, and whether it has a key; None for others."""
    if type_name == KEYED:
        return "octet", True
    kind = PAYLOADS.get(type_name)
    return None if kind is None else (kind, False)


def as_json(found: BusContents) -> dict[str, Any]:
    """Describe a bus for other programs: participants with owners, endpoints with their test."""
    owners = found.owners()
    return {
        "at_realtime_ns": found.at_realtime_ns,
        "settled": found.settled,
        "participants": [
            {
                **_plain(one, ("key", "name", "host", "process")),
                **_vendor(one),
                **_owner(owners[one["key"]]),
            }
            for one in found.participants
        ],
        "endpoints": [
            {
                **_plain(one, ("kind", "key", "participant", "name", "topic", "type_name", "more")),
                **_vendor(one),
                "qos": _announced(one["qos"]),
                **_owner(owners[one["participant"]]),
                "test": test_of(one, owners[one["participant"]]),
            }
            for one in found.endpoints
        ],
    }


def _plain(entity: Message, names: Sequence[str]) -> dict[str, Any]:
    """Return these values; what is not known is null."""
    return {name: entity[name] or None for name in names}


def _announced(qos: Message | None) -> Message | None:
    if qos is None:
        return None
    known = {name: value for name, value in qos.items() if value is not None}
    if not qos["order_by_source"]:
        del known["order_by_source"]
    if qos["keep_all"] is not False:
        del known["depth"]
    if not qos["max_blocking_ns"]:
        del known["max_blocking_ns"]
    return known


def _vendor(entity: Message) -> dict[str, Any]:
    number = entity["vendor"]
    return {"vendor_id": f"{number:04x}" if number else None, "vendor": vendor(number) or None}


def _owner(owner: Owner) -> dict[str, Any]:
    return {"whose": owner.what, "app": owner.app, "group": owner.group}
