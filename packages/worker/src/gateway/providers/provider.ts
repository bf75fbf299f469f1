import type { ModelPrice, ProviderKind, WireFormat } from '@filepath/protocol';

/** A provider that can be asked, with its key. Never leaves the worker. */
export type ProviderConfig = {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly name: string;
  readonly source: 'environment' | 'settings';
  readonly baseUrl: string;
  readonly key: string | null;
  /** Sent with every request, beside the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names that it answers for without its prefix; `*` stands for any text. */
  readonly models: readonly string[];
  readonly formats: readonly WireFormat[];
  readonly free: boolean;
  readonly prices: Readonly<Record<string, ModelPrice>>;
};

/** Values of a provider that no text may show. */
export function secretsOfProvider({ key, headers }: ProviderConfig): string[] {
  return [...(key === null ? [] : [key]), ...Object.values(headers)];
}
