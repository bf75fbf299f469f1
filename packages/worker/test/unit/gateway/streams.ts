import type { TokenCounts, WireFormat } from '@filepath/protocol';

const events = (list: readonly unknown[]): string =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const named = (
  list: readonly { readonly type: string; readonly [key: string]: unknown }[],
): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** Streams as the three providers send them, with what they count. */
export const STREAMS: Record<WireFormat, { readonly text: string; readonly tokens: TokenCounts }> =
  {
    anthropic: {
      text: named([
        {
          type: 'message_start',
          message: {
            id: 'msg_01',
            type: 'message',
            role: 'assistant',
            content: [],
            model: 'claude-sonnet-4-5',
            stop_reason: null,
            usage: {
              input_tokens: 12,
              cache_creation_input_tokens: 300,
              cache_read_input_tokens: 5000,
              cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
              output_tokens: 1,
              service_tier: 'standard',
            },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'ping' },
        {
          type: 'content_block_delta',
          index: 0,
          delta: {
            type: 'text_delta',
            text: 'said "message_delta" and {"usage":{"output_tokens":9}} — é',
          },
        },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 77 },
        },
        { type: 'message_stop' },
      ]),
      tokens: { input: 12, output: 77, cacheRead: 5000, cacheWrite: 300, reasoning: 0 },
    },
    'openai-chat': {
      text: `: OPENROUTER PROCESSING\n\n${events([
        {
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }],
          usage: null,
        },
        {
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { content: '"usage": {' }, finish_reason: null }],
          usage: null,
        },
        {
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
          usage: null,
        },
        {
          object: 'chat.completion.chunk',
          choices: [],
          usage: {
            prompt_tokens: 120,
            completion_tokens: 40,
            total_tokens: 160,
            prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
            completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 0 },
          },
        },
      ])}data: [DONE]\n\n`,
      tokens: { input: 20, output: 40, cacheRead: 100, cacheWrite: 0, reasoning: 30 },
    },
    'openai-responses': {
      text: named([
        {
          type: 'response.created',
          response: { id: 'resp_1', status: 'in_progress', usage: null },
        },
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
        { type: 'response.output_text.delta', delta: 'said "response.completed"' },
        {
          type: 'response.completed',
          response: {
            id: 'resp_1',
            status: 'completed',
            error: null,
            output: [
              { type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(300) }] },
            ],
            usage: {
              input_tokens: 500,
              input_tokens_details: { cached_tokens: 384 },
              output_tokens: 64,
              output_tokens_details: { reasoning_tokens: 16 },
              total_tokens: 564,
            },
          },
        },
      ]),
      tokens: { input: 116, output: 64, cacheRead: 384, cacheWrite: 0, reasoning: 16 },
    },
  };
