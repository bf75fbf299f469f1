import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { askWhole, type LoopEvent, runLoop } from '@filepath/loop';
import { newThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ask, Ledger, Outcome } from '../../src/gateway/contract.ts';
import { chatModel } from '../../src/liteclaw/model.ts';
import { liteclawSettings } from '../../src/liteclaw/settings.ts';

type Run = { model: string; inputs: Record<string, unknown> };

/** The binding as it is documented: Cloudflare's network is not here. */
function binding(answer: (run: Run) => unknown) {
  const runs: Run[] = [];
  const ai = {
    run: async (model: string, inputs: Record<string, unknown>) => {
      runs.push({ model, inputs });
      return answer({ model, inputs });
    },
  };
  return { ai, runs };
}

const events = (...data: readonly unknown[]): ReadableStream<Uint8Array> => {
  const text = [...data.map((one) => JSON.stringify(one)), '[DONE]']
    .map((one) => `data: ${one}\n\n`)
    .join('');
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (controller) => {
      // An event may be cut anywhere.
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
      controller.close();
    },
  });
};

function chat(answer: (run: Run) => unknown, pinned?: string) {
  const { ai, runs } = binding(answer);
  const asked: Ask[] = [];
  const settled = Promise.withResolvers<Outcome>();
  const ledger: Ledger = {
    check: async () => true,
    refused: async () => true,
    renew: async () => undefined,
    reserve: async (ask) => {
      asked.push(ask);
      return { ok: true, outputBound: ask.outputBound };
    },
    settle: async (_call, outcome) => settled.resolve(outcome),
  };
  const settings = liteclawSettings(pinned === undefined ? {} : { LITECLAW_MODEL: pinned });
  const model = chatModel(
    {
      env: { ...env, AI: ai },
      background: createExecutionContext(),
      ledger,
      owner: 'owner',
      chat: newThreadId(),
    },
    settings,
  );
  const call = { system: 'Be brief.', maxOutputTokens: 300, signal: new AbortController().signal };
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const said: LoopEvent[] = [];
  return {
    runs,
    asked,
    settled: settled.promise,
    whole: async () => askWhole({ ...call, model: await model, messages }),
    stream: async (tools: Parameters<typeof runLoop>[0]['tools'] = []) => {
      const outcome = await runLoop({
        ...call,
        model: await model,
        messages,
        tools,
        emit: (event) => void said.push(event),
        contextWindow: 16_384,
        maxSteps: 3,
        maxCuts: 0,
        handoffAt: Number.POSITIVE_INFINITY,
        retries: { attempts: 0, baseMs: 1, maxMs: 1, away: { forMs: 0, everyMs: 1 } },
      });
      const deltas = said.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []));
      return { outcome, deltas };
    },
  };
}

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

describe('[CLAW18] where Workers AI is bound', () => {
  it('answers word by word, reserved and counted', async () => {
    const it = chat(() =>
      events({ response: 'Good ' }, { response: 'day.' }, { response: '', usage }),
    );
    const { outcome, deltas } = await it.stream();
    expect(outcome).toMatchObject({ outcome: 'done', text: 'Good day.' });
    expect(deltas).toEqual(['Good ', 'day.']);
    expect(it.runs[0]?.model).toMatch(/^@cf\//);
    expect(it.runs[0]?.inputs).toMatchObject({ stream: true, max_tokens: 300 });
    expect(it.runs[0]?.inputs['messages']).toMatchObject([{ role: 'system' }, { role: 'user' }]);
    expect(it.runs[0]?.inputs).not.toHaveProperty('model');
    expect(it.asked[0]).toMatchObject({ provider: 'workers-ai', outputBound: 300 });
    expect((await it.settled).tokens).toMatchObject({ input: 12, output: 5 });
  });

  it('models that speak Chat Completions are understood too', async () => {
    const choice = (delta: object, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });
    const it = chat(
      () => events(choice({ content: 'Hi.' }), choice({}, 'stop'), { choices: [], usage }),
      '@cf/openai/gpt-oss-20b',
    );
    expect((await it.stream()).outcome).toMatchObject({ outcome: 'done', text: 'Hi.' });
    expect(it.runs[0]?.model).toBe('@cf/openai/gpt-oss-20b');
  });

  it('answers in one piece', async () => {
    const it = chat(() => ({ response: 'Whole.', usage }));
    expect(await it.whole()).toEqual({ ok: true, text: 'Whole.' });
    expect(it.runs[0]?.inputs['stream']).not.toBe(true);
  });

  it('calls tools', async () => {
    const it = chat(({ inputs }) =>
      JSON.stringify(inputs['messages']).includes('seven')
        ? events({ response: 'Seven.' })
        : events({ response: null, tool_calls: [{ name: 'count', arguments: { of: 'days' } }] }),
    );
    const given: unknown[] = [];
    const { outcome } = await it.stream([
      {
        name: 'count',
        description: 'Counts.',
        input: z.object({ of: z.string() }),
        readOnly: true,
        run: async (args) => {
          given.push(args);
          return { ok: true, text: 'seven' };
        },
      },
    ]);
    expect(given).toEqual([{ of: 'days' }]);
    expect(outcome).toMatchObject({ outcome: 'done', text: 'Seven.' });
    expect(it.runs[0]?.inputs['tools']).toHaveLength(1);
  });

  it('what it cannot do is told in its words', async () => {
    const it = chat(() => {
      throw new Error('5007: No such model');
    });
    expect(await it.whole()).toMatchObject({ ok: false, reason: expect.stringContaining('5007') });
    expect(await it.settled).toMatchObject({ outcome: 'failed' });
  });

  it('a stream that breaks off is no answer', async () => {
    const cut = new TextEncoder().encode('data: {"response":"Half"}\n\n');
    const it = chat(
      () =>
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(cut);
            controller.close();
          },
        }),
    );
    expect((await it.stream()).outcome.outcome).toBe('failed');
  });

  it('a model of somebody else is asked there', async () => {
    const it = chat(() => ({ response: 'never' }), 'offline/demo');
    expect(await it.whole()).toMatchObject({ ok: true, text: expect.not.stringMatching('never') });
    expect(it.runs).toEqual([]);
  });
});
