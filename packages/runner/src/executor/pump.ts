/**
 * Empties the agent's stdout into the spool: a function for the shim, with the FIFO as its stdin.
 *
 * - Blocks are reserved before bytes are taken from the agent. On a full disk it waits with nothing in its hands, and
 *   goes on when there is room. Where a file system knows no reservation it writes as it can.
 * - `credit` says how far it may go. So a spool is bounded also while no runner is there.
 * - `dd` writes each read at once, takes no more than it is told, and says how much that was.
 * - `pump` says what it does, written over in its place: `flow`, `wait` for credit, or `full`.
 * - While it waits it ends with the shim. While it reads it ends with the agent.
 */
export const PUMP = `
pump() {
  at=0 end=0 plain= said= size=65536 step=4194304 nap=0.02
  while :; do
    most=0
    read -r most < credit
    if [ $((at + size)) -gt "$most" ]; then
      idle wait 0.1
      continue
    fi
    [ $((at + step / 4)) -le $end ] || reserve
    to=$((end < most ? end : most))
    count=$(((to - at) / size))
    if [ $count -lt 1 ]; then
      idle full 0.5
      continue
    fi
    nap=0.02
    say flow
    did=$(LC_ALL=C dd bs=$size count=$count 2>&1 >> spool) || return
    did=\${did##*out
}
    did=\${did%% *}
    [ "$did" -gt 0 ] || return
    at=$((at + did))
  done
}
idle() {
  kill -0 $$ 2> /dev/null || exit
  say $1
  sleep $nap
  nap=$2
}
say() {
  [ "$said" = "$1" ] || echo "$1" 1<> pump
  said=$1
}
reserve() {
  [ -z "$plain" ] || { end=$((at + step)); return; }
  if why=$(LC_ALL=C fallocate --keep-size --offset $at --length $step spool 2>&1); then
    end=$((at + step))
    return
  fi
  case $why in *'No space'*|*quota*) ;; *) plain=1 end=$((at + step)) ;; esac
}
`;
