#!/bin/sh
# Runs a command beside a Slurm of its own, of one node: with_slurm.sh FOLDER COMMAND...
# Started in a network and a mount namespace of its own (unshare --net --mount).
set -eu
folder=$1
shift
host=$(hostname)
ip link set lo up
# Slurm does not resolve names on a machine that has a loopback only.
ip link add s0 type veth peer name s1
ip address add 10.79.0.1/24 dev s0
ip link set s0 up
ip link set s1 up
mount -t tmpfs none /run
mkdir -p /run/munge "$folder/state" "$folder/spool"
printf '127.0.0.1 localhost\n10.79.0.1 %s\n' "$host" > "$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
head -c 64 /dev/urandom > "$folder/munge.key"
chmod 600 "$folder/munge.key"
cat > "$folder/slurm.conf" <<END
ClusterName=busmark
SlurmctldHost=$host(10.79.0.1)
NodeName=$host NodeAddr=10.79.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES
SlurmUser=root
AuthInfo=socket=/run/munge/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
END
export SLURM_CONF="$folder/slurm.conf"
started=
start() {
    setpriv --pdeathsig KILL "$@" > "$folder/$(basename "$1").log" 2>&1 &
    started="$started $!"
}
finish() {
    tries=0
    while [ -n "$(squeue --noheader 2>/dev/null)" ] && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill $started
}
trap finish EXIT
start munged --foreground --force --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
    --seed-file="$folder/munge.seed" --log-file="$folder/munged.own.log" \
    --socket=/run/munge/munge.socket
start slurmctld -D
start slurmd -D -N "$host"
tries=0
until sinfo --noheader --format %t 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { echo "Slurm does not start" >&2; exit 1; }
    sleep 0.1
done
"$@"
