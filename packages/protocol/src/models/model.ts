import { z } from 'zod';

const usd = z.number().min(0).max(1e6);

/** Dollars for a million tokens. What is not given for the cache costs what input costs. */
export const ModelPrice = z.strictObject({
  input: usd,
  output: usd,
  cacheRead: usd.optional(),
  cacheWrite: usd.optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

export const Model = z.object({
  /** What a node's `model` holds. */
  id: z.string(),
  name: z.string(),
  contextLength: z.int().nullable(),
  maxOutput: z.int().nullable(),
  /** Null: nobody knows. */
  price: ModelPrice.nullable(),
  /** A provider that is configured can answer. */
  available: z.boolean(),
});
export type Model = z.infer<typeof Model>;

export const ModelGroup = z.object({
  /** What the names begin with. */
  provider: z.string(),
  name: z.string(),
  models: z.array(Model),
});
export type ModelGroup = z.infer<typeof ModelGroup>;

export const ModelList = z.object({
  /** `offline` first, then those that can answer. */
  groups: z.array(ModelGroup),
  /** What an agent gets whose type's own model cannot be had here. */
  defaultModel: z.string(),
  /** Some provider is in force. If not, only `offline/demo` answers. */
  configured: z.boolean(),
  source: z.enum(['openrouter', 'built-in']),
  /** Its source does not answer: this is what it said before. */
  stale: z.boolean(),
  /** Of what the source said. Null: it has not been asked. */
  ageSeconds: z.int().min(0).nullable(),
});
export type ModelList = z.infer<typeof ModelList>;
