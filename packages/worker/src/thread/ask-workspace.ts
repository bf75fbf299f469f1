import {
  Answer,
  type Changes,
  FilepathError,
  type FoundFiles,
  type Question,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { attempt, type Result } from '../result.ts';
import type { Thread } from './thread.ts';

type Redact = (text: string) => string;

/** What an agent changed, or one file of it, from the runner that has its workspace. */
export async function askChanges(
  env: Env,
  thread: Thread,
  file: string | null,
  redact: Redact,
): Promise<Result<Changes>> {
  const more = { kind: 'changes' as const, ...(file === null ? {} : { file }) };
  return ask(env, thread, 'changes', { ...named(thread), ...more }, redact, (answer) =>
    answer.kind === 'changes' ? answer.changes : null,
  );
}

/** Files of an agent's workspace whose path holds this. */
export async function askFiles(
  env: Env,
  thread: Thread,
  query: string,
  redact: Redact,
): Promise<Result<FoundFiles>> {
  return ask(env, thread, 'files', { ...named(thread), kind: 'files', query }, redact, (answer) =>
    answer.kind === 'files' ? answer.found : null,
  );
}

const named = ({ meta: { thread, slug } }: Thread) => ({ thread, slug });

async function ask<T>(
  env: Env,
  { meta, state }: Thread,
  what: string,
  question: Question,
  redact: Redact,
  read: (answer: Answer) => T | null,
): Promise<Result<T>> {
  const failed = (reason: string): FilepathError =>
    new FilepathError('conflict', `the ${what} of ${meta.name} cannot be read: ${reason}`);
  if (state.launch.epoch === 0) {
    return attempt(() => {
      throw failed('it has no workspace yet, send it a message first');
    });
  }
  const answered: Result<string> = await env.RUNNER.getByName(meta.runner).ask(question);
  if (!answered.ok) return answered;
  const answer = Answer.parse(JSON.parse(redact(answered.value)));
  return attempt(() => {
    const found = read(answer);
    if (found !== null) return found;
    throw failed(answer.kind === 'failed' ? answer.reason : 'the runner answered something else');
  });
}
