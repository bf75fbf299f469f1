const NAMES = ['scripted-large', 'scripted-small'] as const;

/** `/v1/models` in a form that clients of both kinds read. */
export const MODEL_LIST = {
  object: 'list',
  data: NAMES.map((id) => ({
    id,
    type: 'model',
    object: 'model',
    display_name: id,
    created: 1_700_000_000,
    created_at: '2025-01-01T00:00:00Z',
    owned_by: 'scripted',
  })),
  has_more: false,
  first_id: NAMES[0],
  last_id: NAMES[1],
};

function priced(id: string, name: string, prices: Readonly<Record<string, string>>): object {
  return {
    id,
    canonical_slug: id,
    name,
    created: 1_700_000_000,
    description: name,
    context_length: 200_000,
    architecture: {
      modality: 'text->text',
      input_modalities: ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: { request: '0', image: '0', web_search: '0', ...prices },
    top_provider: { context_length: 200_000, max_completion_tokens: 32_000, is_moderated: false },
    per_request_limits: null,
    supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning'],
  };
}

/** OpenRouter's `/api/v1/models`: dollars for one token, as text. */
export const OPENROUTER_LIST = {
  data: [
    priced('anthropic/claude-sonnet-4', 'Anthropic: Claude Sonnet 4', {
      prompt: '0.000003',
      completion: '0.000015',
      input_cache_read: '0.0000003',
      input_cache_write: '0.00000375',
    }),
    priced('openai/o3', 'OpenAI: o3', {
      prompt: '0.000002',
      completion: '0.000008',
      input_cache_read: '0.0000005',
    }),
    priced('qwen/qwen3-coder', 'Qwen: Qwen3 Coder', {
      prompt: '0.00000022',
      completion: '0.00000095',
    }),
    priced('meta-llama/llama-3.3-70b-instruct:free', 'Meta: Llama 3.3 70B Instruct (free)', {
      prompt: '0',
      completion: '0',
    }),
    // A router: what it costs depends on where it sends.
    priced('openrouter/auto', 'Auto Router', { prompt: '-1', completion: '-1' }),
  ],
};
