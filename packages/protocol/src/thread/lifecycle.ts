import { AgentState } from '../fap/events.ts';
import { awaited, GATE, gateEnd, type GateStatus, NO_GATE, NOT_TESTED } from './gate-status.ts';
import type { Source } from './log-event.ts';
import { silentFor } from './silence.ts';

/**
 * The table log → status. SPEC.md lists the same rows by id. `advance` is total: a body it does not know
 * changes nothing.
 */
export type RunOutcome = 'completed' | 'error' | 'stopped' | 'superseded' | 'handoff' | 'lost';

const MAX_REASON = 500;
const MAX_QUESTIONS = 64;

/** The reason of an agent that is held still, alone or before why. */
const PAUSED = 'paused';

/** The reason of an agent that has asked and has no answer yet. */
export const WAITING = 'waiting for a person';

export type Lifecycle = GateStatus & {
  status: AgentState;
  reason: string | null;
  contextPct: number | null;
  /** A process was started and has not exited. */
  alive: boolean;
  /** A stop was asked for and no message came since. */
  stopped: boolean;
  /** A run is open. */
  open: boolean;
  /** The open run has reported its own state, so that the next message steers it. */
  reports: boolean;
  /** The last message went to a running process, and the process has said nothing since. */
  unanswered: boolean;
  /** The runner has told of a silence of the open run, and nothing was heard since. */
  silent: boolean;
  /** A person was asked, and neither an answer nor a message came since. */
  asks: boolean;
  /** The ids of the questions that have no answer. */
  questions: readonly string[];
  /** The open run has made children: it may be waiting for them. */
  delegated: boolean;
  /** It has handed off: when its process has ended, another takes its place. */
  handing: boolean;
  /** It is held still until it is resumed: the words that say so. A stop ends that. */
  paused: string | null;
  /** While it is paused, the reason that would be shown. */
  beneath: string | null;
};

export const INITIAL: Lifecycle = {
  status: 'idle',
  reason: null,
  contextPct: null,
  alive: false,
  stopped: false,
  open: false,
  reports: false,
  unanswered: false,
  silent: false,
  asks: false,
  questions: [],
  delegated: false,
  ...NO_GATE,
  handing: false,
  paused: null,
  beneath: null,
};

export type Advance = {
  next: Lifecycle;
  /** A run ends with this event; the event still belongs to it. */
  closes: RunOutcome | null;
  /** A run begins with this event. */
  opens: boolean;
  /** The run open before this event ends as superseded, before the event. */
  supersedes: boolean;
};

export function advance(now: Lifecycle, event: { source: Source; body: unknown }): Advance {
  const change = step(uncovered(now), event);
  return isPaused(change.next) ? { ...change, next: covered(change.next) } : change;
}

/** A state that was stored before there were pauses has none. */
const isPaused = (now: Partial<Lifecycle>): boolean => typeof now.paused === 'string';

/** While it is paused that is the reason, whatever else happens; what holds beneath goes on. */
const covered = (now: Lifecycle): Lifecycle => ({
  ...now,
  beneath: now.reason,
  reason: now.paused,
});

const uncovered = (now: Lifecycle): Lifecycle =>
  isPaused(now) ? { ...now, reason: now.beneath, beneath: null } : now;

function step(now: Lifecycle, event: { source: Source; body: unknown }): Advance {
  const body = record(event.body);
  switch (event.source) {
    case 'user':
    case 'parent':
    case 'system':
      return onControl(now, event.source, body);
    case 'fap':
      // What it says after its handoff is nobody's work any more.
      if (now.handing) return stay(now);
      return onAgent({ ...heard(now), unanswered: false }, body);
    case 'runner':
      return onRunner(now, body);
    default:
      return stay(now);
  }
}

function onControl(now: Lifecycle, source: Source, body: Record<string, unknown>): Advance {
  switch (body['type']) {
    case 'message':
      // What the control plane adds to an open run is no task of its own.
      if (source !== 'system' || !now.open) return onMessage(now);
      if (body['aside'] === true) return stay(now);
      // Unless nothing was left to do in it but to be tested.
      if (awaited(now) !== null) return stay(untested(now));
      // What a child has to say is to be taken up like any other message.
      if (body['from'] !== 'child') return stay(now);
      return stay({ ...heard(now), unanswered: now.alive });
    case 'signal':
      return onSignal(now, source, body);
    case 'decision':
      return onAnswer(now, body);
    case 'spawned':
      return stay({ ...now, delegated: now.open });
    case 'gate_begun':
      return stay(onGateBegun(now, body));
    case 'gate':
    case 'job_failed':
      return onGate(now, body);
    case 'handoff':
      return source === 'system' ? onMessage({ ...now, handing: false }) : stay(now);
    case 'limit':
      // Its process is ended, and one that goes on waits for the end of the limit.
      return stay(body['ended'] === true && now.alive ? { ...now, handing: true } : now);
    case 'handoff_limit':
      return source === 'system' ? onHandoffLimit(now, body) : stay(now);
    default:
      return stay(now);
  }
}

/** An answer is owed, and nobody but the agent can give it. */
export const owes = (now: Lifecycle): boolean =>
  now.open && now.alive && !now.stopped && !now.asks && !now.handing && awaited(now) === null;

/** The reason that says it was silent holds no longer. */
function heard(now: Lifecycle): Lifecycle {
  return now.silent ? { ...now, silent: false, reason: null } : now;
}

/** What is said to the agent may be an answer to all that it asked. */
function answered(now: Lifecycle): Lifecycle {
  if (!now.asks) return now;
  return { ...now, asks: false, questions: [], reason: now.reason === WAITING ? null : now.reason };
}

function onMessage(before: Lifecycle): Advance {
  const now = answered(heard(before));
  // One that hands off takes nothing more: the message is for the process that takes its place.
  const alive = now.alive && !now.handing;
  // A message to a run that waits for its process joins it; so does one to a run that reports its state.
  const steers = now.open && (now.reports || !alive);
  const tested = awaited(now) !== null;
  const next: Lifecycle = {
    ...now,
    status: alive ? (steers ? now.status : 'running') : 'idle',
    reason: alive ? (steers && !tested ? now.reason : null) : 'queued',
    gate: null,
    failures: 0,
    stopped: false,
    open: true,
    reports: steers && now.reports,
    unanswered: alive,
    delegated: steers && now.delegated,
  };
  return { next, closes: null, opens: !steers, supersedes: now.open && !steers };
}

function onSignal(before: Lifecycle, source: Source, body: Record<string, unknown>): Advance {
  if (body['action'] === 'pause') return stay({ ...before, paused: pauseWords(body) });
  if (body['action'] === 'resume') return stay({ ...before, paused: null });
  if (body['action'] === 'restart') return onRestart(before);
  if (body['action'] === 'handoff' && !before.alive) return stay({ ...before, ...WAITS });
  // It was asked to and did not.
  if (body['action'] === 'handoff' && source === 'system') return handsOff(before);
  if (body['action'] !== 'stop') return stay(before);
  const now = { ...before, paused: null };
  if (now.alive) return stay({ ...now, stopped: true, reason: 'stopping', gate: null });
  if (!now.open) {
    // What was to go on in a fresh process has no run yet.
    const reason = now.reason === 'queued' ? 'stopped' : now.reason;
    return stay({ ...now, stopped: true, reason });
  }
  return close({ ...now, stopped: true, status: 'idle', reason: 'stopped' }, now, 'stopped');
}

/** A process is to start. */
const WAITS = { status: 'idle', reason: 'queued', stopped: false, gate: null } as const;

function onRestart(now: Lifecycle): Advance {
  const reason = now.alive ? 'restarting' : 'queued';
  return close({ ...now, ...WAITS, reason, handing: now.alive }, now, 'stopped');
}

const handsOff = (now: Lifecycle): Advance =>
  close({ ...now, status: 'idle', reason: 'handoff', handing: true }, now, 'handoff');

function onHandoffLimit(now: Lifecycle, body: Record<string, unknown>): Advance {
  return close({ ...now, status: 'error', reason: words(body['reason']) }, now, 'error');
}

function onAnswer(now: Lifecycle, body: Record<string, unknown>): Advance {
  const questions = questionsOf(now).filter((id) => id !== body['id']);
  return stay(questions.length === 0 ? answered(now) : { ...now, questions });
}

function onAgent(now: Lifecycle, body: Record<string, unknown>): Advance {
  switch (body['type']) {
    case 'done':
      return finish({ ...now, status: 'done', reason: null }, now);
    case 'handoff':
      return handsOff(now);
    case 'status':
      return onStatus(now, body);
    case 'decision':
      return stay(onQuestion(now, body));
    default:
      return stay(now);
  }
}

function onQuestion(now: Lifecycle, body: Record<string, unknown>): Lifecycle {
  const { id } = body;
  const others = questionsOf(now).filter((one) => one !== id);
  const questions = typeof id === 'string' ? [...others, id].slice(-MAX_QUESTIONS) : others;
  return { ...now, asks: true, questions, reason: now.stopped ? now.reason : WAITING };
}

/** A state that was stored before there were any has none. */
const questionsOf = (now: Partial<Lifecycle>): readonly string[] => now.questions ?? [];

function onStatus(now: Lifecycle, body: Record<string, unknown>): Advance {
  const state = AgentState.safeParse(body['state']);
  if (!state.success) return stay(now);
  const pct = body['context_pct'];
  const next: Lifecycle = {
    ...now,
    status: state.data,
    reason: now.stopped ? now.reason : words(body['reason']),
    contextPct: typeof pct === 'number' ? pct : now.contextPct,
    reports: true,
  };
  if (state.data === 'done') return finish(next, now);
  // It has called its work done: only a failure is more than that.
  if (awaited(now) !== null && state.data !== 'error') {
    return stay({ ...now, contextPct: next.contextPct });
  }
  if (state.data === 'thinking' || state.data === 'running') {
    return stay(now.asks && next.reason === null ? { ...next, reason: WAITING } : next);
  }
  return close(next, now, state.data === 'error' ? 'error' : 'completed');
}

/** The agent calls its work done. Where there are gates that is a claim, and the run goes on until they have ended. */
function finish(next: Lifecycle, now: Lifecycle): Advance {
  const gates = now.gates ?? null;
  if (gates === null) return close(next, now, 'completed');
  const { status, reason } = now;
  if (awaited(now) !== null || now.stopped) return stay({ ...next, status, reason });
  if (!now.open && status !== 'done') return stay({ ...next, status: 'idle', reason: NOT_TESTED });
  if (!now.open) return stay(next);
  const gate = { job: null, attempts: gates };
  const nothing = { silent: false, unanswered: false, asks: false, questions: [] };
  return stay({ ...next, ...nothing, status: 'running', reason: GATE, gate });
}

/** There is work again before what was done is tested. */
function untested(now: Lifecycle): Lifecycle {
  const { alive } = now;
  const status = alive ? 'running' : 'idle';
  return { ...now, status, reason: alive ? null : 'queued', gate: null, unanswered: alive };
}

function onGateBegun(now: Lifecycle, { job }: Record<string, unknown>): Lifecycle {
  const gate = awaited(now);
  return gate === null || typeof job !== 'string' ? now : { ...now, gate: { ...gate, job } };
}

function onGate(now: Lifecycle, body: Record<string, unknown>): Advance {
  const end = gateEnd(now, body);
  switch (end.at) {
    case 'stale':
      return stay(now);
    case 'passed':
      return close({ ...now, status: 'done', reason: null }, now, 'completed');
    case 'failed':
      return close({ ...now, status: 'error', reason: words(end.reason) }, now, 'error');
    case 'back':
      return stay({ ...untested(now), failures: end.failures });
  }
}

function onRunner(now: Lifecycle, body: Record<string, unknown>): Advance {
  switch (body['type']) {
    case 'gates':
      return stay({ ...now, gates: gatesIn(body) });
    case 'started':
      return stay({
        ...now,
        alive: true,
        status: now.handing ? now.status : 'running',
        reason: now.stopped ? 'stopping' : now.handing ? now.reason : null,
      });
    case 'refused': {
      const reason = words(body['reason']) ?? 'refused';
      const dead = { ...now, alive: false, handing: false, gates: null };
      if (now.stopped) return close({ ...dead, status: 'idle', reason: 'stopped' }, now, 'stopped');
      if (now.handing) return stay({ ...dead, ...WAITS });
      return close({ ...dead, status: 'error', reason }, now, 'error');
    }
    case 'exit':
      return onExit({ ...now, alive: false, handing: false, gates: null }, now, body);
    case 'held':
      return stay(holdable(now) ? { ...now, reason: words(body['reason']) } : now);
    case 'released':
      return stay(holdable(now) ? { ...now, reason: unheld(now) } : now);
    case 'silent': {
      const seconds = Number(body['seconds']);
      if (!owes(now) || !Number.isSafeInteger(seconds)) return stay(now);
      return stay({ ...now, silent: true, reason: silentFor(seconds) });
    }
    default:
      return stay(now);
  }
}

const unheld = (now: Lifecycle): string | null =>
  awaited(now) !== null ? GATE : now.alive ? null : 'queued';

const holdable = (now: Lifecycle): boolean =>
  (now.alive || now.open) && !now.stopped && !now.handing;

function onExit(dead: Lifecycle, now: Lifecycle, body: Record<string, unknown>): Advance {
  // However it ended: its work is handed off.
  if (!now.stopped && (now.handing || body['reason'] === 'handoff')) {
    return stay({ ...dead, ...WAITS });
  }
  if (now.stopped || body['reason'] === 'stopped') {
    const finished = !now.open && now.status === 'done';
    const status = finished ? 'done' : 'idle';
    return close({ ...dead, status, reason: finished ? null : 'stopped' }, now, 'stopped');
  }
  if (body['reason'] === 'lost') {
    return close({ ...dead, status: 'error', reason: 'lost' }, now, 'lost');
  }
  if (body['reason'] === 'limit') {
    const reason = words(body['detail']) ?? 'limit reached';
    return close({ ...dead, status: 'error', reason }, now, 'error');
  }
  // An agent that went on after its run had ended is active without a run; its exit ends that too.
  const active = now.status === 'thinking' || now.status === 'running';
  // Its work is being tested already.
  if (awaited(now) !== null) return stay(dead);
  if (!now.open && !active) return stay(dead);
  // It ended before it took the message up: the worker starts it again with that message.
  if (now.unanswered && body['code'] === 0) {
    return stay({ ...dead, unanswered: false, status: 'idle', reason: 'queued' });
  }
  if (body['code'] === 0) return finish({ ...dead, status: 'done', reason: null }, now);
  const how = typeof body['signal'] === 'string' ? body['signal'] : `exit ${String(body['code'])}`;
  const said = lastLine(body['stderr']);
  const reason = said === '' ? how : `${how}: ${said}`;
  return close({ ...dead, status: 'error', reason }, now, 'error');
}

function close(next: Lifecycle, now: Lifecycle, outcome: RunOutcome): Advance {
  return {
    next: {
      ...next,
      open: false,
      reports: false,
      unanswered: false,
      silent: false,
      asks: false,
      questions: [],
      delegated: false,
      gate: null,
      failures: 0,
    },
    closes: now.open ? outcome : null,
    opens: false,
    supersedes: false,
  };
}

function stay(next: Lifecycle): Advance {
  return { next, closes: null, opens: false, supersedes: false };
}

function gatesIn({ commands, attempts }: Record<string, unknown>): number | null {
  if (!Array.isArray(commands) || commands.length === 0) return null;
  return typeof attempts === 'number' && attempts >= 0 ? attempts : 0;
}

function pauseWords(body: Record<string, unknown>): string {
  const why = words(body['reason']);
  return why === null ? PAUSED : `${PAUSED}: ${why}`;
}

/** A reason is shown in a row and stored with every event: it is kept short. */
function words(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_REASON) : null;
}

/** How programs colour what they print. */
const COLOURS = new RegExp(String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`, 'gu');
/** Of an error of Node, what stands after its words. */
const AFTERWARDS = /^(?:\s+at .*|\s*\}|Node\.js v\S+)$/;
const MAX_LINE = 160;

/** The last that a program wrote to stderr, which is where most say why they failed: as plain words of one line. */
function lastLine(stderr: unknown): string {
  if (typeof stderr !== 'string') return '';
  const line = stderr
    .split(/[\r\n]+/)
    .filter((one) => !AFTERWARDS.test(one))
    .map((one) =>
      one
        .replaceAll(COLOURS, '')
        .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
        .trim(),
    )
    .findLast((one) => one !== '');
  if (line === undefined) return '';
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The lifecycle of a whole log; the worker keeps the same value row by row. */
export function lifecycleOf(events: Iterable<{ source: Source; body: unknown }>): Lifecycle {
  let now = INITIAL;
  for (const event of events) now = advance(now, event).next;
  return now;
}
