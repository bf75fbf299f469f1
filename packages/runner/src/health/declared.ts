import type { HealthCheck } from '@filepath/protocol';
import { z } from 'zod';
import { withDirectory, withFile } from '../beneath.ts';
import { jsonOf, repositoryFile, textIn } from './repository-file.ts';

const TIMEOUT_SECONDS = 120;

export type DeclaredCheck = {
  name: HealthCheck['name'];
  command: string;
  /** Why it cannot be run here. */
  skip: string | null;
  /** We chose the command: where its program is missing, nothing has failed. */
  chosen: boolean;
};

export type Declared = {
  checks: DeclaredCheck[];
  blocking: boolean;
  timeoutMs: number;
  /** A declaration that is not understood. */
  note: string | null;
};

const TYPE_CHECKS = ['typecheck', 'type-check', 'tsc', 'check-types'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const LOCKS: readonly (readonly [string, string])[] = [
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

const Package = z.looseObject({ scripts: z.record(z.string(), z.unknown()) });

/** What the repository says is to hold in it. Its files are the agent's text: nothing is run or followed for this. */
export function declaredChecks(workspace: string): Declared {
  const none = { checks: [], blocking: false, timeoutMs: TIMEOUT_SECONDS * 1000, note: null };
  const { file, note } = repositoryFile(workspace);
  if (note !== null) return { ...none, note };
  if (file.health !== undefined) {
    const { checks, blocking = false, timeoutSeconds = TIMEOUT_SECONDS } = file.health;
    const list = Object.entries(checks).map(([name, command]): DeclaredCheck => {
      return { name, command, skip: null, chosen: false };
    });
    return { checks: list, blocking, timeoutMs: timeoutSeconds * 1000, note: null };
  }
  return { ...none, checks: ofPackage(workspace) ?? ofMakefile(workspace) };
}

/** Null: no package declares any. */
function ofPackage(workspace: string): DeclaredCheck[] | null {
  const text = textIn(workspace, 'package.json');
  const { data } = Package.safeParse(text === null ? null : jsonOf(text));
  if (data === undefined) return null;
  const has = (name: string): boolean => typeof data.scripts[name] === 'string';
  const types = TYPE_CHECKS.find(has);
  const scripts = [...(types === undefined ? [] : [types]), ...(has('build') ? ['build'] : [])];
  if (scripts.length === 0) return null;
  const manager = LOCKS.find(([lock]) => isFile(workspace, lock))?.[1] ?? 'npm';
  const installed = withDirectory(workspace, ['node_modules'], () => true) ?? false;
  const skip = installed ? null : 'dependencies are not installed';
  return scripts.map((script) => {
    return { name: script, command: `${manager} run ${script}`, skip, chosen: true };
  });
}

function ofMakefile(workspace: string): DeclaredCheck[] {
  const text = MAKEFILES.map((name) => textIn(workspace, name)).find((one) => one !== null) ?? '';
  const targets = ['typecheck', 'build'].filter((name) =>
    new RegExp(`^${name}[ \\t]*:(?!=)`, 'm').test(text),
  );
  return targets.map((name) => ({ name, command: `make ${name}`, skip: null, chosen: true }));
}

function isFile(workspace: string, name: string): boolean {
  return withFile(workspace, [name], () => true) ?? false;
}
