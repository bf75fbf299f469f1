import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Node } from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HANDOFF_GRACE_MS } from '../../src/thread/handoff-request.ts';
import { ask, logOf, message, newAgent } from './support/api.ts';
import { alarmsOf, fireAlarm, inStorage } from './support/faults.ts';
import { TestLink, TestRunner, text } from './support/runner.ts';

afterEach(() => vi.useRealTimers());

const threadOf = (node: Node) => env.THREAD.getByName(node.id);
const handOff = (node: Node) =>
  ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'handoff' });

async function talking() {
  const runner = await TestRunner.connect();
  const { node } = await newAgent();
  await message(node.id);
  await runner.order(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  await link.say(text('half is blue'));
  return { runner, node, link };
}

describe('an agent that does not hand off when a person asks', () => {
  it('[HND10] is handed off by its object’s alarm, also after an eviction', async () => {
    const { runner, node } = await talking();
    await handOff(node);
    await handOff(node);
    expect(await alarmsOf(threadOf(node))).toContain('handoff');
    await fireAlarm(threadOf(node));
    expect(await alarmsOf(threadOf(node)), 'too early').toContain('handoff');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HANDOFF_GRACE_MS.plain });
    await evictDurableObject(threadOf(node));
    await fireAlarm(threadOf(node));
    expect(await runner.order(node.id)).toMatchObject({ kind: 'stop', epoch: 1, handoff: true });
    const log = await logOf(node.id);
    expect(log.map(({ source, body }) => [source, body])).toContainEqual([
      'system',
      expect.objectContaining({ type: 'signal', action: 'handoff' }),
    ]);
    expect(await alarmsOf(threadOf(node))).not.toContain('handoff');
  });

  it('[HND10] leaves no alarm when it is stopped, and holds up no deletion', async () => {
    const stopped = await talking();
    await handOff(stopped.node);
    await ask(202, 'POST', `/api/thread/${stopped.node.id}/signal`, { action: 'stop' });
    await stopped.runner.order(stopped.node.id);
    expect(await alarmsOf(threadOf(stopped.node))).not.toContain('handoff');
    const { node } = await talking();
    await handOff(node);
    await threadOf(node).remove();
    const tables = () =>
      inStorage(threadOf(node), ({ sql }) => sql.exec('SELECT name FROM sqlite_master').toArray());
    await vi.waitFor(async () => expect(await tables()).toEqual([]), { timeout: 10_000 });
  });
});
