import { MOUNT_BELOW } from './mount-points.ts';
import { PUMP } from './pump.ts';

/**
 * The agent's parent: a few lines of sh that outlive the runner. Arguments: run directory, mount point (empty: keep user
 * and mounts), uid, bubblewrap, how many sources, the sources, then the agent's command.
 *
 * - The pid file is claimed with noclobber: of two shims for one epoch, one ends here. One that cannot write it, on a
 *   full disk, has not begun.
 * - `tail` ends with the shim (`--pid`), bubblewrap too (`--die-with-parent`).
 * - The mounts of the sources exist in this process's mount namespace only.
 * - The agent writes into a FIFO, which a pump empties into the spool: what an agent holds open it can also cut
 *   or stretch.
 * - `FSIZE` is the most that one file of the agent may have, in blocks of 512 bytes.
 * - An exit status that cannot be written, on a full disk, is written when it can.
 * - The sandbox joins its control groups (`groups`) as root, before it takes the agent's uid. The shim stays out of them:
 *   what it does at the end cannot fail for a limit.
 * - The sandbox enters the network namespace that was made for it; where that fails nothing runs. Of the descriptors that
 *   name it none gets into the sandbox.
 */
export const SHIM = `${PUMP}${MOUNT_BELOW}cd "$1" || exit 1
at=$2 uid=$3 bwrap=$4 sources=$5
shift 5
started() { start=\${20}; }
end() { until echo "$1" > exit.tmp; do sleep 1; done 2> /dev/null; mv exit.tmp exit; exit; }
read -r line < /proc/$$/stat
started \${line##*) }
read -r boot < /proc/sys/kernel/random/boot_id
umask 077
set -C
{ true > pid; } 2> /dev/null || exit 0
set +C
{ echo "$$ $start $boot" > pid; } 2> /dev/null || { rm -f pid; exit 0; }
as= enter="--user=/proc/$$/fd/6 --preserve-credentials"
if [ -n "$at" ]; then
  enter=
  mount_below "$at" "$sources" "$@" 2> stderr || end 125
  as="setpriv --reuid $uid --regid $uid --clear-groups --no-new-privs"
fi
shift "$sources"
mkfifo -m 666 in err out 2> stderr || end 125
tail -c 16384 < err > stderr & err=$!
tail -c +1 --pid=$$ -f stdin > in 2> /dev/null & in=$!
pump < out 2> /dev/null & out=$!
exec 4< seccomp 9< args 7<<PASSWD 8<<HOSTS
agent:x:$uid:$uid:agent:/home/agent:/bin/sh
PASSWD
127.0.0.1 localhost
HOSTS
umask 022
(
  [ -z "$FSIZE" ] || ulimit -f "$FSIZE"
  while read -r group; do echo 0 > "$group/cgroup.procs" || exit 125; done < groups
  exec nsenter $enter --net=/proc/$$/fd/3 -- $as env -i PATH=/usr/bin:/bin "$bwrap" --args 9 --json-status-fd 5 -- "$@"
) < in 2> err > out 5> status.json 3<&- 6<&-
code=$?
kill $in
wait $err $out
end $code
`;
