import { FILES_FOUND, type FoundFiles } from '@filepath/protocol';
import { inWorkspace } from '../jobs/workspace-command.ts';
import type { Look } from './changes.ts';
import { EXPORTS } from './diff-script.ts';
import { collect, recordsOf } from './sections.ts';

const TIMEOUT_MS = 10_000;
const LIST_BYTES = 8 * 2 ** 20;
const PATH_LENGTH = 4096;

/** Nothing is written to the workspace; a list that is too long is cut. */
const LIST = `
${EXPORTS}
git ls-files -z --cached --others --exclude-standard --deduplicate | head -c ${LIST_BYTES}
`;

/** Files whose path holds the query, the nearest first. Throws a Refusal. */
export async function filesLike(look: Look, query: string): Promise<FoundFiles> {
  const { place, mirror, signal } = look;
  const { onStdout, bytes } = collect(LIST_BYTES);
  await inWorkspace(look, {
    place,
    mirror,
    script: LIST,
    args: [],
    readOnly: true,
    onStdout,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  const all = bytes();
  const found = nearest(recordsOf(all), query);
  return { ...found, truncated: found.truncated || all.length === LIST_BYTES };
}

/** A name that begins so comes before a path that begins so, before any other. */
export function nearest(paths: readonly string[], query: string): FoundFiles {
  const wanted = query.toLowerCase();
  const ranked = paths
    .filter((path) => path !== '' && path.length <= PATH_LENGTH)
    .map((path) => ({ path, rank: rankOf(path.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < 3)
    .sort((one, two) => one.rank - two.rank || one.path.length - two.path.length);
  return {
    files: ranked.slice(0, FILES_FOUND).map(({ path }) => path),
    truncated: ranked.length > FILES_FOUND,
  };
}

function rankOf(path: string, wanted: string): number {
  if (path.slice(path.lastIndexOf('/') + 1).startsWith(wanted)) return 0;
  if (path.startsWith(wanted)) return 1;
  return path.includes(wanted) ? 2 : 3;
}
