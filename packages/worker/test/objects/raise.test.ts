import { env } from 'cloudflare:workers';
import { AttentionItem } from '@filepath/protocol';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, newAgent } from './support/api.ts';
import { callerOf } from './support/calls.ts';
import { fireAlarm } from './support/faults.ts';
import { TestRunner } from './support/runner.ts';

/** The budget of a user holds for all tests of this file: each gives it back. */
afterEach(() => ask(200, 'PUT', '/api/budget', { budget: { tokens: null, usd: null } }));

it.each(['node', 'own', 'session', 'user'] as const)(
  '[ATT3] a budget of the scope %s is raised by an answer to what waits',
  async (of) => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const caller = await callerOf(runner, session.id, node.id);
    const tight = { tokens: null, usd: 0.001 };
    const ofNode = `/api/session/${session.id}/node/${node.id}/budget`;
    const path =
      of === 'user'
        ? '/api/budget'
        : of === 'session'
          ? `/api/session/${session.id}/budget`
          : ofNode;
    await ask(200, 'PUT', path, of === 'own' ? { own: tight } : { budget: tight });
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ code: 'budget' });
    await fireAlarm(env.SESSION.getByName(session.id));
    await fireAlarm(env.SESSION.getByName(session.id));
    const items = async () =>
      z
        .object({ items: z.array(AttentionItem) })
        .parse(await ask(200, 'GET', '/api/attention'))
        .items.filter(({ thread }) => thread === node.id);
    await expect
      .poll(items)
      .toMatchObject([{ kind: 'budget', choices: ['raise', 'stop'], thread: node.id }]);
    const answer = `/api/attention/${(await items())[0]?.id}`;
    const refused = await ask(400, 'POST', answer, { choice: 'raise', input: { budget: 5 } });
    expect(JSON.stringify(refused)).toContain('input.budget');
    expect(await items(), 'what could not be carried out waits on').toHaveLength(1);
    const budget = { tokens: null, usd: 1 };
    const input = of === 'node' ? { budget } : { of, budget };
    await ask(202, 'POST', answer, { choice: 'raise', input });
    expect(await items()).toEqual([]);
    expect(await ask(200, 'GET', path)).toMatchObject(
      of === 'own' ? { own: { budget } } : { budget },
    );
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ ok: true });
  },
);
