import type { WireFormat } from '@filepath/protocol';
import type { Grant, RouteRefusal } from './contract.ts';
import { type Problem, providerError } from './provider-error.ts';

const PROBLEM: Partial<Record<RouteRefusal['refused'], Problem>> = {
  concurrency: 'busy',
  provider_down: 'unreachable',
  too_large: 'too_large',
};

/** Nothing is told about a key but that it is not good. */
export function badKey(format: WireFormat): Response {
  return providerError(format, 'unauthenticated', 'This key is not valid here.');
}

/** A refusal as the provider would have said it. */
export function refusal(format: WireFormat, { refused, message }: RouteRefusal): Response {
  return providerError(format, PROBLEM[refused] ?? 'refused', message, refused);
}

export function notGranted(format: WireFormat, grant: Extract<Grant, { ok: false }>): Response {
  if (!('message' in grant)) return badKey(format);
  return refusal(format, { refused: grant.code, message: grant.message });
}
