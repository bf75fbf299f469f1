import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, message, shellOrder } from '../setup.ts';
import { BASE_IMAGE, containerOrder, ended } from './setup.ts';

describe('an agent of the catalog in an image', () => {
  it("[CAT1] is spoken for by filepath's own program, which it cannot change", async () => {
    const bench = await Bench.open();
    const order = shellOrder('', {
      agentType: 'cursor',
      config: { image: BASE_IMAGE },
      inputs: [{ id: 1, line: message('hello') }],
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    const heard = (): boolean => thread.texts.some((text) => /cursor\.com/.test(text));
    await bench.worker.until('its word', heard);
    expect(thread.observed).toContainEqual({ type: 'started', epoch: 1, executor: 'container' });
  });

  it('[CAT1] has the search path of its image, with the tools before it', async () => {
    const bench = await Bench.open({ idle: true });
    const entry = {
      type: 'probe',
      name: 'Probe',
      description: 'Says where it looks.',
      icon: 'box',
      defaultModel: '',
      driver: { kind: 'acp', command: ['probe'] },
      metered: true,
    };
    for (const folder of ['catalog', 'tools/bin']) {
      mkdirSync(join(bench.home, folder), { recursive: true });
    }
    writeFileSync(join(bench.home, 'catalog/probe.json'), JSON.stringify(entry));
    const script = '#!/bin/sh\necho "$PATH" > /workspace/path\n';
    writeFileSync(join(bench.home, 'tools/bin/probe'), script, { mode: 0o755 });
    await bench.start();
    const order = shellOrder('', {
      agentType: 'probe',
      config: { image: BASE_IMAGE },
      inputs: [{ id: 1, line: message('hello') }],
    });
    bench.worker.order(order);
    const said = join(bench.agentDir(order), 'workspace/path');
    await expect
      .poll(() => readFileSync(said, 'utf8'))
      .toMatch(
        /^\/home\/agent\/\.local\/bin:\/opt\/filepath\/tools\/bin:.*\/usr\/bin.*:\/opt\/filepath\/bin\n$/,
      );
  });

  it('[CAT1] that brings its own program has nothing of filepath in it', async () => {
    const bench = await Bench.open();
    const order = containerOrder('ls -A /opt 2> /dev/null; echo end');
    expect((await ended(bench, order)).texts).toEqual(['end']);
  });
});
