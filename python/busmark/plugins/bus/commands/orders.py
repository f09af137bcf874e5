"""Orders to participants, made of what a user says: by the commands of `busmark bus`, and by the
keys of `busmark bus watch`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from busmark.plugins.bus.commands.options import address
from busmark.plugins.bus.words import ACTIVE

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.caller import Caller, Message

STREAM = ("transmitter", "receiver")
"""Kinds of tests whose samples are not answered."""
ENDED_S = 5.0
"""Time that several participants get to end their tests."""
MOST_NAMED = 10
"""Participants that a sentence names."""


@dataclass(frozen=True)
class Order:
    """An order, and the members to which it is given."""

    to: Any
    task: Message
    takes_s: float = 0.0
    """Time that the order itself may take before it is answered."""

    @property
    def is_for_one(self) -> bool:
        """Return whether one application is meant, and no more."""
        return isinstance(self.to, dict) and "app" in self.to

    def means(self, message: Message) -> bool:
        """Return whether the participant that says this is meant."""
        return self.to == "all" or all(message.get(key) == one for key, one in self.to.items())

    def silence(self, caller: Caller) -> str:
        """Return what is said where there is no answer: of whom, and who else is there."""
        who = "nobody answers"
        if self.is_for_one:
            who = f"application {self.to['app']} does not answer"
        elif isinstance(self.to, dict):
            who = f"nobody in group {self.to['group']} answers"
        return f"{who}; {_participants_text(caller)}"

    def answers(self, caller: Caller, first_s: float | None = None) -> Iterator[Message]:
        """Give it; yield the answers as they come: of one application the first, of several until
        no more come. `first_s`: how long the first is awaited."""
        from busmark.plugins.bus.caller import ANSWER_S, SILENCE_S

        number = caller.order(self.to, self.task)
        silent_s = 0.0 if self.is_for_one else SILENCE_S + self.takes_s
        yield from caller.answers(number, first_s or ANSWER_S + self.takes_s, silent_s)


def start_order(
    *,
    kind: str,
    sources: str,
    qos: str,
    app: int | None,
    group: int | None,
    everybody: bool,
    bus: Attachment,
    **definition: Any,
) -> Order:
    """Return an order to start a test. Reliable streams keep all samples, as in a scenario, unless
    another history is named or the adapter cannot keep all.

    Raises:
        click.UsageError: no such order can be given.
    """
    to = address(app, group, everybody)
    definition |= {"kind": kind, "from": _apps(sources), "qos": _qos(qos)}
    settings = definition["qos"]
    history = {"keep_all", "depth"} & settings.keys()
    if kind in STREAM and settings.get("reliable") and not history and "keep_all" in bus.offers():
        settings["keep_all"] = True
    definition = {key: value for key, value in definition.items() if value is not None}
    # What is active waits for the other end first.
    takes_s = definition["timeout_s"] if kind in ACTIVE else 0.0
    return Order(to, {"cmd": "start", "definition": definition}, takes_s)


def set_order(
    *,
    test: int,
    kind: str | None,
    rate_hz: float | None,
    paused: bool | None,
    qos: str,
    app: int | None,
    group: int | None,
    everybody: bool,
) -> Order:
    """Return an order to change a test that runs.

    Raises:
        click.UsageError: no such order can be given.
    """
    to = address(app, group, everybody)
    change = {
        "test": test,
        "kind": kind,
        "rate_hz": rate_hz,
        "paused": paused,
        "qos": _qos(qos) or None,
    }
    task = {"cmd": "set", **{key: value for key, value in change.items() if value is not None}}
    if len(task) == 2 + (kind is not None):
        raise click.UsageError("say what changes: --rate, --pause, --resume or --qos")
    return Order(to, task)


def stop_order(
    *, test: int | None, kind: str | None, app: int | None, group: int | None, everybody: bool
) -> Order:
    """Return an order to end tests.

    Raises:
        click.UsageError: no such order can be given.
    """
    task = {
        "cmd": "stop",
        **({"test": test} if test is not None else {}),
        **({"kind": kind} if kind else {}),
    }
    return Order(address(app, group, everybody), task, ENDED_S)


def heard_ns(answer: Message) -> int:
    """Return when the participant heard the order that it answers, by its own clock: what it said
    of a test of the same number before is history."""
    return int((answer.get("order") or {}).get("heard_realtime_ns", 0))


def results(caller: Caller, answers: Iterable[Message]) -> Iterator[Message]:
    """Yield what the tests have measured that ended by an order with these answers."""
    ended = {
        (answer["instance"], one["test"], one["kind"]): heard_ns(answer)
        for answer in answers
        if answer["ok"]
        for one in answer["result"].get("ended", ())
    }
    for message in caller.heard:
        # Results go before the answer.
        key = (message.get("instance"), message.get("test"), message.get("kind"))
        if message.get("news") != "ended" or key not in ended:
            continue
        if message["at_realtime_ns"] >= ended[key]:
            yield message


def stopped(caller: Caller, order: Order) -> Iterator[Message]:
    """Give an order to end tests; yield the answers, then what was measured."""
    answers = []
    for answer in order.answers(caller):
        answers.append(answer)
        yield answer
    yield from results(caller, answers)


def _participants_text(caller: Caller) -> str:
    """Return who is on the bus, in words."""
    from busmark.plugins.bus.caller import ANSWER_S, SILENCE_S

    number = caller.order("all", {"cmd": "list"})
    found = sorted((m["app"], m.get("group")) for m in caller.answers(number, ANSWER_S, SILENCE_S))
    if not found:
        elsewhere = caller.attachment.elsewhere()
        return ". ".join(
            [
                "no participant is on this bus",
                *([elsewhere] if elsewhere else []),
                "Start one with `busmark bus participant`",
            ]
        )
    named = [f"{app}" if group is None else f"{app} (group {group})" for app, group in found]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    noun = "is application" if len(named) == 1 else "are applications"
    return f"on this bus {noun} {', '.join(named[:MOST_NAMED])}{more}"


def _apps(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: write numbers joined by commas, such as 4,5", param_hint="--from"
        ) from None


def _qos(text: str) -> Message:
    """Return one value of each policy, as participants read it."""
    from busmark.control.roles import qos_settings
    from busmark.model.settling import ROS_PROFILES
    from busmark.scenario.line.words import Mistaken
    from busmark.scenario.line.words import qos as words

    if not text:
        return {}
    try:
        found = words(text)
    except Mistaken as wrong:
        raise click.BadParameter(str(wrong), param_hint="--qos") from None
    for key, values in found.items():
        if len(values) > 1:
            raise click.BadParameter(f"{key} has several values", param_hint="--qos")
    chosen = {key: values[0] for key, values in found.items()}
    profile = chosen.pop("profile", None)
    if profile is not None and profile not in ROS_PROFILES:
        raise click.BadParameter(
            f"{profile!r} is no profile of ROS: {', '.join(ROS_PROFILES)}", param_hint="--qos"
        )
    try:
        return qos_settings({**ROS_PROFILES.get(profile, {}), **chosen})
    except TypeError:
        raise click.BadParameter(
            f"{text!r}: a time is a number of seconds, such as deadline_s:0.1", param_hint="--qos"
        ) from None
