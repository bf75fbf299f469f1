import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import {
  Liteclaw,
  LiteclawTools,
  LiteclawWorkspace,
  newThreadId,
  type ToolPolicy,
} from '@filepath/protocol';
import { TOOL_ARGS, type SkyToolName, type ToolOutcome } from '@filepath/protocol/sky';
import { beforeAll, describe, expect, it } from 'vitest';
import { RunBudget } from '../../src/liteclaw/tools/budget.ts';
import { invoke } from '../../src/liteclaw/tools/invoke.ts';
import { allTools } from '../../src/liteclaw/tools/registry.ts';
import { Workspace } from '../../src/liteclaw/tools/workspace.ts';
import { durableSql } from '../../src/storage/durable-sql.ts';
import { ask, call, OWNER } from './support/api.ts';
import { signInAs } from './support/users.ts';

const WEEK = 7 * 24 * 60 * 60 * 1000;
let id = '';

beforeAll(async () => {
  id = Liteclaw.parse(await ask(200, 'POST', '/api/liteclaw', { action: 'spawn' })).id ?? '';
});

/** A call in the object of the chat, with everything it has there. */
function use(
  name: SkyToolName,
  args: unknown,
  policy: ToolPolicy = 'read-write',
  chat = id,
): Promise<ToolOutcome> {
  return runInDurableObject(env.Chat.getByName(id), async (_chat, { storage }) => {
    const sql = durableSql(storage);
    const workspace = new Workspace(sql, Date.now, WEEK);
    const owner = (): string => 'owner';
    const tool = allTools({ env, sql, chat, workspace, owner }).find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const budget = new RunBudget({ calls: 1, bytes: 1_000_000, ms: 10_000 });
    const rules = { policy, allow: [] };
    const { signal } = new AbortController();
    return invoke(tool, TOOL_ARGS[name].parse(args), {
      rules: () => rules,
      budget,
      signal,
      now: Date.now,
    });
  });
}
const query = (sql: string, params: (string | number | null)[] = [], policy?: ToolPolicy) =>
  use('d1.query', { sql, params }, policy);

describe('r2 and kv', () => {
  it('[TOOL6] keep texts below the chat’s own id, and list them', async () => {
    await env.BLOBS.put('secrets/owner.txt', 'not yours');
    expect(await use('r2.put', { key: 'a/b.txt', text: 'grüß' })).toMatchObject({ ok: true });
    expect((await env.BLOBS.get(`chats/${id}/files/a/b.txt`))?.size).toBe(6);
    expect((await use('r2.get', { key: 'a/b.txt', offset: 1 })).output).toMatchObject({
      text: 'rüß',
    });
    expect((await use('r2.list', {})).output).toEqual({
      keys: [{ key: 'a/b.txt', bytes: 6 }],
      more: false,
    });
    expect((await use('r2.list', { prefix: '../' })).output).toMatchObject({ keys: [] });
    for (const key of ['../../secrets/owner.txt', '/secrets/owner.txt', 'a/../b'])
      expect(TOOL_ARGS['r2.get'].safeParse({ key }).success).toBe(false);
    expect((await use('r2.get', { key: 'secrets/owner.txt' })).ok).toBe(false);
  });

  it('[TOOL6] are of one chat', async () => {
    await use('r2.put', { key: 'mine', text: 'x' });
    await use('kv.put', { key: 'mine', value: 'x' });
    const other = newThreadId();
    expect(await use('r2.get', { key: 'mine' }, 'read-write', other)).toMatchObject({
      code: 'not_found',
    });
    expect(await use('kv.get', { key: 'mine' }, 'read-write', other)).toMatchObject({
      code: 'not_found',
    });
    expect((await use('r2.list', {}, 'read-write', other)).output).toMatchObject({ keys: [] });
    expect((await use('kv.get', { key: 'mine' })).output).toEqual({ key: 'mine', value: 'x' });
  });

  it('[TOOL2] write nothing in a chat that is read-only, nor with tools switched off', async () => {
    for (const policy of ['none', 'read-only'] as const) {
      expect(await use('r2.put', { key: 'no', text: 'x' }, policy)).toMatchObject({
        code: 'policy',
      });
      expect(await use('kv.put', { key: 'no', value: 'x' }, policy)).toMatchObject({
        code: 'policy',
      });
    }
    expect(await use('r2.get', { key: 'no' }, 'read-only')).toMatchObject({ code: 'not_found' });
    expect(await use('kv.get', { key: 'no' }, 'none')).toMatchObject({ code: 'policy' });
  });

  it('[TOOL6] have an end', async () => {
    await runInDurableObject(env.Chat.getByName(id), (_chat, { storage }) => {
      storage.sql.exec(`INSERT INTO stored VALUES ('r2', 'large', ?)`, 16 * 1024 * 1024 - 1);
    });
    expect(await use('r2.put', { key: 'more', text: 'xx' })).toMatchObject({ code: 'store_full' });
    expect((await use('r2.get', { key: 'more' })).ok).toBe(false);
    expect(await use('r2.put', { key: 'large', text: 'xx' })).toMatchObject({ ok: true });
  });
});

describe('d1.query', () => {
  it('[TOOL7] writes and reads tables of its own, with params', async () => {
    expect(await query('CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)')).toMatchObject({
      ok: true,
    });
    await query('INSERT INTO note (body) VALUES (?), (?)', ["it's", null]);
    expect((await query('SELECT * FROM note ORDER BY id;', [], 'read-only')).output).toMatchObject({
      rows: [
        { id: 1, body: "it's" },
        { id: 2, body: null },
      ],
      more: false,
    });
  });

  it('[TOOL7] keeps nothing of what a read-only chat changes', async () => {
    for (const sql of [
      "INSERT INTO note (body) VALUES ('x')",
      'DELETE FROM note',
      'DROP TABLE note',
      'CREATE TABLE t (a)',
      'WITH x AS (SELECT 1) DELETE FROM note',
    ])
      expect(await query(sql, [], 'read-only'), sql).toMatchObject({ ok: false });
    expect((await query('SELECT count(*) AS n FROM note')).output).toMatchObject({
      rows: [{ n: 2 }],
    });
    expect(await query('SELECT * FROM t')).toMatchObject({ ok: false });
  });

  it('[TOOL7] has no way to the tables of filepath or of the chat', async () => {
    const tables = (await query('SELECT name FROM sqlite_master')).output['rows'];
    expect(JSON.stringify(tables)).not.toMatch(/turns|meta|user|token|cf_ai_chat/);
    for (const sql of ['SELECT * FROM user', 'SELECT * FROM turns', 'SELECT * FROM meta'])
      expect(await query(sql)).toMatchObject({ ok: false, code: 'bad_sql' });
  });

  it.each([
    'SELECT 1; DROP TABLE note',
    "SELECT ';' ; DELETE FROM note",
    'SELECT 1 /* ; */; DELETE FROM note --',
    "ATTACH DATABASE '/etc/passwd' AS x",
    'PRAGMA writable_schema = 1',
    'VACUUM INTO "/tmp/x"',
    'BEGIN',
    'COMMIT',
    'EXPLAIN SELECT 1',
    "SELECT 'open",
    'CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END',
    'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n',
    'CREATE VIRTUAL TABLE f USING fts5(x)',
  ])('[TOOL7] does not run %s', async (sql) => {
    expect(await query(sql)).toMatchObject({ ok: false });
    expect((await query('SELECT count(*) AS n FROM note')).output).toMatchObject({
      rows: [{ n: 2 }],
    });
  });

  it('[TOOL7] is refused what would run for ever, and shows no more than a result holds', async () => {
    await query('CREATE TABLE many (a INTEGER)');
    const values = Array.from({ length: 300 }, (_, n) => `(${n})`).join();
    await query(`INSERT INTO many VALUES ${values}`);
    expect((await query('SELECT * FROM many')).output).toMatchObject({ more: true });
    expect((await query('SELECT count(*) AS n FROM many a, many b')).output).toMatchObject({
      rows: [{ n: 90_000 }],
    });
    expect(await query('SELECT count(*) FROM many a, many b, many c, many d')).toMatchObject({
      code: 'too_much',
    });
    // A recursion that does not say so.
    const quiet = 'WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    for (const chat of [id, newThreadId()])
      expect(await use('d1.query', { sql: quiet }, 'read-only', chat)).toMatchObject({
        code: 'too_much',
      });
    // What needs no table.
    const rows = `WITH v(x) AS (VALUES ${values}) SELECT count(*) AS n FROM v a, v b`;
    for (const chat of [id, newThreadId()])
      expect(
        await use('d1.query', { sql: `${rows}, v c, v d, v e` }, 'read-only', chat),
      ).toMatchObject({ code: 'too_much' });
    // An index that leads to every row, and one that leads to few.
    await query('CREATE TABLE same (a INTEGER, b INTEGER)');
    await query('INSERT INTO same SELECT 1, x.a FROM many x, many y LIMIT 3000');
    await query('CREATE INDEX same_a ON same (a)');
    await query('CREATE INDEX same_b ON same (b)');
    const joined = (by: string) =>
      query(`SELECT count(*) AS n FROM same x JOIN same y ON x.${by} = y.${by}`);
    expect(await joined('a')).toMatchObject({ code: 'too_much' });
    expect(await joined('b')).toMatchObject({ ok: true });
    const listed = 'SELECT count(*) FROM json_each(?1) a, json_each(?1) b, json_each(?1) c';
    expect(await query(listed, ['[1]'])).toMatchObject({ code: 'too_much' });
    expect((await query('SELECT value FROM json_each(?)', ['[7]'])).output).toMatchObject({
      rows: [{ value: 7 }],
    });
  });
});

describe('the owner of a chat', () => {
  const put = (body: unknown, status = 200) => ask(status, 'PUT', '/api/liteclaw/tools', body);

  it('[TOOL1] finds no tools switched on', async () => {
    const tools = LiteclawTools.parse(await ask(200, 'GET', '/api/liteclaw/tools'));
    expect(tools).toMatchObject({ policy: 'none', allow: [] });
    expect(tools.tools.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(TOOL_ARGS).toSorted(),
    );
    expect(tools.tools.some(({ allowed }) => allowed)).toBe(false);
  });

  it('[TOOL14] changes what they may do, and nobody else does', async () => {
    const set = LiteclawTools.parse(await put({ policy: 'read-only', allow: ['*.example.com'] }));
    expect(set).toMatchObject({ policy: 'read-only', allow: ['*.example.com'] });
    const allowed = set.tools.filter((tool) => tool.allowed).map(({ name }) => name);
    expect(allowed).toContain('read');
    expect(allowed).not.toContain('write');
    for (const body of [
      {},
      { policy: 'all' },
      { policy: 'none', allow: ['*'] },
      { policy: 'none', x: 1 },
    ])
      await put(body, 400);
    const stranger = await signInAs('meddler');
    const init = { method: 'PUT', headers: stranger, body: { policy: 'read-write' } };
    expect((await call('/api/liteclaw/tools', init)).status).toBe(409);
    expect(LiteclawTools.parse(await ask(200, 'GET', '/api/liteclaw/tools'))).toEqual(set);
    await put({ policy: 'none' });
  });

  it('[TOOL9] takes, restores and clears the workspace', async () => {
    const post = async (body: unknown, status = 200) =>
      ask(status, 'POST', '/api/liteclaw/workspace', body);
    await use('write', { path: 'a.txt', text: 'first' });
    const taken = LiteclawWorkspace.parse(await post({ action: 'snapshot' }));
    expect(taken).toMatchObject({ files: [{ path: 'a.txt', bytes: 5 }], generation: 1 });
    const [snapshot] = taken.snapshots;
    expect(snapshot?.files).toBe(1);
    await use('write', { path: 'b.txt', text: 'second' });
    const restored = LiteclawWorkspace.parse(
      await post({ action: 'restore', sha256: snapshot?.sha256 }),
    );
    expect(restored).toMatchObject({ files: [{ path: 'a.txt' }], generation: 2 });
    expect(restored.snapshots).toHaveLength(2);
    await post({ action: 'restore', sha256: '0'.repeat(64) }, 404);
    const cleared = LiteclawWorkspace.parse(await post({ action: 'clear' }));
    expect(cleared).toMatchObject({ files: [], generation: 3, expiresAt: null });
    const key = `chats/${id}/workspace/${snapshot?.sha256}.tar`;
    await env.BLOBS.put(key, 'damaged');
    await post({ action: 'restore', sha256: snapshot?.sha256 }, 409);
    expect((await call('/api/liteclaw/workspace', { headers: OWNER })).status).toBe(200);
  });

  it('[TOOL9] finds a workspace that was not used for long emptied, with a snapshot of it', async () => {
    await use('write', { path: 'old.txt', text: 'kept' });
    await runInDurableObject(env.Chat.getByName(id), async (chat, { storage }) => {
      const used = { generation: 9, usedAt: Date.now() - 2 * WEEK };
      storage.sql.exec(`UPDATE meta SET value = ? WHERE key = 'workspace'`, JSON.stringify(used));
      await chat.expireWorkspace();
    });
    const found = LiteclawWorkspace.parse(await ask(200, 'GET', '/api/liteclaw/workspace'));
    expect(found).toMatchObject({ files: [], generation: 10 });
    expect(found.snapshots[0]?.files).toBe(1);
  });
});
