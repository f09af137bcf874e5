#!/bin/sh
# Runs a command beside an sshd of its own: with_sshd.sh FOLDER COMMAND...
# Started in a network and a mount namespace of its own (unshare --net --mount), so that nobody else can
# reach it. FOLDER has the keys and the configuration of both sides afterwards; the hosts are lab1, lab2, ...
# and, with one connection for all that goes to each, mux1, mux2, ...
# What ssh starts has these variables of ours, as if it had been started by the test itself.
set -eu
folder=$1
shift
ip link set lo up
mount -t tmpfs none /run
mkdir /run/sshd
for key in host user; do
    [ -f "$folder/$key" ] || ssh-keygen -q -t ed25519 -N '' -f "$folder/$key"
done
cat > "$folder/sshd_config" <<END
ListenAddress 127.0.0.1:2222
HostKey $folder/host
AuthorizedKeysFile $folder/user.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
PidFile none
StrictModes no
SetEnv BUSMARK_TEST_MARK=$BUSMARK_TEST_MARK XDG_CACHE_HOME=$XDG_CACHE_HOME TMPDIR=$TMPDIR
END
cat > "$folder/ssh_config" <<END
Host mux*
  ControlMaster auto
  ControlPath $folder/%n
Host lab* mux*
  HostName 127.0.0.1
  Port 2222
  IdentityFile $folder/user
  IdentitiesOnly yes
  UserKnownHostsFile $folder/known_hosts
END
echo "[127.0.0.1]:2222 $(cut -d ' ' -f 1,2 "$folder/host.pub")" > "$folder/known_hosts"
setpriv --pdeathsig KILL /usr/sbin/sshd -D -e -f "$folder/sshd_config" 2> "$folder/sshd.log" &
trap "kill $!" EXIT
"$@"
