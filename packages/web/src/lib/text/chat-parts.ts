import { LiteclawFailure } from '@filepath/protocol';
import { ChatReceipt, type ChatMessage, type ChatPart } from '@filepath/protocol/chat';

/** What a part of a message is on the page. */
export type ShownPart =
  | { readonly kind: 'text'; readonly text: string; readonly partial: boolean }
  | { readonly kind: 'tool'; readonly call: ShownCall }
  | { readonly kind: 'failure'; readonly failure: LiteclawFailure }
  | { readonly kind: 'other'; readonly label: string };

export type ShownCall = {
  readonly name: string;
  readonly status: 'start' | 'done' | 'error';
  readonly input: unknown;
  readonly output: string;
  readonly error: string | null;
  readonly receipt: ChatReceipt | null;
};

/** Carried for programs, or told elsewhere on the page. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'reasoning',
  'step-start',
  'data-receipt',
  'data-notice',
]);

/** What of a message is shown, in order. `writing`: more of it may come. */
export function shownParts({ parts }: ChatMessage, writing: boolean): ShownPart[] {
  const receipts = receiptsOf(parts);
  return parts.flatMap((part): ShownPart[] => {
    const { type, text = '' } = part;
    if (type === 'text') {
      const partial = writing && part.state === 'streaming';
      return text === '' ? [] : [{ kind: 'text', text, partial }];
    }
    if (type === 'data-error') {
      const failure = LiteclawFailure.safeParse(part['data']).data;
      return failure ? [{ kind: 'failure', failure }] : [];
    }
    if (type === 'dynamic-tool' || type.startsWith('tool-'))
      return [{ kind: 'tool', call: callOf(part, receipts, writing) }];
    if (UNSHOWN.has(type)) return [];
    const name: unknown = part['filename'];
    return [{ kind: 'other', label: typeof name === 'string' ? name : type }];
  });
}

export function textOfChat({ parts }: ChatMessage): string {
  return parts
    .map(({ type, text = '' }) => (type === 'text' ? text : ''))
    .join('\n')
    .trim();
}

function receiptsOf(parts: readonly ChatPart[]): ReadonlyMap<string, ChatReceipt> {
  const found = new Map<string, ChatReceipt>();
  for (const part of parts) {
    const receipt = part.type === 'data-receipt' ? ChatReceipt.safeParse(part['data']).data : null;
    if (receipt) found.set(receipt.tool_call_id, receipt);
  }
  return found;
}

function callOf(
  part: ChatPart,
  receipts: ReadonlyMap<string, ChatReceipt>,
  writing: boolean,
): ShownCall {
  const { type, toolName, state, errorText, toolCallId = '' } = part;
  const failed = state === 'output-error' || state === 'output-denied';
  // An answer that was cut off leaves calls that never end.
  const cut = !writing && !failed && state !== 'output-available';
  return {
    name: type === 'dynamic-tool' ? (toolName ?? 'tool') : type.slice('tool-'.length),
    status: failed || cut ? 'error' : state === 'output-available' ? 'done' : 'start',
    input: part['input'] ?? part['inputText'],
    output: wordsOf(part['output']),
    error: failed ? (errorText ?? DENIED) : cut ? CUT : null,
    receipt: receipts.get(toolCallId) ?? null,
  };
}

const DENIED = 'The call was not allowed.';
const CUT = 'The answer ended before this was done.';

const wordsOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
