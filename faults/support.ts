import type { LogEvent } from '@filepath/protocol';
import { ChainReader } from '@filepath/protocol';
import { scriptAgent } from '@filepath/testkit';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const bodyOf = (event: LogEvent): Record<string, unknown> =>
  typeof event.body === 'object' && event.body !== null
    ? (event.body as Record<string, unknown>)
    : {};

/** The numbers that the stream agent printed, as they stand in the log. */
export function numbers(events: readonly LogEvent[]): number[] {
  return events
    .filter((event) => event.source === 'fap' && bodyOf(event)['type'] === 'text')
    .map((event) => Number(bodyOf(event)['content']));
}

/** The stream agent, before it something else: when it has printed all it stays until it is let go. */
export function stayingStream(args: readonly string[], before = ''): string[] {
  const [shell = '', option = '', script = '', ...rest] = scriptAgent('stream', ...args).command;
  const stay = 'until [ -e /workspace/go ]; do sleep 0.1; done';
  return [shell, option, `${before}\n${script}\n${stay}`, ...rest];
}

export function letGo(home: string, slug: string): void {
  writeFileSync(join(home, 'agents', slug, 'workspace', 'go'), '');
}

export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

/** Every event once, in order, unchanged. */
export function expectWhole(events: readonly LogEvent[], count: number): void {
  const chain = new ChainReader(sha256);
  for (const event of events) expect(chain.next(event)).toBeNull();
  expect(numbers(events)).toEqual(upTo(count));
}

export const hasNumber =
  (n: number) =>
  (event: LogEvent): boolean =>
    event.source === 'fap' && bodyOf(event)['content'] === String(n);

export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Processes of a group that run. */
export function groupOf(group: number): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , own] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return Number(own) === group && state !== 'Z';
    } catch {
      return false;
    }
  });
}
