import type { Address } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { allowedOrigins } from './origins.ts';

const MOST = 32;

/** Where this instance answers: names behind TLS first, then those of the network, then the machine's own. */
export function addressesOf(env: Pick<Env, 'FILEPATH_ORIGINS'>): Address[] {
  return allowedOrigins(env)
    .map(({ origin, hostname }) => ({ origin, loopback: isLoopback(hostname) }))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST);
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

function rank({ origin, loopback }: Address): number {
  if (loopback) return 3;
  if (origin.startsWith('https:')) return 0;
  return origin.includes('[') ? 2 : 1;
}
