import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ObservedFile } from '../src/epoch/observed-file.ts';
import { StdinFile } from '../src/epoch/stdin-file.ts';
import { tempDir } from './setup.ts';

describe('the stdin file', () => {
  it('takes each input once and in order, and completes a line that a kill cut short', () => {
    const path = join(tempDir(), 'stdin');
    const first = new StdinFile(path);
    first.append([
      { id: 1, line: 'one' },
      { id: 2, line: 'two\n' },
    ]);
    first.append([{ id: 2, line: 'two' }]);
    appendFileSync(path, 'thr');
    const second = new StdinFile(path);
    expect(second.count).toBe(2);
    second.append([
      { id: 3, line: 'three' },
      { id: 4, line: 'a\nb' },
    ]);
    expect(() => second.append([{ id: 6, line: 'six' }])).toThrow(/one is missing/);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\na b\n');
  });

  it('completes a line of which only the newline is missing', () => {
    const path = join(tempDir(), 'stdin');
    writeFileSync(path, 'one');
    new StdinFile(path).append([{ id: 1, line: 'one' }]);
    expect(readFileSync(path, 'utf8')).toBe('one\n');
  });
});

describe('the observations', () => {
  const started = { type: 'started', epoch: 1, executor: 'sandbox' } as const;
  const refused = { type: 'refused', epoch: 1, reason: 'no' } as const;

  it('survive a kill in the middle of a line and end with the terminal one', async () => {
    const path = join(tempDir(), 'observed');
    const first = new ObservedFile(path);
    await first.append(started);
    first.close();
    appendFileSync(path, '{"type":"exi');
    const second = new ObservedFile(path);
    expect(second.count).toBe(1);
    await second.append(refused);
    await second.append(started);
    second.close();
    const third = new ObservedFile(path);
    expect([third.at(1), third.at(2), third.count]).toEqual([started, refused, 2]);
    third.close();
  });

  it('go on after those that the worker knows and a power cut took', async () => {
    const path = join(tempDir(), 'observed');
    const file = new ObservedFile(path);
    await file.append(refused);
    file.catchUp(2);
    expect([file.count, file.at(3)]).toEqual([3, refused]);
    file.catchUp(2);
    file.close();
    const again = new ObservedFile(path);
    expect([again.count, again.terminal]).toEqual([3, refused]);
    again.close();
  });
});
