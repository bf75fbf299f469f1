import { LIMITS, readLines } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { validate } from '../src/commands/validate.ts';
import { recordedIo } from './io.ts';

describe('filepath validate', () => {
  it('[CLI1] says line, path and reason of each wrong line, and exits 1', async () => {
    const io = recordedIo(
      [
        '{"type":"text","content":"a"}',
        'garbage',
        '{"type":"tool","name":"x","status":"maybe"}',
        '{"type":"teleport"}',
        '{"type":"done"}',
      ].join('\n'),
    );
    expect(await validate([], io)).toBe(1);
    expect(io.said).toEqual([
      'line 2: (root): not JSON',
      expect.stringContaining('line 3: status: Invalid option: expected one of "start"|"done"'),
      'line 4: type: unknown event type "teleport"',
      '5 lines, 3 wrong',
    ]);
  });

  it('[CLI1] exits 0 when every line is valid', async () => {
    const io = recordedIo('{"type":"text","content":"a"}\r\n{"type":"done"}\n');
    expect(await validate([], io)).toBe(0);
    expect(io.said).toEqual(['2 lines, 0 wrong']);
  });

  it('[FAP12] takes no offence at blank lines', async () => {
    const io = recordedIo('\n{"type":"done"}\n \r\n\n');
    expect(await validate([], io)).toBe(0);
    expect(io.said).toEqual(['4 lines, 0 wrong']);
  });

  it('[CLI1] counts the lines of no input as none', async () => {
    const io = recordedIo('');
    expect(await validate([], io)).toBe(0);
    expect(io.said).toEqual(['0 lines, 0 wrong']);
  });

  it('[CLI1] names a line that is too long or not UTF-8, without keeping it', async () => {
    const io = recordedIo(
      (function* () {
        for (let n = 0; n < 300; n += 1) yield Buffer.alloc(64 * 1024, 'x');
        yield Buffer.from('\n{"type":"text","content":"');
        yield Buffer.from([0xff, 0xfe]);
        yield Buffer.from('"}\n');
      })(),
    );
    expect(await validate([], io)).toBe(1);
    expect(io.said).toEqual([
      `line 1: (root): longer than ${LIMITS.line} bytes`,
      'line 2: (root): not UTF-8',
      '2 lines, 2 wrong',
    ]);
  });

  it('[CLI6] says in one sentence what is wrong with its arguments', async () => {
    const io = recordedIo();
    expect(await validate(['--frobnicate'], io)).toBe(2);
    expect(io.errors).toEqual([
      "Unknown option '--frobnicate'.",
      expect.stringContaining('Usage:'),
    ]);
    expect(await validate(['file.ndjson'], recordedIo())).toBe(2);
  });
});

describe('readLines', () => {
  it('gives the same lines however the bytes are cut', async () => {
    const text = 'ä1\n\n二\nlast';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      const lines: (string | null)[] = [];
      for await (const line of readLines(recordedIo(chunks).stdin, 100)) lines.push(line.text);
      expect(lines).toEqual(text.split('\n'));
    }
  });
});
