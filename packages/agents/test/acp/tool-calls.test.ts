import { describe, expect, it } from 'vitest';
import { hearing, work } from './events.ts';

const call = (rest: Record<string, unknown>) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't1',
  ...rest,
});
const shell = { kind: 'execute', status: 'in_progress', rawInput: { command: 'make' } };

describe('tool calls of ACP', () => {
  it.each([
    ['the adapters', { _meta: { terminal_exit: { exit_code: 3 } } }],
    ['opencode', { rawOutput: { output: 'no', metadata: { exit: 3 } } }],
    ['codex without a terminal', { rawOutput: { exit_code: 3 } }],
    ['cursor', { rawOutput: { exitCode: 3, stdout: '', stderr: '' } }],
    [
      'qwen',
      {
        _meta: { toolName: 'run_shell_command' },
        content: [
          { type: 'content', content: { type: 'text', text: 'Output: x\nExit Code: 3\n' } },
        ],
      },
    ],
  ])('[DRV54] the exit status is found where %s puts it', (_program, end) => {
    const { said, events } = hearing();
    said.update(call(shell));
    said.update(call({ status: 'completed', ...end }));
    expect(work(events).at(-1)).toMatchObject({
      type: 'command',
      cmd: 'make',
      exit: 3,
      status: 'error',
    });
  });

  it('[DRV54] a command whose exit status nobody tells has none', () => {
    const { said, events } = hearing();
    said.update(call(shell));
    said.update(call({ status: 'completed' }));
    expect(work(events).at(-1)).toEqual({
      type: 'command',
      cmd: 'make',
      status: 'done',
      id: 't1',
    });
  });

  it('[DRV54] a command that was cut off is no success, whatever the program calls it', () => {
    const { said, events, calls } = hearing();
    said.update(call(shell));
    calls.interrupted = true;
    said.update(call({ status: 'completed' }));
    expect(work(events).at(-1)).toMatchObject({ status: 'error' });
  });

  it('[DRV55] a call that is asked for before it is announced begins once and ends once', () => {
    const { said, events, calls } = hearing();
    calls.update({ toolCallId: 't1', kind: 'edit', title: 'a.txt', rawInput: { path: 'a.txt' } });
    said.update({
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'a.txt',
      status: 'pending',
    });
    said.update(call({ status: 'completed' }));
    said.update(call({ status: 'completed' }));
    expect(work(events).map((event) => Reflect.get(event, 'status'))).toEqual(['start', 'done']);
  });

  it('[DRV55] a call begins when its input is known, under the name that it had first', () => {
    const { said, events } = hearing();
    said.update({
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'webfetch',
      kind: 'other',
      status: 'pending',
      rawInput: {},
    });
    expect(work(events)).toEqual([]);
    said.update(call({ status: 'in_progress', title: 'example.com', rawInput: { url: 'x' } }));
    said.update(call({ status: 'failed', title: 'not found' }));
    expect(work(events)).toMatchObject([
      { type: 'tool', name: 'webfetch', status: 'start', input: { url: 'x' } },
      { type: 'tool', name: 'webfetch', status: 'error' },
    ]);
  });

  it('[DRV56] what an edit changed is a diff, with paths from the workspace', () => {
    const { said, events } = hearing();
    const diff = {
      type: 'diff',
      path: '/workspace/a.txt',
      oldText: 'one\ntwo\n',
      newText: 'one\n2\n',
    };
    said.update(call({ kind: 'edit', title: 'Edit', status: 'completed', content: [diff] }));
    expect(work(events).at(-1)).toMatchObject({
      path: 'a.txt',
      diff: '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    });
  });

  it('[DRV56] output that comes in pieces is kept whole', () => {
    const { said, events } = hearing();
    said.update(call(shell));
    for (const data of ['one\n', 'two\n'])
      said.update(call({ _meta: { terminal_output: { data } } }));
    said.update(call({ status: 'completed', _meta: { terminal_exit: { exit_code: 0 } } }));
    expect(work(events).at(-1)).toMatchObject({ stdout: 'one\ntwo\n', exit: 0, status: 'done' });
  });

  it('[DRV56] the list of a todo tool is a plan', () => {
    const { said, events } = hearing();
    const todos = [
      { content: 'Look', status: 'completed' },
      { content: 'Leap', status: 'in_progress' },
    ];
    said.update(call({ title: 'todowrite', status: 'completed', rawInput: { todos } }));
    expect(events.find(({ type }) => type === 'plan')).toEqual({
      type: 'plan',
      steps: [
        { title: 'Look', status: 'done' },
        { title: 'Leap', status: 'active' },
      ],
    });
  });
});
