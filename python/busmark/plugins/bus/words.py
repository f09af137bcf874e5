"""Messages of a bus as lines and rows for people."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any

Message = dict[str, Any]

SEGMENTS = {
    "send_source": "send source",
    "send_arrival": "send arrival",
    "turn_round": "turn-round",
    "echo_arrival": "echo arrival",
    "trip": "trip",
    "inter_arrival": "inter-arrival",
}
"""Segments of a round trip whose two ends are stamped by one clock."""

KINDS = ("transceiver", "transponder", "transmitter", "receiver")
"""Kinds of tests."""

ACTIVE = ("transceiver", "transmitter")
"""Kinds of tests that send by themselves, to an end of their own."""

OTHER_END = {
    "transceiver": "transponder",
    "transponder": "transceiver",
    "transmitter": "receiver",
    "receiver": "transmitter",
}
"""Kind of the other end of a test, by its own kind."""

WRITERS_OF_APP = 64
"""Numbers of writers that an application has."""

KEPT = 0.99
"""Share of the ordered rate from which on it was kept."""

Row = tuple[str, ...]
ABSENT = "—"


def who(message: Message) -> str:
    """Return who sent a message, such as `app 3 (group 1)`."""
    if message.get("whose") == "foreign":
        return "foreign"
    group = message.get("group")
    return f"app {message.get('app')}" + (f" (group {group})" if group is not None else "")


STRANGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, OSError)
"""Exceptions while a message is read that no participant of this release has written."""


def line(message: Message) -> str | None:
    """Return a line for a message; None if it says nothing to a reader, or cannot be read."""
    with suppress(*STRANGE):
        sentence = _SENTENCES.get(
            message.get("news") or ("trouble" if "trouble" in message else "")
        )
        if sentence and (text := sentence(message)) is not None:
            moment = time.localtime(message["at_realtime_ns"] / 1e9)
            return f"{time.strftime('%H:%M:%S', moment)}  {who(message)}: {text}"
    return None


def is_trouble(message: Message) -> bool:
    """Return whether it reports something that went wrong."""
    with suppress(*STRANGE):
        return bool(_text(message)[0])
    return False


def is_discovery(message: Message) -> bool:
    """Return whether it says who or what is on the bus."""
    with suppress(*STRANGE):
        news = message.get("news")
        if news == "answer":
            result = message.get("result") or {}
            return "writers" in result or "tests" in result
        if news == "event":
            return bool(message["event"]["event"] == "discovery")
        return news in ("joined", "left", "gone", "ended", "came", "went")
    return False


def _joined(message: Message) -> str:
    member = message["member"]
    fifo = member.get("fifo")
    return (
        f"joined, process {member['pid']} on {member['host']}, {member['middleware']}, "
        f"transport {member['transport']}, domain {member['domain']}"
        + (f", SCHED_FIFO {fifo}" if fifo else "")
    )


def _answer(message: Message) -> str | None:
    if not message["ok"]:
        return f"refused: {message['error']['message']}"
    result = message.get("result") or {}
    if "writers" in result:
        return f"{result['kind']} {result['test']} runs"
    if "none" in result:
        return str(result["none"])
    if "changed" in result:
        number = result["changed"]
        qos = f", QoS of {number} endpoint{'s' * (number != 1)}" if number else ""
        return f"{result['kind']} {result['test']} changed{qos}"
    return None


def _event(message: Message) -> str | None:
    event, test = message["event"], f"{message['kind']} {message['test']}"
    if event["event"] == "error":
        return f"{test}: {event['error']['message']}"
    if event["event"] == "discovery":
        return f"{test}: {', '.join(_discovery_words(event)) or 'its ends are being made'}"
    if event["event"] != "interval":
        return None
    seconds = (event["end_ns"] - event["begin_ns"]) / 1e9
    whose = "from app {}" if message["kind"] == "receiver" else "answered"
    parts = [
        f"{whose.format(count['writer'] // WRITERS_OF_APP)} {_rates(count, seconds)}"
        for count in event["counts"]
    ]
    for seen in event.get("seen", ()):
        parts += _seen(seen)
    return f"{test}: {', '.join(parts)}" if parts else None


def _discovery_words(discovery: Message) -> Iterator[str]:
    """Yield how far the ends of a test have come in finding the others."""
    if discovery["created_ns"] is not None:
        yield f"made in {_ms(discovery['created_ns'])} ms"
    if discovery["matched"]:
        number = discovery["matched"]["counterparts"]
        yield f"matched {number} {_matched(discovery['matched'])}"
    for first in discovery["first"]:
        source = "" if first["app"] is None else f" from app {first['app']}"
        yield f"first sample{source} after {_ms(first['ns'])} ms, {_lost(first)}"


def _ms(ns: float) -> str:
    return f"{ns / 1e6:,.3f}" if ns < 10e6 else f"{ns / 1e6:,.1f}"


def _matched(matched: Message) -> str:
    """Say when the ends matched; where no moment is known, between which two."""
    after_ns, ns = matched["after_ns"], matched["ns"]
    if ns is None:
        return "at a time that the adapter does not know"
    if ns == 0:
        return "at once"
    if after_ns == ns:
        return f"after {_ms(ns)} ms"
    early = "" if after_ns is None else f"{_ms(after_ns)} to "
    return f"after {early}{_ms(ns)} ms" if early else f"within {_ms(ns)} ms"


def _lost(first: Message) -> str:
    if first["lost"] is None:
        return f"{first['before']:,} before it"
    earlier = first["before"] - first["lost"]
    return f"{first['lost']:,} lost before it" + (f", {earlier:,} sent earlier" if earlier else "")


def _by_application(
    rows_of: Callable[[Message], list[Row]],
) -> Callable[[Iterable[Message]], list[Row]]:
    """Make a function of one answer one of all answers; one that cannot be read has no rows."""

    @wraps(rows_of)
    def rows(answers: Iterable[Message]) -> list[Row]:
        found: list[Row] = []
        for text in sorted(answers, key=lambda text: (text["app"], text["instance"])):
            with suppress(*STRANGE):
                found += rows_of(text)
        return found

    return rows


@_by_application
def discoveries(text: Message) -> list[Row]:
    """Return rows of the table of discovery, a row for each writer that was heard: app, test, kind,
    made (ms), counterparts, matched (ms), first sample from app, after (ms), lost before it, sent
    before the ends were made."""
    rows: list[Row] = []
    for test in sorted(text["result"]["tests"], key=lambda test: (test["test"], test["kind"])):
        found = test["discovery"]
        matched = found["matched"]
        at = _matched(matched).removeprefix("after ").removesuffix(" ms") if matched else ABSENT
        if matched and matched["ns"] is None:
            at = "not known"
        head = (
            str(text["app"]),
            str(test["test"]),
            test["kind"],
            ABSENT if found["created_ns"] is None else _ms(found["created_ns"]),
            str(matched["counterparts"]) if matched else ABSENT,
            at,
        )
        firsts = [
            (
                "any" if first["app"] is None else str(first["app"]),
                _ms(first["ns"]),
                ABSENT if first["lost"] is None else f"{first['lost']:,}",
                ABSENT if first["lost"] is None else f"{first['before'] - first['lost']:,}",
            )
            for first in found["first"]
        ]
        rows += [(*head, *first) for first in firsts or [(ABSENT,) * 4]]
    return rows


def _rates(count: Message, seconds: float) -> str:
    """Describe a stream: theoretical rate by sequence numbers, rate read, and lost so far."""
    read = f"{count['samples'] / seconds:,.0f}/s"
    if count.get("theoretical") is None:
        return read
    mbit = count["bytes"] * 8e-6 / seconds
    return (
        f"theoretical {count['theoretical'] / seconds:,.0f}/s, read {read}, {mbit:,.3g} Mbit/s, "
        f"{count['missing']:,} lost so far"
    )


def _seen(seen: Message) -> Iterator[str]:
    trips = sorted(seen["round_trips_ns"])
    if trips:
        yield (
            f"round trip from intended time median {statistics.median(trips) / 1e3:,.1f} µs, "
            f"max {trips[-1] / 1e3:,.1f} µs (of {len(trips)} looked at)"
        )
    segments = seen.get("segments", {})
    averages = [
        f"{title} {segments[name][0]['mean_ns'] / 1e3:,.1f}"
        for name, title in SEGMENTS.items()
        if name in segments
    ]
    if averages:
        yield f"segments on average (µs): {', '.join(averages)}"
    if seen["unanswered"]:
        yield f"{seen['unanswered']} of {seen['asked']} looked at unanswered"


def _ended(message: Message) -> str:
    test = f"{message['kind']} {message['test']}"
    if message.get("error"):
        return f"{test} failed: {message['error']['message']}"
    result = message.get("result") or {}
    parts = [_sent(report, result.get("rate_hz")) for report in result.get("run") or ()]
    for role in result.get("roles", ()):
        parts += _accounted(message["kind"], role)
    return ", ".join([f"{test} ended", *parts])


def _sent(report: Message, ordered_hz: float | None) -> str:
    """Return how many, and at which rate where the ordered one was not kept."""
    sent, span_ns = report["sent"], report["last_ns"] - report["begin_ns"]
    if ordered_hz and sent > 1 and span_ns > 0:
        # From the first to the last of them.
        rate = (sent - 1) / (span_ns / 1e9)
        if rate < KEPT * ordered_hz:
            return f"{sent:,} sent at {rate:,.0f}/s of {ordered_hz:,.0f}/s that were ordered"
    return f"{sent:,} sent" + (" until stopped" if report["ended"] == "stopped" else "")


def _accounted(kind: str, role: Message) -> Iterator[str]:
    if len(role["accounts"]) != 1 and kind == "receiver":
        # One line for a reader of many writers; `--json` has each of them, as far as they fit.
        received, missing = role["received"], role["missing"]
        read = f"{received:,} read of {received + missing:,}"
        yield f"reader {role['writer']}: {read}, {missing:,} lost"
        return
    spans = {stream["writer"]: stream for stream in role["streams"]}
    for account in role["accounts"]:
        received, missing = account["received"], account["missing"]
        stream = spans.get(account["writer"], {})
        if kind == "receiver":
            source = f"from app {account['writer'] // WRITERS_OF_APP} "
            rate = ""
            if (stream.get("span_ns") or 0) > 0 and stream["samples"] > 1:
                per_s = (stream["samples"] - 1) / (stream["span_ns"] / 1e9)
                rate = f" ({per_s:,.0f}/s)"
            yield f"{source}{received:,} read of {received + missing:,}{rate}, {missing:,} lost"
        else:
            yield f"{received:,} answered, {missing:,} not"
    if (corrupted := role["corrupted"]) is not None and corrupted:
        yield f"{corrupted:,} bodies corrupted"
    if other := role.get("other_size"):
        yield (
            f"{other['samples']:,} of the bodies looked at have {other['bytes']:,} B, not the "
            f"{other['expected']:,} B of this end's definition"
        )


def _entity(message: Message) -> str:
    keys = ("topic", "type_name", "name", "vendor", "host", "process")
    words = [str(message[key]) for key in keys if message.get(key)]
    return f"{message['kind']} {message['news']}: {', '.join(words) or message['key']}"


def _trouble(message: Message) -> str:
    omitted = message.get("omitted")
    more = f" ({omitted:,} more were not listed)" if omitted else ""
    return f"{message['trouble']}: {message['message']}{more}"


_SENTENCES: dict[str, Callable[[Message], str | None]] = {
    "joined": _joined,
    "left": lambda _: "left",
    "gone": lambda message: f"gone: nothing was heard of it for {message['silent_s']:.0f} s",
    "came": _entity,
    "went": _entity,
    "answer": _answer,
    "event": _event,
    "ended": _ended,
    "trouble": _trouble,
}


def segments(message: Message) -> list[Row]:
    """Return rows of the table of a transceiver's segments, µs: segment, best share, count, min,
    mean, max, standard deviation."""
    with suppress(*STRANGE):
        return [
            _segment(title, best)
            for role in message["result"]["roles"]
            for name, title in SEGMENTS.items()
            for best in role["segments"].get(name, ())
        ]
    return []


def _segment(title: str, best: Message) -> Row:
    deviation = best["deviation_ns"]
    return (
        title,
        f"{best['percent']:g} %",
        f"{best['count']:,}",
        *(f"{best[key] / 1e3:,.1f}" for key in ("min_ns", "mean_ns", "max_ns")),
        "—" if deviation is None else f"{deviation / 1e3:,.2f}",
    )


@_by_application
def members(text: Message) -> list[Row]:
    """Return rows of the table of members: app, group, adapter, transport, host, process, tests."""
    found, group = text["result"], text["group"]
    return [
        (
            str(text["app"]),
            "—" if group is None else str(group),
            f"{found['adapter']} ({found['middleware']})",
            str(found["transport"]),
            str(found["host"]),
            str(found["pid"]),
            str(len(found["tests"])),
        )
    ]


@_by_application
def tests(text: Message) -> list[Row]:
    """Return rows of the table of tests: app, test, kind, state, bytes, rate, ends, from."""
    return [
        (
            str(text["app"]),
            str(test["test"]),
            test["kind"],
            test["state"],
            f"{test['size']:,}",
            _rate(test),
            str(test["count"]),
            ", ".join(map(str, test["from"])) or "—",
        )
        for test in sorted(text["result"]["tests"], key=lambda test: (test["test"], test["kind"]))
    ]


def _rate(test: Message) -> str:
    if test["kind"] not in ACTIVE:
        return "—"
    return f"{test['rate_hz']:g}" if test["rate_hz"] else "max"


@dataclass(frozen=True)
class Trouble:
    """A trouble on a bus, in words."""

    at_ns: int
    """When it was reported, ns since 1970 by the clock of the participant's host."""
    app: int
    group: int | None
    instance: int
    what: str
    """malformed, foreign, stale, overflow, contradiction; refused; failed; gone."""
    text: str
    unreported: int = 0
    """Others of the same time that were not reported, for there were too many."""


def trouble(message: Message) -> Trouble | None:
    """Return the trouble that a message reports; None: it reports none.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: no participant has written it.
    """
    what, text = _text(message)
    if not what:
        return None
    group = message.get("group")
    return Trouble(
        int(message["at_realtime_ns"]),
        int(message["app"]),
        None if group is None else int(group),
        int(message["instance"]),
        what,
        text,
        int(message.get("omitted") or 0),
    )


def _text(message: Message) -> tuple[str, str]:
    if "trouble" in message:
        return str(message["trouble"]), str(message["message"])
    news = message.get("news")
    if news == "answer" and not message["ok"]:
        return "refused", f"order {message['id']} of caller {message['caller']}: {_why(message)}"
    if news == "ended" and message.get("error"):
        return "failed", f"{message['kind']} {message['test']}: {_why(message)}"
    if news == "event" and message["event"]["event"] == "error":
        return "failed", f"{message['kind']} {message['test']}: {_why(message['event'])}"
    if news == "gone":
        return "gone", f"nothing was heard of it for {message['silent_s']:.0f} s"
    return "", ""


def failed_at(message: Message, test: int, kind: str, since_ns: int) -> bool:
    """Return whether the message says that this test failed at such an end since this moment."""
    with suppress(*STRANGE):
        return (
            message.get("news") == "ended"
            and (message["test"], message["kind"]) == (test, kind)
            and bool(message.get("error"))
            and message["at_realtime_ns"] >= since_ns
        )
    return False


def reason(message: Message) -> str:
    """Return why it failed; empty: it did not."""
    return _why(message) if message.get("error") else ""


def _why(message: Message) -> str:
    return str(message["error"]["message"])
