import type { RepositoryFound } from '@filepath/protocol';
import { Refusal } from '../executor/executor.ts';
import { advice, wordsOf } from './fetch.ts';
import { hostGit } from './host-git.ts';
import type { Mirrors } from './mirrors.ts';

/** A person waits for it. */
const TIMEOUT_MS = 15_000;

/** Asks a repository for its HEAD and branches, and fetches nothing. Throws a Refusal that says what is wrong. */
export async function checkRepository(
  repository: string,
  tools: { mirrors: Mirrors; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<RepositoryFound> {
  const { remote } = tools.mirrors.identify(repository);
  const args = ['ls-remote', '--symref', '--', remote.shown, 'HEAD', 'refs/heads/*'];
  const { env, signal } = tools;
  const result = await hostGit({ args, remote, env, signal, timeoutMs: TIMEOUT_MS });
  if (result.timedOut || signal.aborted) {
    throw new Refusal(`${remote.shown} did not answer within ${TIMEOUT_MS / 1000} s`);
  }
  if (result.status !== 0) {
    const said = wordsOf(result, remote);
    throw new Refusal(`cannot clone ${remote.shown}: ${reasonIn(said)}${advice(remote, said)}`);
  }
  return {
    branch: /^ref: refs\/heads\/([^\s]+)\tHEAD$/m.exec(result.out)?.[1]?.slice(0, 1024) ?? null,
    empty: !/^[0-9a-f]{40,64}\t/m.test(result.out),
  };
}

/** What git adds to every failure, whatever the reason was. */
const NOISE = /^(Could not read from remote|Please make sure you have|and the repository exists)/;

/** What git said, without what helps nobody. */
function reasonIn(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote|ssh): /, '').trim())
    .filter((line) => line !== '' && !NOISE.test(line));
  return lines.join('\n') || 'git gave no reason';
}
