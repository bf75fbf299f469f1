import { Answer, type Changes, FilepathError } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { attempt, type Result } from '../result.ts';
import type { Thread } from './thread.ts';

/** What an agent changed, or one file of it, from the runner that has its workspace. */
export async function askChanges(
  env: Env,
  { meta, state }: Thread,
  file: string | null,
  redact: (text: string) => string,
): Promise<Result<Changes>> {
  const { thread, slug, name, runner } = meta;
  const failed = (reason: string): FilepathError =>
    new FilepathError('conflict', `the changes of ${name} cannot be read: ${reason}`);
  if (state.launch.epoch === 0) {
    return attempt(() => {
      throw failed('it has no workspace yet, send it a message first');
    });
  }
  const question = { kind: 'changes' as const, thread, slug, ...(file === null ? {} : { file }) };
  const answered: Result<string> = await env.RUNNER.getByName(runner).ask(question);
  if (!answered.ok) return answered;
  const answer = Answer.parse(JSON.parse(redact(answered.value)));
  return attempt(() => {
    if (answer.kind === 'changes') return answer.changes;
    throw failed(answer.reason);
  });
}
