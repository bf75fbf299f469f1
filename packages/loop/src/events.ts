import type { TokenCounts } from '@filepath/protocol';
import type { ModelMessage } from 'ai';
import type { ToolResult } from './tool.ts';

/** What a loop tells while it runs, in order. */
export type LoopEvent =
  /** Part of the history from now on. Keep it before anything else happens: a loop begins again from what was kept. */
  | { readonly type: 'message'; readonly message: ModelMessage }
  | { readonly type: 'step'; readonly step: number }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text'; readonly id: string; readonly text: string }
  /** The arguments of a call while they are written: pieces of JSON, of which nothing is checked. */
  | { readonly type: 'tool-input-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-start';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool-end';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly result: ToolResult;
      readonly durationMs: number;
    }
  /** One for each call of the model that was answered. */
  | { readonly type: 'usage'; readonly tokens: TokenCounts; readonly contextPct: number }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly seconds: number;
      /** When it tries again, as epoch milliseconds. */
      readonly at: number;
      readonly reason: string;
    };

/** Awaited, so that whoever stores events is never behind. What it throws ends the loop. */
export type Emit = (event: LoopEvent) => void | Promise<void>;

/** How a loop ended. */
export type LoopOutcome =
  | { readonly outcome: 'done'; readonly text: string }
  /** The context is nearly full, or a hand-off was asked for. */
  | { readonly outcome: 'handoff'; readonly summary: string }
  | { readonly outcome: 'interrupted' }
  /** With `retryAt`, as epoch milliseconds, it may work after that. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly retryAt?: number };
