"""What a replay gives: orders of a session, some or all, with other numbers, at other times."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.errors import UserError
from busmark.plugins.bus.recording.reader import Order, Session, Test
from busmark.plugins.bus.words import ACTIVE, Message

QUESTIONS = frozenset({"list"})
"""Orders that change nothing."""
DURATION_S = 60.0
"""Length of a test that names none."""
SHORTEST_S = 0.001

BEFORE = (0, 0)
"""Caller and number for an order that is not in the recording."""

FILTERS = ("app", "group", "test", "kind", "cmd")


@dataclass(frozen=True)
class Options:
    """How a session is done again."""

    speed: float = 1.0
    apps: dict[int, int] = field(default_factory=dict)
    """Numbers of applications in the recording, and those that take their place."""
    groups: dict[int, int] = field(default_factory=dict)
    only: tuple[tuple[str, str], ...] = ()
    """Conditions on orders, as key and value; of several values for one key, one must fit."""

    def app(self, number: int) -> int:
        """Return the application that takes the place of this one."""
        return self.apps.get(number, number)


@dataclass(frozen=True)
class Step:
    """An order that a replay gives."""

    planned_s: float
    """Seconds since the first order."""
    to: Any
    task: Message
    line: int | None
    """Line of the recording; None: the test ran when the recording began."""
    answers: dict[int, Message]
    """Recorded answers, by the application that is to answer now."""
    after: frozenset[tuple[int, int]] = frozenset()
    """Answers that were heard before the order: the place of their order, and application."""
    after_ended: int = 0
    """Number of tests that had ended before the order."""


@dataclass(frozen=True)
class Score:
    """The orders that a replay gives, and what it leaves out."""

    steps: list[Step]
    needed: dict[int, int | None]
    """Applications that must be there, and the group that an order expects each to be in."""
    ends_s: float
    """End of the recording, since the first order."""
    ended: list[tuple[int, Test, str]]
    """Tests that ended, and why they failed; none where some orders are left out by `only`."""
    left_out: list[str]
    """Messages that are not replayed, and why."""


def score(session: Session, options: Options) -> Score:
    """Return what is to be given.

    Raises:
        UserError: there is nothing, or two applications are to be one.
    """
    _check_maps(session, options)
    left_out: list[str] = []
    given = [
        *_running_before(session, left_out),
        *((o, o.line) for o in session.orders if o.task["cmd"] not in QUESTIONS),
    ]
    chosen = [(order, line) for order, line in given if _fits(order, options.only)]
    if not chosen:
        only = f" that --only lets through, of {len(given)}" if given else ""
        raise UserError(
            f"the recording has no order to be replayed{only}",
            remedy="Record while tests are started, changed or stopped.",
        )
    first_s = min(order.at_s for order, _ in chosen)
    chosen.sort(key=lambda each: each[0].at_s)
    tests = {test for order, _ in chosen if (test := started(order.task))}
    # Without the orders that are left out, tests end at other times, or not at all.
    ended = [each for each in session.ended if each[2] in tests and not options.only]
    steps = [
        Step(
            (order.at_s - first_s) / options.speed,
            _to(order.to, options),
            _task(order.task, options),
            line,
            _answers(session, order, options),
            _after(session, chosen[:place], order, options),
            sum(at_s < order.at_s for at_s, *_ in ended),
        )
        for place, (order, line) in enumerate(chosen)
    ]
    length_s = max(session.length_s - first_s, 0.0) / options.speed
    return Score(
        steps,
        _needed(session, chosen, options),
        length_s,
        [(options.app(app), test, why) for _, app, test, why in ended],
        left_out,
    )


def started(task: Message) -> Test | None:
    """Return the test that an order starts."""
    if task["cmd"] != "start" or not isinstance(definition := task.get("definition"), dict):
        return None
    test = definition.get("test")
    return (test, str(definition.get("kind"))) if isinstance(test, int) else None


def _check_maps(session: Session, options: Options) -> None:
    for words, numbers, known in (
        ("--map", options.apps, set(session.groups) | _named(session, "app")),
        (
            "--map-group",
            options.groups,
            {g for g in session.groups.values() if g is not None} | _named(session, "group"),
        ),
    ):
        for number in numbers:
            if number not in known:
                there = ", ".join(map(str, sorted(known))) or "none"
                raise UserError(
                    f"{number} is not in the recording", where=words, remedy=f"It has {there}."
                )
        now = [numbers.get(number, number) for number in known]
        for number in sorted({n for n in now if now.count(n) > 1}):
            raise UserError(
                f"two of the recording become {number}",
                where=words,
                remedy="Give each a number of its own.",
            )


def _named(session: Session, key: str) -> set[int]:
    """Return applications or groups that orders name."""
    tos = [order.to for order in session.orders if isinstance(order.to, dict)]
    return {to[key] for to in tos if isinstance(to.get(key), int)}


def _running_before(session: Session, left_out: list[str]) -> Iterator[tuple[Order, None]]:
    """Return orders for the tests that ran when the recording began; those that answer come
    first."""
    found = [
        (app, at_s, test)
        for app, (at_s, member) in session.snapshot.items()
        for test in member.get("tests", ())
        if isinstance(test, dict)
    ]
    for app, at_s, test in sorted(found, key=lambda each: each[2].get("kind") in ACTIVE):
        definition = test.get("definition")
        if not isinstance(definition, dict):
            left_out.append(
                f"application {app} had {test.get('kind')} {test.get('test')} before: "
                "its definition is not in the recording"
            )
            continue
        before = [o for o in session.orders if o.at_s < at_s and _means(o.to, app, session)]
        number, kind = definition.get("test"), definition.get("kind")
        to = {"app": app}
        if all(started(order.task) != (number, kind) for order in before):
            task = {"cmd": "start", "definition": _rest(definition, test.get("running_s"))}
            yield Order(0, 0.0, BEFORE, to, task), None
        sets = [o for o in before if o.task["cmd"] == "set" and o.task.get("test") == number]
        if (changed := test.get("changed")) and not sets:
            yield (
                Order(0, 0.0, BEFORE, to, {"cmd": "set", "test": number, "kind": kind, **changed}),
                None,
            )


def _rest(definition: Message, running_s: Any) -> Message:
    """Return a definition of a test for the time that it still had."""
    if definition.get("kind") not in ACTIVE or not isinstance(running_s, int | float):
        return definition
    warmup_s = float(definition.get("warmup_s", 0.0))
    duration_s = float(definition.get("duration_s", DURATION_S))
    left_s = max(warmup_s + duration_s - running_s, SHORTEST_S)
    rest = {"duration_s": min(duration_s, left_s), "warmup_s": max(0.0, warmup_s - running_s)}
    return {**definition, **rest}


def _means(to: Any, app: int, session: Session) -> bool:
    if not isinstance(to, dict):
        return bool(to == "all")
    return bool(to.get("app") == app or ("group" in to and to["group"] == session.groups.get(app)))


def _fits(order: Order, only: Sequence[tuple[str, str]]) -> bool:
    definition = order.task.get("definition")
    facts: Message = {**order.task, **(definition if isinstance(definition, dict) else {})}
    facts.update(order.to if isinstance(order.to, dict) else {})
    return all(
        str(facts.get(key)) in {value for name, value in only if name == key}
        for key in {name for name, _ in only}
    )


def _to(to: Any, options: Options) -> Any:
    if not isinstance(to, dict):
        return to
    maps = {"app": options.apps, "group": options.groups}
    return {key: _mapped(number, maps.get(key, {})) for key, number in to.items()}


def _mapped(number: Any, numbers: dict[int, int]) -> Any:
    return numbers.get(number, number) if isinstance(number, int) else number


def _task(task: Message, options: Options) -> Message:
    task = copy.deepcopy(task)
    definition = task.get("definition")
    if isinstance(definition, dict):
        if isinstance(apps := definition.get("from"), list):
            definition["from"] = [_mapped(app, options.apps) for app in apps]
        if options.speed != 1.0 and definition.get("kind") in ACTIVE:
            # Else a test would still run when the next order for it comes.
            for key, default in (("duration_s", DURATION_S), ("warmup_s", 0.0)):
                definition[key] = float(definition.get(key, default)) / options.speed
    return task


def _answers(session: Session, order: Order, options: Options) -> dict[int, Message]:
    if order.key == BEFORE:
        # The test ran, so it was started, and changed, with success.
        return {options.app(order.to["app"]): {"ok": True, "result": None}}
    answers = session.answers.get(order.key, {})
    return {options.app(app): answer for app, answer in answers.items()}


def _after(
    session: Session, before: Sequence[tuple[Order, int | None]], order: Order, options: Options
) -> frozenset[tuple[int, int]]:
    """Return what somebody who gave the order could know."""
    return frozenset(
        (place, options.app(app))
        for place, (earlier, _) in enumerate(before)
        for app, at_s in (
            [(earlier.to["app"], 0.0)]
            if earlier.key == BEFORE
            else session.answered_s.get(earlier.key, {}).items()
        )
        if earlier.key == BEFORE or at_s < order.at_s
    )


def _needed(
    session: Session, chosen: Iterable[tuple[Order, int | None]], options: Options
) -> dict[int, int | None]:
    needed: dict[int, int | None] = {}
    for order, _ in chosen:
        definition = order.task.get("definition") or {}
        sources = definition.get("from") if isinstance(definition, dict) else None
        to = order.to if isinstance(order.to, dict) else {}
        named = [to.get("app"), *(sources if isinstance(sources, list) else ())]
        # Whoever did not answer then need not be there now.
        apps = {app for app in named if isinstance(app, int)} & set(session.groups)
        for app in apps | set(session.answers.get(order.key, {})):
            needed.setdefault(options.app(app), None)
        if isinstance(group := to.get("group"), int):
            for app in session.answers.get(order.key, {}):
                needed[options.app(app)] = options.groups.get(group, group)
    return needed
