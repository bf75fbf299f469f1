import { hashJson, SkyOrder, toSkyPart, toUiPart } from '@filepath/protocol/sky';
import { describe, expect, it } from 'vitest';
import type { ClawTool, ToolRules } from '../../../../src/liteclaw/tools/tool.ts';
import { bashTool } from '../../../../src/liteclaw/tools/workspace-tools.ts';
import { LIMITS, runWith } from './support.ts';

const RW: ToolRules = { policy: 'read-write', allow: [] };
const RO: ToolRules = { policy: 'read-only', allow: [] };

const echo: ClawTool = {
  name: 'kv.get',
  description: 'says its key',
  access: 'read',
  run: async (args) => ({ ok: true, output: { said: args } }),
};
const change: ClawTool = {
  name: 'kv.put',
  description: 'changes something',
  access: 'write',
  run: async () => ({ ok: true, output: { done: true } }),
};
const throwing: ClawTool = {
  ...echo,
  name: 'r2.get',
  run: () => Promise.reject(new Error('broken')),
};
const endless: ClawTool = {
  ...echo,
  name: 'r2.list',
  run: (_args, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))),
};

const ordered = (events: ReturnType<ReturnType<typeof runWith>['events']>): (string | null)[] => {
  const order = new SkyOrder();
  return events.map((event) => order.next(event)).filter((fault) => fault !== null);
};

describe('a call', () => {
  it('[TOOL11] is logged from its first piece to its receipt, with hashes of input and output', async () => {
    const it = runWith([echo], RO);
    const args = { key: 'a/b' };
    it.run.hear({ type: 'tool-input-start', id: 'c1', name: 'kv_get' });
    for (const delta of ['{"key":', '"a/b"}'])
      it.run.hear({ type: 'tool-input-delta', id: 'c1', delta });
    await it.call('kv_get', args, 'c1');
    const events = it.events().slice(1);
    expect(events.map(({ type }) => type)).toEqual([
      'tool.call.started',
      'tool.call.delta',
      'tool.call.completed',
      'tool.result',
    ]);
    expect(events[0]).toMatchObject({
      tool_name: 'kv.get',
      tool_call_id: 'c1',
      executor: 'workers',
    });
    expect(events[1]).toMatchObject({ delta: '{"key":"a/b"}' });
    expect(events[2]).toMatchObject({ args });
    expect(events[3]).toMatchObject({ status: 'completed', output: { said: args } });
    expect(new Set(events.map(({ step_id: step }) => step)).size).toBe(1);
    expect(ordered(it.events())).toEqual([]);
    const [receipt] = it.receipts();
    expect(receipt).toMatchObject({
      tool_name: 'kv.get',
      args_hash: await hashJson(args),
      output_hash: await hashJson({ said: args }),
      status: 'completed',
      deterministic: false,
    });
    expect(receipt?.step_id).toBe(events[0]?.step_id);
  });

  it('[TOOL12] is a part of the answer in the words of the AI SDK', async () => {
    const it = runWith([echo], RO);
    it.run.hear({ type: 'tool-input-start', id: 'c1', name: 'kv_get' });
    it.run.hear({ type: 'tool-input-delta', id: 'c1', delta: '{"key":"a"}' });
    await it.call('kv_get', { key: 'a' }, 'c1');
    expect(it.chunks.slice(0, 4)).toEqual([
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'kv.get' },
      { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"key":"a"}' },
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'kv.get', input: { key: 'a' } },
      { type: 'tool-output-available', toolCallId: 'c1', output: { said: { key: 'a' } } },
    ]);
    expect(it.chunks[4]).toMatchObject({ type: 'data-receipt', data: { tool_call_id: 'c1' } });
    const part = {
      type: 'tool-kv.get',
      toolCallId: 'c1',
      state: 'output-available',
      input: {},
      output: {},
    };
    expect(toUiPart(toSkyPart(part))).toEqual(part);
  });

  it('[TOOL11] with arguments that do not fit is an error that has no arguments', async () => {
    const it = runWith([echo], RO);
    expect(await it.call('kv_get', { key: 7 })).toMatchObject({ ok: false });
    expect(it.events().map(({ type }) => type)).toEqual([
      'run.started',
      'tool.call.started',
      'tool.result',
    ]);
    expect(it.receipts()).toMatchObject([{ status: 'error', error_code: 'bad_args' }]);
    expect(ordered(it.events())).toEqual([]);
  });

  it('[TOOL11] of no known tool is an error', async () => {
    const it = runWith([echo], RO);
    await it.call('rm_rf', {});
    expect(it.receipts()).toMatchObject([{ tool_name: 'rm_rf', error_code: 'no_tool' }]);
  });

  it('[TOOL11] that the answer broke off before is ended', () => {
    const it = runWith([echo], RO);
    it.run.hear({ type: 'tool-input-start', id: 'c1', name: 'kv_get' });
    it.run.close();
    expect(it.events().at(-1)).toMatchObject({ type: 'tool.result', error_code: 'interrupted' });
    expect(it.chunks.some(({ type }) => type === 'tool-output-error')).toBe(true);
  });

  it('[TOOL3] that throws, or does not end, is a result in words', async () => {
    const it = runWith([throwing, endless], RO, { ...LIMITS, ms: 50 });
    expect(await it.call('r2_get', { key: 'a' })).toEqual({
      ok: false,
      output: { error: 'broken' },
    });
    expect((await it.call('r2_list', {})).output).toEqual({ error: 'r2.list took too long.' });
    expect(it.receipts().map(({ error_code: code }) => code)).toEqual(['failed', 'timeout']);
    expect(ordered(it.events())).toEqual([]);
  });

  it('[TOOL3] is stopped with the answer', async () => {
    const it = runWith([endless], RO);
    const stop = new AbortController();
    const ended = it.call('r2_list', {}, 'c1', stop.signal);
    stop.abort();
    expect((await ended).ok).toBe(false);
    expect(it.receipts()).toMatchObject([{ error_code: 'interrupted' }]);
  });

  it('[TOOL11] whose arguments are too large for the log is not made', async () => {
    const it = runWith([change], RW, { ...LIMITS, bytes: 10_000_000 });
    const result = await it.call('kv_put', { key: 'a', value: '\u0001'.repeat(90_000) });
    expect(result.output).toMatchObject({ error: expect.stringMatching(/too large/) });
    expect(ordered(it.events())).toEqual([]);
  });
});

describe('the policy', () => {
  it('[TOOL1] none gives the model no tools', () => {
    expect(runWith([echo, change], { policy: 'none', allow: [] }).run.loopTools).toEqual([]);
  });

  it('[TOOL2] read-only refuses what changes something, as an event and a result', async () => {
    const it = runWith([echo, change], RO);
    expect((await it.call('kv_get', { key: 'a' })).ok).toBe(true);
    const refused = await it.call('kv_put', { key: 'a', value: 'b' });
    expect(refused).toMatchObject({
      ok: false,
      output: { error: expect.stringMatching(/read-only/) },
    });
    expect(it.events().at(-1)).toMatchObject({
      type: 'tool.result',
      status: 'error',
      error_code: 'policy',
    });
    expect(it.receipts().at(-1)).toMatchObject({ status: 'error', error_code: 'policy' });
  });

  it('[TOOL2] that changes while a run goes on holds for its next call', async () => {
    const it = runWith([echo, change], RW);
    expect((await it.call('kv_put', { key: 'a', value: 'b' })).ok).toBe(true);
    it.change(RO);
    expect((await it.call('kv_put', { key: 'a', value: 'b' })).ok).toBe(false);
    it.change({ policy: 'none', allow: [] });
    expect((await it.call('kv_get', { key: 'a' })).output).toMatchObject({
      error: expect.stringMatching(/switched off/),
    });
  });

  it('[TOOL10] bash says that there is no executor for it', async () => {
    const it = runWith([bashTool], RW);
    expect((await it.call('bash', { command: 'ls' })).output).toMatchObject({
      error: expect.stringMatching(/No executor/),
    });
    expect(it.receipts()).toMatchObject([{ tool_name: 'bash', error_code: 'no_executor' }]);
  });
});

describe('the budget of a run', () => {
  it('[TOOL3] ends calls', async () => {
    const it = runWith([echo], RO, { ...LIMITS, calls: 2 });
    const results = [];
    for (let n = 0; n < 4; n += 1) results.push(await it.call('kv_get', { key: 'a' }));
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false]);
    expect(it.events().at(-1)).toMatchObject({ error_code: 'budget_calls' });
  });

  it('[TOOL3] ends bytes', async () => {
    const it = runWith([echo], RO, { ...LIMITS, bytes: 300 });
    const key = 'k'.repeat(100);
    expect((await it.call('kv_get', { key })).ok).toBe(true);
    expect((await it.call('kv_get', { key })).ok).toBe(false);
    expect(it.events().at(-1)).toMatchObject({ error_code: 'budget_bytes' });
  });

  it('[TOOL3] ends time', async () => {
    const it = runWith([endless, echo], RO, { ...LIMITS, ms: 20 });
    await it.call('r2_list', {});
    expect((await it.call('kv_get', { key: 'a' })).ok).toBe(false);
    expect(it.events().at(-1)).toMatchObject({ error_code: 'budget_time' });
  });
});
