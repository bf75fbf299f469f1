import { Refusal } from '../executor/executor.ts';
import { CLONE_SCRIPT, GIT_CONFIG, MIRROR } from '../executor/clone.ts';
import type { CloneJob } from '../executor/make-workspace.ts';
import { reasonOf } from '../log.ts';
import type { Cage } from './hardening.ts';
import { cageBody } from './hardening.ts';
import type { Engine } from './engine.ts';
import { runContainerOnce } from './once.ts';

const TIMEOUT_MS = 10 * 60_000;

const SCRIPT = `
command -v git > /dev/null || { echo "the image has no git"; exit 127; }
printf '%s' "$GIT_CONFIG_TEXT" > /tmp/gitconfig && unset GIT_CONFIG_TEXT && ${CLONE_SCRIPT.trim()}`;

/** Makes a workspace with the git of an image, where there is no sandbox to make it in. Throws a Refusal. */
export async function cloneInContainer(
  engine: Engine,
  cage: Omit<Cage, 'command' | 'environment' | 'binds'>,
  job: CloneJob,
): Promise<void> {
  const { mirror, signal } = job;
  if (mirror === null || job.start !== null) {
    throw new Refusal('work of another agent is brought by bubblewrap, which is not here');
  }
  const body = cageBody({
    ...cage,
    command: ['/bin/sh', '-c', SCRIPT, 'clone', mirror.shown, job.branch],
    environment: new Map([
      ['HOME', '/tmp'],
      ['LANG', 'C.UTF-8'],
      ['GIT_CONFIG_TEXT', GIT_CONFIG],
      ['GIT_CONFIG_GLOBAL', '/tmp/gitconfig'],
      ['GIT_CONFIG_NOSYSTEM', '1'],
      ['GIT_TERMINAL_PROMPT', '0'],
    ]),
    binds: [
      { from: mirror.path, to: MIRROR, writable: false },
      { from: job.into, to: '/workspace', writable: true },
    ],
  });
  const said = await runContainerOnce({ engine, body, timeoutMs: TIMEOUT_MS, signal }).then(
    ({ status, output, timedOut }) => {
      if (status === 0) return null;
      return timedOut ? 'it took longer than 10 minutes' : output.trim();
    },
    (error: unknown) => reasonOf(error),
  );
  if (said === null) return;
  if (signal.aborted) throw new Refusal('the clone was given up');
  throw new Refusal(
    `cannot clone ${mirror.shown} in ${cage.image}: ${said.slice(-1500)}: use an image with git, or install bubblewrap`,
  );
}
