import type { ToolDone, ToolWork } from '@filepath/protocol';
import { refusal, runDeterministic, TOOL_ARGS, type ToolOutcome } from '@filepath/protocol/sky';
import { ENVIRONMENT_DEFAULTS } from '../executor/environment.ts';
import type { RunTask } from '../executor/executor.ts';
import { ScopeRefusal } from '../tunnel/scoped-files.ts';
import { ToolRoom } from './tool-room.ts';

const TIMEOUT_MS = 20_000;

/** A file may have 64 MiB. */
const SCRIPT = `
ulimit -f 131072
cd /workspace || exit
shell=$(command -v bash) || shell=/bin/sh
exec "$shell" -c "$1" 2>&1
`;

const ENVIRONMENT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENVIRONMENT_DEFAULTS),
  ['PATH', '/usr/local/bin:/usr/bin:/bin'],
  ['HOME', '/home/agent'],
]);

/** One call of a tool of a chat, on a copy of its files. A command runs in a sandbox, without a network. */
export async function runTool(
  { parent, task }: { parent: string; task: RunTask },
  { tool, args, files }: ToolWork,
  signal: AbortSignal,
): Promise<ToolDone> {
  const room = new ToolRoom(parent, files);
  try {
    const outcome = await (tool === 'bash'
      ? bash(task, room, args, signal)
      : onFiles(tool, room, args));
    const { changed, removed, leftOut } = room.changes(files);
    const { ok, output, code, change } = outcome;
    const paths = changed.map(({ path }) => path);
    const said =
      tool === 'bash'
        ? { ...output, changed: paths, removed, ...(leftOut.length > 0 && { left_out: leftOut }) }
        : output;
    return {
      ok,
      output: said,
      ...(code === undefined ? {} : { code }),
      ...(change && { change }),
      changed,
      removed,
    };
  } finally {
    room.close();
  }
}

async function bash(
  task: RunTask,
  { place }: ToolRoom,
  args: unknown,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { command } = TOOL_ARGS.bash.parse(args);
  const { status, output, timedOut } = await task({
    place,
    environment: ENVIRONMENT,
    command: ['/bin/sh', '-c', SCRIPT, 'sh', command],
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (timedOut) {
    const late = `The command took longer than ${TIMEOUT_MS / 1000} seconds.`;
    return { ok: false, code: 'timeout', output: { error: late, text: output } };
  }
  // A command that fails has run: what it said is its result.
  return { ok: true, output: { exit: status, text: output } };
}

async function onFiles(
  tool: 'read' | 'edit' | 'write',
  { files }: ToolRoom,
  args: unknown,
): Promise<ToolOutcome> {
  try {
    return await runDeterministic(tool, args, files);
  } catch (error) {
    if (error instanceof ScopeRefusal) return refusal(error.code, error.message);
    throw error;
  }
}
