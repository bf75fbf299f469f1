import { FilepathError } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { issuesOfError, problemsOf } from '../src/lib/text/field-problems.ts';

const FIELDS = { name: 'name', 'config.network': 'network', 'config.network.allow': 'hosts' };

it('[UIS3] what is wrong is shown beside the field it is of, the first of each', () => {
  expect(
    problemsOf(
      [
        { path: 'config.network.allow.0', reason: 'expected a domain' },
        { path: 'config.network.policy', reason: 'expected a policy' },
        { path: 'name', reason: 'too long' },
        { path: 'name', reason: 'has a control character' },
        { path: 'config.networks', reason: 'unknown' },
      ],
      FIELDS,
    ),
  ).toEqual({
    hosts: 'expected a domain',
    network: 'expected a policy',
    name: 'too long',
    '': 'config.networks: unknown',
  });
});

it('[UIS3] the fields that the worker names are told from an error without any', () => {
  const issues = [{ path: 'name', reason: 'too long' }];
  expect(issuesOfError(new FilepathError('bad_request', 'no', issues))).toEqual(issues);
  expect(issuesOfError(new FilepathError('bad_request', 'no', { ref: 'x' }))).toBeNull();
  expect(issuesOfError(new FilepathError('unavailable', 'gone'))).toBeNull();
  expect(issuesOfError(new Error('gone'))).toBeNull();
});
