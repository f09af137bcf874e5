"""Samples of types that are known by type discovery alone, run as a program of its own.

`dynamic.py TASK`: TASK is JSON (`Task`). It joins the domain with Cyclone DDS's Python package, in
the configuration of `CYCLONEDDS_URI`, asks who writes or reads a topic for the type (DDS-XTypes
1.3, 7.6.3), and then reads or writes. Each line of output is a message: `joined`, `sample`,
`written`, `nobody`, or `problem`. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
import typing
from dataclasses import dataclass, field
from typing import Any

from busmark.plugins.own_types.codec import Wrong, hints_of, mark_of, nearest, plain, value_of

SETTLED_S = 1.0
"""All ends of the topic are known when no more have come for this time."""
TYPE_S = 5.0
"""Time to answer the question for a type."""
LOOK_S = 0.05
DEPTH = 64
"""Samples of each instance that may wait to be read."""
ACKNOWLEDGED_S = 5.0
FOR_EVER = 2**63 - 1
"""Duration without end, as the package has it."""
STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
"""A member, or an element of a list."""
PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])*")


@dataclass(frozen=True)
class Task:
    """A task: to read or to write samples."""

    does: str
    """read or write."""
    domain: int
    topic: str
    wait_s: float
    """Seconds to wait for discovery, and for a match."""
    count: int = 1
    """Number of samples to write."""
    value: dict[str, Any] = field(default_factory=dict)
    """To write; members that are missing have their default (DDS-XTypes 1.3, table 9)."""
    members: tuple[tuple[str, str], ...] = ()
    """Members by path, with the text of each value; they take precedence over `value`."""


class Problem(Exception):
    """A problem that the user has to know of, with its remedy."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


def say(message: dict[str, Any]) -> None:
    """Print a message."""
    print(json.dumps(message), flush=True)


def endpoints(participant: Any, task: Task) -> tuple[list[Any], list[Any]]:
    """Return writers and readers of the topic when no more have come for a while. After the time to
    wait there may be none on the side that is looked for."""
    from cyclonedds.builtin import (
        BuiltinDataReader,
        BuiltinTopicDcpsPublication,
        BuiltinTopicDcpsSubscription,
    )

    readers = [
        BuiltinDataReader(participant, topic)
        for topic in (BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription)
    ]
    found: list[dict[Any, Any]] = [{}, {}]
    wanted = found[0 if task.does == "read" else 1]
    end = time.monotonic() + task.wait_s
    since = time.monotonic()
    while (now := time.monotonic()) < end:
        before = [set(ends) for ends in found]
        for reader, ends in zip(readers, found, strict=True):
            for one in reader.take(100):
                if not one.sample_info.valid_data:
                    ends.pop(one.key, None)
                elif one.topic_name == task.topic:
                    ends[one.key] = one
        if [set(ends) for ends in found] != before:
            since = now
        if wanted and now - since >= SETTLED_S:
            break
        time.sleep(LOOK_S)
    writers, reading = (list(ends.values()) for ends in found)
    return writers, reading


def fetched(participant: Any, task: Task, ends: list[Any]) -> tuple[Any, str]:
    """Return the class of the topic's type, and the type's name; the first of these ends that has
    announced one is asked.

    Raises:
        Problem: none has, or there is no answer.
    """
    from cyclonedds.core import DDSException
    from cyclonedds.dynamic import get_types_for_typeid

    names = " and ".join(sorted({one.type_name for one in ends}))
    unknown = "Its samples can be counted, and shown with its IDL: busmark bus traffic --idl FILE."
    known = [one for one in ends if one.type_id is not None]
    if not known:
        raise Problem(
            f"who writes or reads {task.topic} announces the name of its type alone, {names}, and "
            "no type object (DDS-XTypes)",
            unknown,
        )
    refusal = ""
    for one in known:
        try:
            found, _ = get_types_for_typeid(participant, one.type_id, int(TYPE_S * 1e9))
        except DDSException as error:
            refusal = f"who announces it gives no type object within {TYPE_S:g} s ({error.msg})"
        except Exception as error:  # the package has no class for what it cannot make
            refusal = f"Cyclone DDS's Python package makes no class of it: {error!r}"
        else:
            return found, one.type_name
    raise Problem(f"the type {names} of {task.topic} cannot be had: {refusal}", unknown)


def policies(ends: list[Any]) -> list[dict[str, Any]]:
    """Return the policies of each end, by their names."""
    return [{one.__scope__: one for one in end.qos} for end in ends]


def group(ends: list[dict[str, Any]]) -> Any:
    """Return the QoS of a publisher or subscriber that meets these ends."""
    from cyclonedds.core import Policy, Qos

    names = {name for one in ends if "Partition" in one for name in one["Partition"].partitions}
    return Qos(Policy.Partition(sorted(names))) if names else Qos()


def for_reader(writers: list[dict[str, Any]]) -> Any:
    """Return the QoS of a reader that accepts what each of these writers offers, and for which no
    writer waits."""
    from cyclonedds.core import Policy, Qos

    return Qos(
        Policy.Reliability.BestEffort,
        Policy.Durability.Volatile,
        Policy.History.KeepLast(DEPTH),
        # By default it asks for none, and a writer that has some would not match.
        Policy.LatencyBudget(FOR_EVER),
        *_ownership(writers),
    )


def for_writer(readers: list[dict[str, Any]]) -> Any:
    """Return the QoS of a writer that offers what each of these readers asks for."""
    from cyclonedds.core import Policy, Qos

    def all_of(name: str) -> list[Any]:
        return [one[name] for one in readers if name in one]

    kind = Policy.Durability
    kinds = [kind.Volatile, kind.TransientLocal, kind.Transient, kind.Persistent]
    found = [
        Policy.Reliability.Reliable(int(1e9)),
        max(all_of("Durability"), key=kinds.index, default=kinds[0]),
        Policy.History.KeepAll,
        # What was written stays with the readers when the writer goes.
        Policy.WriterDataLifecycle(autodispose=False),
        *_ownership(readers),
    ]
    deadlines = [one.deadline for one in all_of("Deadline")]
    if deadlines:
        found.append(Policy.Deadline(min(deadlines)))
    leases = [one for one in all_of("Liveliness") if one.lease_duration < FOR_EVER]
    if leases:
        found.append(min(leases, key=lambda one: one.lease_duration))
    if Policy.DestinationOrder.BySourceTimestamp in all_of("DestinationOrder"):
        found.append(Policy.DestinationOrder.BySourceTimestamp)
    asked = all_of("DataRepresentation")
    if any(not one.use_cdrv0_representation for one in asked):
        found.append(Policy.DataRepresentation(use_xcdrv2_representation=True))
    return Qos(*found)


def _ownership(ends: list[dict[str, Any]]) -> list[Any]:
    return [one["Ownership"] for one in ends if "Ownership" in one][:1]


def matched(ends: typing.Callable[[], list[int]], task: Task, other: str) -> int:
    """Return how many of the other side match, when no more have come for a while.

    Raises:
        Problem: none does.
    """
    end = time.monotonic() + task.wait_s
    since, before = time.monotonic(), 0
    while (now := time.monotonic()) < end:
        count = len(ends())
        if count != before:
            since, before = now, count
        if count and now - since >= SETTLED_S / 2:
            break
        time.sleep(LOOK_S)
    if not before:
        raise Problem(
            f"no {other} of {task.topic} matches an end of Cyclone DDS: their QoS or types differ",
            "`busmark bus entities` shows their QoS.",
        )
    return before


def read(participant: Any, task: Task, writers: list[Any], readers: list[Any]) -> None:
    """Print the topic's samples until the input ends."""
    from cyclonedds.sub import DataReader, Subscriber
    from cyclonedds.topic import Topic

    made, name = fetched(participant, task, [*writers, *readers])
    asked = policies(writers)
    topic = Topic(participant, task.topic, made)
    reader = DataReader(Subscriber(participant, qos=group(asked)), topic, qos=for_reader(asked))
    count = matched(reader.get_matched_publications, task, "writer")
    say({"joined": {"type_name": name, "ends": count}})
    while True:
        for sample in reader.take(DEPTH):
            if sample.sample_info.valid_data:
                at = {"at_realtime_ns": time.time_ns(), "type_name": name}
                say({"sample": {**at, "value": plain(sample)}})
        time.sleep(LOOK_S / 10)


def write(participant: Any, task: Task, writers: list[Any], readers: list[Any]) -> None:
    """Write the value to all readers of the topic."""
    from cyclonedds.pub import DataWriter, Publisher
    from cyclonedds.topic import Topic

    made, name = fetched(participant, task, [*readers, *writers])
    given = completed(made, task)
    value = value_of(made, given, "")
    try:
        value.serialize()
    except Exception as error:  # the package has no class for its own
        raise Problem(f"cannot be serialised: {error}") from None
    asked = policies(readers)
    topic = Topic(participant, task.topic, made)
    writer = DataWriter(Publisher(participant, qos=group(asked)), topic, qos=for_writer(asked))
    count = matched(writer.get_matched_subscriptions, task, "reader")
    for _ in range(task.count):
        writer.write(value)
    # False where a reader has not said that it has all; best-effort ones never do.
    arrived = writer.wait_for_acks(int(ACKNOWLEDGED_S * 1e9))
    say(
        {
            "written": task.count,
            "readers": count,
            "acknowledged": arrived,
            "type_name": name,
            "value": given,
        }
    )


def completed(made: Any, task: Task) -> dict[str, Any]:
    """Return the value to write as JSON has it, with all its members."""
    found: dict[str, Any] = zero_of(made)
    hints = hints_of(made)
    for name, value in task.value.items():
        if name not in hints:
            raise Wrong(name, f"no such member; {nearest(name, list(hints))}")
        found[name] = _over(hints[name], value)
    for path, text in task.members:
        _put(made, found, path, text)
    return found


def _over(hint: Any, value: Any) -> Any:
    """Return a value with the members of structures that it does not have."""
    kind = _bare(hint)
    if isinstance(value, list) and type(mark_of(hint)).__name__ in ("array", "sequence"):
        return [_over(typing.get_args(kind)[0], one) for one in value]
    if isinstance(value, dict) and _is(kind, "IdlStruct", "IdlUnion"):
        hints = hints_of(kind)
        given = {n: _over(hints[n], v) if n in hints else v for n, v in value.items()}
        return {**zero_of(kind), **given} if _is(kind, "IdlStruct") else given
    return value


def _put(made: Any, found: Any, path: str, text: str) -> None:
    """Put the value of this text at a path such as `pose.position.x` or `axes[0]`."""
    steps = [(m[1], m[2]) for m in STEP.finditer(path)]
    if not PATH.fullmatch(path):
        raise Wrong(path, "is no path of a member, such as position.x or axes[0]")
    hint, here, done = made, found, ""
    for at, (name, index) in enumerate(steps):
        last = at == len(steps) - 1
        kind = _bare(hint)
        if name:
            done = f"{done}.{name}" if done else name
            if not _is(kind, "IdlStruct", "IdlUnion"):
                raise Wrong(done, "no such member: what it is in has none")
            hints = hints_of(kind)
            if name not in hints:
                raise Wrong(done, f"no such member; {nearest(name, list(hints))}")
            hint = hints[name]
            if _is(kind, "IdlUnion"):
                hint = _member(typing.get_args(hint)[0])
                if name not in here:
                    here.clear()
            key: Any = name
        else:
            done = f"{done}[{index}]"
            if not isinstance(here, list):
                raise Wrong(done, "is no element: what it is in is no list")
            if int(index) >= len(here):
                raise Wrong(done, f"has {len(here)} elements: give the whole list as JSON")
            hint, key = typing.get_args(kind)[0], int(index)
        if last:
            here[key] = _of_text(hint, text)
        elif name and key not in here:
            here[key] = zero_of(hint)
        here = here[key]


def _of_text(hint: Any, text: str) -> Any:
    """Return what a text stands for: itself for texts and names, else JSON."""
    kind = _bare(hint)
    if kind is str or mark_of(hint) == "char" or _is(kind, "IdlEnum"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return _over(hint, value)


def _bare(hint: Any) -> Any:
    """Return the type without what IDL says of it beyond Python."""
    if typing.get_origin(hint) is typing.Union:  # @optional
        return _bare(typing.get_args(hint)[0])
    if typing.get_origin(hint) is typing.Annotated:
        return typing.get_args(hint)[0]
    return hint


def _is(kind: Any, *names: str) -> bool:
    return any(base.__name__ in names for base in getattr(kind, "__mro__", ()))


def zero_of(hint: Any) -> Any:
    """Return the default of a type (DDS-XTypes 1.3, table 9), as JSON has it."""
    if typing.get_origin(hint) is typing.Union:  # @optional
        return None
    kind, mark = _bare(hint), mark_of(hint)
    length = getattr(mark, "length", None)
    if length is not None:
        return [zero_of(typing.get_args(kind)[0]) for _ in range(length)]
    if type(mark).__name__ == "sequence" or _is(kind, "IdlBitmask"):
        return []
    if _is(kind, "IdlEnum"):
        return next(iter(kind)).name
    if _is(kind, "IdlUnion"):
        return _zero_of_union(kind)
    if _is(kind, "IdlStruct"):
        return {name: zero_of(one) for name, one in hints_of(kind).items()}
    zeros: dict[Any, Any] = {bool: False, float: 0.0, int: 0}
    return zeros.get(kind, "\0" if mark == "char" else "")


def _zero_of_union(kind: Any) -> dict[str, Any]:
    for name, hint in hints_of(kind).items():
        optional, case = typing.get_args(hint)[:2]
        labels = getattr(case, "labels", [])
        if labels:
            chosen = {"discriminator": plain(labels[0])} if len(labels) > 1 else {}
            return {**chosen, name: zero_of(_member(optional))}
    return {}


def _member(optional: Any) -> Any:
    """Return the type of a union's member, which is optional, for one of them is there."""
    if typing.get_origin(optional) is typing.Union:
        return typing.get_args(optional)[0]
    return optional


def end_with_input() -> None:
    """End this process when its input ends: whoever has started it has gone, or has enough."""

    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def main(text: str) -> None:
    """Read or write samples as the task says."""
    from cyclonedds.core import DDSException
    from cyclonedds.domain import DomainParticipant

    end_with_input()
    asked = json.loads(text)
    task = Task(**{**asked, "members": tuple(map(tuple, asked.get("members", ())))})
    try:
        participant = DomainParticipant(task.domain)
        writers, readers = endpoints(participant, task)
        if not (writers if task.does == "read" else readers):
            say({"nobody": True})
            return
        (read if task.does == "read" else write)(participant, task, writers, readers)
    except Wrong as error:
        say({"problem": str(error), "remedy": ""})
    except Problem as error:
        say({"problem": str(error), "remedy": error.remedy})
    except DDSException as error:
        say({"problem": f"Cyclone DDS: {error.msg}", "remedy": ""})


if __name__ == "__main__":
    main(*sys.argv[1:])
