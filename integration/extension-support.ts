import { readFileSync } from 'node:fs';
import { CatalogEntry, ExtensionContent, ExtensionsOfChat } from '@filepath/protocol/sky';
import type { Instance } from '@filepath/testkit';
import type { z } from 'zod';

const SECRET = 'secret-of-an-operator-0123456789';

/** An instance on which chats may have these extensions. */
export const extensionEnv = (...allow: string[]): Record<string, string> => ({
  LITECLAW_ADMIN_SECRET: SECRET,
  LITECLAW_ALLOWED_EMAILS: 'owner@filepath.invalid',
  LITECLAW_EXTENSIONS: allow.join(','),
});

const file = (name: string): string =>
  readFileSync(new URL(`../docs/examples/sky.echo/${name}`, import.meta.url), 'utf8');

/** The sample of the documentation. */
export const skyEcho = (): z.input<typeof ExtensionContent> => ({
  manifest: ExtensionContent.shape.manifest.parse(JSON.parse(file('manifest.json'))),
  code: file('extension.js'),
});

/** One with a tool of its own name that takes anything in `text`. */
export function toolOf(name: string, code: string, more: Record<string, unknown> = {}) {
  const manifest = {
    name,
    version: '1.0.0',
    description: 'For a test.',
    tools: [
      {
        name,
        description: 'For a test.',
        access: 'read',
        input: { type: 'object', properties: { text: { type: 'string' } } },
      },
    ],
    ...more,
  };
  return { manifest, code: `export default { tools: { '${name}': ${code} } };` };
}

/** The operator, at the endpoints of one chat. */
export class Operator {
  #instance: Pick<Instance, 'url' | 'token'>;
  #id: string;

  constructor(instance: Pick<Instance, 'url' | 'token'>, id: string) {
    this.#instance = instance;
    this.#id = id;
  }

  async ask(
    method: string,
    path: '' | '/catalog',
    body?: unknown,
    secret = SECRET,
  ): Promise<Response> {
    const { url, token } = this.#instance;
    return fetch(`${url}/agents/chat/${this.#id}/extensions${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-liteclaw-admin-secret': secret,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async add(content: unknown): Promise<CatalogEntry> {
    return CatalogEntry.parse(await ok(await this.ask('PUT', '/catalog', content)));
  }

  async enable(...enabled: string[]): Promise<ExtensionsOfChat> {
    return ExtensionsOfChat.parse(await ok(await this.ask('PUT', '', { enabled })));
  }

  async shown(): Promise<ExtensionsOfChat> {
    return ExtensionsOfChat.parse(await ok(await this.ask('GET', '')));
  }

  /** In words why it is not enabled. */
  async refused(...enabled: string[]): Promise<string> {
    const response = await this.ask('PUT', '', { enabled });
    if (response.status !== 400) throw new Error(`expected a refusal, not ${response.status}`);
    return JSON.stringify(await response.json());
  }
}

async function ok(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}
