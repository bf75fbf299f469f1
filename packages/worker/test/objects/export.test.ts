import { createHash } from 'node:crypto';
import { ChainReader, exportClaim, ExportLine, type ThreadId } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { nodeHashing } from '../../src/thread/node-hashing.ts';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask, call, logOf, message, newAgent, OWNER } from './support/api.ts';
import { TestLink, text } from './support/runner.ts';

async function talking() {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  return { session, node, link };
}

async function open(thread: ThreadId): Promise<ReadableStreamDefaultReader<string>> {
  const response = await call(`/api/thread/${thread}/export`, { headers: OWNER });
  if (response.status !== 200 || !response.body) throw new Error(`export: ${response.status}`);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  return response.body.pipeThrough(new TextDecoderStream()).getReader();
}

async function readAll(reader: ReadableStreamDefaultReader<string>, begun = ''): Promise<string[]> {
  let all = begun;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return all.trimEnd().split('\n');
    all += value;
  }
}

/** Reads an export as its verifier does: in order, chain, receipts, signature. */
async function verify(thread: ThreadId, raw: readonly string[]) {
  const lines = raw.map((line) => ExportLine.parse(JSON.parse(line)));
  const end = lines.at(-1);
  if (end?.type !== 'end') throw new Error('the export has no end');
  const chain = new ChainReader(nodeHashing.sha256);
  const receipts = createHash('sha256');
  for (const [i, line] of lines.entries()) {
    if (line.type === 'event') expect(chain.next(line.event)).toBeNull();
    if (line.type !== 'receipt') continue;
    const { receipt } = JSON.parse(raw[i] ?? '') as { receipt: unknown };
    receipts.update(`${JSON.stringify(receipt)}\n`);
  }
  expect([chain.count, chain.head]).toEqual([end.count, end.head]);
  expect(receipts.digest('hex')).toBe(end.receipts);
  const bytes = Buffer.from(end.publicKey, 'base64');
  const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  const claim = new TextEncoder().encode(exportClaim(thread, end));
  const signature = Buffer.from(end.signature, 'base64');
  expect(await crypto.subtle.verify('Ed25519', key, signature, claim)).toBe(true);
  return { end, types: [...new Set(lines.map((line) => line.type))] };
}

describe('an export', () => {
  it('[EXP1] [EXP2] [EXP3] ends at a fixed seq over many pages, is chained and signed', async () => {
    const { node, link } = await talking();
    const pages = vi.spyOn(ThreadObject.prototype, 'exportPage');
    const content = 'x'.repeat(100_000);
    const tool = { type: 'tool', name: 'read', status: 'done' };
    for (let i = 0; i < 12; i += 1) await link.say(text(content), tool);
    const reader = await open(node.id);
    const first = await reader.read();
    // Appended while the export is being read: events, the end of the run, more receipts.
    await link.say(text('later'), tool, { type: 'done' });
    const raw = await readAll(reader, first.value);
    const { end, types } = await verify(node.id, raw);
    expect(raw.filter((line) => line.startsWith('{"type":"receipt"'))).toHaveLength(12);
    expect(pages.mock.calls.length).toBeGreaterThan(4);
    pages.mockRestore();
    expect(types).toEqual(['export', 'event', 'receipt', 'end']);
    expect(end.count).toBe(26);
    expect(await logOf(node.id)).toHaveLength(29);
    const again = await verify(node.id, await readAll(await open(node.id)));
    expect([again.end.count, again.end.publicKey]).toEqual([29, end.publicKey]);
  });

  it('holds the receipts of what it holds, page by page', async () => {
    const { node, link } = await talking();
    const tools = Array.from({ length: 1200 }, (_, i) => ({
      type: 'tool',
      name: `t${i}`,
      status: 'done',
    }));
    await link.say(...tools);
    const raw = await readAll(await open(node.id));
    await verify(node.id, raw);
    expect(raw.filter((line) => line.startsWith('{"type":"receipt"'))).toHaveLength(1200);
  });

  it('of an empty thread is a header and an end', async () => {
    const { node } = await newAgent();
    const raw = await readAll(await open(node.id));
    expect(raw).toHaveLength(2);
    expect((await verify(node.id, raw)).end.count).toBe(0);
  });

  it('of a deleted thread is a 404', async () => {
    const { session, node } = await talking();
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    await ask(404, 'GET', `/api/thread/${node.id}/export`);
  });
});
