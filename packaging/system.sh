#!/bin/sh
# Installs the Debian packages that are named and missing: as root, else it says how.
set -eu
missing=""
for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "Please install the equivalents of these Debian packages:$missing" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    echo "Please run: sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing$missing"
# Programs are wanted, not the services that some packages would start: sshd, slurmd, brokers.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # a list of words
apt-get install -y -qq --no-install-recommends $missing >/dev/null
