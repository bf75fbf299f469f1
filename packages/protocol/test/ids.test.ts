import { describe, expect, it } from 'vitest';
import {
  newRunId,
  newSessionId,
  newStepId,
  newThreadId,
  RunId,
  RunnerId,
  SessionId,
  StepId,
  ThreadId,
} from '../src/index.ts';

const kinds = [
  { name: 'thread', make: newThreadId, schema: ThreadId, prefix: 'th_' },
  { name: 'run', make: newRunId, schema: RunId, prefix: 'run_' },
  { name: 'step', make: newStepId, schema: StepId, prefix: 'st_' },
  { name: 'session', make: newSessionId, schema: SessionId, prefix: 'ses_' },
];

describe('ids', () => {
  it.each(kinds)(
    'a new $name id parses as that kind and as no other',
    ({ make, schema, prefix }) => {
      const id = make();
      expect(id.startsWith(prefix)).toBe(true);
      expect(kinds.filter((kind) => kind.schema.safeParse(id).success)).toEqual([
        expect.objectContaining({ schema }),
      ]);
    },
  );

  it('new ids differ', () => {
    expect(new Set(Array.from({ length: 1000 }, newThreadId)).size).toBe(1000);
  });

  it.each([
    '',
    'th_',
    'th_short',
    `th_${'a'.repeat(23)}`,
    `th_${'ä'.repeat(22)}`,
    `th_${'a'.repeat(21)}\n`,
  ])('%j is no thread id', (text) => {
    expect(ThreadId.safeParse(text).success).toBe(false);
  });

  it.each(['rn_', 'rn_a/b', 'local', `rn_${'a'.repeat(65)}`])('%j is no runner id', (text) => {
    expect(RunnerId.safeParse(text).success).toBe(false);
    expect(RunnerId.safeParse('rn_local').success).toBe(true);
  });
});
