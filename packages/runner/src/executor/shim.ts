/**
 * The agent's parent: a few lines of sh that outlive the runner. Arguments: run directory, agent directory, its
 * mount point (empty: keep user and mounts), mirror (empty: none), its mount point, uid, bubblewrap, then the agent's
 * command.
 *
 * - The pid file is claimed with noclobber: of two shims for one epoch, one ends here.
 * - `tail` ends with the shim (`--pid`), bubblewrap too (`--die-with-parent`).
 * - The mounts of the agent's directory and of the mirror exist in this process's mount namespace only. They make both
 *   reachable for the agent's uid whatever the modes of the directories above it are.
 * - The spool is opened once. The agent cannot open it anew through /dev/stdout and cut it: it is another
 *   user's, or its mode forbids it.
 */
export const SHIM = `
cd "$1" || exit 1
dir=$2 at=$3 mirror=$4 mirror_at=$5 uid=$6 bwrap=$7
shift 7
started() { start=\${20}; }
end() { echo "$1" > exit.tmp; mv exit.tmp exit; exit; }
read -r line < /proc/$$/stat
started \${line##*) }
read -r boot < /proc/sys/kernel/random/boot_id
umask 077
set -C
{ echo "$$ $start $boot" > pid; } 2> /dev/null || exit 0
set +C
as=
if [ -n "$at" ]; then
  mount -n --bind "$dir" "$at" 2> stderr || end 125
  [ -z "$mirror" ] || mount -n --bind "$mirror" "$mirror_at" 2> stderr || end 125
  as="setpriv --reuid $uid --regid $uid --clear-groups --no-new-privs"
fi
mkfifo -m 666 in err 2> stderr || end 125
tail -c 8192 < err > stderr & err=$!
tail -c +1 --pid=$$ -f stdin > in 2> /dev/null & in=$!
exec 3>> spool 9< args 7<<PASSWD 8<<HOSTS
agent:x:$uid:$uid::/home/agent:/bin/sh
PASSWD
127.0.0.1 localhost
HOSTS
[ -n "$at" ] || chmod 400 spool
umask 022
$as env -i PATH=/usr/bin:/bin "$bwrap" --args 9 --json-status-fd 5 -- "$@" \\
  < in 2> err >&3 3>&- 5> status.json
code=$?
kill $in
wait $err
end $code
`;
