import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { exportLines } from '../src/export-lines.ts';

const stdin = Readable.from(['from stdin\n']);

it('[SKY11] a file is opened when it is first read, so that who reads it hears of a failure', async () => {
  using dir = tempDir();
  const file = join(dir.path, 'export.jsonl');
  const lines = exportLines(file, { stdin });
  writeFileSync(file, 'one\ntwo\n');
  const read = [];
  for await (const line of lines) read.push(line);
  expect(read).toHaveLength(2);
  await expect(exportLines(join(dir.path, 'none'), { stdin }).next()).rejects.toThrow('ENOENT');
});

it('[SKY11] - is stdin', async () => {
  const { value } = await exportLines('-', { stdin }).next();
  expect(value).toMatchObject({ text: 'from stdin' });
});
