import { FILE_LIMITS, INBOX, type KeptFile, type LogEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { mediaTypeOf } from '../../src/routes/media-type.ts';
import { keepFile } from '../../src/thread/files.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const hash = (digit: string): string => digit.repeat(64);
const png = (digit = 'a'): KeptFile => ({ sha256: hash(digit), bytes: 12, type: 'image/png' });
const ref = { name: 'shot.png', sha256: hash('a') };
const path = `${INBOX}/aaaaaaaa-shot.png`;
const attachment = { ...png(), name: 'shot.png', path };
const TOLD = `see\n\nAttached files:\n- ${path} (image/png, 12 bytes)`;

function thread(): TestThread {
  const t = newThread();
  keepFile(t.sql, 'a', png());
  return t;
}

const messages = (t: TestThread): Record<string, unknown>[] =>
  t
    .events()
    .map(({ body }: LogEvent) => body as Record<string, unknown>)
    .filter((body) => body['type'] === 'message');
const inputs = (t: TestThread): unknown[] =>
  t.thread.pendingInputs(0).map(({ line }): unknown => JSON.parse(line));

describe('a message with files', () => {
  it('[UII9] keeps the words as they were said, and names the files to the agent', () => {
    const t = thread();
    t.thread.message('user', 'see', null, 'now', [ref]);
    expect(messages(t)).toEqual([
      { type: 'message', from: 'user', content: 'see', attachments: [attachment] },
    ]);
    expect(inputs(t)).toEqual([
      { type: 'message', from: 'user', content: TOLD, attachments: [attachment] },
    ]);
  });

  it('[UII9] names only files that the thread keeps', () => {
    const t = thread();
    const other = { name: 'x', sha256: hash('b') };
    expect(() => t.thread.message('user', 'see', null, 'now', [ref, other])).toThrow('this file');
    expect(t.events()).toEqual([]);
  });

  it('[UII9] keeps them while it waits in the queue', () => {
    const t = thread();
    t.thread.message('user', 'task', null);
    observe(t, { type: 'started' });
    t.thread.written(1);
    t.say({ type: 'status', state: 'running' });
    t.thread.message('user', 'see', null, 'after', [ref]);
    expect(t.reopen().thread.queue).toMatchObject([{ content: 'see', attachments: [attachment] }]);
    t.say({ type: 'done' });
    expect(messages(t)).toMatchObject([{ content: 'task' }, { attachments: [attachment] }]);
    expect(inputs(t).at(-1)).toMatchObject({ content: TOLD, attachments: [attachment] });
  });

  it('[UII9] is told again with its files when the agent starts afresh', () => {
    const t = thread();
    t.thread.message('user', 'see', null, 'now', [ref]);
    observe(t, { type: 'started' });
    t.thread.written(1);
    t.say({ type: 'status', state: 'running' });
    t.thread.restart();
    observe(t, { type: 'exit', code: 0, reason: 'handoff' });
    expect(inputs(t)).toMatchObject([{ content: TOLD }]);
  });
});

describe('files of a thread', () => {
  it('[UII9] are bounded in number and bytes; the same one again takes no room', () => {
    const t = newThread();
    for (let n = 0; n < FILE_LIMITS.thread; n += 1) {
      keepFile(t.sql, 'a', { ...png(), sha256: String(n).padStart(64, '0') });
    }
    expect(() => keepFile(t.sql, 'a', png())).toThrow('500 files');
    const again = { ...png(), sha256: '7'.padStart(64, '0') };
    expect(keepFile(t.sql, 'a', again)).toEqual(again);
    const large = newThread();
    for (let n = 0; n < 50; n += 1) {
      const sha256 = String(n).padStart(64, '0');
      keepFile(large.sql, 'a', { ...png(), sha256, bytes: FILE_LIMITS.bytes });
    }
    expect(() => keepFile(large.sql, 'a', png())).toThrow('500 MiB');
  });

  it('[UII11] are images by their bytes alone', () => {
    const bytes = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
    expect(mediaTypeOf(bytes('\x89PNG\r\n\x1a\n...'), 'text/html')).toBe('image/png');
    expect(mediaTypeOf(bytes('RIFF0000WEBPVP8'), null)).toBe('image/webp');
    expect(mediaTypeOf(bytes('<svg>'), 'image/svg+xml')).toBe('application/octet-stream');
    expect(mediaTypeOf(bytes('no'), 'image/png')).toBe('application/octet-stream');
    expect(mediaTypeOf(bytes('a,b'), 'Text/CSV; charset=utf-8')).toBe('text/csv');
    expect(mediaTypeOf(bytes('x'), 'a\nb')).toBe('application/octet-stream');
  });
});
