import { existsSync } from 'node:fs';
import { Refusal } from './executor.ts';

const CANDIDATES = ['/mnt', '/media', '/srv', '/opt', '/home'];

/**
 * A directory that a private mount namespace may cover, such that it hides no source. It only has to exist and be
 * reachable for every user.
 */
export function mountPoint(sources: readonly string[]): string {
  const free = CANDIDATES.find(
    (point) =>
      existsSync(point) && !sources.some((path) => path === point || path.startsWith(`${point}/`)),
  );
  if (free === undefined) {
    throw new Refusal(`none of ${CANDIDATES.join(', ')} can be mounted on: create /mnt`);
  }
  return free;
}

/** Where the sources are seen below that directory, in their order. */
export const seenBelow = (point: string, sources: readonly string[]): string[] =>
  sources.map((_source, index) => `${point}/${index}`);

/**
 * Shell: `mount_below POINT COUNT SOURCE…` makes the sources reachable below a directory, whatever the modes of the
 * directories above them are. For a mount namespace of its own.
 */
export const MOUNT_BELOW = `mount_below() {
  point=$1 last=$2 n=0
  shift 2
  mount -n -t tmpfs -o mode=755,size=64k,nosuid,nodev filepath "$point" || return
  while [ $n -lt $last ]; do
    if [ -d "$1" ]; then mkdir "$point/$n"; else : > "$point/$n"; fi
    mount -n --bind "$1" "$point/$n" || return
    shift
    n=$((n + 1))
  done
}
`;
