import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Liteclaw, type SessionId, type ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { gatewayFor } from '../../src/gateway/gateway-for.ts';
import { passThrough } from '../../src/gateway/pass-through.ts';
import { LOCAL_RUNNER } from '../../src/runner/local-runner.ts';
import { aheadOf } from '../../src/gateway/standing.ts';
import { ask, newAgent, OWNER } from './support/api.ts';
import { callerOf } from './support/calls.ts';
import { TestRunner } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';

/** An agent's way to the built-in model, over its own session. */
async function newWay() {
  const runner = await TestRunner.connect();
  const { session, node } = await newAgent();
  const { key } = (await callerOf(runner, session.id, node.id)).ask();
  const agent = {
    runner: LOCAL_RUNNER,
    session: session.id satisfies SessionId,
    thread: node.id satisfies ThreadId,
    key,
  };
  const gateway = () => gatewayFor(env, agent, createExecutionContext());
  const call = async (): Promise<number> => {
    const request = new Request('https://filepath.test/gateway/anthropic/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'offline/demo',
        max_tokens: 2000,
        messages: [{ role: 'user', content: 'go' }],
      }),
    });
    const target = { dialect: 'anthropic', path: '/v1/messages' } as const;
    const response = await passThrough(gateway(), agent, target, request);
    await response.text();
    return response.status;
  };
  /** Whether a call that begins now would be sent while it is reserved. */
  const goesAhead = (): boolean => {
    const ahead = gateway().ahead();
    ahead.said(ahead.holds);
    return ahead.holds;
  };
  return { session, node, call, goesAhead };
}

it('[GW18] calls of an agent under no budget go ahead after the first ones, until a budget is set', async () => {
  const { session, node, call, goesAhead } = await newWay();
  expect(goesAhead()).toBe(false);
  // The first brings the session its part of the user's budget, which changes what it may say.
  expect([await call(), await call()]).toEqual([200, 200]);
  expect(goesAhead()).toBe(true);
  const budget = { tokens: null, usd: 5 };
  await ask(200, 'PUT', `/api/session/${session.id}/node/${node.id}/budget`, { budget });
  expect(goesAhead()).toBe(false);
  expect(await call()).toBe(200);
  expect(goesAhead(), 'under a budget each one waits').toBe(false);
});

it('[GW18] [LED1] the word goes with its node', async () => {
  const { session, node, call, goesAhead } = await newWay();
  expect([await call(), await call()]).toEqual([200, 200]);
  expect(goesAhead()).toBe(true);
  await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
  expect(goesAhead()).toBe(false);
  expect(await call()).toBe(401);
});

it('[GW18] [CLAW15] so do those of a chat, until its user has a budget', async () => {
  const { id } = Liteclaw.parse(await ask(200, 'POST', '/api/liteclaw', { action: 'spawn' }));
  const chat = id ?? '';
  const goesAhead = (): boolean => {
    const ahead = aheadOf(chat, '');
    ahead.said(ahead.holds);
    return ahead.holds;
  };
  const socket = await TestSocket.open(`/agents/chat/${chat}`, OWNER);
  const say = async (): Promise<void> => {
    const request = crypto.randomUUID();
    const parts = [{ type: 'text', text: 'Hello' }];
    const body = JSON.stringify({ messages: [{ id: crypto.randomUUID(), role: 'user', parts }] });
    const init = { method: 'POST', body };
    socket.send({ type: 'cf_agent_use_chat_request', id: request, init });
    for (;;) {
      const frame: Record<string, unknown> = await socket.next();
      if (frame['id'] === request && frame['done'] === true) return;
    }
  };
  expect(goesAhead()).toBe(false);
  await say();
  expect(goesAhead()).toBe(true);
  await ask(200, 'PUT', '/api/budget', { budget: { tokens: 1_000_000, usd: null } });
  expect(goesAhead()).toBe(false);
  await say();
  expect(goesAhead(), 'under a budget each one waits').toBe(false);
  await ask(200, 'PUT', '/api/budget', { budget: { tokens: null, usd: null } });
});
