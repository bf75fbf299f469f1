import { newThreadId, type Source } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { run } from '../src/commands/run.ts';
import { remark, RunWatch } from '../src/run-watch.ts';
import { recordedIo } from './io.ts';

const thread = newThreadId();
const event = (seq: number, source: Source, body: unknown) => ({
  seq,
  thread,
  run: null,
  step: null,
  event: seq,
  at: '2026-01-01T00:00:00.000Z',
  source,
  body,
  hash: '0'.repeat(64),
});
const message = { type: 'message', from: 'user', content: 'go' };
const exit = { type: 'exit', epoch: 1, code: 3, signal: null, reason: 'exited', stderr: 'boom\n' };

describe('filepath run', () => {
  it('[CLI3] watches until the run of its message has ended', () => {
    const watch = new RunWatch(1);
    watch.take(event(1, 'user', message));
    watch.take(event(2, 'runner', { type: 'started', epoch: 1, executor: 'sandbox' }));
    expect(watch).toMatchObject({ outcome: null, alive: true });
    watch.take(event(3, 'fap', { type: 'done' }));
    expect(watch).toMatchObject({ outcome: 'completed', alive: true });
    watch.take(event(4, 'runner', exit));
    expect(watch).toMatchObject({ outcome: 'completed', alive: false });
  });

  it('[CLI3] an exit with another code is no completion', () => {
    const watch = new RunWatch(1);
    watch.take(event(1, 'user', message));
    watch.take(event(2, 'runner', { type: 'started', epoch: 1, executor: 'sandbox' }));
    watch.take(event(3, 'runner', exit));
    expect(watch).toMatchObject({ outcome: 'error', reason: 'exit 3: boom' });
  });

  it('[CLI3] remarks what the runner saw, and nothing that the agent or the user said', () => {
    expect(remark(event(1, 'runner', exit))).toBe('exited with code 3\nboom');
    expect(remark(event(1, 'fap', exit))).toBeNull();
    expect(remark(event(1, 'user', message))).toBeNull();
  });

  it.each([
    [['task'], 'A custom agent needs --command "…".'],
    [['--command', 'true'], 'Give one task, in quotes.'],
    [['--command', 'true', 'two', 'tasks'], 'Give one task, in quotes.'],
    [['--agent', 'hal', 'task'], 'There is no agent hal'],
    [['--command', 'true', '--repo', 'nowhere', 'task'], 'nowhere is neither'],
    [['--fast', 'task'], "Unknown option '--fast'."],
  ])('[CLI6] refuses %j', async (args, sentence) => {
    const io = recordedIo();
    expect(await run(args, io)).toBe(2);
    expect(io.errors[0]).toContain(sentence);
    expect(io.errors[1]).toContain('Usage:');
  });
});
