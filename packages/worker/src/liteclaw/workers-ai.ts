import { z } from 'zod';
import type { Directory } from '../gateway/contract.ts';
import type { Outgoing, Sender } from '../gateway/send.ts';
import { completionOf, toCompletionChunks } from './workers-ai-answers.ts';

/** Of the binding of Workers AI, what is used. */
export type WorkersAi = {
  run(model: string, inputs: Record<string, unknown>): Promise<unknown>;
};

/** Names of models of Workers AI begin with this. */
const OWN = '@cf/';
/** Fast, and calls tools. */
const USUAL = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';

/** The model of Workers AI that a chat is to ask. Null: its model is somebody else's. */
export function workersModel(pinned: string | null): string | null {
  if (pinned === null) return USUAL;
  return pinned.startsWith(OWN) ? pinned : null;
}

const Body = z.looseObject({ stream: z.boolean().optional() });

/** Workers AI in the place of a provider: asked in Chat Completions, by the binding, without a key. */
export function workersAiGateway(ai: WorkersAi): { directory: Directory; sender: Sender } {
  return {
    directory: {
      route: async (_format, _path, model) => ({
        provider: 'workers-ai',
        url: 'https://workers-ai.invalid',
        headers: {},
        model,
        // In neurons, by the model and by what is free each day.
        price: null,
        maxOutput: null,
      }),
    },
    sender: {
      send: (outgoing, signal) => Promise.race([ask(ai, outgoing), aborted(signal)]),
      reached: async () => true,
    },
  };
}

async function ask(ai: WorkersAi, { upstream, bytes }: Outgoing): Promise<Response> {
  const body = Body.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const { model: _, stream_options: __, ...inputs } = body;
  let given: unknown;
  try {
    given = await ai.run(upstream.model, inputs);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return Response.json({ error: { message, type: 'api_error' } }, { status: 502 });
  }
  if (!(given instanceof ReadableStream)) return Response.json(completionOf(given));
  // The gateway reads bytes into buffers of its own, as the network gives them.
  const events = given.pipeThrough(toCompletionChunks()).pipeThrough(new IdentityTransformStream());
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new Error('aborted'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
