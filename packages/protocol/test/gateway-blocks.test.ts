import { describe, expect, it } from 'vitest';
import {
  BlockReducer,
  newCallId,
  newRunId,
  NO_TOKENS,
  type RunId,
  toBlocks,
} from '../src/index.ts';
import { fap, log, type Said } from './events.ts';

const call = (more: Record<string, unknown> = {}, run?: RunId): Said => ({
  source: 'gateway',
  ...(run && { run }),
  body: {
    type: 'call',
    call: newCallId(),
    format: 'anthropic',
    provider: 'anthropic',
    model: 'claude',
    outcome: 'completed',
    status: 200,
    tokens: { ...NO_TOKENS, input: 10, output: 5 },
    costUsd: 0.1,
    estimated: false,
    startedAt: '2026-01-01T00:00:00.000Z',
    firstByteMs: 1,
    durationMs: 2,
    ...more,
  },
});

const refused = (more: Record<string, unknown> = {}): Said => ({
  source: 'gateway',
  body: {
    type: 'refused',
    call: newCallId(),
    format: 'anthropic',
    model: 'claude',
    code: 'budget',
    message: 'Raise it.',
    scope: 'session',
    count: 1,
    ...more,
  },
});

const text = fap({ type: 'text', content: 'a' });

describe('calls to models', () => {
  it('[BLK11] of a run are one verified block with their sum', () => {
    const [one, two] = [newRunId(), newRunId()];
    const blocks = toBlocks(
      log(call({}, one), text, call({ model: 'other', costUsd: 0.2 }, one), call({}, two)),
    );
    expect(blocks).toMatchObject([
      {
        kind: 'calls',
        verified: true,
        calls: 2,
        models: ['claude', 'other'],
        tokens: { input: 20, output: 10 },
        costUsd: 0.3,
        estimated: false,
      },
      { kind: 'text' },
      { kind: 'calls', calls: 1 },
    ]);
  });

  it('[BLK11] that are told again are counted as they were told last', () => {
    const id = newCallId();
    const guess = call({ call: id, estimated: true, costUsd: 5, outcome: 'cut' });
    const blocks = toBlocks(log(guess, call({ call: id }), call({ costUsd: null })));
    expect(blocks).toMatchObject([
      { kind: 'calls', calls: 2, costUsd: null, estimated: false, tokens: { input: 20 } },
      { kind: 'notice', level: 'warn', text: 'call to claude broke off' },
    ]);
  });

  it('[BLK11] that failed are a notice, and nothing more where nothing was used', () => {
    const failed = { outcome: 'failed', tokens: NO_TOKENS, costUsd: 0 };
    expect(
      toBlocks(
        log(call({ ...failed, status: 500, error: 'no' }), call({ ...failed, status: null })),
      ),
    ).toMatchObject([
      { kind: 'notice', level: 'warn', text: 'call to claude failed (500)', detail: 'no' },
      { kind: 'notice', text: 'call to claude failed' },
    ]);
  });

  it('[BLK12] at the rate that a provider allows say when that ends, as one notice', () => {
    const limited = { outcome: 'failed', status: 429, tokens: NO_TOKENS, costUsd: 0 };
    const blocks = toBlocks(log(call(limited), call({ ...limited, retryAfterSeconds: 30 }), text));
    expect(blocks).toMatchObject([
      {
        kind: 'notice',
        level: 'warn',
        text: 'anthropic limits the rate of calls (2 times), until 2026-01-01 00:00:31 UTC',
      },
      { kind: 'text' },
    ]);
  });

  it('[BLK12] that were refused say why, what to do, and how often', () => {
    const blocks = toBlocks(
      log(refused(), refused({ count: 98 }), refused({ code: 'too_large', scope: undefined })),
    );
    expect(blocks).toMatchObject([
      {
        kind: 'notice',
        level: 'error',
        text: 'call to claude refused (99 times): not enough budget is left',
        detail: 'Raise it.',
      },
      { kind: 'notice', level: 'warn', text: 'call to claude refused: it is too large' },
    ]);
  });

  it('[BLK1] [BLK6] are the same however they come, and the block keeps its id', () => {
    const events = log(
      call(),
      text,
      call(),
      refused(),
      refused({ count: 2 }),
      call({ estimated: true }),
    );
    const reducer = new BlockReducer();
    const ids = new Set<string>();
    for (const event of events) {
      reducer.push([event]);
      for (const { id } of reducer.blocks) ids.add(id);
    }
    expect(reducer.blocks).toEqual(toBlocks(events));
    expect(ids.size).toBe(3);
  });

  it('[BLK2] in words that no rule knows are shown as they are', () => {
    const [block] = toBlocks(log({ source: 'gateway', body: { type: 'call' } }));
    expect(block).toMatchObject({ kind: 'unknown', source: 'gateway' });
  });
});
