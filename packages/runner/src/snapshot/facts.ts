import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { type Place, Refusal } from '../executor/executor.ts';
import { inWorkspace, intoFile, type WorkspaceTools } from '../jobs/workspace-command.ts';

/**
 * Six lines about the workspace, and after them, where objects are borrowed, a pack of all that its refs, its index and
 * its logs lead to.
 */
const SCRIPT = `
export GIT_OPTIONAL_LOCKS=0
git rev-parse --verify --quiet 'HEAD^{commit}' || echo -
git symbolic-ref --quiet HEAD || echo -
if [ -d .git ] && timeout 30 git status --porcelain > /tmp/status 2> /dev/null; then
  [ -s /tmp/status ] && echo dirty || echo clean
else echo -; fi
git rev-parse --show-object-format 2> /dev/null || echo -
find . -type s -printf x 2> /dev/null | wc -c
find . ! -type l ! -readable -printf x 2> /dev/null | wc -c
[ "$1" = borrowed ] && [ -d .git/objects ] && [ ! -L .git ] && [ ! -L .git/objects ] || exit 0
git pack-objects --all --reflog --indexed-objects --stdout --delta-base-offset --quiet < /dev/null
`;

const none = (text: string): string | null => (text === '-' ? null : text);
const count = z.coerce.number().int().min(0).catch(0);
const Facts = z.tuple([
  z
    .string()
    .regex(/^(?:-|[0-9a-f]{40}|[0-9a-f]{64})$/)
    .transform(none)
    .catch(null),
  z.string().max(256).transform(none).catch(null),
  z.enum(['clean', 'dirty']).nullable().catch(null),
  z.enum(['sha1', 'sha256']).catch('sha1'),
  count,
  count,
]);

export type WorkspaceFacts = {
  head: string | null;
  branch: string | null;
  dirty: boolean | null;
  format: 'sha1' | 'sha256';
  sockets: number;
  unreadable: number;
  /** Where in the file the pack begins; null: it has none. */
  pack: number | null;
};

export type FactsJob = {
  place: Place;
  mirror: string | null;
  /** A file to be made. */
  path: string;
  most: number;
  signal: AbortSignal;
};

/** What git and find say about a workspace, inside its sandbox. All of it is the agent's text. Throws a Refusal. */
export async function workspaceFacts(
  tools: WorkspaceTools,
  job: FactsJob,
): Promise<WorkspaceFacts> {
  const { place, mirror, path, most, signal } = job;
  await inWorkspace(tools, {
    place,
    mirror,
    script: SCRIPT,
    args: [mirror === null ? 'own' : 'borrowed'],
    onStdout: intoFile(path, most),
    signal,
  });
  const { text, bytes } = readStart(path);
  const lines = text.split('\n', 7);
  if (lines.length < 7) throw new Refusal('the workspace could not be looked at');
  const [head, branch, state, format, sockets, unreadable] = Facts.parse(lines.slice(0, 6));
  const pack = lines.slice(0, 6).join('\n').length + 1;
  return {
    head,
    branch: branch?.replace(/^refs\/heads\//, '') ?? null,
    dirty: state === null ? null : state === 'dirty',
    format,
    sockets,
    unreadable,
    pack: bytes > pack ? pack : null,
  };
}

/** Of a size that holds the lines, one character for each byte. */
function readStart(path: string): { text: string; bytes: number } {
  const fd = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(8192);
    const bytes = readSync(fd, buffer, 0, buffer.length, 0);
    return { text: buffer.toString('latin1', 0, bytes), bytes };
  } finally {
    closeSync(fd);
  }
}
