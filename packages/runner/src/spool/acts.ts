const WORK = /"type"\s*:\s*"(?:tool|command)"/;
const ENDED = /"status"\s*:\s*"(?:done|error)"/;
const OVER = /"type"\s*:\s*"(?:done|handoff)"|"state"\s*:\s*"(?:idle|done|error)"/;

/**
 * Whether a line may say that the agent did something, or that its run is over. What the line means is the worker's to
 * read: this says only when it is worth to look at the workspace. Quotes inside a text are escaped, and so none of it.
 */
export function actIn(line: string): 'run-over' | 'acted' | null {
  if (OVER.test(line)) return 'run-over';
  return WORK.test(line) && ENDED.test(line) ? 'acted' : null;
}
