import { defineTool, type LoopEvent, modelFor, runLoop, userMessage } from '@filepath/loop';
import { WireFormat } from '@filepath/protocol';
import { z } from 'zod';

const Asked = z.object({ baseUrl: z.string(), format: WireFormat });

/** Runs a loop in workerd, and answers with how it ended and what it told. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { baseUrl, format } = Asked.parse(await request.json());
    const events: LoopEvent[] = [];
    const outcome = await runLoop({
      model: modelFor({ baseUrl, apiKey: 'fpk_test', model: 'some-model', format }),
      system: 'You live in a worker.',
      messages: [userMessage('do it')],
      tools: [
        defineTool({
          name: 'add',
          description: 'Adds.',
          input: z.object({ a: z.number(), b: z.number() }),
          readOnly: true,
          run: ({ a, b }) => Promise.resolve({ ok: true, text: String(a + b) }),
        }),
      ],
      emit: (event) => void events.push(event),
      signal: new AbortController().signal,
      contextWindow: 100_000,
    });
    return Response.json({ outcome, events });
  },
};
