import { AgentEvent, AgentInput, parseAgentLine } from '@filepath/protocol';
import { expect, it } from 'vitest';

/** Every event and input of spec 1, in its own words. */
const EVENTS = [
  { type: 'text', content: 'hello' },
  { type: 'tool', name: 'edit', path: 'a.ts', status: 'done', output: 'ok' },
  { type: 'command', cmd: 'ls', status: 'done', exit: 0, stdout: 'a\n', stderr: '' },
  { type: 'commit', hash: 'abc1234', message: 'feat: a' },
  { type: 'spawn', name: 'child', agent: 'custom', model: 'm', task: 'x' },
  { type: 'workers', workers: [{ name: 'child', status: 'running' }] },
  { type: 'status', state: 'thinking', context_pct: 0.5 },
  { type: 'handoff', summary: 'so far' },
  { type: 'done', summary: 'all' },
];

const INPUTS = [
  { type: 'message', from: 'user', content: 'hi' },
  { type: 'signal', action: 'stop' },
];

it('every event type of the protocol parses, and survives a round trip unchanged', () => {
  for (const event of EVENTS) {
    expect(AgentEvent.parse(event)).toEqual(event);
    expect(parseAgentLine(JSON.stringify(event))).toMatchObject({ ok: true, body: event });
  }
});

it('every input parses and round-trips', () => {
  for (const input of INPUTS) {
    expect(AgentInput.parse(JSON.parse(JSON.stringify(input)))).toEqual(input);
  }
});

it('a known event with a wrong field is refused with a path', () => {
  expect(parseAgentLine('{"type":"tool","name":"a","status":"maybe"}')).toMatchObject({
    ok: false,
    path: 'status',
  });
});
