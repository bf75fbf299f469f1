import type { WireFormat } from '@filepath/protocol';
import { parsed, scanObject } from './json-scan.ts';
import { LIMITS_OF, NEWER, type RequestBody } from './request-body.ts';
import { type Splice, spliced } from './splice.ts';

export type Changes = {
  /** The name by which the provider knows the model. */
  readonly model: string;
  /** The limit of each answer. Null: the body's own. */
  readonly limit: number | null;
  /** The key by which the provider is sure to know a limit. */
  readonly limitKey: string;
  /** Streams are to end with their usage. */
  readonly usage: boolean;
};

/** The body as the provider gets it: the same bytes but for the model's name, the limit and the usage of streams. */
export function editBody(format: WireFormat, body: RequestBody, changes: Changes): Uint8Array {
  const { bytes, scanned, model, stream } = body;
  const splices: Splice[] = [];
  const added: string[] = [];
  const replace = (key: string, text: string): boolean => {
    const member = scanned.members.find((one) => one.key === key);
    if (member) splices.push({ start: member.valueStart, end: member.valueEnd, text });
    return member !== undefined;
  };
  const set = (key: string, text: string): void => {
    if (!replace(key, text)) added.push(`${JSON.stringify(key)}:${text}`);
  };

  if (changes.model !== model) set('model', JSON.stringify(changes.model));
  if (changes.limit !== null) {
    const limit = String(changes.limit);
    const replaced = LIMITS_OF[format].filter((key) => replace(key, limit));
    // Who knows the newer key of a chat knows the older one too, and takes no more than one of them.
    const { limitKey } = changes;
    const known = limitKey === NEWER ? replaced.length > 0 : replaced.includes(limitKey);
    if (!known) added.push(`${JSON.stringify(limitKey)}:${limit}`);
  }
  if (changes.usage && format === 'openai-chat' && stream) {
    const options = withUsage(body);
    if (options !== null) set('stream_options', options);
  }
  if (added.length > 0) {
    const at = scanned.open + 1;
    const text = `${added.join(',')}${scanned.members.length > 0 ? ',' : ''}`;
    splices.push({ start: at, end: at, text });
  }
  return spliced(bytes, splices);
}

/** `stream_options` with usage asked for; null where the body says itself whether it wants it. */
function withUsage({ bytes, scanned }: RequestBody): string | null {
  const member = scanned.members.find(({ key }) => key === 'stream_options');
  if (!member) return '{"include_usage":true}';
  const { valueStart, valueEnd } = member;
  if (parsed(bytes, valueStart, valueEnd) === null) return '{"include_usage":true}';
  const inner = scanObject(bytes, valueStart, valueEnd);
  if (!inner || inner.members.some(({ key }) => key === 'include_usage')) return null;
  const rest = new TextDecoder().decode(bytes.subarray(inner.open + 1, valueEnd));
  return `{"include_usage":true${inner.members.length > 0 ? ',' : ''}${rest}`;
}
