"""A document as one PDF: its page, printed by a Chromium of this machine, which loads nothing."""

from __future__ import annotations

import os
import shutil

from busmark import files
from busmark.errors import UserError
from busmark.launcher import completed
from busmark.present.document import Document
from busmark.present.formats import BROWSERS
from busmark.present.sinks.page import page
from busmark.temporary import WORK_PREFIX, run_directory

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
    with run_directory(WORK_PREFIX) as folder:
        source, made = folder / "page.html", folder / "page.pdf"
        files.write(source, page(document))
        command = [browser, *QUIET, f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}"]
        if os.geteuid() == 0:
            # Chromium refuses to start as root with its sandbox.
            command.append("--no-sandbox")
        try:
            code, _, errors = completed([*command, source.as_uri()], within_s=PATIENCE_S)
            said = errors.strip().splitlines()[-1:] or [f"exit code {code}"]
        except TimeoutError:
            said = [f"nothing within {PATIENCE_S} s"]
        if not made.is_file():
            raise UserError(
                f"{browser} did not print the page: {said[0]}",
                where="--to report-pdf",
                remedy="Write the page with --to html, open it and print it to a file.",
            )
        return files.content(made)
