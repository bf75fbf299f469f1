import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { endedWork, workOf } from '../../src/codex/items.ts';
import { Item, NOTIFICATIONS } from '../../src/codex/notifications.ts';
import { Translator } from '../../src/codex/translate.ts';
import { Journal } from '../../src/driver/journal.ts';
import { Voice } from '../../src/driver/voice.ts';

const CWD = '/workspace';
const item = (value: Record<string, unknown>): Item => Item.parse({ id: 'i1', ...value });

describe("codex's items", () => {
  it.each([
    [`/bin/bash -lc 'echo it'`, 'echo it'],
    [`/usr/bin/zsh -lc "echo \\"a\\" \\$HOME"`, 'echo "a" $HOME'],
    [`bash -lc 'printf '"'"'%s'"'"' x'`, `printf '%s' x`],
    ['bash -lc ls', 'ls'],
    ['git status', 'git status'],
  ])('[DRV1] shows what %s was asked to run', (command, meant) => {
    expect(workOf(item({ type: 'commandExecution', command }), undefined, CWD)).toMatchObject({
      type: 'command',
      cmd: meant,
    });
  });

  it('[DRV1] joins the diffs of every file of a change', () => {
    const changes = [
      { path: `${CWD}/new.txt`, kind: { type: 'add' }, diff: 'a\nb\n' },
      { path: `${CWD}/old.txt`, kind: { type: 'delete' }, diff: 'c\n' },
      {
        path: `${CWD}/a.txt`,
        kind: { type: 'update', move_path: `${CWD}/b.txt` },
        diff: '@@ -1 +1 @@\n-x\n+y',
      },
    ];
    const ended = endedWork(
      item({ type: 'fileChange', status: 'completed', changes }),
      undefined,
      CWD,
    );
    expect(Reflect.get(ended ?? {}, 'diff')).toBe(
      [
        '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n',
        '--- a/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-c\n',
        '--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n',
      ].join(''),
    );
  });

  it('[DRV1] tells a failed call of another server, and a kind that it does not know', () => {
    const mcp = { type: 'mcpToolCall', server: 'docs', tool: 'find', status: 'failed' };
    const failed = item({ ...mcp, arguments: { q: 1 }, error: { message: 'no such page' } });
    expect(endedWork(failed, undefined, CWD)).toMatchObject({
      type: 'tool',
      name: 'docs.find',
      status: 'error',
      output: 'no such page',
    });
    expect(workOf(item({ type: 'teleport' }), undefined, CWD)).toMatchObject({ name: 'teleport' });
  });

  it('[DRV1] gives the work of a sub-agent the call that made it as its parent', () => {
    const said: AgentEvent[] = [];
    const voice = new Voice((event) => said.push(event), new Journal());
    const translator = new Translator({ voice, cwd: CWD }, 'main', 'a-model');
    const spawned = { type: 'collabAgentToolCall', tool: 'spawnAgent', status: 'completed' };
    translator.completed('main', Item.parse({ id: 'c1', ...spawned, receiverThreadIds: ['sub'] }));
    translator.started('sub', item({ type: 'commandExecution', command: 'ls' }));
    translator.completed('sub', item({ type: 'agentMessage', text: 'found it' }));
    expect(said.filter(({ type }) => type !== 'status').slice(1)).toEqual([
      { type: 'command', cmd: 'ls', status: 'start', id: 'i1', parent: 'c1' },
      { type: 'log', level: 'info', message: 'found it', parent: 'c1' },
    ]);
  });

  it('[DRV1] makes a plan of its plan', () => {
    const said: AgentEvent[] = [];
    const voice = new Voice((event) => said.push(event), new Journal());
    const translator = new Translator({ voice, cwd: CWD }, 'main', 'a-model');
    const plan = [
      { step: 'Look', status: 'completed' },
      { step: 'Leap', status: 'inProgress' },
    ];
    translator.plan(NOTIFICATIONS['turn/plan/updated'].parse({ threadId: 'main', plan }));
    expect(said).toEqual([
      {
        type: 'plan',
        steps: [
          { title: 'Look', status: 'done' },
          { title: 'Leap', status: 'active' },
        ],
      },
    ]);
  });
});
