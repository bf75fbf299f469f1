import { existsSync, readdirSync, readFileSync, writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@filepath/testkit';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { exportThread } from '../src/commands/export.ts';
import { findInstance, removeInstance, writeInstance } from '../src/instance-file.ts';
import { recordedIo } from './io.ts';
import { serve } from './server.ts';
import { newKey, ndjson, signedExport } from './signed-export.ts';

const dir = tempDir();
const home = join(dir.path, 'home');
const env = { FILEPATH_HOME: home };
const { thread, header, events, receipts, end } = signedExport(newKey(), ['one', 'two']);
const whole = ndjson([header, ...events, ...receipts, end]);

afterAll(() => dir.remove());
beforeEach(() => removeInstance(home));

async function running(url: string, pid = process.pid): Promise<void> {
  const token = 'owner-token-of-this-home';
  await writeInstance(home, { url, pid, startedAt: new Date().toISOString(), token });
}

describe('filepath export', () => {
  it('[EXP7] writes the export to stdout, or to a file', async () => {
    using server = await serve((request, response) => {
      expect(request.url).toBe(`/api/thread/${thread}/export`);
      expect(request.headers.authorization).toBe('Bearer owner-token-of-this-home');
      response.end(whole);
    });
    await running(server.url);
    const io = recordedIo('', env);
    expect(await exportThread([thread], io)).toBe(0);
    expect(io.said.join('\n')).toBe(whole.trimEnd());
    const file = join(dir.path, 'whole.ndjson');
    expect(await exportThread([thread, '-o', file], recordedIo('', env))).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(whole);
  });

  it.each([
    ['before its end', ndjson([header, ...events])],
    ['in the middle of a line', whole.slice(0, -20)],
  ])('[EXP7] leaves no file when the export is cut %s', async (_where, text) => {
    using server = await serve((_request, response) => response.end(text));
    await running(server.url);
    const io = recordedIo('', env);
    const file = join(dir.path, 'cut.ndjson');
    expect(await exportThread([thread, '-o', file], io)).toBe(1);
    expect(io.errors).toEqual(['The export was cut off. Try again.']);
    expect(readdirSync(dir.path).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  it('says that no instance runs', async () => {
    const io = recordedIo('', env);
    expect(await exportThread([thread], io)).toBe(1);
    expect(io.errors.join()).toContain(`No filepath runs on ${home}`);
  });

  it('[CLI6] wants the id of one thread', async () => {
    expect(await exportThread([], recordedIo('', env))).toBe(2);
    expect(await exportThread(['ses_x'], recordedIo('', env))).toBe(2);
  });
});

describe('instance.json', () => {
  it('is found with the token it was started with, or the one of the environment', async () => {
    await running('http://127.0.0.1:4280');
    expect(findInstance(env)).toEqual({
      url: 'http://127.0.0.1:4280',
      token: 'owner-token-of-this-home',
    });
    expect(findInstance({ ...env, FILEPATH_TOKEN: 'given' })?.token).toBe('given');
    expect(statSync(join(home, 'instance.json')).mode & 0o777).toBe(0o600);
  });

  it('of a process that is gone counts as none', async () => {
    // Above the largest pid of any system.
    await running('http://127.0.0.1:4280', 2 ** 30);
    expect(findInstance(env)).toBeNull();
  });

  it.each(['', '{', 'null', '{"url":1,"pid":1}', '{"url":"x","pid":1}', '{"url":"http://x"}'])(
    'that says %j counts as none',
    async (text) => {
      await running('http://127.0.0.1:4280');
      writeFileSync(join(home, 'instance.json'), text);
      expect(findInstance(env)).toBeNull();
    },
  );

  it('is taken away by the instance that wrote it only', async () => {
    await running('http://127.0.0.1:4280');
    await removeInstance(home, process.pid + 1);
    expect(existsSync(join(home, 'instance.json'))).toBe(true);
    await removeInstance(home);
    expect(existsSync(join(home, 'instance.json'))).toBe(false);
  });
});
