import { type SpawnCreate, type SystemBody, ThreadId } from '@filepath/protocol';
import type { SpawnNote } from '../thread/outbox.ts';
import type { NodeRow } from './node-row.ts';

/** A child that an agent asks for by the API. `key` is its own name for the request. */
export type SpawnWish = SpawnCreate;

/** The wish as the event that it stands for. */
export function wishNote(wish: SpawnWish, parent: NodeRow, by: 'agent' | 'person'): SpawnNote {
  const { name, task, budget, network, agent = parent.agent_type } = wish;
  const model = wish.model ?? (agent === parent.agent_type ? parent.model : '');
  // It is asked for now: after every stop that a person has taken back, before any other.
  const seq = by === 'agent' && isStopped(parent) ? 0 : Number.MAX_SAFE_INTEGER;
  return { seq, name, agent, model, task, ...(budget && { budget }), ...(network && { network }) };
}

/** A stop was asked for, and its thread has told of no message since. */
function isStopped({ halt, thread_seq: seq, reason }: NodeRow): boolean {
  if (halt === null) return false;
  return halt === 0 || seq < halt || reason === 'stopping' || reason === 'stopped';
}

/** Characters of a task that its parent's log shows. */
const SHOWN = 4_000;

/** What the parent's log says of a child that was made. Without an event that asked for it, with all there is to show. */
export function spawnedBody(row: NodeRow): SystemBody {
  const made = { type: 'spawned' as const, node: ThreadId.parse(row.id), name: row.name };
  if (row.spawn_seq !== null) return { ...made, spawn: row.spawn_seq };
  const { agent_type: agent, model, task } = row;
  return { ...made, agent, model, ...(task === null ? {} : { task: task.slice(0, SHOWN) }) };
}
