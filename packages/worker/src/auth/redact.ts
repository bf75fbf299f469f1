import { redactorOf } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { knownSecrets } from './known-secrets.ts';

/** A shorter value would blot out ordinary text. */
const MIN_LENGTH = 8;
const SECRET_NAME = /(_KEY|_TOKEN|_SECRET|_PASSWORD)$/;

/** Values of the environment, and keys of providers, that no text may show. */
export function secretsOf(env: Env): readonly string[] {
  const values: unknown[] = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  return [...values, ...knownSecrets()].filter(
    (value): value is string => typeof value === 'string' && value.length >= MIN_LENGTH,
  );
}

export function redact(text: string, secrets: readonly string[]): string {
  return redactorOf(secrets)(text);
}

/** Redacts with the secrets that are known when it is asked. */
export function liveRedactor(env: Env): (text: string) => string {
  let count = -1;
  let redactor = (text: string): string => text;
  return (text) => {
    if (knownSecrets().size !== count) {
      count = knownSecrets().size;
      redactor = redactorOf(secretsOf(env));
    }
    return redactor(text);
  };
}
