import {
  Address,
  ApiToken,
  Device,
  DeviceLink,
  type DeviceLinkCreate,
  MachineCheck,
  Passkey,
  type PasskeyCreate,
  type PasskeySignIn,
  Provider,
  type ProviderCreate,
  ProviderTest,
  Rule,
  RunnerInfo,
  type TokenCreate,
  TokenCreated,
} from '@filepath/protocol';
import { field, opaque, whole } from './answers.ts';
import { type ClientOptions, connectionOf, done } from './connection.ts';

/** What is set up once: providers, devices, tokens, passkeys, machines, rules. */
export function createSettings(options: ClientOptions = {}) {
  const { send } = connectionOf(options);
  return {
    provider: {
      list: async () => field(await send('GET', '/api/providers'), 'providers', Provider.array()),
      /** Replaces the one with the same id. */
      add: async (body: ProviderCreate) =>
        field(await send('POST', '/api/providers', { body }), 'provider', Provider),
      delete: async (id: string) => done(await send('DELETE', provider(id))),
      test: async (id: string) =>
        whole(await send('POST', `${provider(id)}/test`), 'test', ProviderTest),
    },

    /** The browsers in which the caller is signed in. */
    device: {
      list: async () => field(await send('GET', '/api/devices'), 'devices', Device.array()),
      signOut: async (id: string) =>
        done(await send('DELETE', `/api/devices/${encodeURIComponent(id)}`)),
      signOutOthers: async () => done(await send('DELETE', '/api/devices')),
      /** Signs another device in, once. */
      link: async (body: DeviceLinkCreate) =>
        whole(await send('POST', '/api/auth/device-link', { body }), 'link', DeviceLink),
    },
    addresses: async () => field(await send('GET', '/api/addresses'), 'addresses', Address.array()),

    token: {
      list: async () => field(await send('GET', '/api/tokens'), 'tokens', ApiToken.array()),
      /** The only answer with the secret. */
      create: async (body: TokenCreate) =>
        whole(await send('POST', '/api/tokens', { body }), 'token', TokenCreated),
      revoke: async (id: string) =>
        done(await send('DELETE', `/api/tokens/${encodeURIComponent(id)}`)),
    },

    passkey: {
      list: async () => field(await send('GET', '/api/passkeys'), 'passkeys', Passkey.array()),
      /** What the browser needs to make one. */
      registration: async () => opaque(await send('POST', '/api/auth/passkey/registration')),
      add: async (body: PasskeyCreate) =>
        field(await send('POST', '/api/passkeys', { body }), 'passkey', Passkey),
      remove: async (id: string) =>
        done(await send('DELETE', `/api/passkeys/${encodeURIComponent(id)}`)),
      /** What the browser needs to sign in by one. */
      challenge: async () => opaque(await send('POST', '/api/auth/passkey/challenge')),
      signIn: async (body: PasskeySignIn) =>
        done(await send('POST', '/api/auth/sign-in/passkey', { body })),
    },

    runner: {
      list: async () => field(await send('GET', '/api/runners'), 'runners', RunnerInfo.array()),
      /** What filepath needs on its machine, as it is now. */
      checks: async (id: string) => {
        const path = `/api/runners/${encodeURIComponent(id)}/checks`;
        return field(await send('GET', path), 'checks', MachineCheck.array());
      },
    },

    /** Answers that are given again by themselves. */
    rule: {
      list: async () => field(await send('GET', '/api/rules'), 'rules', Rule.array()),
      remove: async (id: string) =>
        done(await send('DELETE', `/api/rules/${encodeURIComponent(id)}`)),
    },
  };
}

const provider = (id: string): string => `/api/providers/${encodeURIComponent(id)}`;
