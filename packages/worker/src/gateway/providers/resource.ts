import type { Provider } from '@filepath/protocol';
import type { ProviderConfig } from './provider.ts';
import type { StoredProvider } from './provider-table.ts';

const DOTS = '••••';
/** A shorter key would be half told by its end. */
const LONG = 16;

/** The providers as an answer shows them: no key, no value of a header. */
export function providerResources(
  stored: readonly StoredProvider[],
  environment: readonly ProviderConfig[],
): Provider[] {
  const taken = new Set(stored.map(({ config }) => config.id));
  return [
    ...stored.map(({ config, readable }) => ({
      ...resource(config),
      inForce: readable,
      ...(readable
        ? {}
        : { problem: 'Its key cannot be read: FILEPATH_SECRET has changed. Enter it again.' }),
    })),
    ...environment.map((config) => ({ ...resource(config), inForce: !taken.has(config.id) })),
  ];
}

function resource({ key, headers, models, formats, ...rest }: ProviderConfig): Provider {
  return {
    ...rest,
    key: key === null ? null : masked(key),
    headers: Object.keys(headers),
    models: [...models],
    formats: [...formats],
    inForce: true,
    problem: null,
  };
}

export const masked = (key: string): string =>
  key.length < LONG ? DOTS : `${DOTS}${key.slice(-4)}`;
