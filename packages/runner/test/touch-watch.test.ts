import { newThreadId, type Touched } from '@filepath/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../src/agents.ts';
import { TouchWatch } from '../src/git/touch-watch.ts';
import { actIn } from '../src/spool/acts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REPORT: Touched = { head: 'a'.repeat(40), dirty: true, files: [] };
const agentOf = (): Agent => ({ thread: newThreadId() }) as Agent;

/** Looks that take as long as is said, with their beginnings in ms. */
function watched(tookMs = 0, hasRepository = true) {
  const began = Date.now();
  const looks: { agent: Agent; at: number }[] = [];
  let atOnce = 0;
  let most = 0;
  const told: string[] = [];
  const watch = new TouchWatch({
    look: async (agent) => {
      looks.push({ agent, at: Date.now() - began });
      most = Math.max(most, ++atOnce);
      if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
      atOnce--;
      return REPORT;
    },
    isHere: () => true,
    hasRepository: () => hasRepository,
    tell: (thread) => told.push(thread),
    failed: (_agent, error) => {
      throw error;
    },
  });
  const of = (agent: Agent) => looks.filter((look) => look.agent === agent).map(({ at }) => at);
  return { watch, of, told, most: () => most };
}

describe('when a workspace is looked at', () => {
  it('[DIFF5] soon after something happened, once for all of it, and not at all where nothing did', async () => {
    const { watch, of, told } = watched();
    const agent = agentOf();
    for (let n = 0; n < 10; n++) watch.happened(agent, 'acted');
    await vi.advanceTimersByTimeAsync(299);
    expect(of(agent)).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(of(agent)).toEqual([300]);
    expect(told).toEqual([agent.thread]);
  });

  it('[DIFF5] at an agent that goes on doing things every five seconds, and sooner when its work moved', async () => {
    const { watch, of } = watched();
    const agent = agentOf();
    for (let n = 0; n < 100; n++) {
      watch.happened(agent, 'acted');
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(of(agent)).toEqual([300, 5300, 10_300]);
    const then = 70_000;
    watch.happened(agent, 'acted');
    await vi.advanceTimersByTimeAsync(400);
    watch.happened(agent, 'acted');
    watch.happened(agent, 'moved');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(of(agent).slice(3)).toEqual([then + 300, then + 1300]);
  });

  it('[DIFF5] never twice at once, and once more for what happened meanwhile', async () => {
    const { watch, of, most } = watched(1000);
    const [one, two] = [agentOf(), agentOf()];
    watch.happened(one, 'moved');
    watch.happened(two, 'moved');
    await vi.advanceTimersByTimeAsync(500);
    for (const what of ['moved', 'acted'] as const) {
      watch.happened(one, what);
      watch.happened(two, what);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    // The second was still to be looked at. A look that takes a second is followed by four of rest.
    expect(of(one)).toEqual([300, 5300]);
    expect(of(two)).toEqual([1300]);
    expect(most()).toBe(1);
  });

  it('[DIFF5] not where there is no repository', async () => {
    const { watch, of } = watched(0, false);
    const agent = agentOf();
    watch.happened(agent, 'moved');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(of(agent)).toEqual([]);
  });

  it.each([
    ['{"type":"tool","name":"edit","status":"done"}', 'acted'],
    ['{ "status" : "error", "cmd": "x", "type" : "command" }', 'acted'],
    ['{"type":"tool","name":"edit","status":"start"}', null],
    ['{"type":"done","summary":"ok"}', 'run-over'],
    ['{"type":"status","state":"idle"}', 'run-over'],
    ['{"type":"status","state":"running"}', null],
    [JSON.stringify({ type: 'text', content: '{"type":"done"}' }), null],
    ['plain words, done', null],
  ])('[DIFF5] %s: %s', (line, act) => {
    expect(actIn(line)).toBe(act);
  });
});
