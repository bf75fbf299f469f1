import type { RequestBody } from './body/request-body.ts';
import type { Operation } from './operation.ts';

/** What providers add to a prompt by themselves, for tools above all. */
const ADDED_INPUT = 1024;
/** No model reads more than this at once: the bound for what the body only names. */
const LARGEST_CONTEXT = 2_000_000;
/** Where nobody knows how much a model can answer with. */
const LARGEST_OUTPUT = 131_072;

/** Tokens that a request can be at most: a tokenizer makes no more of a text than it has bytes. */
export function inputBound(size: number, body: RequestBody | null): number {
  return size + ADDED_INPUT + (body?.refersElsewhere ? LARGEST_CONTEXT : 0);
}

/** Tokens that the answer can have at most. What it can be limited to counts only where a limit is understood. */
export function outputBound(
  { kind, answers }: Pick<Operation, 'kind' | 'answers'>,
  body: RequestBody | null,
  maxOutput: number | null,
): number {
  if (!answers) return 0;
  const most = maxOutput ?? LARGEST_OUTPUT;
  if (!body || kind !== 'generate') return most;
  const asked = body.limit ?? most;
  const each = maxOutput === null ? asked : Math.min(asked, most);
  return Math.min(each * body.choices, Number.MAX_SAFE_INTEGER);
}
