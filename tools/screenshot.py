"""The top of a result's report as a picture, for the README.

    python tools/screenshot.py RESULT_DIR docs/images/report.png

The page is rendered afresh from the stored result and shown by a headless Chromium.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from busmark.compare.campaign import summarise
from busmark.errors import UserError
from busmark.present.blocks.report import whole
from busmark.present.sinks.page import page
from busmark.store import Result

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tools.browser import executable

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    # Charts are drawn by a script: time passes without waiting for it.
    "--virtual-time-budget=10000",
)
TIMEOUT_S = 120


def shoot(page: Path, picture: Path, width: int, height: int, scratch: Path) -> None:
    """Write the top of the page as a picture, `width` by `height` CSS pixels."""
    command = [
        executable(),
        *FLAGS,
        f"--user-data-dir={scratch / 'profile'}",
        f"--window-size={width},{height}",
        f"--screenshot={picture.resolve()}",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0 or not picture.exists():
        raise UserError(f"no picture: {done.stderr.strip()[-500:]}", where=command[0])


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("result", type=Path, help="result directory")
    parser.add_argument("picture", type=Path, help="file to write, .png")
    parser.add_argument("--width", type=int, default=1180, help="CSS pixels")
    parser.add_argument("--height", type=int, default=1480, help="CSS pixels")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="busmark-screenshot-") as scratch:
            report = Path(scratch) / "report.html"
            report.write_text(page(whole(summarise(Result(arguments.result)))), encoding="utf-8")
            arguments.picture.parent.mkdir(parents=True, exist_ok=True)
            size = (arguments.width, arguments.height)
            shoot(report, arguments.picture, *size, Path(scratch))
    except (UserError, subprocess.TimeoutExpired) as error:
        print(f"screenshot: {error}", file=sys.stderr)
        return 2
    print(f"written: {arguments.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
