import { defineTool, failed, type LoopTool, type ToolResult } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { runProcess } from '../run-process.ts';

const reading = ['status', 'diff', 'log', 'show'] as const;

const common = {
  paths: z.array(z.string().min(1)).max(100).optional(),
  ref: z.string().min(1).max(200).optional().describe('a commit, branch or range'),
  staged: z.boolean().optional().describe('of diff: what is staged'),
  limit: z.int().min(1).max(200).optional().describe('of log: commits; 20 unless given'),
};

/** git for reading, for an agent that changes nothing. */
export function gitReadTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'git',
    description: 'Look at the repository: status, diff, log, or show of one commit.',
    input: z.object({ action: z.enum(reading), ...common }),
    readOnly: true,
    run: (input, { signal }) => git(kit, argsOf(input), signal),
  });
}

export function gitTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'git',
    description:
      'Look at the repository (status, diff, log, show), or commit. commit takes a message, and all changes unless paths are given.',
    input: z.object({
      action: z.enum([...reading, 'commit']),
      message: z.string().min(1).max(10_000).optional().describe('of commit'),
      ...common,
    }),
    readOnly: false,
    async run(input, { signal }) {
      const { action, message, paths } = input;
      if (action !== 'commit') return git(kit, argsOf({ ...input, action }), signal);
      if (message === undefined) return failed('A commit needs a message.');
      const added = await git(kit, ['add', '-A', '--', ...(paths ?? ['.'])], signal);
      if (!added.ok) return added;
      const only = paths === undefined ? [] : ['--', ...paths];
      return git(kit, [...(await identity(kit, signal)), 'commit', '-m', message, ...only], signal);
    },
  });
}

type Reading = {
  readonly action: (typeof reading)[number];
  readonly paths?: readonly string[] | undefined;
  readonly ref?: string | undefined;
  readonly staged?: boolean | undefined;
  readonly limit?: number | undefined;
};

function argsOf({ action, paths = [], ref, staged, limit = 20 }: Reading): string[] {
  if (ref?.startsWith('-')) throw new Error(`${ref} is no commit, branch or range.`);
  const refs = ref === undefined ? [] : [ref];
  switch (action) {
    case 'status':
      return ['status', '--short', '--branch', '--', ...paths];
    case 'diff':
      return ['diff', '--no-ext-diff', ...(staged ? ['--cached'] : []), ...refs, '--', ...paths];
    case 'log':
      return [
        'log',
        '--format=%h %ad %an %s',
        '--date=short',
        `-n${limit}`,
        ...refs,
        '--',
        ...paths,
      ];
    case 'show':
      return ['show', '--no-ext-diff', '--stat', '--patch', ...refs, '--', ...paths];
  }
}

async function git(kit: Kit, args: readonly string[], signal: AbortSignal): Promise<ToolResult> {
  const end = await runProcess(['git', '--no-pager', ...args], {
    cwd: kit.place.workspace,
    env: { ...kit.env, GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true' },
    timeoutMs: 60_000,
    signal,
  });
  const text = `${end.stdout}${end.stderr}`.trim();
  if (end.exit === 0) return { ok: true, text: text === '' ? '(nothing)' : text };
  return failed(`git ended with ${end.exit ?? end.signal}: ${text}`);
}

/** Without a name git commits nothing: the agent's own stands in where none is configured. */
async function identity(kit: Kit, signal: AbortSignal): Promise<string[]> {
  const set = await git(kit, ['config', 'user.email'], signal);
  if (set.ok || kit.env['GIT_AUTHOR_EMAIL'] !== undefined) return [];
  return ['-c', `user.name=${kit.agentType}`, '-c', `user.email=${kit.agentType}@filepath.invalid`];
}
