import { readSync } from 'node:fs';
import { issuesOf, RepositoryFile } from '@filepath/protocol';
import { withFile } from '../beneath.ts';

const FILE_BYTES = 256 * 1024;

/** What `filepath.json` declares. `note`: it is there and is not understood. */
export function repositoryFile(workspace: string): { file: RepositoryFile; note: string | null } {
  const own = textIn(workspace, 'filepath.json');
  if (own === null) return { file: {}, note: null };
  const parsed = RepositoryFile.safeParse(jsonOf(own));
  if (parsed.success) return { file: parsed.data, note: null };
  const [first] = issuesOf(parsed.error);
  const note = `filepath.json is not understood: ${first?.path ?? ''}: ${first?.reason ?? ''}`;
  return { file: {}, note: note.slice(0, 500) };
}

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
