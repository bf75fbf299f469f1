import type { TokenCounts } from '@filepath/protocol';
import type { Gate } from './gate.ts';
import type { ModelRequest } from './request.ts';

/** A call of a tool. An input that is a string goes to a tool that takes free text (codex's apply_patch). */
export type ToolCall = {
  readonly name: string;
  /** Of Responses: where the name stands. */
  readonly namespace?: string;
  readonly input: Readonly<Record<string, unknown>> | string;
  /** Given: what the result will carry. Else made from the number of the call. */
  readonly id?: string;
};

/** How an answer goes wrong. `after` counts deltas; past the last one it means before the closing events. */
export type ModelFault =
  /** The provider's own error, before anything of an answer. */
  | {
      readonly kind: 'status';
      readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503 | 529;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** "The prompt is too long", in the words that clients know. */
  | { readonly kind: 'overflow' }
  /** The connection is reset before the headers. */
  | { readonly kind: 'reset' }
  /** The connection breaks off in the middle. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The body ends as if it were complete, without usage and closing events. */
  | { readonly kind: 'stop'; readonly after: number }
  /** An event is cut in its middle, and the body ends there. */
  | { readonly kind: 'torn'; readonly after: number }
  /** An event that is no JSON; the rest follows. */
  | { readonly kind: 'bad-json'; readonly after: number }
  /** The provider's error as an event within the stream, which ends. */
  | { readonly kind: 'error-event'; readonly after: number }
  /** Everything but the usage. */
  | { readonly kind: 'no-usage' }
  /** Everything but the last event. */
  | { readonly kind: 'no-end' }
  /** Nothing at all, until the client leaves or the server closes. */
  | { readonly kind: 'hang' };

/** What the model says next, in no format's words. */
export type Turn = {
  readonly reasoning?: string;
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** What is reported; the rest follows from the lengths. */
  readonly usage?: Partial<TokenCounts>;
  /** Why it ended, unless that follows from the tools. */
  readonly stop?: 'end' | 'length' | 'refusal';
  /** Characters for each delta. Without it: one delta for each part. */
  readonly chunk?: number;
  /** Milliseconds before each event of a stream. */
  readonly dripMs?: number;
  /** The stream waits here, until it is released. */
  readonly gate?: Gate;
  readonly fault?: ModelFault;
};

export type Step = Turn | ((request: ModelRequest) => Turn | Promise<Turn>);

/** A list is consumed call by call; a function answers every call. */
export type Script = readonly Step[] | ((request: ModelRequest) => Turn | Promise<Turn>);
