import fc from 'fast-check';
import {
  type AgentEvent,
  type AgentEventType,
  AgentState,
  type LogEvent,
  RunId,
  Source,
  StepId,
  ThreadId,
} from '../src/index.ts';

/** JSON has no -0, so neither has what goes through it. */
export const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const amount = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const id = fc.string({ minLength: 1, maxLength: 128 });
const workState = fc.constantFrom('start' as const, 'done' as const, 'error' as const);
const state = fc.constantFrom(...AgentState.options);

type Shape = Record<string, fc.Arbitrary<unknown>>;

/** Some of the optional keys, and some keys that no schema knows. */
function event(type: AgentEventType, required: Shape, optional: Shape = {}) {
  const shape: Shape = { type: fc.constant(type), ...required, ...optional };
  const known = fc.record(shape, { requiredKeys: ['type', ...Object.keys(required)] });
  const extra = fc.dictionary(
    fc.string().map((key) => `x-${key}`),
    json,
    { maxKeys: 2 },
  );
  return fc.tuple(extra, known).map(([more, own]) => ({ ...more, ...own }) as AgentEvent);
}

const grown = { id, input: json, diff: text, parent: text, durationMs: amount };

export const agentEvents: { [type in AgentEventType]: fc.Arbitrary<AgentEvent> } = {
  text: event('text', { content: text }, { id, partial: fc.boolean() }),
  tool: event('tool', { name: text, status: workState }, { path: text, output: text, ...grown }),
  command: event(
    'command',
    { cmd: text, status: workState },
    { exit: fc.integer(), stdout: text, stderr: text, ...grown },
  ),
  commit: event('commit', { hash: text, message: text }),
  spawn: event('spawn', { name: text, agent: text, model: text }, { task: text }),
  workers: event('workers', { workers: fc.array(fc.record({ name: text, status: state })) }),
  status: event(
    'status',
    { state },
    {
      context_pct: fc.double({ min: 0, max: 1, noNaN: true }).map((n) => n + 0),
      reason: text,
      until: text,
    },
  ),
  handoff: event('handoff', { summary: text }),
  done: event('done', {}, { summary: text }),
  plan: event('plan', {
    steps: fc.array(
      fc.record(
        { title: text, status: fc.constantFrom('pending', 'active', 'done', 'error') },
        { requiredKeys: ['title'] },
      ),
    ),
  }),
  usage: event(
    'usage',
    {},
    {
      model: text,
      input: amount,
      output: amount,
      cacheRead: amount,
      cacheWrite: amount,
      cost: amount,
    },
  ),
  decision: event(
    'decision',
    { id, prompt: text, options: fc.array(text, { minLength: 1 }) },
    { hash: text },
  ),
  memory: event(
    'memory',
    { content: text },
    {
      scope: fc.constantFrom('agent', 'session', 'repository', 'user'),
      tags: fc.array(text, { maxLength: 3 }),
    },
  ),
  log: event(
    'log',
    { message: text },
    { level: fc.constantFrom('debug', 'info', 'warn', 'error') },
  ),
};

export const agentEvent = fc.oneof(...Object.values(agentEvents));

const suffix = (length: number) =>
  fc.string({
    minLength: length,
    maxLength: length,
    unit: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
  });
const threadId = suffix(22).map((end) => ThreadId.parse(`th_${end}`));
const runId = suffix(22).map((end) => RunId.parse(`run_${end}`));
const stepId = suffix(22).map((end) => StepId.parse(`st_${end}`));
const hash = fc.string({
  minLength: 64,
  maxLength: 64,
  unit: fc.constantFrom(...'0123456789abcdef'),
});

export const source = fc.constantFrom(...Source.options);

export const logEvent: fc.Arbitrary<LogEvent> = fc.record({
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  thread: threadId,
  run: fc.option(runId),
  step: fc.option(stepId),
  event: fc.nat(),
  at: fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  source,
  body: json,
  hash,
});
