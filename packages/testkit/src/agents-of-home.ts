import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The pids of the shims under a home, of every epoch that has one. */
export function shimPids(home: string): number[] {
  return entries(join(home, 'agents')).flatMap((slug) =>
    entries(join(home, 'agents', slug, 'run')).flatMap((epoch) => {
      try {
        const text = readFileSync(join(home, 'agents', slug, 'run', epoch, 'pid'), 'utf8');
        const pid = Number.parseInt(text, 10);
        return isShimOf(pid, home) ? [pid] : [];
      } catch {
        return [];
      }
    }),
  );
}

/** A pid may be somebody else's by now: a shim names its home on its command line. */
function isShimOf(pid: number, home: string): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(home);
}

/** Ends what agents of a home are left. */
export function endAgents(home: string): void {
  for (const pid of shimPids(home)) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** Processes of an agent, by the environment that they were started with. */
export function agentPids(thread: string): number[] {
  return entries('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`FILEPATH_AGENT_ID=${thread}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}
