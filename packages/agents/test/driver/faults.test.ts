import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { standIn } from '../stand-in.ts';

const isStatus =
  (state: string) =>
  (event: AgentEvent): boolean =>
    event.type === 'status' && event.state === state;
const isDone = ({ type }: AgentEvent): boolean => type === 'done';
const TURN = `state('running'); init('s1'); text('hello'); result(); state('idle');`;

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a CLI that fails', () => {
  it('[DRV4] has every tool that it started ended with the turn', async () => {
    using it = standIn({
      claude: `each(() => { state('running'); init('s1'); tool('t1', 'make'); tool('t2', 'test'); result(); state('idle'); });`,
    });
    await it.agent.say('go');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.end();
    const commands = it.agent.events().filter(({ type }) => type === 'command');
    expect(
      commands.map((event) => [Reflect.get(event, 'id'), Reflect.get(event, 'status')]),
    ).toEqual([
      ['t1', 'start'],
      ['t2', 'start'],
      ['t1', 'error'],
      ['t2', 'error'],
    ]);
  });

  it('[DRV6] ends within the grace of a stop, with everything of it, even if it ignores all', async () => {
    using it = standIn({
      claude: `process.on('SIGTERM', () => {});
        require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });
        each(() => { state('running'); init('s1'); tool('t1', String(process.pid)); setInterval(() => {}, 1000); });`,
    });
    await it.agent.say('go');
    const started = await it.agent.until(({ type }) => type === 'command', 'the command');
    const pid = Number(Reflect.get(started, 'cmd'));
    expect(alive(-pid)).toBe(true);
    const begun = performance.now();
    await it.agent.stop();
    await it.agent.ended();
    expect(performance.now() - begun).toBeLessThan(2500);
    expect(it.agent.exits).toEqual([0]);
    expect(alive(-pid)).toBe(false);
    expect(it.agent.events().at(-1)).toMatchObject({ state: 'idle', reason: 'stopped' });
    expect(it.agent.events().at(-2)).toMatchObject({ type: 'command', status: 'error', id: 't1' });
  });

  it('[DRV7] is left when it has been idle, and goes on with its session when it is needed again', async () => {
    using it = standIn(
      {
        claude: `require('node:fs').appendFileSync(process.env.HOME + '/argv', process.argv.slice(2).join(' ') + '\\n'); each(() => { ${TURN} });`,
      },
      { env: { FILEPATH_IDLE_SECONDS: '1' } },
    );
    await it.agent.say('one');
    await it.agent.until(isDone, 'the end of the first turn');
    await it.agent.ended();
    await it.agent.say('two');
    await it.agent.until(isDone, 'the end of the second turn');
    await it.agent.ended();
    expect(it.agent.exits).toEqual([0, 0]);
    const [first, second] = readFileSync(join(it.home, 'argv'), 'utf8').split('\n');
    expect(first).not.toContain('--resume');
    expect(second).toContain('--resume s1');
  });

  it('[DRV7] begins anew, and says so, if its session is gone', async () => {
    using it = standIn({
      claude: `if (process.argv.includes('--resume')) { process.stderr.write('No conversation found'); process.exit(1); }
        each(({ message }) => { ${TURN} if (message.content === 'one') setTimeout(() => process.exit(1), 50); });`,
    });
    await it.agent.say('one');
    await it.agent.until(isDone, 'the end of the first turn');
    await it.agent.kill();
    await it.agent.say('two');
    await it.agent.until(
      (event) => event.type === 'log' && event.message.includes('could not be resumed'),
      'the warning',
    );
    await it.agent.until(isDone, 'the end of the second turn');
    await it.agent.end();
  });

  it('[DRV8] is told of when it is silent, then interrupted, and the run ends with an error', async () => {
    using it = standIn(
      {
        claude: `each((line) => { if (line.type === 'user') { state('running'); init('s1'); } else { result({ terminal_reason: 'aborted_streaming' }); state('idle'); } });`,
      },
      { env: { FILEPATH_SILENT_SECONDS: '0.6' } },
    );
    await it.agent.say('go');
    await it.agent.until(
      (event) => isStatus('running')(event) && Reflect.get(event, 'reason') !== undefined,
      'the first word on the silence',
    );
    const end = await it.agent.until(isStatus('error'), 'the end of the run');
    expect(Reflect.get(end, 'reason')).toMatch(/^Claude Code said nothing for/);
    await it.agent.end();
  });

  it('[DRV9] that crashes ends the run with its last words; the next message starts it again', async () => {
    using it = standIn({
      claude: `each(({ message }) => { if (message.content === 'crash') { process.stderr.write('out of cheese\\n'); process.exit(4); } ${TURN} });`,
    });
    await it.agent.say('crash');
    const end = await it.agent.until(isStatus('error'), 'the end of the run');
    expect(end).toMatchObject({ reason: 'Claude Code ended with exit status 4: out of cheese' });
    await it.agent.say('again');
    await it.agent.until(isDone, 'the end of the second turn');
    await it.agent.end();
    expect(it.agent.exits).toEqual([0]);
  });

  it('[DRV7] is not left while something of it works in the background, and what it then does by itself is a turn', async () => {
    using it = standIn(
      {
        claude: `const tasks = (...tasks) => say({ type: 'system', subtype: 'background_tasks_changed', tasks });
          each(() => { state('running'); init('s1'); tasks('build'); result(); state('idle');
            setTimeout(() => { tasks(); state('running'); text('It is built.'); result(); state('idle'); }, 3000); });`,
      },
      { env: { FILEPATH_IDLE_SECONDS: '1' } },
    );
    await it.agent.say('build it');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.until(isStatus('thinking'), 'the turn of its own');
    const end = await it.agent.until(isDone, 'its end');
    expect(end).toEqual({ type: 'done', summary: 'It is built.' });
    await it.agent.ended();
    expect(it.agent.exits).toEqual([0]);
  });

  it('[DRV9] says what a provider refused', async () => {
    using it = standIn({
      claude: `each(() => { state('running'); init('s1'); result({ is_error: true, api_error_status: 401, result: 'Invalid API key' }); state('idle'); });`,
    });
    await it.agent.say('go');
    const end = await it.agent.until(isStatus('error'), 'the end of the run');
    expect(end).toMatchObject({ reason: 'Invalid API key' });
    await it.agent.end();
  });

  it('[DRV12] says when a limit is over that ended the run, and waits for none that it is only warned of', async () => {
    using it = standIn({
      claude: `each(() => { state('running'); init('s1');
        say({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 4000000000 } });
        say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 4100000000 } });
        result({ is_error: true, api_error_status: 429, result: 'Limit reached' }); state('idle'); });`,
    });
    await it.agent.say('go');
    const end = await it.agent.until(isStatus('error'), 'the end of the run');
    const until = new Date(4_100_000_000_000).toISOString();
    expect(end).toMatchObject({ reason: 'rate limited: Limit reached', until });
    const warned = it.agent
      .events()
      .find((event) => event.type === 'status' && event.reason === 'rate limit: allowed_warning');
    expect(warned).toBeDefined();
    expect(warned).not.toHaveProperty('until');
    await it.agent.end();
  });

  it('[DRV13] that is told what is remembered along with its task has one turn for both', async () => {
    using it = standIn({
      claude: `each(({ message }) => { state('running'); init('s1'); text('heard ' + message.content); result(); state('idle'); });`,
    });
    await Promise.all([it.agent.say('do it'), it.agent.tell('prices are in cents')]);
    const heard = await it.agent.until(({ type }) => type === 'text', 'the answer');
    expect(Reflect.get(heard, 'content')).toBe('heard prices are in cents\n\ndo it');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.end();
    expect(it.agent.events().filter(({ type }) => type === 'text')).toHaveLength(1);
  });

  it('[GATE9] that is done and is told that its gate failed begins at once, with what the system said before', async () => {
    using it = standIn({
      claude: `each(({ message }) => { state('running'); init('s1'); text('heard ' + message.content); result(); state('idle'); });`,
    });
    await it.agent.say('do it');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.tell('the workspace is clean');
    await it.agent.wake('not done yet');
    const heard = await it.agent.until(({ type }) => type === 'text', 'the answer');
    expect(Reflect.get(heard, 'content')).toBe('heard the workspace is clean\n\nnot done yet');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.end();
  });

  it('[DRV10] whose session is full ends after its handoff; a fresh process begins a new one with its first message', async () => {
    using it = standIn({
      claude: `each(({ message }) => {
        if (message.content === 'fill it') { state('running'); init('s1'); result({ is_error: true, terminal_reason: 'prompt_too_long' }); state('idle'); return; }
        state('running'); init('s2'); text(process.argv.includes('--resume') + ' ' + message.content); result(); state('idle'); });`,
    });
    await it.agent.say('fill it');
    const handoff = await it.agent.until(({ type }) => type === 'handoff', 'the handoff');
    expect(Reflect.get(handoff, 'summary')).toContain('fill it');
    await it.agent.ended();
    expect(it.agent.exits).toEqual([0]);
    await it.agent.tell('go on');
    const heard = await it.agent.until(({ type }) => type === 'text', 'the answer');
    expect(Reflect.get(heard, 'content')).toBe('false go on');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.end();
  });
});
