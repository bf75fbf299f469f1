import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readJsonLines } from '../../src/driver/json-lines.ts';

async function read(chunks: readonly (string | Buffer)[]) {
  const lines: unknown[] = [];
  const others: string[] = [];
  await readJsonLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    line: (value) => lines.push(value),
    other: (head) => others.push(head),
  });
  return { lines, others };
}

describe('lines of a program', () => {
  it('[DRV3] are the same however they are cut into chunks', async () => {
    const text = Buffer.from('{"a":"é"}\n\n{"b":2}\r\n{"c":3}');
    for (let at = 0; at <= text.length; at++) {
      const { lines } = await read([text.subarray(0, at), text.subarray(at)]);
      expect(lines).toEqual([{ a: 'é' }, { b: 2 }, { c: 3 }]);
    }
  });

  it('[DRV3] that are no object, or too long, are told and left out', async () => {
    const long = Buffer.alloc(17 * 1024 * 1024, 'x');
    const { lines, others } = await read(['hello\n[1]\n', long, long, '\n{"after":true}\n']);
    expect(lines).toEqual([{ after: true }]);
    expect(others).toHaveLength(3);
    expect(others[2]).toMatch(/was left out/);
  });
});
