import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gate, perConversation } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { startTree } from '../tree-server.ts';
import { isEnd, of, place, serve, startAgent } from './native-agent.ts';

const slow = (marks: string) => ({
  tools: [{ name: 'bash', input: { command: `echo $$ > ${marks}; sleep 300; echo late` } }],
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  const written = () => existsSync(file) && readFileSync(file, 'utf8').trim();
  await expect.poll(written).toBeTruthy();
  return Number(readFileSync(file, 'utf8'));
}

describe('stop and steer', () => {
  it('[LOOP23] a stop in mid-tool ends the command and the process within its grace', async () => {
    const server = await serve({ script: [slow('pid')] });
    const at = place();
    const agent = startAgent(server, at);
    agent.say('Wait.');
    const pid = await pidIn(join(at.workspace, 'pid'));
    const stopped = Date.now();
    agent.send({ type: 'signal', action: 'stop' });
    expect(await agent.exit).toBe(0);
    expect(Date.now() - stopped).toBeLessThan(2_500);
    expect(agent.events.at(-1)).toMatchObject({ type: 'status', state: 'idle', reason: 'stopped' });
    expect(of(agent.events, 'command').at(-1)).toMatchObject({ status: 'error' });
    expect(alive(pid)).toBe(false);
  });

  it.each([
    ['a message', { type: 'message', from: 'user', content: 'In blue.' } as const],
    ['a handoff', { type: 'signal', action: 'handoff' } as const],
  ])('[LOOP24] %s ends a wait for children, which work on', async (_, input) => {
    const wait = { tools: [{ name: 'wait_children', input: { seconds: 3600 } }] };
    const spawn = { tools: [{ name: 'spawn_agent', input: { name: 'slow', task: 'Dig.' } }] };
    const server = await serve({ script: [spawn, wait, { text: 'I have heard.' }] });
    const tree = await startTree(server.url);
    const agent = startAgent(tree, place());
    agent.say('Paint it.');
    await expect.poll(() => tree.asked.some(({ path }) => path === 'children/wait')).toBe(true);
    agent.send(input);
    const end = await agent.heard(isEnd);
    expect(JSON.stringify(end)).toContain('I have heard.');
    const said = server.calls[2]?.request;
    expect(said?.raw).toContain('1 still at work');
    if (input.type === 'message') expect(said?.raw).toContain('In blue.');
  });

  it('[LOOP24] a message in mid-run steers it', async () => {
    const held = gate(1);
    const server = await serve({
      script: [
        { text: 'I go on.', tools: [{ name: 'list_files', input: {} }], chunk: 3, gate: held },
        { text: 'In blue, then.' },
      ],
    });
    const agent = startAgent(server, place());
    agent.say('Paint it.');
    await held.reached;
    agent.say('In blue.');
    agent.say('The paint is in the shed.', 'system');
    await agent.hasRead();
    held.release();
    expect(await agent.heard(isEnd)).toMatchObject({ type: 'done', summary: 'In blue, then.' });
    const said = server.calls[1]?.request.messages.map(({ text }) => text).join('\n');
    expect(said).toMatch(/In blue\.[^]*The paint is in the shed\./);
  });

  it('[GATE9] what a failed gate says begins a turn of an agent that is done; another note of the system does not', async () => {
    const server = await serve({ script: [{ text: 'Done.' }, { text: 'Mended.' }] });
    const agent = startAgent(server, place());
    agent.say('Do it.');
    await agent.heard(isEnd);
    agent.say('The workspace is clean.', 'system');
    await agent.hasRead();
    agent.send({ type: 'message', from: 'system', wake: true, content: 'It is not done yet.' });
    await agent.heard((event) => event.type === 'done' && event.summary === 'Mended.');
    expect(server.calls).toHaveLength(2);
    const said = server.calls[1]?.request.messages.map(({ text }) => text).join('\n');
    expect(said).toMatch(/It is not done yet\.[^]*The workspace is clean\./);
  });

  it('[LOOP25] after it has been idle for a while it ends, and the next process goes on', async () => {
    const server = await serve({ script: perConversation([{ text: 'Four.' }, { text: 'Five.' }]) });
    const at = place();
    const env = { FILEPATH_IDLE_SECONDS: '1' };
    const first = startAgent(server, at, { env });
    first.say('Two and two?');
    expect(await first.exit).toBe(0);
    const second = startAgent(server, at, { env });
    second.say('And one more?');
    expect(await second.heard(isEnd)).toMatchObject({ summary: 'Five.' });
    expect(server.calls[1]?.request.messages.map(({ text }) => text)).toEqual([
      'Two and two?',
      'Four.',
      'And one more?',
    ]);
  });
});

describe('kills', () => {
  it('[LOOP26] killed in mid-tool it goes on with its history, the call closed as interrupted', async () => {
    const server = await serve({ script: [slow('pid'), { text: 'I was interrupted.' }] });
    const at = place();
    const first = startAgent(server, at);
    first.say('Wait.');
    const pid = await pidIn(join(at.workspace, 'pid'));
    first.kill('SIGKILL');
    await first.exit;
    process.kill(-pid, 'SIGKILL');
    const second = startAgent(server, at);
    second.say('And?');
    expect(await second.heard(isEnd)).toMatchObject({ type: 'done' });
    const [result] = server.calls[1]?.request.results ?? [];
    expect(result?.text).toContain('Interrupted before it ended');
    expect(server.calls[1]?.request.lastText).toBe('And?');
  });

  it('[LOOP26] a torn last line is dropped, and what is no history at all is put aside', async () => {
    const server = await serve({ script: () => ({ text: 'Yes.' }) });
    const at = place();
    const file = join(at.home, '.filepath/native.jsonl');
    const ask = async () => {
      const agent = startAgent(server, at);
      agent.say('There?');
      expect(await agent.heard(isEnd)).toMatchObject({ type: 'done' });
      agent.endInput();
      await agent.exit;
    };
    await ask();
    appendFileSync(file, '{"type":"message","message":{"role":"assi');
    await ask();
    expect(server.calls[1]?.request.messages).toHaveLength(3);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4);
    writeFileSync(file, 'no history\n');
    await ask();
    expect(server.calls[2]?.request.messages).toHaveLength(1);
    expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe('no history\n');
  });
});

describe('ends', () => {
  it('[LOOP27] a refused budget ends the run in words a person understands, and a message goes on', async () => {
    const message =
      'The budget of this agent is used up (1.00 of 1.00 dollars). Raise it to go on.';
    const server = await serve({
      script: [{ fault: { kind: 'status', status: 403, message } }, { text: 'Going on.' }],
    });
    const agent = startAgent(server, place());
    agent.say('Spend.');
    const end = await agent.heard(isEnd);
    expect(end).toMatchObject({ type: 'status', state: 'error' });
    expect(end['reason']).toContain(message);
    agent.say('Now there is more.');
    expect(await agent.heard(({ type }) => type === 'done')).toMatchObject({
      summary: 'Going on.',
    });
  });

  it('[LOOP10] a rate limit is shown with its reason and its end', async () => {
    const server = await serve({
      script: [
        { fault: { kind: 'status', status: 429, retryAfterSeconds: 1, message: 'Slow down.' } },
        { text: 'ok' },
      ],
    });
    const agent = startAgent(server, place());
    agent.say('Fast!');
    await agent.heard(isEnd);
    const [waits] = of(agent.events, 'status').filter(({ until }) => until !== undefined);
    expect(waits).toMatchObject({ state: 'thinking' });
    expect(waits?.reason).toContain('waits 1 s: 429: Slow down.');
  });

  it('[LOOP18] the signal resume ends a wait for a limit', async () => {
    const server = await serve({
      script: [{ fault: { kind: 'status', status: 429, retryAfterSeconds: 100 } }, { text: 'ok' }],
    });
    const agent = startAgent(server, place());
    agent.say('Fast!');
    await agent.heard((event) => event.type === 'status' && event.until !== undefined);
    agent.send({ type: 'signal', action: 'resume' });
    expect(await agent.heard(isEnd)).toMatchObject({ type: 'done' });
  });

  it('[LOOP28] ends after a hand-off; a fresh process begins a new history with its first message', async () => {
    const server = await serve({
      script: [
        { fault: { kind: 'overflow' } },
        { text: 'Half of the shed is blue.' },
        { text: 'Done.' },
      ],
    });
    const at = place();
    const agent = startAgent(server, at);
    agent.say('Paint the shed.');
    expect(await agent.heard(isEnd)).toEqual({
      type: 'handoff',
      summary: 'Half of the shed is blue.',
    });
    expect(await agent.exit).toBe(0);
    const next = startAgent(server, at, { env: { FILEPATH_FRESH: '1' } });
    next.say('Go on with the other half.', 'system');
    await next.heard(({ type }) => type === 'done');
    const messages = server.calls[2]?.request.messages.map(({ text }) => text).join('\n') ?? '';
    expect(messages).toContain('Go on with the other half.');
    expect(messages).not.toContain('Paint the shed');
  });

  it('[LOOP28] the signal handoff has it summarise, also while it rests', async () => {
    const server = await serve({ script: [{ text: 'Hello.' }, { text: 'We said hello.' }] });
    const agent = startAgent(server, place());
    agent.say('Hello!');
    await agent.heard(isEnd);
    agent.send({ type: 'signal', action: 'handoff' });
    expect(await agent.heard(({ type }) => type === 'handoff')).toEqual({
      type: 'handoff',
      summary: 'We said hello.',
    });
  });
});

describe('permissions', () => {
  it('[LOOP29] asks before what changes something, by its bytes, and does what is allowed only', async () => {
    const write = (content: string) => ({
      tools: [{ name: 'write_file', input: { path: 'a.txt', content } }],
    });
    const server = await serve({
      script: [write('one'), write('two'), { text: 'As you say.' }],
    });
    const at = place();
    const agent = startAgent(server, at, { env: { FILEPATH_PERMISSIONS: 'ask' } });
    agent.say('Write.');
    const asked = (nth: number) =>
      agent.heard((event) => event === of(agent.events, 'decision')[nth]);
    const first = await asked(0);
    expect(first).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(existsSync(join(at.workspace, 'a.txt'))).toBe(false);
    agent.send({ type: 'decision', id: String(first['id']), choice: 'allow' });
    const second = await asked(1);
    expect(second['hash']).not.toBe(first['hash']);
    agent.send({ type: 'decision', id: String(second['id']), choice: 'deny' });
    await agent.heard(isEnd);
    expect(readFileSync(join(at.workspace, 'a.txt'), 'utf8')).toBe('one');
    expect(server.calls[2]?.request.results[0]?.text).toContain('did not allow');
  });
});
