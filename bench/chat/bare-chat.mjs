// A chat as the Agents SDK has it in its own examples: the worker that ours is measured against.
import { AIChatAgent } from '@cloudflare/ai-chat';
import { createAnthropic } from '@ai-sdk/anthropic';
import { convertToModelMessages, streamText } from 'ai';
import { routeAgentRequest } from 'agents';

export class Chat extends AIChatAgent {
  waitForMcpConnections = false;

  async onChatMessage(_onFinish, options) {
    const provider = createAnthropic({
      apiKey: this.env.KEY,
      baseURL: `${this.env.UPSTREAM}/v1`,
      fetch: (input, init) => this.env.NETWORK.fetch(input, init),
    });
    const result = streamText({
      model: provider('claude-haiku-4-5'),
      system: 'You are a helpful assistant.',
      messages: await convertToModelMessages(this.messages),
      abortSignal: options?.abortSignal,
    });
    return result.toUIMessageStreamResponse();
  }
}

export default {
  fetch: async (request, { Chat: chat }) =>
    (await routeAgentRequest(request, { Chat: chat })) ?? new Response(null, { status: 404 }),
};
