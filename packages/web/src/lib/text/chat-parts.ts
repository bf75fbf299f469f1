import { LiteclawFailure } from '@filepath/protocol';
import {
  chatFileOf,
  ChatFilePart,
  ChatReceipt,
  type ChatMessage,
  type ChatPart,
} from '@filepath/protocol/chat';
import type { MessageFile } from './files.ts';

/** What a part of a message is on the page. */
export type ShownPart =
  | { readonly kind: 'text'; readonly text: string; readonly partial: boolean }
  | { readonly kind: 'tool'; readonly call: ShownCall }
  | { readonly kind: 'failure'; readonly failure: LiteclawFailure }
  | { readonly kind: 'files'; readonly files: readonly MessageFile[] }
  | { readonly kind: 'other'; readonly label: string };

export type ShownCall = {
  readonly name: string;
  readonly status: 'start' | 'done' | 'error';
  readonly input: unknown;
  readonly output: string;
  /** What the call changed, where it says so. */
  readonly diff: string | null;
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

/** What of a message is shown, in order. `writing`: more of it may come. `chat`: whose files it has. */
export function shownParts({ parts }: ChatMessage, writing: boolean, chat = ''): ShownPart[] {
  const receipts = receiptsOf(parts);
  const shown = parts.flatMap((part): ShownPart[] => {
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
    const file = type === 'file' ? fileOf(part, chat) : null;
    if (file) return [{ kind: 'files', files: [file] }];
    const name: unknown = part['filename'];
    return [{ kind: 'other', label: typeof name === 'string' ? name : type }];
  });
  return together(shown);
}

/** The files that were given with a message. */
export const filesOfChat = ({ parts }: ChatMessage): ChatFilePart[] =>
  parts.flatMap((part) => ChatFilePart.safeParse(part).data ?? []);

/** Null: its file is none of this chat, and nothing leads to it. */
function fileOf(part: ChatPart, chat: string): MessageFile | null {
  const { data } = ChatFilePart.safeParse(part);
  const sha256 = data ? chatFileOf(chat, data.url) : null;
  if (!data || sha256 === null) return null;
  return { name: data.filename ?? 'file', sha256, type: data.mediaType };
}

/** Files that follow each other are one list. */
function together(parts: readonly ShownPart[]): ShownPart[] {
  const made: ShownPart[] = [];
  for (const part of parts) {
    const last = made.at(-1);
    if (part.kind === 'files' && last?.kind === 'files')
      made[made.length - 1] = { kind: 'files', files: [...last.files, ...part.files] };
    else made.push(part);
  }
  return made;
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
    ...resultOf(part['output']),
    error: failed ? (errorText ?? DENIED) : cut ? CUT : null,
    receipt: receipts.get(toolCallId) ?? null,
  };
}

const DENIED = 'The call was not allowed.';
const CUT = 'The answer ended before this was done.';

/** A diff is shown as one, and not once more in what stands beside it. */
function resultOf(output: unknown): Pick<ShownCall, 'output' | 'diff'> {
  const diff =
    typeof output === 'object' && output !== null && 'diff' in output ? output.diff : null;
  return typeof diff === 'string' && diff !== ''
    ? { output: wordsOf({ ...Object(output), diff: undefined }), diff }
    : { output: wordsOf(output), diff: null };
}

const wordsOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
