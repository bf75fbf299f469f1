import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attachment, attachmentOf } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { Bench, message, shellOrder, tempDir } from './setup.ts';

function fileOf(bench: Bench | null, name: string, text: string): Attachment {
  const content = Buffer.from(text);
  const sha256 = createHash('sha256').update(content).digest('hex');
  bench?.worker.snapshots.set(sha256, content);
  return attachmentOf({ name, sha256 }, { sha256, bytes: content.length, type: 'text/plain' });
}

const withFiles = (...attachments: Attachment[]): string =>
  JSON.stringify({ type: 'message', from: 'user', content: 'look', attachments });

describe('files of a message', () => {
  it('[UII10] are in the inbox of the home before the process starts that reads of them', async () => {
    const bench = await Bench.open();
    const file = fileOf(bench, 'a note.txt', 'first words');
    const order = shellOrder(`cat "${file.path}"; echo; stat -c %a "${file.path}"; git status -s`, {
      inputs: [{ id: 1, line: withFiles(file) }],
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['first words', '600']);
  });

  it('[UII10] are there before a running process reads the message, and the next message waits for that', async () => {
    const bench = await Bench.open();
    const one = fileOf(bench, 'one', '1'.repeat(3_000_000));
    const two = fileOf(bench, 'two', 'second');
    const order = shellOrder(
      `read -r a; echo ready; read -r b; wc -c < "${one.path}"; cat "${two.path}"; echo; read -r c; echo "$c"`,
      { inputs: [{ id: 1, line: message('task') }] },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('ready', () => thread.texts.includes('ready'));
    bench.worker.input(order.thread, withFiles(one, two));
    bench.worker.input(order.thread, message('last'));
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['ready', '3000000', 'second', message('last')]);
    expect(thread.written).toEqual([2, 3]);
  });

  it('[UII10] follow no link that an agent has planted', async () => {
    const bench = await Bench.open();
    const outside = join(tempDir(), 'outside');
    mkdirSync(outside);
    const file = fileOf(bench, 'x', 'secret');
    const order = shellOrder(
      `ln -s ${outside} /home/agent/inbox; read -r a; echo ready; read -r b; echo "told"`,
      { inputs: [{ id: 1, line: message('task') }] },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('ready', () => thread.texts.includes('ready'));
    bench.worker.input(order.thread, withFiles(file));
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['ready', 'told']);
    expect(existsSync(join(outside, `${file.sha256.slice(0, 8)}-x`))).toBe(false);
    expect((await bench.logged(order, 'fault')).message).toContain('cannot be put into its home');
  });

  it('[UII10] that differ from their hash, or have no place in the inbox, are not written', async () => {
    const bench = await Bench.open();
    const file = fileOf(bench, 'x', 'right');
    bench.worker.snapshots.set(file.sha256, Buffer.from('wrong'));
    for (const [bad, reason] of [
      [file, 'its hash differs'],
      [{ ...fileOf(bench, 'y', 'y'), path: '/home/agent/inbox/../.profile' }, 'no place in'],
      [{ ...fileOf(bench, 'z', 'z'), path: '/etc/passwd' }, 'no place in the inbox'],
      [fileOf(null, 'gone', 'gone'), '404'],
    ] as const) {
      const order = shellOrder('echo ran', { inputs: [{ id: 1, line: withFiles(bad) }] });
      bench.worker.order(order);
      const thread = bench.worker.thread(order.thread);
      await bench.worker.until('refused', () => thread.refused !== undefined);
      expect(thread.refused).toContain(reason);
      expect(existsSync(join(bench.agentDir(order), 'home', '.profile'))).toBe(false);
    }
    expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('z');
  });
});
