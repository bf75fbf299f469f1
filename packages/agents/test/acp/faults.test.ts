import type { AgentEntry, AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { standIn } from '../stand-in.ts';

const entry: Partial<AgentEntry> = {
  name: 'Program',
  driver: { kind: 'acp', command: ['program'] },
};
const isStatus =
  (state: string) =>
  (event: AgentEvent): boolean =>
    event.type === 'status' && event.state === state;

/** A program that opens sessions; `prompt(id)` is the body of what it does with a prompt. */
const program = (prompt: string): Record<string, string> => ({
  program: `const answer = (id, result) => say({ jsonrpc: '2.0', id, result });
    const update = (u) => say({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: u } });
    each(({ id, method }) => {
      if (method === 'initialize') answer(id, { protocolVersion: 1 });
      if (method === 'session/new') answer(id, { sessionId: 's1' });
      if (method === 'session/prompt') { ${prompt} }
    });`,
});

describe('a program that speaks ACP and fails', () => {
  it('[DRV9] ends the run with its last words, and the next message starts it again', async () => {
    using it = standIn(program(`process.stderr.write('no space left'); process.exit(7);`), {
      type: 'opencode',
      entry,
    });
    for (const text of ['go', 'go again']) {
      await it.agent.say(text);
      expect(await it.agent.until(isStatus('error'), 'the error')).toMatchObject({
        reason: 'Program ended with exit status 7: no space left',
      });
    }
    await it.agent.end();
    expect(it.agent.exits).toEqual([0]);
  });

  it('[DRV8] is told of when it waits for ever, and is ended if it does not stop', async () => {
    using it = standIn(
      program(
        `update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'task', status: 'in_progress', rawInput: { a: 1 } });`,
      ),
      { type: 'opencode', entry, env: { FILEPATH_SILENT_SECONDS: '1' } },
    );
    await it.agent.say('go');
    await it.agent.until(
      (event) => isStatus('running')(event) && Reflect.get(event, 'reason') !== undefined,
      'what is told of its silence',
    );
    const failed = await it.agent.until(isStatus('error'), 'the end of the run');
    expect(failed).toMatchObject({ reason: expect.stringContaining('said nothing') });
    await it.agent.end();
    const tools = it.agent.events().filter(({ type }) => type === 'tool');
    expect(tools.map((event) => Reflect.get(event, 'status'))).toEqual(['start', 'error']);
  });

  it('[DRV3] that prints what is no message goes on', async () => {
    using it = standIn(
      program(`process.stdout.write('a banner\\n');
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Here.' } });
        answer(id, { stopReason: 'end_turn' });`),
      { type: 'opencode', entry },
    );
    await it.agent.say('go');
    await it.agent.until(({ type }) => type === 'done', 'the end of the turn');
    await it.agent.end();
    expect(it.agent.events()).toContainEqual(
      expect.objectContaining({ type: 'log', level: 'debug', message: 'it printed: a banner' }),
    );
  });
});
