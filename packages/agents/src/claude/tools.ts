import { relative } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import { z } from 'zod';
import type { Block } from './lines.ts';
import { diffOf } from './patch.ts';

type WorkEvent = Extract<AgentEvent, { type: 'tool' | 'command' }>;

/** Tools that run a line of shell, by the name that a CLI of this dialect gives them. */
const SHELLS = new Set(['Bash', 'run_shell_command', 'shell', 'shell_command']);

const Input = z.looseObject({
  command: z.string().optional(),
  cmd: z.string().optional(),
  file_path: z.string().optional(),
  notebook_path: z.string().optional(),
  path: z.string().optional(),
  absolute_path: z.string().optional(),
});

const ShellResult = z.looseObject({
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  interrupted: z.boolean().optional(),
  backgroundTaskId: z.string().optional(),
});

/** The event that a `tool_use` block opens. */
export function toolStart(block: Block, parent: string | undefined, cwd: string): WorkEvent {
  const { name = 'tool', id = '', input } = block;
  const parsed = Input.safeParse(input);
  const known = parsed.success ? parsed.data : {};
  const common = {
    status: 'start' as const,
    id: id.slice(0, 128),
    ...(parent === undefined ? {} : { parent }),
  };
  const cmd = known.command ?? known.cmd;
  if (SHELLS.has(name) && typeof cmd === 'string') return { type: 'command', cmd, ...common };
  const path = known.file_path ?? known.notebook_path ?? known.absolute_path ?? known.path;
  return {
    type: 'tool',
    name,
    ...(typeof path === 'string' ? { path: shownFrom(cwd)(path) } : {}),
    ...common,
    input,
  };
}

/** The event that ends it: `block` is the `tool_result`, `result` what the CLI says of it beside. */
export function toolEnd(open: WorkEvent, block: Block, result: unknown, cwd: string): WorkEvent {
  const text = textOf(block.content);
  const failed = block.is_error === true;
  if (open.type === 'command') return commandEnd(open, text, failed, result);
  const diff = failed ? undefined : diffOf(result, shownFrom(cwd));
  const { input: _input, ...head } = open;
  return {
    ...head,
    status: failed ? 'error' : 'done',
    output: failed ? failureOf(text) : text,
    ...(diff === undefined ? {} : { diff }),
  };
}

function commandEnd(
  open: Extract<WorkEvent, { type: 'command' }>,
  text: string,
  failed: boolean,
  result: unknown,
): WorkEvent {
  const code = /^(?:Error: )?Exit code (\d+)\n?/.exec(text);
  if (failed) {
    return {
      ...open,
      status: 'error',
      ...(code ? { exit: Number(code[1]), stdout: text.slice(code[0].length) } : {}),
      ...(code ? {} : { stderr: failureOf(text) }),
    };
  }
  const amp = result === undefined ? ampResult(text) : null;
  if (amp) return { ...open, status: amp.exit === 0 ? 'done' : 'error', ...amp };
  const parsed = ShellResult.safeParse(result);
  const { stdout = text, stderr = '', interrupted, backgroundTaskId } = parsed.data ?? {};
  if (interrupted === true) return { ...open, status: 'error', stdout, stderr };
  // In the background it has not ended: nobody knows its exit status.
  const exit = backgroundTaskId === undefined ? { exit: 0 } : {};
  return { ...open, status: 'done', ...exit, stdout, stderr };
}

const AmpResult = z.looseObject({ output: z.string(), exitCode: z.number() });

/** Amp answers for a command with JSON. */
function ampResult(text: string): { exit: number; stdout: string } | null {
  if (!text.startsWith('{')) return null;
  try {
    const { output, exitCode } = AmpResult.parse(JSON.parse(text));
    return { exit: exitCode, stdout: output };
  } catch {
    return null;
  }
}

/** The text of a tool's answer. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      const text: unknown = typeof part === 'object' && part !== null && Reflect.get(part, 'text');
      return typeof text === 'string' ? text : `(${kindOf(part)})`;
    })
    .join('\n');
}

function kindOf(part: unknown): string {
  const type: unknown = typeof part === 'object' && part !== null && Reflect.get(part, 'type');
  return typeof type === 'string' ? type : 'other content';
}

/** The words of a failure, without those that are for the model. */
function failureOf(text: string): string {
  if (text.startsWith("The user doesn't want to proceed with this tool use")) return 'interrupted';
  return text.replaceAll(/<\/?tool_use_error>/g, '');
}

/** Paths below the workspace are shown from there. */
function shownFrom(cwd: string): (path: string) => string {
  return (path) => {
    const inside = relative(cwd, path);
    return inside === '' || inside.startsWith('..') || inside === path ? path : inside;
  };
}
