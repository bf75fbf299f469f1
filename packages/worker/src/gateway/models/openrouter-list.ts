import type { ModelPrice } from '@filepath/protocol';
import { z } from 'zod';
import type { KnownModel } from './known-model.ts';

const MAX_MODELS = 2000;
const MILLION = 1e6;

/** Of another's making: what is not understood of a model leaves that out, and never the list. */
const count = z.int().min(1).max(1e9).nullable().catch(null);
const dollars = z
  .union([z.string().max(64), z.number()])
  .optional()
  .catch(undefined);
const Entry = z.object({
  id: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\s\p{Cc}]+$/u),
  name: z.string().min(1).max(200).optional().catch(undefined),
  context_length: count.optional(),
  top_provider: z.object({ max_completion_tokens: count.optional() }).optional().catch(undefined),
  pricing: z
    .object({
      prompt: dollars,
      completion: dollars,
      request: dollars,
      internal_reasoning: dollars,
      input_cache_read: dollars,
      input_cache_write: dollars,
    })
    .optional()
    .catch(undefined),
});
const List = z.object({ data: z.array(z.unknown()) });

/** The models of OpenRouter's `GET /models`. Null: this is no such list. */
export function parseOpenRouter(body: unknown): KnownModel[] | null {
  const list = List.safeParse(body);
  if (!list.success) return null;
  const models = list.data.data.slice(0, MAX_MODELS).flatMap((item) => {
    const entry = Entry.safeParse(item);
    return entry.success ? [known(entry.data)] : [];
  });
  return models.length === 0 ? null : models;
}

function known({ id, name, context_length, top_provider, pricing }: z.infer<typeof Entry>) {
  return {
    id,
    // OpenRouter's names begin with the maker, which the group says already.
    name: (name ?? id).replace(/^[^:]{1,40}: /, ''),
    contextLength: context_length ?? null,
    maxOutput: top_provider?.max_completion_tokens ?? null,
    price: pricing ? priceOf(pricing) : null,
  } satisfies KnownModel;
}

/** A price below zero stands for one that depends on what answers. One for each request is in no count of tokens. */
function priceOf(pricing: NonNullable<z.infer<typeof Entry>['pricing']>): ModelPrice | null {
  const input = perMillion(pricing.prompt);
  const said = perMillion(pricing.completion);
  if (input === null || said === null || perMillion(pricing.request ?? 0) !== 0) return null;
  const output = Math.max(said, perMillion(pricing.internal_reasoning) ?? 0);
  const cacheRead = perMillion(pricing.input_cache_read);
  const cacheWrite = perMillion(pricing.input_cache_write);
  return {
    input,
    output,
    ...(cacheRead === null ? {} : { cacheRead }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
  };
}

function perMillion(value: string | number | undefined): number | null {
  if (value === undefined || value === '') return null;
  const usd = Number(value) * MILLION;
  return Number.isFinite(usd) && usd >= 0 && usd <= MILLION ? Math.round(usd * 1e6) / 1e6 : null;
}
