import { describe, expect, it } from 'vitest';
import { endOfAnswer, endOfError } from '../../src/acp/endings.ts';
import { RequestError } from '@agentclientprotocol/sdk';
import { hearing, work } from './events.ts';

const chunk = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  messageId,
});
const NOTHING = { compacted: null, failure: null };

describe('what an ACP program says', () => {
  it('[DRV57] deltas become texts, one for each message of the model', () => {
    const { said, events } = hearing();
    for (const [text, id] of [
      ['Hel', 'm1'],
      ['lo.', 'm1'],
      ['Bye.', 'm2'],
    ] as const) {
      said.update(chunk(text, id));
    }
    said.endTurn();
    expect(work(events)).toEqual([
      { type: 'text', id: 'm1-1', partial: true, content: 'Hel' },
      { type: 'text', id: 'm1-1', partial: true, content: 'lo.' },
      { type: 'text', id: 'm1-1', content: 'Hello.' },
      { type: 'text', id: 'm2-2', partial: true, content: 'Bye.' },
      { type: 'text', id: 'm2-2', content: 'Bye.' },
    ]);
  });

  it('[DRV57] thoughts are told as such, and unknown updates are left out', () => {
    const { said, events } = hearing();
    said.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } });
    said.update({ sessionUpdate: 'of_the_future', content: 5 });
    said.update(chunk('So.'));
    expect(work(events)[0]).toEqual({
      type: 'log',
      level: 'debug',
      message: 'Hm.',
      thinking: true,
    });
    expect(work(events)).toHaveLength(2);
  });

  it('[DRV57] what comes between turns, or while a person is asked, changes no status', () => {
    let asked = true;
    const { said, events } = hearing({ asking: () => asked });
    const usage = { sessionUpdate: 'usage_update', used: 50, size: 100 };
    said.update(usage);
    expect(events).toEqual([]);
    asked = false;
    said.update(usage);
    expect(events).toEqual([{ type: 'status', state: 'thinking', context_pct: 0.5 }]);
    said.endTurn();
    said.update({ ...usage, used: 60 });
    expect(events).toHaveLength(1);
  });

  it('[DRV58] a context that the program compacts is handed over with its summary', () => {
    const { said, compactions } = hearing();
    const update = { sessionUpdate: 'compaction_update', compactionId: 'c' };
    said.update({ ...update, status: 'in_progress' });
    expect(compactions()).toBe(0);
    said.update({ ...update, status: 'completed', summary: [{ type: 'text', text: 'Half.' }] });
    expect(compactions()).toBe(1);
    expect(endOfAnswer('cancelled', said.endTurn())).toEqual({
      how: 'handoff',
      summary: 'Half.',
    });
  });

  it('[DRV58] a turn that codex ends as if it were well, after a failure, has failed', () => {
    const { said } = hearing({ namesMessages: true });
    const status = { threadStatus: { type: 'systemError' } };
    said.update({ sessionUpdate: 'session_info_update', _meta: { codex: status } });
    said.update(chunk('{"error":{"code":"context_length_exceeded"}}'));
    expect(endOfAnswer('end_turn', said.endTurn())).toEqual({ how: 'handoff' });
  });

  it.each([
    ['end_turn', { how: 'done' }],
    ['cancelled', { how: 'interrupted' }],
    ['max_tokens', { how: 'handoff' }],
    ['max_turn_requests', { how: 'failed' }],
    ['refusal', { how: 'failed' }],
    ['of_the_future', { how: 'failed' }],
  ])('[DRV58] a turn that stops with %s ends accordingly', (reason, end) => {
    expect(endOfAnswer(reason, NOTHING)).toMatchObject(end);
  });

  it.each([
    [{ errorName: 'ContextOverflowError' }, { how: 'handoff' }],
    [{ codexErrorInfo: 'contextWindowExceeded' }, { how: 'handoff' }],
    [{ details: 'prompt is too long: 210000 tokens' }, { how: 'handoff' }],
    [{ errorKind: 'rate_limit' }, { how: 'failed', reason: 'rate limited: Internal error' }],
    [{ codexErrorInfo: 'usageLimitExceeded' }, { reason: expect.stringMatching(/^rate limited/) }],
    [{ errorKind: 'authentication_failed' }, { reason: expect.stringMatching(/^not signed in/) }],
    [{ details: 'the disk is full' }, { reason: 'Internal error: the disk is full' }],
  ])('[DRV58] an error with %j ends a turn as what it is', (data, end) => {
    expect(endOfError(new RequestError(-32603, 'Internal error', data))).toMatchObject(end);
  });
});
