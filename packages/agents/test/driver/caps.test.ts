import { type AgentEvent, LIMITS, parseAgentLine } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { bounded, cutMiddle, KEPT_OUTPUT } from '../../src/driver/caps.ts';

describe('what a driver says is bounded', () => {
  it('[DRV3] keeps the head and the tail of a long output, and says what is missing', () => {
    const cut = cutMiddle(`begin${'x'.repeat(200_000)}end`, KEPT_OUTPUT);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(KEPT_OUTPUT);
    expect(cut).toMatch(/^begin/);
    expect(cut).toMatch(/end$/);
    expect(cut).toMatch(/\d+ bytes left out/);
  });

  it('[DRV3] never cuts a character in two', () => {
    for (let shift = 0; shift < 4; shift++) {
      const cut = cutMiddle('a'.repeat(shift) + '𝄞'.repeat(2000), 1000);
      expect(cut).not.toContain('\uFFFD');
    }
  });

  it.each<[string, AgentEvent]>([
    [
      'an output of 5 MB',
      { type: 'tool', name: 'x', status: 'done', output: 'o'.repeat(5_000_000) },
    ],
    ['a text that JSON writes sixfold', { type: 'text', content: '\u0001'.repeat(600_000) }],
    [
      'an input of many long strings',
      { type: 'tool', name: 'x', status: 'start', input: Array(1000).fill('i'.repeat(100_000)) },
    ],
    ['an input that nests too deep', { type: 'tool', name: 'x', status: 'start', input: nested() }],
  ])('[DRV3] makes a line that the runner takes of %s', (_what, event) => {
    const line = JSON.stringify(bounded(event));
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LIMITS.line);
    expect(parseAgentLine(line)).toMatchObject({ ok: true });
  });
});

function nested(): unknown {
  let value: unknown = 'inside';
  for (let at = 0; at < 500; at++) value = { value };
  return value;
}
