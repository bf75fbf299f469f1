import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** How a command finds the instance that runs on a home: `instance.json` in it, which only its owner may read. */
export type InstanceFile = { url: string; pid: number; startedAt: string; token: string };

type Env = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Env): string {
  return env['FILEPATH_HOME'] || join(homedir(), '.filepath');
}

/** Renamed into place: a reader finds the old one, the new one or none. */
export async function writeInstance(home: string, instance: InstanceFile): Promise<void> {
  await mkdir(home, { recursive: true });
  const file = fileOf(home);
  await writeFile(`${file}.new`, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Takes the file away, unless another instance has written its own since. */
export async function removeInstance(home: string, pid = process.pid): Promise<void> {
  const found = parse(await readFile(fileOf(home), 'utf8').catch(() => ''));
  if (found?.pid === pid) await rm(fileOf(home), { force: true });
}

/** The running instance of this environment's home and the owner's token; null if none runs. */
export function findInstance(env: Env): { url: string; token: string } | null {
  const home = homeOf(env);
  const found = parse(readOr(fileOf(home), ''));
  if (found === null || !isAlive(found.pid)) return null;
  return { url: found.url, token: env['FILEPATH_TOKEN'] || found.token };
}

function fileOf(home: string): string {
  return join(home, 'instance.json');
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

function parse(text: string): InstanceFile | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { url, pid, startedAt, token } = value as Record<string, unknown>;
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return null;
  if (typeof token !== 'string' || token === '') return null;
  return { url, pid, startedAt: typeof startedAt === 'string' ? startedAt : '', token };
}

/** A process of another user cannot be signalled, and is alive all the same. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
