import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from '../fake-worker.ts';
import { commitFiles, git, repositoryOf } from '../repositories.ts';
import { Bench, processesOf, shellOrder, tempDir } from '../setup.ts';
import { BASE_IMAGE, ended } from './setup.ts';

const built = (gitRepoUrl: string, dockerfile = 'Dockerfile'): StartOrder =>
  shellOrder('', { config: { dockerfile }, gitRepoUrl });

const told = (thread: ThreadRecord): string[] =>
  thread.observed.flatMap((body) =>
    body.type === 'image' ? [`${body.state} ${body.detail}`] : [],
  );

describe('the image of an agent', () => {
  it('[CTR7] is built from a Dockerfile of the repository, and its progress is told', async () => {
    const bench = await Bench.open();
    const repository = repositoryOf({
      'docker/agent': `FROM ${BASE_IMAGE}\nCOPY note.txt /note.txt\nRUN cat /note.txt > /made.txt\nCMD ["cat", "/made.txt"]\n`,
      'note.txt': `note ${Date.now()}\n`,
    });
    const thread = await ended(bench, built(repository, './docker/agent'));
    expect(thread.refused).toBeUndefined();
    expect(thread.texts).toEqual([expect.stringMatching(/^note \d+$/)]);
    const steps = told(thread);
    expect(steps[0]).toBe('building docker/agent');
    expect(steps).toContainEqual(expect.stringMatching(/^building docker\/agent: STEP 3.*RUN cat/));
    expect(steps.at(-1)).toBe('ready ./docker/agent');
    expect(thread.observed.findIndex((body) => body.type === 'started')).toBeGreaterThan(
      thread.observed.findLastIndex((body) => body.type === 'image'),
    );
    // Nothing has changed: nothing is built, and nothing is told.
    const again = await ended(bench, built(repository, 'docker/agent'));
    expect(again.texts).toEqual(thread.texts);
    expect(told(again)).toEqual([]);
    commitFiles(repository, { 'note.txt': 'changed\n' }, 'second');
    expect((await ended(bench, built(repository, 'docker/agent'))).texts).toEqual(['changed']);
  });

  it('[CTR7] that cannot be built refuses the start with the last lines of the build', async () => {
    const bench = await Bench.open();
    const repository = repositoryOf({
      Dockerfile: `FROM ${BASE_IMAGE}\nRUN echo "the cause is here" >&2; exit 3\n`,
    });
    const { refused } = await ended(bench, built(repository));
    expect(refused).toMatch(/^cannot build Dockerfile: /);
    expect(refused).toMatch(/the cause is here/);
    const wrong = repositoryOf({ Dockerfile: 'FRM nothing\n' });
    expect((await ended(bench, built(wrong))).refused).toMatch(/cannot build Dockerfile/);
  });

  it('[CTR7] that cannot be pulled refuses the start with the words of the engine', async () => {
    const bench = await Bench.open();
    const image = 'localhost:1/nowhere/agent:1';
    const thread = await ended(bench, shellOrder('', { config: { image } }));
    expect(thread.refused).toMatch(
      /^cannot pull the image localhost:1\/nowhere\/agent:1: .*connect/,
    );
    expect(told(thread)[0]).toBe(`pulling ${image}`);
    const odd = await ended(bench, shellOrder('', { config: { image: 'a?b=../c' } }));
    expect(odd.refused).toMatch(/no name of an image/);
  });

  it('[CTR8] a build has no network, no secret of the runner and no file of the host', async () => {
    process.env['FILEPATH_CANARY'] = 'canary-in-the-environment';
    const bench = await Bench.open();
    const canary = join(tempDir(), 'canary');
    writeFileSync(canary, 'canary', { mode: 0o644 });
    const repository = repositoryOf({
      Dockerfile: `FROM ${BASE_IMAGE}
RUN sed -e 1,2d -e 's/:.*//' -e 's/ *//' /proc/net/dev > /seen; env >> /seen; ls -d /proc/[0-9]* | grep -c . >> /seen; cat ${canary} >> /seen 2>&1; tr '\\0' '\\n' < /proc/1/environ >> /seen
CMD ["cat", "/seen"]
`,
    });
    const thread = await ended(bench, built(repository));
    delete process.env['FILEPATH_CANARY'];
    expect(thread.refused).toBeUndefined();
    expect(thread.texts[0]).toBe('lo');
    expect(thread.texts.filter((line) => /^\d+$/.test(line)).map(Number)[0]).toBeLessThan(8);
    expect(thread.texts.join('\n')).toMatch(/No such file/);
    expect(thread.texts.join('\n')).not.toMatch(/canary-in-the|^canary$/m);
  });

  it('[CTR9] T10: a path that is no file inside the repository is refused', async () => {
    const bench = await Bench.open();
    const repository = repositoryOf({ Dockerfile: 'FROM x\n', 'folder/file': 'x' });
    const paths = ['/etc/passwd', '../Dockerfile', 'a/../../b', '.git/config', 'missing', 'folder'];
    const threads = await Promise.all(paths.map((path) => ended(bench, built(repository, path))));
    for (const { refused } of threads) {
      expect(refused).toMatch(/path inside the repository|is no file of the repository/);
    }
  });

  it('[CTR9] T10: a link in the repository is never followed to a file of the host', async () => {
    const bench = await Bench.open();
    const outside = tempDir();
    writeFileSync(join(outside, 'Dockerfile'), `FROM ${BASE_IMAGE}\nCMD ["echo", "outside"]\n`);
    writeFileSync(join(outside, 'secret'), 'canary-of-the-host\n', { mode: 0o644 });
    const repository = repositoryOf({
      'real/Dockerfile': `FROM ${BASE_IMAGE}\nCOPY stolen /stolen\nCMD ["cat", "/stolen"]\n`,
      'list/Dockerfile': `FROM ${BASE_IMAGE}\nCOPY . /all\nCMD ["sh", "-c", "cat /all/stolen /all/folder/secret; echo end"]\n`,
    });
    symlinkSync(join(outside, 'Dockerfile'), join(repository, 'Dockerfile'));
    symlinkSync(outside, join(repository, 'folder'));
    symlinkSync(join(outside, 'secret'), join(repository, 'stolen'));
    symlinkSync(join(outside, 'secret'), join(repository, '.dockerignore'));
    mkdirSync(join(repository, 'x'));
    git(repository, 'add', '--all');
    git(repository, 'commit', '-q', '-m', 'links');
    for (const path of ['Dockerfile', 'folder/Dockerfile']) {
      const { refused } = await ended(bench, built(repository, path));
      expect(refused).toMatch(/is no file of the repository/);
    }
    const copied = await ended(bench, built(repository, 'real/Dockerfile'));
    expect(`${copied.refused}${copied.texts.join('')}`).not.toMatch(/canary-of-the-host/);
    const whole = await ended(bench, built(repository, 'list/Dockerfile'));
    expect(whole.refused).toBeUndefined();
    expect(whole.texts).toEqual(['end']);
  });

  it('[CTR9] an image in a file of the host is refused, also behind a variable', async () => {
    const bench = await Bench.open();
    const files = { Dockerfile: 'ARG A=di\nFROM ${A}r:/var/lib/image\nRUN true\n' };
    const { refused } = await ended(bench, built(repositoryOf(files)));
    expect(refused).toBe('cannot build Dockerfile: it takes an image from a file of this machine');
    const copied = `FROM ${BASE_IMAGE}\nCOPY --from=docker-archive:/var/lib/a.tar /a /a\n`;
    const second = await ended(bench, built(repositoryOf({ Dockerfile: copied })));
    expect(second.refused).toMatch(/^cannot build Dockerfile/);
  });

  it('[CTR10] a stop during a build gives it up: no image comes of it', async () => {
    const bench = await Bench.open();
    const mark = `mark-${Date.now()}`;
    const repository = repositoryOf({
      Dockerfile: `FROM ${BASE_IMAGE}\nRUN perl -e 'sleep 4' ${mark}\nRUN true\nCMD ["true"]\n`,
    });
    const order = built(repository);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await expect.poll(() => processesOf(mark), { timeout: 30_000 }).not.toEqual([]);
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 1_000, inputs: [] });
    await bench.worker.until('refused', () => thread.refused !== undefined, 30_000);
    expect(thread.refused).toBe('stopped before it started');
    // podman ends the step that it is in, and goes no further.
    await expect.poll(() => processesOf(mark), { timeout: 30_000 }).toEqual([]);
    const again = await ended(bench, built(repository));
    expect(told(again)[0]).toBe('building Dockerfile');
    expect(again.exit).toMatchObject({ code: 0 });
  });
});
