import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTokens, NO_TOKENS, type WireFormat } from '@filepath/protocol';
import { git, makeRepo } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { isEnd, MODELS, of, place, serve, startAgent } from './native-agent.ts';
import { startTree } from '../tree-server.ts';
import { TEN_STEPS } from './ten-steps.ts';

describe.each(Object.keys(MODELS) as WireFormat[])('%s', (format) => {
  it('[LOOP20] Shelley does a task of ten steps, tells each in FAP and counts as the provider does', async () => {
    const server = await serve({ script: TEN_STEPS });
    const at = place();
    makeRepo(at.workspace);
    const tree = await startTree(server.url);
    const agent = startAgent(tree, at, { model: MODELS[format] });
    agent.say('Add a page.');
    expect(await agent.heard(isEnd)).toEqual({
      type: 'done',
      summary: 'There is a new page, committed.',
    });
    agent.endInput();
    expect(await agent.exit).toBe(0);

    expect(server.calls).toHaveLength(10);
    expect(server.calls.every(({ request }) => request.format === format)).toBe(true);
    expect(readFileSync(join(at.workspace, 'docs/new.md'), 'utf8')).toBe('one\nthree\n');
    expect(git(at.workspace, 'log', '-1', '--format=%s')).toBe('docs: add a page');
    expect(git(at.workspace, 'status', '--short')).toBe('');

    const told = of(agent.events, 'usage').map(
      ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }) => ({
        ...NO_TOKENS,
        input,
        output,
        cacheRead,
        cacheWrite,
      }),
    );
    expect(told.reduce(addTokens, NO_TOKENS)).toEqual({ ...server.count(), reasoning: 0 });

    const [command] = of(agent.events, 'command').filter(({ status }) => status !== 'start');
    expect(command).toMatchObject({ exit: 3, stdout: 'out\n', stderr: 'err\n', status: 'error' });
    const edits = of(agent.events, 'tool').filter(({ diff }) => diff !== undefined);
    expect(edits.map(({ name, path, status }) => [name, path, status])).toEqual([
      ['write_file', 'docs/new.md', 'done'],
      ['edit_file', 'docs/new.md', 'done'],
    ]);
    expect(edits[1]?.diff).toContain('-two\n+three\n');
    expect(tree.spawned).toMatchObject([{ name: 'tests', task: 'Write tests.' }]);
    expect(of(agent.events, 'memory')).toEqual([
      { type: 'memory', content: 'The page is docs/new.md.' },
    ]);
    const results = server.calls.flatMap(({ request }) => request.results);
    expect(results.map(({ text }) => text).join('\n')).toMatch(
      /src\/hello\.txt:1:hello[^]*exit 3[^]*The page is docs\/new\.md/,
    );
    const last = of(agent.events, 'status').findLast(
      ({ context_pct }) => context_pct !== undefined,
    );
    expect(last?.context_pct).toBeGreaterThan(0);
  });
});

it('[LOOP21] Pi reads and reports, and has no tool that changes files', async () => {
  const server = await serve({
    script: [
      {
        tools: [
          { name: 'search', input: { pattern: 'hello' } },
          { name: 'git', input: { action: 'log' } },
          { name: 'write_file', input: { path: 'x', content: 'x' } },
          { name: 'git', input: { action: 'commit', message: 'no' } },
        ],
      },
      { text: 'It greets (src/hello.txt:1).' },
    ],
  });
  const at = place();
  makeRepo(at.workspace);
  const agent = startAgent(server, at, { type: 'pi' });
  agent.say('What does it do?');
  expect(await agent.heard(isEnd)).toMatchObject({ type: 'done' });
  const first = server.calls[0]?.request;
  expect(first?.system).toContain('You are Pi');
  for (const name of ['write_file', 'edit_file', 'bash']) expect(first?.tools).not.toContain(name);
  const results = server.calls[1]?.request.results ?? [];
  const texts = (name: string) =>
    results.filter((result) => result.name === name).map(({ text }) => text);
  expect(texts('search')[0]).toContain('src/hello.txt:1:hello');
  expect(texts('write_file')[0]).toContain('no tool');
  expect(texts('git')[0]).toContain('feat: greet');
  expect(texts('git')[1]).toMatch(/input/i);
  expect(git(at.workspace, 'status', '--short')).toBe('');
});

it('[LOOP22] the prompt says what the workspace is, what its AGENTS.md says and what the configuration adds', async () => {
  const server = await serve({ script: [{ text: 'ok' }] });
  const at = place();
  makeRepo(at.workspace, [{ message: 'one', files: { 'AGENTS.md': 'Tabs, never spaces.' } }]);
  const agent = startAgent(server, at, { env: { FILEPATH_SYSTEM_PROMPT: 'Answer in French.' } });
  agent.say('Hello?');
  await agent.heard(isEnd);
  expect(server.calls[0]?.request.system).toMatch(
    /You are Shelley[^]*on branch main[^]*Tabs, never spaces\.[^]*Answer in French\./,
  );
});
