import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GateResult, type JobWork, type RunnerBody, type StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { carriedOut, commit, jobOrder, resultOf } from './jobs.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, processesOf, runnerProcess, shellOrder } from './setup.ts';

type Gate = Extract<JobWork, { type: 'gate' }>;

const gates = (
  ...commands: { name?: string; run: string | string[]; timeoutSeconds?: number }[]
) => ({
  commands,
});

const gate = (more: Partial<Gate> = {}): Gate => ({ type: 'gate', epoch: 1, ...more });

const gatesTold = (bodies: RunnerBody[]): RunnerBody[] =>
  bodies.filter(({ type }) => type === 'gates');

/** The findings of a gate on what this agent has left. */
async function tested(bench: Bench, start: StartOrder, work: Partial<Gate>): Promise<GateResult> {
  return GateResult.parse(await carriedOut(bench, jobOrder(start, gate(work))));
}

describe('which gates hold', () => {
  const declared = (run: string) => ({
    'filepath.json': JSON.stringify({ gates: gates({ run }) }),
  });

  it('[GATE1] is what the repository said when the workspace was made, whatever the agent writes', async () => {
    const bench = await Bench.open();
    const loosen = `echo '{"gates":{"commands":[{"run":"true"}]}}' > filepath.json; ${commit('x')}`;
    const start = shellOrder(loosen, { gitRepoUrl: repositoryOf(declared('test -e proof')) });
    const thread = await ended(bench, start);
    expect(gatesTold(thread.observed)).toEqual([
      {
        type: 'gates',
        epoch: 1,
        from: 'repository',
        commands: [{ name: 'gate 1', command: 'test -e proof' }],
        attempts: 2,
      },
    ]);
    expect(thread.observed.map(({ type }) => type).indexOf('gates')).toBeLessThan(
      thread.observed.map(({ type }) => type).indexOf('started'),
    );
    expect(await tested(bench, start, {})).toMatchObject({
      passed: false,
      checks: [{ command: 'test -e proof', exit: 1 }],
    });
  });

  it('[GATE1] is for a child what it is for its parent', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf(declared('test -e proof'));
    const loosen = `echo '{}' > filepath.json; git add .; ${commit('x')}`;
    const parent = shellOrder(loosen, { gitRepoUrl });
    await ended(bench, parent);
    const { thread, slug } = parent;
    const child = shellOrder('cat filepath.json', { gitRepoUrl, parent: { thread, slug } });
    const record = await ended(bench, child);
    expect(record.texts, 'it starts with its parent’s work').toEqual(['{}']);
    expect(gatesTold(record.observed)).toMatchObject([
      { commands: [{ command: 'test -e proof' }] },
    ]);
  });

  it('[GATE1] is the word of its configuration before that of the repository', async () => {
    const bench = await Bench.open();
    const own = { ...gates({ name: 'mine', run: ['test', '-e', 'a'] }), attempts: 5 };
    const config = { command: ['sh', '-c', 'true'], gates: own };
    const start = shellOrder('', { gitRepoUrl: repositoryOf(declared('false')), config });
    const thread = await ended(bench, start);
    expect(gatesTold(thread.observed)).toMatchObject([
      { from: 'node', commands: [{ name: 'mine', command: 'test -e a' }], attempts: 5 },
    ]);
  });

  it('[GATE1] is nothing where nothing is declared', async () => {
    const bench = await Bench.open();
    for (const files of [{ a: 'a' }, { 'filepath.json': '{"health":{"cheks":{}}}' }]) {
      const start = shellOrder('true', { gitRepoUrl: repositoryOf(files) });
      const thread = await ended(bench, start);
      expect(gatesTold(thread.observed)).toEqual([]);
      expect(await tested(bench, start, {})).toMatchObject({ passed: true, checks: [] });
    }
  });

  it('[GATE1] is what is declared, also if the rest of the file is not understood', async () => {
    const bench = await Bench.open();
    const file = { health: { cheks: {} }, gates: gates({ run: 'test -e proof' }) };
    const gitRepoUrl = repositoryOf({ 'filepath.json': JSON.stringify(file) });
    const thread = await ended(bench, shellOrder('true', { gitRepoUrl }));
    expect(gatesTold(thread.observed)).toMatchObject([
      { commands: [{ command: 'test -e proof' }] },
    ]);
  });

  it.each([
    '{"gates":{"commands":[]}}',
    '{"gates":{"comands":[{"run":"false"}]}}',
    '{"gate":{"commands":[{"run":"false"}]}}',
    '{"gates":{"commands":[{"run":"false"},]}}',
  ])('[GATE12] is nothing that passes where nobody can tell: %s', async (text) => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ 'filepath.json': text });
    const mend = `echo '{}' > filepath.json; git add .; ${commit('x')}`;
    const start = shellOrder(mend, { gitRepoUrl });
    const record = await ended(bench, start);
    expect(gatesTold(record.observed), 'the agent cannot mend it').toMatchObject([
      { from: 'repository', commands: [{ name: 'filepath.json' }], attempts: 0 },
    ]);
    const { thread, slug } = start;
    const child = shellOrder('true', { gitRepoUrl, parent: { thread, slug } });
    expect(gatesTold((await ended(bench, child)).observed)).toMatchObject([{ attempts: 0 }]);
    for (const one of [start, child]) {
      const { passed, checks } = await tested(bench, one, {});
      expect(passed).toBe(false);
      expect(checks).toMatchObject([{ name: 'filepath.json', outcome: 'failed' }]);
      expect(checks[0]?.tail).toMatch(/^filepath\.json is not understood: .+ Give the agent gates/);
    }
    const own = gates({ run: 'true' });
    expect(await tested(bench, start, { gates: own }), 'its own hold').toMatchObject({
      passed: true,
    });
  });

  it('[GATE12] is nothing that passes where its file of the runner is damaged, or the declaration a link', async () => {
    const bench = await Bench.open();
    const start = shellOrder('true', { gitRepoUrl: repositoryOf(declared('true')) });
    await ended(bench, start);
    writeFileSync(join(bench.agentDir(start), 'gates.json'), '{');
    expect(await tested(bench, start, {})).toMatchObject({ passed: false });
    const gitRepoUrl = repositoryOf({
      'real.json': JSON.stringify({ gates: gates({ run: 'a' }) }),
    });
    symlinkSync('real.json', join(gitRepoUrl, 'filepath.json'));
    git(gitRepoUrl, 'add', '.');
    git(gitRepoUrl, 'commit', '-qm', 'link');
    const linked = shellOrder('true', { gitRepoUrl });
    await ended(bench, linked);
    expect(await tested(bench, linked, {})).toMatchObject({ passed: false });
  });
});

describe('a gate', () => {
  it('[GATE3] runs every command in the workspace, and says which commit it was', async () => {
    const bench = await Bench.open();
    const start = shellOrder(commit('mine'), { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    const thread = await ended(bench, start);
    const work = gates(
      { name: 'all', run: 'test "$(cat mine)" = mine && touch left-over' },
      { name: 'words', run: ['test', 'a b', '=', 'a b'] },
      { name: 'red', run: 'echo out; echo err >&2; exit 3' },
      { name: 'slow', run: 'sleep 60', timeoutSeconds: 1 },
    );
    const result = await tested(bench, start, { gates: work });
    expect(result).toMatchObject({ passed: false, clean: true, commit: thread.texts[0] });
    expect(result.checks).toMatchObject([
      { name: 'all', outcome: 'passed', exit: 0 },
      { name: 'words', outcome: 'passed', exit: 0 },
      { name: 'red', outcome: 'failed', exit: 3, tail: 'out\nerr' },
      { name: 'slow', outcome: 'timeout', exit: null },
    ]);
    const again = await tested(bench, start, { gates: gates({ run: 'test -e left-over' }) });
    expect(again).toMatchObject({ passed: true, clean: false });
  });

  it('[GATE3] has the variables of the agent and not its key, no network, and no program that it planted', async () => {
    const bench = await Bench.open();
    const plant =
      'mkdir -p ~/.local/bin; printf "#!/bin/sh\\nexit 0\\n" > ~/.local/bin/false; chmod +x ~/.local/bin/false';
    const start = shellOrder(plant);
    await ended(bench, start);
    const run = 'echo "$WORD ${FILEPATH_API_KEY:-none} $(ls /sys/class/net 2>/dev/null)"; false';
    const result = await tested(bench, start, {
      gates: gates({ run }),
      envVars: { WORD: 'secret-word' },
    });
    expect(result).toMatchObject({ passed: false, commit: null, clean: true });
    const [check] = result.checks;
    expect(check?.tail).toMatch(/ none( lo)?$/);
    expect(check?.tail).not.toContain('secret-word');
  });

  it('[GATE3] fails where HEAD moves while it runs', async () => {
    const bench = await Bench.open();
    const start = shellOrder('true', { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    await ended(bench, start);
    const result = await tested(bench, start, { gates: gates({ run: commit('more') }) });
    expect(result).toMatchObject({ passed: false, checks: [{ outcome: 'passed' }] });
    expect(result.note).toContain('moved');
  });

  it('[GATE6] is called off by a stop of its epoch and by a later start', async () => {
    const bench = await Bench.open();
    const start = shellOrder('true');
    await ended(bench, start);
    const slow = gates({ run: 'touch begun; sleep 600' });
    const begun = join(bench.agentDir(start), 'workspace', 'begun');
    const one = jobOrder(start, gate({ gates: slow }));
    bench.worker.order(one);
    await expect.poll(() => existsSync(begun)).toBe(true);
    const { thread } = start;
    bench.worker.order({ kind: 'stop', thread, epoch: 1, graceMs: 0, inputs: [] });
    const called = { type: 'job_failed', work: 'gate', reason: /^called off/ };
    expect(await resultOf(bench, one)).toMatchObject({
      ...called,
      reason: expect.stringMatching(called.reason),
    });
    // One that waits for its turn is called off, too.
    const two = jobOrder(start, gate({ gates: slow }));
    const three = jobOrder(start, gate({ gates: slow }));
    bench.worker.order(two);
    bench.worker.order(three);
    await expect
      .poll(() => existsSync(join(bench.agentDir(start), 'jobs', `${three.id}.json`)))
      .toBe(true);
    const record = bench.worker.thread(thread);
    Object.assign(record, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    bench.worker.order({ ...start, epoch: 2 });
    for (const job of [two, three]) {
      expect(await resultOf(bench, job)).toMatchObject({ type: 'job_failed', work: 'gate' });
    }
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
  });

  it('[GATE7] is run again by the next runner when its own was killed', async () => {
    const bench = await Bench.open({ idle: true });
    const first = runnerProcess(bench);
    const start = shellOrder('true');
    await ended(bench, start);
    const run = 'echo x >> tries; [ "$(wc -l < tries)" -gt 1 ] || sleep 600';
    const order = jobOrder(start, gate({ gates: gates({ run }) }));
    const tries = join(bench.agentDir(start), 'workspace', 'tries');
    bench.worker.order(order);
    await expect.poll(() => existsSync(tries) && readFileSync(tries, 'utf8')).toBe('x\n');
    await first.kill();
    await bench.start();
    expect(await resultOf(bench, order)).toMatchObject({ type: 'gate', passed: true });
    expect(readFileSync(tries, 'utf8')).toBe('x\nx\n');
  });

  it('[GATE7] that cannot look at the workspace fails as a job, not as the agent’s work', async () => {
    const bench = await Bench.open();
    const start = shellOrder('true', { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    await ended(bench, start);
    writeFileSync(join(bench.agentDir(start), 'workspace', '.git', 'config'), '[broken');
    const order = jobOrder(start, gate({ gates: gates({ run: 'true' }) }));
    expect(await carriedOut(bench, order)).toMatchObject({
      type: 'job_failed',
      work: 'gate',
      reason: expect.stringContaining('git cannot read the workspace'),
    });
  });
});
