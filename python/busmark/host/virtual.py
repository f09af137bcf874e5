"""Whether the machine is virtual, and what runs it."""

from __future__ import annotations

from pathlib import Path

from busmark.host import read

NOT_VIRTUAL = "none"
UNNAMED = "hypervisor (does not name itself)"
"""The CPU says that it is virtual, and nothing says whose it is."""

PRODUCTS = {
    "kvm": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "virtual machine": "Hyper-V",
    "xen": "Xen",
    "hvm domu": "Xen",
    "google compute engine": "Google Compute Engine",
    "amazon ec2": "Amazon EC2",
    "bochs": "Bochs",
    "parallels": "Parallels",
    "openstack": "OpenStack",
}
"""What the firmware of virtual machines calls its vendor and product, in small letters."""


def virtualisation(root: Path) -> str | None:
    """The hypervisor's name, "none" on a physical machine, None where it is not known.

    On x86 the CPU flag `hypervisor` decides and the firmware gives the name; elsewhere a known
    name in the firmware says that it is virtual, and its absence says nothing.
    """
    flags = read.fields(root / "proc/cpuinfo", ":").get("flags")
    if flags is not None and "hypervisor" not in flags.split():
        return NOT_VIRTUAL
    kind = read.text(root / "sys/hypervisor/type")
    name = kind or _product(root) or _paravirtual_clock(root)
    return name or (UNNAMED if flags is not None else None)


def _product(root: Path) -> str | None:
    firmware = root / "sys/class/dmi/id"
    told = " ".join(read.text(firmware / key) or "" for key in ("sys_vendor", "product_name"))
    return next((name for mark, name in PRODUCTS.items() if mark in told.lower()), None)


def _paravirtual_clock(root: Path) -> str | None:
    """KVM offers its own clock even where the firmware is silent (micro virtual machines)."""
    clocks = root / "sys/devices/system/clocksource/clocksource0/available_clocksource"
    return "KVM" if "kvm-clock" in (read.text(clocks) or "").split() else None
