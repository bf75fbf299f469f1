import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoopEvent, LoopOutcome } from '@filepath/loop';
import { FORMATS, serve, tokens } from './loop-run.ts';

describe('workerd', () => {
  let miniflare: Miniflare;

  beforeAll(async () => {
    const built = await build({
      entryPoints: [new URL('workerd/loop-worker.ts', import.meta.url).pathname],
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      conditions: ['workerd', 'worker', 'browser'],
    });
    // Without nodejs_compat: nothing of Node is there.
    miniflare = new Miniflare({
      modules: true,
      script: built.outputFiles[0]?.text ?? '',
      compatibilityDate: '2026-07-01',
    });
    await miniflare.ready;
  });

  afterAll(() => miniflare.dispose());

  it.each(FORMATS)('[LOOP15] the loop runs there as it is (%s)', async (format) => {
    const server = await serve([
      { text: 'I add.', tools: [{ name: 'add', input: { a: 2, b: 3 } }], chunk: 2 },
      { text: 'Five.', chunk: 2 },
    ]);
    const answer = await miniflare.dispatchFetch('http://worker/', {
      method: 'POST',
      body: JSON.stringify({ baseUrl: `${server.url}/gateway`, format }),
    });
    const { outcome, events } = (await answer.json()) as {
      outcome: LoopOutcome;
      events: LoopEvent[];
    };
    expect(outcome).toEqual({ outcome: 'done', text: 'Five.' });
    expect(server.calls[1]?.request.results[0]?.text).toBe('5');
    expect(tokens(events)).toEqual(server.count());
  });
});
