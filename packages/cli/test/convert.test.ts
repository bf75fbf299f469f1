import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { convert } from '../src/commands/convert.ts';
import { recordedIo } from './io.ts';

const file = fileURLToPath(new URL('../../protocol/corpus/sky-export/1.jsonl', import.meta.url));

describe('filepath convert', () => {
  it('[SKY11] writes a session of pi', async () => {
    using dir = tempDir();
    const output = join(dir.path, 'session.jsonl');
    expect(await convert([file, '--to', 'pi', '-o', output, '--cwd', '/repo'], recordedIo())).toBe(
      0,
    );
    const [header, ...entries] = readFileSync(output, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', version: 3, cwd: '/repo' });
    expect(entries.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('message');
  });

  it('[SKY11] writes nothing where the export is changed, cut or not there', async () => {
    using dir = tempDir();
    const output = join(dir.path, 'session.jsonl');
    const text = readFileSync(file, 'utf8');
    for (const given of [text.replace('a.md', 'b.md'), text.slice(0, -20), 'x', '']) {
      const io = recordedIo(given);
      expect(await convert(['-', '--to', 'pi', '-o', output], io)).toBe(1);
      expect(io.errors.join()).toMatch(/not converted: line \d+/);
    }
    const missing = recordedIo();
    expect(await convert([join(dir.path, 'none'), '--to', 'pi', '-o', output], missing)).toBe(1);
    expect(missing.errors.join()).toContain('not converted: ENOENT');
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it('[CLI6] wants one export, what to make of it and where', async () => {
    expect(await convert(['--to', 'pi', '-o', 'x'], recordedIo())).toBe(2);
    expect(await convert([file, '-o', 'x'], recordedIo())).toBe(2);
    expect(await convert([file, '--to', 'html', '-o', 'x'], recordedIo())).toBe(2);
    expect(await convert([file, '--to', 'pi'], recordedIo())).toBe(2);
  });
});
