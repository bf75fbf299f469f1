import {
  type AgentMemoryCreate,
  FilepathError,
  type MemoryStored,
  redactorOf,
  type ThreadId,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import type { Bearer } from '../gateway/contract.ts';
import { attempt, type Result } from '../result.ts';
import { placeOf, type Sight } from '../user/memory/sight.ts';
import { sightOf } from './memory-notes.ts';
import { configOf } from './node-row.ts';
import type { Session } from './session.ts';

/** What an agent sees of memory, and whose memory it is. */
export type MemoryView = { owner: string; sight: Sight };

export function viewOf(session: Session, thread: ThreadId): MemoryView {
  return { owner: session.meta.owner, sight: sightOf(session, thread) };
}

/** Stores what an agent asks for through the gateway, without the secrets that this agent holds. */
export async function rememberFor(
  session: Session,
  env: Env,
  bearer: Bearer,
  { content, scope, tags = [] }: AgentMemoryCreate,
): Promise<Result<MemoryStored>> {
  const checked = attempt(() => {
    const { owner, sight } = viewOf(session, bearer.thread);
    if (scope === 'repository' && sight.repository === null) {
      throw new FilepathError(
        'bad_request',
        'This session has no repository: use the scope session.',
      );
    }
    const node = session.node(bearer.thread);
    const hide = redactorOf(secretsOf(session, bearer));
    const source = {
      by: 'agent' as const,
      name: node.name,
      session: session.meta.id,
      thread: node.id,
      seq: null,
    };
    const memory = { ...placeOf(sight, scope), content: hide(content), tags: tags.map(hide) };
    return { owner, memory: { ...memory, source } };
  });
  if (!checked.ok) return checked;
  return env.USER.getByName(checked.value.owner).remember(checked.value.memory);
}

/** What an agent prints has lost these in its runner; what it asks for comes past that. */
function secretsOf(session: Session, bearer: Bearer): string[] {
  const row = session.nodes.find(bearer.thread);
  const values = row ? Object.values(configOf(row).envVars ?? {}) : [];
  const { gitRepoUrl } = session.meta;
  const url = gitRepoUrl !== null && URL.canParse(gitRepoUrl) ? new URL(gitRepoUrl) : null;
  return [bearer.key, ...values, ...(url ? [url.password, plain(url.password)] : [])];
}

function plain(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
