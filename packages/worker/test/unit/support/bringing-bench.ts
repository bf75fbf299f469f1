import { newSessionId, type ThreadId, type Touched } from '@filepath/protocol';
import { Bringing } from '../../../src/session/bringing.ts';
import { USUAL_CAPS } from '../../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../../src/session/schema.ts';
import { Session } from '../../../src/session/session.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeSql } from './node-sql.ts';

const custom = { agentType: 'custom' as const, config: { command: ['true'] } };
const at = '2026-01-01T00:00:00.000Z';
export const hash = (letter: string): string => letter.repeat(40);
export const BASE = hash('0');

export function newSession(gitRepoUrl: string | null = '/repo') {
  const sql = nodeSql();
  migrate(sql, SESSION_MIGRATIONS);
  const session = new Session(
    {
      sql,
      now: () => Date.parse(at),
      newKey: () => 'k',
      keyHash: (key) => key,
      caps: USUAL_CAPS,
      revoke: () => undefined,
    },
    {
      id: newSessionId(),
      owner: 'owner',
      name: 'My Work',
      gitRepoUrl,
      createdAt: at,
      updatedAt: at,
      head: 1,
      changeSeq: 1,
      started: false,
      stopped: false,
    },
  );
  const bringing = new Bringing(session, sql);
  const add = (name: string, parentId: ThreadId | null = null) =>
    session.addNode({ ...custom, name, parentId }).id;
  const told = () =>
    bringing.waiting().map(({ thread, body }) => [thread, JSON.parse(body ?? 'null')] as const);
  return { session, bringing, add, told };
}

type Range = [number, number];

/** Work on one file that everybody began with the same content of. */
export const work = (to: string, ranges: Range[], more: Partial<Touched> = {}): Touched => ({
  head: hash(to),
  dirty: false,
  files: [{ path: 'text', from: BASE, to: hash(to), ranges }],
  ...more,
});
