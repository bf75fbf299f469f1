import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { factsOf } from '../../src/container/facts.ts';
import { EngineImages } from '../../src/container/images.ts';
import { TAR_END, tarHead, tarPadding } from '../../src/container/tar.ts';
import type { ThreadRecord } from '../fake-worker.ts';
import { commitFiles, git, repositoryOf } from '../repositories.ts';
import { Bench, later, processesOf, shellOrder, tempDir } from '../setup.ts';
import { BASE_IMAGE, ended, testEngine } from './setup.ts';

const built = (gitRepoUrl: string, dockerfile = 'Dockerfile'): StartOrder =>
  shellOrder('', { config: { dockerfile }, gitRepoUrl });

const told = (thread: ThreadRecord): string[] =>
  thread.observed.flatMap((body) =>
    body.type === 'image' ? [`${body.state} ${body.detail}`] : [],
  );

/** An image as a person could have it, made without the checks. */
async function make(engine: Engine, t: string, text: string): Promise<void> {
  const size = Buffer.byteLength(text);
  const head = tarHead({ name: 'Dockerfile', kind: 'file', executable: false, size, target: '' });
  const context = Readable.from([head, Buffer.from(text), tarPadding(size), TAR_END]);
  const query = { t, dockerfile: 'Dockerfile' };
  await engine.build(query, context, () => undefined, new AbortController().signal);
}

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

  const hostile: [string, (secret: string, port: number) => string, RegExp][] = [
    [
      'a mount of the context',
      (at) => `RUN --mount=type=bind,source=link,target=/mnt cat /mnt${at}`,
      /line 2.*RUN with a flag/,
    ],
    [
      'a mount of a stage',
      (at) =>
        `RUN ln -s / /link\nFROM ${BASE_IMAGE}\nRUN --mount=type=bind,from=0,source=/link,target=/mnt,rw cat /mnt${at}`,
      /line 4.*RUN with a flag/,
    ],
    [
      'a mount of an archive',
      (at) => `RUN --mount=type=bind,from=tarball:${at},target=/mnt true`,
      /RUN with a flag/,
    ],
    ['a cache of others', () => 'RUN --mount=type=cache,target=/cache true', /RUN with a flag/],
    ['an address', (_, port) => `ADD http://127.0.0.1:${port}/x /x`, /ADD of an address/],
    [
      'a registry',
      (_, port) => `FROM localhost:${port}/team/x:1`,
      /not on this machine: pull it by hand/,
    ],
    [
      'lines for later',
      () => 'ONBUILD RUN --mount=type=cache,target=/cache true',
      /instruction ONBUILD/,
    ],
    [
      'an image in a variable',
      () => 'ARG A=di\nFROM ${A}r:/var/lib/image',
      /name the image itself/,
    ],
    [
      'an image in an archive',
      () => 'COPY --from=docker-archive:/var/lib/a.tar /a /a',
      /earlier stage/,
    ],
  ];
  it('[CTR8] [CTR9] T10: what a Dockerfile could take of the host is refused before the build', async () => {
    const bench = await Bench.open();
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end('x');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    later(() => server.close());
    const { port } = server.address() as AddressInfo;
    const secret = join(tempDir(), 'secret');
    writeFileSync(secret, 'canary-of-the-host\n', { mode: 0o644 });
    for (const [name, lines, words] of hostile) {
      const Dockerfile = `FROM ${BASE_IMAGE}\n${lines(secret, port)}\nCMD ["true"]\n`;
      const repository = repositoryOf({ Dockerfile });
      symlinkSync('/', join(repository, 'link'));
      git(repository, 'add', '--all');
      git(repository, 'commit', '-q', '-m', 'link');
      const thread = await ended(bench, built(repository));
      expect(thread.refused, name).toMatch(/^cannot build Dockerfile: /);
      expect(thread.refused, name).toMatch(words);
      expect(told(thread), name).toEqual([]);
    }
    expect(asked).toBe(0);
  });

  it('[CTR9] T10: an image that adds to the builds of others is no base', async () => {
    const engine = await testEngine();
    const tag = `localhost/filepath-test:onbuild-${Date.now()}`;
    await make(engine, tag, `FROM ${BASE_IMAGE}\nONBUILD RUN touch /added\n`);
    const bench = await Bench.open();
    const { refused } = await ended(bench, built(repositoryOf({ Dockerfile: `FROM ${tag}\n` })));
    await engine.untag(tag);
    expect(refused).toMatch(/has ONBUILD, which is not allowed/);
  });

  it('[CTR9] T10: a name that an engine would take for something else is refused', async () => {
    const bench = await Bench.open();
    const text = `FROM ${BASE_IMAGE}\n`;
    const repository = repositoryOf({ 'Dockerfile.in': text, '["/etc/x"]': text });
    for (const path of ['Dockerfile.in', '["/etc/x"]']) {
      const { refused } = await ended(bench, built(repository, path));
      expect(refused).toMatch(/must be a path inside the repository/);
    }
  });

  it('[CTR13] that declares a volume gets memory with an end, and no disk of the host', async () => {
    const bench = await Bench.open();
    const script =
      'exec 2>&1; grep " /data " /proc/self/mounts; cat /data/kept; ls /workspace; head -c 70000000 /dev/zero > /data/big && echo whole; echo end';
    const repository = repositoryOf({
      Dockerfile: `FROM ${BASE_IMAGE}\nRUN mkdir /data && echo kept > /data/kept\nVOLUME /data /workspace\nCMD ["sh", "-c", ${JSON.stringify(script)}]\n`,
    });
    const { texts, refused } = await ended(bench, built(repository));
    expect(refused).toBeUndefined();
    expect(texts[0]).toMatch(/^tmpfs \/data tmpfs rw,nosuid,nodev.*size=65536k/);
    expect(texts.slice(1, 3)).toEqual(['kept', 'Dockerfile']);
    expect(texts.join('\n')).toMatch(/No space left on device/);
    expect(texts).not.toContain('whole');
    expect(texts.at(-1)).toBe('end');
  });

  it('[CTR14] a build has an end, and the image before the last one goes', async () => {
    const engine = await testEngine();
    const agents = tempDir();
    const place = { slug: 'one', dir: join(agents, 'one'), uid: null };
    const other = { slug: 'two', dir: join(agents, 'two'), uid: null };
    const write = (at: typeof place, text: string): void => {
      mkdirSync(join(at.dir, 'workspace'), { recursive: true });
      writeFileSync(join(at.dir, 'workspace', 'Dockerfile'), text);
    };
    const limits = { memory: 2 ** 30, pids: 100, cpus: 1 };
    const connected = async () => ({ engine, facts: await factsOf(engine) });
    const never = new AbortController().signal;
    const run = (at: typeof place, ms?: number): Promise<string> =>
      new EngineImages({ env: {}, limits }, connected, ms).build(at, 'Dockerfile', () => {}, never);
    const mark = Date.now();
    write(place, `FROM ${BASE_IMAGE}\nRUN echo ${mark} > /a\n`);
    write(other, `FROM ${BASE_IMAGE}\nRUN echo ${mark} > /a\n`);
    const first = await run(place);
    expect(await run(other)).toBe(first);
    write(place, `FROM ${BASE_IMAGE}\nRUN echo ${mark} > /b\n`);
    const second = await run(place);
    // The other agent still has it.
    expect(await engine.image(first)).not.toBeNull();
    write(other, `FROM ${BASE_IMAGE}\nRUN echo ${mark} > /c\n`);
    await run(other);
    expect(await engine.image(first)).toBeNull();
    expect(await engine.image(second)).not.toBeNull();
    write(place, `FROM ${BASE_IMAGE}\nRUN sleep 3; echo ${mark}\n`);
    await expect(run(place, 1_000)).rejects.toThrow(/it took longer than 1 minutes/);
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
    await expect.poll(() => processesOf(mark)).not.toEqual([]);
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 1_000, inputs: [] });
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toBe('stopped before it started');
    // podman ends the step that it is in, and goes no further.
    await expect.poll(() => processesOf(mark)).toEqual([]);
    const again = await ended(bench, built(repository));
    expect(told(again)[0]).toBe('building Dockerfile');
    expect(again.exit).toMatchObject({ code: 0 });
  });
});
