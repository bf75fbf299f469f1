import { mkdirSync, mkdtempSync, rmSync, writeFileSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '../log.ts';
import { Refusal } from '../executor/executor.ts';
import { PROBE, SELF_TEST_UID } from '../executor/self-test.ts';
import type { LimitSettings } from '../limits/settings.ts';
import type { Engine } from './engine.ts';
import { type Facts, userOf } from './facts.ts';
import { cageBody } from './hardening.ts';
import { runContainerOnce } from './once.ts';
import { seccompOption } from './seccomp-option.ts';
import { declaredVolumes } from './volumes.ts';

const NO_SHELL = /not found|no such file/i;

/** Why containers of this engine cannot hold an agent; null where one does, or where there is no image to try it with. */
export async function tryContainer(
  engine: Engine,
  facts: Facts,
  limits: LimitSettings,
  preferred: string | null,
): Promise<string | null> {
  const known = preferred !== null && (await engine.image(preferred)) !== null;
  const image = known ? preferred : await engine.anyImage();
  if (image === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'filepath-check-'));
  try {
    const workspace = join(folder, 'workspace');
    const canary = join(folder, 'canary');
    mkdirSync(workspace);
    writeFileSync(canary, 'canary', { mode: 0o644 });
    const uid = process.getuid?.() === 0 ? SELF_TEST_UID : null;
    if (uid !== null) chownSync(workspace, uid, uid);
    const body = cageBody({
      image,
      command: ['/bin/sh', '-c', PROBE, 'probe', canary, '', 'alone'],
      environment: new Map([['PATH', '/usr/bin:/bin']]),
      labels: {},
      ...userOf(engine, facts, uid),
      binds: [{ from: workspace, to: '/workspace', writable: true }],
      volumes: declaredVolumes(await engine.image(image)),
      fileBytes: null,
      seccomp: seccompOption(engine, join(folder, 'seccomp')),
      limits,
      holds: facts.holds,
    });
    const { output } = await runContainerOnce({ engine, body, timeoutMs: 20_000 });
    const holes = output.trim().split('\n');
    if (holes.length === 1 && holes[0] === 'checked') return null;
    return `a container failed its self-test: ${output.trim().slice(-1000)}`;
  } catch (error) {
    // This image no agent may run in either.
    if (error instanceof Refusal) return null;
    const reason = reasonOf(error);
    // An image without a shell cannot be asked, and the engine was able to set it up.
    return NO_SHELL.test(reason)
      ? null
      : `a container could not be tried: ${reason.slice(0, 1000)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
