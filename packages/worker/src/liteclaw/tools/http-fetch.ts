import { refusal, TOOL_ARGS, TOOL_LIMITS, type ToolOutcome } from '@filepath/protocol/sky';
import type { ClawTool, ToolScope } from './tool.ts';
import { isAddress, isNamed, isPermitted, type WebTarget, webTarget } from './web-target.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Web = {
  /** Dials public addresses only: it looks at the address that it dials, not at the name. */
  readonly open: Fetch;
  /** Dials private addresses too; for what the operator permits. Null: nothing can be permitted here. */
  readonly inside: Fetch | null;
  /** `host:port`, comma-separated. */
  readonly permitted: string | undefined;
};

const HOPS = 5;
/** Bytes of an answer. */
const MOST = 256 * 1024;
const TEXT =
  /^(text\/|application\/(json|xml|xhtml|rss|atom|javascript|yaml|toml|x-ndjson)|[^;]*\+(json|xml))/i;
const READS = ['GET', 'HEAD'];

/** Asks hosts that the owner of the chat named. Every hop is checked as the first one is. */
export function httpFetch(web: Web): ClawTool {
  return {
    name: 'http.fetch',
    description:
      'Ask a web server, of a host that this chat allows. Answers that are text come back, cut at 16,000 characters.',
    access: 'either',
    async run(given, scope) {
      const args = TOOL_ARGS['http.fetch'].parse(given);
      const { method = 'GET', accept, content_type: type, body } = args;
      const reads = READS.includes(method);
      if (!reads && scope.rules.policy !== 'read-write')
        return refusal('policy', `${method} changes something, and this chat is read-only.`);
      if (reads && body !== undefined) return refusal('bad_args', `${method} has no body.`);
      const headers = {
        accept: accept ?? 'text/html,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1',
        'user-agent': 'filepath-liteclaw',
        ...(type !== undefined && { 'content-type': type }),
      };
      let url = args.url;
      for (let hop = 0; hop <= HOPS; hop += 1) {
        const target = targetOf(url, scope, web);
        if ('ok' in target) return target;
        const send = target.inside ? web.inside : web.open;
        if (!send) return refusal('network', 'There is no way to that host from here.');
        const init = { method, headers, redirect: 'manual' as const, signal: scope.signal };
        const response = await send(target.url, {
          ...init,
          ...(body !== undefined && { body }),
        }).catch((error: unknown) => {
          if (scope.signal.aborted) throw error;
          return null;
        });
        if (response === null) return refusal('network', unreachable(target));
        const next = redirect(response, target.url);
        if (next === null || !reads) return answer(response, target, scope);
        await response.body?.cancel();
        url = next;
      }
      return refusal('network', `There were more than ${HOPS} redirects.`);
    },
  };
}

function targetOf(
  url: string,
  { rules, hosts }: ToolScope,
  { permitted }: Web,
): (WebTarget & { inside: boolean }) | ToolOutcome {
  const target = webTarget(url);
  if (target === null)
    return refusal(
      'bad_url',
      'This is no address of the web: give one like https://example.com/page.',
    );
  const { host, port } = target;
  const inside = isPermitted(target, permitted);
  if (!isNamed(target, rules.allow)) {
    const named = rules.allow.length === 0 ? 'none is' : `these are: ${rules.allow.join(', ')}`;
    return refusal('host', `${host}:${port} is not among the hosts this chat may ask; ${named}.`);
  }
  if (hosts && !isNamed(target, hosts))
    return refusal('host', `${host}:${port} is not among the hosts that the manifest names.`);
  if (isAddress(host) && !inside)
    return refusal('host', `${host} is an address. Only hosts with names are asked.`);
  return { ...target, inside };
}

/** What was in the way is none of the model's business: it would tell what there is in a private network. */
const unreachable = ({ host }: WebTarget): string =>
  `${host} cannot be reached: it does not answer, or its address is none of the public internet.`;

function redirect(response: Response, from: string): string | null {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null;
  const to = response.headers.get('location');
  if (to === null) return null;
  // Only what the text itself says: a parser would forgive spellings that are then read in another way.
  if (/^[a-z][a-z0-9+.-]*:/i.test(to)) return to;
  if (/[\\\s]/.test(to)) return `invalid:${to}`;
  if (to.startsWith('//')) return `${new URL(from).protocol}${to}`;
  return new URL(to, from).href;
}

async function answer(
  response: Response,
  { url }: WebTarget,
  scope: ToolScope,
): Promise<ToolOutcome> {
  const { status } = response;
  const type = response.headers.get('content-type') ?? 'text/plain';
  const about = { url, status, content_type: type.slice(0, 200) };
  if (!TEXT.test(type)) {
    await response.body?.cancel();
    return { ok: true, output: { ...about, text: null, note: 'It is no text, and was not read.' } };
  }
  const { text, cut } = await bodyOf(response, Math.min(MOST, scope.bytesLeft()), scope);
  const shown = text.slice(0, TOOL_LIMITS.result);
  return { ok: true, output: { ...about, text: shown, cut: cut || shown.length < text.length } };
}

async function bodyOf(
  response: Response,
  most: number,
  { moved }: ToolScope,
): Promise<{ text: string; cut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    const kept = chunk.subarray(0, most - bytes);
    text += decoder.decode(kept, { stream: true });
    bytes += chunk.length;
    moved(chunk.length);
    if (bytes > most) return { text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}
