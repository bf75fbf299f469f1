import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { WireFormat } from '@filepath/protocol';
import type { LanguageModel } from 'ai';

export type ModelSettings = {
  /** Of the gateway: Anthropic's format is below `/anthropic`, OpenAI's below `/openai`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sent as it is. */
  readonly model: string;
  readonly format: WireFormat;
  readonly fetch?: typeof globalThis.fetch;
};

export function modelFor({ baseUrl, apiKey, model, format, fetch }: ModelSettings): LanguageModel {
  const base = baseUrl.replace(/\/+$/, '');
  const common = { apiKey, ...(fetch ? { fetch } : {}) };
  switch (format) {
    case 'anthropic':
      return createAnthropic({ ...common, baseURL: `${base}/anthropic/v1` })(model);
    case 'openai-responses':
      return createOpenAI({ ...common, baseURL: `${base}/openai/v1` }).responses(model);
    case 'openai-chat':
      return createOpenAICompatible({
        ...common,
        name: 'openaiCompatible',
        baseURL: `${base}/openai/v1`,
        includeUsage: true,
      })(model);
  }
}
