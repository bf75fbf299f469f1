import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDockerfile, CONTEXT_BOUNDS, packContext } from '../src/container/context.ts';
import { Demux } from '../src/container/demux.ts';
import { findEngine, sockets } from '../src/container/find-engine.ts';
import { cageBody } from '../src/container/hardening.ts';
import { runContainerOnce } from '../src/container/once.ts';
import { dockerProfile } from '../src/seccomp/docker-profile.ts';
import { later, tempDir } from './setup.ts';

const frame = (kind: number, text: string): Buffer => {
  const head = Buffer.from([kind, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

describe('the stream of a container', () => {
  it('[RUN4] is taken apart alike however it is cut', () => {
    const said = fc.array(fc.record({ kind: fc.constantFrom(0, 1, 2), text: fc.string() }));
    fc.assert(
      fc.property(said, fc.integer({ min: 1, max: 40 }), (frames, size) => {
        const bytes = Buffer.concat(frames.map(({ kind, text }) => frame(kind, text)));
        const demux = new Demux();
        const found = { stdout: '', stderr: '' };
        for (let at = 0; at < bytes.length; at += size) {
          for (const { stream, bytes: part } of demux.take(bytes.subarray(at, at + size))) {
            found[stream] += part.toString('latin1');
          }
        }
        const all = (kind: number): string =>
          frames
            .filter((one) => one.kind === kind)
            .map(({ text }) => Buffer.from(text).toString('latin1'))
            .join('');
        expect(found).toEqual({ stdout: all(1), stderr: all(2) });
        expect(demux.whole).toBe(true);
      }),
    );
  });

  it('[CTR5] that is cut short, or is something else, counts as broken', () => {
    const demux = new Demux();
    demux.take(frame(1, 'abc').subarray(0, 10));
    expect(demux.whole).toBe(false);
    expect(() => new Demux().take(Buffer.from('HTTP/1.1 500'))).toThrow(/something else/);
  });
});

describe('the context of a build', () => {
  async function pack(workspace: string, bounds = CONTEXT_BOUNDS): Promise<[string, string]> {
    const archive = join(tempDir(), 'context.tar');
    const fd = openSync(archive, 'w');
    try {
      return [(await packContext(workspace, 'Dockerfile', fd, bounds)).hash, archive];
    } finally {
      closeSync(fd);
    }
  }

  it('[CTR9] holds files, directories and links as they are, and not .git', async () => {
    const workspace = tempDir();
    const deep = join(workspace, 'd'.repeat(90), 'e'.repeat(90));
    mkdirSync(deep, { recursive: true });
    mkdirSync(join(workspace, '.git'));
    writeFileSync(join(workspace, '.git/config'), 'secret');
    writeFileSync(join(workspace, 'Dockerfile'), 'FROM x\n');
    writeFileSync(join(deep, 'ü.txt'), 'x'.repeat(1000));
    writeFileSync(join(workspace, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('/etc/passwd', join(workspace, 'link'));
    symlinkSync('/etc/passwd', join(workspace, '.dockerignore'));
    symlinkSync('/etc', join(workspace, 'folder'));
    const [hash, archive] = await pack(workspace);
    const list = execFileSync('tar', ['-tvf', archive], {
      encoding: 'utf8',
      env: { LANG: 'C.UTF-8' },
    });
    expect(list).toMatch(/^lrwxr-xr-x 0\/0 .* link -> \/etc\/passwd$/m);
    expect(list).toMatch(/folder -> \/etc$/m);
    expect(list).toMatch(/^-rwxr-xr-x .* run\.sh$/m);
    expect(list).not.toMatch(/\.git|dockerignore|folder\//);
    const out = tempDir();
    execFileSync('tar', ['-xf', archive, '-C', out]);
    const copy = join(out, 'd'.repeat(90), 'e'.repeat(90), 'ü.txt');
    expect(readFileSync(copy, 'utf8')).toBe('x'.repeat(1000));
    const [again] = await pack(workspace);
    expect(again).toBe(hash);
    writeFileSync(join(deep, 'ü.txt'), 'y'.repeat(1000));
    expect((await pack(workspace))[0]).not.toBe(hash);
  });

  it('[CTR9] is bounded in bytes and in files', async () => {
    const workspace = tempDir();
    writeFileSync(join(workspace, 'Dockerfile'), 'x'.repeat(5000));
    await expect(pack(workspace, { bytes: 4096, entries: 10 })).rejects.toThrow(/larger than/);
    writeFileSync(join(workspace, 'other'), '');
    await expect(pack(workspace, { bytes: 1e6, entries: 1 })).rejects.toThrow(/more than 1 files/);
  });

  it('[CTR9] a Dockerfile is named by a path below the repository', () => {
    expect(checkDockerfile('./docker/Dockerfile')).toBe('docker/Dockerfile');
    for (const path of [
      '/a',
      '..',
      'a/../b',
      'a//b',
      '.git/x',
      'a\nb',
      'a\\b',
      './',
      '.',
      'a.in',
      '["/x"]',
      '-',
      'http://x',
    ]) {
      expect(() => checkDockerfile(path), path).toThrow(/inside the repository/);
    }
  });
});

describe('the engine of containers', () => {
  it('[CTR12] is looked for where it is set, else in the known places', () => {
    expect(sockets({ FILEPATH_CONTAINER_SOCKET: '/a', DOCKER_HOST: 'unix:///b' })).toEqual(['/a']);
    expect(sockets({ DOCKER_HOST: 'unix:///b' })).toEqual(['/b']);
    expect(sockets({ DOCKER_HOST: 'tcp://1.2.3.4:5', XDG_RUNTIME_DIR: '/x' }).toSorted()).toEqual([
      '/run/podman/podman.sock',
      '/var/run/docker.sock',
      '/x/docker.sock',
      '/x/podman/podman.sock',
    ]);
  });

  it('[CTR12] that is missing, too old or something else is refused with what to do', async () => {
    const at = (socket: string): NodeJS.ProcessEnv => ({ FILEPATH_CONTAINER_SOCKET: socket });
    const missing = await findEngine(at('/nowhere/engine.sock'));
    expect(missing).toMatchObject({ engine: null, reason: expect.stringMatching(/is no socket/) });
    const remote = await findEngine({ DOCKER_HOST: 'tcp://1.2.3.4:5' });
    expect(remote).toMatchObject({ reason: expect.stringMatching(/not local.*install podman/) });
    const answers = async (version: unknown): Promise<string> => {
      const socket = join(tempDir(), 'engine.sock');
      const server = createServer((request, response) =>
        response.end(request.url === '/_ping' ? 'OK' : JSON.stringify(version)),
      );
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      later(() => server.close());
      const found = await findEngine(at(socket));
      return found.engine === null ? found.reason : found.version;
    };
    expect(await answers({ ApiVersion: '1.24', Version: '1' })).toMatch(/API is 1.24/);
    expect(await answers({ hello: 'world' })).toMatch(/no container engine answers/);
    expect(await answers({ ApiVersion: '1.47', Version: '27.3' })).toBe('docker 27.3');
    const podman = { ApiVersion: '1.41', Version: '5.0', Components: [{ Name: 'Podman Engine' }] };
    expect(await answers(podman)).toBe('podman 5.0');
  });

  it('[CTR1] is asked for nothing that would open a container', () => {
    const cage = {
      image: 'i',
      command: null,
      environment: new Map([['A', 'b']]),
      labels: {},
      user: '7:7',
      keepId: true,
      binds: [{ from: '/a', to: '/b', writable: false }],
      seccomp: 'profile',
      limits: { memory: 1, pids: 2, cpus: 0.5 },
      holds: { memory: true, pids: false, cpu: true },
      fileBytes: 9,
    };
    const docker = cageBody({ ...cage, volumes: [], podman: false });
    expect(docker).toMatchObject({
      User: '7:7',
      HostConfig: {
        ReadonlyRootfs: true,
        Privileged: false,
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', 'seccomp=profile'],
        UsernsMode: 'keep-id',
        Memory: 1,
        MemorySwap: 1,
        NanoCpus: 5e8,
        Mounts: [{ Type: 'bind', Source: '/a', Target: '/b', ReadOnly: true }],
        Tmpfs: { '/tmp': expect.stringMatching(/uid=7,gid=7$/) },
      },
    });
    expect(docker).not.toHaveProperty('HostConfig.PidsLimit');
    expect(docker).not.toHaveProperty('Entrypoint');
  });

  it('[CTR13] is asked for memory wherever an image declares a volume', () => {
    const asked = (...volumes: string[]): object =>
      cageBody({
        image: 'i',
        command: null,
        environment: new Map(),
        labels: {},
        user: '7:7',
        keepId: false,
        binds: [{ from: '/a', to: '/workspace', writable: true }],
        volumes,
        seccomp: 'profile',
        limits: { memory: 1, pids: 2, cpus: 0.5 },
        holds: { memory: true, pids: false, cpu: true },
        fileBytes: 9,
        podman: true,
      });
    const tmpfs = asked('/data/', '/home', '/workspace', '/tmp', '/run/x');
    const paths = (tmpfs as { HostConfig: { Tmpfs: Record<string, string> } }).HostConfig.Tmpfs;
    expect(Object.keys(paths).toSorted()).toEqual(['/data', '/home', '/run', '/run/x', '/tmp']);
    expect(paths['/data']).toMatch(/nosuid,nodev,size=67108864/);
    expect(paths['/tmp']).toMatch(/size=268435456/);
    for (const path of ['/', 'data', '/proc', '/dev/shm', '/workspace/x', '/a:b', '/x/../proc']) {
      expect(() => asked(path), path).toThrow(/declares the volume .*use one without/);
    }
    const many = Array.from({ length: 17 }, (_, index) => `/v${index}`);
    expect(() => asked(...many)).toThrow(/more than 16 volumes/);
  });

  it('[CTR2] has no filter for a processor whose calls are not known', () => {
    expect(dockerProfile('riscv64')).toBeNull();
    expect(dockerProfile('arm64')).toMatchObject({ architectures: ['SCMP_ARCH_AARCH64'] });
  });
});

describe('a command in a container that the runner waits for', () => {
  it('[CTR10] is given up while it is being started, and whoever waits is told', async () => {
    const stream = new PassThrough();
    const starting = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const removed: string[] = [];
    const engine = {
      create: async () => 'id',
      attach: async () => stream,
      start: async () => {
        starting.resolve();
        await started.promise;
      },
      inspect: async () => null,
      remove: async (name: string) => void removed.push(name),
    };
    const giveUp = new AbortController();
    const done = runContainerOnce({ engine, body: {}, timeoutMs: 60_000, signal: giveUp.signal });
    await starting.promise;
    giveUp.abort();
    // A tick in which an error that nobody listens for would end the process.
    await new Promise((resolve) => setImmediate(resolve));
    started.resolve();
    expect(await done).toEqual({ status: null, output: '', timedOut: false });
    expect(removed).toHaveLength(1);
    expect(stream.destroyed).toBe(true);
  });
});
