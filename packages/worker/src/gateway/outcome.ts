import { NO_TOKENS, type TokenCounts } from '@filepath/protocol';
import type { Outcome } from './contract.ts';
import type { Reading } from './meter/meter.ts';
import type { Passed } from './passage.ts';

type Counted = Pick<Outcome, 'tokens' | 'estimated'>;

/** What a call has used, by what its answer told. `outputBound` is what the answer may have had. */
export function countedBy(reading: Reading, outputBound: number): Counted {
  const { final, known, begun, error } = reading;
  if (final) return { tokens: final };
  if (error !== null && !begun) return { tokens: NO_TOKENS };
  if (!known) return { tokens: null };
  const tokens: TokenCounts = { ...known, output: Math.max(known.output, outputBound) };
  return { tokens, estimated: true };
}

const WORDS: Record<Passed, string | undefined> = {
  whole: undefined,
  cut: 'The connection with the provider broke off in the middle of the answer.',
  left: undefined,
  idle: 'The provider sent nothing for too long in the middle of the answer.',
  stalled: 'The agent did not read the answer.',
};

/** How an answer that had begun has ended. */
export function endedBy(reading: Reading, passed: Passed): Pick<Outcome, 'outcome' | 'error'> {
  if (reading.error !== null) return { outcome: 'failed', error: reading.error };
  if (passed === 'left' || passed === 'stalled') return withWords('cancelled', WORDS[passed]);
  if (passed !== 'whole') return withWords('cut', WORDS[passed]);
  if (reading.ended || reading.final) return { outcome: 'completed' };
  return { outcome: 'cut', error: 'The answer ended without an end.' };
}

function withWords(
  outcome: Outcome['outcome'],
  error: string | undefined,
): Pick<Outcome, 'outcome' | 'error'> {
  return error === undefined ? { outcome } : { outcome, error };
}
