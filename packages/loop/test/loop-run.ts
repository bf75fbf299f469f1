import { onTestFinished } from 'vitest';
import { addTokens, NO_TOKENS, type TokenCounts, type WireFormat } from '@filepath/protocol';
import { type ModelServer, type Script, startModelServer } from '@filepath/testkit';
import {
  defineTool,
  type LoopEvent,
  type LoopOptions,
  type LoopTool,
  modelFor,
  type ModelMessage,
  runLoop,
  userMessage,
} from '@filepath/loop';
import { z } from 'zod';

export const FORMATS: readonly WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses'];

export async function serve(script: Script): Promise<ModelServer> {
  const server = await startModelServer({ script });
  onTestFinished(() => server.close());
  return server;
}

/** One that answers what it was asked, after `work`. */
export function tool(
  name: string,
  work: (text: string, signal: AbortSignal) => Promise<string> | string,
  readOnly = false,
): LoopTool {
  return defineTool({
    name,
    description: name,
    input: z.object({ text: z.string() }),
    readOnly,
    run: async ({ text }, { signal }) => ({ ok: true, text: await work(text, signal) }),
  });
}

export function start(
  server: ModelServer,
  format: WireFormat,
  options: Partial<LoopOptions> & { readonly heard?: (event: LoopEvent) => void } = {},
) {
  const events: LoopEvent[] = [];
  const messages: ModelMessage[] = [userMessage('do it')];
  const { heard, ...rest } = options;
  const done = runLoop({
    model: modelFor({
      baseUrl: `${server.url}/gateway`,
      apiKey: 'fpk_test',
      model: 'some-model',
      format,
    }),
    system: 'You are a test.',
    messages: [...messages],
    tools: [],
    signal: new AbortController().signal,
    contextWindow: 1_000_000,
    retries: { attempts: 3, baseMs: 1, maxMs: 60_000, away: { forMs: 60_000, everyMs: 1 } },
    emit(event) {
      events.push(event);
      if (event.type === 'message') messages.push(event.message);
      heard?.(event);
    },
    ...rest,
  });
  return { done, events, messages };
}

export function of<Type extends LoopEvent['type']>(
  events: readonly LoopEvent[],
  type: Type,
): Extract<LoopEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<LoopEvent, { type: Type }> => event.type === type);
}

export function tokens(events: readonly LoopEvent[]): TokenCounts {
  return of(events, 'usage')
    .map((event) => event.tokens)
    .reduce(addTokens, NO_TOKENS);
}
