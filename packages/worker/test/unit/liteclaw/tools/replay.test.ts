import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { CHAIN_START, chainHash, LogEvent, type ThreadId } from '@filepath/protocol';
import {
  type Difference,
  hashJson,
  readSkyExport,
  Receipt,
  SkyReplay,
  writeSkyExport,
} from '@filepath/protocol/sky';
import { describe, expect, it } from 'vitest';
import type { ToolRules } from '../../../../src/liteclaw/tools/tool.ts';
import { Workspace } from '../../../../src/liteclaw/tools/workspace.ts';
import { bashTool, workspaceTools } from '../../../../src/liteclaw/tools/workspace-tools.ts';
import type { Sql } from '../../../../src/storage/sql.ts';
import { nodeHashing } from '../../../../src/thread/node-hashing.ts';
import { chatSql, LIMITS, runWith } from './support.ts';

const RW: ToolRules = { policy: 'read-write', allow: [] };
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');

/** Whoever changed something makes every hash anew and signs it: only a replay can tell. */
const sign = async (claim: string) => ({
  publicKey: raw.toString('base64'),
  signature: signBytes(null, Buffer.from(claim), privateKey).toString('base64'),
});

type Parts = { thread: ThreadId; events: LogEvent[]; receipts: Receipt[] };

async function replayed({ thread, events, receipts }: Parts, after = CHAIN_START) {
  let place = after;
  const chained = events.map((event) => {
    const { body, hash: _, ...head } = { ...event, seq: place.seq + 1 };
    const hash = chainHash(nodeHashing.sha256, place.hash, head, JSON.stringify(body));
    place = { seq: head.seq, hash };
    return { ...head, body, hash };
  });
  const about = { thread_id: thread, name: 'chat', exported_at: new Date().toISOString(), after };
  const source = { ...about, messages: [], events: chained, receipts, memory: null };
  const lines = async function* () {
    let number = 0;
    for await (const line of writeSkyExport(source, sign))
      yield { number: (number += 1), text: line.slice(0, -1), ended: true };
  };
  const replay = new SkyReplay();
  const differences: Difference[] = [];
  for await (const line of readSkyExport(lines())) differences.push(...(await replay.next(line)));
  return { differences, counts: replay.counts };
}

/** A run with calls of every kind. */
async function recorded(): Promise<Parts> {
  const sql = chatSql();
  const workspace = new Workspace(sql, Date.now, 1_000_000);
  const limits = { ...LIMITS, calls: 9 };
  const it = runWith([...workspaceTools(workspace), bashTool], RW, limits, sql);
  await it.call('write', { path: 'a.md', text: '# One\nTwo https://a.com/x\n' });
  await it.call('edit', { path: 'a.md', old: 'Two', new: 'Three' });
  await it.call('edit', { path: 'a.md', old: 'nowhere', new: 'x' });
  await it.call('read', { path: 'a.md' });
  await it.call('read', { path: 'none.md' });
  await it.call('extract', { path: 'a.md', what: 'links' });
  await it.call('summarize', { text: 'Trains run. Trains stop. Lunch.' });
  await it.call('bash', { command: 'ls' });
  await it.call('write', { path: '../x', text: '' });
  return partsOf(sql);
}

function partsOf(sql: Sql): Parts {
  const sources = sql.all<{ json: string }>('SELECT json FROM log ORDER BY seq');
  const receipts = sql.all<{ body: string }>('SELECT body FROM receipts ORDER BY id');
  const events = sources.map(({ json }) => LogEvent.parse(JSON.parse(json)));
  const thread = events[0]?.thread;
  if (thread === undefined) throw new Error('no events');
  return { thread, events, receipts: receipts.map(({ body }) => Receipt.parse(JSON.parse(body))) };
}

const bodyOf = (event: LogEvent | undefined) => event?.body as Record<string, unknown>;

describe('a replay', () => {
  it('[TOOL13] does again what follows from the export, and finds the same', async () => {
    const { differences, counts } = await replayed(await recorded());
    expect(differences).toEqual([]);
    expect(counts).toEqual({ calls: 9, replayed: 7, missing: 0 });
  });

  it.each([
    ['args_hash', 'f'.repeat(64)],
    ['output_hash', 'f'.repeat(64)],
    ['status', 'error'],
    ['tool_name', 'read'],
    ['error_code', 'policy'],
    ['change', undefined],
  ])('[TOOL13] names a receipt whose %s was changed, and its line', async (key, value) => {
    const parts = await recorded();
    const at = parts.receipts.findIndex(
      (one) => one.type === 'receipt.tool' && one.tool_name === 'edit',
    );
    const receipts = parts.receipts.with(at, { ...parts.receipts[at], [key]: value } as Receipt);
    const { differences } = await replayed({ ...parts, receipts });
    expect(differences).toEqual([
      {
        line: 1 + parts.events.length + at + 1,
        reason: expect.stringContaining(`${key} of the receipt`),
      },
    ]);
  });

  it('[TOOL13] names a receipt that is gone, made up or there twice', async () => {
    const parts = await recorded();
    const [first, ...rest] = parts.receipts;
    if (!first) throw new Error('no receipt');
    expect((await replayed({ ...parts, receipts: rest })).differences).toMatchObject([
      { reason: 'the call of write has no receipt' },
    ]);
    const twice = await replayed({ ...parts, receipts: [...parts.receipts, first] });
    expect(twice.differences).toMatchObject([
      { reason: expect.stringContaining('second receipt') },
    ]);
    const other = {
      ...first,
      step_id: parts.receipts[1]?.type === 'receipt.tool' ? parts.receipts[1].step_id : null,
    };
    const made = await replayed({ ...parts, receipts: [...rest, other as Receipt] });
    expect(made.differences.map(({ reason }) => reason)).toContain(
      'the receipt is of a call that is not in the log',
    );
  });

  it('[TOOL13] names a result that was changed together with its receipt', async () => {
    const parts = await recorded();
    const at = parts.events.findIndex((event) => {
      const { type, output } = bodyOf(event);
      return type === 'tool.result' && JSON.stringify(output).includes('"from":1');
    });
    const event = parts.events[at];
    if (!event) throw new Error('no result of read');
    const output = { ...(bodyOf(event)['output'] as object), text: 'forged' };
    const events = parts.events.with(at, {
      ...event,
      body: { ...bodyOf(event), output } as LogEvent['body'],
    });
    const hash = await hashJson(output);
    const receipts = parts.receipts.map((one) =>
      one.type === 'receipt.tool' && one.step_id === event.step
        ? { ...one, output_hash: hash }
        : one,
    );
    const { differences } = await replayed({ ...parts, events, receipts });
    expect(differences).toEqual([
      {
        line: 1 + at + 1,
        reason: expect.stringMatching(/^read gives .* when it is done again, not .*forged/),
      },
    ]);
  });

  it('[TOOL13] says of which calls the files are not in the export', async () => {
    const parts = await recorded();
    // The first write is not there any more: the chat was reset after it.
    const write = parts.receipts[0]?.type === 'receipt.tool' ? parts.receipts[0].step_id : null;
    const events = parts.events.filter(({ step }) => step !== write);
    const after = { seq: 7, hash: 'a'.repeat(64) };
    const { differences, counts } = await replayed(
      { ...parts, events, receipts: parts.receipts.slice(1) },
      after,
    );
    expect(differences).toEqual([]);
    expect(counts).toEqual({ calls: 8, replayed: 1, missing: 5 });
  });

  it('[TOOL13] does not know what a call did that was cut off by a kill or stopped', async () => {
    const sql = chatSql();
    const workspace = new Workspace(sql, Date.now, 1_000_000);
    const it = runWith(workspaceTools(workspace), RW, LIMITS, sql);
    await it.call('write', { path: 'a', text: 'one' });
    // Done, and killed before its result was stored.
    it.run.hear({ type: 'tool-start', id: 'k', name: 'write', input: { path: 'a', text: 'two' } });
    workspace.put('a', 'two');
    const lost = { code: 'interrupted', message: 'killed' };
    it.log.end(null, { status: 'lost', output: '', ttftMs: null, error: lost });
    const again = runWith(workspaceTools(workspace), RW, LIMITS, sql, it.log);
    await again.call('read', { path: 'a' });
    await again.call('write', { path: 'a', text: 'three' });
    await again.call('read', { path: 'a' });
    const { differences, counts } = await replayed(partsOf(sql));
    expect(differences).toEqual([]);
    expect(counts).toEqual({ calls: 4, replayed: 2, missing: 2 });
  });
});
