import { REDACTED, redactorOf } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, secretsOf } from '../../src/auth/redact.ts';
import { testEnv } from './env-fixture.ts';

const SECRET = 'sk-or-v1-"quoted"/+canary~42';

describe('redact', () => {
  it('returns text without a secret as it is', () => {
    expect(redact('nothing to hide', [SECRET])).toBe('nothing to hide');
  });

  it('replaces the value, its JSON form and its URL form', () => {
    const text = `a ${SECRET} b ${JSON.stringify({ key: SECRET })} c ${encodeURIComponent(SECRET)}`;
    expect(redact(text, [SECRET])).toBe(`a ${REDACTED} b {"key":"${REDACTED}"} c ${REDACTED}`);
  });

  it('keeps JSON valid', () => {
    const text = JSON.stringify({ before: 1, key: SECRET, after: [SECRET] });
    expect(JSON.parse(redact(text, [SECRET]))).toEqual({
      before: 1,
      key: REDACTED,
      after: [REDACTED],
    });
  });

  it('replaces a secret that contains another one whole', () => {
    expect(redact('token-long-tail', ['token-long', 'token-long-tail'])).toBe(REDACTED);
  });

  it('ignores values too short to be secrets', () => {
    expect(redact('a short text', ['short'])).toBe('a short text');
  });

  it('finds base64 of the secret inside any surrounding bytes, in both alphabets', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 12 }),
        fc.uint8Array({ maxLength: 12 }),
        fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' }),
        fc.constantFrom('base64' as const, 'base64url' as const),
        (before, after, secret, alphabet) => {
          const text = Buffer.concat([before, Buffer.from(secret), after]).toString(alphabet);
          const shown = redactorOf([secret])(text);
          expect(shown).toContain(REDACTED);
        },
      ),
    );
  });
});

describe('secretsOf', () => {
  it('lists keys, tokens and secrets, and nothing else', () => {
    const env = testEnv({ ANTHROPIC_API_KEY: 'sk-ant-canary-0001', OPENAI_API_KEY: 'short' });
    expect([...secretsOf(env)].sort()).toEqual(
      [
        env.FILEPATH_TOKEN,
        env.FILEPATH_RUNNER_TOKEN,
        env.FILEPATH_SECRET,
        'sk-ant-canary-0001',
      ].sort(),
    );
  });
});
