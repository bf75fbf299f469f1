import type { ToolCall } from '@filepath/testkit';

/** How a model makes this CLI do a thing: the names and inputs of its tools. */
export type Hands = {
  readonly shell: (command: string) => ToolCall;
  /** A new file in the working directory. */
  readonly write: (cwd: string, name: string, lines: readonly string[]) => ToolCall;
  /** One line of it for another. */
  readonly edit: (cwd: string, name: string, from: string, to: string) => ToolCall;
};

export const CLAUDE_HANDS: Hands = {
  shell: (command) => ({ name: 'Bash', input: { command, description: 'run it' } }),
  write: (cwd, name, lines) => ({
    name: 'Write',
    input: { file_path: `${cwd}/${name}`, content: text(lines) },
  }),
  edit: (cwd, name, from, to) => ({
    name: 'Edit',
    input: { file_path: `${cwd}/${name}`, old_string: from, new_string: to },
  }),
};

export const CODEX_HANDS: Hands = {
  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  write: (_cwd, name, lines) =>
    patch([`*** Add File: ${name}`, ...lines.map((line) => `+${line}`)]),
  edit: (_cwd, name, from, to) => patch([`*** Update File: ${name}`, '@@', `-${from}`, `+${to}`]),
};

export const OPENCODE_HANDS: Hands = {
  shell: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
  write: (cwd, name, lines) => ({
    name: 'write',
    input: { filePath: `${cwd}/${name}`, content: text(lines) },
  }),
  edit: (cwd, name, from, to) => ({
    name: 'edit',
    input: { filePath: `${cwd}/${name}`, oldString: from, newString: to },
  }),
};

export const QWEN_HANDS: Hands = {
  shell: (command) => ({ name: 'run_shell_command', input: { command, is_background: false } }),
  write: (cwd, name, lines) => ({
    name: 'write_file',
    input: { file_path: `${cwd}/${name}`, content: text(lines) },
  }),
  edit: (cwd, name, from, to) => ({
    name: 'edit',
    input: { file_path: `${cwd}/${name}`, old_string: from, new_string: to },
  }),
};

export const GEMINI_HANDS: Hands = {
  ...QWEN_HANDS,
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  edit: (cwd, name, from, to) => ({
    name: 'replace',
    input: {
      file_path: `${cwd}/${name}`,
      instruction: `Put ${to} in the place of ${from}.`,
      old_string: from,
      new_string: to,
    },
  }),
};

/** codex takes a patch as a command, and does it by itself. */
function patch(lines: readonly string[]): ToolCall {
  const body = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  return { name: 'exec_command', input: { cmd: `apply_patch <<'EOF'\n${body}\nEOF` } };
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
