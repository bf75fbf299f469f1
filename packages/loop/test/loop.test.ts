import { gate } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { userMessage } from '@filepath/loop';
import { FORMATS, of, serve, start, tokens, tool } from './loop-run.ts';

describe.each(FORMATS)('%s', (format) => {
  it('[LOOP1] goes on from call to results until the model calls no tool, and counts as the provider does', async () => {
    const server = await serve([
      { text: 'I look.', tools: [{ name: 'echo', input: { text: 'one' } }], chunk: 3 },
      { reasoning: 'hm', tools: [{ name: 'echo', input: { text: 'two' } }] },
      { text: 'All done.', usage: { cacheRead: 40, cacheWrite: 0 } },
    ]);
    const run = start(server, format, { tools: [tool('echo', (text) => `it says ${text}`)] });
    expect(await run.done).toEqual({ outcome: 'done', text: 'All done.' });
    expect(server.calls.map(({ request }) => request.results.map(({ text }) => text))).toEqual([
      [],
      ['it says one'],
      ['it says two'],
    ]);
    expect(server.calls[0]?.request).toMatchObject({ system: 'You are a test.', tools: ['echo'] });
    expect(tokens(run.events)).toEqual(server.count());
  });

  it('[LOOP2] streams text as deltas, then whole, under one id', async () => {
    const server = await serve([{ text: 'Hello there, you.', chunk: 4 }]);
    const run = start(server, format);
    await run.done;
    const deltas = of(run.events, 'text-delta');
    const [text] = of(run.events, 'text');
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Hello there, you.');
    expect(text).toMatchObject({ text: 'Hello there, you.', id: deltas[0]?.id });
    expect(new Set(deltas.map(({ id }) => id)).size).toBe(1);
  });

  it('[TOOL11] tells the arguments of a call piece by piece, before it is called', async () => {
    const input = { text: 'a text of some length' };
    const server = await serve([{ tools: [{ name: 'echo', input }], chunk: 6 }, { text: 'Done.' }]);
    const run = start(server, format, { tools: [tool('echo', (text) => text)] });
    expect(await run.done).toMatchObject({ outcome: 'done' });
    const [begun] = of(run.events, 'tool-input-start');
    const pieces = of(run.events, 'tool-input-delta');
    const [called] = of(run.events, 'tool-start');
    expect(begun).toMatchObject({ name: 'echo', id: called?.id });
    expect(JSON.parse(pieces.map(({ delta }) => delta).join(''))).toEqual(input);
    expect(pieces.length).toBeGreaterThan(1);
    expect(run.events.findLastIndex(({ type }) => type === 'tool-input-delta')).toBeLessThan(
      run.events.findIndex(({ type }) => type === 'tool-start'),
    );
  });

  it('[LOOP4] a tool that fails, is unknown or is called wrongly gives a result, and the loop goes on', async () => {
    const server = await serve([
      {
        tools: [
          { name: 'breaks', input: { text: 'x' } },
          { name: 'nobody', input: {} },
          { name: 'breaks', input: { text: 7 } },
        ],
      },
      { text: 'I see.' },
    ]);
    const breaks = tool('breaks', () => {
      throw new Error('the disk is full');
    });
    const run = start(server, format, { tools: [breaks] });
    expect(await run.done).toMatchObject({ outcome: 'done' });
    const results = server.calls[1]?.request.results.map(({ text }) => text) ?? [];
    expect(results[0]).toContain('the disk is full');
    expect(results[1]).toMatch(/no tool .*nobody.*The tools are: breaks/);
    expect(results[2]).toMatch(/input/i);
    expect(of(run.events, 'tool-end').map(({ result }) => result.ok)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('[LOOP6] an interruption in a tool leaves a history in which every call has a result', async () => {
    const server = await serve([
      {
        text: 'Two things.',
        tools: [
          { name: 'waits', input: { text: '1' } },
          { name: 'waits', input: { text: '2' } },
        ],
      },
      { text: 'Back again.' },
    ]);
    const stop = new AbortController();
    const waits = tool('waits', (_, signal) => {
      stop.abort();
      return new Promise((_resolve, reject) => {
        if (signal.aborted) reject(new Error('aborted'));
      });
    });
    const run = start(server, format, { tools: [waits], signal: stop.signal });
    expect(await run.done).toEqual({ outcome: 'interrupted' });
    const again = start(server, format, {
      tools: [waits],
      messages: [...run.messages, userMessage('go on')],
    });
    expect(await again.done).toMatchObject({ outcome: 'done', text: 'Back again.' });
    const results = server.calls[1]?.request.messages.flatMap((message) => message.results) ?? [];
    expect(results).toHaveLength(2);
    for (const { text } of results) expect(text).toContain('Interrupted');
  });

  it('[LOOP6] an interruption in an answer keeps what was said by then', async () => {
    const held = gate(2);
    const server = await serve([
      { text: 'Half of an answer that never ends.', chunk: 5, gate: held },
      { text: 'Whole.' },
    ]);
    const stop = new AbortController();
    const run = start(server, format, { signal: stop.signal });
    await held.reached;
    await expect.poll(() => of(run.events, 'text-delta').length).toBe(2);
    stop.abort();
    expect(await run.done).toEqual({ outcome: 'interrupted' });
    held.release();
    const again = start(server, format, { messages: [...run.messages, userMessage('and?')] });
    expect(await again.done).toMatchObject({ outcome: 'done' });
    expect(server.calls[1]?.request.messages.map(({ text }) => text)).toEqual([
      'do it',
      'Half of an',
      'and?',
    ]);
  });

  it('[LOOP7] a message that comes meanwhile is read with the next call', async () => {
    const server = await serve([
      { tools: [{ name: 'echo', input: { text: 'x' } }] },
      { text: 'As you wish.' },
      { text: 'And that.' },
    ]);
    const queue: string[] = [];
    const run = start(server, format, {
      tools: [
        tool('echo', (text) => {
          queue.push('rather in blue');
          return text;
        }),
      ],
      steer: () => queue.splice(0).map(userMessage),
      heard: (event) => {
        if (event.type === 'text' && event.text === 'As you wish.') queue.push('one more thing');
      },
    });
    expect(await run.done).toEqual({ outcome: 'done', text: 'And that.' });
    expect(server.calls.map(({ request }) => request.lastText)).toEqual([
      'do it',
      'rather in blue',
      'one more thing',
    ]);
  });

  it('[LOOP9] an overflow of the context ends in a hand-off, with a summary that fits', async () => {
    const server = await serve([
      { tools: [{ name: 'echo', input: { text: 'x'.repeat(3_000) } }] },
      { fault: { kind: 'overflow' } },
      { text: 'It was about x.' },
    ]);
    const run = start(server, format, {
      tools: [tool('echo', (text) => text.repeat(5))],
      contextWindow: 20_000,
    });
    expect(await run.done).toEqual({ outcome: 'handoff', summary: 'It was about x.' });
    expect(server.calls[2]?.request.tools).toEqual([]);
    expect(server.calls[2]?.request.raw.length).toBeLessThan(10_000);
    expect(tokens(run.events)).toEqual(server.count());
  });

  it('[LOOP10] a rate limit is waited for as long as the provider asks, and told', async () => {
    const server = await serve([
      { fault: { kind: 'status', status: 429, retryAfterSeconds: 1 } },
      { fault: { kind: 'status', status: 503 } },
      { text: 'At last.' },
    ]);
    const started = Date.now();
    const run = start(server, format);
    expect(await run.done).toEqual({ outcome: 'done', text: 'At last.' });
    const [first, second] = of(run.events, 'retry');
    expect(first).toMatchObject({ attempt: 1, seconds: 1 });
    expect(first?.reason).toContain('429');
    expect(second).toMatchObject({ attempt: 2 });
    expect(Date.now() - started).toBeGreaterThanOrEqual(1_000);
  });

  it.each(['reset', 'cut', 'stop', 'torn', 'error-event'] as const)(
    '[LOOP10] a connection that breaks (%s) is tried again',
    async (kind) => {
      const fault = kind === 'reset' ? { kind } : { kind, after: 1 };
      const server = await serve([{ text: 'Half an answer', chunk: 4, fault }, { text: 'Whole.' }]);
      const run = start(server, format);
      expect(await run.done).toEqual({ outcome: 'done', text: 'Whole.' });
      expect(of(run.events, 'retry')).toHaveLength(1);
      expect(run.messages).toHaveLength(2);
    },
  );

  it('[LOOP17] a gateway that is away for long is waited for, and a provider that fails is not', async () => {
    const away = { 'x-filepath-away': '1' };
    const gone = { fault: { kind: 'status', status: 503, headers: away } } as const;
    const failing = { fault: { kind: 'status', status: 503 } } as const;
    const patient = await serve([...Array<typeof gone>(12).fill(gone), { text: 'Back.' }]);
    const run = start(patient, format);
    expect(await run.done).toEqual({ outcome: 'done', text: 'Back.' });
    expect(of(run.events, 'retry')).toHaveLength(12);

    const broken = await serve([...Array<typeof failing>(12).fill(failing), { text: 'no' }]);
    expect(await start(broken, format).done).toMatchObject({ outcome: 'failed' });
    expect(broken.calls).toHaveLength(4);

    const retries = { attempts: 3, baseMs: 1, maxMs: 60_000, away: { forMs: 0, everyMs: 1 } };
    const over = await serve([...Array<typeof gone>(12).fill(gone), { text: 'no' }]);
    expect(await start(over, format, { retries }).done).toMatchObject({ outcome: 'failed' });
    expect(over.calls).toHaveLength(4);
  });

  it.each([400, 401, 403] as const)('[LOOP11] %i is not tried again', async (status) => {
    const message = 'The budget of this session is used up: raise it to go on.';
    const server = await serve([{ fault: { kind: 'status', status, message } }, { text: 'no' }]);
    const run = start(server, format);
    const outcome = await run.done;
    expect(outcome).toMatchObject({ outcome: 'failed' });
    expect(outcome.outcome === 'failed' && outcome.reason).toContain(message);
    expect(server.calls).toHaveLength(1);
  });
});
