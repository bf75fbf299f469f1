import type { ProviderKind } from '@filepath/protocol';
import { KINDS } from '../../../src/gateway/providers/kinds.ts';
import type { ProviderConfig } from '../../../src/gateway/providers/provider.ts';

export const TODAY = '2026-11-16';

/** A provider with a key of its own. */
export function provider(kind: ProviderKind, change: Partial<ProviderConfig> = {}): ProviderConfig {
  return {
    id: kind,
    kind,
    name: KINDS[kind].name,
    source: 'environment',
    baseUrl: KINDS[kind].baseUrl ?? 'http://127.0.0.1:9/v1',
    key: `key-of-${kind}`,
    headers: {},
    models: [],
    formats: KINDS[kind].formats,
    free: false,
    prices: {},
    ...change,
  };
}
