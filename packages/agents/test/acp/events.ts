import type { AgentEvent } from '@filepath/protocol';
import { Said } from '../../src/acp/said.ts';
import { ToolCalls } from '../../src/acp/tool-calls.ts';
import { Journal } from '../../src/driver/journal.ts';
import { Voice } from '../../src/driver/voice.ts';

/** What becomes of updates, as a program sends them, within a turn. */
export function hearing(options: { namesMessages?: boolean; asking?: () => boolean } = {}) {
  const events: AgentEvent[] = [];
  const voice = new Voice((event) => events.push(event), new Journal());
  const calls = new ToolCalls(voice, '/workspace');
  let compactions = 0;
  const said = new Said(voice, calls, {
    prefix: 'p',
    namesMessages: options.namesMessages ?? false,
    asking: options.asking ?? (() => false),
    onCompacted: () => compactions++,
  });
  said.beginTurn();
  return { events, said, calls, compactions: () => compactions };
}

/** Without the statuses between them. */
export function work(events: readonly AgentEvent[]): AgentEvent[] {
  return events.filter(({ type }) => type !== 'status');
}
