import { lstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Gates, issuesOf, RepositoryFile } from '@filepath/protocol';
import { withFile } from '../beneath.ts';

const FILE_BYTES = 256 * 1024;

/** Which gates a repository has. */
export type Declared = { gates: Gates | null; problem: string | null };

const NAME = 'filepath.json';

/** What `filepath.json` declares. `note`: it is there and is not understood. */
export function repositoryFile(workspace: string): { file: RepositoryFile; note: string | null } {
  const own = textIn(workspace, NAME);
  if (own === null) return { file: {}, note: null };
  const parsed = RepositoryFile.safeParse(jsonOf(own));
  if (parsed.success) return { file: parsed.data, note: null };
  return { file: {}, note: notUnderstood(issuesOf(parsed.error)[0]) };
}

/** The gates in it. What is wrong elsewhere in the file takes none away. `problem`: nobody can tell which it declares. */
export function repositoryGates(workspace: string): Declared {
  const own = textIn(workspace, NAME);
  if (own === null) {
    const there = lstatSync(join(workspace, NAME), { throwIfNoEntry: false }) !== undefined;
    return { gates: null, problem: there ? `${NAME} is not a file` : null };
  }
  const value = jsonOf(own);
  const parsed = RepositoryFile.safeParse(value);
  if (parsed.success) return { gates: parsed.data.gates ?? null, problem: null };
  const wrong = issuesOf(parsed.error).find(({ path }) => !/^health(\.|$)/.test(path));
  if (wrong !== undefined) return { gates: null, problem: notUnderstood(wrong) };
  return {
    gates: Gates.safeParse(Reflect.get(Object(value), 'gates')).data ?? null,
    problem: null,
  };
}

const notUnderstood = (issue?: { path: string; reason: string }): string =>
  `${NAME} is not understood: ${issue?.path ?? ''}: ${issue?.reason ?? ''}`.slice(0, 500);

/** A file at the top of a workspace, which is the agent's: no link is followed. */
export function textIn(workspace: string, name: string): string | null {
  return withFile(workspace, [name], (fd) => {
    const buffer = Buffer.alloc(FILE_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, FILE_BYTES, 0));
  });
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'no JSON';
  }
}
