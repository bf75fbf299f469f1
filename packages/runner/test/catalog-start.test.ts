import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from './fake-worker.ts';
import { hostCanary, isOver, nextEpoch } from './hostile/host.ts';
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
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    // Its program is not on this machine, and the entry says what to do.
    await bench.worker.until('its word', () =>
      thread.texts.some((text) => /cursor\.com/.test(text)),
    );
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

  it('[CAT5] has the variables of its entry, before those of a person, each word filled once', async () => {
    const bench = await Bench.open({ idle: true });
    const env = {
      A_BASE_URL: '{baseUrl}/a',
      A_KEY: '{apiKey}',
      A_MODEL: 'x/{model}',
      A_PLAIN: '{x}',
    };
    ownAgent(bench, { env }, 'env | grep -E "^(A_|B_)|^FILEPATH_(SYSTEM|MAX|PERM)" | sort');
    await bench.start();
    const order = shellOrder('', {
      agentType: 'probe',
      model: '{apiKey}',
      apiKey: 'short',
      config: {
        command: ['probe'],
        envVars: { A_BASE_URL: 'http://evil.test', B_OWN: 'mine' },
        systemPrompt: 'be brief',
        maxTokens: 500,
        permissions: 'ask',
      },
    });
    expect((await run(bench, order)).texts).toEqual([
      'A_BASE_URL=http://127.0.0.1:4281/gateway/a',
      'A_KEY=short',
      'A_MODEL=x/{apiKey}',
      'A_PLAIN={x}',
      'B_OWN=mine',
      'FILEPATH_MAX_TOKENS=500',
      'FILEPATH_PERMISSIONS=ask',
      'FILEPATH_SYSTEM_PROMPT=be brief',
    ]);
  });

  it('[CAT5] finds the files of its entry in its home, as they are in the entry', async () => {
    const bench = await Bench.open({ idle: true });
    const files = { '.config/tool/a.json': '{"url":"{baseUrl}"}', '.toolrc': 'model={model}' };
    const script = `cat .config/tool/a.json .toolrc; echo; echo changed > .toolrc
      stat -c %a .config .config/tool .toolrc; touch .config/tool/mine && echo own`;
    ownAgent(bench, { files }, `cd /home/agent; ${script}`);
    await bench.start();
    const order = probe();
    const expected = [
      '{"url":"http://127.0.0.1:4281/gateway"}model=offline/demo',
      '700',
      '700',
      '600',
      'own',
    ];
    expect((await run(bench, order)).texts).toEqual(expected);
    await isOver(bench, order);
    expect((await nextEpoch(bench, { ...order, epoch: 2 })).texts).toEqual(expected);
  });

  it.each([
    ['a folder on the way', 'rm -rf .config; ln -s /tmp/outside .config', '.config/tool/a'],
    ['the file itself', 'rm -rf .toolrc; ln -s /tmp/outside/file .toolrc', '.toolrc'],
    ['a pipe', 'rm -rf .toolrc; mkfifo .toolrc', '.toolrc'],
  ])(
    '[CAT5] a file is never written through what the agent planted: %s',
    async (_what, plant, path) => {
      const bench = await Bench.open({ idle: true });
      const outside = hostCanary();
      const planted = plant.replaceAll('/tmp/outside', outside.dir);
      ownAgent(
        bench,
        { files: { [path]: 'from the entry' } },
        `cd /home/agent; ${planted}; echo ran`,
      );
      await bench.start();
      const order = probe();
      expect((await run(bench, order)).texts).toEqual(['ran']);
      await isOver(bench, order);
      const before = outside.tree();
      const thread = await nextEpoch(bench, { ...order, epoch: 2 });
      expect(outside.tree()).toEqual(before);
      // A link in the place of a folder is not gone through; one in the place of a file is replaced.
      if (path.includes('/'))
        expect(thread.refused).toMatch(/Probe needs the file .config\/tool\/a/);
      else expect(thread.texts).toEqual(['ran']);
    },
  );

  it('[CAT5] reaches the hosts that its program needs, unless it reaches nothing', async () => {
    const bench = await Bench.open({ idle: true });
    const ask = (host: string): string =>
      `curl -s -o /dev/null -w '%{http_connect}\\n' https://${host}/`;
    const hosts = ['needed.invalid'];
    ownAgent(bench, { hosts }, `${ask('needed.invalid')}; ${ask('other.invalid')}`);
    await bench.start({ egress: { resolve: async () => [] } });
    const denied = (thread: ThreadRecord): unknown[] =>
      thread.observed.flatMap((body) => (body.type === 'denied' ? [body.host] : []));
    expect(denied(await run(bench, probe()))).toEqual(['other.invalid']);
    const none = await run(bench, probe({ network: { policy: 'none' } }));
    expect(denied(none)).toEqual(['needed.invalid', 'other.invalid']);
  });

  it('[CAT2] of a type that nobody here knows is refused with what to do', async () => {
    const bench = await Bench.open();
    const thread = await run(bench, shellOrder('', { agentType: 'gone', config: {} }));
    expect(thread.refused).toMatch(/does not know the agent type gone: put catalog\/gone\.json/);
  });
});

describe('a runner', () => {
  it('[CAT3] tells which agents it has, without their variables and files, and again what changed', async () => {
    const bench = await Bench.open({ idle: true });
    const driver = { kind: 'acp', command: ['probe', 'acp'] };
    ownAgent(bench, { driver, env: { KEY: 'secret' }, files: { a: 'secret' } }, '');
    writeFileSync(join(bench.home, 'catalog/broken.json'), '{');
    await bench.start();
    await bench.worker.until('hello', () => bench.worker.catalog !== undefined);
    const { own = [], programs } = bench.worker.catalog ?? {};
    expect(own).toMatchObject([{ type: 'probe', driver }]);
    expect(JSON.stringify(own)).not.toContain('secret');
    expect(programs).toMatchObject({ probe: 'tools' });
    expect(bench.logs.filter(({ event }) => event === 'catalog')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('broken.json is left out') },
    ]);
    rmSync(join(bench.home, 'tools/bin/probe'));
    await bench.worker.until('told', () => bench.worker.catalog?.programs['probe'] === undefined);
  });
});
