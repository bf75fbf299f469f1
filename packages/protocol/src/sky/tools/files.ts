import { unifiedDiff } from '../../unified-diff.ts';
import { sha256Hex } from '../hashing.ts';
import type { FileChange, LocalSignature } from '../receipts.ts';
import { type ToolArgs, TOOL_LIMITS } from './args.ts';

/** What a call of a tool came to. A refusal and a failure are outcomes too, with their code and words for the model. */
export type ToolOutcome = {
  readonly ok: boolean;
  readonly output: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly change?: FileChange;
  /** Of the machine that did it, where that is not the worker. */
  readonly local?: LocalSignature;
};

export type Files = {
  get(path: string): string | null;
  /** In words why it is not kept, or null. */
  put(path: string, text: string): string | null;
};

export function refusal(code: string, error: string): ToolOutcome {
  return { ok: false, code, output: { error } };
}

const missing = (path: string): ToolOutcome =>
  refusal('not_found', `There is no file ${path} in the workspace.`);

const LINES = 500;

export function readFile(
  files: Files,
  { path, offset = 1, limit = LINES }: ToolArgs<'read'>,
): ToolOutcome {
  const text = files.get(path);
  if (text === null) return missing(path);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > 1 && offset > lines.length) {
    return refusal('bad_args', `${path} has ${lines.length} lines.`);
  }
  const shown: string[] = [];
  let room = TOOL_LIMITS.result;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const kept = shown.length === 0 ? line.slice(0, room) : line;
    if (kept.length + 1 > room && shown.length > 0) break;
    shown.push(kept);
    room -= kept.length + 1;
  }
  const more = Math.max(0, lines.length - (offset - 1) - shown.length);
  return {
    ok: true,
    output: { path, text: shown.join('\n'), from: offset, lines: lines.length, more },
  };
}

export async function writeFile(
  files: Files,
  { path, text }: ToolArgs<'write'>,
): Promise<ToolOutcome> {
  return changed(files, path, files.get(path), text);
}

export async function editFile(
  files: Files,
  { path, old, new: fresh, all = false }: ToolArgs<'edit'>,
): Promise<ToolOutcome> {
  const before = files.get(path);
  if (before === null) return missing(path);
  const parts = before.split(old);
  const times = parts.length - 1;
  if (times === 0) {
    return refusal('no_match', `\`old\` does not occur in ${path}. Read it and copy it exactly.`);
  }
  if (times > 1 && !all) {
    return refusal(
      'no_match',
      `\`old\` occurs ${times} times in ${path}. Give more of the text around it, or set \`all\`.`,
    );
  }
  return changed(files, path, before, parts.join(fresh));
}

async function changed(
  files: Files,
  path: string,
  before: string | null,
  after: string,
): Promise<ToolOutcome> {
  const refused = files.put(path, after);
  if (refused !== null) return refusal('workspace_full', refused);
  const patch = unifiedDiff(path, before ?? '', after);
  const change: FileChange = {
    path,
    input_hash: before === null ? null : await sha256Hex(before),
    patch_hash: await sha256Hex(patch),
    output_hash: await sha256Hex(after),
  };
  const diff = patch.slice(0, TOOL_LIMITS.result);
  return {
    ok: true,
    output: { path, created: before === null, chars: after.length, diff },
    change,
  };
}
