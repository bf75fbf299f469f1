import { z } from 'zod';
import { WireFormat } from '../gateway/events.ts';
import { ModelPrice } from '../models/model.ts';

export const ProviderKind = z.enum([
  'openrouter',
  'anthropic',
  'openai',
  'cloudflare',
  'openai-compatible',
]);
export type ProviderKind = z.infer<typeof ProviderKind>;

/** The name of a provider, which is also what its models' names begin with: `ollama/llama3`. */
export const ProviderId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected a name like ollama')
  .refine((id) => id !== 'offline', 'offline is filepath’s own');

/** A model's name, with `*` for any text. */
const pattern = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\s\p{Cc}]+$/u, 'expected a name without spaces');

/** What the connection itself says is no one's to set. */
const FIXED_HEADERS =
  /^(host|content-length|content-type|content-encoding|transfer-encoding|connection|upgrade|te|trailer|keep-alive|expect|cookie|proxy-.*|sec-.*)$/i;

const headers = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of a header')
      .refine((name) => !FIXED_HEADERS.test(name), 'this header cannot be set'),
    z
      .string()
      .max(4096)
      .regex(/^[\x20-\x7e]*$/, 'expected printable ASCII'),
  )
  .refine((all) => Object.keys(all).length <= 16, 'at most 16 headers');

const prices = z
  .record(pattern, ModelPrice)
  .refine((all) => Object.keys(all).length <= 200, 'at most 200 prices');

/** http or https, to any host: the owner's own model server may be on this machine. */
export const ProviderUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .max(2048)
  .refine((url) => !/[?#]/.test(url), 'expected a URL without ? and #')
  .refine((url) => {
    const { username, password } = new URL(url);
    return username === '' && password === '';
  }, 'expected a URL without a user or a password: a key goes into `key`');

export const ProviderCreate = z
  .strictObject({
    kind: ProviderKind,
    /** The kind's own name unless it is `openai-compatible`. */
    id: ProviderId.optional(),
    name: z.string().trim().min(1).max(64).optional(),
    baseUrl: ProviderUrl.optional(),
    /** Left out, a provider that is replaced keeps the key it has, as long as kind and URL stay. */
    key: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII without spaces')
      .optional(),
    /** Sent with every request. Values go in and never come out. */
    headers: headers.optional(),
    /** Names that this provider answers for without its prefix. Those without `*` are offered. */
    models: z.array(pattern).max(200).optional(),
    /** It also speaks OpenAI's Responses. */
    responses: z.boolean().optional(),
    /** Its models cost nothing. */
    free: z.boolean().optional(),
    prices: prices.optional(),
  })
  .superRefine((body, context) => {
    const issue = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const named = body.kind !== 'openai-compatible';
    if (named && body.id !== undefined && body.id !== body.kind)
      issue('id', `expected ${body.kind}, or nothing`);
    if (!named && body.id === undefined) issue('id', 'expected a name for this provider');
    if (!named && ProviderKind.safeParse(body.id).success)
      issue('id', 'this name belongs to another kind of provider');
    if ((!named || body.kind === 'cloudflare') && body.baseUrl === undefined)
      issue('baseUrl', 'expected the URL of this provider');
  });
export type ProviderCreate = z.infer<typeof ProviderCreate>;

export const Provider = z.object({
  id: z.string(),
  kind: ProviderKind,
  name: z.string(),
  source: z.enum(['environment', 'settings']),
  /** Not so: settings have another with this name. */
  inForce: z.boolean(),
  baseUrl: z.string(),
  /** Masked, with its end if it is long. Null: it has none. */
  key: z.string().nullable(),
  /** Their names. */
  headers: z.array(z.string()),
  models: z.array(z.string()),
  formats: z.array(WireFormat),
  free: z.boolean(),
  prices: z.record(z.string(), ModelPrice),
  /** Why it cannot be used. */
  problem: z.string().nullable(),
});
export type Provider = z.infer<typeof Provider>;

/** What came of asking a provider whether it takes its key. */
export const ProviderTest = z.object({
  ok: z.boolean(),
  /** Of its answer. Null: there was none. */
  status: z.int().nullable(),
  message: z.string(),
  /** Names of models that it told, at most 200. */
  models: z.array(z.string()),
});
export type ProviderTest = z.infer<typeof ProviderTest>;
