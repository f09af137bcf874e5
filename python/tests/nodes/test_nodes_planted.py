"""What another user of a node plants there is never run."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from busmark.adapters import worker
from busmark.nodes import Address, Node

pytestmark = pytest.mark.usefixtures("small_worker")

LOOPBACK = Address(address="127.0.0.1")
NOBODY = 65534
TURNS = 4


def key(file: Path) -> str:
    """Return the place of a file in the cache of a node: its digest and its name."""
    return f"{hashlib.sha256(file.read_bytes()).hexdigest()}/{file.name}"


@pytest.fixture
def trap(scratch: Path) -> Path:
    """Make a cache with a worker of the attacker's, in a folder that is the user's own, as a link
    of theirs may lead to: it leaves a mark when it is run."""
    planted = scratch / "trap" / key(worker())
    planted.parent.mkdir(parents=True)
    planted.write_text(f'#!/bin/sh\ntouch {scratch}/run; exec {worker()} "$@"\n')
    planted.chmod(0o755)
    return scratch / "trap"


def link(place: Path, trap: Path) -> None:
    place.symlink_to(trap)


def folder(place: Path, trap: Path) -> None:
    trap.rename(place)
    if os.geteuid() == 0:
        os.chown(place, NOBODY, NOBODY)


def open_folder(place: Path, trap: Path) -> None:
    trap.rename(place)
    place.chmod(0o777)


def file(place: Path, _trap: Path) -> None:
    place.write_text("no folder")


@pytest.mark.parametrize("plant", [link, folder, open_folder, file])
@pytest.mark.parametrize("place", [
    "tmp/busmark-cache-{user}", ".cache", ".cache/busmark", ".cache/busmark/nodes",
])  # fmt: skip
def test_a_planted_cache_is_not_run(
    place: str, plant: Callable[[Path, Path], None], scratch: Path, trap: Path
) -> None:
    if place.startswith("tmp"):
        (scratch / "tmp").chmod(0o1777)
        prefix = ["env", "-u", "HOME"]
    else:
        prefix = []
    target = scratch / place.format(user=os.getuid())
    target.parent.mkdir(parents=True, exist_ok=True)
    plant(target, trap)
    node = Node("lab1", prefix, wanted=LOOPBACK)
    node.ready()
    assert Path(node.path(worker())).read_bytes() == worker().read_bytes()
    assert not (scratch / "run").exists()
    node.close()


@pytest.mark.parametrize("what", ["file", "link", "folder", "link to a folder", "half"])
def test_a_file_of_the_cache_is_used_only_if_its_content_is_right(
    what: str, scratch: Path, trap: Path
) -> None:
    place = scratch / ".cache/busmark/nodes" / key(worker())
    planted = trap / key(worker())
    if what == "link to a folder":
        place.parent.parent.mkdir(parents=True)
        place.parent.symlink_to(planted.parent)
    else:
        place.parent.mkdir(parents=True)
        if what == "file":
            place.write_bytes(planted.read_bytes())
        elif what == "link":
            place.symlink_to(planted)
        elif what == "half":
            place.write_bytes(worker().read_bytes()[:-1])
        else:
            place.mkdir()
    node = Node("lab1", [], wanted=LOOPBACK)
    node.ready()
    assert node.sent_bytes == worker().stat().st_size
    assert place.read_bytes() == worker().read_bytes() and not place.is_symlink()
    assert not (scratch / "run").exists()
    node.close()


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_folder_for_sockets_that_others_can_replace_is_not_used(mode: int, scratch: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a folder to another group needs root")
    temporary = scratch / "tmp"
    temporary.chmod(mode)
    os.chown(temporary, -1, NOBODY)
    with pytest.raises(Exception, match="no folder takes programs there"):
        Node("lab1", [], wanted=LOOPBACK).ready()
    assert not list(temporary.iterdir())


def test_nothing_is_changed_in_a_folder_that_another_user_can_write_to(scratch: Path) -> None:
    """In it a link can take the place of the cache at any moment, so that what is changed there may
    be a folder elsewhere."""
    home = scratch / ".cache"
    cache = home / "busmark" / "nodes"
    cache.mkdir(parents=True)
    home.chmod(0o777)
    cache.chmod(0o755)
    node = Node("lab1", [], wanted=LOOPBACK)
    node.ready()
    assert node.path(worker()).startswith(f"{node.run_dir}/cache/")
    assert cache.stat().st_mode & 0o777 == 0o755
    node.close()


def test_no_moment_lets_a_link_take_the_place_of_the_cache(scratch: Path, trap: Path) -> None:
    """An attacker who can write to the user's cache folder swaps the cache for a link of theirs,
    and back, all the time: a folder in which that is possible is not used at all."""
    if os.geteuid() != 0:
        pytest.skip("needs a folder that another user can write to")
    home = scratch / ".cache"
    home.mkdir()
    home.chmod(0o777)
    ended = threading.Event()

    def swap() -> None:
        place, aside = home / "busmark", home / "aside"
        while not ended.is_set():
            for step in (lambda: place.rename(aside), lambda: place.symlink_to(trap.parent),
                         place.unlink, lambda: aside.rename(place)):  # fmt: skip
                try:
                    step()
                except OSError:
                    continue

    (trap.parent / "nodes").symlink_to(trap)
    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        for _ in range(TURNS):
            node = Node("lab1", [], wanted=LOOPBACK)
            node.ready()
            assert node.path(worker()).startswith(f"{node.run_dir}/cache/")
            node.close()
    finally:
        ended.set()
        attacker.join()
    assert not (scratch / "run").exists()
