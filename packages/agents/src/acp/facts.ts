import { relative, isAbsolute } from 'node:path';
import { unifiedDiff } from './unified-diff.ts';
import type { ToolCall } from './wire.ts';

/** What the programs say of a tool call, each in its own place. */

export function inputOf(call: ToolCall): Record<string, unknown> {
  return recordOf(call.rawInput);
}

/** A name that stays: titles change while a call goes on. */
export function nameOf(call: ToolCall): string {
  const told =
    call.name ?? textAt(call._meta, 'claudeCode', 'toolName') ?? textAt(call._meta, 'toolName');
  if (told !== undefined && told !== '') return told.slice(0, 128);
  if (/^[\w.-]{1,64}$/.test(call.title ?? '')) return call.title ?? 'tool';
  return call.kind === null || call.kind === undefined || call.kind === 'other'
    ? (call.title ?? 'tool').slice(0, 128)
    : call.kind;
}

/** The command line of a call that runs one; null if it is no such call. */
export function commandOf(call: ToolCall): string | null {
  if (call.kind !== 'execute') return null;
  const { command } = inputOf(call);
  if (typeof command === 'string') return command;
  if (Array.isArray(command)) return shellLine(command);
  return call.title ?? 'command';
}

/** `["/bin/bash","-lc","ls"]` is shown as what the shell is given. */
function shellLine(command: readonly unknown[]): string {
  const words = command.map(String);
  const [shell = '', flag = '', line] = words;
  return /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(flag) && line !== undefined
    ? line
    : words.join(' ');
}

/** Undefined: the program does not tell. */
export function exitOf(call: ToolCall): number | undefined {
  const output = recordOf(call.rawOutput);
  return (
    numberIn(recordOf(call._meta?.['terminal_exit'])['exit_code']) ??
    numberIn(recordOf(output['metadata'])['exit']) ??
    numberIn(output['exit_code']) ??
    numberIn(output['exitCode']) ??
    exitInText(call)
  );
}

/** Qwen Code tells it in the text for its model. */
function exitInText(call: ToolCall): number | undefined {
  const code = /^Exit Code: (\d+)$/m.exec(isReport(call) ? contentText(call) : '')?.[1];
  return code === undefined ? undefined : Number(code);
}

function isReport(call: ToolCall): boolean {
  return textAt(call._meta, 'toolName') === 'run_shell_command';
}

/** A command that was cut off has no exit status, though opencode says that it completed. */
export function wasCutOff(call: ToolCall): boolean {
  return recordOf(recordOf(call.rawOutput)['metadata'])['exit'] === null;
}

export function outputOf(call: ToolCall, streamed: string): string | undefined {
  if (streamed !== '') return streamed;
  const raw = call.rawOutput;
  if (typeof raw === 'string' && isReport(call)) return raw;
  const text = contentText(call);
  if (text !== '') return text;
  if (typeof raw === 'string') return raw;
  const { output, formatted_output: formatted, stdout, error } = recordOf(raw);
  return [formatted, output, stdout, error].find((part) => typeof part === 'string');
}

export function stderrOf(call: ToolCall): string | undefined {
  const { stderr } = recordOf(call.rawOutput);
  return typeof stderr === 'string' && stderr !== '' ? stderr : undefined;
}

function contentText({ content }: ToolCall): string {
  return (content ?? []).flatMap((part) => part.content?.text ?? []).join('\n');
}

/** A piece of a command's output, which comes before its end. */
export function outputChunk(call: ToolCall): string {
  const { _meta: meta } = call;
  return (
    textAt(meta, 'terminal_output', 'data') ?? textAt(meta, 'terminal_output_delta', 'data') ?? ''
  );
}

export function diffOf(call: ToolCall, cwd: string): string | undefined {
  const told = recordOf(recordOf(call.rawOutput)['metadata'])['diff'];
  if (typeof told === 'string' && told !== '') return shorterPaths(told, cwd);
  const added = newFileOf(call);
  if (added !== null) return unifiedDiff(pathOf(call, cwd) ?? 'file', '', added);
  const diffs = (call.content ?? []).flatMap(({ path, oldText, newText }) =>
    path && typeof newText === 'string'
      ? [unifiedDiff(pathIn(path, cwd), oldText ?? '', newText)]
      : [],
  );
  return diffs.length === 0 ? undefined : diffs.join('');
}

/** opencode tells of a new file by what is written into it. */
function newFileOf(call: ToolCall): string | null {
  const { content } = inputOf(call);
  const { exists } = recordOf(recordOf(call.rawOutput)['metadata']);
  return exists === false && typeof content === 'string' ? content : null;
}

export function pathOf(call: ToolCall, cwd: string): string | undefined {
  const input = inputOf(call);
  const path =
    (call.content ?? []).find(({ type }) => type === 'diff')?.path ??
    [input['filePath'], input['file_path'], input['path']].find(
      (value): value is string => typeof value === 'string',
    ) ??
    call.locations?.[0]?.path;
  return path === undefined || path === null || path === '' ? undefined : pathIn(path, cwd);
}

/** The call of another agent that this one belongs to. */
export function parentOf(call: ToolCall): string | undefined {
  return textAt(call._meta, 'claudeCode', 'parentToolUseId');
}

function pathIn(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(cwd, path);
  return inside === '' ? '.' : inside.startsWith('..') ? path : inside;
}

function shorterPaths(diff: string, cwd: string): string {
  return diff
    .replaceAll(/^(Index: .*|=+)\n/gm, '')
    .replaceAll(`--- ${cwd}/`, '--- ')
    .replaceAll(`+++ ${cwd}/`, '+++ ');
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = keys.reduce<unknown>((inner, key) => recordOf(inner)[key], value);
  return typeof found === 'string' ? found : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
