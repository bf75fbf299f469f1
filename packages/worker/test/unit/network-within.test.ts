import type { NetworkConfig } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { isWithin } from '../../src/session/network-within.ts';

const none: NetworkConfig = { policy: 'none' };
const open = (...allow: string[]): NetworkConfig => ({ policy: 'open', allow });
const list = (...allow: string[]): NetworkConfig => ({ policy: 'allowlist', allow });

it.each([
  [none, none],
  [none, open()],
  [{ ...none, allow: ['example.com'] }, none],
  [undefined, undefined],
  [list(), undefined],
  [list('example.com'), open()],
  [list('example.com:443'), open()],
  [open(), open()],
  [list('example.com'), list('a.org', 'example.com')],
  [list('EXAMPLE.com.'), list('example.com')],
  [list('a.example.com'), list('*.example.com')],
  [list('*.a.example.com'), list('*.example.com')],
  [list('example.com:80'), list('example.com')],
  [list('example.com:8443'), list('example.com:8443')],
  [open('example.com:8443'), open('*.example.com', 'example.com:8443')],
])('[TREE12] %j is within %j', (inner, outer) => {
  expect(isWithin(inner, outer)).toBe(true);
});

it.each([
  [undefined, none],
  [list(), none],
  [open(), list()],
  [open(), undefined],
  [list('example.com'), undefined],
  [list('example.com'), list('a.org')],
  [list('example.com'), list('*.example.com')],
  [list('*.example.com'), list('example.com')],
  [list('badexample.com'), list('*.example.com')],
  [list('example.com:8443'), list('example.com')],
  [list('example.com'), list('example.com:8443')],
  [list('example.com:8443'), open()],
])('[TREE12] %j reaches more than %j', (inner, outer) => {
  expect(isWithin(inner, outer)).toBe(false);
});
