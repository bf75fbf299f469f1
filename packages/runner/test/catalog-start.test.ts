import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, message, shellOrder } from './setup.ts';

/** An agent of the operator's own whose program is a shell script among the tools. */
function ownAgent(bench: Bench, entry: object, script: string): void {
  mkdirSync(join(bench.home, 'catalog'), { recursive: true });
  mkdirSync(join(bench.home, 'tools/bin'), { recursive: true });
  writeFileSync(join(bench.home, 'tools/bin/probe'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const own = {
    type: 'probe',
    name: 'Probe',
    description: 'Says what it finds.',
    icon: 'box',
    defaultModel: 'm',
    driver: { kind: 'custom' },
    metered: true,
    ...entry,
  };
  writeFileSync(join(bench.home, 'catalog/probe.json'), JSON.stringify(own));
}

const probe = (config: StartOrder['config'] = {}): StartOrder =>
  shellOrder('', { agentType: 'probe', config: { command: ['probe'], ...config } });

async function run(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('its end', () => (thread.exit ?? thread.refused) !== undefined);
  return thread;
}

describe('an agent of the catalog', () => {
  it("[CAT1] is started by filepath's own program, with its entry and the gateway in its environment", async () => {
    const bench = await Bench.open();
    const order = shellOrder('', {
      agentType: 'cursor',
      config: {},
      inputs: [{ id: 1, line: message('hello') }],
    });
    const thread = await run(bench, order);
    expect(thread.refused).toBeUndefined();
    // Its program is not on this machine.
    expect(thread.texts.map((text) => JSON.parse(text) as unknown)).toContainEqual(
      expect.objectContaining({ type: 'status', state: 'error' }),
    );
  });

  it('[CAT1] finds Node, npm and the tools of the operator, and cannot change them', async () => {
    const bench = await Bench.open({ idle: true });
    ownAgent(
      bench,
      {},
      `/opt/filepath/bin/node --version | head -c 2; echo
       npm --version | grep -c .
       ls /opt/filepath/agents | grep -x agent.mjs
       for path in bin/node npm/package.json agents/agent.mjs tools/bin/probe; do
         echo x >> /opt/filepath/$path && echo changed
       done 2> /dev/null
       touch /opt/filepath/new /opt/filepath/tools/new 2> /dev/null && echo made`,
    );
    await bench.start();
    const thread = await run(bench, probe());
    expect(thread.texts).toEqual(['v2', '1', 'agent.mjs']);
  });
});
