import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { z } from 'zod';

import { codeOf, EngineError, hasCode } from './errors.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const LockFile = z.object({ pid: z.int().positive(), startTime: z.string().min(1) });

export type HomeLock = { readonly home: string; release(): void };

/** Takes the home for this process. One live instance has a home; the lock of a dead one is taken over. */
export function lockHome(home: string): HomeLock {
  makeHome(home);
  const path = join(home, 'lock');
  const mine = ownIdentity();
  take(home, path, mine);
  return { home, release: () => release(path, mine) };
}

/**
 * The lock of a dead holder is replaced only by whoever holds the right to replace that very lock, which is
 * a lock of the same kind, named after the dead holder. So two starts never replace each other's.
 */
function take(home: string, path: string, mine: ProcessIdentity): void {
  for (let turn = 0; turn < 10; turn += 1) {
    if (create(path, mine)) return;
    const holder = readHolder(path);
    if (holder === 'gone') continue;
    if (isAlive(holder)) throw heldBy(home, holder);
    const right = `${path}.${holder.pid}-${holder.startTime.replaceAll(/[^\w]/g, '-')}`;
    take(home, right, mine);
    const now = readHolder(path);
    const dead = now !== 'gone' && isSame(now, holder);
    if (dead) renameSync(write(path, mine), path);
    rmSync(right, { force: true });
    if (dead) return;
  }
  throw new EngineError(`Several starts want the home ${home} at once; start again.`);
}

function makeHome(home: string): void {
  try {
    makeDirectories(resolve(home));
    chmodSync(home, 0o700);
    accessSync(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = hasCode(error, 'EEXIST', 'ENOTDIR') ? 'a file is in its place' : codeOf(error);
    throw new EngineError(
      `The home ${home} cannot be written (${reason}); set FILEPATH_HOME to a directory of yours.`,
      { cause: error },
    );
  }
}

/** Not `recursive`: with that Node tries for ever below /proc and the like. */
function makeDirectories(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return;
    if (!hasCode(error, 'ENOENT') || existsSync(dirname(path))) throw error;
    makeDirectories(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

/** A hard link appears with its content or not at all, and never replaces a lock. */
function create(path: string, mine: ProcessIdentity): boolean {
  const written = write(path, mine);
  try {
    linkSync(written, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function write(path: string, mine: ProcessIdentity): string {
  const written = `${path}.${randomBytes(6).toString('hex')}.new`;
  writeFileSync(written, JSON.stringify(mine), { mode: 0o600, flag: 'wx' });
  return written;
}

function readHolder(path: string): ProcessIdentity | 'gone' {
  try {
    return LockFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'gone';
    throw new EngineError(
      `The lock ${path} cannot be read; remove it if no filepath runs on this home.`,
      { cause: error },
    );
  }
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startTime === other.startTime;
}

function release(path: string, mine: ProcessIdentity): void {
  const holder = readHolder(path);
  if (holder !== 'gone' && isSame(holder, mine)) rmSync(path, { force: true });
}

function heldBy(home: string, holder: ProcessIdentity): EngineError {
  return new EngineError(
    `Another filepath (process ${holder.pid}) already runs on ${home}; stop it, or set FILEPATH_HOME to another directory.`,
  );
}
