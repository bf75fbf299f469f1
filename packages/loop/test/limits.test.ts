import { describe, expect, it } from 'vitest';
import { Resumes } from '../src/index.ts';
import { of, serve, start } from './loop-run.ts';

const limited = (retryAfterSeconds: number, headers: Record<string, string> = {}) =>
  ({ fault: { kind: 'status', status: 429, retryAfterSeconds, headers } }) as const;
const at = (ms: number) => ({ 'x-filepath-retry-at': new Date(Date.now() + ms).toISOString() });

describe("a provider's limit", () => {
  it('[LOOP18] is over at the time that the gateway says, whenever the answer is read', async () => {
    // Held still from before it read the answer until after the end.
    const server = await serve([limited(7_200, at(-5_000)), { text: 'At last.' }]);
    const run = start(server, 'anthropic');
    expect(await run.done).toEqual({ outcome: 'done', text: 'At last.' });
    expect(of(run.events, 'retry')).toMatchObject([{ seconds: 0 }]);
    expect(server.calls).toHaveLength(2);
  });

  it('[LOOP18] ends a loop with that time too', async () => {
    const end = at(3_600_000);
    const server = await serve([limited(7_200, end), { text: 'no' }]);
    expect(await start(server, 'openai-chat').done).toMatchObject({
      outcome: 'failed',
      retryAt: Date.parse(end['x-filepath-retry-at']),
    });
  });

  it('[LOOP18] is waited for no longer once the loop is told to go on', async () => {
    const server = await serve([limited(30), { text: 'Now.' }]);
    const resumes = new Resumes();
    const run = start(server, 'anthropic', {
      resumes,
      heard: (event) => {
        if (event.type === 'retry') setImmediate(() => resumes.resume());
      },
    });
    expect(await run.done).toEqual({ outcome: 'done', text: 'Now.' });
  });

  it('[LOOP18] is not waited for if the loop was told to go on before it read the answer', async () => {
    const resumes = new Resumes();
    const server = await serve([
      () => {
        resumes.resume();
        return limited(7_200);
      },
      { text: 'Now.' },
    ]);
    const run = start(server, 'anthropic', { resumes });
    expect(await run.done).toEqual({ outcome: 'done', text: 'Now.' });
    expect(server.calls).toHaveLength(2);
  });

  it.each([
    ['that the summary of a hand-off meets', limited(7_200), true],
    ['that is not to be tried again', limited(7_200, { 'x-should-retry': 'false' }), false],
  ])('[LOOP16] %s says until when', async (_, step, handoff) => {
    const server = await serve([step, { text: 'no' }]);
    const before = Date.now();
    const outcome = await start(server, 'anthropic', { handoffAsked: () => handoff }).done;
    if (outcome.outcome !== 'failed') throw new Error(outcome.outcome);
    expect(outcome.retryAt).toBeGreaterThanOrEqual(before + 7_200_000);
    expect(outcome.retryAt).toBeLessThanOrEqual(Date.now() + 7_200_000);
  });

  it('[LOOP16] without a date has a date all the same', async () => {
    const server = await serve([limited(1, { 'retry-after': '1e300' }), { text: 'no' }]);
    const outcome = await start(server, 'anthropic').done;
    if (outcome.outcome !== 'failed') throw new Error(outcome.outcome);
    expect(new Date(outcome.retryAt ?? 0).toISOString()).toMatch(/^20/);
  });
});
