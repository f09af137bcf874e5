"""A headless Chromium, driven over its own pipe: pages as a reader uses them."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from busmark.errors import UserError
from busmark.present.formats import BROWSERS

PATIENCE_S, PATIENCES = 10.0, 60
"""How often a silent browser is waited for until it is given up. In parts: a virtual machine that
is suspended for minutes uses up one of them, and not all."""

MOST_FRAMES = 1200
"""Frames in which a page is to have done what is waited for: 20 s where a CPU is free. Time would
be no limit: the tests run when nothing else does, and a page has had no CPU for a minute."""

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--proxy-server=127.0.0.1:9",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


def executable() -> str:
    """Return the browser of this machine.

    Raises:
        UserError: it has none.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise UserError(
            f"no browser: none of {', '.join(BROWSERS)} is in PATH",
            remedy="Install the package chromium.",
        )
    return found


class Browser:
    """One page in one browser. `requests` and `complaints` are what it asked for and logged."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 900) -> None:
        command_in, self._commands = os.pipe()
        self._answers, answer_out = os.pipe()
        redirected = f'exec "$@" 3<&{command_in} 4>&{answer_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", redirected, "bash", executable(), *QUIET, f"--user-data-dir={profile}"],
            pass_fds=(command_in, answer_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(command_in)
        os.close(answer_out)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # It ends with its pipe. Terminated, it would leave a folder for temporary files.
        os.close(self._commands)
        os.close(self._answers)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )

    def prefer(self, scheme: str) -> None:
        """Emulate a reader who prefers this scheme, light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def open(self, path: Path, anchor: str = "") -> None:
        """Load a page, up to the end of its scripts."""
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri() + anchor)
        while not any(e["method"] == "Page.loadEventFired" for e in self._events):
            self._receive()

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page and return its value; promises are awaited."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression is true in the page, for `MOST_FRAMES` at most."""
        self.run(
            "new Promise((done, fail) => { let frames = 0; let over = false;"
            " const paint = () => { frames += 1; if (!over) requestAnimationFrame(paint); };"
            f" const look = () => {{ if ({condition}) {{ over = true; done(true); }}"
            f" else if (frames > {MOST_FRAMES}) {{ over = true;"
            f" fail(new Error({json.dumps(condition)})); }}"
            " else setTimeout(look, 20); }; requestAnimationFrame(paint); look(); })"
        )

    def bring(self, element: str) -> None:
        """Scroll an element to the top of the window until it stays there, ten times at most: what
        is above it gets its height only as it comes near."""
        self.run(
            "(async () => { const frame = () => new Promise((r) => requestAnimationFrame(r));"
            f" const top = () => Math.round({element}.getBoundingClientRect().top);"
            " for (let tries = 0; tries < 10; tries += 1) { const before = top();"
            f" {element}.scrollIntoView({{behavior: 'instant'}});"
            " for (let n = 0; n < 4; n += 1) await frame(); if (top() === before) return; }"
            f" throw new Error({json.dumps(element)} + ' does not stay in sight'); }})()"
        )

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write the visible part of the page, or the whole page, as PNG."""
        options: dict[str, Any] = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True, "clip": {**size, "x": 0, "y": 0, "scale": 1}}
        shot = self.call("Page.captureScreenshot", format="png", **options)
        path.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, path: Path) -> None:
        """Write the page as a printer would get it, as PDF."""
        done = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        path.write_bytes(base64.b64decode(done["data"]))

    def nodes(self) -> int:
        """Count the nodes in the body of the page, such as elements and texts."""
        return int(
            self.run(
                "(() => { const w = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);"
                " let n = 0; while (w.nextNode()) n += 1; return n; })()"
            )
        )

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the protocol and return the result in its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            waits = (select.select([self._answers], [], [], PATIENCE_S) for _ in range(PATIENCES))
            assert any(ready for ready, _, _ in waits), "the browser says nothing any more"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has ended"
            self._buffer += part
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        if method:
            self._events.append(message)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.complaints.append(json.dumps(params["args"]))
