import type { AgentEvent } from '@filepath/protocol';
import type { ModelRequest, Script } from '@filepath/testkit';
import { expect } from 'vitest';
import type { Hands } from './hands.ts';

/** An agent as a scenario has it, whatever stands behind: a process, a recording, or an instance of filepath. */
export type PlayedAgent = {
  readonly say: (text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly handOff: () => Promise<void>;
  readonly decide: (id: string, choice: string) => Promise<void>;
  /** The next event of the agent, after those that were waited for, that fits. */
  readonly until: (fits: (event: AgentEvent) => boolean, what: string) => Promise<AgentEvent>;
  /** Every event so far. */
  readonly events: () => readonly AgentEvent[];
  /** SIGKILL of the agent and its CLI. */
  readonly kill: () => Promise<void>;
  readonly ended: () => Promise<void>;
};

export type Scenario = {
  readonly name: string;
  readonly permissions?: 'ask';
  /** It depends on when a thing happens: a recording cannot play it. */
  readonly live?: true;
  /** What the model says. */
  readonly script: (hands: Hands, cwd: string) => Script;
  readonly play: (agent: PlayedAgent) => Promise<void>;
  /** What the model was asked. */
  readonly asked?: (requests: readonly ModelRequest[]) => void;
};

/** A command that is never waited for. */
export const LONG = 'i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done';
export const SHORT = 'i=0; while [ $i -lt 40 ]; do sleep 0.1; i=$((i+1)); done';
const COMMIT =
  'git add -A && git -c user.name=agent -c user.email=agent@localhost commit -qm "docs: notes"';

const isDone = (event: AgentEvent): boolean => event.type === 'done';
const isCommand =
  (status: string) =>
  (event: AgentEvent): boolean =>
    event.type === 'command' && event.status === status;

const isRunning = (event: AgentEvent): boolean =>
  event.type === 'status' && event.state === 'running';

const hasDiff = (event: AgentEvent): boolean =>
  event.type === 'tool' && event.status === 'done' && event.diff !== undefined;

export const multiTurn: Scenario = {
  name: 'multi-turn',
  script: () => [{ text: 'The first answer.' }, { text: 'The second answer.' }],
  play: async (agent) => {
    await agent.say('The first question.');
    await agent.until(isDone, 'the end of the first turn');
    await agent.say('The second question.');
    await agent.until(isDone, 'the end of the second turn');
    expect(textsOf(agent)).toEqual(['The first answer.', 'The second answer.']);
  },
  asked: (requests) => {
    const said = textOf(requests.at(-1));
    expect(said).toContain('The first question.');
    expect(said).toContain('The first answer.');
    expect(said).toContain('The second question.');
  },
};

export const exitCode: Scenario = {
  name: 'exit-code',
  script: (hands) => [
    { text: 'I run it.', tools: [hands.shell('echo out; echo err >&2; exit 3')] },
    { text: 'It ended with 3.' },
  ],
  play: async (agent) => {
    await agent.say('Run the command.');
    const ended = await agent.until(isCommand('error'), 'the failed command');
    expect(ended).toMatchObject({ cmd: 'echo out; echo err >&2; exit 3', exit: 3 });
    expect(JSON.stringify(ended)).toContain('out');
    await agent.until(isDone, 'the end of the turn');
  },
};

export const editAndCommit: Scenario = {
  name: 'edit-and-commit',
  script: (hands, cwd) => [
    { tools: [hands.write(cwd, 'notes.txt', ['one', 'two', 'three'])] },
    { tools: [hands.edit(cwd, 'notes.txt', 'two', '2')] },
    { tools: [hands.shell(COMMIT)] },
    { text: 'Committed.' },
  ],
  play: async (agent) => {
    await agent.say('Write the notes and commit them.');
    const written = await agent.until(hasDiff, 'the written file');
    expect(written).toMatchObject({ path: 'notes.txt' });
    expect(Reflect.get(written, 'diff')).toContain('+two');
    const edited = await agent.until(hasDiff, 'the edited file');
    expect(Reflect.get(edited, 'diff')).toMatch(/-two\n\+2/);
    await agent.until(isCommand('done'), 'the commit');
    await agent.until(isDone, 'the end of the turn');
  },
};

export const interrupt: Scenario = {
  name: 'interrupt',
  script: (hands) => [{ tools: [hands.shell(LONG)] }, { text: 'never said' }],
  play: async (agent) => {
    await agent.say('Run for a long time.');
    await agent.until(isCommand('start'), 'the command');
    await agent.stop();
    await agent.until(isCommand('error'), 'the end of the command');
    await agent.ended();
    expect(textsOf(agent)).not.toContain('never said');
  },
};

export const steer: Scenario = {
  name: 'steer',
  script: (hands) => [{ tools: [hands.shell(SHORT)] }, { text: 'Both are heard.' }],
  play: async (agent) => {
    await agent.say('Run for a while.');
    await agent.until(isCommand('start'), 'the command');
    await agent.say('Mind the gap.');
    await agent.until(isDone, 'the end of the turn');
    expect(agent.events().filter(isDone)).toHaveLength(1);
  },
  asked: (requests) => {
    expect(requests.at(-1)?.raw).toContain('Mind the gap.');
    expect(requests.at(-1)?.results).toHaveLength(1);
  },
};

export const rateLimit: Scenario = {
  name: 'rate-limit',
  script: () => [
    { fault: { kind: 'status', status: 429, retryAfterSeconds: 1 } },
    { text: 'Now it works.' },
  ],
  play: async (agent) => {
    await agent.say('Try it.');
    await agent.until(
      (event) => event.type === 'status' && (event.reason ?? '').startsWith('rate limited'),
      'the rate limit',
    );
    await agent.until(isDone, 'the end of the turn');
    expect(textsOf(agent)).toEqual(['Now it works.']);
  },
};

export const overflow: Scenario = {
  name: 'overflow',
  script: () => [
    { text: 'The first part is done.' },
    { fault: { kind: 'overflow' } },
    // A CLI that sums up by itself asks for that, and then goes on until it is interrupted.
    (request) => (asksForSummary(request) ? SUMMARY : { fault: { kind: 'hang' } }),
    (request) => (asksForSummary(request) ? SUMMARY : { fault: { kind: 'hang' } }),
  ],
  play: async (agent) => {
    await agent.say('Do the first part.');
    await agent.until(isDone, 'the end of the first turn');
    await agent.say('Do the second part.');
    const handoff = await agent.until(({ type }) => type === 'handoff', 'the handoff');
    expect(Reflect.get(handoff, 'summary')).toContain('first part');
  },
};

const SUMMARY = { text: 'Summary: the first part is done, the second is left.' };
const asksForSummary = (request: ModelRequest): boolean => /summar/i.test(request.lastText);

export const asks: Scenario = {
  name: 'permission',
  permissions: 'ask',
  script: (hands, cwd) => [
    { tools: [hands.write(cwd, 'asked.txt', ['yes'])] },
    { tools: [hands.write(cwd, 'refused.txt', ['no'])] },
    { text: 'One of two.' },
  ],
  play: async (agent) => {
    await agent.say('Write two files.');
    const first = await agent.until(({ type }) => type === 'decision', 'the first question');
    await agent.decide(String(Reflect.get(first, 'id')), 'allow');
    await agent.until(hasDiff, 'the written file');
    const second = await agent.until(({ type }) => type === 'decision', 'the second question');
    expect(Reflect.get(second, 'hash')).not.toBe(Reflect.get(first, 'hash'));
    await agent.decide(String(Reflect.get(second, 'id')), 'deny');
    await agent.until(
      (event) => event.type === 'tool' && event.status === 'error',
      'the refused file',
    );
    await agent.until(isDone, 'the end of the turn');
  },
};

export const resume: Scenario = {
  name: 'resume',
  script: (hands) => [
    { text: 'I remember the word.' },
    { tools: [hands.shell(LONG)] },
    { text: 'The word is heron.' },
  ],
  play: async (agent) => {
    await agent.say('The word is heron. Remember it.');
    await agent.until(isDone, 'the end of the first turn');
    await agent.say('Now run for a long time.');
    await agent.until(isCommand('start'), 'the command');
    await agent.until(isRunning, 'the status that goes with it');
    await agent.kill();
    await agent.say('What was the word?');
    await agent.until(isDone, 'the end of the turn after the kill');
  },
  asked: (requests) => {
    const said = textOf(requests.at(-1));
    expect(said).toContain('The word is heron. Remember it.');
    expect(said).toContain('I remember the word.');
    expect(said).toContain('What was the word?');
  },
};

export const handoff: Scenario = {
  name: 'handoff',
  script: () => [{ text: 'Half of it is done.' }, { text: 'Done: a half. Left: the other half.' }],
  play: async (agent) => {
    await agent.say('Do it.');
    await agent.until(isDone, 'the end of the turn');
    await agent.handOff();
    const handed = await agent.until(({ type }) => type === 'handoff', 'the handoff');
    expect(handed).toMatchObject({ summary: 'Done: a half. Left: the other half.' });
  },
};

export const SCENARIOS: readonly Scenario[] = [
  multiTurn,
  exitCode,
  editAndCommit,
  interrupt,
  steer,
  rateLimit,
  overflow,
  asks,
  resume,
  handoff,
];

function textsOf(agent: PlayedAgent): string[] {
  return agent
    .events()
    .flatMap((event) => (event.type === 'text' && event.partial !== true ? [event.content] : []));
}

function textOf(request: ModelRequest | undefined): string {
  return (request?.messages ?? []).map(({ text }) => text).join('\n');
}
