"""How answers and ends of tests in a replay differ from those in the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from busmark.plugins.bus.recording import words
from busmark.plugins.bus.recording.score import Step
from busmark.plugins.bus.recording.session import Message, Test

STRANGE = (LookupError, TypeError, ValueError, AttributeError)


def answers(number: int, step: Step, now: dict[int, Message]) -> Iterator[str]:
    """Differences of the answers to one order, each a sentence."""
    what = f"order {number} ({words.order(step.task)})"
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
    """Differences in how tests ended, each a sentence."""
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
    """What was started before the recording had an answer that is not in it."""
    return recorded.get("result", "") is None and bool(recorded["ok"] and now["ok"])


def _essence(answer: Message) -> Any:
    """What of an answer does not depend on time and on the application's number."""
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
            return f"changed {result['changed']} endpoints"
    except STRANGE:
        return "answered in a way that cannot be read"
    return "did so"
