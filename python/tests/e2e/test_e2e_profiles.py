"""No file of the current folder changes what is measured."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from busmark.adapters import environment, libraries, worker

STREAM: dict[str, Any] = {
    "payload": "octet", "size": 8, "wait": "listener", "qos": {}, "verify": False,
}  # fmt: skip
RESPONDER = {"role": "responder", "writer": 1, "ping": "a", "pong": "b", "stream": STREAM}

WATCHDOG_S = 60.0

needs_fastdds = pytest.mark.skipif("fastdds" not in libraries(), reason="needs make adapters")


@needs_fastdds
def test_fast_dds_reads_no_profiles_of_the_current_folder(tmp_path: Path) -> None:
    """The file is a pipe without a writer: whoever opens it to read waits for ever."""
    os.mkfifo(tmp_path / "DEFAULT_FASTRTPS_PROFILES.xml")
    config = {
        "domain": 77, "interface_name": "lo", "interface_address": "127.0.0.1", "transport": "udp",
        "profile": "default", "run_dir": str(tmp_path), "settings": [],
    }  # fmt: skip
    prepare = {
        "id": 1, "cmd": "prepare", "adapter": str(libraries()["fastdds"].absolute()), "cookie": "1",
        "yields": False, "participants": [{"config": config, "roles": [RESPONDER]}],
    }  # fmt: skip
    commands = [json.dumps(command) + "\n" for command in (prepare, {"id": 2, "cmd": "setup"})]
    done = subprocess.run(
        [worker(), "participate"], input="".join(commands), cwd=tmp_path,
        env=environment(), capture_output=True, text=True, check=False, timeout=WATCHDOG_S,
    )  # fmt: skip
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert replies[-1].get("ok") is True, done.stdout + done.stderr
