import { RequestError } from '@agentclientprotocol/sdk';
import type { TurnEnd } from '../driver/program.ts';
import { recordOf } from './facts.ts';
import type { Shown } from './said.ts';

const OVERFLOW =
  /prompt is too long|context[ _]?(length|window)|contextwindowexceeded|contextoverflow|maximum context|input is too long|request_too_large|context_exhausted/i;
const RATE_LIMIT =
  /rate[ _-]?limit|too many requests|\b429\b|usagelimit|overloaded|quota|resource_exhausted/i;
const SIGN_IN =
  /authenticat|unauthori[sz]ed|\b401\b|(invalid|incorrect)[^.]{0,40}key|key[^.]{0,20}(invalid|not valid)|billing_error/i;
const SIGN_IN_REQUIRED = -32000;

/** How a prompt that was answered ended the turn. */
export function endOfAnswer(stopReason: string, { compacted, failure }: Shown): TurnEnd {
  if (compacted) return handoff(compacted.summary);
  if (failure !== null) return endOfWords(failure.trim(), failure, false);
  switch (stopReason) {
    case 'end_turn':
      return { how: 'done' };
    case 'cancelled':
      return { how: 'interrupted' };
    case 'max_tokens':
      return handoff('');
    case 'max_turn_requests':
      return { how: 'failed', reason: 'it reached the most requests that it makes in one turn' };
    case 'refusal':
      return { how: 'failed', reason: 'the model refused to go on' };
    default:
      return { how: 'failed', reason: `it stopped with "${stopReason.slice(0, 100)}"` };
  }
}

/** How a prompt that failed ended the turn. Programs tell the kind in different places. */
export function endOfError(error: unknown): TurnEnd {
  if (!(error instanceof RequestError)) throw error;
  const data = recordOf(error.data);
  const kinds = [data['errorName'], data['errorKind'], data['codexErrorInfo'], data['category']]
    .map((kind) => (typeof kind === 'string' ? kind : (JSON.stringify(kind) ?? '')))
    .join(' ');
  const told = [data['message'], data['details'], data['error']].find(
    (text) => typeof text === 'string',
  );
  const words = [error.message, told]
    .filter((text) => text !== undefined)
    .join(': ')
    .slice(0, 1000);
  return endOfWords(words, `${kinds} ${words}`, error.code === SIGN_IN_REQUIRED);
}

function endOfWords(words: string, all: string, signIn: boolean): TurnEnd {
  if (OVERFLOW.test(all)) return { how: 'handoff' };
  if (RATE_LIMIT.test(all)) return { how: 'failed', reason: `rate limited: ${words}` };
  if (signIn || SIGN_IN.test(all)) {
    return { how: 'failed', reason: `not signed in, or the key was refused: ${words}` };
  }
  return { how: 'failed', reason: words === '' ? 'the turn failed without a reason' : words };
}

function handoff(summary: string): TurnEnd {
  return { how: 'handoff', ...(summary.trim() === '' ? {} : { summary }) };
}
