"""Limits of the system under which a campaign cannot run: reported before it begins, and where one
is met on the way."""

from __future__ import annotations

import errno
import os

from busmark import platform
from busmark.errors import UserError

ADDRESS_SPACE = 2 << 30
"""Bytes that must be left to `ulimit -v`: libraries for tables reserve far more than they use, and
end the process where they cannot. With 32 threads, 1.5 GiB are too few and 2 are enough."""
TASKS = 24
"""Processes and threads of a small campaign besides two for each CPU, which tables use."""

AGAIN = "Raise the limit. Finished rounds are kept; continue with `busmark run --resume --out DIR`."


def check() -> None:
    """Raises a `UserError` where there is no room for a campaign."""
    check_memory()
    wanted = TASKS + 2 * (os.cpu_count() or 1)
    where, left = tasks_left()
    if left is not None and left < wanted:
        raise UserError(
            f"{left} more processes and threads may be started, about {wanted} are needed",
            where=where,
            remedy="Raise the limit, or end what else runs under it.",
        )


def check_memory() -> None:
    """Raises a `UserError` where there is no room for the libraries."""
    soft = platform.soft_limit(platform.ADDRESS_SPACE)
    if soft is not None and soft < ADDRESS_SPACE:
        raise UserError(
            f"{soft >> 20} MiB of memory may be addressed, at least {ADDRESS_SPACE >> 20} MiB "
            "are needed",
            where="ulimit -v",
            remedy="Raise the limit, or limit the memory of a control group instead.",
        )


def tasks_left() -> tuple[str, int | None]:
    """Where processes are limited, and how many more there may be; None: no limit is known."""
    found = platform.tasks_left_in_groups()
    # A superuser is under no such limit.
    soft = platform.soft_limit(platform.PROCESSES_OF_USER)
    if soft is not None and os.geteuid() != 0:
        found.append(("ulimit -u", soft - platform.tasks_of_user()))
    return min(found, key=lambda each: each[1], default=("", None))


def explained(error: BaseException) -> UserError | None:
    """The same error in words, if a limit of the system is behind it."""
    chain: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and here not in chain:
        chain.append(here)
        here = here.__cause__ or here.__context__
    if any(map(_no_task, chain)):
        where, left = tasks_left()
        shown = "" if left is None else f" ({max(left, 0)} left)"
        return UserError(
            f"the system starts no more processes or threads{shown}", where=where, remedy=AGAIN
        )
    if any(map(_no_memory, chain)):
        return UserError("the system gives no more memory", remedy=AGAIN)
    return None


def _no_task(error: BaseException) -> bool:
    text = str(error)
    # Panics of polars and other Rust code are not an `Exception`.
    panic = type(error).__name__ == "PanicException" and "WouldBlock" in text
    thread = isinstance(error, RuntimeError) and "can't start new thread" in text
    return panic or thread or (isinstance(error, OSError) and error.errno == errno.EAGAIN)


def _no_memory(error: BaseException) -> bool:
    # The loader's words, of a library that does not fit in.
    library = isinstance(error, ImportError) and (
        "failed to map segment" in str(error) or "annot allocate memory" in str(error)
    )
    return (
        library
        or isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
    )
