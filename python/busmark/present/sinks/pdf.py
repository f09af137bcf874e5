"""A document as one PDF: its page, printed by a Chromium of this machine, which loads nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from busmark.errors import UserError
from busmark.present.document import Document
from busmark.present.formats import BROWSERS
from busmark.present.sinks.page import page

DRAWN_MS = 60_000
"""Time of the page, which does not pass while it works, until which its script may draw."""

PATIENCE_S = 300
"""Seconds until a browser that writes nothing is ended."""

QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
    # Nowhere, whatever a page may ask for.
    "--proxy-server=127.0.0.1:9",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-pdf-header-footer",
    f"--virtual-time-budget={DRAWN_MS}",
)


def pdf(document: Document) -> bytes:
    """Return the page of a document as PDF.

    Raises:
        UserError: the browser did not print it.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), BROWSERS[0])
    with tempfile.TemporaryDirectory(prefix="busmark-") as folder:
        source, made = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page(document), encoding="utf-8")
        command = [browser, *QUIET, f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}"]
        if os.geteuid() == 0:
            # Chromium refuses to start as root with its sandbox.
            command.append("--no-sandbox")
        try:
            done = subprocess.run(
                [*command, source.as_uri()],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE_S,
                check=False,
            )
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        except subprocess.TimeoutExpired:
            said = [f"nothing within {PATIENCE_S} s"]
        if not made.is_file():
            raise UserError(
                f"{browser} did not print the page: {said[0]}",
                where="--to report-pdf",
                remedy="Write the page with --to html, open it and print it to a file.",
            )
        return made.read_bytes()
