"""What a machine is made of besides its CPUs: make and model, network cards, disks.

Files say most of it; the offloads of a card, `SCRIPT` asks for, here or by a node's shell.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from busmark.host import proc

FIRMWARE = "sys/class/dmi/id"
NETWORK = "sys/class/net"
BLOCK = "sys/block"

FILES = (
    *(f"{FIRMWARE}/{name}" for name in ("product_name", "sys_vendor")),
    "proc/device-tree/model",
    *(
        f"{NETWORK}/*/{name}"
        for name in ("device/uevent", "device/device", "device/vendor", "duplex", "mtu",
                     "operstate", "speed")
    ),
    *(
        f"{BLOCK}/*/{name}"
        for name in ("device/model", "device/vendor", "queue/rotational", "size")
    ),
)  # fmt: skip
"""All that is read, as patterns of a shell."""

SCRIPT = f"""for card in /{NETWORK}/*/device; do
    card=${{card%/device}}
    card=${{card##*/}}
    ! command -v ethtool >/dev/null || ethtool -k "$card" 2>/dev/null | sed "s/^/$card /"
done
"""
"""Prints lines of ethtool, each behind the name of its card; nothing where ethtool is missing."""

OFFLOADS = (
    "rx-checksumming",
    "tx-checksumming",
    "scatter-gather",
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "large-receive-offload",
    "tx-udp-segmentation",
    "rx-gro-hw",
)
"""Features of ethtool(8) by which packets are put together or checked by the card, so that what a
capture shows is not what is on the wire."""

SECTOR_BYTES = 512
"""Unit of `size` in sysfs, whatever the disk's own sectors."""


def hardware(root: Path, said: str) -> dict[str, Any]:
    """Return the part of the host profile that concerns hardware; `said` is what `SCRIPT` printed.

    Network cards and disks are those with a device: neither the loopback, nor bridges and ends of
    virtual cables, nor disks in memory.
    """
    return {
        "machine_vendor": proc.text(root / FIRMWARE / "sys_vendor"),
        "machine_model": proc.text(root / FIRMWARE / "product_name")
        or _plain(proc.text(root / "proc/device-tree/model")),
        "network_cards": {
            path.parent.name: _card(path.parent, said)
            for path in sorted((root / NETWORK).glob("*/device"))
        }
        or None,
        "disks": {
            path.parent.name: _disk(path.parent) for path in sorted((root / BLOCK).glob("*/device"))
        }
        or None,
    }


def _plain(text: str | None) -> str | None:
    """Return a string of the device tree without the zero at its end."""
    return text.rstrip("\0") if text else None


def _card(path: Path, said: str) -> dict[str, Any]:
    device = path / "device"
    speed = proc.number(path / "speed")
    identity = [proc.text(device / name) for name in ("vendor", "device")]
    return {
        "driver": proc.fields(device / "uevent", "=").get("DRIVER") or None,
        "device": ":".join(word.removeprefix("0x") for word in identity if word) or None,
        "state": proc.text(path / "operstate"),
        # A card that is down, or virtual, states none, or −1.
        "speed_mbit_per_s": speed if speed is not None and speed > 0 else None,
        "duplex": duplex if (duplex := proc.text(path / "duplex")) != "unknown" else None,
        "mtu": proc.number(path / "mtu"),
        "offloads": _offloads(path.name, said),
    }


def _offloads(card: str, said: str) -> dict[str, bool] | None:
    """Return which of `OFFLOADS` are on; None where nothing reports them."""
    found = {}
    for line in said.splitlines():
        words = line.split()
        name = words[1].removesuffix(":") if len(words) > 2 and words[0] == card else ""
        if name in OFFLOADS:
            found[name.replace("-", "_")] = words[2] == "on"
    return found or None


def _disk(path: Path) -> dict[str, Any]:
    sectors = proc.number(path / "size")
    rotational = proc.number(path / "queue/rotational")
    names = [proc.text(path / "device" / name) for name in ("vendor", "model")]
    known = [name for name in names if name and not name.startswith("0x")]
    return {
        "model": " ".join(known) or None,
        "size_bytes": sectors * SECTOR_BYTES if sectors is not None else None,
        "rotational": rotational == 1 if rotational is not None else None,
    }
