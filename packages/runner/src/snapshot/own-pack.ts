import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../executor/executor.ts';
import { hostGit } from '../git/host-git.ts';
import type { Remote } from '../git/remote.ts';

const TIMEOUT_MS = 10 * 60_000;
const MEMORY_BYTES = 2 ** 30;

export type PackFile = { name: string; path: string; size: number };

export type OwnPack = {
  env: NodeJS.ProcessEnv;
  /** The file that the pack is in, and where it begins. */
  path: string;
  from: number;
  format: 'sha1' | 'sha256';
  /** A directory for a repository of its own. */
  into: string;
  most: number;
  signal: AbortSignal;
};

/** The pack with its index, as the files that a repository has of it. Throws a Refusal. */
export async function ownPack(job: OwnPack): Promise<PackFile[]> {
  const { env, signal, into, most } = job;
  const remote: Remote = { kind: 'path', shown: into };
  const bounds = { memory: MEMORY_BYTES, file: 2 * most };
  const must = async (args: string[], stdin?: number): Promise<void> => {
    const given = stdin === undefined ? {} : { stdin };
    const common = { remote, env, signal, timeoutMs: TIMEOUT_MS, bounds };
    const result = await hostGit({ args, ...common, ...given });
    if (result.status === 0) return;
    if (signal.aborted) throw new Error('the runner is stopping');
    throw new Refusal(`the commits cannot be packed: ${result.said.trim().slice(-1500)}`);
  };
  await must(['init', '--bare', '--quiet', '--template=', `--object-format=${job.format}`, into]);
  const fd = openSync(job.path, 'r');
  try {
    readSync(fd, Buffer.alloc(job.from), 0, job.from, null);
    const small = ['-c', 'core.bigFileThreshold=16m', '-c', 'pack.threads=1'];
    await must([`--git-dir=${into}`, ...small, 'index-pack', '--stdin'], fd);
  } finally {
    closeSync(fd);
  }
  const dir = join(into, 'objects', 'pack');
  return readdirSync(dir)
    .filter((name) => /^pack-[0-9a-f]+\.(?:idx|pack)$/.test(name))
    .sort()
    .map((name) => ({ name, path: join(dir, name), size: statSync(join(dir, name)).size }));
}
