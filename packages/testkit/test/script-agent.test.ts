import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AgentConfig, AgentEvent, encodeInput, parseAgentLine } from '@filepath/protocol';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { SCRIPT_AGENTS, scriptAgent, type ScriptAgent, tempDir } from '../src/index.ts';

const SPEC_1 = [
  'text',
  'tool',
  'command',
  'commit',
  'spawn',
  'workers',
  'status',
  'handoff',
  'done',
];
const dir = tempDir();
const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const { pid } of children.splice(0)) {
    if (pid !== undefined) killGroup(pid);
  }
});

afterAll(() => dir.remove());

/** The script and what it started; a group that is gone already is fine. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function start(name: ScriptAgent, env: Record<string, string> = {}, ...args: string[]) {
  const [file = '', ...rest] = scriptAgent(name, ...args).command;
  const child = spawn(file, rest, {
    cwd: dir.path,
    env: { PATH: '/usr/bin:/bin', ...env },
    detached: true,
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    write: (content: string) =>
      child.stdin.write(encodeInput({ type: 'message', from: 'user', content })),
    stop: () => child.stdin.write(encodeInput({ type: 'signal', action: 'stop' })),
    exited: once(child, 'exit').then(([code]) => code as unknown),
    /** The events up to one that ends a turn, or to the end of the output. */
    turn: async (last: (event: AgentEvent) => boolean = () => false) => {
      const events: AgentEvent[] = [];
      for (;;) {
        const next = await lines.next();
        if (next.done) return events;
        const event = AgentEvent.parse(JSON.parse(next.value));
        events.push(event);
        if (last(event)) return events;
      }
    },
  };
}

async function output(name: ScriptAgent, ...args: string[]): Promise<string[]> {
  const [file = '', ...rest] = scriptAgent(name, ...args).command;
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n');
}

describe('script agents', () => {
  it.each(SCRIPT_AGENTS)('%s fits into an agent config', (name) => {
    expect(AgentConfig.parse(scriptAgent(name))).toEqual(scriptAgent(name));
  });

  it('all-events says all nine events of spec 1 and partial text, the last of them afresh, then echoes and stops', async () => {
    const task = 'say "hi" \\ to\nthe world';
    const env = { FILEPATH_TASK: task, FILEPATH_AGENT_ID: 'th_x' };
    const before = start('all-events', env);
    before.write(task);
    const handed = await before.turn();
    expect(handed.at(-1)?.type).toBe('handoff');
    expect(await before.exited).toBe(0);
    const agent = start('all-events', { ...env, FILEPATH_FRESH: '1' });
    agent.write('go on');
    const first = [...handed, ...(await agent.turn((event) => event.type === 'done'))];
    expect(SPEC_1.filter((type) => !first.some((event) => event.type === type))).toEqual([]);
    expect(first).toContainEqual(expect.objectContaining({ type: 'text', partial: true }));
    expect(first).toContainEqual({
      type: 'text',
      id: 'intro',
      content: `I will work on: ${task}`,
    });

    const tricky = 'two "quotes", a \\ and\na line, "content":"x"}';
    agent.write(tricky);
    const second = await agent.turn((event) => event.type === 'status' && event.state === 'idle');
    expect(second).toContainEqual({ type: 'text', content: `echo: ${tricky}` });

    agent.stop();
    expect(await agent.turn()).toEqual([]);
    expect(await agent.exited).toBe(0);
  });

  it('all-events with a task for a child works and exits', async () => {
    const agent = start('all-events', { FILEPATH_TASK: 'child: say hello' });
    agent.write('child: say hello');
    const events = await agent.turn();
    expect(events.map((event) => event.type)).toEqual(['status', 'text', 'tool', 'done']);
    expect(await agent.exited).toBe(0);
  });

  it('stream says as many texts as it is told, in order, then done', async () => {
    const lines = await output('stream', '120', '0.001', '40');
    const texts = lines.slice(0, -1).map((line) => AgentEvent.parse(JSON.parse(line)));
    expect(texts).toEqual(
      Array.from({ length: 120 }, (_, n) => ({ type: 'text', content: String(n + 1) })),
    );
    expect(lines.at(-1)).toContain('"done"');
    expect(await output('stream')).toHaveLength(5001);
  });

  it('garbage says what is wrong in every way, and ends well', async () => {
    const lines = await output('garbage', '2000000');
    const parsed = lines.map(parseAgentLine);
    const reasons = new Set(parsed.flatMap((one) => (one.ok ? [] : [one.reason])));
    expect(reasons).toContain('not JSON');
    expect(reasons).toContain('not an object');
    expect(reasons).toContain('no "type"');
    expect(reasons).toContain('nested deeper than 128 levels');
    expect(reasons).toContain('unknown event type "teleport"');
    expect(lines.some((line) => line.length > 2_000_000)).toBe(true);
    expect(parsed.at(-1)).toMatchObject({ ok: true, event: { type: 'done' } });
  });

  it('ten-lines says ten texts and nothing else', async () => {
    const lines = await output('ten-lines');
    expect(lines.map(parseAgentLine)).toEqual(
      Array.from({ length: 10 }, () =>
        expect.objectContaining({ ok: true, event: expect.objectContaining({ type: 'text' }) }),
      ),
    );
  });

  it('stubborn survives TERM and the stop signal', async () => {
    const agent = start('stubborn');
    await agent.turn((event) => event.type === 'text');
    agent.stop();
    agent.child.kill('SIGTERM');
    agent.child.kill('SIGINT');
    agent.child.kill('SIGKILL');
    await agent.exited;
    expect(agent.child.signalCode).toBe('SIGKILL');
  });

  it('crash complains and exits with its code', async () => {
    const agent = start('crash', {}, '7');
    expect(await agent.exited).toBe(7);
  });
});
