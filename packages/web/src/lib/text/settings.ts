import type { Executor, Limits, Rule } from '@filepath/protocol';

/** A day as people write it, with the year. */
export function day(at: string): string {
  return new Date(at).toLocaleDateString('en', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
}

export function clock(at: string): string {
  return new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' });
}

export function expiryWords(expiresAt: string | null, now: number): string {
  if (expiresAt === null) return 'does not expire';
  return Date.parse(expiresAt) <= now ? 'expired' : `expires ${day(expiresAt)}`;
}

const EXECUTORS: Readonly<Record<Executor['kind'], string>> = {
  sandbox: 'sandbox',
  container: 'containers',
  unsandboxed: 'without a sandbox',
};

export const executorWords = (kind: Executor['kind']): string => EXECUTORS[kind];

const LIMITS: Readonly<Record<keyof Limits, string>> = {
  memory: 'memory',
  pids: 'processes',
  cpu: 'CPU time',
};

/** What holds agents to their limits: all of an agent together, each process by itself, or nothing. */
export function limitWords(limits: Limits): string {
  const held = (test: (by: string) => boolean): string =>
    (Object.keys(LIMITS) as (keyof Limits)[])
      .filter((name) => test(limits[name]))
      .map((name) => LIMITS[name])
      .join(', ');
  const parts = [
    [held((by) => by.startsWith('cgroup')), 'limited'],
    [held((by) => by === 'rlimit'), 'limited for each process by itself'],
    [held((by) => by === 'none'), 'not limited'],
  ];
  return parts
    .filter(([names]) => names !== '')
    .map(([names, words]) => `${names} ${words}`)
    .join('; ');
}

/** For what a kept answer holds. */
export function ruleWords({ scope, of, agentType }: Rule): string {
  if (scope === 'repository') return `${agentType} agents on ${of}`;
  return scope === 'session' ? `${agentType} agents of one session` : `one ${agentType} agent`;
}
