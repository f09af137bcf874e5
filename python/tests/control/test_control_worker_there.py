"""A worker on a node, and what is told when it dies."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.nodes import Address, Node


def test_a_worker_that_dies_is_told_with_its_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    node = Node("far", ["sh", "-c", 'echo Welcome; exec "$@"', "sh"],
                wanted=Address(address="127.0.0.1"))  # fmt: skip
    node.ready()

    async def lose() -> None:
        worker = await Worker.start("passive", [], fifo=0, lock=False, log=tmp_path / "w.log",
                                    deadline_s=60.0, node=node)  # fmt: skip
        assert worker.process_there is not None
        os.kill(worker.process_there, signal.SIGKILL)
        try:
            await worker.call(60.0, "start")
        finally:
            worker.kill()
            await worker.reap()

    with pytest.raises(
        RoundError, match=r"^passive on node far: the worker died .*SIGKILL"
    ) as told:
        asyncio.run(lose())
    assert told.value.kind == "died"
    node.close()
