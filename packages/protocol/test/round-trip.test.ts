import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AgentEvent,
  AgentInput,
  decodeLogEvent,
  encodeInput,
  encodeLogEvent,
  LIMITS,
  parseAgentLine,
  rejectedLine,
  RejectedLine,
} from '../src/index.ts';
import { agentEvents, json, logEvent } from './arbitraries.ts';

describe('any valid event survives encode and decode', () => {
  it('covers every type', () => {
    const types = AgentEvent.options.map((option) => option.shape.type.value);
    expect(Object.keys(agentEvents).sort()).toEqual(types.sort());
  });

  it.each(Object.entries(agentEvents))('[FAP11] %s', (_type, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        const parsed = parseAgentLine(JSON.stringify(event));
        expect(parsed).toEqual({ ok: true, event, body: event });
      }),
    );
  });

  it('[FAP11] log events', () => {
    fc.assert(
      fc.property(logEvent, (event) => {
        expect(decodeLogEvent(encodeLogEvent(event))).toEqual(event);
      }),
    );
  });

  it('[FAP11] inputs', () => {
    const input = fc.oneof(
      fc.record({
        type: fc.constant('message' as const),
        from: fc.constantFrom('user' as const, 'parent' as const, 'system' as const),
        content: fc.string({ unit: 'binary' }),
      }),
      fc.record({
        type: fc.constant('decision' as const),
        id: fc.string({ minLength: 1, maxLength: 128 }),
        choice: fc.string(),
        input: json,
      }),
    );
    fc.assert(
      fc.property(input, (value) => {
        const line = encodeInput(value);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(AgentInput.parse(JSON.parse(line))).toEqual(value);
      }),
    );
  });
});

describe('stored JSON is stable', () => {
  it('[LOG5] of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const stored = JSON.stringify(value);
        expect(JSON.stringify(JSON.parse(stored))).toBe(stored);
      }),
    );
  });

  it('[LOG5] of any line that an agent may print, once it is stored', () => {
    fc.assert(
      fc.property(fc.json(), (line) => {
        const stored = JSON.stringify(JSON.parse(line));
        expect(JSON.stringify(JSON.parse(stored))).toBe(stored);
      }),
    );
  });

  it.each([
    '{"b":1,"1":2,"a":3}',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1},"y":2}',
    '{"lone":"\\ud800","pair":"\\ud83d\\ude00","nul":"\\u0000","line":"\\u2028"}',
    '[1e400,-0,1E2,0.10,123456789012345678901]',
  ])('[LOG5] of %s', (line) => {
    const stored = JSON.stringify(JSON.parse(line));
    const event = { body: JSON.parse(stored) as unknown };
    expect(JSON.stringify(event.body)).toBe(stored);
  });
});

describe('lines that are no events', () => {
  it('[FAP2] any text is an event or has a path and a reason', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
        const parsed = parseAgentLine(line);
        if (!parsed.ok) expect([parsed.path, parsed.reason]).not.toContain('');
      }),
    );
  });

  it('[FAP4] a line that nests too deep is refused, since it could not be written again', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(parseAgentLine(`{"type":"text","content":"x","deep":${deep}}`)).toEqual({
      ok: false,
      path: '(root)',
      reason: `nested deeper than ${LIMITS.depth} levels`,
    });
  });

  it('[FAP3] the rejected line keeps a bounded head', () => {
    const body = rejectedLine('x'.repeat(10_000), 52_428_800, {
      path: '(root)',
      reason: 'not JSON',
    });
    expect(RejectedLine.parse(body)).toEqual(body);
    expect(body.rejected.head).toHaveLength(LIMITS.rejectedHead);
    expect(body.message).toBe('line rejected: not JSON');
  });
});
