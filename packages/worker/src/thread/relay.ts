import {
  type AgentInput,
  encodeInput,
  FilepathError,
  MAX_HANDOFFS,
  type SystemHandoff,
} from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { Appender } from './appender.ts';
import { orderStart, orderStop, readInputs } from './launch.ts';
import { putOutbox } from './outbox.ts';
import {
  firstTask,
  headsOf,
  lastRelay,
  lastWords,
  messageAt,
  messagesBetween,
  newestRun,
  openSteps,
  taskOfWork,
} from './relay-facts.ts';
import { type ChildState, cut, relayMessage } from './relay-message.ts';
import type { ThreadState } from './state.ts';

/** Work that a fresh process is to go on with. Kept until that has said something. */
type Relay = Pick<SystemHandoff, 'why' | 'handoff' | 'task'> & {
  /** The epoch that leaves it. */
  from: number;
  /** Where in the log it was left: what was said before is told in the note, what is said later follows it. */
  seq: number;
  /** Of what was said before, that after this seq may not be answered. */
  since: number;
  /** How many inputs that epoch had got by then. */
  inputs: number;
  summary: string;
  /** The same in the agent's own words only; absent where the summary is that. */
  words?: string;
};

/** Bytes of a summary that are kept. */
const SUMMARY = 24 * 1024;

function write(sql: Sql, state: ThreadState, relay: Relay): void {
  state.fresh = relay.from;
  writeValue(sql, 'relay', relay);
}

function read(sql: Sql): Relay {
  const relay = readValue<Relay>(sql, 'relay');
  if (relay === null) throw new Error('a thread that goes on afresh has nothing to go on with');
  return relay;
}

/** The agent has handed off: its process is ended, and another goes on when it is gone. */
export function handOff(sql: Sql, appender: Appender, seq: number, summary: string): void {
  const { state } = appender;
  // One process hands off once.
  if (state.fresh === state.launch.epoch) return;
  state.handoffs = (state.handoffs ?? 0) + 1;
  write(sql, state, leave(sql, state, 'handoff', seq, summary));
  if (!state.launch.stopping) orderStop(sql, appender, state, { handoff: true });
}

/** An agent that does not run goes on afresh, because a person asked for that. It is not asked for a summary. */
export function handOffAtRest(sql: Sql, { state }: Appender, seq: number): void {
  state.handoffs = 0;
  if (!isFresh(state)) write(sql, state, leave(sql, state, 'asked', seq, ''));
  startFresh(sql, state, []);
}

/** An agent that was asked to hand off and did not: its process is ended, and another goes on with its last words. */
export function handOffOverdue(sql: Sql, appender: Appender, seq: number): void {
  const { state } = appender;
  state.handoffs = 0;
  write(sql, state, leave(sql, state, 'asked', seq, ''));
  orderStop(sql, appender, state, { handoff: true });
}

function leave(
  sql: Sql,
  state: ThreadState,
  why: 'handoff' | 'asked',
  seq: number,
  summary: string,
): Relay {
  const before = lastRelay(sql, seq);
  const { began, ended } = newestRun(sql, seq);
  const left = summary.trim() === '' ? lastWords(sql, seq) : { summary };
  return {
    why,
    handoff: why === 'handoff' ? seq : null,
    task: taskOfWork(sql, seq),
    from: state.launch.epoch,
    seq,
    since: ended ? Math.max(began, before?.seq ?? 0) : seq,
    inputs: state.launch.inputs,
    summary: cut(left.summary, SUMMARY),
    ...('words' in left && { words: cut(left.words, SUMMARY) }),
  };
}

/** The agent begins again with what its last fresh process was told, or with its first task. */
export function restart(sql: Sql, appender: Appender, name: string): void {
  const { state } = appender;
  const { launch } = state;
  const task = lastRelay(sql, state.seq)?.task ?? firstTask(sql)?.seq ?? null;
  if (task === null) {
    throw new FilepathError('conflict', `${name} has had no task yet: send it a message`);
  }
  state.handoffs = 0;
  // What was handed off and not taken up yet is the last handoff.
  if (!isFresh(state)) {
    const { epoch: from, inputs } = launch;
    const { seq } = state;
    const at = { seq, since: seq, from, inputs };
    write(sql, state, { why: 'restart', handoff: null, task, summary: '', ...at });
  } else if (launch.active && !launch.waits && state.fresh !== launch.epoch) {
    // The process that was to take it up has said nothing: it leaves the same, which it was told as its first input.
    write(sql, state, { ...read(sql), from: launch.epoch, inputs: 1 });
  }
  if (!launch.active || launch.waits) startFresh(sql, state, []);
  else if (!launch.stopping) orderStop(sql, appender, state, { handoff: true });
}

/** Whether the process that ended has left its work to a fresh one, which is started unless somebody must look first. */
export function relayAfterEnd(sql: Sql, appender: Appender, name: string): boolean {
  const { state } = appender;
  const { launch, lifecycle, handoffs = 0 } = state;
  if (state.fresh !== launch.epoch) return false;
  // It goes on by that, not also by what a limit has ended.
  state.goOn = null;
  if (lifecycle.stopped) return true;
  if (handoffs > MAX_HANDOFFS) {
    const reason = `${name} handed off ${MAX_HANDOFFS} times in a row without a commit or an end: look at what it does, then send it a message to let it go on`;
    const open = state.run !== null;
    const seq = appender.append('system', {
      type: 'handoff_limit',
      handoffs: MAX_HANDOFFS,
      reason,
    });
    // Its parent was told of no end: the runs before went on.
    const note = { seq, outcome: 'error', reason, words: null } as const;
    if (!open) putOutbox(sql, `result:${seq}`, { kind: 'result', note });
    return true;
  }
  startFresh(sql, state, []);
  return true;
}

/** Begins the next epoch: afresh, if work waits that was handed off. */
export function startNext(sql: Sql, state: ThreadState, inputs: readonly AgentInput[]): void {
  if (isFresh(state)) startFresh(sql, state, inputs);
  else orderStart(sql, state, inputs);
}

/** Its first input is the note, then what came since, then `more`. */
function startFresh(sql: Sql, state: ThreadState, more: readonly AgentInput[]): void {
  const relay = read(sql);
  const { epoch } = state.launch;
  // A fresh process that never spoke got the note as its first input.
  const told = relay.from === epoch ? relay.inputs : 1;
  const since = readInputs(sql, epoch, told)
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .filter((input) => input.type === 'message' && input.from !== 'system');
  orderStart(sql, state, [note(contentOf(sql, relay, state.seq, [])), ...since, ...more]);
}

/** What the fresh process is told is known when it may start: in the log, and as its first input. */
export function tellRelay(sql: Sql, appender: Appender, children: readonly ChildState[]): void {
  const { state } = appender;
  if (!isFresh(state)) return;
  const relay = read(sql);
  const { why, handoff, from, task } = relay;
  const { epoch: to } = state.launch;
  const content = contentOf(sql, relay, state.seq, told(sql, to, children));
  const body: SystemHandoff = { type: 'handoff', why, handoff, from, to, task, content };
  appender.append('system', body);
  const line = encodeInput(note(content));
  sql.run('UPDATE inputs SET line = ? WHERE epoch = ? AND id = 1', line, to);
}

/** What a child said last is not in the note where it follows as a message. */
function told(sql: Sql, epoch: number, children: readonly ChildState[]): ChildState[] {
  const follow = new Set(
    readInputs(sql, epoch, 1).flatMap(({ line }) => {
      const input = JSON.parse(line) as AgentInput;
      return input.type === 'message' && input.child !== undefined ? [String(input.child.id)] : [];
    }),
  );
  return children.map(({ words, ...child }) =>
    words === undefined || follow.has(child.id) ? child : { ...child, words },
  );
}

/** The fresh process speaks: it has taken the work up. */
export function noteTakenUp(sql: Sql, state: ThreadState): void {
  if (!isFresh(state) || state.fresh === state.launch.epoch) return;
  state.fresh = null;
  sql.run(`DELETE FROM meta WHERE key = 'relay'`);
}

/** The work that a fresh process is to go on with: its task, and what was handed over in words of the agent. */
export function handedOver(
  sql: Sql,
  state: ThreadState,
): { task: number | null; words: string } | null {
  if (!isFresh(state)) return null;
  const { task, words, summary } = read(sql);
  return { task, words: words ?? summary };
}

export const isFresh = ({ fresh = null }: ThreadState): boolean => fresh !== null;

const note = (content: string): AgentInput => ({ type: 'message', from: 'system', content });

function contentOf(sql: Sql, relay: Relay, head: number, children: readonly ChildState[]): string {
  const { why, summary, task, since, seq } = relay;
  if (why === 'restart') {
    return lastRelay(sql, head)?.content ?? (task === null ? null : messageAt(sql, task)) ?? '';
  }
  return relayMessage({
    why,
    summary,
    task: task === null ? null : messageAt(sql, task),
    steps: openSteps(sql, seq),
    ...headsOf(sql, head),
    children,
    messages: messagesBetween(sql, since, seq).filter((message) => message.seq !== task),
  });
}
