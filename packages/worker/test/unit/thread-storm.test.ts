import { lifecycleOf } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { readOutbox, removeOutbox } from '../../src/thread/outbox.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const STEPS = 30;
const SEEDS = 3000;

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A thread to which anything happens at any time. */
class Storm {
  readonly t: TestThread;
  readonly trace: string[] = [];
  #next: () => number;
  #clock = NOW;
  #keys = 0;
  #gates = -1;
  #jobs: string[] = [];
  /** Null: it is not stopped; else whether somebody has let it go on since. */
  #letGo: boolean | null = null;

  constructor(seed: number, agentType: string) {
    this.t = newThread(agentType);
    this.#next = random(seed);
  }

  /** What is wrong after the next thing has happened; null: nothing. */
  step(): string | null {
    const all = this.#deeds();
    let left = this.#next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    const chosen = all.find(([, weight]) => (left -= weight) <= 0);
    if (chosen === undefined) return null;
    const [name, , act] = chosen;
    const before = this.t.thread.state;
    this.trace.push(name);
    try {
      act();
    } catch (error) {
      // What is refused in words is refused rightly.
      if (Reflect.get(Object(error), 'code') === undefined) return `threw ${String(error)}`;
    }
    for (const { id, item } of readOutbox(this.t.sql, 1000)) {
      const order = item.kind === 'order' && item.order.kind === 'job' ? item.order : null;
      if (order?.do.type === 'gate') this.#jobs.push(order.id);
      removeOutbox(this.t.sql, id);
    }
    return this.#wrong(before.launch.active);
  }

  #wrong(wasActive: boolean): string | null {
    const { state } = this.t.thread;
    const { lifecycle, launch, failed } = state;
    const { open, status } = lifecycle;
    const gate = lifecycle.gate ?? null;
    if (open && !launch.active && gate === null)
      return 'a run is open, and nothing is at work on it';
    if (open !== (state.run !== null)) return 'a run is open and is not';
    if (lifecycle.alive && !launch.active) return 'a process lives that nobody started';
    if (lifecycle.handing && !launch.active) return 'nobody hands anything over';
    if (gate?.job && !this.#jobs.includes(gate.job)) return 'a gate is waited for that is over';
    if (this.#letGo === false && launch.active && !wasActive) return 'started after a stop';
    if (state.handoffAsked && !launch.active) return 'a handoff is waited for from nobody';
    if ((status === 'error') !== (failed !== undefined)) return 'a failure that is none';
    if (lifecycle.reason === 'queued' && !launch.active) return 'queued for nothing';
    if (state.goOn !== undefined && state.goOn !== null && !launch.active) return 'nobody goes on';
    const read = lifecycleOf(this.t.events());
    return JSON.stringify(read) === JSON.stringify(lifecycle) ? null : 'the log says otherwise';
  }

  #deeds(): [string, number, () => void][] {
    const { t } = this;
    const { thread } = t;
    const by = (): 'user' | 'system' => (this.#next() < 0.5 ? 'user' : 'system');
    const iso = (seconds: number) => new Date(this.#clock + seconds * 1000).toISOString();
    const key = () => `k${(this.#keys += 1)}`;
    const says = (...bodies: unknown[]): void => void (this.#running && t.say(...bodies));
    const wakes = (act: () => unknown): void => {
      act();
      this.#letGo = true;
    };
    const passes = (ms: number): void => {
      t.pass(ms);
      this.#clock += ms;
    };
    const call = { type: 'call', call: 'call_1', model: 'lab/m', provider: 'lab' };
    return [
      ['message', 3, () => wakes(() => thread.message('user', 'm', null, this.#when()))],
      ['parent', 1, () => wakes(() => thread.message('parent', 'p', null))],
      ['result', 1, () => thread.result({ id: thread.meta.thread, name: 'kid' }, 'done', key())],
      ['words', 1, () => thread.notice(null, key(), 'words')],
      ['stop', 1.5, () => [thread.signal('stop'), (this.#letGo = false)]],
      ['handoff asked', 1, () => wakes(() => thread.signal('handoff'))],
      ['restart', 1.5, () => wakes(() => thread.restart())],
      ['pause', 1.5, () => thread.hold({ by: by(), reason: null, until: null }, 'user')],
      ['resume', 2.5, () => thread.hold(null, by())],
      ['go', 6, () => thread.go(thread.state.launch.epoch)],
      ['start', 6, () => this.#start()],
      ['exit', 3, () => this.#exit()],
      ['thinking', 2, () => says({ type: 'status', state: 'thinking' })],
      ['idle', 0.7, () => says({ type: 'status', state: 'idle' })],
      ['done', 2, () => says({ type: 'done', summary: 's' })],
      ['error', 1, () => says({ type: 'status', state: 'error', reason: 'e' })],
      ['limit', 1, () => says(this.#limit(iso(this.#next() * 1200 - 500)))],
      ['hands off', 1.5, () => says({ type: 'handoff', summary: 'h' })],
      ['bad spawn', 1.5, () => says({ type: 'spawn', name: 'x' }, { type: 'done', summary: 's' })],
      ['asks', 0.6, () => says({ type: 'decision', id: key(), prompt: 'p', options: ['a', 'b'] })],
      [
        'call',
        1.5,
        () => {
          const refused = { outcome: 'failed', status: 429, retryAfterSeconds: 3600 };
          const end = this.#next() < 0.5 ? refused : { outcome: 'completed', status: 200 };
          const body = { ...call, ...end, startedAt: iso(-this.#next() * 60) };
          thread.gateway([{ key: key(), body: body as never }]);
        },
      ],
      ['gate', 3, () => this.#endGate()],
      [
        'silent',
        0.6,
        () => void (this.#running && this.#observed({ type: 'silent', seconds: 600 })),
      ],
      [
        'overdue',
        1.5,
        () => {
          const due = thread.handoffDue;
          if (due === null) return;
          passes(Math.max(0, due - this.#clock));
          thread.handoffOverdue();
        },
      ],
      ['time', 1, () => passes(this.#next() * 1_200_000)],
      ['written', 1, () => void (this.#running && thread.written(thread.state.launch.inputs))],
    ];
  }

  get #running(): boolean {
    const { launch, lifecycle } = this.t.thread.state;
    return launch.active && launch.waits !== true && lifecycle.alive;
  }

  #when(): 'after' | 'now' {
    return this.#next() < 0.3 ? 'after' : 'now';
  }

  #limit(until: string): unknown {
    return { type: 'status', state: this.#next() < 0.6 ? 'error' : 'thinking', reason: 'l', until };
  }

  #observed(body: Record<string, unknown>): void {
    const { epoch, observed } = this.t.thread.state.launch;
    this.t.thread.observed(observed + 1, { epoch, ...body } as never);
  }

  #start(): void {
    const { launch, lifecycle } = this.t.thread.state;
    if (!launch.active || launch.waits || lifecycle.alive) return;
    if (this.#gates !== launch.epoch && this.#next() < 0.6) {
      this.#gates = launch.epoch;
      const commands = [{ name: 'x', command: 'x' }];
      this.#observed({ type: 'gates', from: 'node', commands, attempts: 1 });
    }
    observe(this.t, { type: 'started' });
  }

  #exit(): void {
    if (!this.#running) return;
    const ends = ['handoff', 'stopped', 'lost', 'limit'] as const;
    const ordinary = ['exited', 'exited', 'exited', 'lost', 'limit'] as const;
    const among = this.t.thread.state.launch.stopping ? ends : ordinary;
    const reason = among[Math.floor(this.#next() * among.length)] ?? 'lost';
    const code = reason === 'exited' ? Number(this.#next() < 0.3) : null;
    this.#observed({ type: 'exit', code, signal: null, reason });
  }

  #endGate(): void {
    const job = this.#jobs.shift();
    if (job === undefined) return;
    const failed = { name: 'x', command: 'x', outcome: 'failed', exit: 1, seconds: 1, tail: '' };
    const found = { type: 'gate', job, commit: 'a'.repeat(40), clean: true };
    const chance = this.#next();
    const result =
      chance < 0.4
        ? { ...found, passed: true, checks: [] }
        : chance < 0.8
          ? { ...found, passed: false, checks: [failed] }
          : { type: 'job_failed', job, work: 'gate', reason: 'r' };
    this.t.thread.jobDone(result as never);
  }
}

it.each(['custom', 'claude-code'])(
  '[ST1] [GATE2] [HND1] whatever happens in whatever order, somebody is at work on what is open: %s',
  (agentType) => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const storm = new Storm(seed, agentType);
      for (let n = 0; n < STEPS; n += 1) {
        const wrong = storm.step();
        expect(wrong, `seed ${seed}: ${storm.trace.join(', ')}`).toBeNull();
      }
    }
  },
);
