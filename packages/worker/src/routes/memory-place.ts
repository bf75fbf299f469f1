import {
  type MemoryCreate,
  FilepathError,
  GitRepoUrl,
  repositoryKey,
  SessionId,
  ThreadId,
} from '@filepath/protocol';
import type { z } from 'zod';
import type { Env } from '../env.ts';
import { notFound, unwrap } from '../result.ts';
import type { Place } from '../user/memory/sight.ts';

/** Where a person wants something remembered: an agent or a session of their own, a repository, or everywhere. */
export async function placeFor(
  env: Env,
  user: string,
  { scope, key = '' }: z.output<typeof MemoryCreate>,
): Promise<Place> {
  switch (scope) {
    case 'user':
      return { scope, key: null, session: null };
    case 'repository':
      if (!GitRepoUrl.safeParse(key).success) {
        throw new FilepathError('bad_request', 'The key is the URL of a repository, or its path.');
      }
      return { scope, key: repositoryKey(key), session: null };
    case 'session': {
      const session = SessionId.safeParse(key);
      const known = session.success && (await env.SESSION.getByName(session.data).allows(user));
      if (!known) throw notFound('this session');
      return { scope, key, session: session.data };
    }
    case 'agent': {
      const thread = ThreadId.safeParse(key);
      if (!thread.success) throw notFound('this agent');
      const session = unwrap(await env.THREAD.getByName(thread.data).sessionFor(user));
      return { scope, key, session };
    }
  }
}
