import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that this process was started with and would hand on to every child. Node opens its own with
 * close-on-exec and cannot close what it does not know.
 */
function inherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => {
      if (fd < 3) return false;
      try {
        const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
        return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
      } catch {
        return false;
      }
    });
}

let covers: (number | 'ignore')[] | null = null;

/** `stdio` for a child that gets /dev/null in place of each of them. */
export function coveredStdio(): (number | 'ignore')[] {
  if (covers === null) {
    covers = ['ignore', 'ignore', 'ignore'];
    const open = inherited();
    const nowhere = open.length === 0 ? -1 : openSync('/dev/null', 'r+');
    for (let fd = 3; fd <= Math.max(2, ...open); fd++) {
      covers[fd] = open.includes(fd) ? nowhere : 'ignore';
    }
  }
  return [...covers];
}
