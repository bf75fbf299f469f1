import { type Provider, ProviderCreate, type ProviderKind } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { settings } from '../settings-api.ts';

type KindText = { readonly name: string; readonly url: string; readonly key: string };

export const KIND_TEXTS: Readonly<Record<ProviderKind, KindText>> = {
  openrouter: { name: 'OpenRouter', url: 'https://openrouter.ai/api/v1', key: 'Key' },
  anthropic: { name: 'Anthropic', url: 'https://api.anthropic.com', key: 'Key' },
  openai: { name: 'OpenAI', url: 'https://api.openai.com/v1', key: 'Key' },
  cloudflare: {
    name: 'Cloudflare AI Gateway',
    url: 'https://gateway.ai.cloudflare.com/v1/ACCOUNT/GATEWAY',
    key: 'Token of the gateway',
  },
  'openai-compatible': {
    name: 'OpenAI-compatible: Ollama, vLLM, LM Studio …',
    url: 'http://127.0.0.1:11434/v1',
    key: 'Key (if it asks for one)',
  },
};

/** What the dialog asks for. The key leaves the field with the form and is never shown again. */
export class ProviderForm {
  kind = $state<ProviderKind>('openrouter');
  id = $state('');
  baseUrl = $state('');
  key = $state('');
  models = $state('');
  responses = $state(false);
  free = $state(false);
  problem = $state<string | null>(null);
  busy = $state(false);

  named = $derived(this.kind !== 'openai-compatible');
  needsUrl = $derived(!this.named || this.kind === 'cloudflare');
  texts = $derived(KIND_TEXTS[this.kind]);

  async save(saved: (provider: Provider) => void): Promise<void> {
    const baseUrl = this.baseUrl.trim();
    const models = this.models.split(/[\s,]+/).filter(Boolean);
    const body = ProviderCreate.safeParse({
      kind: this.kind,
      ...(this.named ? {} : { id: this.id.trim(), name: this.id.trim() }),
      ...(baseUrl === '' ? {} : { baseUrl }),
      ...(this.key.trim() === '' ? {} : { key: this.key.trim() }),
      ...(this.named ? {} : { models, responses: this.responses, free: this.free }),
    });
    if (!body.success) {
      const [first] = body.error.issues;
      this.problem = `${first?.path.join('.') ?? ''}: ${first?.message ?? 'is not valid'}`;
      return;
    }
    this.busy = true;
    try {
      const provider = await settings.provider.add(body.data);
      this.key = '';
      saved(provider);
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
