import { join } from 'node:path';
import { newThreadId } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { afterAll, expect, it } from 'vitest';
import { restart } from '../src/commands/restart.ts';
import { removeInstance, writeInstance } from '../src/instance-file.ts';
import { recordedIo } from './io.ts';
import { serve } from './server.ts';

const dir = tempDir();
const home = join(dir.path, 'home');
const env = { FILEPATH_HOME: home };
const node = newThreadId();

afterAll(() => dir.remove());

it('[HND9] restart asks for one agent to begin again, and says why it cannot', async () => {
  const asked: string[] = [];
  let refuses = false;
  using server = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.statusCode = refuses ? 409 : 202;
    const error = { code: 'conflict', message: 'it has had no task yet', retryable: false };
    response.end(JSON.stringify(refuses ? { error } : { seq: 4 }));
  });
  const startedAt = new Date().toISOString();
  const token = 'owner-token-of-this-home';
  await writeInstance(home, { url: server.url, pid: process.pid, startedAt, token });
  const io = recordedIo('', env);
  expect(await restart([node], io)).toBe(0);
  expect(asked).toEqual([`POST /api/node/${node}/restart`]);
  expect(io.said).toEqual([`${node} begins again`]);

  refuses = true;
  const refused = recordedIo('', env);
  expect(await restart([node], refused)).toBe(1);
  expect(refused.errors).toEqual(['it has had no task yet']);
  expect(await restart([], recordedIo('', env))).toBe(2);
  expect(await restart([node, node], recordedIo('', env))).toBe(2);
  expect(asked).toHaveLength(2);

  await removeInstance(home);
  expect(await restart([node], recordedIo('', env))).toBe(1);
});
