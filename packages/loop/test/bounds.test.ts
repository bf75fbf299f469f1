import { describe, expect, it } from 'vitest';
import { closingMessages, cutMiddle, userMessage } from '@filepath/loop';
import { of, serve, start, tool } from './loop-run.ts';

describe('tools', () => {
  it('[LOOP3] neighbours that only read run side by side, others one after the other', async () => {
    const server = await serve([
      {
        tools: [
          { name: 'look', input: { text: 'a' } },
          { name: 'look', input: { text: 'b' } },
          { name: 'change', input: { text: 'c' } },
          { name: 'change', input: { text: 'd' } },
        ],
      },
      { text: 'ok' },
    ]);
    const log: string[] = [];
    const both = Promise.withResolvers<void>();
    let looking = 0;
    const look = tool(
      'look',
      async (text) => {
        if ((looking += 1) === 2) both.resolve();
        await both.promise;
        log.push(text);
        return text;
      },
      true,
    );
    const change = tool('change', async (text) => {
      log.push(`${text} begins`);
      await Promise.resolve();
      log.push(`${text} ends`);
      return text;
    });
    await start(server, 'anthropic', { tools: [look, change] }).done;
    expect(log.slice(0, 2).toSorted()).toEqual(['a', 'b']);
    expect(log.slice(2)).toEqual(['c begins', 'c ends', 'd begins', 'd ends']);
  });

  it('[LOOP5] the model sees at most so much of a result, with a note of what is missing', async () => {
    const server = await serve([
      { tools: [{ name: 'long', input: { text: '' } }] },
      { text: 'ok' },
    ]);
    const long = tool('long', () => 'y'.repeat(100_000));
    await start(server, 'openai-chat', { tools: [long], maxResultChars: 1_000 }).done;
    const text = server.calls[1]?.request.results[0]?.text ?? '';
    expect(text.length).toBeLessThan(1_100);
    expect(text).toContain('99000 characters left out');
  });

  it('[LOOP5] a text is never cut within a character', () => {
    for (let limit = 2; limit < 40; limit += 1) {
      const cut = cutMiddle('😀'.repeat(100), limit);
      expect(Buffer.from(cut, 'utf8').toString('utf8')).toBe(cut);
    }
  });
});

describe('ends', () => {
  it('[LOOP8] tells how full the context is, and hands off near the limit', async () => {
    const call = { tools: [{ name: 'echo', input: { text: 'x' } }] };
    const server = await serve([
      { ...call, usage: { input: 300, output: 100 } },
      { ...call, usage: { input: 100, cacheRead: 700, output: 60 } },
      { text: 'Half is done.' },
    ]);
    const run = start(server, 'anthropic', {
      tools: [tool('echo', (text) => text)],
      contextWindow: 1_000,
    });
    expect(await run.done).toEqual({ outcome: 'handoff', summary: 'Half is done.' });
    const [first, second] = of(run.events, 'usage');
    expect(first?.contextPct).toBeCloseTo(0.4);
    expect(second?.contextPct).toBeCloseTo(0.86);
    expect(closingMessages(run.messages)).toEqual([]);
  });

  it('[LOOP9] a hand-off comes even when the summary cannot be written', async () => {
    const overflow = { fault: { kind: 'overflow' } } as const;
    const server = await serve([overflow, overflow]);
    const run = start(server, 'openai-responses', { messages: [userMessage('paint the shed')] });
    const outcome = await run.done;
    expect(outcome).toMatchObject({ outcome: 'handoff' });
    expect(outcome.outcome === 'handoff' && outcome.summary).toMatch(
      /No summary[^]*paint the shed/,
    );
  });

  it('[LOOP9] a summary that is refused ends the loop like any other refusal', async () => {
    const refused = { kind: 'status', status: 400, message: 'no budget' } as const;
    const server = await serve([{ fault: { kind: 'overflow' } }, { fault: refused }]);
    expect(await start(server, 'anthropic').done).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no budget') as string,
    });
  });

  it('[LOOP9] a hand-off that is asked for comes before the next call', async () => {
    const server = await serve([{ text: 'The note.' }]);
    const run = start(server, 'openai-chat', { handoffAsked: () => true });
    expect(await run.done).toEqual({ outcome: 'handoff', summary: 'The note.' });
    expect(server.calls).toHaveLength(1);
  });

  it('[LOOP10] [LOOP16] gives up after so many tries, and at once when the provider asks for too long a wait', async () => {
    const busy = { fault: { kind: 'status', status: 529 } } as const;
    const server = await serve([busy, busy, busy, busy, { text: 'too late' }]);
    expect(await start(server, 'anthropic').done).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('tried 4 times') as string,
    });
    const later = await serve([
      { fault: { kind: 'status', status: 429, retryAfterSeconds: 7_200 } },
      { text: 'no' },
    ]);
    expect(await start(later, 'openai-responses').done).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('wait 120 minutes') as string,
      retryAt: expect.any(Number) as number,
    });
    expect(later.calls).toHaveLength(1);
  });

  it('[LOOP11] a refusal that says that no retry helps is not tried again', async () => {
    const headers = { 'x-should-retry': 'false' };
    const server = await serve([
      { fault: { kind: 'status', status: 503, headers } },
      { text: 'no' },
    ]);
    expect(await start(server, 'anthropic').done).toMatchObject({ outcome: 'failed' });
    expect(server.calls).toHaveLength(1);
  });

  it('[LOOP10] an interruption ends the wait', async () => {
    const server = await serve([
      { fault: { kind: 'status', status: 429, retryAfterSeconds: 30 } },
      { text: 'no' },
    ]);
    const stop = new AbortController();
    const run = start(server, 'anthropic', {
      signal: stop.signal,
      heard: (event) => {
        if (event.type === 'retry') stop.abort();
      },
    });
    expect(await run.done).toEqual({ outcome: 'interrupted' });
  });

  it('[LOOP12] ends after so many steps', async () => {
    const server = await serve(() => ({ tools: [{ name: 'echo', input: { text: 'x' } }] }));
    const run = start(server, 'openai-chat', {
      tools: [tool('echo', (text) => text)],
      maxSteps: 3,
    });
    expect(await run.done).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('3 steps') as string,
    });
    expect(server.calls).toHaveLength(3);
  });

  it('[LOOP12] an answer that was cut at its limit goes on, a few times', async () => {
    const server = await serve(({ replies }) =>
      replies < 2 ? { text: 'part', stop: 'length' } : { text: 'end' },
    );
    expect(await start(server, 'anthropic').done).toEqual({ outcome: 'done', text: 'end' });
    const endless = await serve(() => ({ text: 'part', stop: 'length' }));
    expect(await start(endless, 'anthropic').done).toMatchObject({ outcome: 'done' });
    expect(endless.calls).toHaveLength(6);
  });
});

describe('caching', () => {
  it('[LOOP13] marks system prompt and last messages for Anthropic, and nothing for others', async () => {
    const script = () => [{ tools: [{ name: 'echo', input: { text: 'x' } }] }, { text: 'ok' }];
    const tools = [tool('echo', (text) => text)];
    const server = await serve(script());
    await start(server, 'anthropic', { tools }).done;
    const body = JSON.parse(server.calls[1]?.request.raw ?? '') as {
      system: { cache_control?: unknown }[];
      messages: { content: { cache_control?: unknown }[] }[];
    };
    expect(body.system[0]?.cache_control).toEqual({ type: 'ephemeral' });
    expect(body.messages.at(-1)?.content.at(-1)?.cache_control).toEqual({ type: 'ephemeral' });
    for (const format of ['openai-chat', 'openai-responses'] as const) {
      const other = await serve(script());
      await start(other, format, { tools }).done;
      expect(other.calls[1]?.request.raw).not.toMatch(/cache_?control/i);
    }
  });

  it('[LOOP14] asks OpenAI to keep nothing, and sends the history whole', async () => {
    const server = await serve([
      { reasoning: 'hm', text: 'I look.', tools: [{ name: 'echo', input: { text: 'x' } }] },
      { text: 'ok' },
    ]);
    await start(server, 'openai-responses', { tools: [tool('echo', (text) => text)] }).done;
    const raw = server.calls[1]?.request.raw ?? '';
    expect(JSON.parse(raw)).toMatchObject({ store: false });
    expect(raw).not.toContain('item_reference');
    expect(raw).toContain('I look.');
  });
});
