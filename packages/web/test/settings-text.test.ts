import type { Rule } from '@filepath/protocol';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { squares } from '../src/lib/text/qr.ts';
import { expiryWords, limitWords, ruleWords } from '../src/lib/text/settings.ts';
import { deviceWords } from '../src/lib/text/user-agent.ts';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const KIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('what a device is called', () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${KIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0`, 'Firefox on Linux'],
    [
      `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
      'Safari on macOS',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0) ${KIT} Chrome/140.0 Safari/537.36 Edg/140.0`,
      'Edge on Windows',
    ],
    ['curl/8.14.1', 'curl/8.14.1'],
    [null, 'A browser that gave no name'],
    ['', 'A browser that gave no name'],
  ])('[UIG1] %j', (userAgent, name) => {
    expect(deviceWords(userAgent)).toEqual({ name, phone: false });
  });

  it('[UIG1] a phone is one', () => {
    const phone = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`;
    expect(deviceWords(phone)).toEqual({ name: 'Safari on iPhone', phone: true });
    expect(deviceWords('x'.repeat(500)).name.length).toBeLessThan(50);
  });
});

describe('the words of settings', () => {
  it('[UIG4] say whether a token is over', () => {
    const now = Date.parse('2026-03-01T00:00:00Z');
    expect(expiryWords(null, now)).toBe('does not expire');
    expect(expiryWords('2026-02-28T00:00:00Z', now)).toBe('expired');
    expect(expiryWords('2026-05-30T12:00:00Z', now)).toBe('expires May 30, 2026');
  });

  it('[UIG7] say what is limited, and how', () => {
    expect(limitWords({ memory: 'cgroup-v2', pids: 'cgroup-v2', cpu: 'cgroup-v2' })).toBe(
      'memory, processes, CPU time limited',
    );
    expect(limitWords({ memory: 'cgroup-v1', pids: 'rlimit', cpu: 'none' })).toBe(
      'memory limited; processes limited for each process by itself; CPU time not limited',
    );
  });

  it('[UIG9] say for whom a rule answers', () => {
    const rule = { agentType: 'codex', of: 'git.test/shop' } as Rule;
    expect(ruleWords({ ...rule, scope: 'repository' })).toBe('codex agents on git.test/shop');
    expect(ruleWords({ ...rule, scope: 'session' })).toBe('codex agents of one session');
    expect(ruleWords({ ...rule, scope: 'agent' })).toBe('one codex agent');
  });
});

it('[UIG13] the picture of a link has every square of its code', () => {
  const { data, size } = encode('http://192.168.7.7:4280/api/auth/sign-in/link?token=x', {
    border: 3,
  });
  const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width] of squares(data).matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
    for (let at = Number(x); at < Number(x) + Number(width); at += 1) {
      const row = drawn[Number(y)];
      if (row) row[at] = true;
    }
  }
  expect(drawn).toEqual(data);
});
