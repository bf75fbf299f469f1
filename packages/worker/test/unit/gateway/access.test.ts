import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentOf } from '../../../src/gateway/access.ts';

const env = { FILEPATH_RUNNER_TOKEN: 'runner-token-for-tests' };
const SESSION = `ses_${'s'.repeat(22)}`;
const NODE = `th_${'n'.repeat(22)}`;
const KEY = `fpk_${SESSION}_${NODE}_${'0123456789abcdef'.repeat(3)}`;

const GOOD = {
  'x-filepath-runner-token': env.FILEPATH_RUNNER_TOKEN,
  'x-filepath-session': SESSION,
  'x-filepath-thread': NODE,
  authorization: `Bearer ${KEY}`,
};

const ask = (headers: Record<string, string>) =>
  agentOf(new Request('http://localhost/', { headers }), env);

const without = (name: keyof typeof GOOD): Record<string, string> =>
  Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name));

describe('[GW1] an agent', () => {
  it('is known by its runner, its thread and its key together', () => {
    expect(ask(GOOD)).toEqual({ runner: 'rn_local', thread: NODE, session: SESSION, key: KEY });
    expect(ask({ ...without('authorization'), 'x-api-key': KEY })).not.toBeNull();
    expect(ask({ ...GOOD, 'x-api-key': KEY })).not.toBeNull();
    expect(ask({ ...GOOD, 'x-api-key': 'sk-of-the-cli' })).not.toBeNull();
  });

  it.each([
    'x-filepath-runner-token',
    'x-filepath-session',
    'x-filepath-thread',
    'authorization',
  ] as const)('is not known without %s', (name) => {
    expect(ask(without(name))).toBeNull();
  });

  it.each([
    ['the token of another', { 'x-filepath-runner-token': 'owner-token-for-tests' }],
    ['an empty token', { 'x-filepath-runner-token': '' }],
    ['a session that the runner does not name', { 'x-filepath-session': `ses_${'o'.repeat(22)}` }],
    ['the thread of another', { 'x-filepath-thread': `th_${'o'.repeat(22)}` }],
    ['a second key', { 'x-api-key': KEY.replace('0', '1') }],
    ['a key in its query form', { authorization: `Bearer ${KEY}?x=1` }],
    ['no scheme', { authorization: KEY }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
  ])('is not known with %s', (_, headers) => {
    expect(ask({ ...GOOD, ...headers })).toBeNull();
  });

  it('matches nothing when no runner has a token', () => {
    const headers = { ...GOOD, 'x-filepath-runner-token': '' };
    const request = new Request('http://localhost/', { headers });
    expect(agentOf(request, { FILEPATH_RUNNER_TOKEN: '' })).toBeNull();
  });

  it('[T5] is not known by anything but a key, whatever is sent in its place', () => {
    const piece = fc.constantFrom(
      'fpk_',
      SESSION,
      NODE,
      '_',
      "'",
      '"',
      ';--',
      '%00',
      ' ',
      '/',
      '..',
      'a',
      '0',
    );
    const header = fc.oneof(
      fc.string().filter((text) => /^[\x20-\x7e]*$/.test(text)),
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.nat(KEY.length - 1).map((at) => KEY.slice(0, at)),
      fc.nat(KEY.length - 1).map((at) => `${KEY.slice(0, at)}'${KEY.slice(at + 1)}`),
    );
    fc.assert(
      fc.property(header, fc.boolean(), (value, bearer) => {
        const authorization = bearer ? `Bearer ${value}` : value;
        expect(ask({ ...GOOD, authorization })).toBeNull();
        expect(ask({ ...without('authorization'), 'x-api-key': value })).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});
