import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { WireFormat } from '@filepath/protocol';
import type { LanguageModel } from 'ai';

/** Clients that others have written, for each format. */
export const READERS: readonly (readonly [WireFormat, (url: string) => LanguageModel])[] = [
  [
    'anthropic',
    (url) =>
      createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key-of-a-test' })('claude-sonnet-4-5'),
  ],
  [
    'openai-chat',
    (url) =>
      createOpenAICompatible({
        name: 'scripted',
        baseURL: `${url}/v1`,
        apiKey: 'key-of-a-test',
        includeUsage: true,
      })('claude-sonnet-4-5'),
  ],
  [
    'openai-responses',
    (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key-of-a-test' })('claude-sonnet-4-5'),
  ],
];
