"""A recording replayed: its orders are sent again, and answers and ends of tests compared."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from busmark.cli.live.values import plural
from busmark.errors import UserError
from busmark.plugins.bus.caller import ANSWER_S, Caller
from busmark.plugins.bus.recording.reader import Test
from busmark.plugins.bus.recording.score import Score, Step, started
from busmark.plugins.bus.words import ACTIVE, STRANGE, Message, reason

UNSET = ("depth", "max_blocking_ns", "order_by_source")
"""Policies that are at their default where they are 0 or false."""
MOST = 60
"""Characters of what an order changes."""


def target_text(to: Any) -> str:
    """Return `app 3`, `group 1` or `all`."""
    if isinstance(to, dict) and len(to) == 1:
        ((key, number),) = to.items()
        return f"{key} {number}"
    return str(to)


def order_text(task: dict[str, Any]) -> str:
    """Return an order as text: `start transceiver 7, from 4, 1,000 Hz`."""
    definition = task.get("definition")
    if task.get("cmd") == "start" and isinstance(definition, dict):
        return ", ".join(_definition(definition))
    named = f"{task['kind']} " if task.get("kind") else "test "
    which = f" {named}{task['test']}" if "test" in task else (f" {named}" if "kind" in task else "")
    rest = {k: v for k, v in task.items() if k not in ("cmd", "test", "kind", "qos")}
    if isinstance(qos := task.get("qos"), dict):
        rest |= {key: value for key, value in qos.items() if value or key not in UNSET}
    rest = {key: value for key, value in rest.items() if value is not None}
    text = json.dumps(rest, ensure_ascii=False)[1:-1].replace('"', "") if rest else ""
    text = text if len(text) <= MOST else text[: MOST - 1] + "…"
    every = " every test" if task.get("cmd") == "stop" and not which else ""
    return f"{task.get('cmd')}{which.rstrip()}{every}{f': {text}' if text else ''}"


def _definition(definition: dict[str, Any]) -> list[str]:
    parts = [f"start {definition.get('kind')} {definition.get('test')}"]
    if sources := definition.get("from"):
        parts.append(f"from {' '.join(map(str, sources))}")
    if rate_hz := definition.get("rate_hz"):
        parts.append(f"{rate_hz:,g} Hz" if isinstance(rate_hz, int | float) else str(rate_hz))
    if definition.get("kind") in ACTIVE and "duration_s" in definition:
        duration_s = definition["duration_s"]
        parts.append(f"{duration_s:g} s" if isinstance(duration_s, int | float) else "")
    return parts


def answers(number: int, step: Step, now: dict[int, Message]) -> Iterator[str]:
    """Yield the differences of the answers to one order."""
    what = f"order {number} ({order_text(step.task)})"
    for app in sorted({*step.answers, *now}):
        if app not in now:
            was = _said(step.answers[app])
            yield f"{what}: app {app} did not answer; in the recording it {was}"
        elif app not in step.answers:
            yield f"{what}: app {app} {_said(now[app])}; in the recording it did not answer"
        elif _essence(step.answers[app]) != _essence(now[app]) and not _agrees(
            step.answers[app], now[app]
        ):
            yield (
                f"{what}: app {app} {_said(now[app])}; in the recording it "
                f"{_said(step.answers[app])}"
            )


def ends(
    recorded: Sequence[tuple[int, Test, str]], now: Sequence[tuple[int, Test, str]]
) -> Iterator[str]:
    """Yield the differences in how tests ended."""
    before = Counter((app, test, bool(why)) for app, test, why in recorded)
    after = Counter((app, test, bool(why)) for app, test, why in now)
    why_of = {(app, test): why for app, test, why in (*recorded, *now) if why}
    for app, test, failed in sorted((before - after).keys() | (after - before).keys()):
        was, then = before[app, test, failed], after[app, test, failed]
        how = f"failed ({why_of[app, test]})" if failed else "ended as it should"
        what = f"{test[1]} {test[0]} of app {app} {how}"
        yield f"{what}: {_times(then)}; in the recording {_times(was)}"


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def _agrees(recorded: Message, now: Message) -> bool:
    """Return what was started before the recording had an answer that is not in it."""
    return recorded.get("result", "") is None and bool(recorded["ok"] and now["ok"])


def _essence(answer: Message) -> Any:
    """Return what of an answer does not depend on time and on the application's number."""
    try:
        if not answer["ok"]:
            return "refused", answer["error"]["kind"]
        result = answer["result"]
        if "writers" in result:
            return "started", result["kind"], result["test"], len(result["writers"])
        if "ended" in result:
            return "stopped", sorted((one["test"], one["kind"]) for one in result["ended"])
        return "done", result.get("changed")
    except STRANGE:
        return "other"


def _said(answer: Message) -> str:
    try:
        if not answer["ok"]:
            return f"refused ({answer['error']['message']})"
        result = answer["result"] or {}
        if "ended" in result:
            ended = ", ".join(f"{one['kind']} {one['test']}" for one in result["ended"])
            return f"ended {ended or 'nothing'}"
        if "none" in result:
            return "had no such test"
        if "changed" in result:
            return f"changed {plural(result['changed'], 'endpoint')}"
    except STRANGE:
        return "answered in a way that cannot be read"
    return "did so"


ASKS_S = 3.0
"""Time after which participants that have not answered are called again."""
TOGETHER_S = 1.0
"""Grace period for other participants once all that are needed have answered."""
LEAD_NS = 50_000_000
"""Time between the decision to begin and the first order."""
SECOND_NS = 10**9
LOOK_NS = 10_000_000
"""Pause between two looks at what is waited for."""


@dataclass
class GivenOrder:
    """An order that was given."""

    step: Step
    sent_s: float | None = None
    """Seconds since the planned time of the first order; None: it was not given."""
    refused: str = ""
    """Why it could not be given."""
    answers: dict[int, Message] = field(default_factory=dict)

    @property
    def off_s(self) -> float | None:
        """Return how much later than planned the order was given, s; negative: earlier."""
        return None if self.sent_s is None else self.sent_s - self.step.planned_s


@dataclass(frozen=True)
class Off:
    """How far the times were off, seconds, by their absolute values."""

    median_s: float
    max_s: float
    n: int


@dataclass
class Replay:
    """A replay, so far."""

    score: Score
    given: list[GivenOrder] = field(default_factory=list)
    ended: list[tuple[int, Test, str]] = field(default_factory=list)
    adapters: dict[int, str] = field(default_factory=dict)
    """Adapters of the tests of each application, by its own account."""
    stopped: list[tuple[int, Test]] = field(default_factory=list)
    """Tests that still ran at the end, and were stopped."""

    @property
    def off(self) -> Off | None:
        """Deviations from the planned times, over all orders that were given."""
        offs = [abs(each.off_s) for each in self.given if each.off_s is not None]
        return Off(statistics.median(offs), max(offs), len(offs)) if offs else None

    @property
    def differences(self) -> list[str]:
        """Sentences; none: answers and ends agree with the recording."""
        found = []
        for number, each in enumerate(self.given, 1):
            if each.refused:
                found.append(f"order {number} could not be given: {each.refused}")
            found += answers(number, each.step, each.answers)
        return [*found, *ends(self.score.ended, self.ended)]


class Player:
    """Replays on a bus."""

    def __init__(self, caller: Caller, score: Score) -> None:
        self.replay = Replay(score)
        self.notes: list[str] = []
        """Differences of the bus from the recording, before anything is ordered."""
        self._caller = caller
        self._orders: dict[int, GivenOrder] = {}
        self._running: dict[tuple[int, Test], int] = {}
        """Tests that the replay has begun and that have not ended, with their participants."""
        self._base_ns = 0
        self._missed: set[tuple[int, int]] = set()
        self._ends_missed = 0

    # --- before ---

    def gather(self, within_s: float, missing: Callable[[str], None]) -> None:
        """Wait for the participants that are needed; what is `missing` is said once.

        Raises:
            UserError: somebody is not there, is there twice, or has a test that is to be started.
        """
        end, found, said = time.monotonic() + within_s, dict[int, Message](), False
        while True:
            found |= self._asked(min(ASKS_S, max(0.1, end - time.monotonic())))
            lacking = self._lacking(found)
            if not lacking:
                break
            if time.monotonic() >= end:
                raise UserError(
                    f"the recording needs participants that are not there after {within_s:g} s: "
                    f"{', '.join(lacking)}",
                    remedy="Start them with `busmark bus participant`, or let others take their "
                    "place with --map THEN=NOW and --map-group THEN=NOW.",
                )
            if not said:
                missing(", ".join(lacking))
                said = True
        self._check(list(found.values()))

    def _asked(self, within_s: float) -> dict[int, Message]:
        """Return who answers, by the number of the process."""
        number = self._caller.order("all", {"cmd": "list"})
        end, found = time.monotonic() + within_s, dict[int, Message]()
        while (left := end - time.monotonic()) > 0:
            for answer in self._caller.answers(number, left, TOGETHER_S):
                if answer["ok"]:
                    found[answer["instance"]] = answer
            if not self._lacking(found):
                break
        return found

    def _lacking(self, found: dict[int, Message]) -> list[str]:
        there = {answer["app"]: answer["group"] for answer in found.values()}
        return [
            f"application {app}" + (f" (group {group})" if group is not None else "")
            for app, group in sorted(self.replay.score.needed.items())
            if app not in there or (group is not None and there[app] != group)
        ]

    def _check(self, found: list[Message]) -> None:
        needed, apps = self.replay.score.needed, [answer["app"] for answer in found]
        for app in sorted({app for app in apps if apps.count(app) > 1}):
            raise UserError(
                f"application {app} is on the bus {apps.count(app)} times",
                remedy="End all but one.",
            )
        starts = {test for step in self.replay.score.steps if (test := started(step.task))}
        for answer in found:
            app = answer["app"]
            with suppress(*STRANGE):
                self.replay.adapters[app] = str(answer["result"]["adapter"])
                for one in answer["result"]["tests"]:
                    if app in needed and (one["test"], one["kind"]) in starts:
                        raise UserError(
                            f"application {app} has {one['kind']} {one['test']} already, which the "
                            "recording starts",
                            remedy=f"`busmark bus stop --app {app} --test {one['test']}` ends it.",
                        )
            tos = [step.to for step in self.replay.score.steps]
            if app not in needed and ("all" in tos or {"group": answer["group"]} in tos):
                self.notes.append(
                    f"application {app} is not in the recording, and orders to all "
                    "or to its group reach it"
                )

    # --- the replay ---

    def play(self, say: Callable[[GivenOrder], None]) -> None:
        """Give all orders at their times, and wait for the end of the recording."""
        self._base_ns = time.monotonic_ns() + LEAD_NS
        for step in self.replay.score.steps:
            given = GivenOrder(step)
            self._hear_until(self._base_ns + round(step.planned_s * SECOND_NS))
            self._hear_before(step)
            self.replay.given.append(given)
            try:
                number = self._caller.order(step.to, step.task)
            except UserError as error:
                given.refused = error.message
            else:
                self._orders[number] = given
                given.sent_s = (self._caller.ordered_ns - self._base_ns) / SECOND_NS
            say(given)
        self._finish()

    def _hear_before(self, step: Step) -> None:
        """Wait for answers and ends that were there before the order; it is late rather than
        refused because what it builds on takes longer here."""
        last_ns = time.monotonic_ns() + round(ANSWER_S * SECOND_NS)
        while (now := time.monotonic_ns()) < last_ns and self._lacks(step):
            self._hear_until(min(now + LOOK_NS, last_ns))
        # What did not come in this time is not waited for again.
        self._missed |= self._unanswered(step)
        self._ends_missed = max(self._ends_missed, step.after_ended - len(self.replay.ended))

    def _lacks(self, step: Step) -> bool:
        ended = len(self.replay.ended) + self._ends_missed
        return ended < step.after_ended or bool(self._unanswered(step))

    def _unanswered(self, step: Step) -> set[tuple[int, int]]:
        given = self.replay.given
        return {
            (place, app)
            for place, app in step.after - self._missed
            if app not in given[place].answers and not given[place].refused
        }

    def _finish(self) -> None:
        ends_ns = self._base_ns + round(self.replay.score.ends_s * SECOND_NS)
        last_ns = max(ends_ns, time.monotonic_ns()) + round(ANSWER_S * SECOND_NS)
        while (now := time.monotonic_ns()) < last_ns:
            # What runs at the end of the recording runs until then here, too.
            if not self._awaited() and (now >= ends_ns or not self._running):
                return
            self._hear_until(min(now + LOOK_NS, last_ns))

    def _awaited(self) -> bool:
        answers = any(
            not each.refused and each.step.answers.keys() - each.answers.keys()
            for each in self.replay.given
        )
        return answers or len(self.replay.ended) < len(self.replay.score.ended)

    def stop(self) -> None:
        """End the tests that the replay has begun and that still run."""
        for (app, (test, kind)), _ in sorted(self._running.items()):
            with suppress(UserError):
                number = self._caller.order(
                    {"app": app}, {"cmd": "stop", "test": test, "kind": kind}
                )
                if any(answer["ok"] for answer in self._caller.answers(number, ANSWER_S, 0.0)):
                    self.replay.stopped.append((app, (test, kind)))

    # --- what is heard ---

    def _hear_until(self, moment_ns: int) -> None:
        """Hear until that moment of the monotonic clock, and not longer."""
        while True:
            for message in self._caller.take_heard():
                self._take(message)
            if (left := moment_ns - time.monotonic_ns()) <= 0:
                return
            if (newest := self._caller.next(left / SECOND_NS)) is not None:
                self._take(newest)

    def _take(self, message: Message) -> None:
        with suppress(*STRANGE):
            app, instance = int(message["app"]), int(message["instance"])
            if message["news"] == "answer" and message["caller"] == self._caller.number:
                self._answered(app, instance, message)
            elif message["news"] == "ended":
                test: Test = (int(message["test"]), str(message["kind"]))
                if self._running.pop((app, test), None) is not None:
                    self.replay.ended.append((app, test, reason(message)))
            elif message["news"] == "left":
                for key in [k for k, there in self._running.items() if there == instance]:
                    del self._running[key]

    def _answered(self, app: int, instance: int, message: Message) -> None:
        given = self._orders.get(int(message["id"]))
        if given is None or app in given.answers:
            return
        given.answers[app] = message
        test = started(given.step.task)
        if test and message["ok"]:
            self._running[app, test] = instance
