/**
 * The agent's parent: a few lines of sh that outlive the runner. Arguments: run directory, agent directory, its
 * mount point (empty: keep user and mounts), mirror (empty: none), its mount point, uid, bubblewrap, then the agent's
 * command.
 *
 * - The pid file is claimed with noclobber: of two shims for one epoch, one ends here.
 * - `tail` ends with the shim (`--pid`), bubblewrap too (`--die-with-parent`).
 * - The mounts of the agent's directory and of the mirror exist in this process's mount namespace only. They make both
 *   reachable for the agent's uid whatever the modes of the directories above it are.
 * - The agent writes into a FIFO, which `cat` empties into the spool: what an agent holds open it can also cut
 *   or stretch. The pump's pid is noted, so that the runner can hold it up.
 * - An exit status that cannot be written, on a full disk, is written when it can.
 * - The sandbox joins its control groups (`groups`) as root, before it takes the agent's uid. The shim stays out of them:
 *   what it does at the end cannot fail for a limit.
 */
export const SHIM = `
cd "$1" || exit 1
dir=$2 at=$3 mirror=$4 mirror_at=$5 uid=$6 bwrap=$7
shift 7
started() { start=\${20}; }
end() { until echo "$1" > exit.tmp; do sleep 1; done 2> /dev/null; mv exit.tmp exit; exit; }
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
mkfifo -m 666 in err out 2> stderr || end 125
tail -c 16384 < err > stderr & err=$!
tail -c +1 --pid=$$ -f stdin > in 2> /dev/null & in=$!
cat < out >> spool & out=$!
echo $out > pump
exec 4< seccomp 9< args 7<<PASSWD 8<<HOSTS
agent:x:$uid:$uid::/home/agent:/bin/sh
PASSWD
127.0.0.1 localhost
HOSTS
umask 022
(
  while read -r group; do echo 0 > "$group/cgroup.procs" || exit 125; done < groups
  exec $as env -i PATH=/usr/bin:/bin "$bwrap" --args 9 --json-status-fd 5 -- "$@"
) < in 2> err > out 5> status.json
code=$?
kill $in
wait $err $out
end $code
`;
