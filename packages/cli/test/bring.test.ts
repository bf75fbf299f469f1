import { join } from 'node:path';
import { newJobId, newThreadId } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { afterAll, expect, it } from 'vitest';
import { changes } from '../src/commands/changes.ts';
import { merge } from '../src/commands/merge.ts';
import { removeInstance, writeInstance } from '../src/instance-file.ts';
import { recordedIo } from './io.ts';
import { serve } from './server.ts';

const dir = tempDir();
const home = join(dir.path, 'home');
const env = { FILEPATH_HOME: home };
const node = newThreadId();
const hash = (letter: string): string => letter.repeat(40);

afterAll(() => dir.remove());

async function answering(body: unknown, asked: string[] = []) {
  const server = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.setEncoding('utf8').on('data', (text: string) => asked.push(text));
    request.on('end', () => response.end(JSON.stringify(body)));
  });
  const token = 'owner-token-of-this-home';
  const startedAt = new Date().toISOString();
  await writeInstance(home, { url: server.url, pid: process.pid, startedAt, token });
  return server;
}

it('[MERGE17] changes lists files, and hunks of one', async () => {
  const file = {
    path: 'a\u001b[31m',
    status: 'modified',
    additions: 2,
    deletions: 1,
    binary: false,
    committed: true,
    uncommitted: true,
    hunks: [{ from: [1, 1], to: [1, 2], text: '-a\n+b\n+c\n' }],
    truncated: false,
  };
  const told = { base: hash('0'), head: hash('1'), files: [file], truncated: true, partial: false };
  using _server = await answering({ changes: told });
  const io = recordedIo('', env);
  expect(await changes([node], io)).toBe(0);
  expect(io.said).toEqual(['* modified +2 -1        "a\\u001b[31m"']);
  expect(io.errors).toEqual(['there are more files']);
  const one = recordedIo('', env);
  expect(await changes([node, '--file', 'a'], one)).toBe(0);
  expect(one.said.join('\n')).toContain('@@ -1,1 +1,2 @@\n-a\n+b\n+c');
  file.truncated = true;
  const cut = recordedIo('', env);
  expect(await changes([node, '--file', 'a'], cut)).toBe(0);
  expect(cut.errors).toContain('the rest of its changes is too long to be shown');
});

it('[MERGE17] merge says how it ended, by its exit too', async () => {
  const about = {
    job: newJobId(),
    node,
    name: 'helper',
    into: 'parent',
    target: 'lead',
    from: hash('1'),
  };
  const merged = {
    type: 'merged',
    ...about,
    commit: hash('3'),
    before: hash('2'),
    how: 'ff',
    taken: true,
  };
  const asked: string[] = [];
  {
    using _server = await answering({ result: merged }, asked);
    const io = recordedIo('', env);
    expect(await merge([node, '--into', 'session', '--resolve'], io)).toBe(0);
    expect(io.said).toEqual([`merged helper into lead as ${hash('3')}`]);
    expect(asked).toEqual([
      `POST /api/node/${node}/merge?wait=20`,
      '{"into":"session","onConflict":"agent"}',
    ]);
  }
  const conflict = {
    type: 'conflict',
    ...about,
    ours: hash('2'),
    files: [{ path: 'a', hunks: [] }],
    truncated: false,
    hand: false,
  };
  {
    using _server = await answering({ result: { ...merged, how: 'none', taken: false } });
    const io = recordedIo('', env);
    expect(await merge([node], io)).toBe(0);
    expect(io.errors.join()).toContain(`does not have it yet`);
    expect(io.errors.join()).toContain(`git merge ${hash('3')}`);
  }
  {
    using _server = await answering({ result: { ...conflict, hand: true } });
    const io = recordedIo('', env);
    expect(await merge([node, '--resolve'], io)).toBe(1);
    expect(io.errors.join()).toContain('helper has it as a task');
  }
  using _server = await answering({ result: conflict });
  const io = recordedIo('', env);
  expect(await merge([node], io)).toBe(1);
  expect(io.said).toEqual(['"a"']);
  expect(await merge([node, '--into', 'main'], recordedIo('', env))).toBe(2);
  await removeInstance(home);
  expect(await merge([node], recordedIo('', env))).toBe(1);
});
