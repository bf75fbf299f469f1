import { defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { type ProcessEnd, runProcess } from '../run-process.ts';

export function bashTool({ place, env }: Kit): LoopTool {
  return defineTool({
    name: 'bash',
    description:
      'Run a command with bash in the workspace. stdin is empty. Each call is a new shell. Long outputs are cut in the middle.',
    input: z.object({
      command: z.string().min(1).max(32_768),
      timeout: z.int().min(1).max(1_800).optional().describe('seconds; 120 unless given'),
    }),
    readOnly: false,
    async run({ command, timeout = 120 }, { signal }) {
      const end = await runProcess(['bash', '-c', command], {
        cwd: place.workspace,
        env,
        timeoutMs: timeout * 1_000,
        signal,
      });
      const { exit, stdout, stderr } = end;
      return {
        ok: exit === 0,
        text: textOf(end, timeout, signal.aborted),
        detail: { exit: exit ?? -1, stdout, stderr },
      };
    },
  });
}

function textOf(end: ProcessEnd, timeout: number, interrupted: boolean): string {
  const how = interrupted
    ? 'interrupted'
    : end.timedOut
      ? `ended after ${timeout} seconds, which was its time`
      : end.exit === null
        ? `ended by ${end.signal}`
        : `exit ${end.exit}`;
  return [
    how,
    ...(end.stdout === '' ? [] : [`stdout:\n${end.stdout}`]),
    ...(end.stderr === '' ? [] : [`stderr:\n${end.stderr}`]),
  ].join('\n');
}
