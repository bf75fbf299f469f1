import { z } from 'zod';

/** What a tool of a chat is called with. Bounds are of one call; budgets bound a run. */
export const TOOL_LIMITS = {
  /** Characters that one call writes. */
  text: 100_000,
  /** Characters of one result. */
  result: 16_000,
  path: 512,
  key: 512,
  sql: 10_000,
} as const;

const text = z.string().max(TOOL_LIMITS.text);

/** Below the workspace and nothing else: no way up, no root, no second spelling of the same file. */
export const WorkspacePath = z
  .string()
  .min(1)
  .max(TOOL_LIMITS.path)
  .refine(isPath, 'expected a path in the workspace, like notes/today.md')
  .describe('relative to the workspace, like notes/today.md');

/** Of what is kept for a chat outside of its workspace. */
const Key = z
  .string()
  .min(1)
  .max(TOOL_LIMITS.key)
  .refine(isPath, 'expected a key like reports/may.txt')
  .describe('like reports/may.txt');

function isPath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(path) || path !== path.normalize('NFC')) return false;
  return path.split('/').every((part) => part.trim() !== '' && part !== '.' && part !== '..');
}

/** Text as it is, or of a file of the workspace. */
const Source = {
  text: text.optional().describe('the text itself'),
  path: WorkspacePath.optional(),
};
const oneOf = (given: { text?: string | undefined; path?: string | undefined }): boolean =>
  (given.text === undefined) !== (given.path === undefined);
const ONE = 'give either text or path';

export const TOOL_ARGS = {
  'http.fetch': z.strictObject({
    url: z.string().min(1).max(2048).describe('http or https, of a host that is allowed'),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    accept: z
      .string()
      .max(200)
      .regex(/^[\x20-\x7e]*$/)
      .optional(),
    content_type: z
      .string()
      .max(200)
      .regex(/^[\x20-\x7e]*$/)
      .optional(),
    body: text.optional(),
  }),
  'r2.put': z.strictObject({ key: Key, text }),
  'r2.get': z.strictObject({ key: Key, offset: z.int().min(0).optional() }),
  'r2.list': z.strictObject({ prefix: z.string().max(TOOL_LIMITS.key).optional() }),
  'kv.get': z.strictObject({ key: Key }),
  'kv.put': z.strictObject({ key: Key, value: text }),
  'd1.query': z.strictObject({
    sql: z.string().min(1).max(TOOL_LIMITS.sql).describe('one statement of SQLite'),
    params: z
      .array(z.union([z.string().max(TOOL_LIMITS.text), z.number(), z.null()]))
      .max(100)
      .optional(),
  }),
  summarize: z
    .strictObject({ ...Source, max_chars: z.int().min(50).max(10_000).optional() })
    .refine(oneOf, ONE),
  extract: z
    .strictObject({
      ...Source,
      what: z.enum(['links', 'emails', 'numbers', 'dates', 'headings', 'json']),
      pointer: z.string().max(500).optional().describe('with json: a JSON Pointer like /items/0'),
    })
    .refine(oneOf, ONE),
  read: z.strictObject({
    path: WorkspacePath,
    offset: z.int().min(1).optional().describe('first line, from 1'),
    limit: z.int().min(1).max(2000).optional().describe('lines; 500 unless given'),
  }),
  write: z.strictObject({ path: WorkspacePath, text }),
  edit: z.strictObject({
    path: WorkspacePath,
    old: text.min(1).describe('the exact text, which occurs once'),
    new: text,
    all: z.boolean().optional(),
  }),
  bash: z.strictObject({ command: z.string().min(1).max(10_000) }),
} as const;

export type SkyToolName = keyof typeof TOOL_ARGS;
export type ToolArgs<Name extends SkyToolName> = z.infer<(typeof TOOL_ARGS)[Name]>;
