import { CATALOG, CatalogItem } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, logOf, message, newNode, newSession } from './support/api.ts';
import { TestLink, TestRunner } from './support/runner.ts';

const goose = {
  type: 'goose',
  name: 'Goose',
  description: "An agent of the operator's own.",
  icon: 'bird',
  defaultModel: 'some/model',
  driver: { kind: 'acp', command: ['goose', 'acp'] },
  metered: true,
};

const offered = async () =>
  z.object({ agents: z.array(CatalogItem) }).parse(await ask(200, 'GET', '/api/catalog')).agents;

describe('the catalog', () => {
  it("[CAT3] offers filepath's agents and the operator's own, and says where their programs are", async () => {
    const runner = await TestRunner.connect({
      catalog: { own: [goose], programs: { codex: 'tools' } },
    });
    const agents = await offered();
    expect(agents.map(({ type }) => type)).toEqual([...CATALOG.map(({ type }) => type), 'goose']);
    const of = (type: string) => agents.find((agent) => agent.type === type);
    expect(of('shelley')).toMatchObject({ program: 'built-in', metered: true, own: false });
    expect(of('codex')).toMatchObject({ program: 'tools' });
    expect(of('goose')).toMatchObject({ program: 'missing', own: true, driver: 'acp' });
    expect(of('cursor')).toMatchObject({ metered: false, install: { from: 'person' } });
    runner.catalog({ own: [goose], programs: { goose: 'system' } });
    await expect
      .poll(async () => (await offered()).find(({ type }) => type === 'goose')?.program)
      .toBe('system');
  });

  it("[CAT2] a type of the operator's own can be asked for, by a person and by an agent", async () => {
    const runner = await TestRunner.connect({ catalog: { own: [goose], programs: {} } });
    const session = await newSession();
    const node = await newNode(session.id, { agentType: 'goose', config: {} });
    const model = (await offered()).find(({ type }) => type === 'goose')?.defaultModel;
    expect(node).toMatchObject({ agentType: 'goose', model });
    await message(node.id);
    expect(await runner.order(node.id)).toMatchObject({ kind: 'start', agentType: 'goose' });
    const link = await TestLink.open(node.id, 1, 1);
    await link.started();
    await link.say({ type: 'spawn', name: 'kid', agent: 'goose', model: '', task: 'dig' });
    await expect
      .poll(async () => (await logOf(node.id)).map(({ body }) => body))
      .toContainEqual(expect.objectContaining({ type: 'spawned' }));
  });

  it('[CAT2] a type that nobody knows is refused with the types there are', async () => {
    const session = await newSession();
    const answer = await ask(400, 'POST', `/api/session/${session.id}/node`, {
      agentType: 'nobody',
    });
    expect(JSON.stringify(answer)).toMatch(/no agent type nobody; there are shelley, pi, /);
    await ask(400, 'POST', `/api/session/${session.id}/node`, { agentType: 'Not A Name' });
  });

  it('[CAT2] only a custom agent takes a command', async () => {
    const session = await newSession();
    const config = { command: ['true'] };
    const answer = await ask(400, 'POST', `/api/session/${session.id}/node`, {
      agentType: 'shelley',
      config,
    });
    expect(JSON.stringify(answer)).toMatch(/Shelley has its own command/);
  });
});
