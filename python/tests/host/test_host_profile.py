"""The host profile on a made-up machine and on this one."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_MEMLOCK, RLIMIT_RTPRIO, getrlimit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.host import profile

FILES = {
    "etc/os-release": 'NAME="X"\nPRETTY_NAME="Example Linux 1"\n',
    "proc/sys/kernel/hostname": "lab1\n",
    "proc/sys/kernel/random/boot_id": "c0ffee\n",
    "proc/sys/kernel/osrelease": "6.1.0-example\n",
    "proc/cmdline": "quiet isolcpus=2-3 -- --for-init secret\n",
    "proc/cpuinfo": (
        "processor\t: 0\nmodel name\t: Example CPU\nflags\t\t: fpu tsc\n\n"
        "processor\t: 1\nmodel name\t: Example CPU\nflags\t\t: fpu tsc\n"
    ),
    "proc/self/status": "Name:\tx\nUid:\t7\t8\t9\t10\nCpus_allowed_list:\t0-1,3\n",
    "proc/self/limits": (
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max locked memory         65536                unlimited            bytes     \n"
        "Max realtime priority     unlimited            unlimited                      \n"
    ),
    "proc/meminfo": "MemTotal:  1024 kB\nSwapTotal:  512 kB\nSwapFree:  500 kB\n",
    "proc/loadavg": "0.50 0.25 0.10 1/99 1234\n",
    "proc/sys/net/core/rmem_max": "212992\n",
    "proc/sys/net/core/rmem_default": "212993\n",
    "proc/sys/net/core/wmem_max": "212994\n",
    "proc/sys/net/core/wmem_default": "212995\n",
    "proc/sys/net/core/netdev_max_backlog": "1000\n",
    "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
    "proc/sys/net/ipv4/tcp_wmem": "4096\t16384\t4194304\n",
    "proc/sys/net/ipv4/udp_mem": "1\t2\t3\n",
    "sys/class/dmi/id/sys_vendor": "Example Corp\n",
    "sys/class/dmi/id/product_name": "Box 7\n",
    "sys/class/net/lo/mtu": "65536\n",
    "sys/class/net/eth0/device/uevent": "DRIVER=igc\nPCI_CLASS=20000\n",
    "sys/class/net/eth0/device/vendor": "0x8086\n",
    "sys/class/net/eth0/device/device": "0x15f3\n",
    "sys/class/net/eth0/mtu": "1500\n",
    "sys/class/net/eth0/speed": "2500\n",
    "sys/class/net/eth0/duplex": "full\n",
    "sys/class/net/eth0/operstate": "up\n",
    "sys/class/net/eth1/device/uevent": "DRIVER=virtio_net\n",
    "sys/class/net/eth1/speed": "-1\n",
    "sys/class/net/eth1/duplex": "unknown\n",
    "sys/class/net/veth1/mtu": "1500\n",
    "sys/block/nvme0n1/device/model": "Example SSD 1TB\n",
    "sys/block/nvme0n1/queue/rotational": "0\n",
    "sys/block/nvme0n1/size": "2000\n",
    "sys/block/loop0/size": "8\n",
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/system/cpu/isolated": "2-3\n",
    "sys/devices/system/cpu/smt/active": "1\n",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
    "sys/devices/system/node/online": "0-1\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet \n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    **{
        f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": f"{cpu % 2},{cpu % 2 + 2}"
        for cpu in range(4)
    },
    **{
        f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor": "powersave\n"
        for cpu in range(4)
    },
}
EXPECTED = {
    "hostname": "lab1",
    "boot_id": "c0ffee",
    "os": "Example Linux 1",
    "kernel": "6.1.0-example",
    "kernel_parameters": "quiet isolcpus=2-3",
    "virtualisation": "none",
    "machine_vendor": "Example Corp",
    "machine_model": "Box 7",
    "network_cards": {
        "eth0": {
            "driver": "igc",
            "device": "8086:15f3",
            "state": "up",
            "speed_mbit_per_s": 2500,
            "duplex": "full",
            "mtu": 1500,
            "offloads": {"generic_receive_offload": True, "large_receive_offload": False},
        },
        "eth1": {
            "driver": "virtio_net",
            "device": None,
            "state": None,
            "speed_mbit_per_s": None,
            "duplex": None,
            "mtu": None,
            "offloads": None,
        },
    },
    "disks": {"nvme0n1": {"model": "Example SSD 1TB", "size_bytes": 1024000, "rotational": False}},
    "cpu_model": "Example CPU",
    "cpus_online": 4,
    "cpus_allowed": [0, 1, 3],
    "isolated_cpus": [2, 3],
    "thread_siblings": [[0, 2], [1, 3]],
    "threads_per_core": 2,
    "smt_active": True,
    "numa_nodes": 2,
    "governors": {"0": "powersave", "1": "powersave", "2": "powersave", "3": "powersave"},
    "turbo": False,
    "aes_instructions": False,
    "clocksource": "tsc",
    "clocksources_available": ["tsc", "hpet"],
    "clock_step_ns": None,
    "clock_sync": None,
    "memory_bytes": 1024 * 1024,
    "swap_total_bytes": 512 * 1024,
    "swap_used_bytes": 12 * 1024,
    "transparent_hugepage": "madvise",
    "rmem_max": 212992,
    "rmem_default": 212993,
    "wmem_max": 212994,
    "wmem_default": 212995,
    "netdev_max_backlog": 1000,
    "tcp_rmem": [4096, 131072, 6291456],
    "tcp_wmem": [4096, 16384, 4194304],
    "udp_mem": [1, 2, 3],
    "loopback_mtu": 65536,
    "load_average": [0.5, 0.25, 0.1],
    "memlock_bytes": 65536,
    "rtprio": "unlimited",
    "effective_uid": 8,
    # Those of this process belong to no other root.
    "environment": None,
}
OF_THE_PROCESS = {"architecture", "python_version"}


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


OFFLOADS = """eth0 Features for eth0:
eth0 generic-receive-offload: on
eth0 large-receive-offload: off [fixed]
eth0 tx-vlan-offload: on
"""
"""What ethtool prints, each line behind the name of its card."""


def test_a_made_up_machine_gives_exactly_its_values(tmp_path: Path) -> None:
    asked = {"ethtool": OFFLOADS}
    found = profile(
        plant(tmp_path, FILES),
        lambda script: next((text for word, text in asked.items() if word in script), ""),
    )
    assert {key: value for key, value in found.items() if key not in OF_THE_PROCESS} == EXPECTED


def test_what_is_absent_is_none(tmp_path: Path) -> None:
    found = profile(tmp_path)
    assert {key for key, value in found.items() if value is not None} <= OF_THE_PROCESS
    assert found.keys() == EXPECTED.keys() | OF_THE_PROCESS


def test_this_machine_has_a_profile() -> None:
    found = profile()
    assert json.loads(json.dumps(found)) == found
    assert isinstance(found["cpus_online"], int) and found["cpus_online"] >= 1
    assert isinstance(found["kernel"], str) and isinstance(found["architecture"], str)
    assert isinstance(found["cpus_allowed"], list) and found["cpus_allowed"]
    assert found["memory_bytes"] > 0 and len(found["load_average"]) == 3
    limits = [getrlimit(which)[0] for which in (RLIMIT_MEMLOCK, RLIMIT_RTPRIO)]
    shown = ["unlimited" if limit == RLIM_INFINITY else limit for limit in limits]
    assert [found["memlock_bytes"], found["rtprio"]] == shown
    assert found["effective_uid"] == os.geteuid()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/cpuinfo": "flags : fpu hypervisor\n"}, "hypervisor (does not name itself)"),
        (
            {
                "proc/cpuinfo": "flags : fpu hypervisor\n",
                "sys/class/dmi/id/sys_vendor": "VMware, Inc.\n",
                "sys/class/dmi/id/product_name": "VMware7,1\n",
            },
            "VMware",
        ),
        (
            {
                "proc/cpuinfo": "flags : hypervisor\n",
                "sys/devices/system/clocksource/clocksource0/available_clocksource": (
                    "tsc kvm-clock"
                ),
            },
            "KVM",
        ),
        (
            {"proc/cpuinfo": "flags : fpu\n", "sys/class/dmi/id/product_name": "KVM"},
            "none",
        ),
        ({"proc/cpuinfo": "Features : fp\n"}, None),
        (
            {"proc/cpuinfo": "Features : fp\n", "sys/class/dmi/id/product_name": "KVM Virtual"},
            "KVM",
        ),
    ],
)
def test_virtualisation(tmp_path: Path, files: dict[str, str], expected: str | None) -> None:
    assert profile(plant(tmp_path, files))["virtualisation"] == expected


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(FILES)), st.text(max_size=40))
def test_a_damaged_file_breaks_nothing(name: str, content: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", errors="replace")
        json.dumps(profile(root))
