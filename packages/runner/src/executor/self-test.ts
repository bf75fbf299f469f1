import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '../log.ts';
import { type Availability, Refusal } from './executor.ts';
import { type Network, Networks } from './networks.ts';
import { type OnceResult, runOnce } from './once.ts';
import { findTool, installCommand, namespaceFix } from './tools.ts';

/** Below the uids of agents. */
export const SELF_TEST_UID = 20000;
const SECRET = 'filepath-self-test-secret';

/**
 * Each line that the probe prints is a hole in the sandbox. In a container (argument 3) it uses nothing but the shell, has no
 * listener in its network, and is itself process 1.
 */
export const PROBE = `
has() {
  while read -r line; do case $line in $1) return 0 ;; esac; done < "$2"
  return 1
}
while read -r name rest; do
  case $name in *:*) [ "\${name%%:*}" = lo ] || echo "network interface \${name%%:*}";; esac
done < /proc/net/dev
[ ! -e "$1" ] || echo "host file readable"
for place in / /usr /etc /home; do
  ( : > "$place/filepath-probe" ) 2> /dev/null && echo "writable outside: $place"
done
( : > /workspace/probe ) 2> /dev/null || echo "workspace not writable"
has 'Seccomp:?2' /proc/self/status || echo "no filter of system calls"
[ -z "$2" ] || ! has "$2" /proc/self/status || echo "no filter of our own"
if [ -z "$3" ]; then
  grep -aq "$FILEPATH_PROBE" /proc/1/environ /proc/1/cmdline && echo "secret visible in /proc/1"
  has '* 0100007F:10B9 00000000:0000 0A *' /proc/net/tcp || echo "no way out at 127.0.0.1:4281"
fi
echo checked
`;

/** Whether agents can be run in sandboxes here, proven by one. Anything unexpected means no. */
export async function checkSandbox(
  env: NodeJS.ProcessEnv = process.env,
  networks?: Networks,
): Promise<Availability> {
  if (process.platform !== 'linux') return no('agents run in bubblewrap, which needs Linux');
  const bwrap = findTool('bwrap', env);
  if (bwrap === null) {
    return no(`bubblewrap is not installed: run \`${installCommand('bubblewrap')}\``);
  }
  if (networks === undefined) {
    const own = new Networks(env);
    try {
      return await checkSandbox(env, own);
    } finally {
      await own.close();
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'filepath-check-'));
  try {
    const workspace = join(folder, 'workspace');
    const canary = join(folder, 'canary');
    mkdirSync(workspace);
    chmodSync(workspace, 0o777);
    writeFileSync(canary, 'canary', { mode: 0o644 });
    chmodSync(folder, 0o755);
    const probe = (network: Network): Promise<OnceResult> =>
      runOnce({
        bwrap,
        network,
        uid: process.getuid?.() === 0 ? SELF_TEST_UID : null,
        sources: [workspace],
        mounts: ([path = '']) => ({ workspace: path, home: null, extra: [] }),
        environment: new Map([
          ['PATH', '/usr/bin:/bin'],
          ['FILEPATH_PROBE', SECRET],
        ]),
        command: ['/bin/sh', '-c', PROBE, 'probe', canary, ownFilters()],
        timeoutMs: 20_000,
      });
    const result = await networks.lend(probe);
    const holes = result.output.trim().split('\n');
    if (result.status === 0 && holes.length === 1 && holes[0] === 'checked') {
      return { available: true };
    }
    return no(explain(result.timedOut, result.output));
  } catch (error) {
    if (error instanceof Refusal) return no(explain(false, error.message));
    return no(`the sandbox could not be tried: ${reasonOf(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The line that counts the filters this process itself is under; empty where the kernel does not say. */
function ownFilters(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  return /^Seccomp_filters:\s*\d+$/m.exec(status)?.[0] ?? '';
}

function explain(timedOut: boolean, output: string): string {
  if (timedOut) return 'the sandbox did not answer within 20 seconds';
  const said = output.trim().slice(-1000);
  if (/namespace|uid map|Operation not permitted|Permission denied/.test(said)) {
    const fix = namespaceFix();
    return `the system does not permit the sandbox (${said})${
      fix === null
        ? ': run filepath outside of a container, or allow namespaces in it'
        : `: run \`${fix}\``
    }`;
  }
  return `the sandbox failed its self-test: ${said}`;
}

const no = (reason: string): Availability => ({ available: false, reason: reason.slice(0, 2048) });
