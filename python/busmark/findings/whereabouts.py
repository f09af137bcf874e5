"""Where samples of a stream went that were never read, as far as counters distinguish it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.findings.params import is_reliable
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def lost_where(view: CaseView) -> str:
    """In words, what counters say of the lost samples; empty where none says anything.

    A best-effort reader counts each sample that never reached it, so what is missing beyond that
    was in its history and was replaced there. Under reliable delivery the writer's history may
    have replaced it just as well, before it was delivered.
    """
    lost = view.values("lost", only_ok=False)
    overwritten = view.values("overwritten", only_ok=False)
    if any(n > 0 and number not in overwritten for number, n in lost.items()):
        return ""
    on_the_way = view.total("middleware_lost")
    words = f"the middleware counts {whole(on_the_way)} as lost before they reached a reader"
    if on_the_way:
        words += ", warm-up included"
    least = sum(overwritten.values())
    if not least:
        return f"{words}; none is known to have been overwritten"
    where = (
        "in the history of the writer or of a reader, which counters do not distinguish"
        if is_reliable(view.params, view.capabilities)
        else "in a reader's history"
    )
    dropped = view.total("udp_socket_drops")
    kernel = f"; the kernel dropped {count(dropped, 'datagram')} of theirs" if dropped else ""
    return f"{words}{kernel}; at least {whole(least)} were overwritten {where}"
