"""Namespaces, links and their properties, by the system's own tools."""

from __future__ import annotations

import contextlib
import shutil
import uuid
from pathlib import Path

from busmark import files
from busmark.errors import UserError
from busmark.launcher import DEVNULL, PIPE, Launched, Start
from busmark.links import Links
from busmark.processes import Killed

OUTAGE = "busmark_outage"
"""Table of nftables while a link is down."""

OVER_ETC = Path("/etc/netns")
"""What lies in the folder of a namespace here, `ip netns exec` puts over the file of that name in
/etc. Each node is a machine of its own, and so has a machine-id: by that Fast DDS 3 tells what is
on its machine, and drops locators of the same machine that are not its own."""

INTERFACE = "lan0"
"""Interface of a node; the switch calls the other end p1, p2, …"""

MAC = "02:62:6d:00:00:{:02x}"
"""Locally administered. The forwarder tells nodes apart by the last byte."""

ADDRESS = "10.77.0.{}"

QUEUE_MS = 50
"""How long a rate limit lets packets wait before it drops them."""
LEAST_BURST_BYTES = 32 * 1024
TICKS_PER_S = 250
"""A bucket must hold what a rate lets through between two ticks of the kernel (tc-tbf(8))."""

REASSEMBLY = {"ipfrag_time": 3, "ipfrag_high_thresh": 128 * 1024 * 1024}
"""Settings of net.ipv4 where reassembly is tuned, as ROS 2 advises for large messages over links
that lose packets: incomplete datagrams go after 3 s instead of 30 s, and there is room for many."""

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "ethtool": "ethtool"}


def need_tools() -> None:
    """Raise `UserError` if a tool is missing."""
    path = "/usr/sbin:/sbin:/usr/bin:/bin"
    missing = sorted({TOOLS[tool] for tool in TOOLS if not shutil.which(tool, path=path)})
    if missing:
        raise UserError(
            f"a lab needs the system's tools of {', '.join(missing)}",
            remedy=f"Run: apt-get install {' '.join(missing)}",
        )


def run(*command: str, text: str | None = None) -> str:
    """Run a tool and return its output; its complaint becomes the error."""
    given = PIPE if text else DEVNULL
    with Launched(Start([*command]), "lab", stdin=given, stderr=PIPE) as tool:
        said, complaint = tool.complete(data=text.encode() if text else None)
    if tool.killed:
        raise Killed(f"{' '.join(command)}: {tool.killed}")
    if tool.returncode:
        raise UserError(
            f"{' '.join(command)}: {complaint.strip() or f'exit code {tool.returncode}'}",
            remedy="A lab needs root, and a kernel with namespaces, veth and what links ask for.",
        )
    return said


def namespaces() -> set[str]:
    """Return the names of all named namespaces of this machine."""
    folder = Path("/run/netns")
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def make(switch: str, nodes: list[str], links: Links) -> None:
    """Make the namespaces, each of `nodes` with a link to `switch`. Nothing forwards yet."""
    for name in (switch, *nodes):
        run("ip", "netns", "add", name)
    for number, node in enumerate(nodes, 1):
        own = OVER_ETC / node
        own.mkdir(parents=True, exist_ok=True)
        files.write(own / "machine-id", uuid.uuid4().hex + "\n")
        run(
            "ip",
            "link",
            "add",
            INTERFACE,
            "netns",
            node,
            "address",
            MAC.format(number),
            "type",
            "veth",
            "peer",
            "name",
            f"p{number}",
            "netns",
            switch,
        )
        run(
            "ip",
            "-n",
            node,
            "-batch",
            "-",
            text="\n".join(
                [
                    f"link set {INTERFACE} addrgenmode none",
                    f"addr add {ADDRESS.format(number)}/24 dev {INTERFACE}",
                    "link set lo up",
                    f"link set {INTERFACE} up",
                    f"route add 224.0.0.0/4 dev {INTERFACE}",
                ]
            ),
        )
        run("ip", "-n", switch, "link", "set", f"p{number}", "addrgenmode", "none", "up")
        # One packet of the middleware is one on the link: nothing is joined to larger ones, and
        # checksums are in them.
        for namespace, interface in ((node, INTERFACE), (switch, f"p{number}")):
            run(
                "ip",
                "netns",
                "exec",
                namespace,
                "ethtool",
                "-K",
                interface,
                "tx",
                "off",
                "gso",
                "off",
                "tso",
                "off",
                "gro",
                "off",
            )
        if links.reassembly == "tuned":
            text = " && ".join(f"echo {v} > /proc/sys/net/ipv4/{k}" for k, v in REASSEMBLY.items())
            run("ip", "netns", "exec", node, "sh", "-c", text)
        limit(node, links)


def cut(nodes: list[str]) -> None:
    """Drop every IP packet that comes to these nodes, until `join`: senders do not notice."""
    for node in nodes:
        run(
            "ip",
            "netns",
            "exec",
            node,
            "nft",
            "-f",
            "-",
            text=f"""
            table netdev {OUTAGE} {{
                chain outage {{
                    type filter hook ingress device {INTERFACE} priority -1;
                    meta protocol ip counter drop
                }}
            }}""",
        )


def join(nodes: list[str]) -> None:
    """End a `cut`."""
    for node in nodes:
        # Added first, so that one which is not there is no error.
        run(
            "ip",
            "netns",
            "exec",
            node,
            "nft",
            "-f",
            "-",
            text=f"add table netdev {OUTAGE}\ndelete table netdev {OUTAGE}\n",
        )


def limit(node: str, links: Links) -> None:
    """Limit the rate at which a node sends, and drop a share of the packets that come to it."""
    if links.rate_bit_s:
        burst = max(LEAST_BURST_BYTES, int(links.rate_bit_s / 8 / TICKS_PER_S))
        rate, size = f"{links.rate_bit_s:.0f}bit", f"{burst}b"
        run(
            "tc",
            "-n",
            node,
            "qdisc",
            "add",
            "dev",
            INTERFACE,
            "root",
            "tbf",
            "rate",
            rate,
            "burst",
            size,
            "latency",
            f"{QUEUE_MS}ms",
        )
    # The forwarder loses those that are lost in a row.
    if links.loss and not links.burst:
        million = 1_000_000
        # Where packets of the others come in: there the sender sees nothing of a loss.
        run(
            "ip",
            "netns",
            "exec",
            node,
            "nft",
            "-f",
            "-",
            text=f"""
            table netdev busmark {{
                chain loss {{
                    type filter hook ingress device {INTERFACE} priority 0;
                    meta protocol ip numgen random mod {million} < {round(links.loss * million)} \
counter drop
                }}
            }}""",
        )


def bridge(switch: str, nodes: int) -> None:
    """Join the links in the kernel; groups are flooded, as an unmanaged switch does."""
    lines = ["link add br0 type bridge mcast_snooping 0", "link set br0 up"]
    lines += [f"link set p{number} master br0" for number in range(1, nodes + 1)]
    run("ip", "-n", switch, "-batch", "-", text="\n".join(lines))


def remove(names: list[str]) -> None:
    """Remove these namespaces, and with them their links."""
    for name in sorted(namespaces().intersection(names)):
        run("ip", "netns", "del", name)
    for name in names:
        shutil.rmtree(OVER_ETC / name, ignore_errors=True)
    with contextlib.suppress(OSError):
        OVER_ETC.rmdir()  # unless it is somebody else's, too


def inhabitants(name: str) -> list[int]:
    """Return the ids of the processes in a namespace."""
    if name not in namespaces():
        return []
    return [int(pid) for pid in run("ip", "netns", "pids", name).split()]
