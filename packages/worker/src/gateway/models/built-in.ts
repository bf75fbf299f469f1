import type { ModelPrice } from '@filepath/protocol';
import { byId, type KnownModel } from './known-model.ts';

const model = (
  id: string,
  name: string,
  contextLength: number,
  maxOutput: number,
  price: ModelPrice | null,
): KnownModel => ({ id, name, contextLength, maxOutput, price });

const claude = (input: number, output: number): ModelPrice => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
});

/** For as long as OpenRouter's list has not been read: well-known models at their makers' list prices. */
export const BUILT_IN = byId([
  model('anthropic/claude-sonnet-4.6', 'Claude Sonnet 4.6', 1_000_000, 128_000, claude(3, 15)),
  model('anthropic/claude-sonnet-5.5', 'Claude Sonnet 5.5', 1_000_000, 128_000, claude(2, 10)),
  model('anthropic/claude-opus-5.5', 'Claude Opus 5.5', 1_000_000, 128_000, claude(4, 20)),
  model('anthropic/claude-opus-4.8', 'Claude Opus 4.8', 1_000_000, 128_000, claude(5, 25)),
  model('anthropic/claude-haiku-4.5', 'Claude Haiku 4.5', 200_000, 64_000, claude(1, 5)),
  model('openai/o3', 'o3', 200_000, 100_000, { input: 2, output: 8, cacheRead: 0.5 }),
  model('openai/gpt-6.1-sol', 'GPT-6.1 Sol', 1_050_000, 128_000, {
    input: 2,
    output: 10,
    cacheRead: 0.1,
  }),
  model('openai/gpt-6.1-terra', 'GPT-6.1 Terra', 1_050_000, 128_000, {
    input: 1,
    output: 5,
    cacheRead: 0.05,
  }),
  model('openai/gpt-5.6-sol', 'GPT-5.6 Sol', 1_050_000, 128_000, {
    input: 5,
    output: 30,
    cacheRead: 0.5,
  }),
  model('openai/gpt-5.4', 'GPT-5.4', 1_050_000, 128_000, {
    input: 2.5,
    output: 15,
    cacheRead: 0.25,
  }),
  model('qwen/qwen3-coder', 'Qwen3 Coder', 262_144, 65_536, null),
]);
