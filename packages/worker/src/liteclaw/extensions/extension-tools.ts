import { LIMITS } from '@filepath/protocol';
import {
  argsSchema,
  deeperThan,
  isObject,
  refusal,
  TOOL_ARGS,
  TOOL_LIMITS,
  type ToolOutcome,
} from '@filepath/protocol/sky';
import type { ClawTool, ToolScope } from '../tools/tool.ts';
import { type ExtensionParts, type Loaded, wordsOf } from './loaded.ts';

type Deps = ExtensionParts & {
  /** Asked at each call: what is switched off meanwhile is not run. */
  readonly isEnabled: (ref: string) => boolean;
  readonly web: ClawTool;
};

/** A call of an extension's tool may take this long. */
const CALL_MS = 10_000;

/** The tools that a manifest declares. Whatever else the code has cannot be called. */
export function extensionTools(extension: Loaded, deps: Deps): ClawTool[] {
  const { manifest, ref } = extension;
  return manifest.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    access: tool.access,
    input: argsSchema(tool.input),
    run: async (args, scope) => {
      if (!deps.isEnabled(ref))
        return refusal('policy', `${ref} was switched off in this chat meanwhile.`);
      const started = deps.now();
      const outcome = await call(extension, tool.name, args, scope, deps).catch((error: unknown) =>
        refusal('failed', wordsOf(error)),
      );
      const ms = Math.max(0, deps.now() - started);
      deps.counter.add(manifest.name, { of: 'tool', ok: outcome.ok, ms });
      return outcome;
    },
  }));
}

async function call(
  extension: Loaded,
  name: string,
  args: unknown,
  scope: ToolScope,
  { runtime, web, note }: Deps,
): Promise<ToolOutcome> {
  const { code, manifest, ref } = extension;
  const hosts = manifest.permissions.http ?? [];
  const late = AbortSignal.timeout(CALL_MS);
  const job = {
    code,
    kind: 'tool',
    name,
    input: JSON.stringify(args),
    fetches: hosts.length > 0,
  } as const;
  const text = await runtime
    .call(job, {
      signal: AbortSignal.any([scope.signal, late]),
      ask: async (request) => {
        const asked = await fetched(request, hosts, web, scope);
        note({ type: 'extension', what: 'fetch', extension: ref, of: name, reason: asked.said });
        return JSON.stringify(asked.outcome);
      },
    })
    .catch((error: unknown) => {
      if (late.aborted) return null;
      throw error;
    });
  return text === null ? refusal('timeout', `${name} took too long.`) : outcomeOf(text);
}

/** Through the tool that every chat has: its policy, its hosts, its budget, and of the hosts those that both name. */
async function fetched(
  request: string,
  hosts: readonly string[],
  web: ClawTool,
  { use }: ToolScope,
): Promise<{ outcome: { ok: boolean } & Record<string, unknown>; said: string }> {
  const args = TOOL_ARGS['http.fetch'].safeParse(parsed(request));
  const outcome: ToolOutcome = !args.success
    ? refusal('bad_args', 'This is no request of http.fetch.')
    : use
      ? await use(web, args.data, hosts)
      : refusal('policy', 'There is no web here.');
  const { ok, output, code } = outcome;
  const url = args.success ? args.data.url.slice(0, 500) : '';
  return { outcome: { ...output, ok }, said: `${code ?? 'ok'} ${url}`.trim() };
}

function outcomeOf(text: string): ToolOutcome {
  if (text.length > TOOL_LIMITS.result)
    return refusal('too_large', `A result has at most ${TOOL_LIMITS.result} characters.`);
  const value = parsed(text);
  if (deeperThan(value, LIMITS.depth / 2))
    return refusal('too_large', 'The result nests too deep.');
  return { ok: true, output: isObject(value) ? value : { result: value } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
