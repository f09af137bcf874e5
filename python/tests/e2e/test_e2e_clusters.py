"""Slurm for real, of one node; Kubernetes through its client's command line; the files in
docs/examples."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import (
    HERE,
    Lab,
    assert_complete,
    end,
    eventually,
    need_adapters,
    rows,
    scenario,
    strike,
    tidy,
)

from busmark.store import Result

EXAMPLES = HERE.parents[2] / "docs" / "examples"
SHORT = "duration_s = 0.1\nwarmup_s = 0.02\nmax_samples = 5000"


def beside_slurm(lab: Lab) -> list[str]:
    """Return the prefix of commands that have a Slurm of their own."""
    if os.geteuid() != 0:
        pytest.skip("a Slurm of its own needs root")
    path = f"{os.environ['PATH']}:/usr/sbin"
    missing = [tool for tool in ("munged", "slurmctld", "slurmd", "srun")
               if not shutil.which(tool, path=path)]  # fmt: skip
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (munge slurmctld slurmd slurm-client)")
    return ["unshare", "--net", "--mount", "sh", str(HERE / "with_slurm.sh"), str(lab.scratch)]


def step(host: str) -> str:
    return f"srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none --mem=0 --nodelist={host}"


def busmark_in(folder: Path) -> dict[str, str]:
    """Return variables with which the command is found by its name."""
    program = folder / "busmark"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m busmark "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_the_job_script_runs_a_campaign_on_the_nodes_of_its_job(lab: Lab) -> None:
    need_adapters("tcp", "udp")
    lab.scenario(scenario('adapter = ["tcp", "udp"]', measure=SHORT, rounds="min = 2"))
    out = lab.folder / "result"
    # `sbatch --wait` looks too seldom.
    wait = 'sbatch "$@" && while [ -n "$(squeue --noheader)" ]; do sleep 0.1; done'
    job = ["sh", "-c", wait, "sh", "--nodes=1", f"--output={lab.folder}/job.log",
           str(EXAMPLES / "slurm.sbatch"), "scenario.toml", str(out)]  # fmt: skip
    done = subprocess.run(
        [*beside_slurm(lab), *job], cwd=lab.folder, capture_output=True, text=True, check=False,
        env={**lab.environment, **busmark_in(lab.scratch)}, stdin=subprocess.DEVNULL, timeout=180,
    )  # fmt: skip
    log = lab.folder / "job.log"
    said = log.read_text() if log.exists() else ""
    assert done.returncode == 0 and "Report: " in said, done.stdout + done.stderr + said
    assert_complete(out, cases=2, rounds=2)
    host = socket.gethostname().partition(".")[0]
    assert {row["nodes"] for row in rows(out)} == {f"{host};{host}"}
    assert Result(out).manifest.hosts[host]["prefix"] == step(socket.gethostname())
    lab.assert_nothing_left()


def test_a_killed_campaign_leaves_no_worker_in_slurm(lab: Lab) -> None:
    need_adapters("tcp")
    prefix = step(socket.gethostname())
    also = f'[nodes.left]\nprefix = "{prefix}"\n[nodes.right]\nprefix = "{prefix}"'
    text = scenario('adapter = "tcp"', measure="duration_s = 600", rounds="min = 1\nretries = 0",
                    also=also)  # fmt: skip
    lab.scenario(text)
    within = [*beside_slurm(lab), "salloc", "--quiet", "--nodes=1"]
    with tidy(lab.start("run", "scenario.toml", "--out", "result", prefix=within)) as process:
        eventually(lambda: len(lab.workers()) == 2, lambda: f"running: {lab.processes()}")
        for pid, command in lab.processes().items():
            if Path(command.split(" ")[0]).name.startswith("python"):
                strike(pid)
        eventually(lambda: not lab.workers(), lambda: f"alive: {lab.processes()}")
        end(process)
    eventually(lambda: not lab.processes(), lambda: f"alive: {lab.processes()}")


# --- Kubernetes -----------------------------------------------------------------------------------


def kubectl(lab: Lab) -> dict[str, str]:
    """Return variables with which the stand-in is the client, and two pods are there."""
    return {
        "PATH": f"{HERE / 'clients'}:{os.environ['PATH']}", "PODS": "busmark-0 busmark-1",
        "KUBECTL_LOG": str(lab.scratch / "kubectl.log"),
    }  # fmt: skip


def documents(name: str) -> list[dict[str, Any]]:
    """Return the documents of a file in docs/examples."""
    convert = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))"
    done = subprocess.run(["/usr/bin/python3", "-c", convert], capture_output=True, text=True,
                          input=(EXAMPLES / name).read_text(), check=False)  # fmt: skip
    if "No module named" in done.stderr:
        pytest.skip("not installed: python3-yaml")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_campaign_runs_through_the_command_line_of_the_manifest(lab: Lab) -> None:
    """With the very options of the job in docs/examples."""
    need_adapters("tcp", "mqtt")
    (job,) = (each for each in documents("kubernetes-job.yaml") if each["kind"] == "Job")
    words = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert words[:2] == ["busmark", "run"]
    nodes = [word for word in words if word.startswith("--node=")]
    assert len(nodes) == 2
    lab.scenario(scenario('adapter = ["tcp", "mqtt"]', measure=SHORT, rounds="min = 1"))
    out = lab.folder / "result"
    loopback = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    ended = lab.busmark("run", "scenario.toml", "--out", out, *nodes, variables=kubectl(lab),
                        prefix=loopback if os.geteuid() == 0 else [])  # fmt: skip
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=1)
    asked = set((lab.scratch / "kubectl.log").read_text().splitlines())
    assert asked == {"kubectl exec -i busmark-0 -- sh", "kubectl exec -i busmark-1 -- sh"}
    # A home that takes no files, as in many containers: programs go with the shell.
    assert not list(lab.scratch.rglob("busmark-worker"))
    lab.assert_nothing_left()


def test_the_manifest_makes_the_pods_that_the_job_asks_for() -> None:
    service, nodes = documents("kubernetes.yaml")
    assert (service["kind"], nodes["kind"]) == ("Service", "StatefulSet")
    labels = nodes["spec"]["template"]["metadata"]["labels"]
    assert labels == nodes["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    assert nodes["spec"]["serviceName"] == service["metadata"]["name"]
    pods = [f"{nodes['metadata']['name']}-{number}" for number in range(nodes["spec"]["replicas"])]
    documented = (EXAMPLES / "kubernetes-job.yaml").read_text(encoding="utf-8")
    assert all(f"kubectl exec -i {pod} --" in documented for pod in pods)
    names = {d["kind"]: d["metadata"]["name"] for d in documents("kubernetes-job.yaml")}
    spec = documents("kubernetes-job.yaml")[-1]["spec"]["template"]["spec"]
    assert spec["serviceAccountName"] == names["ServiceAccount"]
    assert (
        spec["volumes"][0]["persistentVolumeClaim"]["claimName"] == names["PersistentVolumeClaim"]
    )
